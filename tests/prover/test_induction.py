"""Induction by instantiating rules: the cases are what the rule asks for, under fresh names, and nothing else is said."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.prover.language import SIGNATURE

from isarstep.isabelle.context.monomorphisation import Named
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.hol import BOOL
from isarstep.isabelle.terms.terms import (
    Abs,
    App,
    Bound,
    Const,
    Free,
    Term,
    Type,
    Var,
    frees,
    fun,
    instantiate,
    list_comb,
)
from isarstep.prover.induct import induction
from isarstep.prover.induct.induction import Induction, RuleForm, apply_rule, rule_form

NAT = Type("Nat.nat")
SUC = Const("Nat.Suc", fun(NAT, NAT))
ZERO = Const("Groups.zero_class.zero", NAT)
P = Var("P", 0, fun(NAT, BOOL))
N = Var("n", 0, NAT)
Q = Free("Q", fun(NAT, fun(NAT, BOOL)))
R = Free("R", fun(NAT, BOOL))
n, m, k = (Free(name, NAT) for name in "nmk")


def says(head: Term, *arguments: Term) -> Term:
    return hol.trueprop(list_comb(head, arguments), typed=True)


def for_all(body: Term, typ: Type = NAT) -> Term:
    """`⋀x. body`, where x is Bound(0)."""
    return hol.pure_all("x", typ, body)


def rule(name: str, premises: Sequence[Term], conclusion: Term) -> RuleForm:
    form = rule_form(Named(name, hol.list_pure_imp(premises, conclusion, typed=True)))
    assert form is not None
    return form


STEP = for_all(hol.pure_imp(says(P, Bound(0)), says(P, App(SUC, Bound(0))), typed=True))
NAT_INDUCT = rule("Nat.nat.induct", [says(P, ZERO), STEP], says(P, N))


def applied(
    premises: Sequence[Term], goal: Term, target: Free, arbitrary: Sequence[Free] = (), form: RuleForm = NAT_INDUCT
) -> Induction | None:
    given = [Named(f"F.2({place})", prop) for place, prop in enumerate(premises, 1)]
    return apply_rule(form, given, goal, [target], arbitrary, SIGNATURE)


def shown(made: Induction | None) -> list[tuple[list[Term], Term]]:
    assert made is not None
    return [([premise.prop for premise in case.premises], case.goal) for case in made.cases]


def test_the_cases_are_what_the_rule_says() -> None:
    made = applied([], says(R, n), n)
    x = Free("x", NAT)
    assert shown(made) == [([], says(R, ZERO)), ([says(R, x)], says(R, App(SUC, x)))]
    assert made is not None
    assert made.method() == "induct n"


def test_a_premise_about_the_target_is_a_hypothesis_of_the_cases_and_no_fact_in_them() -> None:
    """Kept as a fact about n it would be one about another number than the case's."""
    made = applied([says(Q, n, m), says(Q, m, k)], says(R, n), n)
    assert made is not None
    assert [premise.name for premise in made.kept] == ["F.2(2)"]
    assert made.used == ("F.2(1)",)
    base, step = made.cases
    assert [premise.prop for premise in base.premises] == [says(Q, ZERO, m)]
    hypothesis, own = (premise.prop for premise in step.premises)
    x = Free("x", NAT)
    assert hypothesis == hol.trueprop(
        hol.implies(list_comb(Q, [x, m]), App(R, x), typed=True), typed=True
    )  # the induction hypothesis has the premise, too
    assert own == says(Q, App(SUC, x), m)


def test_what_is_arbitrary_has_another_name_in_a_case_than_where_it_stands() -> None:
    """Fixed under its own name, what is known about the context's m would be known about every m."""
    made = applied([says(R, m), says(R, k)], says(Q, n, m), n, [m])
    assert made is not None
    assert [premise.name for premise in made.kept] == ["F.2(2)"]  # R m is a hypothesis about any m now
    for case in made.cases:
        assert m not in frees(case.goal)
        assert all(m not in frees(premise.prop) for premise in case.premises)
    general = made.cases[1].premises[0].prop
    assert hol.dest_quantifier(hol.ALL, hol.dest_trueprop(general) or general) is not None


def test_names_of_a_case_are_none_that_premises_have() -> None:
    x = Free("x", NAT)
    made = applied([says(R, x)], says(R, n), n)
    assert made is not None
    assert [premise.name for premise in made.kept] == ["F.2(1)"]
    assert x not in frees(made.cases[1].goal)


def test_a_rule_with_a_premise_of_its_own_needs_it_among_the_given_ones() -> None:
    even = Const("Even", fun(NAT, BOOL))
    step = for_all(
        hol.list_pure_imp([says(even, Bound(0)), says(P, Bound(0))], says(P, App(SUC, App(SUC, Bound(0)))), typed=True)
    )
    form = rule("Even.induct", [says(even, N), says(P, ZERO), step], says(P, N))
    assert apply_rule(form, [], says(R, n), [None], (), SIGNATURE) is None
    assert apply_rule(form, [Named("F.2(1)", says(even, m))], says(R, n), [n], (), SIGNATURE) is not None  # over m
    made = apply_rule(form, [Named("F.2(1)", says(even, n))], says(R, n), [None], (), SIGNATURE)
    assert made is not None
    assert made.used == ("F.2(1)",)
    assert [len(case.premises) for case in made.cases] == [0, 2]


