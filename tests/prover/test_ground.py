"""Arithmetic without quantifiers: what premises say at the arguments that occur is enough, and nothing false follows."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest
from tests.drawn import prover_seconds
from tests.prover.arithmetic_derivations import (
    BY_VALUES,
    CALCULATED,
    FALSE_ARITHMETIC,
    FALSE_CERTIFICATES,
    FALSE_GROUND,
    FALSE_RESIDUES,
    FALSE_VALUES,
    GROUND_TRUE,
)
from tests.prover.derivations import FALSE, Derivation
from tests.prover.language import lemma, local
from tests.prover.test_rings import RINGS

from isarstep.isabelle.context.monomorphisation import Named
from isarstep.isabelle.terms.terms import Free, Type
from isarstep.prover.arithmetic.calculation import calculated
from isarstep.prover.arithmetic.ground_problem import GroundProblem, ground_problem
from isarstep.prover.arithmetic.linear_values import SOLVED
from isarstep.prover.arithmetic.rings import Monomial
from isarstep.prover.arithmetic.roots import rational_roots
from isarstep.prover.arithmetic.value_steps import REPLACED
from isarstep.prover.atp.problems import Query, ground_attempt
from isarstep.prover.atp.provers import GROUND, ProverLimits, Provers, available
from isarstep.prover.encode.formula import CannotEncode
from isarstep.prover.outcomes.verdict import Proved
from isarstep.prover.values.domains import INT, NAT, REAL

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
    found = problem.by_values() or calculated(problem.named(), problem.goal, RINGS)
    if found is None:
        try:
            query = Query(problem.named(), problem.goal)
            answer = provers.prove([ground_attempt(query, strategy) for strategy in GROUND])
        except CannotEncode:
            return None
        found = answer if isinstance(answer, Proved) else None
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
@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in (1, 2, 3))])
def test_no_false_derivation_is_proved(part: int) -> None:
    derivations = (*FALSE_VALUES, *FALSE_GROUND, *FALSE_RESIDUES, *FALSE_ARITHMETIC, *FALSE)[part::4]
    with Provers(ProverLimits(seconds=prover_seconds(0.5), width=2)) as provers:
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


@pytest.mark.parametrize("derivation", BY_VALUES, ids=lambda d: d.name)
def test_values_decide(derivation: Derivation) -> None:
    problem = problem_of(derivation)
    assert problem is not None
    found = problem.by_values()
    assert found is not None
    proof = problem.explained(found)
    assert any(step.used for step in proof.steps)
    assert set(proof.facts) - {"complex_eq_iff"} <= {f"F.2({n})" for n, _ in enumerate(derivation.premises, 1)}
    assert all(before < place for place, step in enumerate(proof.steps) for before in step.steps)


def test_no_false_derivation_is_decided_by_values() -> None:
    derivations = (*FALSE_VALUES, *FALSE_CERTIFICATES, *FALSE_GROUND, *FALSE_RESIDUES, *FALSE_ARITHMETIC, *FALSE)
    problems = [(derivation.name, problem_of(derivation)) for derivation in derivations]
    assert [name for name, problem in problems if problem is not None and problem.by_values() is not None] == []


def test_values_are_shown_once_and_the_goal_needs_nothing_else() -> None:
    problem = problem_of(BY_VALUES[0])
    assert problem is not None
    found = problem.by_values()
    assert found is not None
    proof = problem.explained(found)
    assert [(step.method, step.premises) for step in proof.steps] == [
        *[(SOLVED, ("F.2(1)", "F.2(2)"))] * 2,
        ("((simp; fail) | eval)", ()),
    ]
    assert proof.given == ()


def test_a_goal_with_variables_of_its_own_is_opened() -> None:
    problem = problem_of(next(d for d in GROUND_TRUE if d.name == "all positive numbers"))
    assert problem is not None
    opened = problem.opened
    assert opened is not None
    assert [variable.type for variable in opened.variables] == [Type("Real.real")]
    assert [name for name, _ in opened.premises] == ["goal(0)"]
    assert opened.method == "(intro allI impI)"
    assert opened.conclusion == problem.goal


def test_a_root_of_a_number_needs_no_condition() -> None:
    (root,) = (d for d in GROUND_TRUE if d.name == "root")
    problem = problem_of(root)
    assert problem is not None
    said = {step.method for fact in problem.facts for step in fact.chain() if "sqrt" in str(fact.formula)}
    assert said >= {"simp", "(blast intro: NthRoot.real_sqrt_pow2)"}
    negative = problem_of(Derivation("negative", [], "(= (^ (sqrt (neg 4)) 2) (neg 4))", {}))
    assert negative is not None
    assert not any("real_sqrt" in step.method for fact in negative.facts for step in fact.chain())


def test_the_value_of_a_set_in_a_premise_has_steps() -> None:
    count = "(card (COLLECT (k) (& (dvd k 12) (neq k (Suc 11)))))"
    problem = problem_of(Derivation("divisors", [f"(= n {count})"], "(= (* n n) 25)", {"n": "nat"}))
    assert problem is not None
    found = problem.by_values()
    assert found is not None
    methods = [step.method for step in problem.explained(found).steps]
    assert methods == ["(auto dest: dvd_imp_le)", "eval", REPLACED, "(rule trans)", "((simp; fail) | eval)"]


def test_roots() -> None:
    x = Free("x", REAL)
    square = {((x, 2),): Fraction(2), ((x, 1),): Fraction(-5), (): Fraction(2)}
    assert rational_roots(square, REAL) == (x, [Fraction(1, 2), Fraction(2)])
    assert rational_roots({**square, (): Fraction(3)}, REAL) == (x, [Fraction(1), Fraction(3, 2)])
    assert rational_roots({**square, (): Fraction(1)}, REAL) is None  # irrational ones
    assert rational_roots(square, INT) is None
    assert rational_roots({**square, (): Fraction(2), ((Free("y", REAL), 1),): Fraction(1)}, REAL) is None
    for numbers in ((0, 0, 3), (-2, -2), ("-1/3", "1/2", 4, 7)):
        roots = sorted(map(Fraction, numbers))
        made: dict[Monomial, Fraction] = {(): Fraction(6)}
        for root in roots:
            product: dict[Monomial, Fraction] = {}
            for monomial, coefficient in made.items():
                power = monomial[0][1] if monomial else 0
                higher = ((x, power + 1),)
                product[higher] = product.get(higher, Fraction(0)) + coefficient
                product[monomial] = product.get(monomial, Fraction(0)) - root * coefficient
            made = {monomial: coefficient for monomial, coefficient in product.items() if coefficient}
        assert rational_roots(made, REAL) == (x, roots)


def test_a_number_that_exists_is_obtained() -> None:
    problem = problem_of(next(d for d in BY_VALUES if d.name == "a root that exists"))
    assert problem is not None
    found = problem.by_values()
    assert found is not None
    steps = problem.explained(found).steps
    (obtained,) = (step.obtained for step in steps if step.obtained is not None)
    assert obtained.type == NAT
    assert [step.method for step in steps].count("(rule power_less_imp_less_base, simp)") == 1


def test_a_number_too_long_to_be_written_is_no_value() -> None:
    problem = problem_of(Derivation("long", ["(= n (^ 2 4000))"], "(< 0 n)", {"n": "nat"}))
    assert problem is not None
    assert all(fact.method == "" for fact in problem.facts)
    problem = problem_of(Derivation("long", ["(= (+ x x) (^ 2 4000))"], "(< 0 x)", {"x": "real"}))
    assert problem is not None
    assert all(fact.method == "" for fact in problem.facts)
