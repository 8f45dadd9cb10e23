"""A finished benchmark as input of the next one: its examples and facts back in the form of a shard."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import zstandard

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
    return list(signature_document(benchmark)["theories"])


def gather_benchmark(folder: Path, rules: Rules, scratch: Path) -> Gathered:
    """Read a benchmark into a shard on disk, as if its graphs had been read."""
    benchmark = Benchmark(folder)
    theirs = {name: value for name, value in benchmark.manifest["rules"].items() if name != "scored"}
    if theirs != asdict(rules):
        raise UserError(f"{folder}: was built with other rules ({theirs}); build from graphs or use the same options")
    builder = ShardBuilder()
    builder.types.texts.extend(benchmark.types)
    numbers = [builder.proposition(text) for block in benchmark.propositions.blocks() for text in block.to_pylist()]
    if numbers != list(range(len(numbers))):
        raise UserError(f"{folder}: the same proposition is stored twice; build it again")
    for name in SPLITS:
        for batch in benchmark.split(name).table().to_batches(max_chunksize=4096):
            for row in batch.to_pylist():
                identifier = row.pop("id")
                fields = [row.pop(f"f{number}") for number in range(1, 6)]
                if builder.add(*fields, **row) != identifier:
                    raise UserError(f"{folder}: example {identifier} in {name} does not match its id; build it again")
    shard = builder.finish()
    scratch.mkdir(parents=True)
    write_table(scratch / "propositions.arrow", shard.propositions)
    write_table(scratch / "examples.arrow", shard.examples)
    document = signature_document(benchmark)
    rows = {
        "constants": {row[0]: row for row in document["constants"]},
        "types": {row[0]: row for row in document["types"]},
        "classes": {row[0]: row for row in document["classes"]},
        "arities": {f"{row[0]} {row[1]}": row for row in document["arities"]},
        "coercions": {row[0]: row for row in document["coercions"]},
    }
    facts, deciders = _facts(benchmark, rows["constants"])
    write_table(scratch / "facts.arrow", facts)
    return Gathered(
        scratch,
        shard.types,
        deciders,
        document["theories"],
        rows,
        list(benchmark.manifest["isabelle"]),
        document["variable names"],
        int(benchmark.manifest["counts"]["held out"]),
    )


def _facts(benchmark: Benchmark, known: Mapping[str, Any]) -> tuple[pa.Table, list[tuple[str, int]]]:
    """The fact base. Types were recorded for constants unknown then; a larger corpus may know them."""
    general = {name: parse_type(row[1]) for name, row in known.items()}
    facts = benchmark.facts
    deciders: dict[tuple[str, int], int] = {}
    deciding: list[list[int]] = []
    for number in facts["proposition"].to_pylist():
        slots: list[int] = []
        for node, arguments in occurrences(decode(benchmark.propositions[number])):
            if type(node) is not Const:
                slots.append(-1)
            elif node.name not in general:
                slots.append(deciders.setdefault((node.name, arguments), len(deciders)))
            elif not shows_its_type(general[node.name], arguments):
                slots.append(-1)
        deciding.append(slots)
    columns = [
        facts["theory"].dictionary_encode().cast(FACT_SHARD_SCHEMA.field("theory").type),
        facts["name"],
        facts["index"],
        facts["proposition"],
        facts["types"],
        pa.array(deciding, pa.list_(pa.int32())),
    ]
    # One chunk a column, because types and what decides about them are walked side by side.
    return pa.table(columns, schema=FACT_SHARD_SCHEMA).unify_dictionaries().combine_chunks(), list(deciders)
