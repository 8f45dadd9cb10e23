"""The examples of a split as memory-mapped Arrow files, for access in any order at constant time.

The Parquet files of a benchmark are compressed in groups of many rows, so that one row costs as much as a group. For
random access the rows of a split and the propositions that they use are written once, uncompressed, into the cache
folder, and mapped from then on by all processes. The source is a benchmark whose files have been compared with their
hashes. A cache entry is complete or absent: it is filled in a temporary folder and renamed. An entry whose files are
not exactly those that were written (size, times, inode) is written again. Where nothing can be written, or the limit
`ISARSTEP_ROWS_GB` does not allow it, the same tables are kept in memory.

A row is one list of integers: `_HEAD` values, and then the lists whose lengths are among them. Strings of which few
are different are numbers of a table of strings; the last one, None, has the number -1, too.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.ids import unique_names
from isarstep.benchmark.store.layout import PROOFS, UNTYPED, files_of, workspace
from isarstep.common.disk_cache import cache_folder
from isarstep.common.errors import UserError
from isarstep.common.files import one_writer, write_whole
from isarstep.common.progress import told_when_long
from isarstep.common.version import __version__
from isarstep.isabelle.context.columns import one_array

if TYPE_CHECKING:
    import pyarrow as pa

Numbers = npt.NDArray[Any]

LIMIT = "ISARSTEP_ROWS_GB"  # environment variable: most gigabytes of all entries together; 0: nothing is written
DEFAULT_LIMIT = 4.0
LAYOUT = 1
_BATCH = 1 << 16  # rows of an Arrow batch, so that the batch of a row is known without a search
_LONGEST_WAIT = 600.0  # seconds for another process that writes the same entry
_TABLES = ("examples", "propositions", "strings")
_COMPLETE = "complete.json"
_STRINGS = ("target_kind", "theorem", "name", "session", "theory", "target_command", "consequence_command", "mark")
_NUMBERS = ("proof", "target_step", "consequence_step", "fixed", "proof_row")
_HEAD = 8 + len(_STRINGS) + len(_NUMBERS)  # f1, f3, lengths of f2, f4, f5, variables, introduced, introduced_after
_MOST_VARIABLES = 1 << 20

_LOG = logging.getLogger(__name__)


class Texts(Protocol):
    """The lines of a benchmark, block by block."""

    def __len__(self) -> int: ...
    def blocks(self) -> Iterator[pa.Array]: ...


class Tables(Protocol):
    """What is read of a benchmark; every file is compared with its hash before it is read."""

    folder: Path
    manifest: dict[str, Any]

    @property
    def types(self) -> list[str]: ...
    @property
    def propositions(self) -> Texts: ...
    def table(self, name: str, columns: Sequence[str] | None = None) -> pa.Table: ...


class _TooLarge(Exception):
    """The entry would be larger than the limit."""


def size_limit() -> int:
    """The most bytes that all entries may take together.

    Raises:
        UserError: the environment variable is not a number of gigabytes.
    """
    text = os.environ.get(LIMIT, "").strip()
    try:
        gigabytes = float(text) if text else DEFAULT_LIMIT
        return int(max(gigabytes, 0) * 1e9)
    except (ValueError, OverflowError):
        raise UserError(f"{LIMIT}={text}: expected a number of gigabytes, such as 4; 0 writes nothing") from None


def cached_rows(benchmark: Tables, split: str) -> CachedRows | None:
    """The entry of a split, if a complete one is in the cache folder."""
    folder = _entry(benchmark, split)
    try:
        known = json.loads((folder / _COMPLETE).read_text("utf-8"))
        if known != _states(folder):
            return None
        rows = CachedRows(*(_mapped(folder / f"{name}.arrow") for name in _TABLES))
        with suppress(OSError):
            os.utime(folder / _COMPLETE)  # entries that were not used for longest are removed first
        return rows
    except (OSError, ValueError, KeyError):  # Arrow's errors are among them
        return None


def make_rows(benchmark: Tables, split: str, *, disk: bool = True) -> CachedRows:
    """The rows of a split: from the cache folder, written there now, or in memory.

    Args:
        benchmark: its tables.
        split: its name.
        disk: whether the cache folder may be used.

    Raises:
        UserError: the benchmark is damaged.
    """
    with told_when_long(f"preparing {split} for access in any order"):
        if disk and (limit := size_limit()):
            try:
                return _written(benchmark, split, limit)
            except _TooLarge:
                _LOG.info("%s: larger than %s allows; its rows are kept in memory", split, LIMIT)
            except OSError as error:
                _LOG.info("%s: the cache folder cannot be used (%s); its rows are kept in memory", split, error)
        import pyarrow as pa

        streams = {name: pa.BufferOutputStream() for name in _TABLES}
        _fill(benchmark, split, streams)
        return CachedRows(*(streams[name].getvalue() for name in _TABLES))


def _entry(benchmark: Tables, split: str) -> Path:
    key = f"{benchmark.manifest['hash']}\n{split}\n{LAYOUT}\n{__version__}"
    return cache_folder() / "rows" / hashlib.sha256(key.encode()).hexdigest()[:24]


def _states(folder: Path) -> dict[str, list[int]]:
    """By which a file is known to be the one that was written."""
    found = {name: (folder / f"{name}.arrow").stat() for name in _TABLES}
    return {name: [s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_ino] for name, s in found.items()}


def _mapped(path: Path) -> pa.MemoryMappedFile:
    import pyarrow as pa

    return pa.memory_map(str(path))


def _written(benchmark: Tables, split: str, limit: int) -> CachedRows:
    """The entry, written by this process or by another one that is at it."""
    folder = _entry(benchmark, split)
    folder.parent.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    while True:
        rows = cached_rows(benchmark, split)
        if rows is not None:
            return rows
        if not os.access(folder.parent, os.W_OK):
            raise OSError(f"{folder.parent} is read-only")
        writing = False
        try:
            with one_writer(folder, folder.parent / f".{folder.name}.lock"):
                writing = True
                rows = cached_rows(benchmark, split)  # another process may have ended meanwhile
                if rows is None:
                    _write(benchmark, split, folder, limit)
        except UserError:
            if writing:
                raise
            if time.monotonic() - began > _LONGEST_WAIT:
                raise OSError("another process does not finish writing") from None
            time.sleep(0.2)
            continue
        if rows is None and (rows := cached_rows(benchmark, split)) is None:
            raise OSError("the file system changes files that were written")
        return rows


def _write(benchmark: Tables, split: str, folder: Path, limit: int) -> None:
    import pyarrow as pa

    with workspace(folder) as fresh:
        sinks = {name: pa.OSFile(str(fresh / f"{name}.arrow"), "wb") for name in _TABLES}
        try:
            _fill(benchmark, split, sinks, limit)
        finally:
            for sink in sinks.values():
                sink.close()
        states = _states(fresh)
        _make_space(folder, limit - sum(state[0] for state in states.values()))
        write_whole(fresh / _COMPLETE, json.dumps(states))
        if folder.exists():  # damaged, or of files that have changed
            aside = fresh / "old"
            folder.rename(aside)
        fresh.rename(folder)
        shutil.rmtree(folder / "old", ignore_errors=True)


def _make_space(folder: Path, left: int) -> None:
    """Remove the entries that were not used for longest until the others take no more than `left` bytes."""
    entries = []
    for entry in folder.parent.iterdir():
        with suppress(OSError):
            if entry != folder and not entry.name.startswith("."):
                size = sum(path.stat().st_size for path in entry.iterdir())
                entries.append(((entry / _COMPLETE).stat().st_mtime, size, entry))
    total = sum(size for _, size, _ in entries)
    for _, size, entry in sorted(entries):
        if total <= left:
            return
        shutil.rmtree(entry, ignore_errors=True)
        total -= size


class _Writer:
    """Batches of one size, whatever the sizes of the pieces that come."""

    def __init__(self, sink: Any, schema: pa.Schema, spend: Callable[[int], None]) -> None:
        import pyarrow as pa
        import pyarrow.ipc

        self._schema, self._spend = schema, spend
        self._pieces: list[pa.Table] = []
        self._rows = 0
        self._file = pa.ipc.new_file(sink, schema)

    def add(self, *columns: pa.Array) -> None:
        import pyarrow as pa

        self._pieces.append(pa.table(list(columns), schema=self._schema))
        self._rows += len(columns[0])
        if self._rows >= _BATCH:
            self._flush(self._rows - self._rows % _BATCH)

    def _flush(self, count: int) -> None:
        import pyarrow as pa

        whole = pa.concat_tables(self._pieces)
        for start in range(0, count, _BATCH):
            for batch in whole.slice(start, min(_BATCH, count - start)).combine_chunks().to_batches():
                self._spend(batch.nbytes)
                self._file.write_batch(batch)
        self._pieces, self._rows = [whole.slice(count)], self._rows - count

    def close(self) -> None:
        if self._rows:
            self._flush(self._rows)
        self._file.close()


class _Strings:
    """Numbers of strings in order of first occurrence."""

    def __init__(self) -> None:
        self.numbers: dict[str | None, int] = {}

    def of(self, column: pa.Array) -> Numbers:
        """-1 for what is missing."""
        if not len(column):
            return np.zeros(0, np.int32)
        coded = column.dictionary_encode()
        own = [self.numbers.setdefault(text, len(self.numbers)) for text in coded.dictionary.to_pylist()]
        places: Numbers = np.array([*own, -1], np.int32)[coded.indices.fill_null(-1).to_numpy()]
        return places


class _Ragged:
    """Lists of numbers."""

    def __init__(self, values: Numbers, lengths: Numbers) -> None:
        self.values, self.lengths = values, lengths
        self.starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])

    @staticmethod
    def of(column: pa.Array | None, count: int) -> _Ragged:
        if column is None:
            return _Ragged(np.zeros(0, np.int32), np.zeros(count, np.int64))
        return _Ragged(column.flatten().to_numpy(), column.value_lengths().fill_null(0).to_numpy().astype(np.int64))

    def places(self, rows: Numbers) -> Numbers:
        """The places of the values of some rows, in their order."""
        lengths = self.lengths[rows]
        before = np.cumsum(lengths) - lengths
        return np.repeat(self.starts[rows] - before, lengths) + np.arange(lengths.sum())

    def only(self, chosen: npt.NDArray[np.bool_]) -> _Ragged:
        """Empty lists where a row is not chosen."""
        return _Ragged(self.values[np.repeat(chosen, self.lengths)], np.where(chosen, self.lengths, 0))


def _fill(benchmark: Tables, split: str, sinks: Mapping[str, Any], limit: int | None = None) -> None:
    """Write the three tables of a split."""
    import pyarrow as pa

    spent = 0

    def spend(size: int) -> None:
        nonlocal spent
        spent += size
        if limit is not None and spent > limit:
            raise _TooLarge

    try:
        table = benchmark.table(split)
        number, variables = _propositions(benchmark, table, sinks["propositions"], spend)
        strings = _Strings()
        types = strings.of(pa.array([None if typ == UNTYPED else typ for typ in benchmark.types], pa.string()))
        owners = _Owners(benchmark, strings)
        schema = pa.schema([("id", pa.large_string()), ("row", pa.large_list(pa.int32()))])
        writer = _Writer(sinks["examples"], schema, spend)
        for start in range(0, len(table), _BATCH):
            part = table.slice(start, _BATCH).combine_chunks()
            flat, starts = _records(part, number, variables, types, owners, strings)
            rows = pa.LargeListArray.from_arrays(pa.array(starts, pa.int64()), pa.array(flat, pa.int32()))
            writer.add(one_array(part["id"]).cast(pa.large_string()), rows)
        writer.close()
    except (AttributeError, IndexError, KeyError, TypeError, AssertionError, pa.ArrowException) as error:
        where = f"{benchmark.folder}: the split {split}"
        raise UserError(f"{where} has a damaged row ({type(error).__name__}: {error}); build it again") from error
    texts = _Writer(sinks["strings"], pa.schema([("text", pa.large_string())]), spend)
    texts.add(pa.array([*strings.numbers], pa.large_string()))
    texts.close()


def _propositions(
    benchmark: Tables, table: pa.Table, sink: Any, spend: Callable[[int], None]
) -> tuple[Numbers, _Ragged]:
    """Write those that a split uses: for each of the benchmark's its number here, and the variables of those here."""
    import pyarrow as pa

    used = np.zeros(len(benchmark.propositions), bool)
    for field in ("f1", "f2", "f3", "f4", "f5"):
        column = one_array(table[field])
        values = column.flatten() if pa.types.is_list(column.type) else column
        used[values.drop_null().to_numpy()] = True
    writer = _Writer(sink, pa.schema([("tokens", pa.large_string())]), spend)
    start = 0
    values, lengths = [np.zeros(0, np.int32)], [np.zeros(0, np.int64)]
    for block in benchmark.propositions.blocks():
        chosen = np.flatnonzero(used[start : start + len(block)])
        start += len(block)
        if len(chosen):
            texts = (block if len(chosen) == len(block) else block.take(pa.array(chosen))).cast(pa.large_string())
            writer.add(texts)
            found = _variables(texts)
            values.append(found.values)
            lengths.append(found.lengths)
    writer.close()
    number = np.full(len(used), -1, np.int32)
    number[used] = np.arange(used.sum())
    return number, _Ragged(np.concatenate(values), np.concatenate(lengths))


