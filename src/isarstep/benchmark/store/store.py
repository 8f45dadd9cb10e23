"""Reads a benchmark lazily: `isarstep.load("embedded", "train")[0]` unpacks one row group of each file, no more.

The manifest and sizes are compared with the name when a benchmark is opened, hashes when a file is first read, all
files before a split is scored (`compare`); whatever is damaged is named.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from isarstep.benchmark.store.example import FEATURES, FIELDS, Example, TensorExamples
from isarstep.benchmark.store.ids import places_of_lowest, unique_names, variables_of
from isarstep.benchmark.store.integrity import compare_bytes, compare_once
from isarstep.benchmark.store.layout import (
    NOTATION,
    PROOFS,
    PROPOSITIONS,
    SIGNATURE,
    SPLITS,
    TYPES,
    UNTYPED,
    VOCABULARY,
    files_of,
    read_manifest,
    verify,
)
from isarstep.common.errors import UserError
from isarstep.common.file_reading import read_json
from isarstep.common.memory import shared_property
from isarstep.isabelle.context.columns import Repeated, one_array, strings_at
from isarstep.isabelle.context.fact_table import FACTS
from isarstep.resources import EMBEDDED, NAMES, benchmark_folder

# Arrow is imported where a table is opened, contexts where a signature is: whoever asks for one, to propose or to read
# examples, does not wait for the other.
if TYPE_CHECKING:
    import pandas
    import pyarrow as pa
    import pyarrow.parquet as pq

    from isarstep.benchmark.store.row_cache import CachedRows
    from isarstep.isabelle.context.library_facts import LibraryFacts
    from isarstep.isabelle.context.theory_contexts import TheoryContexts
    from isarstep.isabelle.terms.signature import Signature


def open_split(where: str | Path = EMBEDDED, split: str = "train", *, cache: bool = True) -> Split:
    """The examples of one split, read when they are asked for."""
    return Benchmark(where).split(split, cache=cache)


# The largest last: mostly it need not be read.
ORDER = ("test", "validation", "unseen", "fresh", "unseen2", "fresh2", "train")


PATIENCE = 32  # groups of rows that are unpacked for single examples before the rows are made ready for any order
MOST_GROUPS = 24  # of a table, each about 11 MB: held-out examples ask for propositions from anywhere


Places: TypeAlias = "npt.NDArray[np.int64] | None"  # of the examples of a view; None: all


@cache
def benchmark_at(where: str | Path = EMBEDDED) -> Benchmark:
    """A benchmark that is opened once, for those who ask again and again."""
    return Benchmark(where)


class RowGroups:
    """The rows of a table by number; a group of rows is unpacked when one of them is wanted, and the last ones are
    kept."""

    def __init__(self, paths: Sequence[Path], most: int = MOST_GROUPS) -> None:
        self._most = most
        self.unpacked = 0  # groups for the sake of a single row
        self._files = [(path, _open(path)) for path in paths]
        # A group is a file and its number there.
        self._places = [(f, n) for f, (_, file) in enumerate(self._files) for n in range(file.metadata.num_row_groups)]
        sizes = [self._files[f][1].metadata.row_group(n).num_rows for f, n in self._places]
        self.starts: list[int] = [0, *accumulate(sizes)]
        self._groups: dict[int, pa.RecordBatch] = {}
        self._reading = threading.Lock()  # Arrow's reader of a file is for one thread at a time, and crashes otherwise

    def __len__(self) -> int:
        return self.starts[-1]

    def locate(self, row: int) -> tuple[pa.RecordBatch, int]:
        """The group of a row, and the row's place in it."""
        number = bisect_right(self.starts, row) - 1
        return self.group(number), row - self.starts[number]

    def group(self, number: int, *, keep: bool = True) -> pa.RecordBatch:
        batch = self._groups.get(number)
        if batch is None:
            import pyarrow as pa

            which, inside = self._places[number]
            path, file = self._files[which]
            try:
                with self._reading:
                    table = file.read_row_group(inside).combine_chunks()
            except (pa.ArrowException, OSError) as error:
                raise UserError(f"{path}: damaged ({error}); build the benchmark again") from error
            batches = table.to_batches()  # none where there are no rows
            batch = batches[0] if batches else pa.RecordBatch.from_pylist([], schema=table.schema)
            if keep:
                with self._reading:
                    self.unpacked += 1
                    self._groups[number] = batch
                    while len(self._groups) > self._most:
                        del self._groups[next(iter(self._groups))]
        return batch


