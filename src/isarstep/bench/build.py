"""Graphs and finished benchmarks in, one benchmark out: exactly what all graphs at once would have given.

A finished benchmark can stand for its graphs because the rules are monotone (see rules) and because it keeps, beside
its examples, how often each was found, the counts of every theory, and the fact base and signature.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from isarstep.bench import grow
from isarstep.bench.clashes import NOTHING, Ancestry, Renaming, renaming_of_benchmark
from isarstep.bench.extract import Rules
from isarstep.bench.facts import shows_its_type, theory_order
from isarstep.bench.gather import Gathered, gather_graphs, graph_files, read_header, read_table
from isarstep.bench.layout import EXAMPLE_SCHEMA, FACT_SCHEMA, MANIFEST, workspace
from isarstep.bench.rules import SCORED, Column, Columns, band_of, decide
from isarstep.bench.write import FIELDS, Content, write_benchmark
from isarstep.errors import UserError
from isarstep.logic.signature import PURE
from isarstep.logic.typestrings import format_type, parse_type

Progress = Callable[[int, int], None]  # theories done, theories in all


@dataclass(frozen=True)
class Inputs:
    """Graph files that are not yet part of one of the benchmarks, and the benchmarks; what is to be renamed in each."""

    graphs: dict[Path, Renaming]
    benchmarks: dict[Path, Renaming]


def sort_inputs(paths: Sequence[Path]) -> Inputs:
    """Tell benchmarks from graphs; leave out graphs of theories that a benchmark already contains."""
    benchmarks = [path for path in paths if (path / MANIFEST).is_file()]
    graphs = graph_files([path for path in paths if path not in benchmarks])
    contained: dict[str, tuple[str, Path]] = {}
    parents: dict[str, list[str]] = {}
    earlier: dict[Path, Ancestry] = {}
    for path in benchmarks:
        theories = grow.theories_of(path)
        earlier[path] = Ancestry({theory["name"]: theory["parents"] for theory in theories})
        for theory in theories:
            parents[theory["name"]] = theory["parents"]
            if theory["name"] in contained:
                other = contained[theory["name"]][1]
                raise UserError(f"{path} and {other} both contain the theory {theory['name']}; build from graphs")
            contained[theory["name"]] = (theory["hash"], path)
    fresh: dict[Path, str] = {}
    seen: dict[str, Path] = {}
    for path in graphs:
        header = read_header(path)
        name = header["theory"]
        if name in seen:
            raise UserError(f"{path} and {seen[name]} are both graphs of the theory {name}; give one of them")
        seen[name] = path
        if name not in contained:
            fresh[path] = name
            parents[name] = header["parents"]
        elif contained[name][0] != header["hash"]:
            where = contained[name][1]
            raise UserError(f"{path}: theory {name} has changed since {where} was built; build from graphs alone")
    ancestry = Ancestry(parents)
    renamings = ancestry.renamings()
    return Inputs(
        {path: renamings.get(name, NOTHING) for path, name in fresh.items()},
        {path: renaming_of_benchmark(path, before, ancestry) for path, before in earlier.items()},
    )


def build(
    paths: Sequence[Path],
    out: Path,
    rules: Rules | None = None,
    *,
    scored: int = SCORED,
    level: int = 6,
    workers: int = 2,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Build a benchmark folder and return its manifest."""
    rules = rules or Rules()
    inputs = sort_inputs(paths)
    if not inputs.graphs and not inputs.benchmarks:
        raise UserError("nothing to build from; give graph files, folders of them, or benchmarks")
    with workspace(out) as scratch:
        parts = [
            grow.gather_benchmark(path, rules, scratch / f"benchmark{number}", renaming)
            for number, (path, renaming) in enumerate(inputs.benchmarks.items())
        ]
        for number, part in enumerate(gather_graphs(inputs.graphs, rules, scratch, workers)):
            parts.append(part)
            if progress:
                progress(number + 1, len(inputs.graphs))
        content = merge(parts, rules, scored)
        return write_benchmark(out, content, level=level)


