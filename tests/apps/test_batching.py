"""The queue before the model: shared searches, and how long somebody would wait."""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from tests.waiting import until

from isarstep.apps.batching import Batcher
from isarstep.apps.engine import Engine
from isarstep.apps.events import TooLateError
from isarstep.benchmark.problems.task import Task
from isarstep.isabelle.theory.problems.problem import Problem
from isarstep.prover.outcomes.step import Step


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

    def search(self, tasks: Sequence[Task], beam: int, margin: float = 0.0) -> list[list[Step]]:
        self.begun.set()
        self.go.wait()
        self.clock.now += 0.02 * len(tasks)
        self.batches.append(len(tasks))
        return [[] for _ in tasks]


def test_whoever_waits_is_searched_together_and_the_wait_is_foreseen(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr("isarstep.apps.batching.time", clock)
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
    assert slow.batches == [1, 4, 1]  # four at a time, without the one that went away
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


@pytest.fixture
def paced(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Batcher, Slow, Task]]:
    """A batcher that knows its pace, a fiftieth of a second for a task, and has begun a search that waits for a sign."""
    clock = Clock()
    monkeypatch.setattr("isarstep.apps.batching.time", clock)
    slow = Slow(clock)
    batcher = Batcher(slow)
    task = engine.read(Problem("x = x"))
    slow.go.set()
    batcher.submit(task, 10).result()
    slow.go.clear()
    slow.begun.clear()
    batcher.submit(task, 10)
    slow.begun.wait()
    slow.batches.clear()
    yield batcher, slow, task
    slow.go.set()
    batcher.close()


def test_searches_are_made_for_those_whose_time_ends_on_the_way(paced: tuple[Batcher, Slow, Task]) -> None:
    """A hundred come at once, and there is time for twenty."""
    batcher, slow, task = paced
    deadline = slow.clock.now + 20 * 0.02
    answers = [batcher.submit(replace(task), 10, deadline=deadline + 1e-9) for _ in range(100)]
    slow.go.set()
    late = [answer.exception() for answer in answers]
    assert [isinstance(error, TooLateError) for error in late] == [False] * 19 + [True] * 81
    assert sum(slow.batches) == 1 + 19  # the one before them took its time, too
    assert batcher.late == 0
    assert max(slow.batches) <= 5  # no search takes more than a quarter of what its first task has left
    assert slow.batches[1] > slow.batches[-1]
    assert batcher.idle


def test_somebody_is_tried_though_the_estimate_says_that_it_is_too_late(paced: tuple[Batcher, Slow, Task]) -> None:
    batcher, slow, task = paced
    answer = batcher.submit(task, 10, deadline=slow.clock.now + 0.03)
    slow.go.set()
    assert answer.result() == []
    assert batcher.late == 1


def test_the_first_searches_of_all_are_made_one_at_a_time(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr("isarstep.apps.batching.time", clock)
    slow = Slow(clock)
    batcher = Batcher(slow)
    task = engine.read(Problem("x = x"))
    answers = [batcher.submit(task, 10, deadline=100) for _ in range(3)]
    slow.go.set()
    assert [answer.result() for answer in answers] == [[]] * 3
    batcher.close()
    assert slow.batches[0] == 1


def test_nothing_is_kept_for_budgets_in_which_nobody_could_answer(paced: tuple[Batcher, Slow, Task]) -> None:
    """A search takes a fiftieth of a second, and a series of requests has less."""
    batcher, slow, _ = paced
    assert max(batcher.turn(10, 0.01) for _ in range(100)) <= 0.02
    seconds = 10 * 0.02 / 0.7
    for _ in range(20):
        batcher.submit(paced[2], 10)
    assert batcher.turn(10, seconds) > 0.1
    slow.go.set()
    assert until(lambda: batcher.idle)
    assert max(batcher.turn(10, seconds) for _ in range(100)) <= 0.02 * 2  # nobody has come for what was kept


def test_what_is_under_way_is_counted(paced: tuple[Batcher, Slow, Task]) -> None:
    batcher, slow, task = paced
    for _ in range(3):
        batcher.submit(task, 10)
    assert (batcher.searching, batcher.queued) == (1, 3)
    slow.go.set()
    assert until(lambda: (batcher.searching, batcher.queued) == (0, 0))


def test_there_is_room_for_what_takes_seven_tenths_of_the_time(paced: tuple[Batcher, Slow, Task]) -> None:
    batcher, slow, task = paced
    for _ in range(13):  # behind the one that runs
        assert batcher.has_room(10, 15.01 * 0.02 / 0.7)
        batcher.submit(task, 10)
    assert batcher.seconds_until(10) == pytest.approx(15 * 0.02)
    assert not batcher.has_room(10, 14.99 * 0.02 / 0.7)
    # Whoever is sent away is told a later time than the one before, by what a search for one takes.
    seconds = 10 * 0.02 / 0.7
    assert [batcher.turn(10, seconds) / 0.02 for _ in range(3)] == pytest.approx([6, 7, 8])
    slow.clock.now += 0.01  # half of the search that runs is over
    assert batcher.seconds_until(10) == pytest.approx(14.5 * 0.02)
    slow.clock.now += 100  # it takes longer than was thought
    assert batcher.seconds_until(10) == pytest.approx(14 * 0.02)
