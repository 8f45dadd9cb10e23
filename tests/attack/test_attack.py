"""A fixed tenth of the attack, and what must hold of every question that provers are asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest
from tests.attack.suite import FILE, Attack, derivations, derivations_by_field, false_queries, quick_attempts
from tests.drawn import prover_seconds

from isarstep.apps.engine import Engine
from isarstep.isabelle.context.theory_contexts import TheoryContext
from isarstep.isabelle.terms.terms import constants
from isarstep.isabelle.theory.problems.problem import Problem
from isarstep.premises.fact_base import Library
from isarstep.prover.atp.provers import USUAL, Attempt, ProverLimits, Provers, available
from isarstep.prover.atp.schedule import Effort
from isarstep.prover.check.prover_session import Limits, Proving
from isarstep.prover.check.step_checker import Checker
from isarstep.prover.outcomes.verdict import Gap, Proved, TimedOut

PART = 10
# Of these, most of it four times: what a missing guard lets through is proved in a fraction, all else takes all of it.
SECONDS = prover_seconds(0.05)


@pytest.fixture(scope="module")
def proving(engine: Engine) -> Iterator[Proving]:
    with engine.proving(seconds=SECONDS, library=32, width=2) as found:
        yield found


@pytest.fixture(scope="module")
def library(proving: Proving) -> Library:
    found = proving._checker.facts
    assert isinstance(found, Library)
    return found


class Listening(Provers):
    """Provers that prove nothing, and remember what they were asked."""

    def __init__(self) -> None:
        super().__init__(ProverLimits())
        self.texts: list[str] = []

    def prove(self, attempts: Iterable[Attempt]) -> Gap:
        self.texts += [each.text for each in attempts]
        return TimedOut(0.0)


def asked(engine: Engine, library: Library, problem: Problem) -> tuple[TheoryContext, Checker, list[str]]:
    """The questions about a problem, as provers read them."""
    task = engine.read(problem)
    listening = Listening()
    checker = Checker(engine.theory_contexts, listening, library, Effort(library=32), trace=[])
    checker.direct(task.example, task.theory_context)
    return task.theory_context, checker, listening.texts


def test_the_attack_is_large() -> None:
    problems = derivations()
    assert len(problems) >= 300
    assert len({problem.imports for problem in problems}) > 10
    assert len({(p.goal, p.facts, tuple(p.types.items()), p.imports) for p in problems}) == len(problems)


@pytest.mark.slow
@pytest.mark.skipif(len(available(USUAL)) < len(USUAL), reason="not all provers are installed")
def test_a_tenth_of_what_is_false_is_not_proved(engine: Engine, proving: Proving) -> None:
    attack = Attack(engine, proving, SECONDS, 32)
    for problem in derivations()[::PART]:
        for breach in (*attack.sketched(problem), *attack.proposed(problem)):
            pytest.fail(str(breach))


@pytest.mark.slow
@pytest.mark.skipif(len(available(USUAL)) < len(USUAL), reason="not all provers are installed")
def test_no_induction_proves_what_is_false(engine: Engine, proving: Proving) -> None:
    attack = Attack(engine, proving, SECONDS, 32)
    problems = [problem for heading, problem in derivations_by_field(FILE) if heading.startswith("Induction")]
    assert len(problems) >= 60
    for problem in problems[:: PART // 2]:
        for breach in attack.inducted(problem, 3):
            pytest.fail(str(breach))


@pytest.mark.slow
@pytest.mark.skipif(len(available(USUAL)) < len(USUAL), reason="not all provers are installed")
def test_no_parts_prove_what_is_false(engine: Engine, proving: Proving) -> None:
    problems = [problem for heading, problem in derivations_by_field(FILE) if heading.startswith("Parts")]
    assert len(problems) >= 20
    for problem in problems[:: PART // 2]:
        task = engine.read(problem)
        gap = next(proving.inductions(task, task.example.f3 or "", (), Limits(0.1, 32)))[0]
        assert "intro" in str(gap)
        assert not isinstance(gap, Proved)


@pytest.mark.slow
@pytest.mark.skipif(len(available(USUAL)) < len(USUAL), reason="not all provers are installed")
def test_theories_do_not_contradict_themselves(engine: Engine, library: Library) -> None:
    with Provers(ProverLimits(0.3, width=2)) as provers:
        for theory, query in false_queries(engine.benchmark, library, 5, 64):
            answer = provers.prove(quick_attempts(query))
            assert not isinstance(answer, Proved), (theory, answer)


@pytest.mark.parametrize("imports", [(), ("Prefix_Order",), ("List_Lexorder",), ("Product_Lexorder",), ("Multiset",)])
def test_a_question_speaks_of_its_own_world_alone(engine: Engine, library: Library, imports: tuple[str, ...]) -> None:
    problem = Problem("z ≠ w", ("x < y", "z = [x]", "w = [y]"), types={"x": "nat"}, imports=imports)
    theory_context, checker, _ = asked(engine, library, problem)
    assert theory_context.theories is not None
    assert checker.trace
    offered = {fact.name for each in checker.trace for fact in each.query.library}
    assert offered
    for each in checker.trace:
        for named in (*each.query.premises, *each.query.library):
            strangers = [c.name for c in constants(named.prop) if not theory_context.exists(c.name)]
            assert not strangers, (named.name, strangers)


@pytest.mark.slow
def test_no_question_depends_on_what_was_asked_before(engine: Engine, library: Library) -> None:
    problems = derivations()[3::120]
    first = [asked(engine, library, problem)[2] for problem in problems]
    again = [asked(engine, library, problem)[2] for problem in reversed(problems)]
    assert first == again[::-1]
    assert asked(Engine(), library, problems[-1])[2] == first[-1]


@pytest.mark.skipif(len(available(USUAL)) < len(USUAL), reason="not all provers are installed")
def test_a_proof_stays_one_when_premises_are_added(engine: Engine, proving: Proving) -> None:
    true = Problem("x < z", ("x ≤ y", "y < z"), types={"x": "nat"})
    more = Problem("x < z", ("x ≤ y", "z = z", "p < q", "y < z", "A ⊆ B"), types={"x": "nat", "p": "real"})
    for problem in (true, more):
        task = engine.read(problem)
        gap, _ = proving.follows(task, task.example.f3 or "", (), Limits(2, 0))
        assert type(gap).__name__ == "Proved"
