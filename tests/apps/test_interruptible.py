"""A request's Python work ends with its budget, with its client and with the server, and is counted until it ends."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from tests.drawn import drawn
from tests.waiting import PATIENCE, PAUSE, until

from isarstep.apps.interruptible import Workers
from isarstep.apps.prover_queue import Job, ProverQueue
from isarstep.apps.service.service import Clock, OutOfTimeError, Service
from isarstep.common.cancellation import Piece, Unwanted, undisturbed
from isarstep.isabelle.theory.problems.problem import ProblemError

MOST = 2.0  # seconds of processor time beyond a budget


def for_ever() -> None:
    """As types that are copied exponentially: pure Python, in small steps, and everything that is raised is mended."""
    while True:
        try:
            [None for _ in range(1000)]
        except Exception:
            continue


def test_a_thread_is_taken_for_ever() -> None:
    async def ask() -> None:
        workers = Workers(1)
        used = time.process_time()
        with pytest.raises(TimeoutError):
            await workers.within(0.05, for_ever)
        assert time.process_time() - used < MOST
        assert await workers.within(600, lambda: 7) == 7  # on the same thread
        assert until(lambda: not workers.running)

    asyncio.run(ask())


def test_nobody_is_counted_while_a_thread_works_for_who_went_away() -> None:
    async def ask() -> None:
        workers = Workers(1)
        waiting = asyncio.ensure_future(workers.within(600, for_ever))
        while not workers.running:
            await asyncio.sleep(0.01)
        assert len(workers.running) == 1
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert until(lambda: not workers.running)
        assert await workers.within(600, lambda: 7) == 7

    asyncio.run(ask())


def test_a_stop_leaves_work_running() -> None:
    workers = Workers(1)
    piece = workers.submit(for_ever)
    assert until(lambda: workers.running)

    def ended() -> bool:
        workers.interrupt_all()
        return piece.answer.done()

    assert until(ended)
    assert isinstance(piece.answer.exception(), Unwanted)


@pytest.mark.reduced
def test_work_that_is_ended_a_moment_too_late_is_counted_for_ever() -> None:
    """Work that ends by itself while others end it: wherever that hits, it is told and counted no more."""
    workers = Workers(2)
    for number in range(drawn(1000)):
        piece = workers.submit(lambda number=number: [None for _ in range(number)])
        while not (piece.answer.running() or piece.answer.done()):
            time.sleep(0)
        for _ in range(1_000_000):
            if piece.answer.done():
                break
            piece.interrupt()
        assert until(piece.answer.done)
    assert until(lambda: not workers.running)
    ends = [workers.submit(lambda: 7) for _ in range(4)]
    assert [piece.answer.result(600) for piece in ends] == [7] * 4
    assert until(lambda: not workers.running)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_thread_that_dies_takes_its_piece_and_its_place_with_it() -> None:
    """What is raised in a thread may arrive outside of every `try`."""

    class Dying(Piece):
        def run(self) -> None:
            self.answer.set_running_or_notify_cancel()
            raise SystemExit

    workers = Workers(1)
    piece = Dying(lambda: 7)
    workers._pieces.put(piece)
    assert isinstance(piece.answer.exception(600), Unwanted)
    assert until(lambda: not workers.running)
    assert workers.submit(lambda: 8).answer.result(600) == 8


def test_what_waits_is_never_begun() -> None:
    workers = Workers(1)
    first = workers.submit(for_ever)
    assert until(lambda: workers.running)
    begun: list[int] = []
    second = workers.submit(lambda: begun.append(1))
    second.interrupt()
    assert until(lambda: first.interrupt() or first.answer.done())
    assert workers.submit(lambda: 7).answer.result(600) == 7
    assert begun == []


def test_what_is_made_for_all_is_begun_again_and_again() -> None:
    """It is finished, and then the request ends."""
    workers = Workers(1)
    made: list[int] = []
    inside, go = threading.Event(), threading.Event()

    def work() -> None:
        with undisturbed():
            inside.set()
            go.wait(600)
            while len(made) < 1000:
                made.append(len(made))
        for_ever()

    piece = workers.submit(work)
    assert inside.wait(600)
    piece.interrupt()
    go.set()
    assert until(piece.answer.done)
    assert len(made) == 1000
    assert isinstance(piece.answer.exception(), Unwanted)


def service() -> Service:
    made = Service.__new__(Service)
    made.workers = Workers(1)
    return made


def test_an_answer_is_refused_when_its_budget_is_over() -> None:
    with pytest.raises(OutOfTimeError, match=r"not understood within 0.05 s"):
        asyncio.run(service().computed(Clock(0.05), for_ever))


@pytest.mark.parametrize("error", [RecursionError, MemoryError])
def test_deep_and_large_terms_are_mistakes_of_the_server(error: type[Exception]) -> None:
    def work() -> None:
        raise error

    with pytest.raises(ProblemError, match="make it smaller"):
        asyncio.run(service().computed(Clock(600), work))


# Provers


TRACED = """
import sys, time
from isarstep.apps.interruptible import Workers

