"""A search for a chain that waits for the model lets others have their turn."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest

from isarstep.prover.search import proof_search
from isarstep.prover.search.proof_search import Plan, Sketcher


class Time:
    """A clock that goes on when somebody works."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now


def test_the_one_thread_of_provers_waits_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Time()
    waited: list[float] = []

    def wait(_: Any, timeout: float) -> None:
        waited.append(timeout)
        clock.now += timeout

    monkeypatch.setattr(proof_search, "time", clock)
    monkeypatch.setattr(proof_search, "wait", wait, raising=False)
    never: Future[list[Any]] = Future()
    monkeypatch.setattr(never, "result", lambda *_: pytest.fail("waits without an end"))
    sketcher = Sketcher.__new__(Sketcher)
    sketcher.plan, sketcher.began, sketcher.direct_seconds = Plan(seconds=1.0), 0.0, 0.0
    sketcher.root, sketcher.steps_since = None, None  # type: ignore[assignment]
    sketcher.goals, sketcher._answered, sketcher._waiting = {}, [], []
    sketcher._asked = (None, never)  # type: ignore[assignment]
    monkeypatch.setattr(Sketcher, "wait_for", lambda *_: None)
    sketcher.best = SimpleNamespace(closed=False, refuted=None)  # type: ignore[assignment]
    monkeypatch.setattr(Sketcher, "now", lambda self: "turn")
    turns = list(sketcher.run())
    assert len(turns) >= 5
    assert max(waited) <= 0.2
    assert never.cancelled()


@pytest.mark.parametrize("seconds", [1.0, 20.0])
def test_the_goal_as_it_is_comes_first_and_steps_have_their_share(
    monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    """Every attempt fails and takes what it may; the model answers at once, and provers work a second on its answer."""
    clock = Time()
    monkeypatch.setattr(proof_search, "time", clock)
    asked: list[float] = []
    tried: list[tuple[str, float]] = []

    def search(*_: Any) -> Future[list[Any]]:
        asked.append(clock.now)
        answer: Future[list[Any]] = Future()
        answer.set_result([])
        return answer

    def working(kind: str, cost: float) -> Any:
        def work(self: Sketcher, *_: Any) -> Any:
            tried.append((kind, clock.now))
            began, clock.now = clock.now, clock.now + cost
            if kind == "direct":
                goal = self.root
                self.direct_seconds += clock.now - began
                goal.rung = min(goal.rung + 1, len(proof_search.LADDER) - 1)
            else:
                self.wait_for(self.root, 0.0)
            yield "turn"

        return work

    monkeypatch.setattr(Sketcher, "climb", working("direct", 0.5))
    monkeypatch.setattr(Sketcher, "expand", working("step", 0.5))
    monkeypatch.setattr(proof_search, "narrowed", lambda *_: None)
    monkeypatch.setattr(Sketcher, "link", lambda *_: SimpleNamespace(tokens=""))
    monkeypatch.setattr(Sketcher, "sketch", lambda *_: SimpleNamespace(closed=False, refuted=None))
    task: Any = SimpleNamespace(example=SimpleNamespace(f2=(), f3="CONST HOL.True", f4=()))
    sketcher = Sketcher(task, Plan(seconds=seconds), search, None)  # type: ignore[arg-type]
    list(sketcher.run())
    assert tried[0] == ("direct", 0.0)  # always
    steps = [at for kind, at in tried if kind == "step"]
    assert steps
    assert max(at for kind, at in tried if kind == "direct" and at < steps[0]) < proof_search.DIRECT_FIRST * seconds
    assert asked[0] <= proof_search.DIRECT_FIRST * seconds + 0.5
    after = [kind for kind, at in tried if at >= steps[0]]
    assert after.count("step") >= (1 - proof_search.DIRECT_SHARE) * len(after)
