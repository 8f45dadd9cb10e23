"""Inequalities by certificates: squares and products prove what they should, and nothing false."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest
from tests.prover.arithmetic_derivations import BY_CERTIFICATES, FALSE_ARITHMETIC, FALSE_CERTIFICATES, FALSE_GROUND
from tests.prover.derivations import FALSE, Derivation
from tests.prover.test_ground import problem_of
from tests.prover.test_rings import RINGS

from isarstep.isabelle.terms.hol import EQ, LESS, LESS_EQ
from isarstep.prover.arithmetic.certificates import IDENTITY, QUOTIENTS, as_sum, with_certificates
from isarstep.prover.arithmetic.multipliers import multipliers
from isarstep.prover.atp.provers import LINEAR, Attempt, ProverLimits, Provers, available
from isarstep.prover.encode.smt import encode_smt
from isarstep.prover.outcomes.verdict import Proved

needs_cvc5 = pytest.mark.skipif(not available([LINEAR]), reason="cvc5 is not installed")


def by_certificate(derivation: Derivation, provers: Provers) -> Proved | None:
    problem = problem_of(derivation)
    made = None if problem is None else with_certificates(problem, RINGS)
    if made is None:
        return None
    enlarged, linear = made
    answer = provers.prove([Attempt(LINEAR, *encode_smt(linear))])
    if not isinstance(answer, Proved):
        return None
    return as_sum(enlarged, answer, RINGS)


@pytest.fixture(scope="module")
def provers() -> Iterator[Provers]:
    with Provers(ProverLimits(seconds=3, width=2)) as running:
        yield running


@needs_cvc5
@pytest.mark.parametrize("derivation", BY_CERTIFICATES, ids=lambda d: d.name)
def test_certificates_are_found(derivation: Derivation, provers: Provers) -> None:
    proof = by_certificate(derivation, provers)
    assert proof is not None
    assert any(step.used for step in proof.steps)
    assert set(proof.facts) <= {f"F.2({n})" for n, _ in enumerate(derivation.premises, 1)}


@needs_cvc5
def test_nothing_false_has_a_certificate(provers: Provers) -> None:
    derivations = (*FALSE_CERTIFICATES, *FALSE_GROUND, *FALSE_ARITHMETIC, *FALSE)
    assert [d.name for d in derivations if by_certificate(d, provers) is not None] == []


@needs_cvc5
def test_the_square_is_shown(provers: Provers) -> None:
    (derivation,) = (d for d in BY_CERTIFICATES if d.name == "square of another sum")
    proof = by_certificate(derivation, provers)
    assert proof is not None
    assert [(step.method, step.premises) for step in proof.steps] == [("simp", ()), (IDENTITY, ())]
    assert proof.method == "(linarith | argo)"


@needs_cvc5
def test_every_certificate_is_a_sum(provers: Provers) -> None:
    for derivation in BY_CERTIFICATES:
        proof = by_certificate(derivation, provers)
        assert proof is not None
        assert proof.method == "(linarith | argo)", derivation.name
        assert proof.steps[-1].method == (QUOTIENTS if "quotients" in derivation.name else IDENTITY), derivation.name


def test_multipliers() -> None:
    x, y = (({((name, 1),): Fraction(1)}) for name in "xy")
    at_least_zero = [({**x, (): Fraction(-1)}, LESS_EQ), ({**y, **x}, EQ)]
    # 3 * (x - 1) - 2 * (x + y) + 1 = x - 2 * y - 2
    goal = ({**x, (("y", 1),): Fraction(-2), (): Fraction(-2)}, LESS_EQ)
    assert multipliers(at_least_zero, goal) == (1, [3, -2], 1)
    assert multipliers(at_least_zero, ({**x, (): Fraction(-2)}, LESS_EQ)) is None  # x - 2 may be negative
    assert multipliers(at_least_zero, ({**x, (): Fraction(-1)}, LESS)) is None  # or 0
    assert multipliers(at_least_zero, ({**x}, LESS)) == (1, [1, 0], 1)