def test_a_case_that_is_given_is_a_case_still() -> None:
    """Isabelle counts it, so that all others would be printed under the number of the one before: `abs_trans` by
    `traffic.abstract.induct`."""
    made = applied([says(R, ZERO)], says(R, n), n)
    assert made is not None
    assert [case.goal for case in made.cases] == [says(R, ZERO), says(R, App(SUC, Free("x", NAT)))]
    assert [premise.name for premise in made.kept] == ["F.2(1)"]


def test_over_a_term_the_cases_say_that_it_is_equal_to_it() -> None:
    even = Const("Even", fun(NAT, BOOL))
    form = rule("Even.cases", [says(even, N), says(P, ZERO)], says(P, N))
    made = apply_rule(form, [Named("F.2(1)", says(even, App(SUC, n)))], says(R, n), [None], (), SIGNATURE)
    assert shown(made) == [([hol.trueprop(hol.eq(ZERO, App(SUC, n), NAT), typed=True)], says(R, n))]


def test_a_target_of_another_type_does_not_fit() -> None:
    assert applied([], says(Free("B", fun(BOOL, BOOL)), Free("b", BOOL)), Free("b", BOOL)) is None


def test_of_types_defined_together_the_other_predicate_says_nothing() -> None:
    """Its cases are trivial, and its hypotheses too: what is wanted is not assumed of the other type."""
    other = Var("P2", 0, fun(BOOL, BOOL))
    wrap = Const("Wrap", fun(BOOL, NAT))
    crossing = hol.pure_all("b", BOOL, hol.pure_imp(says(other, Bound(0)), says(P, App(wrap, Bound(0))), typed=True))
    true = Const("HOL.True", BOOL)
    form = rule("Both.induct", [says(P, ZERO), crossing, says(other, true)], says(P, N))
    made = applied([], says(R, n), n, form=form)
    b = Free("b", BOOL)
    assert shown(made) == [
        ([], says(R, ZERO)),
        ([hol.trueprop(true, typed=True)], says(R, App(wrap, b))),
        ([], hol.trueprop(true, typed=True)),
    ]


def test_of_a_nested_type_the_hypothesis_is_about_members_alone() -> None:
    member = Const("In", fun(NAT, fun(NAT, BOOL)))
    hypothesis = for_all(hol.pure_imp(says(member, Bound(0), Bound(1)), says(P, Bound(0)), typed=True))
    form = rule(
        "Nested.induct", [for_all(hol.pure_imp(hypothesis, says(P, App(SUC, Bound(0))), typed=True))], says(P, N)
    )
    made = applied([], says(R, n), n, form=form)
    x = Free("x", NAT)
    about_members = for_all(hol.pure_imp(says(member, Bound(0), x), says(R, Bound(0)), typed=True))
    assert shown(made) == [([about_members], says(R, App(SUC, x)))]


def test_a_rule_about_something_that_nobody_named_is_not_used() -> None:
    relation = Var("r", 0, fun(NAT, fun(NAT, BOOL)))
    hypothesis = for_all(hol.pure_imp(says(relation, Bound(0), Bound(1)), says(P, Bound(0)), typed=True))
    form = rule("wf.induct", [for_all(hol.pure_imp(hypothesis, says(P, Bound(0)), typed=True))], says(P, N))
    assert applied([], says(R, n), n, form=form) is None


def test_no_rule_is_made_of_what_concludes_something_else() -> None:
    assert rule_form(Named("x", says(R, n))) is None
    assert rule_form(Named("x", hol.pure_imp(says(P, ZERO), says(P, ZERO), typed=True))) is None  # over no variable
    about_context = hol.pure_imp(says(R, n), says(P, N), typed=True)
    assert rule_form(Named("x", about_context)) is None  # it holds under hypotheses that were lost


# The guard


def asked(instance: Term, predicate: Term, premises: Sequence[Term], goal: Term) -> list[Term] | None:
    given = [Named(f"F.2({place})", prop) for place, prop in enumerate(premises, 1)]
    formula = hol.as_formula(goal)
    assert formula is not None
    return induction._asked(instance, predicate, [n], [], given, formula)


def test_the_guard_lets_nothing_through_that_does_not_give_the_goal() -> None:
    about = Abs("n", NAT, App(R, Bound(0)))
    whole = hol.list_pure_imp([says(R, ZERO)], says(R, n), typed=True)
    assert asked(whole, about, [], says(R, n)) == [says(R, ZERO)]
    assert asked(whole, about, [says(R, ZERO)], says(R, n)) == [says(R, ZERO)]
    assert asked(whole, about, [], says(R, m)) is None  # another goal
    assert asked(hol.pure_imp(says(R, ZERO), says(R, m), typed=True), about, [], says(R, n)) is None
    assert asked(hol.pure_imp(says(R, ZERO), says(P, n), typed=True), about, [], says(R, n)) is None  # not closed
    under = Abs("n", NAT, hol.implies(App(R, m), App(R, Bound(0)), typed=True))
    weaker = hol.pure_imp(says(R, ZERO), hol.trueprop(instantiate(under.body, n), typed=True), typed=True)
    assert asked(weaker, under, [], says(R, n)) is None  # a hypothesis that nobody gave
    assert asked(weaker, under, [says(R, m)], says(R, n)) == [says(R, ZERO)]


@pytest.mark.parametrize("arbitrary", [(n,), (n, m)])
def test_the_target_is_not_arbitrary_as_well(arbitrary: tuple[Free, ...]) -> None:
    assert applied([], says(Q, n, m), n, arbitrary) is None
