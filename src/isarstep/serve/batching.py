"""Micro-batching: requests that wait while a search runs are searched together in the next one.

One thread owns the model. Nobody waits for a batch to fill: an idle server answers a lone request at once.
"""

from __future__ import annotations

import math
import queue
import threading
import time
from collections import Counter, deque
from concurrent.futures import Future
from dataclasses import dataclass, field

from isarstep.prove.step import Step
from isarstep.serve.engine import BEAM, MARGIN, Constraint, Engine
from isarstep.theory.task import Task

LARGEST = 16  # tasks of one search: more make each of them wait longer than they save
SOURCE_TOKENS = 4_096  # of one search
PACE_MEMORY = 0.8  # how much of the pace is that of earlier searches


@dataclass(frozen=True)
class Wanted:
    """One task in the queue."""

    task: Task
    beam: int
    constraint: Constraint
    margin: float
    answer: Future[list[Step]] = field(default_factory=Future)

    @property
    def kind(self) -> tuple[int, Constraint, float]:
        """Only searches of one kind can share a batch."""
        return self.beam, self.constraint, self.margin


class Batcher:
    """Searches for others, many at once. `largest=1` is the same without micro-batching."""

    def __init__(self, engine: Engine, largest: int = LARGEST) -> None:
        self.engine = engine
        self.largest = largest
        self.sizes: Counter[int] = Counter()  # of the batches so far
        self._pace: float | None = None  # seconds that a hypothesis of a search takes, lately
        self._backlog = 0  # hypotheses of the tasks that have no answer yet
        self._counting = threading.Lock()
        self._arriving: queue.SimpleQueue[Wanted | None] = queue.SimpleQueue()
        self._waiting: deque[Wanted] = deque()
        self._thread = threading.Thread(target=self._run, name="search", daemon=True)
        self._thread.start()

    def submit(
        self, task: Task, beam: int, constraint: Constraint = "types", margin: float = MARGIN
    ) -> Future[list[Step]]:
        wanted = Wanted(task, beam, constraint, margin)
        self._count(beam)
        self._arriving.put(wanted)
        return wanted.answer

    def search_all(self, task: Task, beam: int) -> Future[list[Step]]:
        """However unlikely: for those who try everything."""
        return self.submit(task, beam, margin=math.inf)

    def seconds_until(self, beam: int) -> float:
        """How long a task that is submitted now would probably wait for its answer."""
        return max(BEAM, self._backlog + beam) * (self._pace or 0.0)

    @property
    def idle(self) -> bool:
        """Nobody waits: whoever comes now is searched for at once."""
        return self._backlog == 0

    def _count(self, hypotheses: int) -> None:
        with self._counting:
            self._backlog += hypotheses

    def close(self, *, wait: bool = True) -> None:
        """Finish what is waiting, then end; nobody need wait for it."""
        self._arriving.put(None)
        if wait:
            self._thread.join()

    def _run(self) -> None:
        open_ = True
        while open_ or self._waiting:
            if not self._waiting and open_:
                open_ = self._take(self._arriving.get())
            while not self._arriving.empty():
                open_ = self._take(self._arriving.get()) and open_
            if self._waiting:
                self._search(self._next())

    def _take(self, wanted: Wanted | None) -> bool:
        if wanted is not None:
            self._waiting.append(wanted)
        return wanted is not None

    def _next(self) -> list[Wanted]:
        """The first in the queue and others of its kind, as many as fit."""
        kind = self._waiting[0].kind
        chosen: list[Wanted] = []
        rest: deque[Wanted] = deque()
        room = SOURCE_TOKENS
        for wanted in self._waiting:
            size = source_tokens(wanted.task)
            if wanted.kind == kind and len(chosen) < self.largest and (size <= room or not chosen):
                chosen.append(wanted)
                room -= size
            else:
                rest.append(wanted)
        self._waiting = rest
        return chosen

    def _search(self, batch: list[Wanted]) -> None:
        everything = sum(wanted.beam for wanted in batch)
        # Whoever has gone away in the meantime needs no answer.
        batch = [wanted for wanted in batch if wanted.answer.set_running_or_notify_cancel()]
        if batch:
            began = time.monotonic()
            self._answer(batch)
            # A narrow search takes hardly less than the usual one: its time says nothing about a hypothesis.
            pace = (time.monotonic() - began) / max(BEAM, sum(wanted.beam for wanted in batch))
            self._pace = pace if self._pace is None else PACE_MEMORY * self._pace + (1 - PACE_MEMORY) * pace
        self._count(-everything)

    def _answer(self, batch: list[Wanted]) -> None:
        self.sizes[len(batch)] += 1
        try:
            found = self.engine.search([wanted.task for wanted in batch], *batch[0].kind)
        except BaseException as error:
            for wanted in batch:
                wanted.answer.set_exception(error)
            return
        for wanted, steps in zip(batch, found, strict=True):
            wanted.answer.set_result(steps)


def source_tokens(task: Task) -> int:
    """Tokens that the model reads, hints included."""
    example = task.example
    return sum(text.count(" ") + 1 for text in (*example.f2, example.f3 or "", *example.f4, *example.f5))
