"""Our examples in other forms: the original release's files, and records (JSONL, Parquet) in tokens, Unicode or LaTeX.

Records are made by several processes, in pieces of a split: pieces of examples of the same theories where these are
shown in the notation of their own theories, because the notation of a theory takes longer to prepare than an example
to write; else pieces of neighbours. The files have the examples in the order of the split.
"""

from __future__ import annotations

import json
import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TextIO, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from isarstep.benchmark.export.card import card
from isarstep.benchmark.export.croissant import croissant
from isarstep.benchmark.export.display import Printer
from isarstep.benchmark.export.formats import LABEL_OF, META, SEPARATOR
from isarstep.benchmark.store.canary import CANARY
from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.store import Benchmark, Split, benchmark_at
from isarstep.common.files import write_whole, writing_whole
from isarstep.common.progress import Watched

_Work: TypeAlias = Callable[[str, Sequence[range | list[int]]], Iterator[pa.Table]]

_RELEASE_NAME = {"validation": "valid"}
_PIECE = 8192  # examples that one process writes at a time
_THEORIES_PIECE = 200  # the same where theories are kept together


def source_line(example: Example, *, hints: bool) -> str:
    """One line of `source.txt`, or of `source_g.txt` with F.5."""
    fields: dict[int, list[str]] = {2: [], 3: [], 4: [], **({5: []} if hints else {})}
    for number, text in example.source(hints=hints):
        fields[number].append(text if number == 3 else f"{SEPARATOR} {text}")
    return " ".join(" ".join([LABEL_OF[number], *texts]) for number, texts in fields.items())


def meta_line(example: Example) -> str:
    """The eleven fields of `meta.txt`. Our miner has no refinement locations; the theorem carries its identity."""
    compound = "0" if example.target_kind == "compound" else "-1"
    parts = [
        example.theory, f"{example.name}@{example.theorem}", str(example.target_step), "-1", compound, example.f1,
        str(example.f3 is not None), str(example.consequence_step), "-1", "-1", example.f3 or "",
    ]  # fmt: skip
    return META.join(parts)


def _filled(benchmark: Benchmark, out: Path, splits: Sequence[str] | None) -> Iterator[tuple[str, Split]]:
    """The splits that have examples; the folder is there."""
    out.mkdir(parents=True, exist_ok=True)
    for name in splits or benchmark.splits:
        split = benchmark.split(name)
        if len(split):
            yield name, split


def export_release(benchmark: Benchmark, out: Path, splits: Sequence[str] | None = None) -> list[Path]:
    """`train.source.txt`, `train.source_g.txt`, `train.target.txt`, `train.meta.txt` and so on."""
    written: list[Path] = []
    for name, split in _filled(benchmark, out, splits):
        begin = _RELEASE_NAME.get(name, name)
        paths = [out / f"{begin}.{part}.txt" for part in ("source", "source_g", "target", "meta")]
        with _writing(paths) as files:
            for example in split:
                lines = (
                    source_line(example, hints=False), source_line(example, hints=True), example.f1, meta_line(example)
                )  # fmt: skip
                for file, line in zip(files, lines, strict=True):
                    file.write(line + "\n")
        written += paths
    return written


def export_records(
    benchmark: Benchmark,
    out: Path,
    splits: Sequence[str] | None = None,
    *,
    form: str = "jsonl",
    style: str = "tokens",
    hints: bool = True,
    jobs: int = 1,
) -> list[Path]:
    """Write one record for every example.

    Args:
        benchmark: the benchmark.
        out: the folder for the files.
        splits: their names; all if none are given.
        form: `jsonl` for `train.jsonl` and so on, with the card and Croissant metadata beside them; `parquet` for
            `train.parquet` and so on, nothing else; `hf` for a data set on the Hugging Face hub: the card,
            Croissant metadata, and Parquet files in `data`.
        style: how propositions are written: `tokens`, `unicode` or `latex`.
        hints: whether records have F.5.
        jobs: how many processes work.

    Returns:
        The files that were written.
    """
    folder = out / "data" if form == "hf" else out
    filled = list(_filled(benchmark, folder, splits))
    asked = _Asked(benchmark.where, benchmark.manifest["hash"], style, hints)
    written: list[Path] = []
    total = sum(len(split) for _, split in filled)
    with Watched("export", total) as watched, _workers(asked, jobs if total > _PIECE else 1) as work:
        for name, split in filled:
            path = folder / f"{name}.{'jsonl' if form == 'jsonl' else 'parquet'}"
            with _record_writer(path, form, hints) as write:
                for records in _in_order(name, split, style, work, watched):
                    write(records)
            written.append(path)
    if form == "parquet":
        return written
    texts = {
        "README.md": card(benchmark.manifest, written, out),
        "croissant.json": json.dumps(
            croissant(benchmark.manifest, written, out, hints=hints), indent=1, ensure_ascii=False
        )
        + "\n",
    }
    for file_name, text in texts.items():
        write_whole(out / file_name, text)
    return [*written, *(out / file_name for file_name in texts)]


@dataclass(frozen=True)
class _Asked:
    """What every process has to know."""

    where: str
    digest: str
    style: str
    hints: bool


