"""One thread of provers that many requests share: each gets one question answered, then it is the next one's turn."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from isarstep.apps.engine import Engine
from isarstep.common.cancellation import Unwanted, let_arrive, raise_in, surely
from isarstep.prover.check.prover_session import Proving

STUBBORN = 1.0  # seconds after which work on provers' questions is ended that nobody wants
AGAIN = 0.1  # seconds after which it is told again: somebody may have caught it


@dataclass
class Job:
    """Work in small pieces: `work` is advanced once a turn; `tell` gets what it yields, then the end or an error."""

    work: Callable[[Proving], Iterator[Any]]
    on_result: Callable[[object], None]
    seconds: float
    library: int
    cancelled: bool = False
    pieces: Iterator[Any] | None = None


class Finished:
    """The end of a job."""


class ProverQueue:
    """Runs jobs until it is closed; what is under way then is finished."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._arriving: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._jobs: deque[Job] = deque()
        self._open = True
        self._proving: Proving | None = None
        self._current: Job | None = None
        self._changing = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="provers", daemon=True)
        self._thread.start()

    @property
    def under_way(self) -> int:
        """Jobs that are not over."""
        return self._arriving.qsize() + len(self._jobs) + (self._current is not None)

    def submit(self, job: Job) -> None:
        self._arriving.put(job)

    def cancel(self, job: Job) -> None:
        """Nobody wants it any more. Provers look whether they are wanted, but what is written for them may take long:
        it is ended after a while, whatever becomes of who asked."""
        with self._changing:
            job.cancelled = True
            if self._current is job:
                self._interrupt_after(STUBBORN, job)

    def _interrupt_after(self, seconds: float, job: Job) -> None:
        timer = threading.Timer(seconds, self._interrupt, (job,))
        timer.daemon = True
        timer.start()

    def _interrupt(self, job: Job) -> None:
        with self._changing:
            if self._current is job and self._thread.ident is not None:
                raise_in(self._thread.ident)
                self._interrupt_after(AGAIN, job)

    def _begin(self, job: Job) -> bool:
        """False of a job that nobody wants."""
        with self._changing:
            if not job.cancelled:
                self._current = job
            return not job.cancelled

    def _end(self) -> None:
        with self._changing:
            self._current = None
        let_arrive()  # or it would end whatever comes next

    def close(self) -> None:
        self._arriving.put(None)
        self._thread.join()

    def _run(self) -> None:
        try:
            while self._open or self._jobs:
                try:
                    self._work()
                except Unwanted:  # it was told twice, the second time where nobody expects it
                    surely(self._end)
        finally:
            if self._proving is not None:
                self._proving.close()

    def _work(self) -> None:
        while self._open or self._jobs:
            while not self._arriving.empty() or (self._open and not self._jobs):
                arrived = self._arriving.get()
                if arrived is None:
                    self._open = False
                    break
                self._jobs.append(arrived)
            if self._jobs:
                self._proving = self._proving or self._engine.proving(library=0)
                job = self._jobs.popleft()
                if self._advance(job, self._proving):
                    self._jobs.append(job)

    def _advance(self, job: Job, proving: Proving) -> bool:
        """One piece of a job; False when it is over."""
        try:
            proving.limit(job.seconds, job.library)
            proving.work_while(lambda: not job.cancelled)
            if job.pieces is None:
                job.pieces = job.work(proving)
            if not self._begin(job):
                return False
            try:
                item = next(job.pieces)
            finally:
                surely(self._end)
            job.on_result(item)
        except Unwanted:
            proving.close()  # it may be in the middle of a conversation with them; they start again when asked
            return False
        except StopIteration:
            job.on_result(Finished())
            return False
        except Exception as error:
            job.on_result(error)
            return False
        return True
