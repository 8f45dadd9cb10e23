"""Checking many proposals: chunks of examples on processes of this machine, resumable.

Each finished chunk is a Parquet file beside the table to come; `--resume` keeps those and does the rest. The table
is the chunks in order, so how the work was spread and interrupted leaves no trace in it.
"""

from __future__ import annotations

import gc
import hashlib
import io
import json
import multiprocessing
import os
import shutil
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.common.file_reading import parse_json, read_parquet
from isarstep.common.files import one_writer, write_whole
from isarstep.common.memory import without_collection
from isarstep.premises.fact_base import Library
from isarstep.prover.atp.launcher import PR_SET_PDEATHSIG, process_control
from isarstep.prover.atp.provers import KILLED, Cache, ProverLimits, Provers
from isarstep.prover.atp.schedule import Effort
from isarstep.prover.check.checker_name import checker_name
from isarstep.prover.check.step_checker import Checker
from isarstep.prover.outcomes.verdict import COLUMNS, row
from isarstep.prover.rewrite.simp_rules import SimpRules

CHUNK = 8  # examples: small enough to lose little when interrupted, large enough to amortise a start

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that a verdict depends on; a resumed run must agree with it."""

    benchmark: str
    split: str
    seconds: float = 1.2  # of processor time for one gap, of all provers together
    memory: int = 2 << 30
    library: int = 1024  # most facts that a prover is given

    def key(self, work: Sequence[Work]) -> str:
        # The hash is that of all files: examples, and the signature that says what exists where they stand.
        document = json.dumps(
            [asdict(self), Benchmark(self.benchmark).hash, checker_name(), [asdict(item) for item in work]]
        )
        return hashlib.sha256(document.encode()).hexdigest()

    def metadata(self, provers: str) -> dict[str, str]:
        """Of a table of verdicts."""
        return {"provers": provers, "checker": checker_name(), "settings": str(self)}


@dataclass(frozen=True, slots=True)
class Work:
    """Proposals for one example, best first."""

    position: int  # in the split
    proposals: tuple[str, ...]


def open_checker(settings: Settings, cache: Path | None = None) -> tuple[Benchmark, Checker]:
    benchmark = Benchmark(settings.benchmark)
    provers = Provers(ProverLimits(settings.seconds, settings.memory, width=1), Cache(cache))
    facts = Library.of_benchmark(benchmark) if benchmark.has_facts and settings.library else None
    simp = None if facts is None else SimpRules.of_benchmark(benchmark, facts)
    effort = Effort(settings.seconds, settings.library)
    return benchmark, Checker(benchmark.theory_contexts, provers, facts, effort, simp=simp)


# One checker a process: reading the fact base takes longer than checking a chunk.
_opened = lru_cache(maxsize=None)(open_checker)


def run_chunk(settings: Settings, chunk: Sequence[Work], cache: str | None) -> list[Row]:
    """The rows of a chunk; runs in a worker process."""
    with without_collection():
        benchmark, checker = _opened(settings, Path(cache) if cache else None)
        split = benchmark.split(settings.split)
        rows: list[Row] = []
        for item in chunk:
            example = split[item.position]
            rows += [row(checker.check(example, proposal, rank)) for rank, proposal in enumerate(item.proposals)]
    # What a check leaves in circles is young. To look among all facts and rules, too, takes seconds each time.
    gc.collect(1)
    return rows


def schema() -> pa.Schema:
    types = {"list<string>": pa.list_(pa.string()), "bool": pa.bool_()}
    return pa.schema([(name, types.get(typ) or pa.type_for_alias(typ)) for name, typ in COLUMNS.items()])


def write_verdicts(path: Path, rows: Sequence[Row], metadata: dict[str, str] | None = None) -> None:
    _write_table(path, pa.Table.from_pylist(list(rows), schema=schema().with_metadata(metadata or {})))


def _write_table(path: Path, table: pa.Table) -> None:
    packed = io.BytesIO()
    pq.write_table(table, packed, compression="zstd")
    write_whole(path, packed.getvalue())


def parts_folder(out: Path) -> Path:
    """The folder of the finished chunks of a table of verdicts."""
    return out.with_name(out.name + ".parts")


def writing_verdicts(out: Path) -> AbstractContextManager[None]:
    """Hold the lock of a table in the making; it is beside its folder, which is removed and made again."""
    return one_writer(parts_folder(out), out.with_name(f".{out.name}.lock"))


class Run:
    """One table of verdicts in the making: which chunks exist, which are missing."""

    def __init__(self, out: Path, settings: Settings, work: Sequence[Work], *, resume: bool) -> None:
        self.out, self.settings = out, settings
        self.parts = parts_folder(out)
        self.chunks = [tuple(work[i : i + CHUNK]) for i in range(0, len(work), CHUNK)]
        self._key = settings.key(work)
        note = self.parts / "run.json"
        if self.parts.exists() and resume:
            try:
                known = parse_json(note.read_text(encoding="utf-8")) if note.exists() else {}
            except ValueError:
                known = {}
            if not isinstance(known, dict) or known.get("key") != self._key:
                raise UserError(f"{self.parts}: from other predictions or settings; remove it or leave --resume away")
        else:
            shutil.rmtree(self.parts, ignore_errors=True)
            self.parts.mkdir(parents=True)
            write_whole(note, json.dumps({"key": self._key}))

    @property
    def cache(self) -> Path:
        return self.parts / "answers.sqlite"

    def part(self, number: int) -> Path:
        return self.parts / f"{number:06}.parquet"

    def missing(self) -> list[int]:
        return [number for number in range(len(self.chunks)) if not self.part(number).exists()]

    def finish(self, metadata: dict[str, str]) -> pa.Table:
        """Put the chunks together, remove them, and return the table."""
        if missing := self.missing():
            raise UserError(
                f"{len(missing)} of {len(self.chunks)} chunks are not done: provers were killed, perhaps because memory"
                " ran out; go on with --resume"
            )
        table = self.finished().replace_schema_metadata(metadata)
        _write_table(self.out, table)
        shutil.rmtree(self.parts)
        return table

    def finished(self) -> pa.Table:
        """The verdicts of the chunks that are done: of an interrupted run a fair sample."""
        parts = [self.part(number) for number in range(len(self.chunks))]
        cure = "remove it and go on with --resume"
        tables = [read_parquet(part, cure, list(COLUMNS)) for part in parts if part.exists()]
        return pa.concat_tables(tables) if tables else schema().empty_table()


def run_local(run: Run, jobs: int) -> Iterator[int]:
    """Check what is missing on this machine; yields the number of verdicts of each finished chunk."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_end_with, initargs=(os.getpid(),)) as pool:
        # In an order that has nothing to do with theories, so that what an interrupted run has done is a fair sample.
        order = sorted(run.missing(), key=lambda number: hashlib.sha256(str(number).encode()).digest())
        try:
            chunks = {pool.submit(run_chunk, run.settings, run.chunks[n], str(run.cache)): n for n in order}
            for future in as_completed(chunks):
                rows = future.result()
                if not any(_was_killed(cells) for cells in rows):
                    write_verdicts(run.part(chunks[future]), rows)
                    yield len(rows)
        finally:
            # Workers end at once, and with them their provers; to take apart what they hold would take them a minute.
            for process in list((pool._processes or {}).values()):
                process.terminate()
            pool.shutdown(wait=False, cancel_futures=True)


def _end_with(parent: int) -> None:
    """Make the kernel kill this worker when its parent dies: an idle worker would never notice a kill -9."""
    process_control(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _was_killed(cells: Row) -> bool:
    """Whether a verdict hangs on a prover that somebody killed: it is no verdict, and the chunk is done again."""
    return any(str(value).startswith(f"unknown: {KILLED}") for name, value in cells.items() if name.endswith("_result"))


def default_jobs() -> int:
    """The processors that this process may use, where the system says so."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
