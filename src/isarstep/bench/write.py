"""Writes a benchmark folder: propositions numbered by first use, Parquet files, vocabulary, manifest.

Everything is a function of the examples and facts alone, so building twice gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import zstandard

from isarstep.bench.canary import PARQUET_MARK, marked
from isarstep.bench.layout import (
    EXAMPLE_SCHEMA,
    FACT_SCHEMA,
    FACTS,
    PROPOSITIONS,
    SIGNATURE,
    SPLITS,
    TYPES,
    VOCABULARY,
    replacing,
    write_manifest,
)
from isarstep.bench.specials import SPECIALS

PROPOSITION_ROWS = 32_768  # in one row group: what a reader must unpack to see its first proposition
EXAMPLE_ROWS = 32_768
FIELDS = ("f1", "f2", "f3", "f4", "f5")


@dataclass(frozen=True)
class Content:
    """What goes into a benchmark; numbers of propositions and types refer to `propositions` and `types`."""

    splits: Mapping[str, pa.Table]  # EXAMPLE_SCHEMA, in the order in which they are to stand
    propositions: pa.ChunkedArray  # large_string
    types: list[str] = field(default_factory=list)
    facts: pa.Table | None = None  # FACT_SCHEMA
    signature: Mapping[str, Any] | None = None
    manifest: Mapping[str, Any] = field(default_factory=dict)


def write_benchmark(folder: Path, content: Content, *, level: int = 6) -> dict[str, Any]:
    """Write (or replace) the folder and return its manifest's content."""
    with replacing(folder) as fresh:
        splits = {name: content.splits.get(name, EXAMPLE_SCHEMA.empty_table()) for name in SPLITS}
        facts = content.facts
        order, number = _by_first_use(splits, facts, len(content.propositions))
        type_order, type_number = _types_by_first_use(splits, facts, len(content.types))
        uses = np.zeros(len(order), np.int64)
        for name, table in splits.items():
            table = _renumber(table, EXAMPLE_SCHEMA, number, type_number)
            if name == "train":
                for column in FIELDS:
                    uses += np.bincount(_flat(table[column]), minlength=len(order))
            _write_table(fresh / f"{name}.parquet", table, EXAMPLE_ROWS, level)
        if facts is not None:
            _write_table(fresh / FACTS, _renumber(facts, FACT_SCHEMA, number, type_number), 1 << 20, level)
        types = pa.table({"type": pa.array([content.types[n] for n in type_order], pa.string())})
        _write_table(fresh / TYPES, types, 1 << 20, level)
        counts = _write_propositions(fresh / PROPOSITIONS, content.propositions, order, uses, level)
        tokens = sorted(counts, key=lambda token: (-counts[token], token))
        _write_json(
            fresh / VOCABULARY,
            {"tokens": [*SPECIALS, *tokens], "counts": [0] * len(SPECIALS) + [counts[token] for token in tokens]},
        )
        if content.signature is not None:
            raw = json.dumps(marked(content.signature), ensure_ascii=False, separators=(",", ":")).encode()
            (fresh / SIGNATURE).write_bytes(zstandard.ZstdCompressor(level=max(level, 9)).compress(raw))
        manifest = {
            "hash": content_hash(splits),
            "examples": {name: table.num_rows for name, table in splits.items()},
            "propositions": len(order),
            "vocabulary": len(SPECIALS) + len(tokens),
            "facts": 0 if facts is None else facts.num_rows,
            **content.manifest,
        }
        write_manifest(fresh, marked(manifest))
    return manifest


def content_hash(splits: Mapping[str, pa.Table]) -> str:
    """SHA-256 over the ids of all examples by split: what a score refers to, whatever the compression."""
    digest = hashlib.sha256()
    for name in SPLITS:
        digest.update(name.encode() + b"\n")
        for chunk in splits[name]["id"].chunks:
            digest.update("\n".join(chunk.to_pylist()).encode() + b"\n")
    return digest.hexdigest()


def _flat(column: pa.ChunkedArray) -> np.ndarray[Any, np.dtype[np.int32]]:
    """All numbers of a column, nulls left out."""
    if pa.types.is_list(column.type):
        column = pc.list_flatten(column)
    return column.drop_null().to_numpy()  # type: ignore[no-any-return]