def merge(parts: Sequence[Gathered], rules: Rules, scored: int) -> Content:
    """One benchmark's content from all shards. The order of the shards does not matter."""
    parts = sorted(parts, key=lambda part: part.theories[0]["name"] if part.theories else "")
    theories = {theory["name"]: theory for part in parts for theory in part.theories}
    signature = merge_signatures([part.signature for part in parts])
    propositions, numbers = _merge_propositions(parts)
    types, type_numbers = _merge_types(parts)
    examples = _merge_examples(parts, numbers, type_numbers)
    facts = _merge_facts(parts, numbers, type_numbers, signature, theories)
    decision = decide(_columns(examples), scored)
    copies = pa.array(decision.copies.astype(np.int32))
    examples = examples.set_column(examples.schema.get_field_index("copies"), "copies", copies)
    splits = {
        name: examples.take(pa.array(rows)).select(EXAMPLE_SCHEMA.names) for name, rows in decision.splits.items()
    }
    counts: Counter[str] = Counter()
    for theory in theories.values():
        counts.update(theory["counts"])
    earlier = sum(part.held_out for part in parts)
    order = theory_order({name: theory["parents"] for name, theory in theories.items()})
    manifest: dict[str, Any] = {
        "source": "graphs",
        "isabelle": sorted({version for part in parts for version in part.isabelle}),
        "sessions": _sessions(theories, splits),
        "theories": len(theories),
        "qualified": Ancestry({name: theory["parents"] for name, theory in theories.items()}).qualified,
        "rules": {**asdict(rules), "scored": scored},
        "counts": {
            "proofs": counts["proofs"],
            "incomplete proofs": counts["incomplete proofs"],
            "raw": counts["raw"],
            "too long": counts["too long"],
            "restated": counts["restated"],
            "held out": decision.held_out + earlier,
            "duplicates": decision.duplicates,
        },
    }
    names = sorted({name for part in parts for name in part.variable_names})
    manifest["variable names"] = len(names)
    document = {**signature, "variable names": names, "theories": [theories[name] for name in order]}
    return Content(splits, propositions, types, facts, document, manifest)


def _sessions(theories: Mapping[str, Mapping[str, Any]], splits: Mapping[str, pa.Table]) -> dict[str, Any]:
    rows: dict[str, dict[str, int]] = {}
    for theory in theories.values():
        row = rows.setdefault(theory["session"], {"theories": 0, "theorems": 0, "train": 0})
        row["theories"] += 1
        row["theorems"] += theory["theorems"]
    for count in pc.value_counts(splits["train"]["session"].cast(pa.string())).to_pylist():
        rows.setdefault(count["values"], {"theories": 0, "theorems": 0, "train": 0})["train"] = count["counts"]
    return dict(sorted(rows.items()))