def _variables(texts: pa.Array) -> _Ragged:
    """The numbers of the variables `<X..>` of each line, in ascending order."""
    _, ends, data = texts.buffers()
    offsets = np.frombuffer(ends, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    letters = np.frombuffer(data if data is not None else b"", np.uint8)
    letters = np.concatenate([letters[offsets[0] : offsets[-1]], np.zeros(10, np.uint8)])
    at = np.flatnonzero((letters[:-1] == ord("<")) & (letters[1:] == ord("X")))
    value = np.zeros(len(at), np.int64)
    place = at + 2
    for _ in range(7):
        digit = letters[place].astype(np.int64) - ord("0")
        inside = (digit >= 0) & (digit <= 9)
        value = np.where(inside, 10 * value + digit, value)
        place += inside
    whole = (letters[place] == ord(">")) & (place > at + 2)
    line = np.searchsorted(offsets[1:] - offsets[0], at[whole], side="right")
    assert not whole.any() or value[whole].max() < _MOST_VARIABLES, "a variable with a large number"
    pairs = np.unique(line * _MOST_VARIABLES + value[whole])
    return _Ragged(
        (pairs % _MOST_VARIABLES).astype(np.int32), np.bincount(pairs // _MOST_VARIABLES, minlength=len(texts))
    )


class _Owners:
    """The names that the texts of proofs give to their variables."""

    def __init__(self, benchmark: Tables, strings: _Strings) -> None:
        self.names: _Ragged | None = None
        if files_of(benchmark.manifest, PROOFS):
            column = one_array(benchmark.table(PROOFS, ["names"])["names"])
            self.names = _Ragged(strings.of(column.flatten()), column.value_lengths().to_numpy().astype(np.int64))


def _records(
    part: pa.Table, number: Numbers, variables: _Ragged, types: Numbers, owners: _Owners, strings: _Strings
) -> tuple[Numbers, Numbers]:
    """The integers of some rows, end to end, and where each begins."""
    count = len(part)
    columns = {name: one_array(part[name]) for name in part.column_names}
    f1 = number[columns["f1"].to_numpy()]
    third = columns["f3"].is_valid().to_numpy(zero_copy_only=False)
    f3 = np.full(count, -1, np.int32)
    f3[third] = number[columns["f3"].drop_null().to_numpy()]
    lists = {name: _Ragged.of(columns[name], count) for name in ("f2", "f4", "f5")}
    for each in lists.values():
        each.values = number[each.values]
    typed = _Ragged.of(columns["types"], count)
    fixed = columns["fixed"].to_numpy() if "fixed" in columns else np.full(count, -1, np.int32)
    # Variables that are fixed or occur, in the order of their numbers: the order of the column of types.
    rows = np.arange(count)
    pairs = [(rows, f1), (rows[third], f3[third]), *((np.repeat(rows, x.lengths), x.values) for x in lists.values())]
    row, proposition = (np.concatenate(each) for each in zip(*pairs, strict=True))
    fixed_lengths = np.maximum(fixed, 0).astype(np.int64)
    fixed_values = np.arange(fixed_lengths.sum()) - np.repeat(np.cumsum(fixed_lengths) - fixed_lengths, fixed_lengths)
    owner = np.concatenate([np.repeat(row, variables.lengths[proposition]), np.repeat(rows, fixed_lengths)])
    occurring = np.concatenate([variables.values[variables.places(proposition)], fixed_values])
    known = np.unique(owner * _MOST_VARIABLES + occurring)
    shown = _Ragged(known % _MOST_VARIABLES, np.bincount(known // _MOST_VARIABLES, minlength=count)).only(
        typed.lengths > 0
    )
    assert np.array_equal(shown.lengths, typed.lengths), "types of other variables than those that occur"
    proof = np.full(count, -1, np.int32)
    if "proof_row" in columns:
        proof = columns["proof_row"].fill_null(-1).to_numpy()
    named = _Ragged(np.zeros(0, np.int32), np.zeros(count, np.int64))
    places = named
    if owners.names is not None:
        places = _Ragged.of(columns.get("variables"), count).only((proof >= 0) & (typed.lengths > 0))
        inside = (proof < 0) | (typed.lengths == 0) | (places.lengths == typed.lengths)
        assert inside.all(), "not as many variables as types"
        owner_rows = np.repeat(proof, places.lengths)
        assert not len(owner_rows) or (places.values < owners.names.lengths[owner_rows]).all(), "no such variable"
        named = _Ragged(owners.names.values[owners.names.starts[owner_rows] + places.values], places.lengths)
    lists |= {
        "shown": shown,
        "types": _Ragged(types[typed.values], typed.lengths),
        "introduced": _Ragged.of(columns.get("introduced"), count),
        "introduced_after": _Ragged.of(columns.get("introduced_after"), count),
        "places": places,
        "names": named,
    }
    head = [f1, f3, *(lists[name].lengths for name in ("f2", "f4", "f5", "shown", "introduced", "introduced_after"))]
    for name in _STRINGS:
        column = columns.get(name)
        if column is None:
            default: Any = Example.__dataclass_fields__[name].default
            absent = strings.numbers.setdefault(default, len(strings.numbers))
            head.append(np.full(count, absent))
        else:
            head.append(strings.of(column))
    head += [columns[name].to_numpy() if name in columns else np.full(count, -1) for name in _NUMBERS[:-1]]
    head.append(proof)
    lengths = np.full(count, _HEAD, np.int64) + sum(each.lengths for each in lists.values())
    starts = np.concatenate([[0], np.cumsum(lengths)])
    flat = np.empty(starts[-1], np.int32)
    at = starts[:-1].copy()
    for values in head:
        flat[at] = values
        at += 1
    for each in lists.values():
        flat[np.repeat(at - each.starts[:-1], each.lengths) + np.arange(len(each.values))] = each.values
        at += each.lengths
    return flat, starts


class _Column:
    """A column of strings or lists of integers: per batch the offsets and the values, as views of the mapped file."""

    def __init__(self, batches: Sequence[pa.RecordBatch], name: str) -> None:
        self.parts: list[tuple[memoryview, memoryview]] = []
        for batch in batches:
            column = batch.column(name)
            offsets = memoryview(column.buffers()[1]).cast("B").cast("q")
            values = column.values.buffers()[1] if column.type.num_fields else column.buffers()[2]
            raw = memoryview(values if values is not None else b"").cast("B")
            self.parts.append((offsets, raw.cast("i") if column.type.num_fields else raw))


class CachedRows:
    """The examples of a split by number, each at the same cost. Several threads may read."""

    def __init__(self, examples: Any, propositions: Any, strings: Any) -> None:
        """Arrow files, mapped or in memory."""
        import pyarrow as pa
        import pyarrow.ipc

        files = [pa.ipc.open_file(source) for source in (examples, propositions, strings)]
        batches = [[file.get_batch(n) for n in range(file.num_record_batches)] for file in files]
        self._count: int = sum(batch.num_rows for batch in batches[0])
        self._ids = _Column(batches[0], "id").parts
        self._rows = _Column(batches[0], "row").parts
        self._texts = _Column(batches[1], "tokens").parts
        self._strings: list[Any] = [text for batch in batches[2] for text in batch.column(0).to_pylist()]
        if not self._strings or self._strings[-1] is not None:
            self._strings.append(None)

    def __len__(self) -> int:
        return self._count

    def example(self, place: int) -> Example:
        """The example at a place, which is not negative."""
        part, at = place >> 16, place & 0xFFFF
        offsets, values = self._rows[part]
        row: list[int] = values[offsets[at] : offsets[at + 1]].tolist()
        offsets, raw = self._ids[part]
        identifier = str(raw[offsets[at] : offsets[at + 1]], "ascii")
        strings = self._strings
        (
            f1, f3, n2, n4, n5, n_shown, n_introduced, n_after,
            kind, theorem, name, session, theory, command, after, mark,
            proof, target_step, consequence_step, fixed, proof_row,
        ) = row[:_HEAD]  # fmt: skip
        texts = []
        end5 = _HEAD + n2 + n4 + n5
        all_texts = self._texts
        for number in (f1, *row[_HEAD:end5]):
            offsets, raw = all_texts[number >> 16]
            number &= 0xFFFF
            texts.append(str(raw[offsets[number] : offsets[number + 1]], "utf-8"))
        goal = None
        if f3 >= 0:
            offsets, raw = all_texts[f3 >> 16]
            f3 &= 0xFFFF
            goal = str(raw[offsets[f3] : offsets[f3 + 1]], "utf-8")
        end_types = end5 + 2 * n_shown
        end_introduced = end_types + n_introduced
        end_after = end_introduced + n_after
        types: dict[str, str] = {}
        places: dict[str, int] = {}
        names: dict[str, str] = {}
        if n_shown:
            shown = [_VARIABLES[v] if v < _SOME else f"<X{v}>" for v in row[end5 : end5 + n_shown]]
            for variable, number in zip(shown, row[end5 + n_shown : end_types], strict=True):
                if (typ := strings[number]) is not None:
                    types[variable] = typ
            if len(row) > end_after:
                places = dict(zip(shown, row[end_after : end_after + n_shown], strict=True))
                own = [strings[number] for number in row[end_after + n_shown :]]
                names = dict(zip(shown, own, strict=True))
                if len(set(own)) < n_shown:
                    names = unique_names(names)
        return Example(
            identifier, texts[0], tuple(texts[1 : 1 + n2]), goal, tuple(texts[1 + n2 : 1 + n2 + n4]),
            tuple(texts[1 + n2 + n4 :]), strings[kind], types, strings[theorem], strings[name], strings[session],
            strings[theory], proof, target_step, consequence_step, strings[command], strings[after], strings[mark],
            fixed, tuple(row[end_types:end_introduced]), tuple(row[end_introduced:end_after]), names,
            proof_row if proof_row >= 0 else None, places,
        )  # fmt: skip


_SOME = 256
_VARIABLES = [f"<X{number}>" for number in range(_SOME)]
