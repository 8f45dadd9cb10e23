"""Statements that grow exponentially are refused by a limit that is counted while they grow; nothing else suffers."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from isarstep.apps.admission import Load
from isarstep.apps.batching import Batcher
from isarstep.apps.engine import Engine
from isarstep.apps.events import TooLateError
from isarstep.apps.filling import filled_gaps
from isarstep.apps.http.app import create_app
from isarstep.apps.http.gate import ServerLimits
from isarstep.apps.service.service import Service
from isarstep.benchmark.problems.task import Task
from isarstep.common.cancellation import DeadlineError, check_deadline, undisturbed, working_until
from isarstep.isabelle.terms import normal_forms
from isarstep.isabelle.terms.hol import eq, trueprop
from isarstep.isabelle.terms.normal_forms import TooLargeError, beta_eta_normal, beta_normal
from isarstep.isabelle.terms.terms import Abs, App, Bound, Free, Term, list_comb
from isarstep.isabelle.terms.tokens import encode_line
from isarstep.isabelle.theory.document import TheoryDocument
from isarstep.isabelle.theory.problems.problem import Problem, ProblemError
from isarstep.prover.check.prover_session import Limits
from isarstep.prover.check.step_checker import Checker
from isarstep.prover.outcomes.novelty import essence
from isarstep.prover.outcomes.step import Step
from isarstep.prover.outcomes.verdict import TimedOut
from isarstep.prover.values.executable import BuiltInOnly, Machine
from isarstep.prover.values.operations import OPERATIONS_OF_CONSTANTS

REDEXES = "(λf x. f (f x)) " * 5 + "g x = y"
COPIES = "(λx. h x x) (" * 40 + "y" + ")" * 40 + " = z"
PAIRS = "".join(f"let a{n + 1} = (a{n}, a{n}) in " for n in range(40)) + "a40 = y"
TUPLES = "(λx. (x, x, x)) (" * 20 + "y" + ")" * 20 + " = z"
LISTS = "let a0 = [0::nat] in " + "".join(f"let a{n + 1} = a{n} @ a{n} in " for n in range(25)) + "a25 = []"
NESTED = "let a0 = [0::nat] in " + "".join(f"let a{n + 1} = [a{n}, a{n}] in " for n in range(25)) + "a25 = a25 @ a25"
TWICE = Abs("f", None, Abs("x", None, App(Bound(1), App(Bound(1), Bound(0)))))
LARGE = "the statement grows too large"


def redexes(count: int) -> Term:
    return list_comb(TWICE, [*[TWICE] * (count - 1), Free("<X0>"), Free("<X1>")])


@pytest.mark.parametrize("normal", [beta_normal, beta_eta_normal])
def test_a_normal_form_has_limits(normal: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert normal(redexes(3)) == _times(16)
    for term in (redexes(4), redexes(40)):
        with pytest.raises(TooLargeError):
            normal(term)
    copies: Term = Free("y")
    for _ in range(40):
        copies = App(Abs("x", None, list_comb(Free("h"), [Bound(0), Bound(0)])), copies)
    with pytest.raises(TooLargeError):
        normal(copies)
    wide: Term = Free("y")
    for _ in range(9):
        wide = list_comb(Free("h"), [wide] * 9)
    monkeypatch.setattr(normal_forms, "MOST_GROWTH", 10_000)
    with pytest.raises(TooLargeError):  # few contractions of something large
        normal(App(Abs("x", None, list_comb(Bound(0), [Bound(0)] * 9)), wide))


def _times(count: int) -> Term:
    term: Term = Free("<X1>")
    for _ in range(count):
        term = App(Free("<X0>"), term)
    return term


def test_a_term_without_redexes_may_have_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(normal_forms, "MOST_GROWTH", 1_000)
    wide = list_comb(Free("h"), [Free("y")] * 3_000)
    assert beta_normal(wide) == wide


def test_what_grows_is_like_itself_alone() -> None:
    line = encode_line(redexes(5))
    assert essence(line) == line


@pytest.mark.parametrize("text", [REDEXES, COPIES])
@pytest.mark.parametrize("place", ["goal", "facts"])
def test_it_is_refused_where_it_stands_and_others_are_read(engine: Engine, text: str, place: str) -> None:
    problem = Problem(goal=text, facts=("p = q",)) if place == "goal" else Problem(goal="p = q", facts=("q = p", text))
    with pytest.raises(ProblemError, match=LARGE) as raised:
        engine.read(problem)
    assert raised.value.code == "unsupported"
    assert raised.value.field == ("goal" if place == "goal" else "facts[1]")
    _, parsed = engine.parse(problem)
    assert [where for where, reading in parsed.readings.items() if reading.error] == [raised.value.field]


@pytest.mark.parametrize("text", [PAIRS, TUPLES])
def test_a_type_that_grows_is_refused(engine: Engine, text: str) -> None:
    with pytest.raises(ProblemError, match="a type of more than"):
        engine.read(Problem(goal=text))


def test_a_proposal_that_grows_is_ill_formed(engine: Engine) -> None:
    task = engine.read(Problem(goal="g x = x"))
    good = task.example.f3 or ""
    grown = encode_line(trueprop(eq(redexes(5), Free("<X1>"))))
    steps = engine.steps(task, [(grown, None), (good, None)])
    assert [step.well_formed for step in steps] == [False, True]
    assert LARGE in (steps[0].reason or "")


@pytest.mark.parametrize("text", [LISTS, NESTED])
def test_values_that_grow_have_no_value(engine: Engine, text: str) -> None:
    task = engine.read(Problem(goal=text))
    with engine.proving(0.1, 0) as proving:
        typed = proving._checker.typed(task.example, task.theory_context)
    machine = Machine(BuiltInOnly(), OPERATIONS_OF_CONSTANTS)
    assert machine.value(typed.f3) is None
    assert machine.left > 0  # not for the number of its steps


def test_functions_of_many_arguments_are_not_made_at_random(engine: Engine) -> None:
    task = engine.read(Problem(goal=f"(λ{' '.join(f'x{n}' for n in range(40))}. f x0) = g"))
    with engine.proving(0.1) as proving:
        assert proving.false_goal(task) is None


def test_fill_leaves_out_what_grows(engine: Engine) -> None:
    text = (
        "theory T imports Main begin\n"
        f'lemma "{REDEXES}" sorry\n'
        f'lemma assumes a: "{REDEXES}" and b: "p = q" shows "q = p" sorry\nend\n'
    )
    document = TheoryDocument(Path("T.thy"), engine.theory_contexts, text=text)
    tasks: list[Task] = []
    sketch = SimpleNamespace(contradiction=None, closed=False, steps=[None], crashed=None)
    first, second = filled_gaps(document, engine, lambda task, _: tasks.append(task) or sketch, document.gaps())  # type: ignore
    assert LARGE in first.why
    assert second.why == "no step was found"
    (task,) = tasks
    assert [task.text(line) for line in task.example.f2] == ["p = q"]


def test_a_question_ends_at_its_deadline(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*_: Any) -> Any:
        while True:
            check_deadline()

    for name in ("direct", "simplified", "one_rule_away", "typed"):
        monkeypatch.setattr(Checker, name, endless)
    task = engine.read(Problem(goal="x = y"))
    with engine.proving(0.1, 0) as proving:
        soon = Limits(0.1, 0, time.monotonic() + 0.05)
        assert proving.follows(task, task.example.f3 or "", (), soon) == (TimedOut(0.1), frozenset())
        assert proving.simplified(task, task.example.f3 or "", (), soon) is None
        assert proving.one_rule_away(task, soon.until) == []
        gaps = dict(proving.gaps(task, task.example.f3 or "", soon.until))
        assert gaps == {"first": TimedOut(0.1), "second": TimedOut(0.1)}


def test_rewriting_and_evaluation_look_at_the_deadline(engine: Engine) -> None:
    task = engine.read(Problem(goal="rev (rev xs) = xs"))
    with engine.proving(0.1) as proving, working_until(0.0), pytest.raises(DeadlineError):
        proving._checker.direct(task.example, task.theory_context)
    with working_until(0.0), pytest.raises(DeadlineError):
        beta_normal(redexes(4))


def test_what_is_made_for_everybody_has_no_deadline() -> None:
    with working_until(0.0):
        with undisturbed():
            check_deadline()
        with pytest.raises(DeadlineError):
            check_deadline()
        with working_until(time.monotonic() + 1e6), pytest.raises(DeadlineError):  # a deadline is never put off
            check_deadline()
    check_deadline()


class Stumbling:
    """A model that fails at one task, and waits for a sign before the first search."""

    def __init__(self, go: Any, error: Exception) -> None:
        self.go, self.error = go, error
        self.batches: list[int] = []

    def search(self, tasks: Any, *_: Any) -> list[list[Step]]:
        self.go.wait()
        self.batches.append(len(tasks))
        if "bad" in tasks:
            raise self.error
        return [[] for _ in tasks]


@pytest.mark.parametrize(("error", "seen"), [(ValueError("no"), ValueError), (DeadlineError(), TooLateError)])
def test_a_task_that_fails_takes_nothing_from_the_others_of_its_batch(
    error: Exception, seen: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading

    monkeypatch.setattr("isarstep.apps.batching.source_tokens", lambda _: 1)
    engine = Stumbling(threading.Event(), error)
    batcher = Batcher(engine)  # type: ignore[arg-type]
    answers = [batcher.submit(task, 10) for task in ("first", "good", "bad", "better")]  # type: ignore[arg-type]
    engine.go.set()
    batcher.close()
    assert max(engine.batches) > 1
    assert [type(answer.exception()) for answer in answers] == [type(None), type(None), seen, type(None)]


def test_over_http_it_is_an_answer_to_this_request(engine: Engine) -> None:
    app = create_app(Service(engine, 8), ServerLimits(loopback=False), Load())

    async def asked() -> list[httpx.Response]:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            bodies = [
                ("/propose", {"goal": REDEXES, "seconds": 60, "check": False}),
                ("/propose", {"goal": "p = q", "facts": [COPIES], "seconds": 60}),
                ("/sketch", {"goal": REDEXES, "seconds": 60}),
                ("/check", {"goal": "h y y = y", "proposals": [COPIES.replace("z", "y")], "seconds": 60}),
            ]
            return [await client.post(path, json=body) for path, body in bodies]

    for answer in asyncio.run(asked()):
        assert answer.status_code == 422, answer.text
        assert answer.json()["error"]["code"] == "unsupported", answer.text
