"""Slices of time for provers, from data."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace

import pytest
from tests.prover.language import SIGNATURE, local
from tests.prover.small_library import library_of

from isarstep.isabelle.context.monomorphisation import Named
from isarstep.isabelle.context.theory_contexts import TheoryContexts
from isarstep.premises.available_facts import AvailableFacts
from isarstep.prover.atp import schedule as fitted
from isarstep.prover.atp.problems import Query
from isarstep.prover.atp.provers import Attempt, ProverLimits, Provers
from isarstep.prover.atp.schedule import BEFORE_DEFINITIONS, DEFINITIONS, Effort, Slice, schedule, strategies
from isarstep.prover.check.obligations import GapCloser
from isarstep.prover.outcomes.verdict import Gap, TimedOut

BOTH = frozenset({"cvc5", "eprover"})


@pytest.fixture(autouse=True)
def all_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitted, "available", lambda known: tuple(known))


def test_the_slices_of_a_question_take_its_time_and_no_more() -> None:
    for seconds in (0.02, 0.4, 1.2, 7.0, 300.0):
        assert sum(part.seconds for part in Effort(seconds).slices()) == pytest.approx(seconds)
    assert list(Effort(0.0).slices()) == list(Effort(0.0).without_library()) == []


def test_who_asks_again_with_more_time_begins_with_the_same_slices() -> None:
    short, long = list(Effort(1.0).slices()), list(Effort(30.0).slices())
    assert len(short) > 1
    assert long[: len(short) - 1] == short[:-1]  # the last one may have been cut off
    assert len(long) > len(short)


def test_a_prover_that_cannot_be_asked_leaves_its_time_to_the_other() -> None:
    for broken in BOTH:
        parts = list(Effort(5.0).slices({broken}))
        assert {part.strategy.prover for part in parts} == BOTH - {broken}
        assert sum(part.seconds for part in parts) == pytest.approx(5.0)
    assert list(Effort(5.0).slices(BOTH)) == []
    assert {part.strategy.prover for part in Effort(5.0).without_library()} == BOTH


def test_every_schedule_has_slices_with_library_facts_and_each_prover_has_one() -> None:
    for provers in (BOTH, frozenset({"cvc5"}), frozenset({"eprover"})):
        parts = schedule(provers)
        assert {part.strategy.prover for part in parts} == provers
        assert all(part.seconds > 0 for part in parts)
        assert any(part.facts for part in parts)
    assert schedule(frozenset()) == ()
    assert len({strategy.name for strategy in strategies()}) == len(strategies())


def test_definitions_are_tried_once_the_usual_time_is_over() -> None:
    for provers in (BOTH, frozenset({"eprover"})):
        places = [place for place, part in enumerate(schedule(provers)) if part.order == "defined"]
        assert len(places) == len(DEFINITIONS)
        before = sum(part.seconds for part in schedule(provers)[: places[0]])
        assert BEFORE_DEFINITIONS <= before < 2 * BEFORE_DEFINITIONS
    assert all(part.order != "defined" for part in (*schedule(frozenset({"cvc5"})), *Effort().slices()))


@pytest.mark.parametrize(("before", "found"), [(5, ["E.f_def", "E.g.simps"]), (1, ["E.f_def"]), (0, [])])
def test_definitions_are_those_of_the_entry_that_a_question_mentions(before: int, found: list[str]) -> None:
    (fact,) = local(["P"], {"P": "bool"})
    said = [("E.A", "E.f_def"), ("E.A", "E.g.simps"), ("HOL.List", "List.rev_def"), ("E.A", "E.h_def"), ("E.B", "E.f")]
    library = library_of([(theory, Named(name, fact)) for theory, name in said], SIGNATURE)
    everywhere = SimpleNamespace(theory_context=SimpleNamespace(theories=None))
    texts = ["CONST E.f $ CONST List.rev", "CONST E.g"]
    numbers = AvailableFacts(library)._definitions(texts, everywhere, before, ())  # type: ignore[arg-type]
    assert [library.name(number) for number in numbers] == found


class Listening(Provers):
    """Proves nothing, and remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__(ProverLimits())
        self.asked: list[Attempt] = []

    def prove(self, attempts: Iterable[Attempt]) -> Gap:
        self.asked += attempts
        return TimedOut(0.0)


def test_a_problem_is_not_sent_again_unless_for_longer() -> None:
    (goal,) = local(["P"], {"P": "bool"})
    provers = Listening()
    closing = GapCloser(TheoryContexts(SIGNATURE), provers, instances=False)
    strategy = strategies()[0]

    def parts(_: object) -> Iterable[Slice]:
        return iter([Slice(strategy, 0, "constants", seconds) for seconds in (0.1, 0.1, 0.05, 0.2)])

    closing._asked("", parts, lambda _: (Query((), goal), 0))  # type: ignore[arg-type]
    assert [each.seconds for each in provers.asked] == [0.1, 0.2]
