"""Writes a benchmark folder: propositions numbered by first use, Parquet files, vocabulary, manifest.

Everything is a function of the examples and facts alone, so building twice gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import zstandard

from isarstep.benchmark.store.canary import PARQUET_MARK, marked
from isarstep.benchmark.store.identity import ColumnDigest, columns_digest, table_digest
from isarstep.benchmark.store.layout import (
    LEMMAS,
    NOTATION,
    PROOFS,
    PROPOSITIONS,
    RULES,
    SIGNATURE,
    SPLITS,
    TYPES,
    USUAL,
    VERSION,
    VOCABULARY,
    replacing,
    write_manifest,
)
from isarstep.benchmark.store.schemas import EXAMPLE_SCHEMA, FACT_SCHEMA, LEMMA_SCHEMA, PROOF_SCHEMA, RULE_SCHEMA
from isarstep.benchmark.store.special_tokens import SPECIALS
from isarstep.isabelle.context.columns import first_places, one_array, with_column
from isarstep.isabelle.context.fact_table import FACTS

Column: TypeAlias = np.ndarray[Any, np.dtype[Any]]

GROUP = 32_768  # rows of a group: what a reader must unpack to see its first example or proposition
EXAMPLES_IN_A_FILE = 8 * GROUP  # about 6 MB
PROPOSITIONS_IN_A_FILE = 16 * GROUP  # about 9 MB
FIELDS = ("f1", "f2", "f3", "f4", "f5")
SETTING = ("statement", "facts")
# Columns that hold numbers of propositions.
_PROPOSITIONS = {*FIELDS, *SETTING, "proposition"}


@dataclass(frozen=True, eq=False)
class Content:
    """What goes into a benchmark; numbers of propositions, types and proofs refer to `propositions`, `types` and
    `proofs`. Proofs, propositions and types that nobody needs are left out when it is written."""

    splits: Mapping[str, pa.Table]  # EXAMPLE_SCHEMA, in the order in which they are to stand
    propositions: pa.ChunkedArray  # large_string
    types: list[str] = field(default_factory=list)
    proofs: pa.Table | None = None
    facts: pa.Table | None = None
    lemmas: pa.Table | None = None
    rules: pa.Table | None = None
    signature: Mapping[str, Any] | None = None
    notation: Mapping[str, Any] | None = None
    manifest: dict[str, Any] = field(default_factory=dict)

    def tables(self) -> dict[str, tuple[pa.Table, pa.Schema]]:
        """All but the splits."""
        known = {
            PROOFS: (self.proofs, PROOF_SCHEMA),
            FACTS: (self.facts, FACT_SCHEMA),
            LEMMAS: (self.lemmas, LEMMA_SCHEMA),
            RULES: (self.rules, RULE_SCHEMA),
        }
        return {name: (table, schema) for name, (table, schema) in known.items() if table is not None}


def write_benchmark(folder: Path, content: Content, *, level: int = 6) -> dict[str, Any]:
    """Write (or replace) the folder and return its manifest's content."""
    with replacing(folder) as fresh, ThreadPoolExecutor(1) as second_thread:
        content = _with_needed_proofs(content)
        known = {name: EXAMPLE_SCHEMA.empty_table() for name in USUAL} | dict(content.splits)
        splits = {name: known[name] for name in SPLITS if name in known}
        tables = content.tables()
        order, number = _by_first_use(splits, tables, len(content.propositions))
        typed = [*splits.values(), *(table for table, schema in tables.values() if "types" in schema.names)]
        type_order, type_number = _order([_flat(table["types"]) for table in typed], len(content.types))
        contents: dict[str, str] = {}
        used = np.concatenate([number[_flat(splits["train"][column])] for column in FIELDS])
        uses = np.bincount(used, minlength=len(order))
        # Mostly Arrow's work, which a second core can do beside the rest.
        texts = second_thread.submit(_write_propositions, fresh, content.propositions, order, uses, level)
        for name, table in splits.items():
            table = _renumber(table, EXAMPLE_SCHEMA, number, type_number)
            contents[name] = table_digest(table)
            for file, start in _files(fresh / name, table.num_rows, EXAMPLES_IN_A_FILE):
                write_table(file, table.slice(start, EXAMPLES_IN_A_FILE), GROUP, level)
        for name, (table, schema) in tables.items():
            table = _renumber(table, schema, number, type_number)
            if name == LEMMAS:
                table = table.filter(pc.greater_equal(table["proposition"], 0)).sort_by(
                    [("proposition", "ascending"), ("fact", "ascending")]
                )
            contents[name] = table_digest(table)
            write_table(fresh / f"{name}.parquet", table, GROUP if name == PROOFS else 1 << 20, level)
        types = pa.table({"type": pa.array([content.types[n] for n in type_order], pa.string())})
        contents[TYPES] = table_digest(types)
        write_table(fresh / f"{TYPES}.parquet", types, 1 << 20, level)
        counts, contents[PROPOSITIONS] = texts.result()
        tokens = sorted(counts, key=lambda token: (-counts[token], token))
        vocabulary = {
            "tokens": [*SPECIALS, *tokens],
            "counts": [0] * len(SPECIALS) + [counts[token] for token in tokens],
        }
        for name, document in ((VOCABULARY, vocabulary), (SIGNATURE, content.signature), (NOTATION, content.notation)):
            if document is not None:
                contents[name.partition(".")[0]] = _write_document(fresh / name, document, level)
        manifest = {
            "version": VERSION,
            "contents": contents,
            "examples": {name: table.num_rows for name, table in splits.items()},
            "propositions": len(order),
            "vocabulary": len(SPECIALS) + len(tokens),
            "facts": 0 if content.facts is None else content.facts.num_rows,
            **content.manifest,
        }
        return write_manifest(fresh, marked(manifest))


