"""Names that must never change: of propositions, theorems and examples. Whoever changes them makes another benchmark."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pyarrow as pa
from tests.benchmark.graph_files import write_graph
from tests.benchmark.handmade import sqrt_two

from isarstep.benchmark.building.build import build
from isarstep.benchmark.rules.rules import TRAIN, band_of
from isarstep.benchmark.rules.shards import renamed_key, shape_of
from isarstep.benchmark.store.identity import ColumnDigest, benchmark_name, columns_digest, table_digest
from isarstep.benchmark.store.ids import content_key, example_id, proposition_digest, theorem_identity
from isarstep.benchmark.store.store import Benchmark

A, B, C = (proposition_digest(text) for text in ("CONST a", "CONST b", "CONST c"))


def test_names_of_propositions_theorems_and_examples() -> None:
    assert A.hex() == "21ab43b5ac402e6fec189d96c5973b78"
    assert theorem_identity(["CONST a", "CONST b"]) == "d48fd765c72a2edc"
    assert theorem_identity(["CONST b", "CONST a"]) == "926201250a03030a"
    key = content_key(A, [B, C], C, [A], [])
    assert key.hex() == "21914d800d276fda7f17595b7dd2e3c5"
    assert example_id("d48fd765c72a2edc", key) == "f0ebbf73e476"


def test_the_order_inside_a_field_does_not_count_but_the_field_does() -> None:
    key = content_key(A, [B, C], C, [A], [])
    assert content_key(A, [C, B], C, [A], []) == key
    assert content_key(A, [], C, [A, B], []) == content_key(A, [], C, [B, A], [])
    assert content_key(A, [], C, [], [A, B]) == content_key(A, [], C, [], [B, A])
    others = [
        content_key(A, [C], C, [A, B], []),
        content_key(A, [B, C], C, [], [A]),
        content_key(C, [B, C], A, [A], []),
        content_key(A, [B, C], None, [C, A], []),
    ]
    assert len({key, *others}) == 5


def test_the_order_of_hashing() -> None:
    """Theorem first, then content: swapped, all ids would change."""
    import hashlib

    assert example_id("0123456789abcdef", A) == hashlib.sha256(b"0123456789abcdef" + A).hexdigest()[:12]


def test_the_papers_theorem(tmp_path: Path) -> None:
    build([write_graph(sqrt_two(), tmp_path)], tmp_path / "out", workers=1)
    examples = list(Benchmark(tmp_path / "out").split("train"))
    assert {(e.theorem, band_of(e.theorem)) for e in examples} == {("b37e72deec74d8fa", TRAIN)}
    assert sorted(e.id for e in examples) == "2d78cbc41d04 476859c1f89d 5f0dbb3c1b6b f92a2b13d302".split()
    # The name is of bytes, which a later Arrow may write otherwise; the contents are not.
    contents = json.dumps(dict(sorted(Benchmark(tmp_path / "out").manifest["contents"].items())))
    assert sha256(contents.encode()).hexdigest() == "8feb9491fdd7fdde27deefae4193e1fe09e47b429bbb846b7331c61836cb7ca6"


def test_renaming_keeps_the_key_and_nothing_else_does() -> None:
    def key(f2: str, f3: str, f1: str) -> bytes:
        return renamed_key([shape_of(f2)], [shape_of(f3)], [], [shape_of(f1)])

    one = key("CONST p $ FREE <X0>", "CONST q $ FREE <X1>", "CONST r $ FREE <X0>")
    assert key("CONST p $ FREE <X4>", "CONST q $ FREE <X0>", "CONST r $ FREE <X4>") == one
    assert key("CONST p $ FREE <X4>", "CONST q $ FREE <X0>", "CONST r $ FREE <X0>") != one


def test_the_hash_is_of_content_however_it_is_cut() -> None:
    table = pa.table({"f1": [1, 2, 3], "f2": [[1], [], [2, 3]], "id": ["a", "bc", ""]})
    whole = table_digest(table)
    assert table_digest(pa.concat_tables([table.slice(0, 1), table.slice(1)])) == whole
    assert table_digest(table.slice(1)) == table_digest(table.slice(1).combine_chunks())
    for column, values in {"f1": [1, 2, 4], "f2": [[1], [2], [3]], "id": ["ab", "c", ""]}.items():
        changed = table.set_column(table.schema.get_field_index(column), column, pa.array(values))
        assert table_digest(changed) != whole, column
    assert table_digest(table.rename_columns(["f1", "f2", "name"])) != whole
    missing = table.set_column(0, "f1", pa.array([1, 2, None]))
    assert table_digest(missing) != table_digest(table.set_column(0, "f1", pa.array([1, 2, 0])))
    digest = ColumnDigest()
    digest.update(table["f1"].chunk(0))
    assert columns_digest({"f1": digest}) == table_digest(table.select(["f1"]))
    assert (
        benchmark_name({"a": "1", "b": "2", "hash": "x"})
        == benchmark_name({"b": "2", "a": "1"})
        != benchmark_name({"a": "2", "b": "1"})
    )
