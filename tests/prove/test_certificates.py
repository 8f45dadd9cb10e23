"""Inequalities by certificates: squares and products prove what they should, and nothing false."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.prove.arithmetic_derivations import BY_CERTIFICATES, FALSE_ARITHMETIC, FALSE_CERTIFICATES, FALSE_GROUND
from tests.prove.derivations import FALSE, Derivation
from tests.prove.test_ground import problem_of
from tests.prove.test_rings import RINGS

from isarstep.prove.certificates import with_certificates
from isarstep.prove.encode_smt import encode_smt
from isarstep.prove.provers import LINEAR, Attempt, ProofFound, ProverLimits, Provers, available
from isarstep.prove.verdict import Proved

needs_cvc5 = pytest.mark.skipif(not available([LINEAR]), reason="cvc5 is not installed")


def by_certificate(derivation: Derivation, provers: Provers) -> Proved | None:
    problem = problem_of(derivation)
    made = None if problem is None else with_certificates(problem, RINGS)
    if made is None:
        return None
    enlarged, linear = made
    answer = provers.prove([Attempt(LINEAR, *encode_smt(linear))])
    if not isinstance(answer, ProofFound):
        return None
    return enlarged.explained(Proved(answer.strategy, answer.seconds, answer.facts, 0))


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
    assert [(step.method, step.steps, step.premises) for step in proof.steps] == [("simp", (), ())]
