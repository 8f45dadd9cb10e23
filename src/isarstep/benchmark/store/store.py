"""Reads a benchmark lazily: `isarstep.load("embedded", "train")[0]` unpacks one row group of each file, no more.

The manifest and sizes are compared with the name when a benchmark is opened, hashes when a file is first read, all
files before a split is scored (`compare`); whatever is damaged is named.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.ids import places_of_lowest, variables_of
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
from isarstep.isabelle.context.columns import Repeated, strings_at
from isarstep.isabelle.context.fact_table import FACTS
from isarstep.resources import EMBEDDED, NAMES, benchmark_folder

# Arrow is imported where a table is opened, contexts where a signature is: whoever asks for one, to propose or to read
# examples, does not wait for the other.
if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from isarstep.isabelle.context.library_facts import LibraryFacts
    from isarstep.isabelle.context.theory_contexts import TheoryContexts
    from isarstep.isabelle.terms.signature import Signature


def open_split(where: str | Path = EMBEDDED, split: str = "train") -> Split:
    """The examples of one split, read when they are asked for."""
    return Benchmark(where).split(split)


# The largest last: mostly it need not be read.
ORDER = ("test", "validation", "unseen", "fresh", "unseen2", "fresh2", "train")


MOST_GROUPS = 24  # of a table, each about 11 MB: held-out examples ask for propositions from anywhere


@cache
def benchmark_at(where: str | Path = EMBEDDED) -> Benchmark:
    """A benchmark that is opened once, for those who ask again and again."""
    return Benchmark(where)


class RowGroups:
    """The rows of a table by number; a group of rows is unpacked when one of them is wanted, and the last ones are
    kept."""

    def __init__(self, paths: Sequence[Path], most: int = MOST_GROUPS) -> None:
        self._most = most
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
        self._verified: set[str] = set()
        self._ids: dict[str, pa.ChunkedArray] = {}
        self._finding = threading.Lock()
        shipped = NAMES.get(str(where))
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

    def split(self, name: str) -> Split:
        if name == "valid":
            name = "validation"
        if name not in self.splits:
            raise UserError(f"{name}: no such split here; there are {', '.join(self.splits)}")
        return Split(self, name)

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


class Split(Sequence[Example]):
    """The examples of one split."""

    def __init__(self, benchmark: Benchmark, name: str) -> None:
        self.benchmark = benchmark
        self.name = name
        self._paths = benchmark.paths(name)
        self._rows = RowGroups(self._paths)

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
            batch = self._rows.group(number, keep=False)
            for start in range(0, batch.num_rows, 1024):
                for row in batch.slice(start, 1024).to_pylist():
                    yield self._example(row)

    def table(self) -> pa.Table:
        """All columns as they lie in the file."""
        return self.benchmark.table(self.name)

    def lowest(self, limit: int | None) -> list[Example]:
        """The `limit` examples of lowest id, in the order of the file; without a limit, all."""
        if limit is None:
            return list(self)
        return [self[at] for at in places_of_lowest(self.benchmark.table(self.name, ["id"])["id"].to_pylist(), limit)]

    def position(self, identifier: str) -> int | None:
        """Where the first example stands whose id begins like this."""
        found = self.benchmark._ids_beginning(self.name, identifier)
        if len(found) > 1:
            some = ", ".join(sorted(known for known, _ in found)[:2])
            raise UserError(f"{shorten_id(identifier)}: begins {len(found)} ids ({some}, ...); give more digits")
        return found[0][1] if found else None

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


def shorten_id(identifier: str) -> str:
    return identifier if len(identifier) <= 40 else identifier[:40] + "..."


def unique_names(own: Mapping[str, str]) -> dict[str, str]:
    """The names that the text gives to variables; a name that was given before gets a letter more, as in Isabelle."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for variable, name in own.items():
        while name in taken:
            name += "a"
        taken.add(name)
        names[variable] = name
    return names
