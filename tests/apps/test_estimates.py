"""How long an answer would take: refusals end with their cause."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest
from tests.waiting import until

from isarstep.apps import batching
from isarstep.apps.batching import Batcher
from isarstep.apps.interruptible import Workers
from isarstep.apps.service import schema
from isarstep.apps.service.service import Clock, OutOfTimeError, Service

TASK: Any = SimpleNamespace(example=SimpleNamespace(f2=(), f3="x", f4=(), f5=()))


class Time:
    now = 0.0

    def monotonic(self) -> float:
        return self.now


class Model:
    """Every search takes a second and a quarter, and a twentieth more for each hypothesis above ten."""

    def __init__(self, clock: Time) -> None:
        self.clock = clock

    def search(self, tasks: Sequence[object], beam: int, *_: object) -> list[list[object]]:
        self.clock.now += 1.25 + 0.05 * max(0, beam * len(tasks) - 10)
        return [[] for _ in tasks]


@pytest.fixture
def batcher(monkeypatch: pytest.MonkeyPatch) -> Batcher:
    clock = Time()
    monkeypatch.setattr(batching, "time", clock)
    return Batcher(Model(clock))  # type: ignore[arg-type]


def test_narrow_searches_make_wide_ones_look_endless(batcher: Batcher) -> None:
    for _ in range(8):
        batcher.submit(TASK, 1).result()
    assert until(lambda: batcher.idle)
    assert 1.25 / 2 <= batcher.seconds_until(1) <= 2 * 1.25
    assert 1.75 / 2 <= batcher.seconds_until(20) <= 2 * 1.75
    batcher.close()


def test_an_idle_server_refuses_and_goes_on_refusing() -> None:
    """Whatever it believes: only a search that is accepted tells it better."""

    batcher = Batcher(Model(Time()))  # type: ignore[arg-type]
    batcher._pace = 2.5
    service = Service.__new__(Service)
    service.workers, service.batcher = Workers(1), batcher
    service.engine = SimpleNamespace(unknown=lambda _: [])  # type: ignore[assignment]
    service.task = lambda _: TASK  # type: ignore[method-assign]
    body = schema.ProposeBody(goal="x = x", beam=10, seconds=20)
    assert asyncio.run(service.propose(body, Clock(20))).steps == []


def test_a_problem_is_read_although_it_will_be_refused() -> None:
    """Reading takes as long as thirty refusals."""
    batcher = Batcher(Model(Time()))  # type: ignore[arg-type]
    batcher._pace, batcher._queued = 0.1, 140
    service = Service.__new__(Service)
    service.workers, service.batcher = Workers(1), batcher
    read: list[object] = []
    service.task = read.append  # type: ignore[method-assign, assignment]
    body = schema.ProposeBody(goal="x = x", beam=10, seconds=20)
    waits = []
    for _ in range(2):
        with pytest.raises(OutOfTimeError, match="about 15 s, and 20 s were given") as refused:
            asyncio.run(service.propose(body, Clock(20)))
        waits.append(refused.value.wait)
    assert waits == [2, 3]  # one second too long, and one for each who is sent away
    assert read == []


def test_a_search_has_the_time_that_its_request_has_left(monkeypatch: pytest.MonkeyPatch) -> None:
    deadlines: list[float] = []

    def submit(_task: object, _beam: int, *, deadline: float) -> Future[list[Any]]:
        deadlines.append(deadline)
        answer: Future[list[Any]] = Future()
        answer.set_result([])
        return answer

    monkeypatch.setattr(Clock, "left", 1e6)
    service = Service.__new__(Service)
    service.batcher = SimpleNamespace(submit=submit)  # type: ignore[assignment]
    assert asyncio.run(service._searched(TASK, schema.ProposeBody(goal="x = x"), 1, Clock(1))) == []
    assert deadlines[0] > Clock(1).began + 9e5
