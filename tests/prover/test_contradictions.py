"""Goals by contradiction: cases over signs and products prove what they should, and nothing false."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import pytest
from tests.prover.arithmetic_derivations import (
    BY_CONTRADICTION,
    FALSE_ARITHMETIC,
    FALSE_CERTIFICATES,
    FALSE_GROUND,
    FALSE_VALUES,
)
from tests.prover.arithmetic_derivations import FALSE_CONTRADICTIONS as FALSE_HERE
from tests.prover.derivations import FALSE, Derivation
from tests.prover.test_ground import problem_of
from tests.prover.test_rings import RINGS

from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.hol import EQ, LESS, LESS_EQ
from isarstep.prover.arithmetic.contradictions import by_contradiction
from isarstep.prover.arithmetic.multipliers import contradiction
from isarstep.prover.atp.provers import LINEAR, Attempt, ProverLimits, Provers, available
from isarstep.prover.encode.formula import Entailment
from isarstep.prover.encode.smt import encode_smt
from isarstep.prover.outcomes.verdict import ASSUME, CLOSE, Proved

needs_cvc5 = pytest.mark.skipif(not available([LINEAR]), reason="cvc5 is not installed")


@pytest.fixture(scope="module")
def provers() -> Iterator[Provers]:
    with Provers(ProverLimits(seconds=3, width=2)) as running:
        yield running


def proof_of(derivation: Derivation, provers: Provers) -> Proved | None:
    def core(problem: Entailment) -> Sequence[str] | None:
        answer = provers.prove([Attempt(LINEAR, *encode_smt(problem))])
        return answer.facts if isinstance(answer, Proved) else None

    problem = problem_of(derivation)
    return None if problem is None else by_contradiction(problem, RINGS, core)


@needs_cvc5
@pytest.mark.parametrize("derivation", BY_CONTRADICTION, ids=lambda d: d.name)
def test_contradictions_are_found(derivation: Derivation, provers: Provers) -> None:
    proof = proof_of(derivation, provers)
    assert proof is not None
    assert set(proof.facts) <= {f"F.2({n})" for n, _ in enumerate(derivation.premises, 1)}


@needs_cvc5
def test_nothing_false_is_contradicted(provers: Provers) -> None:
    derivations = (*FALSE_HERE, *FALSE_CERTIFICATES, *FALSE_GROUND, *FALSE_ARITHMETIC, *FALSE_VALUES, *FALSE)
    assert [d.name for d in derivations if proof_of(d, provers) is not None] == []


@needs_cvc5
def test_steps_stay_in_their_blocks(provers: Provers) -> None:
    """What is shown inside a block is not used outside of it, and blocks follow each other."""
    for derivation in BY_CONTRADICTION:
        proof = proof_of(derivation, provers)
        assert proof is not None
        inside: set[int] | None = None
        closed: set[int] = set()
        for number, step in enumerate(proof.steps):
            if step.method == ASSUME:
                assert inside is None
                inside = set()
            if step.method == CLOSE:
                assert inside is not None
                assert step.steps[0] in inside
                closed, inside = closed | inside, None
            else:
                assert not set(step.steps) & closed
            if inside is not None:
                inside.add(number)
            assert not (number in closed and step.used)
        assert inside is None
        assert not [n for n in closed if proof.steps[n].used]
        last = [step for step in proof.steps if step.used]
        assert all(step.method == CLOSE for step in last if hol.dest_binary(hol.IMPLIES, step.formula) is None)


def test_contradiction() -> None:
    x = {(("x", 1),): Fraction(1)}
    positive = (x, LESS)
    negative = ({(("x", 1),): Fraction(-2)}, LESS_EQ)
    assert contradiction([positive, negative]) == ([2, 1], 0)
    assert contradiction([(x, LESS_EQ), negative]) is None  # both hold where x = 0
    one_less = ({(("x", 1),): Fraction(-1), (): Fraction(-1)}, LESS_EQ)
    assert contradiction([(x, LESS_EQ), one_less]) == ([1, 1], 1)
    assert contradiction([(x, EQ), ({**x, (): Fraction(-1)}, EQ)]) is not None
