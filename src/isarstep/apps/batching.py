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

from isarstep.apps.admission import LONGEST_WAIT
from isarstep.apps.engine import BEAM, MARGIN, Engine
from isarstep.apps.events import TooLateError
from isarstep.benchmark.problems.task import Task
from isarstep.common.cancellation import DeadlineError, check_deadline, working_until
from isarstep.prover.outcomes.step import Step

LARGEST = 8  # tasks of one search: 16 take 2 % less processor time each, and all of them wait for the slowest
SOURCE_TOKENS = 4_096  # of one search
PACE_MEMORY = 0.8  # how much of the pace is that of earlier searches
SHARE = 0.25  # of the time that its tasks have left, what one search may take: some take five times as long as others
ROOM = 0.7  # of the time that a task has, what may be spoken for when it is accepted


@dataclass(frozen=True, eq=False)
class SearchRequest:
    """One task in the queue."""

    task: Task
    beam: int
    margin: float
    deadline: float  # on the monotonic clock
    answer: Future[list[Step]] = field(default_factory=Future)

    @property
    def kind(self) -> tuple[int, float]:
        """Only searches of one kind can share a batch."""
        return self.beam, self.margin


class Batcher:
    """Searches for others, many at once. `largest=1` is the same without micro-batching."""

    def __init__(self, engine: Engine, largest: int = LARGEST) -> None:
        self.engine = engine
        self.largest = largest
        self.sizes: Counter[int] = Counter()  # of the batches so far
        self.searching = 0  # tasks of the search that runs
        self.late = 0  # tasks that were searched for longer than they had time
        self._pace: float | None = None  # seconds that a hypothesis of a search takes, lately
        self._queued = 0  # hypotheses of tasks whose search has not begun
        self._ends: float | None = None  # when the search that runs will probably end
        self._promised = 0.0  # until then, what becomes free is for those who were sent away before
        self._counting = threading.Lock()
        self._arriving: queue.SimpleQueue[SearchRequest | None] = queue.SimpleQueue()
        self._waiting: deque[SearchRequest] = deque()
        self._thread = threading.Thread(target=self._run, name="search", daemon=True)
        self._thread.start()

    def submit(self, task: Task, beam: int, margin: float = MARGIN, deadline: float = math.inf) -> Future[list[Step]]:
        """The steps, or TooLateError as soon as it is clear that they would come after the deadline."""
        request = SearchRequest(task, beam, margin, deadline)
        self._count(beam)
        self._arriving.put(request)
        return request.answer

    def search_all(self, task: Task, beam: int) -> Future[list[Step]]:
        """However unlikely: for those who try everything."""
        return self.submit(task, beam, margin=math.inf)

    def seconds_until(self, beam: int) -> float:
        """How long a task that is submitted now would probably wait for its answer."""
        running = 0.0 if self._ends is None else max(0.0, self._ends - time.monotonic())
        return max(running + self._expected(self._queued + beam), self._expected(BEAM))

    def has_room(self, beam: int, seconds: float) -> bool:
        """Would a task that is submitted now have its answer in so many seconds? An idle server tries in any case:
        nothing else would mend its estimate."""
        return self.idle or self.seconds_until(beam) <= ROOM * seconds

    def turn(self, beam: int, seconds: float) -> float:
        """When there will be room for one more who is sent away now, in seconds: each is told a later time than the one
        before. Nothing is kept for a budget in which not even an idle server answers, nor while nobody waits."""
        now, wait = time.monotonic(), self.seconds_until(beam)
        room, alone = wait - ROOM * seconds, self._expected(max(BEAM, beam))
        with self._counting:
            if self._queued == 0:
                self._promised = now  # whoever was sent away before would have had room
            if alone > ROOM * seconds:
                return max(self._promised - now, wait - alone)
            self._promised = min(max(self._promised, now + room) + self._expected(beam), now + LONGEST_WAIT)
            return self._promised - now

    @property
    def queued(self) -> int:
        """Tasks whose search has not begun."""
        return self._arriving.qsize() + len(self._waiting)

    @property
    def idle(self) -> bool:
        """Nobody waits: whoever comes now is searched for at once."""
        return self._queued == 0 and self._ends is None

    def _expected(self, hypotheses: int) -> float:
        return hypotheses * (self._pace or 0.0)

    def _count(self, hypotheses: int) -> None:
        with self._counting:
            self._queued += hypotheses

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
            self._drop_late()
            if self._waiting:
                self._search(self._next())

    def _take(self, request: SearchRequest | None) -> bool:
        if request is not None:
            self._waiting.append(request)
        return request is not None

    def _drop_late(self) -> None:
        """Send those away who left or whose search would not end in time; one alone is tried in any case."""
        now = time.monotonic()
        kept = [request for request in self._waiting if not request.answer.cancelled()]
        if len(kept) > 1:
            kept = [request for request in kept if now + self._expected(max(BEAM, request.beam)) <= request.deadline]
        for request in self._waiting:
            if request not in kept:
                self._count(-request.beam)
                if request.answer.set_running_or_notify_cancel():
                    request.answer.set_exception(TooLateError())
        self._waiting = deque(kept)

    def _next(self) -> list[SearchRequest]:
        """The first in the queue and others of its kind, as many as fit into a search and into its time."""
        first = self._waiting[0]
        largest = self.largest
        if first.deadline < math.inf:
            # Until a first search has told how long one takes, one at a time.
            most = SHARE * (first.deadline - time.monotonic())
            largest = min(largest, int(most / self._expected(first.beam)) if self._pace else 1)
        chosen: list[SearchRequest] = []
        rest: deque[SearchRequest] = deque()
        room = SOURCE_TOKENS
        for request in self._waiting:
            size = source_tokens(request.task)
            if not chosen or (request.kind == first.kind and len(chosen) < largest and size <= room):
                chosen.append(request)
                room -= size
            else:
                rest.append(request)
        self._waiting = rest
        return chosen

    def _search(self, batch: list[SearchRequest]) -> None:
        hypotheses = sum(request.beam for request in batch)
        batch = [request for request in batch if request.answer.set_running_or_notify_cancel()]
        began = time.monotonic()
        self._ends = began + self._expected(hypotheses)
        self._count(-hypotheses)
        found: list[list[Step]] = []
        wrong: BaseException | None = None
        if batch:
            self.sizes[len(batch)] += 1
            self.searching = len(batch)
            try:
                with working_until(max(request.deadline for request in batch)):
                    found = self.engine.search([request.task for request in batch], *batch[0].kind)
            except BaseException as error:
                wrong = error
            now = time.monotonic()
            self.late += sum(request.deadline < now for request in batch)
            # A narrow search takes hardly less than the usual one: its time says nothing about a hypothesis.
            pace = (now - began) / max(BEAM, sum(request.beam for request in batch))
            self._pace = pace if self._pace is None else PACE_MEMORY * self._pace + (1 - PACE_MEMORY) * pace
        self._ends = None  # before the answers: whoever has one may ask again at once
        for place, request in enumerate(batch):
            if wrong is None:
                request.answer.set_result(found[place])
            elif len(batch) == 1:
                request.answer.set_exception(TooLateError() if isinstance(wrong, DeadlineError) else wrong)
            else:
                self._alone(request)
        self.searching = 0

    def _alone(self, request: SearchRequest) -> None:
        """After a search of several that failed: only the task that is to blame has no answer."""
        try:
            with working_until(request.deadline):
                check_deadline()
                request.answer.set_result(self.engine.search([request.task], *request.kind)[0])
        except DeadlineError:
            request.answer.set_exception(TooLateError())
        except BaseException as error:
            request.answer.set_exception(error)


def source_tokens(task: Task) -> int:
    """Tokens that the model reads, hints included."""
    example = task.example
    return sum(text.count(" ") + 1 for text in (*example.f2, example.f3 or "", *example.f4, *example.f5))
