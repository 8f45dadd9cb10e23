"""Remainders: finitely many values decide, and nothing false is decided."""

from __future__ import annotations

import pytest
from tests.prover.arithmetic_derivations import BY_RESIDUES, FALSE_ARITHMETIC, FALSE_GROUND, FALSE_RESIDUES
from tests.prover.derivations import FALSE, Derivation
from tests.prover.language import SIGNATURE, local
from tests.prover.test_rings import RINGS

from isarstep.isabelle.context.monomorphisation import Named
from isarstep.isabelle.terms.terms import head_name
from isarstep.prover.arithmetic.calculation import calculated
from isarstep.prover.arithmetic.residue_steps import IMAGE
from isarstep.prover.arithmetic.residues import carmichael
from isarstep.prover.arithmetic.value_steps import REPLACED
from isarstep.prover.outcomes.verdict import Proved
from isarstep.prover.values.executable import BuiltInOnly
from isarstep.prover.values.refutation import Refuter


def by_calculation(derivation: Derivation) -> Proved | None:
    *premises, goal = local([*derivation.premises, derivation.goal], derivation.types)
    return calculated([Named(f"F.2({n})", p) for n, p in enumerate(premises, 1)], goal, RINGS)


@pytest.mark.parametrize("derivation", BY_RESIDUES, ids=lambda d: d.name)
def test_remainders_decide(derivation: Derivation) -> None:
    proof = by_calculation(derivation)
    assert proof is not None
    assert proof.by == "residues"
    assert proof.facts == tuple(f"F.2({n})" for n, _ in enumerate(derivation.premises, 1))


def test_nothing_false_is_decided() -> None:
    derivations = (*FALSE_RESIDUES, *FALSE_GROUND, *FALSE_ARITHMETIC, *FALSE)
    assert [d.name for d in derivations if by_calculation(d) is not None] == []


def test_the_false_derivations_are_false() -> None:
    beyond = {"least of none", "divisors of zero", "the number itself", "remainders by another number"}
    for derivation in FALSE_RESIDUES:
        *premises, goal = local([*derivation.premises, derivation.goal], derivation.types)
        refuted = Refuter(BuiltInOnly(), SIGNATURE).search(premises, goal, 5.0).counterexample is not None
        assert refuted or derivation.name in beyond, derivation.name


def test_what_is_decided_is_not_refuted() -> None:
    for derivation in BY_RESIDUES:
        *premises, goal = local([*derivation.premises, derivation.goal], derivation.types)
        assert Refuter(BuiltInOnly(), SIGNATURE).search(premises, goal, 0.2).counterexample is None, derivation.name


def test_powers_have_the_period() -> None:
    for modulus in range(1, 200):
        period, before = carmichael(modulus), modulus.bit_length()
        for base in range(modulus):
            assert pow(base, before, modulus) == pow(base, before + period, modulus)


def test_the_cases_are_shown() -> None:
    square, known = (by_calculation(d) for d in BY_RESIDUES[:2])
    assert square is not None
    assert [step.method for step in square.steps] == ["presburger", "(rule power_mod[symmetric])"]
    assert known is not None
    assert [step.method for step in known.steps][-1] == "(rule mod_mult_cong)"
    assert known.given == ("F.2(1)", "F.2(2)")


def test_linear_remainders_need_no_steps() -> None:
    proof = by_calculation(Derivation("linear", ["(= (mod x 8) 7)"], "(= (mod x 4) 3)", {"x": "nat"}))
    assert proof is not None
    assert (proof.steps, proof.method) == ((), "presburger")


def test_a_power_is_one_of_its_exponents_remainder() -> None:
    odd, one = (by_calculation(d) for d in BY_RESIDUES if d.name in ("odd power", "power and one"))
    for proof in (odd, one):
        assert proof is not None
        assert proof.given == ()
        assert [step.used for step in proof.steps] == [False] * (len(proof.steps) - 1) + [True]
        assert all(before < place for place, step in enumerate(proof.steps) for before in step.steps)
    assert proof is not None
    assert proof.steps[-1].steps == (0, len(proof.steps) - 2)  # the cases, and the term as one of remainders


def test_a_power_without_a_period_is_left_to_isabelle() -> None:
    proof = by_calculation(Derivation("even", [], "(= (mod (* 2 (^ (Suc 1) n)) 2) 0)", {"n": "nat"}))
    assert proof is not None
    assert (proof.steps, proof.method) == ((), "presburger")


def test_sets_and_least_numbers_have_steps() -> None:
    divisors, least = (
        by_calculation(Derivation(goal, [], goal, {}))
        for goal in (
            "(= (card (COLLECT (x) (& (dvd x 12) (neq x (Suc 11))))) 5)",
            "(= (LEAST (x) (= (mod (* 30 x) 47) (Suc 41))) 39)",
        )
    )
    assert divisors is not None
    assert [step.method for step in divisors.steps] == ["(auto dest: dvd_imp_le)", "eval"]
    assert least is not None
    assert [step.steps for step in least.steps] == [(), (), (0, 1), ()]
    assert least.method == REPLACED


def test_linear_remainders_by_what_is_given_have_steps() -> None:
    proof = by_calculation(Derivation("given", ["(= (mod x 7) 5)"], "(= (mod (* 5 x) 7) 4)", {"x": "nat"}))
    assert proof is not None
    assert [step.method for step in proof.steps] == ["(rule mod_mult_cong[OF refl mod_mod_trivial[symmetric]])"]


def test_all_remainders_are_gone_through() -> None:
    proof = by_calculation(Derivation("unit", ["(= (mod (* 5 x) 17) 8)"], "(= (mod x 17) 5)", {"x": "nat"}))
    assert proof is not None
    congruence = "(rule mod_mult_cong[OF refl mod_mod_trivial[symmetric]])"
    assert [step.method for step in proof.steps] == [congruence, "eval", "simp", IMAGE, "blast"]
    assert [step.used for step in proof.steps] == [True, False, False, False, True]
    assert proof.method == IMAGE


@pytest.mark.parametrize(
    "goal",
    [
        "(==> (dvd 3 n) (= (mod (^ n 2) 3) 0))",
        "(==> (~ (dvd 2 n)) (~ (dvd 2 (^ n 2))))",
        "(==> (dvd 2 (* n n)) (dvd 2 n))",
    ],
)
def test_a_goal_with_a_premise_inside_has_steps(goal: str) -> None:
    proof = by_calculation(Derivation("premise", [], goal, {"n": "nat"}))
    assert proof is not None
    assert proof.by == "residues"
    assert head_name(proof.steps[-1].formula) == "HOL.implies"