class _Maker:
    """Records of pieces of splits, made in one process."""

    def __init__(self, asked: _Asked) -> None:
        self._asked = asked
        self._benchmark = benchmark_at(asked.where)
        if self._benchmark.manifest["hash"] != asked.digest:
            self._benchmark = Benchmark(asked.where)
        self._splits = cache(self._benchmark.split)
        # What is scored is written so that it can be read back where it stands; a million examples would take hours.
        self._printers = cache(lambda at_home: Printer(self._benchmark, asked.style, at_home=at_home))

    def records(self, name: str, places: range | list[int]) -> pa.Table:
        printer = self._printers(name != "train")
        rows = [_record(example, printer.of(example), self._asked.hints) for example in self._read(name, places)]
        return pa.Table.from_pylist(rows, schema=record_schema(self._asked.hints))

    def _read(self, name: str, places: range | list[int]) -> Iterable[Example]:
        """Neighbours by the reader of neighbours."""
        split = self._splits(name)
        return split.between(places.start, places.stop) if isinstance(places, range) else split[places]


_maker: _Maker | None = None  # of a worker process


def _open(asked: _Asked) -> None:
    global _maker
    _maker = _Maker(asked)


def _made(name: str, places: range | list[int]) -> pa.Table:
    assert _maker is not None
    return _maker.records(name, places)


@contextmanager
def _workers(asked: _Asked, jobs: int) -> Iterator[_Work]:
    """A function that gives the records of pieces, in the order of the pieces."""
    if jobs <= 1:
        maker = _Maker(asked)
        yield lambda name, pieces: (maker.records(name, places) for places in pieces)
        return
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _open, (asked,)) as pool:

        def work(name: str, pieces: Sequence[range | list[int]]) -> Iterator[pa.Table]:
            waiting: deque[Future[pa.Table]] = deque()
            for places in pieces:
                waiting.append(pool.submit(_made, name, places))
                if len(waiting) > 2 * jobs:  # so that finished pieces do not fill the memory
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()

        try:
            yield work
        finally:
            pool.shutdown(cancel_futures=True)


def _in_order(name: str, split: Split, style: str, work: _Work, watched: Watched) -> Iterator[pa.Table]:
    """The records of a split in its order."""
    pieces = _pieces(name, split, style)
    ranges = isinstance(pieces[0], range)
    tables = []
    for places, records in zip(pieces, work(name, pieces), strict=True):
        watched.advance(len(places))
        if ranges:
            yield records
        else:
            tables.append(records)
    if tables:
        order = np.argsort(np.concatenate([np.asarray(places) for places in pieces]))
        yield pa.concat_tables(tables).take(order)


def _pieces(name: str, split: Split, style: str) -> Sequence[range | list[int]]:
    if name == "train" or style != "unicode":
        return [range(start, min(start + _PIECE, len(split))) for start in range(0, len(split), _PIECE)]
    by_theory: dict[str, list[int]] = {}
    for place, theory in enumerate(split.column("theory")):
        by_theory.setdefault(theory, []).append(place)
    pieces: list[list[int]] = [[]]
    for theory in sorted(by_theory):  # theories of one session, which share their parents, come together
        if len(pieces[-1]) >= _THEORIES_PIECE:
            pieces.append([])
        pieces[-1] += by_theory[theory]
    return pieces


def record_schema(hints: bool) -> pa.Schema:
    """The columns of a record in Parquet."""
    lines = pa.list_(pa.string())
    names = {"f2": lines, "f4": lines, "f5": lines, "variables": lines, "types": lines}
    order = ("id", "theorem", "name", "session", "step", "target_kind", "f1", "f2", "f3", "f4", "f5")
    wanted = [name for name in (*order, "variables", "types", "canary") if hints or name != "f5"]
    return pa.schema([(name, names.get(name, pa.string())) for name in wanted])


@contextmanager
def _record_writer(path: Path, form: str, hints: bool) -> Iterator[Callable[[pa.Table], None]]:
    """A function that appends records to a file, which gets its name when all are written."""
    if form == "jsonl":
        with _writing([path]) as [file]:

            def write(records: pa.Table) -> None:
                for record in records.to_pylist():
                    file.write(json.dumps(record, ensure_ascii=False) + "\n")

            yield write
        return
    schema = record_schema(hints).with_metadata({"canary": CANARY})
    with writing_whole(path) as temporary, pq.ParquetWriter(temporary, schema, compression="zstd") as parquet:
        yield lambda records: parquet.write_table(records.replace_schema_metadata(schema.metadata))


def _record(example: Example, show: Callable[[str], str], hints: bool) -> dict[str, object]:
    return {
        "id": example.id,
        "theorem": example.theorem,
        "name": example.name,
        "session": example.session,
        "step": example.step_id,
        "target_kind": example.target_kind,
        "f1": show(example.f1),
        "f2": [show(text) for text in example.f2],
        "f3": None if example.f3 is None else show(example.f3),
        "f4": [show(text) for text in example.f4],
        **({"f5": [show(text) for text in example.f5]} if hints else {}),
        # Two lists, not an object: its keys would become columns in every table that is made of the records.
        "variables": [show(f"FREE {variable}").removeprefix("PROP ") for variable in example.types],
        "types": list(example.types.values()),
        "canary": CANARY,
    }


@contextmanager
def _writing(paths: list[Path]) -> Iterator[list[TextIO]]:
    """Text files that get their names when all is written."""
    with ExitStack() as stack:
        temporary = [stack.enter_context(writing_whole(path)) for path in paths]
        with ExitStack() as files:
            yield [files.enter_context(each.open("w", encoding="utf-8", newline="\n")) for each in temporary]