def merge_signatures(signatures: Sequence[Mapping[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """The union with Pure's constants, in alphabetical order, as `Signature.from_json` reads it."""
    document: dict[str, Any] = {"format": 1}
    for part in ("constants", "types", "classes", "arities", "coercions"):
        rows: dict[str, Any] = {}
        for key, row in (item for signature in signatures for item in signature.get(part, {}).items()):
            if part == "classes" and key in rows:
                row = [key, sorted({*rows[key][1], *row[1]})]  # a class is listed again when it gets super-classes
            rows[key] = row
        if part == "constants":
            rows.update({constant.name: [constant.name, format_type(constant.type)] for constant in PURE})
        document[part] = [rows[key] for key in sorted(rows)]
    return document


def _merge_propositions(parts: Sequence[Gathered]) -> tuple[pa.ChunkedArray, list[Column]]:
    """Each text once, and for every shard the new numbers of its propositions."""
    tables = [read_table(part.folder / "propositions.arrow") for part in parts]
    digests = [_halves(table["digest"]) for table in tables]
    high = np.concatenate([pair[0] for pair in digests])
    low = np.concatenate([pair[1] for pair in digests])
    _, first, number = np.unique(high, return_index=True, return_inverse=True)
    if not np.array_equal(low[first][number], low):
        raise UserError("two propositions share the first half of their digest; report this as a bug")
    starts = np.cumsum([0, *(table.num_rows for table in tables)])
    # Numbers in the order of the kept texts, which are taken shard by shard.
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first))
    number = rank[number].astype(np.int32)
    chosen = np.zeros(len(high), bool)
    chosen[first] = True
    chunks: list[pa.Array] = []
    for table, start in zip(tables, starts, strict=False):
        mask = pa.array(chosen[start : start + table.num_rows])
        chunks.extend(table["tokens"].filter(mask).chunks)
    texts = pa.concat_arrays(chunks) if chunks else pa.array([], pa.large_string())
    return pa.chunked_array([texts]), [
        number[start : start + table.num_rows] for table, start in zip(tables, starts, strict=False)
    ]


def _halves(column: pa.ChunkedArray) -> tuple[Column, Column]:
    """A column of 16 bytes as two columns of unsigned numbers."""
    raw = b"".join(
        bytes(chunk.buffers()[1])[16 * chunk.offset : 16 * (chunk.offset + len(chunk))] for chunk in column.chunks
    )
    pairs = np.frombuffer(raw, ">u8").astype(np.uint64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _merge_types(parts: Sequence[Gathered]) -> tuple[list[str], list[Column]]:
    known: dict[str, int] = {}
    numbers = [np.array([known.setdefault(t, len(known)) for t in part.types], np.int32) for part in parts]
    return list(known), numbers


def _merge_examples(parts: Sequence[Gathered], numbers: Sequence[Column], type_numbers: Sequence[Column]) -> pa.Table:
    """All examples in canonical order: by session, theory, proof, steps and id."""
    tables = []
    for part, new, new_types in zip(parts, numbers, type_numbers, strict=True):
        table = read_table(part.folder / "examples.arrow")
        for name in (*FIELDS, "types"):
            column = _remapped(table[name], new_types if name == "types" else new)
            table = table.set_column(table.schema.get_field_index(name), name, column)
        tables.append(table)
    table = pa.concat_tables(tables).unify_dictionaries().combine_chunks()
    if not table.num_rows:
        return table
    keys = [_ranks(table["session"]), _ranks(table["theory"])]
    keys += [table[name].to_numpy() for name in ("proof", "target_step", "consequence_step")]
    keys.append(_identifiers(table["id"]))
    return table.take(pa.array(np.lexsort(keys[::-1])))


def _remapped(column: pa.ChunkedArray, new: Column) -> pa.ChunkedArray:
    chunks = []
    for chunk in column.chunks:
        if pa.types.is_list(chunk.type):
            values = chunk.flatten().to_numpy()
            lengths = np.diff(chunk.offsets.to_numpy())
            offsets = np.concatenate([np.zeros(1, np.int32), np.cumsum(lengths, dtype=np.int32)])
            chunks.append(pa.ListArray.from_arrays(pa.array(offsets), pa.array(new[values])))
        else:
            chunks.append(pa.array(new).take(chunk))
    return pa.chunked_array(chunks, column.type)


def _ranks(column: pa.ChunkedArray) -> Column:
    """Alphabetical ranks of a dictionary column's values."""
    array = _one(column)
    words = array.dictionary.to_pylist()
    rank = np.empty(len(words), np.int64)
    rank[sorted(range(len(words)), key=words.__getitem__)] = np.arange(len(words))
    return np.asarray(rank[array.indices.to_numpy()])


def _one(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _identifiers(column: pa.ChunkedArray) -> Column:
    """Ids (12 hex digits) as numbers."""
    digits = np.frombuffer("".join(column.to_pylist()).encode(), np.uint8).reshape(-1, 12).astype(np.uint64)
    values = np.where(digits >= 97, digits - 87, digits - 48)
    return np.asarray((values << (4 * np.arange(11, -1, -1, dtype=np.uint64))).sum(axis=1, dtype=np.uint64))


def _columns(examples: pa.Table) -> Columns:
    if not examples.num_rows:
        empty = np.zeros(0, np.uint64)
        return Columns(empty, empty, empty, empty, empty, empty)
    theorem = _one(examples["theorem"])
    bands = np.array([band_of(identity) for identity in theorem.dictionary.to_pylist()], np.int8)
    return Columns(
        bands[theorem.indices.to_numpy()],
        _identifiers(examples["id"]),
        _halves(examples["key"])[0],
        _halves(examples["renamed"])[0],
        examples["f1"].to_numpy(),
        examples["copies"].to_numpy(),
    )


def _merge_facts(
    parts: Sequence[Gathered],
    numbers: Sequence[Column],
    type_numbers: Sequence[Column],
    signature: Mapping[str, Any],
    theories: Mapping[str, Mapping[str, Any]],
) -> pa.Table:
    """The fact base in the order of theories, without the types that the signature makes superfluous."""
    general = {row[0]: row[1] for row in signature["constants"]}
    undetermined = cache(partial(_undetermined, general))  # most shards ask about the same constants
    tables = []
    for part, new, new_types in zip(parts, numbers, type_numbers, strict=True):
        table = read_table(part.folder / "facts.arrow")
        # -1 (recorded always) takes the last place.
        needed = np.array([undetermined(*decider) for decider in part.deciders] + [True])
        columns = {
            "theory": table["theory"].cast(pa.string()),
            "name": table["name"],
            "index": table["index"],
            "proposition": _remapped(table["proposition"], new),
            "types": _filtered(_remapped(table["types"], new_types), table["deciders"], needed),
        }
        tables.append(pa.table(columns, schema=FACT_SCHEMA))
    table = pa.concat_tables(tables).combine_chunks()
    if not table.num_rows:
        return table
    place = {name: n for n, name in enumerate(theory_order({n: t["parents"] for n, t in theories.items()}))}
    encoded = _one(table["theory"]).dictionary_encode()
    ranks = np.array([place[name] for name in encoded.dictionary.to_pylist()])[encoded.indices.to_numpy()]
    return table.take(pa.array(np.argsort(ranks, kind="stable")))


def _undetermined(general: Mapping[str, str], name: str, arguments: int) -> bool:
    return name not in general or not shows_its_type(parse_type(general[name]), arguments)


def _filtered(types: pa.ChunkedArray, deciders: pa.ChunkedArray, needed: Column) -> pa.ChunkedArray:
    """The lists of types without those whose decider says that they are not needed."""
    chunks = []
    for values, deciding in zip(types.chunks, deciders.chunks, strict=True):
        keep = needed[deciding.flatten().to_numpy()]
        before = np.concatenate([np.zeros(1, np.int32), np.cumsum(keep, dtype=np.int32)])
        offsets = before[values.offsets.to_numpy()]
        chunks.append(pa.ListArray.from_arrays(pa.array(offsets), pa.array(values.flatten().to_numpy()[keep])))
    return pa.chunked_array(chunks, pa.list_(pa.int32()))
