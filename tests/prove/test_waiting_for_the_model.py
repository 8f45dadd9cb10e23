"""A search for a chain that waits for the model lets others have their turn."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest

from isarstep.prove import proof_search
from isarstep.prove.proof_search import Plan, Sketcher


def test_the_one_thread_of_provers_waits_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    class Time:
        now = 0.0

        def monotonic(self) -> float:
            return self.now

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
    sketcher.root = SimpleNamespace(rung=1)  # type: ignore[assignment]
    sketcher.goals, sketcher._answered, sketcher._waiting = {}, [], []
    sketcher._asked = (None, never)  # type: ignore[assignment]
    monkeypatch.setattr(Sketcher, "wait_for", lambda *_: None)
    sketcher.best = SimpleNamespace(closed=False, refuted=None)  # type: ignore[assignment]
    monkeypatch.setattr(Sketcher, "now", lambda self: "turn")
    turns = list(sketcher.run())
    assert len(turns) >= 5
    assert max(waited) <= 0.2
    assert never.cancelled()
