"""A finished benchmark as input of the next one: its examples and facts back in the form of a shard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from isarstep.benchmark.building.gather import (
    FACT_SHARD_SCHEMA,
    LEMMA_SHARD_SCHEMA,
    RULE_SHARD_SCHEMA,
    TABLES,
    FrozenDecisions,
    Gathered,
    write_arrow,
)
from isarstep.benchmark.rules.rules import DROPPED, KEPT, NO_LONGER, VERSION
from isarstep.benchmark.rules.shards import ShardBuilder
from isarstep.benchmark.store.layout import LEMMAS, LENGTHS, PROOFS, RULES
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.isabelle.context.clashes import NOTHING, Ancestry, Renaming
from isarstep.isabelle.context.columns import with_column
from isarstep.isabelle.context.fact_table import occurrences, shows_its_type
from isarstep.isabelle.terms.terms import Const
from isarstep.isabelle.terms.tokens import decode
from isarstep.isabelle.terms.type_text import parse_type


def theories_of(folder: Path) -> list[dict[str, Any]]:
    """Name, session, hash, parents and counts of every theory that went into a benchmark."""
    benchmark = built_from_graphs(folder)
    theories = list(benchmark.signature_document()["theories"])
    clashing = Ancestry({theory["name"]: theory["parents"] for theory in theories}).clashing
    if clashing and "qualified" not in benchmark.manifest:
        raise UserError(
            f"{folder}: mixes up theories called {min(clashing)}, as earlier versions did; build from graphs"
        )
    return theories


def built_from_graphs(folder: Path) -> Benchmark:
    benchmark = Benchmark(folder)
    if benchmark.manifest.get("source") != "graphs":
        raise UserError(f"{folder}: was imported; give a benchmark that was built from graphs")
    known = benchmark.manifest["rules"].get("version", 1)
    if known != VERSION:
        raise UserError(f"{folder}: was built by rules of version {known}, its splits cannot grow; build from graphs")
    return benchmark


def gather_benchmark(
    folder: Path, scratch: Path, renaming: Renaming = NOTHING, only: frozenset[str] | None = None
) -> Gathered:
    """Read a benchmark into a shard on disk, as if its graphs had been read and renamed like this; or `only` what some
    theories declare, with what is scored as unseen."""
    benchmark = built_from_graphs(folder)
    theirs = {name: benchmark.manifest["rules"].get(name) for name in KEPT}
    if theirs != KEPT:
        raise UserError(f"{folder}: was built with other rules ({theirs}); build from graphs")
    builder = ShardBuilder()
    builder.types.texts.extend(map(renaming.type, benchmark.types))
    texts = [renaming.text(text) for block in benchmark.propositions.blocks() for text in block.to_pylist()]
    numbers = [builder.proposition(text) for text in texts]
    if numbers != list(range(len(numbers))):
        raise UserError(f"{folder}: the same proposition is stored twice; build it again")
    for batch in benchmark.table(PROOFS).to_batches(max_chunksize=4096):
        for row in batch.to_pylist():
            builder.add_proof(*(renaming.name(value) if key == "locale" else value for key, value in row.items()))
    _add_examples(builder, benchmark, renaming, benchmark.splits if only is None else ("unseen",))
    shard = builder.finish()
    document = benchmark.signature_document()
    known = _signature_rows(document, renaming)
    rows = known if only is None else _signature_rows(_declared_by(document, only), renaming)
    typist = _Deciders(texts, known["constants"])
    there = None if only is None else pa.array(sorted(only))
    facts, place = _facts(benchmark, typist, renaming, there)
    tables = (
        shard.propositions, shard.examples, shard.proofs, facts, _lemmas(benchmark, facts, place),
        _rules(benchmark, facts, place, typist, there),
    )  # fmt: skip
    scratch.mkdir(parents=True)
    for name, table in zip(TABLES, tables, strict=True):
        write_arrow(scratch / f"{name}.arrow", table)
    notation = {
        theory: renaming.document(rows) for theory, rows in benchmark.notation.items() if only is None or theory in only
    }
    return Gathered(
        scratch,
        shard.types,
        list(typist.deciders),
        [_theory_row(row, renaming) for row in document["theories"] if only is None or row["name"] in only],
        rows,
        list(benchmark.manifest["isabelle"]),
        document["variable names"],
        notation,
        _decided(benchmark) if only is None else FrozenDecisions({}, [], False, [0] * (len(LENGTHS) + 1), {}),
    )


def _decided(benchmark: Benchmark) -> FrozenDecisions:
    manifest = benchmark.manifest
    return FrozenDecisions(
        {name: manifest["counts"][name] for name in (*DROPPED, NO_LONGER) if name in manifest["counts"]},
        manifest["unseen entries"],
        manifest.get("grown", False),
        manifest.get("leaking lengths", [0] * (len(LENGTHS) + 1)),
        manifest.get("passed over", {}),
    )


def _add_examples(builder: ShardBuilder, benchmark: Benchmark, renaming: Renaming, splits: Sequence[str]) -> None:
    for name in splits:
        for batch in benchmark.split(name).table().to_batches(max_chunksize=4096):
            for row in batch.to_pylist():
                identifier = row.pop("id")
                fields = [row.pop(f"f{number}") for number in range(1, 6)]
                row["name"] = renaming.name(row["name"])
                if builder.add(*fields, **row, split=name) != identifier and not renaming:
                    raise UserError(
                        f"{benchmark.folder}: example {identifier} in {name} does not match its id; build it again"
                    )


def _theory_row(theory: dict[str, Any], renaming: Renaming) -> dict[str, Any]:
    """What the theory declares under its new names."""
    if not renaming:
        return theory
    constants = {renaming.name(name): proof for name, proof in theory["constants"].items()}
    named = [" ".join(map(renaming.name, arity.split())) for arity in theory["arities"]]
    asked = [[sorted(map(renaming.name, sort)) for sort in sorts] for sorts in theory["arities_sorts"]]
    arities = sorted(zip(named, theory["arities_after"], asked, strict=True))
    return {
        **theory,
        "constants": dict(sorted(constants.items())),
        "arities": [arity for arity, _, _ in arities],
        "arities_after": [after for _, after, _ in arities],
        "arities_sorts": [sorts for _, _, sorts in arities],
    }


def _signature_rows(document: Mapping[str, Any], renaming: Renaming) -> dict[str, dict[str, Any]]:
    """As `gather.signature_rows` makes them."""
    name, text, typ = renaming.name, renaming.text, renaming.type
    constants = [[name(row[0]), typ(row[1]), *map(text, row[2:])] for row in document["constants"]]
    arities = [[name(t), name(c), [sorted(map(name, sort)) for sort in sorts]] for t, c, sorts in document["arities"]]
    return {
        "constants": {row[0]: row for row in constants},
        "types": {name(constructor): [name(constructor), count] for constructor, count in document["types"]},
        "classes": {name(class_): [name(class_), sorted(map(name, above))] for class_, above in document["classes"]},
        "arities": {f"{row[0]} {row[1]}": row for row in arities},
        "coercions": {text(term): [text(term), typ(of)] for term, of in document["coercions"]},
    }


def _declared_by(document: Mapping[str, Any], theories: frozenset[str]) -> dict[str, Any]:
    """The signature without what other theories alone declare: it would exist in every context."""
    here: set[str] = set()
    elsewhere: set[str] = set()
    for theory in document["theories"]:
        (here if theory["name"] in theories else elsewhere).update([*theory["constants"], *theory["arities"]])
    gone = elsewhere - here
    arities = [row for row in document["arities"] if f"{row[0]} {row[1]}" not in gone]
    left, all_types = ({row[0] for row in rows} for rows in (arities, document["arities"]))
    return {
        **document,
        "constants": [row for row in document["constants"] if row[0] not in gone],
        "types": [row for row in document["types"] if row[0] in left or row[0] not in all_types],
        "arities": arities,
        "coercions": [row for row in document["coercions"] if gone.isdisjoint(row[0].split())],
    }


class _Deciders:
    """Types were recorded for constants that were unknown then; a larger corpus may know them. What decides on each."""

    def __init__(self, texts: Sequence[str], known: Mapping[str, Any]) -> None:
        self._texts = texts
        self._general = {name: parse_type(row[1]) for name, row in known.items()}
        self.deciders: dict[tuple[str, int], int] = {}

    def of(self, proposition: int | None) -> list[int]:
        slots: list[int] = []
        if proposition is None:
            return slots
        for node, arguments in occurrences(decode(self._texts[proposition])):
            if type(node) is not Const:
                slots.append(-1)
            elif node.name not in self._general:
                slots.append(self.deciders.setdefault((node.name, arguments), len(self.deciders)))
            elif not shows_its_type(self._general[node.name], arguments):
                slots.append(-1)
        return slots


def _facts(
    benchmark: Benchmark, typist: _Deciders, renaming: Renaming, theories: pa.Array | None = None
) -> tuple[pa.Table, pa.Array]:
    """The facts, of some theories if these are given, and the new number of each of all; null: left out."""
    facts = benchmark.facts
    kept = pa.array(np.arange(facts.num_rows)) if theories is None else _rows_of(facts, theories)
    facts = facts.take(kept)
    place = pc.index_in(pa.array(np.arange(benchmark.facts.num_rows)), kept)
    names = facts["name"] if not renaming else pa.array([renaming.name(name) for name in facts["name"].to_pylist()])
    columns = {
        "theory": facts["theory"].dictionary_encode(),
        "name": names,
        "index": facts["index"],
        "proposition": facts["proposition"],
        "types": facts["types"],
        "deciders": pa.array(map(typist.of, facts["proposition"].to_pylist()), pa.list_(pa.int32())),
    }
    return _one_chunk(columns, FACT_SHARD_SCHEMA), place


def _rows_of(table: pa.Table, theories: pa.Array) -> pa.Array:
    return pa.array(np.flatnonzero(pc.is_in(table["theory"], theories).to_numpy(zero_copy_only=False)))


def _rules(
    benchmark: Benchmark, facts: pa.Table, place: pa.Array, typist: _Deciders, theories: pa.Array | None = None
) -> pa.Table:
    rules = benchmark.table(RULES)
    rules = rules if theories is None else rules.take(_rows_of(rules, theories))
    rules = with_column(rules, "fact", pc.take(place, rules["fact"]))
    columns = {
        "theory": rules["theory"].dictionary_encode(),
        "kind": rules["kind"].dictionary_encode(),
        "name": facts["name"].take(rules["fact"]),
        "index": facts["index"].take(rules["fact"]),
        "proposition": rules["proposition"],
        "types": rules["types"],
        "deciders": pa.array(map(typist.of, rules["proposition"].to_pylist()), pa.list_(pa.int32())),
    }
    return _one_chunk(columns, RULE_SHARD_SCHEMA)


def _lemmas(benchmark: Benchmark, facts: pa.Table, place: pa.Array) -> pa.Table:
    lemmas = benchmark.table(LEMMAS)
    lemmas = with_column(lemmas, "fact", pc.take(place, lemmas["fact"]))
    lemmas = lemmas.filter(pc.is_valid(lemmas["fact"]))
    names, indices = facts["name"].take(lemmas["fact"]), facts["index"].take(lemmas["fact"])
    return _one_chunk({"proposition": lemmas["proposition"], "name": names, "index": indices}, LEMMA_SHARD_SCHEMA)


def _one_chunk(columns: Mapping[str, Any], schema: pa.Schema) -> pa.Table:
    """One chunk a column, because types and what decides about them are walked side by side."""
    return pa.table(dict(columns)).cast(schema).unify_dictionaries().combine_chunks()
