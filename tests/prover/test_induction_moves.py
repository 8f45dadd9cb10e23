"""Which inductions are tried: rules of packages, then those that authors proved by hand."""

from __future__ import annotations

from collections.abc import Callable

from tests.prover.language import SIGNATURE
from tests.prover.small_library import library_of

from isarstep.isabelle.context.monomorphisation import Named
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.hol import BOOL
from isarstep.isabelle.terms.terms import App, Bound, Const, Free, Term, Type, Var, fun, list_comb
from isarstep.prover.induct.moves import InductionChoice

NAT, TREE = Type("Nat.nat"), Type("S.tree")
P = Var("P", 0, fun(TREE, BOOL))
x = Var("x", 0, TREE)
t, n = Free("t", TREE), Free("n", NAT)
LEAF, GROW = Const("S.leaf", TREE), Const("S.grow", fun(TREE, TREE))
SMALL, GOOD = (Const(f"S.{name}", fun(TREE, BOOL)) for name in ("small", "good"))


def says(head: Term, *arguments: Term) -> Term:
    return hol.trueprop(list_comb(head, arguments), typed=True)


def rule(*premises: Term, of: Term = x) -> Term:
    return hol.list_pure_imp(premises, says(P, of), typed=True)


STEP = hol.pure_all("x", TREE, hol.pure_imp(says(P, Bound(0)), says(P, App(GROW, Bound(0))), typed=True))
BY_HAND = rule(says(P, LEAF), STEP)
OF_SMALL = rule(says(SMALL, x), says(P, LEAF), STEP)


def rules_tried(
    lemmas: list[tuple[str, Named]],
    goal: Term,
    premises: tuple[Term, ...] = (),
    may: Callable[[int], bool] = lambda number: True,
) -> list[str]:
    given = tuple(Named(f"F.2({place})", premise) for place, premise in enumerate(premises, 1))
    choice = InductionChoice(library_of(lemmas, SIGNATURE), may, SIGNATURE, given, goal)
    return [f"{move.rule} {len(move.targets)}" for move in choice.moves()]


def test_a_rule_that_an_author_proved_for_a_type_is_tried() -> None:
    lemmas = [("S", Named("S.tree_induct_up", BY_HAND))]
    assert rules_tried(lemmas, says(GOOD, t)) == ["S.tree_induct_up 1"]
    assert rules_tried(lemmas, says(Free("Q", fun(NAT, BOOL)), n)) == []  # of another type


def test_a_rule_with_a_premise_is_tried_where_the_premise_is_given() -> None:
    lemmas = [("S", Named("S.smallInduct", OF_SMALL))]
    assert rules_tried(lemmas, says(GOOD, t)) == []
    assert rules_tried(lemmas, says(GOOD, t), (says(SMALL, t),)) == ["S.smallInduct 1"]


def test_the_packages_rule_comes_first() -> None:
    lemmas = [("S", Named("S.tree_induct_up", BY_HAND)), ("S", Named("S.tree.induct", BY_HAND))]
    assert rules_tried(lemmas, says(GOOD, t))[0] == "S.tree.induct 1"


def test_what_may_not_be_used_and_what_is_no_rule_is_not_tried() -> None:
    lemmas = [("S", Named("S.tree_induct_up", BY_HAND)), ("S", Named("S.coinduct_up", BY_HAND))]
    assert rules_tried(lemmas, says(GOOD, t), may=lambda number: number != 0) == []
    assert rules_tried([("HOL.S", Named("S.tree_induct_up", BY_HAND))], says(GOOD, t)) == []


def test_the_rule_of_a_function_is_tried_where_a_premise_has_it_and_where_an_argument_is_no_variable() -> None:
    f = Const("S.f", fun(TREE, fun(TREE, TREE)))
    both, y = Var("Q", 0, fun(TREE, fun(TREE, BOOL))), Var("y", 0, TREE)
    step = hol.pure_all("x", TREE, hol.pure_all("y", TREE, says(both, Bound(1), Bound(0))))
    lemmas = [("S", Named("S.f.induct", hol.pure_imp(step, says(both, x, y), typed=True)))]
    s = Free("s", TREE)
    in_locale = Named("S.g.induct", hol.list_pure_imp([says(SMALL, y), step], says(both, x, y), typed=True))
    g = Const("S.g", f.type)
    assert rules_tried([("S", in_locale)], says(GOOD, list_comb(g, [s, t]))) == []
    assert rules_tried([("S", in_locale)], says(GOOD, list_comb(g, [s, t])), (says(SMALL, t),))[0] == "S.g.induct 2"
    assert rules_tried(lemmas, says(GOOD, list_comb(f, [s, t])))[0] == "S.f.induct 2"
    assert rules_tried(lemmas, says(GOOD, list_comb(f, [s, LEAF])))[0] == "S.f.induct 2"
    assert rules_tried(lemmas, says(GOOD, list_comb(f, [LEAF, LEAF]))) == []
    assert rules_tried(lemmas, says(GOOD, t), (says(SMALL, list_comb(f, [s, t])),))[0] == "S.f.induct 2"
