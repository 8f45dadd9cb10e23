"""The queue before the model: shared searches, and how long somebody would wait."""

import threading
from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.waiting import until

from isarstep.prove.step import Step
from isarstep.serve.batching import Batcher
from isarstep.serve.engine import Constraint, Engine
from isarstep.theory.problem import Problem
from isarstep.theory.task import Task


class Clock:
    """Time that passes when a test says so."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now


class Slow(Engine):
    """A model that takes two hundredths of a second for every task, and waits for a sign."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.clock = clock
        self.begun = threading.Event()
        self.go = threading.Event()
        self.batches: list[int] = []

    def search(
        self, tasks: Sequence[Task], beam: int, constraint: Constraint = "types", margin: float = 0.0
    ) -> list[list[Step]]:
        self.begun.set()
        self.go.wait()
        self.clock.now += 0.02 * len(tasks)
        self.batches.append(len(tasks))
        return [[] for _ in tasks]


def test_whoever_waits_is_searched_together_and_the_wait_is_foreseen(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr("isarstep.serve.batching.time", clock)
    task = engine.read(Problem("x = x"))
    slow = Slow(clock)
    batcher = Batcher(slow, 4)
    assert batcher.seconds_until(10) == 0  # nothing is known yet
    first = batcher.submit(task, 10)
    slow.begun.wait()
    answers = [batcher.submit(replace(task), 10) for _ in range(6)]
    answers[0].cancel()
    slow.go.set()
    for answer in [first, *answers[1:]]:
        assert answer.result() == []
    assert slow.batches == [1, 3, 2]  # four at a time, without the one that went away
    assert until(lambda: batcher.seconds_until(10) == pytest.approx(0.02))  # nobody waits any more
    slow.go.clear()
    waiting = [batcher.submit(task, 10) for _ in range(20)]
    assert batcher.seconds_until(10) == pytest.approx(21 * 0.02)
    slow.go.set()
    batcher.close()
    assert all(answer.done() for answer in waiting)
    assert batcher.seconds_until(10) == pytest.approx(0.02)


def test_whoever_leaves_need_not_wait_for_a_search(engine: Engine) -> None:
    slow = Slow(Clock())
    batcher = Batcher(slow, 1)
    answer = batcher.submit(engine.read(Problem("x = x")), 5)
    slow.begun.wait()
    batcher.close(wait=False)
    assert not answer.done()
    slow.go.set()
    assert answer.result() == []  # what had begun is finished