def _with_needed_proofs(content: Content) -> Content:
    """Without the proofs that no example is from."""
    if content.proofs is None:
        return content
    pieces = [_flat(content.splits[name]["proof_row"]) for name in SPLITS if name in content.splits]
    order, number = _order(pieces, content.proofs.num_rows)

    def renumbered(table: pa.Table) -> pa.Table:
        column = pa.chunked_array([renumbered_column(table["proof_row"], number)], pa.int32())
        return with_column(table, "proof_row", column)

    return replace(
        content,
        proofs=content.proofs.take(pa.array(order)),
        splits={name: renumbered(table) for name, table in content.splits.items()},
    )


def _files(path: Path, rows: int, most: int) -> Iterator[tuple[Path, int]]:
    """The files of a table, as many as it needs with so many rows each, and the row with which each begins."""
    starts = range(0, max(rows, 1), most)
    for number, start in enumerate(starts):
        yield path.with_name(f"{path.name}-{number:02d}.parquet" if len(starts) > 1 else f"{path.name}.parquet"), start


def _flat(column: pa.ChunkedArray) -> Column:
    """All numbers of a column, nulls left out."""
    if pa.types.is_list(column.type):
        column = pc.list_flatten(column)
    return column.drop_null().to_numpy()  # type: ignore[no-any-return]


def _by_first_use(
    splits: Mapping[str, pa.Table], tables: Mapping[str, tuple[pa.Table, pa.Schema]], count: int
) -> tuple[Column, Column]:
    """Old numbers in the new order, and the new number of each old one. What nobody uses is left out.

    Propositions of neighbours lie together: this is what makes the files small and the first example quick to read.
    Those of lemmas are in examples or are not needed.
    """
    pieces: list[Column] = []
    for table in splits.values():
        for start in range(0, table.num_rows, 64):
            block = table.slice(start, 64)
            pieces.extend(_flat(block[column]) for column in FIELDS)
    for name, (table, schema) in tables.items():
        if name != LEMMAS:
            pieces.extend(_flat(table[column]) for column in schema.names if column in _PROPOSITIONS)
    return _order(pieces, count)


