"""A finished benchmark as input of the next one: its examples and facts back in the form of a shard."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import zstandard

from isarstep.bench.clashes import NOTHING, Ancestry, Renaming
from isarstep.bench.extract import Rules
from isarstep.bench.facts import occurrences, shows_its_type
from isarstep.bench.gather import FACT_SHARD_SCHEMA, Gathered, write_table
from isarstep.bench.layout import SIGNATURE, SPLITS
from isarstep.bench.shards import ShardBuilder
from isarstep.bench.store import Benchmark
from isarstep.errors import UserError
from isarstep.logic.terms import Const
from isarstep.logic.tokens import decode
from isarstep.logic.typestrings import parse_type


def signature_document(benchmark: Benchmark) -> dict[str, Any]:
    """The JSON document of a benchmark's signature, with the table of its theories."""
    if SIGNATURE not in benchmark.manifest["files"]:
        return {"theories": []}
    raw = benchmark.path(SIGNATURE).read_bytes()
    return dict(json.loads(zstandard.ZstdDecompressor().stream_reader(raw).read()))


def theories_of(folder: Path) -> list[dict[str, Any]]:
    """Name, session, hash, parents and counts of every theory that went into a benchmark."""
    benchmark = Benchmark(folder)
    if benchmark.manifest.get("source") != "graphs":
        raise UserError(f"{folder}: its splits came with a release; only benchmarks built from graphs can grow")
    theories = list(signature_document(benchmark)["theories"])
    clashing = Ancestry({theory["name"]: theory["parents"] for theory in theories}).clashing
    if clashing and "qualified" not in benchmark.manifest:
        raise UserError(
            f"{folder}: mixes up theories called {min(clashing)}, as earlier versions did; build from graphs"
        )
    return theories


def gather_benchmark(folder: Path, rules: Rules, scratch: Path, renaming: Renaming = NOTHING) -> Gathered:
    """Read a benchmark into a shard on disk, as if its graphs had been read and renamed like this."""
    benchmark = Benchmark(folder)
    theirs = {name: value for name, value in benchmark.manifest["rules"].items() if name != "scored"}
    if theirs != asdict(rules):
        raise UserError(f"{folder}: was built with other rules ({theirs}); build from graphs or use the same options")
    builder = ShardBuilder()
    builder.types.texts.extend(map(renaming.type, benchmark.types))
    texts = [renaming.text(text) for block in benchmark.propositions.blocks() for text in block.to_pylist()]
    numbers = [builder.proposition(text) for text in texts]
    if numbers != list(range(len(numbers))):
        raise UserError(f"{folder}: the same proposition is stored twice; build it again")
    for name in SPLITS:
        for batch in benchmark.split(name).table().to_batches(max_chunksize=4096):
            for row in batch.to_pylist():
                identifier = row.pop("id")
                fields = [row.pop(f"f{number}") for number in range(1, 6)]
                row["name"] = renaming.name(row["name"])
                if builder.add(*fields, **row) != identifier and not renaming:
                    raise UserError(f"{folder}: example {identifier} in {name} does not match its id; build it again")
    shard = builder.finish()
    scratch.mkdir(parents=True)
    write_table(scratch / "propositions.arrow", shard.propositions)
    write_table(scratch / "examples.arrow", shard.examples)
    document = signature_document(benchmark)
    rows = _signature_rows(document, renaming)
    facts, deciders = _facts(benchmark, texts, rows["constants"], renaming)
    write_table(scratch / "facts.arrow", facts)
    return Gathered(
        scratch,
        shard.types,
        deciders,
        [_theory_row(theory, renaming) for theory in document["theories"]],
        rows,
        list(benchmark.manifest["isabelle"]),
        document["variable names"],
        int(benchmark.manifest["counts"]["held out"]),
    )


def _theory_row(theory: dict[str, Any], renaming: Renaming) -> dict[str, Any]:
    """What the theory declares under its new names; a benchmark of an earlier version does not say it."""
    if not renaming or "constants" not in theory:
        return theory
    constants = {renaming.name(name): proof for name, proof in theory["constants"].items()}
    arities = [" ".join(map(renaming.name, arity.split())) for arity in theory["arities"]]
    return {**theory, "constants": dict(sorted(constants.items())), "arities": sorted(arities)}


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


def _facts(
    benchmark: Benchmark, texts: Sequence[str], known: Mapping[str, Any], renaming: Renaming
) -> tuple[pa.Table, list[tuple[str, int]]]:
    """The fact base. Types were recorded for constants unknown then; a larger corpus may know them."""
    general = {name: parse_type(row[1]) for name, row in known.items()}
    facts = benchmark.facts
    deciders: dict[tuple[str, int], int] = {}
    deciding: list[list[int]] = []
    for number in facts["proposition"].to_pylist():
        slots: list[int] = []
        for node, arguments in occurrences(decode(texts[number])):
            if type(node) is not Const:
                slots.append(-1)
            elif node.name not in general:
                slots.append(deciders.setdefault((node.name, arguments), len(deciders)))
            elif not shows_its_type(general[node.name], arguments):
                slots.append(-1)
        deciding.append(slots)
    columns = [
        facts["theory"].dictionary_encode().cast(FACT_SHARD_SCHEMA.field("theory").type),
        facts["name"] if not renaming else pa.array([renaming.name(name) for name in facts["name"].to_pylist()]),
        facts["index"],
        facts["proposition"],
        facts["types"],
        pa.array(deciding, pa.list_(pa.int32())),
    ]
    # One chunk a column, because types and what decides about them are walked side by side.
    return pa.table(columns, schema=FACT_SHARD_SCHEMA).unify_dictionaries().combine_chunks(), list(deciders)