def _by_first_use(
    splits: Mapping[str, pa.Table], facts: pa.Table | None, count: int
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Old numbers in the new order, and the new number of each old one. What nobody uses is left out.

    Propositions of neighbours lie together: this is what makes the files small and the first example quick to read.
    """
    pieces: list[np.ndarray[Any, Any]] = []
    for table in splits.values():
        for start in range(0, table.num_rows, 64):
            block = table.slice(start, 64)
            pieces.extend(_flat(block[column]) for column in FIELDS)
    if facts is not None:
        pieces.append(_flat(facts["proposition"]))
    return _order(pieces, count)


def _types_by_first_use(
    splits: Mapping[str, pa.Table], facts: pa.Table | None, count: int
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    pieces = [_flat(table["types"]) for table in splits.values()]
    if facts is not None:
        pieces.append(_flat(facts["types"]))
    return _order(pieces, count)


def _order(pieces: list[np.ndarray[Any, Any]], count: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    used = np.concatenate(pieces) if pieces else np.zeros(0, np.int32)
    first = np.full(count, len(used), np.int64)
    # Written back to front, the last write to a place is its first use.
    first[used[::-1]] = np.arange(len(used) - 1, -1, -1)
    order = np.argsort(first, kind="stable")[: int((first < len(used)).sum())]
    number = np.full(count, -1, np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return order, number


def _renumber(
    table: pa.Table, schema: pa.Schema, number: np.ndarray[Any, Any], type_number: np.ndarray[Any, Any]
) -> pa.Table:
    columns = []
    for wanted in schema:
        column = table[wanted.name].combine_chunks()
        if wanted.name in FIELDS or wanted.name == "proposition":
            column = _mapped(column, number)
        elif wanted.name == "types":
            column = _mapped(column, type_number)
        columns.append(column.cast(wanted.type))
    return pa.table(columns, schema=schema)


def _mapped(column: pa.Array, number: np.ndarray[Any, Any]) -> pa.Array:
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks() if column.num_chunks else pa.array([], column.type)
    if pa.types.is_list(column.type):
        offsets = column.offsets.to_numpy()
        values = column.values.to_numpy()[offsets[0] : offsets[-1]]
        return pa.ListArray.from_arrays(pa.array(offsets - offsets[0]), pa.array(number[values]))
    return pa.array(number).take(column)


def _write_table(path: Path, table: pa.Table, rows: int, level: int) -> None:
    # Ids do not repeat and lists of numbers hardly: a dictionary would only be in the way of the compression.
    plain = {"id", *FIELDS, "types", "proposition", "type"}
    dictionary = [name for name in table.schema.names if name not in plain]
    writer = pq.ParquetWriter(
        path, table.schema, compression="zstd", compression_level=level, use_dictionary=dictionary,
        write_statistics=False, store_schema=False, data_page_size=1 << 24,
    )  # fmt: skip
    with writer:
        writer.add_key_value_metadata(PARQUET_MARK)
        writer.write_table(table, row_group_size=rows)


def _write_propositions(
    path: Path, texts: pa.ChunkedArray, order: np.ndarray[Any, Any], uses: np.ndarray[Any, Any], level: int
) -> dict[str, int]:
    """Write the texts in order; count each token as often as training examples show it."""
    counts: dict[str, int] = {}
    schema = pa.schema([("tokens", pa.large_string())])
    writer = pq.ParquetWriter(
        path, schema, compression="zstd", compression_level=level, use_dictionary=False, write_statistics=False,
        store_schema=False, data_page_size=1 << 26,
    )  # fmt: skip
    with writer:
        writer.add_key_value_metadata(PARQUET_MARK)
        for start in range(0, len(order), PROPOSITION_ROWS):
            chosen = order[start : start + PROPOSITION_ROWS]
            block = texts.take(pa.array(chosen)).combine_chunks()
            if isinstance(block, pa.ChunkedArray):
                block = pa.concat_arrays(block.chunks)
            writer.write_table(pa.table([block], schema=schema), row_group_size=PROPOSITION_ROWS)
            split = pc.split_pattern(block, " ")
            lengths = np.diff(split.offsets.to_numpy())
            encoded = split.flatten().dictionary_encode()
            weights = np.repeat(uses[start : start + PROPOSITION_ROWS], lengths)
            found = np.bincount(encoded.indices.to_numpy(), weights=weights, minlength=len(encoded.dictionary))
            for token, count in zip(encoded.dictionary.to_pylist(), found.tolist(), strict=True):
                if count:
                    counts[token] = counts.get(token, 0) + int(count)
    return counts


def _write_json(path: Path, document: Any) -> None:
    path.write_text(json.dumps(marked(document), ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
