"""A finished benchmark as input of the next one: its examples and facts back in the form of a shard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa

from isarstep.bench.clashes import NOTHING, Ancestry, Renaming
from isarstep.bench.extract import Rules
from isarstep.bench.facts import occurrences, shows_its_type
from isarstep.bench.gather import (
    FACT_SHARD_SCHEMA,
    LEMMA_SHARD_SCHEMA,
    RULE_SHARD_SCHEMA,
    TABLES,
    FrozenDecisions,
    Gathered,
    write_arrow,
)
from isarstep.bench.layout import LEMMAS, LENGTHS, PROOFS, RULES
from isarstep.bench.rules import DROPPED, VERSION
from isarstep.bench.shards import ShardBuilder
from isarstep.bench.store import Benchmark
from isarstep.errors import UserError
from isarstep.logic.terms import Const
from isarstep.logic.tokens import decode
from isarstep.logic.typestrings import parse_type


def theories_of(folder: Path) -> list[dict[str, Any]]:
    """Name, session, hash, parents and counts of every theory that went into a benchmark."""
    benchmark = _built_from_graphs(folder)
    theories = list(benchmark.signature_document()["theories"])
    clashing = Ancestry({theory["name"]: theory["parents"] for theory in theories}).clashing
    if clashing and "qualified" not in benchmark.manifest:
        raise UserError(
            f"{folder}: mixes up theories called {min(clashing)}, as earlier versions did; build from graphs"
        )
    return theories


def _built_from_graphs(folder: Path) -> Benchmark:
    benchmark = Benchmark(folder)
    if benchmark.manifest.get("source") != "graphs":
        raise UserError(f"{folder}: was imported, or is half of another; give a benchmark that was built from graphs")
    if benchmark.manifest["rules"].get("version") != VERSION:
        raise UserError(f"{folder}: was built by rules of version 1; build from graphs, its splits cannot grow")
    return benchmark


def gather_benchmark(folder: Path, rules: Rules, scratch: Path, renaming: Renaming = NOTHING) -> Gathered:
    """Read a benchmark into a shard on disk, as if its graphs had been read and renamed like this."""
    benchmark = _built_from_graphs(folder)
    theirs = {name: benchmark.manifest["rules"].get(name) for name in asdict(rules)}
    if theirs != asdict(rules):
        raise UserError(f"{folder}: was built with other rules ({theirs}); build from graphs or use the same options")
    builder = ShardBuilder()
    builder.types.texts.extend(map(renaming.type, benchmark.types))
    texts = [renaming.text(text) for block in benchmark.propositions.blocks() for text in block.to_pylist()]
    numbers = [builder.proposition(text) for text in texts]
    if numbers != list(range(len(numbers))):
        raise UserError(f"{folder}: the same proposition is stored twice; build it again")
    for batch in benchmark.table(PROOFS).to_batches(max_chunksize=4096):
        for row in batch.to_pylist():
            builder.add_proof(*(renaming.name(value) if key == "locale" else value for key, value in row.items()))
    for name in benchmark.splits:
        for batch in benchmark.split(name).table().to_batches(max_chunksize=4096):
            for row in batch.to_pylist():
                identifier = row.pop("id")
                fields = [row.pop(f"f{number}") for number in range(1, 6)]
                row["name"] = renaming.name(row["name"])
                if builder.add(*fields, **row, split=name) != identifier and not renaming:
                    raise UserError(f"{folder}: example {identifier} in {name} does not match its id; build it again")
    shard = builder.finish()
    document = benchmark.signature_document()
    rows = _signature_rows(document, renaming)
    typist = _Deciders(texts, rows["constants"])
    facts = _facts(benchmark, typist, renaming)
    tables = (
        shard.propositions, shard.examples, shard.proofs, facts, _lemmas(benchmark, facts),
        _rules(benchmark, facts, typist),
    )  # fmt: skip
    scratch.mkdir(parents=True)
    for name, table in zip(TABLES, tables, strict=True):
        write_arrow(scratch / f"{name}.arrow", table)
    notation = {theory: renaming.document(rows) for theory, rows in benchmark.notation.items()}
    counts = benchmark.manifest["counts"]
    return Gathered(
        scratch,
        shard.types,
        list(typist.deciders),
        [_theory_row(theory, renaming) for theory in document["theories"]],
        rows,
        list(benchmark.manifest["isabelle"]),
        document["variable names"],
        notation,
        FrozenDecisions(
            {name: counts[name] for name in DROPPED if name in counts},
            benchmark.manifest["unseen entries"],
            benchmark.manifest.get("grown", False),
            benchmark.manifest.get("leaking lengths", [0] * (len(LENGTHS) + 1)),
        ),
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


def _facts(benchmark: Benchmark, typist: _Deciders, renaming: Renaming) -> pa.Table:
    facts = benchmark.facts
    names = facts["name"] if not renaming else pa.array([renaming.name(name) for name in facts["name"].to_pylist()])
    columns = {
        "theory": facts["theory"].dictionary_encode(),
        "name": names,
        "index": facts["index"],
        "proposition": facts["proposition"],
        "types": facts["types"],
        "deciders": pa.array(map(typist.of, facts["proposition"].to_pylist()), pa.list_(pa.int32())),
    }
    return _one_chunk(columns, FACT_SHARD_SCHEMA)


def _rules(benchmark: Benchmark, facts: pa.Table, typist: _Deciders) -> pa.Table:
    rules = benchmark.table(RULES)
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


def _lemmas(benchmark: Benchmark, facts: pa.Table) -> pa.Table:
    lemmas = benchmark.table(LEMMAS)
    names, indices = facts["name"].take(lemmas["fact"]), facts["index"].take(lemmas["fact"])
    return _one_chunk({"proposition": lemmas["proposition"], "name": names, "index": indices}, LEMMA_SHARD_SCHEMA)


def _one_chunk(columns: Mapping[str, Any], schema: pa.Schema) -> pa.Table:
    """One chunk a column, because types and what decides about them are walked side by side."""
    return pa.table(dict(columns)).cast(schema).unify_dictionaries().combine_chunks()
