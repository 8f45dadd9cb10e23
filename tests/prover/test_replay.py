"""What is handed to Isabelle for a replay, and what people read of its answers. Isabelle itself is stood in for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from isarstep.apps.engine import Engine
from isarstep.benchmark.problems.task import Task
from isarstep.common.errors import UserError
from isarstep.isabelle.theory.problems.problem import Problem
from isarstep.prover.isar.sketch import Link, Sketch
from isarstep.prover.outcomes.step import Step
from isarstep.prover.outcomes.verdict import Proved, TimedOut
from isarstep.prover.replay.isabelle_questions import Answer, Inquiry, Isabelle, IsabelleLimits
from isarstep.prover.replay.replay import proofs_of_sketch, proofs_of_steps, replayed

BY_E = Proved(
    "E", 0.1, ("F.2(1)", "P", "Nat.add_Suc(1)", "a rule of HOL.Nat", "?", "definition of nat", "$term0", "case(1)"), 32
)


@pytest.fixture(scope="module")
def task(engine: Engine) -> Task:
    return engine.read(Problem("x < z", ("x ≤ y", "y < z"), types={"x": "nat"}))


def link(task: Task, tokens: str, gap: object) -> Link:
    return Link(tokens, task.term(tokens), task.text(tokens), gap)  # type: ignore[arg-type]


class StandIn:
    """Answers every question alike, and remembers them."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.sessions = SimpleNamespace(session_of=lambda theory: "HOL")
        self.inquiries: list[Inquiry] = []

    def ask(self, session: str, inquiries: list[Inquiry], limits: IsabelleLimits, report: Any) -> None:
        assert (session, limits.prove) == ("HOL", True)
        self.inquiries += inquiries
        for inquiry in inquiries:
            for question in inquiry.questions:
                report(inquiry.example.id, question.key, self.answer)


def asked(task: Task, answer: Answer) -> tuple[list[str], Inquiry]:
    first, _ = task.example.f2
    goal = task.example.f3 or ""
    sketch = Sketch(task, (link(task, first, TimedOut(1.0)), link(task, goal, BY_E)), 0.0, 1, 1.0)
    isabelle = StandIn(answer)
    proofs = proofs_of_sketch(sketch)
    lines = replayed(isabelle, task, proofs, ())  # type: ignore[arg-type]
    return lines, isabelle.inquiries[0]


def test_only_what_is_proved_is_replayed_from_what_the_proof_may_use(task: Task) -> None:
    lines, inquiry = asked(task, Answer("proved", "metis", 0.2))
    assert lines == ["the goal: replayed by Isabelle's kernel, by metis in 0.2 s"]
    (question,) = inquiry.questions
    assert (question.effort, question.goal) == ("replay", task.example.f3)
    names = [premise.names for premise in question.premises if premise.names]
    assert names == [("Nat.add_Suc(1)",)]
    assert [p.tokens for p in question.premises if not p.names] == [*task.example.f2, task.example.f2[0]]
    assert (inquiry.example.theory, inquiry.example.proof) == (task.theory_context.imports[0], -1)


def test_what_isabelle_cannot_replay_stays_the_provers_word(task: Task) -> None:
    assert "stays the provers' word (timeout)" in asked(task, Answer("timeout"))[0][0]
    assert "REFUTED by Isabelle (quickcheck: x = 1)" in asked(task, Answer("refuted", "quickcheck", why="x = 1"))[0][0]


def test_both_sides_of_a_step(task: Task) -> None:
    tokens = task.example.f2[0]
    step = Step(0, tokens, task.term(tokens), task.text(tokens), None, None, copy=False, reference=None)
    assert proofs_of_steps(task, [step]) == []
    from isarstep.prover.outcomes.step import with_gap

    step = with_gap(with_gap(step, "first", BY_E), "second", BY_E)
    first, second = proofs_of_steps(task, [step])
    assert (first.name, first.goal, first.given) == ("facts ⊢ step 1", tokens, task.example.f2)
    assert (second.name, second.goal) == ("step 1 ⊢ goal", task.example.f3)
    assert tokens in second.given


def test_several_theories_are_refused(engine: Engine) -> None:
    task = engine.read(Problem("x = y", ("x = y",), imports=("HOL-Library.Multiset", "HOL-Library.Countable_Set")))
    goal = task.example.f3 or ""
    proofs = proofs_of_sketch(Sketch(task, (link(task, goal, BY_E),), 0.0, 0, 0.0))
    with pytest.raises(UserError, match="--replay: Isabelle is asked in one theory"):
        replayed(Isabelle, task, proofs, ())  # type: ignore[arg-type]
