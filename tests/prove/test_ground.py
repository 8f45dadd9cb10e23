"""Arithmetic without quantifiers: what premises say at the arguments that occur is enough, and nothing false follows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.prove.arithmetic_derivations import CALCULATED, FALSE_ARITHMETIC, FALSE_GROUND, FALSE_RESIDUES, GROUND_TRUE
from tests.prove.derivations import FALSE, Derivation
from tests.prove.language import lemma, local
from tests.prove.test_rings import RINGS

from isarstep.prove.calculation import calculated
from isarstep.prove.formula import CannotEncode
from isarstep.prove.ground_facts import GroundProblem, ground_problem
from isarstep.prove.monomorphise import Named
from isarstep.prove.problems import Query, ground_attempt
from isarstep.prove.provers import GROUND, ProofFound, ProverLimits, Provers, available
from isarstep.prove.verdict import Proved

ROOTS = {
    "real_sqrt_pow2": ("(==> (<= 0 ?x) (= (^ (sqrt ?x) 2) ?x))", {"?x": "real"}),
    "real_sqrt_ge_zero": ("(==> (<= 0 ?x) (<= 0 (sqrt ?x)))", {"?x": "real"}),
}
needs_cvc5 = pytest.mark.skipif(not available(GROUND), reason="cvc5 is not installed")


def library(theory: str, name: str) -> list[Named]:
    if name not in ROOTS:
        return []
    text, types = ROOTS[name]
    return [lemma(f"{theory}.{name}", text, types)]


def problem_of(derivation: Derivation) -> GroundProblem | None:
    *premises, goal = local([*derivation.premises, derivation.goal], derivation.types)
    return ground_problem([Named(f"F.2({n})", p) for n, p in enumerate(premises, 1)], goal, RINGS, library)


def by_arithmetic(derivation: Derivation, provers: Provers) -> Proved | None:
    problem = problem_of(derivation)
    if problem is None:
        return None
    found = calculated(problem.named(), problem.goal, RINGS)
    if found is None:
        try:
            query = Query(problem.named(), problem.goal)
            answer = provers.prove([ground_attempt(query, strategy) for strategy in GROUND])
        except CannotEncode:
            return None
        found = Proved(answer.strategy, answer.seconds, answer.facts, 0) if isinstance(answer, ProofFound) else None
    return None if found is None else problem.explained(found)


@pytest.fixture(scope="module")
def provers() -> Iterator[Provers]:
    with Provers(ProverLimits(seconds=3, width=2)) as running:
        yield running


@needs_cvc5
@pytest.mark.parametrize("derivation", GROUND_TRUE, ids=lambda d: d.name)
def test_arithmetic_proves(derivation: Derivation, provers: Provers) -> None:
    assert by_arithmetic(derivation, provers) is not None


@needs_cvc5
def test_no_false_derivation_is_proved() -> None:
    with Provers(ProverLimits(seconds=0.5, width=2)) as provers:
        derivations = (*FALSE_GROUND, *FALSE_RESIDUES, *FALSE_ARITHMETIC, *FALSE)
        assert [d.name for d in derivations if by_arithmetic(d, provers) is not None] == []


@needs_cvc5
def test_steps_name_what_they_need(provers: Provers) -> None:
    (recursion,) = (d for d in GROUND_TRUE if d.name == "recursion")
    proof = by_arithmetic(recursion, provers)
    assert proof is not None
    assert set(proof.facts) >= {"F.2(1)", "F.2(2)", "F.2(3)"}
    for place, step in enumerate(proof.steps):
        assert step.premises or step.steps
        assert all(before < place for before in step.steps)
    assert any(step.used for step in proof.steps)
    assert proof.method.startswith("(linarith")
    assert proof.given == ("F.2(2)", "F.2(3)")


def test_arithmetic_is_not_asked_about_other_things() -> None:
    assert problem_of(Derivation("lists", [], "(= (append xs ys) (append ys xs))", {"xs": "(list nat)"})) is None


def test_what_is_calculated_stays_so(provers: Provers) -> None:
    assert all(by_arithmetic(derivation, provers) for derivation in CALCULATED if "real" in derivation.types.values())
