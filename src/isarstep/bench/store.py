"""Reads a benchmark lazily: `load("embedded", "train")[0]` unpacks one row group of each file, no more.

Sizes are compared when a benchmark is opened, hashes when a file is first read; whatever is damaged is named.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any, overload

import pyarrow as pa
import pyarrow.parquet as pq

from isarstep.bench.example import Example
from isarstep.bench.ids import variables_of
from isarstep.bench.layout import (
    FACTS,
    PROPOSITIONS,
    SIGNATURE,
    SPLITS,
    TYPES,
    UNTYPED,
    VOCABULARY,
    read_manifest,
    verify,
)
from isarstep.data import EMBEDDED, benchmark_folder
from isarstep.errors import UserError
from isarstep.logic.signature import Signature


def load(where: str | Path = EMBEDDED, split: str = "train") -> Split:
    """The examples of one split, read when they are asked for."""
    return Benchmark(where).split(split)


class RowGroups:
    """The rows of a Parquet file by number; a group of rows is unpacked when one of them is wanted, and kept."""

    def __init__(self, path: Path, columns: Sequence[str] | None = None) -> None:
        self._path = path
        self._columns = list(columns) if columns is not None else None
        try:
            self._file = pq.ParquetFile(path, memory_map=True)
        except (pa.ArrowException, OSError) as error:
            raise UserError(f"{path}: not readable as Parquet ({error}); build the benchmark again") from error
        groups = [self._file.metadata.row_group(n).num_rows for n in range(self._file.metadata.num_row_groups)]
        self.starts: list[int] = [0, *accumulate(groups)]
        self._groups: dict[int, pa.RecordBatch] = {}

    def __len__(self) -> int:
        return self.starts[-1]

    def locate(self, row: int) -> tuple[pa.RecordBatch, int]:
        """The group of a row, and the row's place in it."""
        number = bisect_right(self.starts, row) - 1
        return self.group(number), row - self.starts[number]

    def group(self, number: int) -> pa.RecordBatch:
        batch = self._groups.get(number)
        if batch is None:
            try:
                table = self._file.read_row_group(number, columns=self._columns).combine_chunks()
            except (pa.ArrowException, OSError) as error:
                raise UserError(f"{self._path}: damaged ({error}); build the benchmark again") from error
            batches = table.to_batches()  # none where there are no rows
            batch = batches[0] if batches else pa.RecordBatch.from_pylist([], schema=table.schema)
            self._groups[number] = batch
        return batch

    def forget(self, number: int) -> None:
        self._groups.pop(number, None)


def _read_table(path: Path) -> pa.Table:
    """Not `pq.read_table`, which loads the whole of Arrow's data sets, and pandas where it is installed."""
    return pq.ParquetFile(path, memory_map=True).read()


class Benchmark:
    """One benchmark folder."""

    def __init__(self, where: str | Path = EMBEDDED) -> None:
        self.folder = benchmark_folder(where)
        self.manifest: dict[str, Any] = read_manifest(self.folder)

    @property
    def hash(self) -> str:
        """Part of every score that is printed."""
        return str(self.manifest["hash"])

    def path(self, name: str) -> Path:
        """A file of the folder, its hash compared."""
        return verify(self.folder, name, self.manifest)

    def split(self, name: str) -> Split:
        if name == "valid":
            name = "validation"
        if name not in SPLITS:
            raise UserError(f"{name}: no such split; there are {', '.join(SPLITS)}")
        return Split(self, name)

    def find(self, identifier: str) -> tuple[str, Example]:
        """The example with this id (or its first digits), and the split it is in."""
        for name in sorted(SPLITS, key=lambda name: name == "train"):  # the largest last: mostly it need not be read
            split = self.split(name)
            position = split.position(identifier)
            if position is not None:
                return name, split[position]
        raise UserError(f"{self.folder}: no example {identifier}; ids are 12 hex digits, the first few are enough")

    @cached_property
    def vocabulary(self) -> list[str]:
        """Special tokens, then those of training by count; the position is the number that models use."""
        return list(self._vocabulary["tokens"])

    @cached_property
    def vocabulary_counts(self) -> list[int]:
        return list(self._vocabulary["counts"])

    @cached_property
    def _vocabulary(self) -> Any:
        path = self.path(VOCABULARY)
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise UserError(f"{path}: not JSON ({error}); build the benchmark again") from error

    @cached_property
    def signature(self) -> Signature:
        return Signature.load(self.path(SIGNATURE))

    @property
    def has_signature(self) -> bool:
        return SIGNATURE in self.manifest["files"]

    @property
    def has_facts(self) -> bool:
        return FACTS in self.manifest["files"]

    @cached_property
    def facts(self) -> pa.Table:
        """The fact base as a table; `isarstep.bench.facts` turns rows into typed terms."""
        return _read_table(self.path(FACTS))

    @cached_property
    def types(self) -> list[str]:
        return list(_read_table(self.path(TYPES))["type"].to_pylist())

    @cached_property
    def propositions(self) -> Propositions:
        return Propositions(self.path(PROPOSITIONS))


