"""An unexpected exception at one gap is reported of this gap and affects nothing else."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from isarstep.apps.engine import Engine
from isarstep.apps.filling import filled_gaps
from isarstep.apps.service.answer_fields import gap as gap_fields
from isarstep.isabelle.theory.document import TheoryDocument
from isarstep.isabelle.theory.problems.problem import Problem
from isarstep.prover.check.prover_session import Limits, Proving
from isarstep.prover.check.step_checker import Checker
from isarstep.prover.outcomes.step import Step
from isarstep.prover.outcomes.verdict import Crashed, Gap, Proved, Unknown
from isarstep.prover.search.proof_search import Plan, sketches

SAID = "AssertionError: what nobody expects"


def fails(*_: Any, **__: Any) -> Any:
    raise AssertionError("what nobody expects")


@pytest.fixture
def proving(engine: Engine) -> Any:
    with engine.proving(0.1, 0) as made:
        yield made


def test_a_gap_that_crashes_is_an_internal_error_and_in_the_log(
    engine: Engine, proving: Proving, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    task = engine.read(Problem(goal="x + y = z"))
    monkeypatch.setattr(Checker, "direct", fails)
    gap, uses = proving.follows(task, task.example.f3 or "", (), Limits(0.1, 0))
    assert (gap, uses) == (Crashed(SAID), frozenset())
    assert SAID in caplog.text
    assert "in fails" in caplog.text  # where it came from
    assert gap_fields(gap)["result"] == "internal_error"
    assert SAID in gap_fields(gap)["text"]


def test_other_sides_and_steps_keep_their_results(
    engine: Engine, proving: Proving, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = engine.read(Problem(facts=("x = a", "c = x", "d = x"), goal="x = b"))
    bad, good = (engine.answer(task, text) for text in ("x = c", "x = d"))
    proved = Proved("simp", 0.0, (), 0)

    def second(_self: Checker, _example: object, _context: object, proposal: str, *_: Any) -> Gap:
        return proved if proposal == good else fails()

    monkeypatch.setattr(Checker, "_first", lambda *_: proved)
    monkeypatch.setattr(Checker, "_second", second)
    monkeypatch.setattr(Proving, "_refuted", lambda *_: None)
    steps: list[Step] = proving.tried(task, engine.steps(task, [(bad, None), (good, None)]))
    assert [(step.first, step.second) for step in steps] == [(proved, Crashed(SAID)), (proved, proved)]


def test_a_search_with_an_internal_error_is_not_called_open(
    engine: Engine, proving: Proving, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = engine.read(Problem(goal="x + y = z"))
    answers = iter([fails])
    not_proved: Gap = Unknown("nothing was found")
    monkeypatch.setattr(Checker, "simplified", lambda *_: next(answers, lambda: None)())
    monkeypatch.setattr(Checker, "direct", lambda *_: not_proved)
    monkeypatch.setattr(Checker, "inductions", lambda *_: iter(()))
    monkeypatch.setattr(Proving, "_refuted", lambda *_: None)
    none: Future[list[Step]] = Future()
    none.set_result([])
    *_, last = sketches(task, Plan(seconds=0.5, prover_seconds=0.01, library=0), lambda *_: none, proving)
    assert last.state == f"internal error: {SAID}"


def test_fill_keeps_the_results_of_other_gaps(engine: Engine, caplog: pytest.LogCaptureFixture) -> None:
    text = 'theory T imports Main begin\nlemma "x = x" sorry\nlemma "y = y" sorry\nend\n'
    document = TheoryDocument(Path("T.thy"), engine.theory_contexts, text=text)
    sketch = SimpleNamespace(contradiction=None, closed=False, steps=[None], crashed=None)
    answers = iter([fails, lambda: sketch])
    first, second = filled_gaps(document, engine, lambda *_: next(answers)(), document.gaps())
    assert first.why == f"internal error: {SAID}"
    assert SAID in caplog.text
    assert second.why == "no step was found"
