"""What a search makes of answers: statements that are not needed, that are false, and that a rule of the library gives."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from isarstep.isabelle.terms.terms import Free
from isarstep.prover.check.step_checker import NearStep
from isarstep.prover.isar.sketch import Link
from isarstep.prover.outcomes.verdict import Gap, Proved, Refuted, Unknown
from isarstep.prover.search import proof_search
from isarstep.prover.search.proof_search import RULE_SCORE, Goal, OpenPlace, Plan, Sketcher


class Table:
    """A prover that knows from which statements each one follows, if from any."""

    def __init__(self, **follows: set[str]) -> None:
        self.table, self.asked = follows, list[tuple[str, tuple[str, ...]]]()

    def follows(self, _: object, goal: str, known: Sequence[str], __: object) -> tuple[Gap, frozenset[str]]:
        self.asked.append((goal, tuple(known)))
        needed = self.table.get(goal)
        if needed is None or not needed <= {*known}:
            return Unknown("out of time"), frozenset()
        return Proved("E", 0.1, (), 0), frozenset(needed)


def sketcher(prover: Any, *steps: Link) -> Sketcher:
    made = Sketcher.__new__(Sketcher)
    made.task = SimpleNamespace(theory_context=SimpleNamespace(signature=None), context=None)  # type: ignore[assignment]
    made.plan, made.proving, made.began, made.tried = Plan(), prover, 0.0, 0
    made.best = SimpleNamespace(steps=steps)  # type: ignore[assignment]
    made.lemmas, made.underived, made.refuted, made.goals, made.said = {}, set(), set(), {}, set()  # type: ignore[assignment]
    return made


def link(tokens: str, *uses: str) -> Link:
    return Link(tokens, Free(tokens), tokens, Proved("E", 0.1, (), 0), frozenset(uses))


def test_a_statement_that_the_others_do_without_is_left_out() -> None:
    prover = Table(b=set(), goal={"b"})
    found = sketcher(prover, link("a"), link("b", "a"), link("goal", "a", "b")).without_needless()
    assert [(step.tokens, step.uses) for step in found] == [("b", frozenset()), ("goal", frozenset("b"))]


def test_a_statement_that_is_needed_stays() -> None:
    prover = Table(b={"a"}, goal={"b"})
    steps = link("a"), link("b", "a"), link("goal", "b")
    assert sketcher(prover, *steps).without_needless() == [*steps]
    assert ("goal", ("a",)) in prover.asked  # leaving b out was tried, too


def test_what_nobody_uses_is_left_out_without_a_question() -> None:
    prover = Table()
    found = sketcher(prover, link("a"), link("goal")).without_needless()
    assert [step.tokens for step in found] == ["goal"]
    assert not prover.asked


def test_what_the_facts_refute_is_no_goal(monkeypatch: pytest.MonkeyPatch) -> None:
    search = sketcher(None)
    goal = Goal(link("goal"))
    monkeypatch.setattr(Sketcher, "now", lambda _: None)
    monkeypatch.setattr(Sketcher, "ask", lambda *_: (Refuted("values", "n = 1"), frozenset()))
    list(search.derive("n = 0", 0.0))
    search.open("n = 0", OpenPlace(0.0, 0, goal), 0.0, Unknown(""), frozenset())
    assert not search.goals


@pytest.mark.parametrize(("beam", "found"), [(10, {"FREE <X0>": RULE_SCORE}), (20, {})])
def test_what_is_one_rule_away_is_a_proposal_once(
    monkeypatch: pytest.MonkeyPatch, beam: int, found: dict[str, float]
) -> None:
    near = [NearStep("FREE <X0>", "backwards"), NearStep("FREE <X1>", "backwards")]
    prover = SimpleNamespace(one_rule_away=lambda _example, _deadline: near)
    search = sketcher(prover)
    search.said = {"FREE <X1>"}  # type: ignore[assignment]
    monkeypatch.setattr(proof_search, "narrowed", lambda *_: None)
    monkeypatch.setattr(proof_search, "parts", lambda _: [])
    monkeypatch.setattr(proof_search, "well_formed", lambda *_: SimpleNamespace(reason=None))
    assert search.candidates(OpenPlace(0.0, 0, Goal(link("goal")), beam=beam), []) == found