workers = Workers(2)
for number in range(300):
    piece = workers.submit(lambda: [None for _ in range(number * 10)])
    while not (piece.answer.running() or piece.answer.done()):
        time.sleep(0)
    while not piece.answer.done():
        piece.interrupt()
seen = []
sys.settrace(lambda *_: seen.append(1))
(lambda: None)()
sys.settrace(None)
print(len(seen))
"""


def test_a_tracer_waits_for_ever_for_what_was_withdrawn() -> None:
    """Python 3.11 turns in a circle when it traces while something is to be raised in a thread that is not told."""
    done = subprocess.run(
        [sys.executable, "-c", TRACED], capture_output=True, text=True, check=True, timeout=PATIENCE * PAUSE
    )
    assert int(done.stdout) > 0


class FakeProving:
    closed = 0

    def limit(self, *_: Any) -> None: ...

    def work_while(self, _: Any) -> None: ...

    def close(self) -> None:
        self.closed += 1


def test_what_is_written_for_provers_takes_their_thread_for_ever() -> None:
    proving = FakeProving()
    queue = ProverQueue(SimpleNamespace(proving=lambda library: proving))  # type: ignore[arg-type]
    begun = threading.Event()
    told: list[object] = []

    def encodes(_: Any) -> Iterator[None]:
        begun.set()
        for_ever()
        yield

    endless = Job(encodes, told.append, 0.1, 0)
    queue.submit(endless)
    assert begun.wait(600)
    answered = threading.Event()
    queue.submit(Job(lambda _: iter([1]), lambda _: answered.set(), 0.1, 0))
    queue.cancel(endless)
    assert until(answered.is_set)
    assert told == []
    assert proving.closed == 1  # in the middle of a conversation with provers
    queue.close()


def test_a_queue_that_is_closed_waits_for_ever_for_what_nobody_wants() -> None:
    """Whoever asked may be gone, and their event loop with them. What is raised may be caught by anybody."""
    queue = ProverQueue(SimpleNamespace(proving=lambda library: FakeProving()))  # type: ignore[arg-type]
    begun = threading.Event()

    def encodes(_: Any) -> Iterator[None]:
        begun.set()
        try:
            for_ever()
        except Unwanted:
            for_ever()
        yield

    endless = Job(encodes, lambda _: None, 0.1, 0)
    queue.submit(endless)
    assert begun.wait(600)
    queue.cancel(endless)
    closing = threading.Thread(target=queue.close, daemon=True)
    closing.start()
    assert until(lambda: not closing.is_alive())


def test_the_thread_of_provers_dies_of_what_arrives_twice() -> None:
    proving = FakeProving()
    queue = ProverQueue(SimpleNamespace(proving=lambda library: proving))  # type: ignore[arg-type]

    def twice() -> None:
        raise Unwanted

    answered = threading.Event()
    queue.submit(Job(lambda _: iter([1]), lambda _: twice(), 0.1, 0))
    proving.close = twice  # type: ignore[method-assign]  # in the middle of mending the first one
    queue.submit(Job(lambda _: iter([1]), lambda _: answered.set(), 0.1, 0))
    assert until(answered.is_set)
    del proving.close
    queue.close()