def _order(pieces: list[Column], count: int) -> tuple[Column, Column]:
    used = np.concatenate(pieces).astype(np.int64) if pieces else np.zeros(0, np.int64)
    first = first_places(used, count)
    order = np.argsort(first, kind="stable")[: int((first < len(used)).sum())]
    number = np.full(count, -1, np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return order, number


def _renumber(table: pa.Table, schema: pa.Schema, number: Column, type_number: Column) -> pa.Table:
    columns = []
    for wanted in schema:
        column = table[wanted.name].combine_chunks()
        if wanted.name in _PROPOSITIONS:
            column = renumbered_column(column, number)
        elif wanted.name == "types":
            column = renumbered_column(column, type_number)
        columns.append(one_array(column).cast(wanted.type))
    return pa.table(columns, schema=schema)


def renumbered_column(column: pa.Array | pa.ChunkedArray, number: Column) -> pa.Array:
    """New numbers for a column of numbers or of lists of them; null stays null."""
    column = one_array(column)
    if pa.types.is_list(column.type):
        offsets = column.offsets.to_numpy()
        values = column.values.to_numpy()[offsets[0] : offsets[-1]]
        return pa.ListArray.from_arrays(pa.array(offsets - offsets[0]), pa.array(number[values]))
    return pa.array(number).take(column)


def write_table(path: Path, table: pa.Table, rows: int, level: int) -> None:
    # Only texts that repeat gain by a dictionary; numbers that mostly rise are written as differences.
    texts = [f.name for f in table.schema if pa.types.is_string(f.type) and f.name not in ("id", "type")]
    rising = {name: "DELTA_BINARY_PACKED" for name in ("proof_row", "proposition") if name in table.schema.names}
    writer = pq.ParquetWriter(
        path, table.schema, compression="zstd", compression_level=level, use_dictionary=texts,
        column_encoding=rising or None, write_statistics=False, store_schema=False, data_page_size=1 << 24,
    )  # fmt: skip
    with writer:
        writer.add_key_value_metadata(PARQUET_MARK)
        writer.write_table(table, row_group_size=rows)


def _write_propositions(
    folder: Path, texts: pa.ChunkedArray, order: Column, uses: Column, level: int
) -> tuple[dict[str, int], str]:
    """Write the texts in order; count each token as often as training examples show it. Also the table's digest."""
    counts: dict[str, int] = {}
    digest = ColumnDigest()
    schema = pa.schema([("tokens", pa.large_string())])
    for path, first in _files(folder / PROPOSITIONS, len(order), PROPOSITIONS_IN_A_FILE):
        writer = pq.ParquetWriter(
            path, schema, compression="zstd", compression_level=level, use_dictionary=False,
            write_statistics=False, store_schema=False, data_page_size=1 << 26,
        )  # fmt: skip
        with writer:
            writer.add_key_value_metadata(PARQUET_MARK)
            for start in range(first, min(first + PROPOSITIONS_IN_A_FILE, len(order)), GROUP):
                block = texts.take(pa.array(order[start : start + GROUP]))
                block = pa.concat_arrays(block.chunks)
                writer.write_table(pa.table([block], schema=schema), row_group_size=GROUP)
                digest.update(block)
                _count_tokens(block, uses[start : start + GROUP], counts)
    return counts, columns_digest({"tokens": digest})


def _count_tokens(block: pa.Array, uses: Column, counts: dict[str, int]) -> None:
    split = pc.split_pattern(block, " ")
    lengths = np.diff(split.offsets.to_numpy())
    encoded = split.flatten().dictionary_encode()
    weights = np.repeat(uses, lengths)
    found = np.bincount(encoded.indices.to_numpy(), weights=weights, minlength=len(encoded.dictionary))
    for token, count in zip(encoded.dictionary.to_pylist(), found.tolist(), strict=True):
        if count:
            counts[token] = counts.get(token, 0) + int(count)


def _write_document(path: Path, document: Any, level: int) -> str:
    """Write JSON, compressed where the name says so, and return the digest of what it says."""

    def raw(value: Any) -> bytes:
        return (json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n").encode()

    written = raw(marked(document))
    path.write_bytes(
        zstandard.ZstdCompressor(level=max(level, 9)).compress(written) if path.suffix == ".zst" else written
    )
    return hashlib.sha256(raw(document)).hexdigest()