class Propositions:
    """Lines of tokens by number."""

    def __init__(self, path: Path) -> None:
        self._rows = RowGroups(path)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, number: int) -> str:
        batch, place = self._rows.locate(number)
        return str(batch.column(0)[place])

    def blocks(self) -> Iterator[pa.Array]:
        """All of them, one array a row group, none kept."""
        for number in range(len(self._rows.starts) - 1):
            yield self._rows.group(number).column(0)
            self._rows.forget(number)


class Split(Sequence[Example]):
    """The examples of one split."""

    def __init__(self, benchmark: Benchmark, name: str) -> None:
        self.benchmark = benchmark
        self.name = name
        self._rows = RowGroups(benchmark.path(f"{name}.parquet"))

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Example: ...
    @overload
    def __getitem__(self, index: slice) -> list[Example]: ...
    def __getitem__(self, index: int | slice) -> Example | list[Example]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        batch, place = self._rows.locate(index % len(self))
        return self._example(batch.slice(place, 1).to_pylist()[0])

    def __iter__(self) -> Iterator[Example]:
        for number in range(len(self._rows.starts) - 1):
            batch = self._rows.group(number)
            for start in range(0, batch.num_rows, 1024):
                for row in batch.slice(start, 1024).to_pylist():
                    yield self._example(row)

    def table(self) -> pa.Table:
        """All columns as they lie in the file."""
        return _read_table(self.benchmark.path(f"{self.name}.parquet"))

    def position(self, identifier: str) -> int | None:
        """Where the first example stands whose id begins like this."""
        ids = RowGroups(self.benchmark.folder / f"{self.name}.parquet", ["id"])  # compared when the split was opened
        for number, start in enumerate(ids.starts[:-1]):
            for place, known in enumerate(ids.group(number).column("id").to_pylist()):
                if known.startswith(identifier):
                    return start + place
        return None

    def _example(self, row: dict[str, Any]) -> Example:
        texts = self.benchmark.propositions
        f1 = texts[row.pop("f1")]
        f2, f4, f5 = (tuple(texts[n] for n in row.pop(field)) for field in ("f2", "f4", "f5"))
        f3 = row.pop("f3")
        f3 = None if f3 is None else texts[f3]
        numbers = row.pop("types")
        row.pop("copies")
        types = {}
        if numbers:
            known = self.benchmark.types
            used = {v for text in (f1, *f2, f3 or "", *f4, *f5) for v in variables_of(text)}
            used.update(range(row["fixed"]))
            texts_of_types = zip(sorted(used), (known[n] for n in numbers), strict=True)
            types = {f"<X{v}>": text for v, text in texts_of_types if text != UNTYPED}
        return Example(f1=f1, f2=f2, f3=f3, f4=f4, f5=f5, types=types, **row)