def _read(path: Path, columns: Sequence[str] | None, dictionaries: Sequence[str] | None = None) -> pa.Table:
    import pyarrow as pa

    try:
        return _open(path, dictionaries).read(columns=columns)
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path}: damaged ({error}); build the benchmark again") from error


def _open(path: Path, dictionaries: Sequence[str] | None = None) -> pq.ParquetFile:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(path, memory_map=True, read_dictionary=dictionaries)
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path}: not readable as Parquet ({error}); build the benchmark again") from error


@dataclass(frozen=True, eq=False)
class VocabularyFile:
    """The content of `vocab.json`."""

    tokens: list[str]
    counts: list[int]


class Benchmark:
    """One benchmark folder."""

    def __init__(self, where: str | Path = EMBEDDED) -> None:
        self.folder = benchmark_folder(where)
        self.manifest: dict[str, Any] = read_manifest(self.folder)
        self.compared = False  # whether all bytes were compared by this object
        self._verified: set[str] = set()
        self._ids: dict[str, pa.ChunkedArray] = {}
        self._finding = threading.Lock()
        shipped = NAMES.get(str(where))
        self.where = str(where) if shipped is not None else str(self.folder.absolute())  # to open it again
        self._shipped = shipped is not None
        if shipped is not None and shipped != self.manifest["hash"]:
            raise UserError(
                f"{self.folder}: bears the name {self.manifest['hash'][:12]}, this version ships {shipped[:12]}; "
                "install isarstep again, or give the folder's path"
            )

    @shared_property
    def hash(self) -> str:
        """The name, part of every score that is printed; its files were compared with it, now or earlier."""
        compare_once(self.folder, self.manifest)
        return str(self.manifest["hash"])

    def compare(self) -> Benchmark:
        """Compare the bytes of all files with the manifest now: before a split is scored."""
        compare_bytes(self.folder, self.manifest)
        self._verified.update(self.manifest["files"])
        self.compared = True
        return self

    def taken_out(self, earlier: str, split: str) -> list[str] | None:
        """Ids that a split had under an earlier name (or its first digits) and has no longer; None: no such name."""
        if not any(known.startswith(earlier) for known in self.manifest.get("earlier names", ()) if earlier):
            return None
        return list(self.manifest.get("taken out", {}).get(split, ()))

    def path(self, name: str) -> Path:
        """A file of the folder, its hash compared when it is first asked for."""
        if name not in self._verified:
            verify(self.folder, name, self.manifest)
            self._verified.add(name)
        return self.folder / name

    def paths(self, table: str) -> list[Path]:
        """The files of a table, their hashes compared."""
        names = files_of(self.manifest, table)
        if not names:
            raise UserError(f"{self.folder}: this benchmark has no {table}")
        return [self.path(name) for name in names]

    def column(self, table: str, name: str) -> pa.Array:
        """One column of a table."""
        return self.table(table, [name])[name].combine_chunks()

    def repeated(self, table: str, name: str) -> Repeated:
        """A column of strings of which few are different."""
        files = [_read(path, [name], [name]) for path in self.paths(table)]
        return Repeated.of_chunks(chunk for file in files for chunk in file[name].chunks)

    def table(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        """A whole table, or some of its columns."""
        import pyarrow as pa

        # Not `pq.read_table`, which loads the whole of Arrow's data sets, and pandas where it is installed.
        return pa.concat_tables([_read(path, columns) for path in self.paths(name)])

    @property
    def splits(self) -> list[str]:
        """Those that this benchmark has."""
        return [name for name in SPLITS if files_of(self.manifest, name)]

    def split(self, name: str, *, cache: bool = True) -> Split:
        """The examples of a split. `cache`: rows for access in any order may be written into the cache folder."""
        if name == "valid":
            name = "validation"
        if name not in self.splits:
            raise UserError(f"{name}: no such split here; there are {', '.join(self.splits)}")
        return Split(self, name, cache=cache)

    def find(self, identifier: str) -> tuple[str, Example]:
        """The example with this id (or its first digits), and the split it is in: the first that has one, small splits
        first. Digits with which several begin there are refused."""
        for name in sorted(self.splits, key=ORDER.index):
            split = self.split(name)
            place = split.position(identifier)
            if place is not None:
                return name, split[place]
        raise UserError(
            f"{self.folder}: no example {shorten_id(identifier)}; ids are 12 hex digits, the first few are enough"
        )

    def trained_targets(self) -> list[str]:
        """The distinct targets of the training split."""
        return self.propositions.lines(sorted(self.table("train", ["f1"])["f1"].unique().to_pylist()))

    def _ids_beginning(self, split: str, identifier: str) -> list[tuple[str, int]]:
        """Ids of a split that begin like this, with the place of the first example of each."""
        import pyarrow.compute as pc

        with self._finding:
            if split not in self._ids:
                self._ids[split] = self.table(split, ["id"])["id"]
        ids = self._ids[split]
        places = pc.indices_nonzero(pc.starts_with(ids, identifier)).to_pylist()
        return list({ids[place].as_py(): place for place in reversed(places)}.items())

    @shared_property
    def vocabulary(self) -> list[str]:
        """Special tokens, then those of training by count; the position is the number that models use."""
        return self._vocabulary.tokens

    @shared_property
    def vocabulary_counts(self) -> list[int]:
        return self._vocabulary.counts

    @shared_property
    def _vocabulary(self) -> VocabularyFile:
        content: VocabularyFile = read_json(self.path(VOCABULARY), "build the benchmark again", VocabularyFile)
        return content

    def signature_document(self) -> dict[str, Any]:
        """What lies in the file of the signature, with the table of its theories."""
        if not self.has_signature:
            return {"theories": []}
        from isarstep.isabelle.terms.signature import load_document

        return load_document(self.path(SIGNATURE))

    @shared_property
    def theory_contexts(self) -> TheoryContexts:
        """What exists in which theory. Of a benchmark that is shipped what Complex_Main does not need is read when it
        is asked for."""
        from isarstep.benchmark.store.startup_part import contexts_by_part

        if not self._shipped or not self.has_signature:
            contexts = self._whole_contexts
        else:
            contexts = contexts_by_part(self.hash, lambda: self._whole_contexts, self.manifest.get("qualified", ()))
        if self.has_facts:
            contexts.library = cache(self._library_facts)
        return contexts

    @shared_property
    def _whole_contexts(self) -> TheoryContexts:
        """By the one reading of the file of the signature."""
        from isarstep.isabelle.context.theory_contexts import Declared, TheoryContexts
        from isarstep.isabelle.terms.signature import Signature

        document = self.signature_document()
        theories = document.pop("theories", ())
        parents = {theory["name"]: theory["parents"] for theory in theories}
        declared = {
            theory["name"]: Declared(
                theory["constants"],
                frozenset(theory["arities"]),
                theory.get("exact", False),
                dict(zip(theory["arities"], theory.get("arities_sorts", ()), strict=False)),
            )
            for theory in theories
            if "constants" in theory
        }
        whole = Signature.from_json(document) if document else Signature.build(())
        return TheoryContexts(whole, parents, self.manifest.get("qualified", ()), declared, lambda: self.notation)

    def _library_facts(self) -> LibraryFacts:
        from isarstep.isabelle.context.library_facts import LibraryFacts

        return LibraryFacts(self)

    @property
    def signature(self) -> Signature:
        """Of all theories together: what terms may mention somewhere."""
        if not self.has_signature:
            verify(self.folder, SIGNATURE, self.manifest)  # says that there is none
        return self.theory_contexts.whole

    @property
    def has_signature(self) -> bool:
        return SIGNATURE in self.manifest["files"]

    @property
    def has_facts(self) -> bool:
        return bool(files_of(self.manifest, FACTS))

    @shared_property
    def facts(self) -> pa.Table:
        """The fact base as a table; `isarstep.isabelle.context.fact_table` turns rows into typed terms."""
        return self.table(FACTS)

    @shared_property
    def types(self) -> list[str]:
        return list(self.table(TYPES)["type"].to_pylist())

    @shared_property
    def propositions(self) -> Propositions:
        return Propositions(self.paths(PROPOSITIONS))

    @shared_property
    def proofs(self) -> RowGroups | None:
        """Rows of PROOF_SCHEMA by number; None where the benchmark does not know them."""
        return RowGroups(self.paths(PROOFS)) if files_of(self.manifest, PROOFS) else None

    @shared_property
    def notation(self) -> dict[str, Any]:
        """What each theory adds to notation, as docs/graphs.md describes it; empty where it is not known."""
        if NOTATION not in self.manifest["files"]:
            return {}
        from isarstep.isabelle.terms.signature import load_document

        return dict(load_document(self.path(NOTATION))["theories"])


class Propositions:
    """Lines of tokens by number."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._rows = RowGroups(paths)

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def unpacked(self) -> int:
        """Groups that were unpacked for single lines."""
        return self._rows.unpacked

    def __getitem__(self, number: int) -> str:
        batch, place = self._rows.locate(number)
        text: str = batch.column(0)[place].as_py()
        return text

    def lines(self, numbers: Sequence[int] | npt.NDArray[np.int64]) -> list[str]:
        """Many at once, from anywhere. Only the row groups where they stand are unpacked, and none is kept for it."""
        wanted = np.asarray(numbers, np.int64)
        starts = np.array(self._rows.starts, np.int64)
        groups = np.searchsorted(starts, wanted, side="right") - 1
        found = np.empty(len(wanted), object)
        for number in np.unique(groups).tolist():
            here = np.flatnonzero(groups == number)
            found[here] = strings_at(self._rows.group(number, keep=False).column(0), wanted[here] - starts[number])
        return list(found)

    def blocks(self) -> Iterator[pa.Array]:
        """All of them, one array a row group, none kept."""
        for number in range(len(self._rows.starts) - 1):
            yield self._rows.group(number, keep=False).column(0)


class _SplitRows:
    """The examples of one whole split by number, for all views of it.

    The first examples are read from the Parquet files, a group of rows for each. Access that jumps has the rows of the
    cache made (`row_cache`); where these are there already, they are read at once.
    """

    def __init__(self, benchmark: Benchmark, name: str, disk: bool) -> None:
        self.benchmark, self.name, self.disk = benchmark, name, disk
        self._groups = RowGroups(benchmark.paths(name))
        self._cached: CachedRows | None = None
        self._looked = False
        self._making = threading.Lock()

    def __len__(self) -> int:
        return len(self._groups)

    def example(self, place: int) -> Example:
        rows = self._cached or self._rows_for_jumps()
        if rows is not None:
            return rows.example(place)
        batch, inside = self._groups.locate(place)
        return self._example(batch.slice(inside, 1).to_pylist()[0])

    def between(self, start: int, stop: int) -> Iterator[Example]:
        """Neighbours, in their order."""
        if self._cached is not None:
            yield from map(self._cached.example, range(start, stop))
            return
        starts = self._groups.starts
        for number in range(max(bisect_right(starts, start) - 1, 0), len(starts) - 1):
            if starts[number] >= stop:
                break
            batch = self._groups.group(number, keep=False)
            begin, end = max(start - starts[number], 0), min(stop - starts[number], batch.num_rows)
            for first in range(begin, end, 1024):
                for row in batch.slice(first, min(1024, end - first)).to_pylist():
                    yield self._example(row)

    def prepare(self) -> CachedRows:
        """The rows for access in any order, made if need be."""
        from isarstep.benchmark.store.row_cache import make_rows

        with self._making:
            if self._cached is None:
                # What is scored comes from the bytes that were compared.
                self._cached = make_rows(self.benchmark, self.name, disk=self.disk and not self.benchmark.compared)
            return self._cached

    def _rows_for_jumps(self) -> CachedRows | None:
        if self._groups.unpacked + self.benchmark.propositions.unpacked > PATIENCE:
            return self.prepare()
        if not self._looked and self.disk and not self.benchmark.compared:
            from isarstep.benchmark.store.row_cache import cached_rows

            self._looked = True
            self._cached = cached_rows(self.benchmark, self.name)
        return self._cached

    def _example(self, row: dict[str, Any]) -> Example:
        try:
            return self._example_of(row)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            where = f"{self.benchmark.folder}: the split {self.name}"
            raise UserError(f"{where} has a damaged row ({type(error).__name__}: {error}); build it again") from None

    def _example_of(self, row: dict[str, Any]) -> Example:
        texts = self.benchmark.propositions
        f1 = texts[row.pop("f1")]
        f2, f4, f5 = (tuple(texts[n] for n in row.pop(field)) for field in ("f2", "f4", "f5"))
        f3 = row.pop("f3")
        f3 = None if f3 is None else texts[f3]
        numbers, variables = row.pop("types"), row.pop("variables", None)
        row.pop("copies")
        for column in ("introduced", "introduced_after"):
            row[column] = tuple(row.get(column, ()))
        types: dict[str, str] = {}
        names: dict[str, str] = {}
        places: dict[str, int] = {}
        if numbers:
            known = self.benchmark.types
            used = {v for text in (f1, *f2, f3 or "", *f4, *f5) for v in variables_of(text)}
            used.update(range(row["fixed"]))
            shown = [f"<X{v}>" for v in sorted(used)]
            types = {x: known[n] for x, n in zip(shown, numbers, strict=True) if known[n] != UNTYPED}
            if row.get("proof_row") is not None and self.benchmark.proofs is not None:
                batch, place = self.benchmark.proofs.locate(row["proof_row"])
                own = batch.column("names")[place].as_py()
                places = dict(zip(shown, variables, strict=True))
                names = unique_names({x: own[v] for x, v in places.items()})
        return Example(f1=f1, f2=f2, f3=f3, f4=f4, f5=f5, types=types, names=names, places=places, **row)


class Split(Sequence[Example]):
    """The examples of one split, or some of them in an order of their own (`select`, `shuffle`).

    Views share what they read. A split can be sent to another process, which opens the same benchmark there.
    """

    def __init__(
        self, benchmark: Benchmark, name: str, *, cache: bool = True, of: tuple[_SplitRows, Places] | None = None
    ) -> None:
        """`cache`: rows for access in any order may be written into the cache folder."""
        self.benchmark = benchmark
        self.name = name
        self._source, self._places = of or (_SplitRows(benchmark, name, cache), None)

    def __repr__(self) -> str:
        part = "" if self._places is None else f"{len(self):,} of "
        whole = f"{part}{len(self._source):,} examples"
        return f"<Split {self.name} of {self.benchmark.folder.name} {self.benchmark.manifest['hash'][:12]}: {whole}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopened, (
            self.benchmark.where,
            self.benchmark.manifest["hash"],
            self.name,
            self._source.disk,
            self._places,
        )

    def __len__(self) -> int:
        return len(self._source if self._places is None else self._places)

    @overload
    def __getitem__(self, index: int) -> Example: ...
    @overload
    def __getitem__(self, index: slice | Sequence[int] | npt.NDArray[Any]) -> list[Example]: ...
    def __getitem__(self, index: int | slice | Sequence[int] | npt.NDArray[Any]) -> Example | list[Example]:
        """One example, or a list of them for a slice or for several places.

        Raises:
            IndexError: there is no such place.
        """
        if isinstance(index, int):
            place = index + len(self) if index < 0 else index
            if not 0 <= place < len(self):
                raise IndexError(index)
            return self._source.example(place if self._places is None else int(self._places[place]))
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if isinstance(index, np.integer):
            return self[int(index)]
        return [self._source.example(place) for place in self._chosen(index).tolist()]

    def __getitems__(self, indices: Sequence[int]) -> list[Example]:
        """Several examples: by this method a `DataLoader` of PyTorch asks for a batch."""
        return self[indices]

    def __iter__(self) -> Iterator[Example]:
        return self.between(0, len(self))

    def between(self, start: int, stop: int) -> Iterator[Example]:
        """Examples `start` to `stop - 1`, read for one after the other."""
        if self._places is None:
            return self._source.between(start, stop)
        return map(self._source.example, self._places[start:stop].tolist())

    def prepare(self) -> Split:
        """Make what access in any order needs now, not when it is first needed; the split itself."""
        self._source.prepare()
        return self

    def select(self, indices: Sequence[int] | npt.NDArray[Any]) -> Split:
        """The examples at some places of this split, in the given order, as a split.

        Raises:
            IndexError: there is no such place.
        """
        return Split(self.benchmark, self.name, of=(self._source, self._chosen(indices)))

    def shuffle(self, seed: int) -> Split:
        """The same examples in an order that the seed determines."""
        return self.select(np.random.default_rng(seed).permutation(len(self)))

    def _chosen(self, indices: Sequence[int] | npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Places of the whole split."""
        wanted = np.asarray(indices)
        if wanted.dtype == bool:
            if len(wanted) != len(self):
                raise IndexError(f"a mask of {len(wanted):,} values for {len(self):,} examples")
            wanted = np.flatnonzero(wanted)
        if len(wanted) and not np.issubdtype(wanted.dtype, np.integer):
            raise TypeError(f"places are integers, not {wanted.dtype}")
        wanted = wanted.astype(np.int64)
        wanted = np.where(wanted < 0, wanted + len(self), wanted)
        if len(wanted) and not (wanted.min() >= 0 and wanted.max() < len(self)):
            raise IndexError(f"a place outside of {len(self):,} examples")
        return wanted if self._places is None else self._places[wanted]

    @property
    def features(self) -> dict[str, str]:
        """The columns that `column` knows, with their types."""
        return dict(FEATURES)

    def column(self, name: str) -> list[Any]:
        """One field of all examples, by the name of the field of `Example`: `facts` or `f2`, `session`, ...

        Raises:
            UserError: there is no such field.
        """
        if name not in FEATURES:
            raise UserError(f"{name}: no such column; there are {', '.join(FEATURES)}")
        field = FIELDS.get(name, name)
        if field in ("types", "names"):
            return [getattr(example, field) for example in self]
        table = self._source.benchmark.table(self.name)
        if field not in table.column_names:
            return [Example.__dataclass_fields__[field].default] * len(self)
        column = one_array(table[field])
        if self._places is not None:
            column = column.take(self._places)
        if field not in FIELDS.values():
            values: list[Any] = column.to_pylist()
            return [tuple(value) for value in values] if field.startswith("introduced") else values
        return self._lines_of(column)

    def _lines_of(self, column: pa.Array) -> list[Any]:
        """Lines of tokens for numbers or lists of numbers."""
        numbers = column.to_pylist()
        several = bool(column.type.num_fields)
        used = np.unique((column.flatten() if several else column.drop_null()).to_numpy())
        lines: dict[int | None, str | None] = {None: None}
        lines |= zip(used.tolist(), self.benchmark.propositions.lines(used), strict=True)
        if several:
            return [tuple([lines[n] for n in each]) for each in numbers]
        return [lines[n] for n in numbers]

    def to_pandas(self, columns: Sequence[str] | None = None) -> pandas.DataFrame:
        """The examples as a table of pandas, which has to be installed; all columns if none are given."""
        try:
            import pandas
        except ImportError:
            raise UserError("to_pandas needs pandas: pip install pandas") from None
        fields = {name: FIELDS.get(name, name) for name in columns or FEATURES}
        values = {field: self.column(field) for field in dict.fromkeys(fields.values())}
        return pandas.DataFrame({name: values[field] for name, field in fields.items()})

    def to_torch(self) -> TensorExamples:
        """The examples as tensors of token numbers, for a `DataLoader` of PyTorch, which has to be installed."""
        return TensorExamples(self, self.benchmark.vocabulary)

    def table(self) -> pa.Table:
        """All columns of the file; propositions are numbers."""
        whole = self.benchmark.table(self.name)
        return whole if self._places is None else whole.take(self._places)

    def lowest(self, limit: int | None) -> list[Example]:
        """The `limit` examples of lowest id, in the order of the split; without a limit, all."""
        if limit is None:
            return list(self)
        return [self[at] for at in places_of_lowest(self.column("id"), limit)]

    def position(self, identifier: str) -> int | None:
        """The place of the first example whose id begins like this."""
        if self._places is None:
            found = self.benchmark._ids_beginning(self.name, identifier)
        else:
            ids = self.column("id")
            first = {ids[at]: at for at in reversed(range(len(ids))) if ids[at].startswith(identifier)}
            found = [*first.items()]
        if len(found) > 1:
            some = ", ".join(sorted(known for known, _ in found)[:2])
            raise UserError(f"{shorten_id(identifier)}: begins {len(found)} ids ({some}, ...); give more digits")
        return found[0][1] if found else None


def _reopened(where: str, digest: str, name: str, cache: bool, places: Places) -> Split:
    """A split in another process."""
    benchmark = benchmark_at(where)
    if benchmark.manifest["hash"] != digest:
        benchmark = Benchmark(where)
    if benchmark.manifest["hash"] != digest:
        raise UserError(f"{where}: is benchmark {benchmark.manifest['hash'][:12]} now, not {digest[:12]} any more")
    split = Split(benchmark, name, cache=cache)
    return split if places is None else Split(benchmark, name, of=(split._source, places))


def shorten_id(identifier: str) -> str:
    return identifier if len(identifier) <= 40 else identifier[:40] + "..."
