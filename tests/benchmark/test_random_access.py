"""Examples in any order: rows in the cache folder, views, columns, other processes."""

from __future__ import annotations

import dataclasses
import json
import multiprocessing
import os
import pickle
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import isarstep
from isarstep.benchmark.store import row_cache, store
from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.store import Benchmark, Split
from isarstep.common.errors import UserError

FIELDS = [field.name for field in dataclasses.fields(Example)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the rows are cached."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv(row_cache.LIMIT, raising=False)
    return tmp_path / "isarstep" / "rows"


def values(example: Example) -> list[object]:
    """All fields, those that are not compared and the order of dictionaries too."""
    found = [getattr(example, name) for name in FIELDS]
    return [[*value.items()] if isinstance(value, dict) else value for value in found]


def entries(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*") if not path.name.startswith("."))


def test_both_ways_give_the_same_examples(small_benchmark: Path, folder: Path) -> None:
    for name in Benchmark(small_benchmark).splits:
        whole = [*map(values, isarstep.load(small_benchmark, name))]
        for split in (isarstep.load(small_benchmark, name), isarstep.load(small_benchmark, name, cache=False)):
            split.prepare()
            assert [values(split[place]) for place in range(len(split))] == whole
            assert [*map(values, split)] == whole
    assert len(entries(folder)) == len(Benchmark(small_benchmark).splits)


def test_examples_of_the_embedded_benchmark(folder: Path) -> None:
    split = isarstep.load("embedded", "unseen")
    some = [*range(0, len(split), 97)]
    before = [values(split[place]) for place in some[:10]]
    assert [values(example) for example in split.prepare()[some]][:10] == before
    plain = [values(example) for example in isarstep.load("embedded", "unseen", cache=False)]
    assert [values(example) for example in split[some]] == [plain[place] for place in some]


def test_few_examples_make_no_rows_and_jumps_do(
    small_benchmark: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    split = isarstep.load(small_benchmark, "train")
    assert [split[0].id, split[-1].id] == [split.column("id")[0], split.column("id")[-1]]
    assert not entries(folder)
    monkeypatch.setattr(store, "PATIENCE", 0)
    assert split[3].id == split.column("id")[3]
    assert len(entries(folder)) == 1


@pytest.mark.parametrize("damage", ["cut", "changed", "missing", "no stamp", "stamp"])
def test_a_damaged_entry_is_written_again(small_benchmark: Path, folder: Path, damage: str) -> None:
    want = [*map(values, isarstep.load(small_benchmark, "test").prepare())]
    (entry,) = entries(folder)
    file, stamp = entry / "examples.arrow", entry / "complete.json"
    raw = file.read_bytes()
    if damage == "cut":
        file.write_bytes(raw[: len(raw) // 2])
    elif damage == "changed":
        file.write_bytes(raw[:-1] + b"x")
        os.utime(file, ns=(1, 1))
    elif damage == "missing":
        file.unlink()
    elif damage == "no stamp":
        stamp.unlink()
    else:
        stamp.write_text("{")
    assert row_cache.cached_rows(Benchmark(small_benchmark), "test") is None
    assert [*map(values, isarstep.load(small_benchmark, "test").prepare())] == want
    assert entries(folder) == [entry]
    assert sorted(path.name for path in entry.iterdir()) == sorted(
        ["complete.json", "examples.arrow", "propositions.arrow", "strings.arrow"]
    )
    assert row_cache.cached_rows(Benchmark(small_benchmark), "test") is not None


def test_where_nothing_can_be_written_rows_are_in_memory(
    small_benchmark: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    split = isarstep.load(small_benchmark, "test").prepare()
    assert values(split[2]) == values([*isarstep.load(small_benchmark, "test")][2])


def test_the_limit(small_benchmark: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("0", "0.000001"):
        monkeypatch.setenv(row_cache.LIMIT, limit)
        assert isarstep.load(small_benchmark, "test").prepare()[1] == isarstep.load(small_benchmark, "test")[1]
        assert not entries(folder)
    monkeypatch.setenv(row_cache.LIMIT, "much")
    with pytest.raises(UserError, match="expected a number of gigabytes"):
        isarstep.load(small_benchmark, "test").prepare()


def test_the_entry_that_was_not_used_for_longest_makes_space(
    small_benchmark: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = {}
    for name in ("test", "validation"):
        known = {*entries(folder)}
        isarstep.load(small_benchmark, name).prepare()
        (entry,) = {*entries(folder)} - known
        sizes[name] = sum(path.stat().st_size for path in entry.glob("*.arrow"))
        os.utime(entry / "complete.json", ns=(len(known) + 1, len(known) + 1))
    first = min(entries(folder), key=lambda entry: (entry / "complete.json").stat().st_mtime_ns)
    row_cache._make_space(folder / "new", sizes["validation"] + 1000)
    assert first not in entries(folder)
    assert len(entries(folder)) == 1


def test_files_are_compared_before_rows_are_written(small_benchmark: Path, tmp_path: Path, folder: Path) -> None:
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(small_benchmark, copy)
    split = isarstep.load(copy, "test")
    file = copy / "propositions.parquet"
    raw = bytearray(file.read_bytes())
    raw[len(raw) // 2] ^= 1
    file.write_bytes(raw)
    with pytest.raises(UserError, match="damaged"):
        split.prepare()
    assert not entries(folder)


def test_what_is_scored_is_not_read_from_the_cache(
    small_benchmark: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    isarstep.load(small_benchmark, "test").prepare()

    def refuse(*_: object) -> None:
        raise AssertionError("read from the cache folder")

    monkeypatch.setattr(row_cache, "cached_rows", refuse)
    split = Benchmark(small_benchmark).compare().split("test")
    assert split[1].id
    assert split.prepare()[1].id


def test_views(small_benchmark: Path, folder: Path) -> None:
    split = isarstep.load(small_benchmark, "train")
    ids = split.column("id")
    chosen = split.select([5, -1, 0, 5])
    assert [example.id for example in chosen] == [ids[5], ids[-1], ids[0], ids[5]] == chosen.column("id")
    assert [chosen[0].id, chosen[-1].id, *(e.id for e in chosen[1:3])] == [ids[5], ids[5], ids[-1], ids[0]]
    assert [e.id for e in chosen[np.array([2, 1])]] == [ids[0], ids[-1]] == chosen.select([2, 1]).column("id")
    assert split[np.int64(4)].id == ids[4]
    assert split.select(np.array(ids) == ids[7]).column("id") == [ids[7]]
    assert chosen.position(ids[0]) == 2
    assert chosen.position("zz") is None
    assert chosen.table()["id"].to_pylist() == chosen.column("id")
    assert [e.id for e in chosen.lowest(2)] == [i for i in chosen.column("id") if i in sorted(chosen.column("id"))[:2]][
        :2
    ]
    for wrong in ([len(split)], [-len(split) - 1]):
        with pytest.raises(IndexError):
            split.select(wrong)
    with pytest.raises(TypeError):
        split.select([0.5])  # type: ignore[list-item]
    assert not split.select([])[[]]


def test_shuffled(small_benchmark: Path, folder: Path) -> None:
    split = isarstep.load(small_benchmark, "train")
    one, again, other = split.shuffle(1), split.shuffle(1), split.shuffle(2)
    assert one.column("id") == again.column("id") != other.column("id")
    assert sorted(one.column("id")) == sorted(split.column("id"))
    assert [example.id for example in one] == one.column("id")


def test_what_it_is_said_to_be(small_benchmark: Path) -> None:
    split = isarstep.load(small_benchmark, "test")
    name = Benchmark(small_benchmark).hash[:12]
    assert repr(split) == f"<Split test of bench {name}: {len(split)} examples>"
    assert repr(split.select([1, 2])) == f"<Split test of bench {name}: 2 of {len(split)} examples>"


def test_columns(small_benchmark: Path, folder: Path) -> None:
    split = isarstep.load(small_benchmark, "test").shuffle(1)
    examples = [*split]
    assert {"target", "facts", "goal", "others", "hints", "f1", "f2", "f3", "f4", "f5"} <= split.features.keys()
    for name in split.features:
        assert split.column(name) == [getattr(example, name) for example in examples], name
    with pytest.raises(UserError, match="no such column"):
        split.column("f6")


def test_pandas(small_benchmark: Path, folder: Path) -> None:
    pytest.importorskip("pandas")
    split = isarstep.load(small_benchmark, "test").select([3, 1])
    frame = split.to_pandas()
    assert [*frame.columns] == [*split.features]
    assert [*frame["facts"]] == [example.facts for example in split]
    assert [*split.to_pandas(["id", "goal"]).columns] == ["id", "goal"]


def test_torch(small_benchmark: Path, folder: Path) -> None:
    pytest.importorskip("torch")
    split = isarstep.load(small_benchmark, "test")
    words = split.benchmark.vocabulary
    tensors = pickle.loads(pickle.dumps(split.to_torch()))
    assert len(tensors) == len(split)
    read = [words[number] for number in tensors[0]["target"]]
    assert (read[0], " ".join(read[1:-1]), read[-1]) == ("<BOS>", split[0].target, "<EOS>")
    source = " ".join(words[number] for number in tensors[0]["source"])
    assert source == " ".join(f"<F{number}> {text}" for number, text in split[0].source())
    batch = tensors.collate(tensors.__getitems__([0, 1]))
    assert batch["target"].shape == (2, max(len(tensors[place]["target"]) for place in (0, 1)))


def read_some(split: Split, places: list[int]) -> list[str]:
    return [example.id for example in split[places]]


def test_a_split_in_another_process(small_benchmark: Path, folder: Path) -> None:
    split = isarstep.load(small_benchmark, "train").shuffle(3)
    split.prepare()
    copy = pickle.loads(pickle.dumps(split))
    assert (copy.column("id"), repr(copy)) == (split.column("id"), repr(split))
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        found = [pool.submit(read_some, split, [place, 0]) for place in (1, 2)]
        assert [each.result() for each in found] == [read_some(split, [place, 0]) for place in (1, 2)]
    assert len(entries(folder)) == 1


def test_a_benchmark_that_has_changed_is_not_opened_in_another_process(small_benchmark: Path) -> None:
    call, arguments = isarstep.load(small_benchmark, "test").__reduce__()
    with pytest.raises(UserError, match="now, not ffff"):
        call(arguments[0], "ffff", *arguments[2:])


def write_rows(where: Path, _: int) -> list[str]:
    return [example.id for example in isarstep.load(where, "train").prepare()]


def test_processes_that_write_the_same_rows(small_benchmark: Path, folder: Path) -> None:
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        first, *others = [pool.submit(write_rows, small_benchmark, number) for number in range(2)]
        assert all(other.result() == first.result() for other in others)
    (entry,) = entries(folder)
    assert json.loads((entry / "complete.json").read_text())
    assert {path.name for path in folder.iterdir()} == {entry.name}


def test_rows_with_types_of_other_variables_are_damaged(small_benchmark: Path, folder: Path) -> None:
    benchmark = Benchmark(small_benchmark)
    table = benchmark.table("test")

    class Changed(Benchmark):
        def table(self, name: str, columns: object = None) -> object:  # type: ignore[override]
            import pyarrow as pa

            if name != "test":
                return benchmark.table(name, columns)  # type: ignore[arg-type]
            types = [[*each, 0] if each else each for each in table["types"].to_pylist()]
            return table.set_column(
                table.schema.get_field_index("types"), "types", pa.array(types, pa.list_(pa.int32()))
            )

    with pytest.raises(UserError, match="damaged row"):
        row_cache.make_rows(Changed(small_benchmark), "test")
    assert not entries(folder)
