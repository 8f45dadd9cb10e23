"""Calculation: normal forms prove what they should, and nothing false at any type."""

from __future__ import annotations

import pytest
from tests.prover.arithmetic_derivations import CALCULATED, FALSE_ARITHMETIC
from tests.prover.derivations import FALSE, Derivation
from tests.prover.language import SIGNATURE, local

from isarstep.isabelle.context.monomorphisation import Named
from isarstep.isabelle.terms.hol import BOOL, trueprop
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import Const
from isarstep.prover.arithmetic.calculation import AS_INTEGERS, FACTORIALS, calculated
from isarstep.prover.arithmetic.rings import ring_proof
from isarstep.prover.isar.method_text import method_with_all_given
from isarstep.prover.outcomes.verdict import Proved
from isarstep.prover.values.executable import BuiltInOnly
from isarstep.prover.values.refutation import Refuter

# The classes that the laws ask for, at the types that have them in Isabelle.
COMMUTATIVE = {
    "Rings.comm_semiring_1": ("Nat.nat", "Int.int", "Real.real", "Complex.complex"),
    "Fields.field_char_0": ("Real.real", "Complex.complex"),
}
ARITIES = [
    *(
        (t, c, [[] for _ in range(n)])
        for t, n in SIGNATURE.types.items()
        for c in SIGNATURE.arities.get(t, ())
        if n == 0
    ),
    *((t, c, []) for c, types in COMMUTATIVE.items() for t in types),
]
CLASSES = [*SIGNATURE.classes.items(), *((c, ["HOL.type"]) for c in COMMUTATIVE)]
RINGS = Signature.build(SIGNATURE.constants.values(), SIGNATURE.types.items(), CLASSES, ARITIES)


def by_calculation(derivation: Derivation) -> Proved | None:
    *premises, goal = local([*derivation.premises, derivation.goal], derivation.types)
    return calculated([Named(f"F.2({n})", p) for n, p in enumerate(premises, 1)], goal, RINGS)


@pytest.mark.parametrize("derivation", CALCULATED, ids=lambda d: d.name)
def test_calculation_proves(derivation: Derivation) -> None:
    assert by_calculation(derivation) is not None


def test_no_false_arithmetic_is_calculated() -> None:
    assert len(FALSE_ARITHMETIC) >= 60
    assert [d.name for d in (*FALSE_ARITHMETIC, *FALSE) if by_calculation(d) is not None] == []


def test_the_false_derivations_are_false() -> None:
    """Most have values that refute them; classes and irrational roots are beyond evaluation."""
    beyond = {"product commutes in a ring", "square of a sum in a ring", "two is not zero in a semiring", "root of two",
              "root of a sum", "norm and number", "wrong solution"}  # fmt: skip
    found = {}
    for derivation in FALSE_ARITHMETIC:
        *premises, goal = local([*derivation.premises, derivation.goal], derivation.types)
        found[derivation.name] = (
            Refuter(BuiltInOnly(), SIGNATURE).search(premises, goal, 5.0).counterexample is not None
        )
    assert {name for name, refuted in found.items() if not refuted} <= beyond


def test_what_is_calculated_is_not_refuted() -> None:
    for derivation in CALCULATED:
        *premises, goal = local([*derivation.premises, derivation.goal], derivation.types)
        assert Refuter(BuiltInOnly(), SIGNATURE).search(premises, goal, 0.2).counterexample is None, derivation.name


def test_the_method_is_named() -> None:
    methods = {d.name: by_calculation(d) for d in CALCULATED}
    line, system, cancelled = (methods[n] for n in ("miniF2F's line", "linear system", "cancelled"))
    assert line is not None
    assert (line.by, line.facts) == ("simp", ("algebra_simps",))
    assert system is not None
    assert (system.by, system.facts) == ("algebra", ("F.2(1)", "F.2(2)"))
    assert cancelled is not None
    assert cancelled.facts == ("field_simps", "F.2(1)")
    goal = Const("HOL.True", BOOL)
    assert method_with_all_given(system, goal).startswith("by ((simp; fail) | algebra |")
    assert method_with_all_given(Proved("eval", 0.0, (), 0), goal) == "by ((simp; fail) | eval)"


def test_powers_with_variables_above_have_their_rules() -> None:
    types = {"x": "real", "m": "nat", "n": "nat"}
    alone = by_calculation(Derivation("sum", [], "(= (^ x (+ m n)) (* (^ x m) (^ x n)))", types))
    assert alone is not None
    assert alone.facts[-2:] == ("power_add", "power_mult")
    hypothesis = "(= (^ (^ x m) n) (^ x (* m n)))"
    step = by_calculation(Derivation("step", [hypothesis], "(= (^ (^ x m) (Suc n)) (^ x (+ m (* m n))))", types))
    assert step is not None
    assert (step.facts, step.steps) == (("F.2(1)",), ())
    assert step.method.startswith("((simp add: power_add; fail)")


def test_a_combination_of_equations_is_shown() -> None:
    types = {"x": "real", "y": "real"}
    proof = by_calculation(
        Derivation("sum", ["(= (+ x y) 13)", "(= (* x y) 24)"], "(= (+ (^ x 2) (^ y 2)) 121)", types)
    )
    assert proof is not None
    assert proof.given == ("F.2(1)", "F.2(2)")
    (identity,) = proof.steps
    assert identity.premises == ()  # it holds for all x and y
    assert ring_proof((), trueprop(identity.formula, typed=True), RINGS) is not None


def test_large_natural_numbers_are_computed_as_integers() -> None:
    small, large = (
        by_calculation(Derivation(goal, [], goal, {}))
        for goal in ("(= (mod (+ (^ (Suc 1) 9) 3) 10) 5)", "(= (mod (^ (Suc 98) 99) 10) 9)")
    )
    assert small is not None
    assert small.method == ""
    assert large is not None
    assert large.method == AS_INTEGERS


def test_factorials_beside_what_is_not_generated() -> None:
    proof = by_calculation(Derivation("factorial", [], "(= (* (fact 3) (sqrt 9)) 18)", {}))
    assert proof is not None
    assert (proof.by, proof.method) == ("simp", FACTORIALS)


@pytest.mark.parametrize("premise", ["(< x x)", "(<= 1 (- x x))", "(Not (= x x))"])
def test_a_premise_that_says_that_zero_is_not_zero_says_nothing(premise: str) -> None:
    assert by_calculation(Derivation(premise, [premise], "(= (/ x x) 1)", {"x": "real"})) is None
