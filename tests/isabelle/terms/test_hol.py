"""Propositions put together and taken apart."""

import pytest

from isarstep.isabelle.terms.hol import (
    BOOL,
    CONJ,
    EQ,
    EX,
    PROP,
    PURE_ALL,
    as_formula,
    conj,
    dest_binary,
    dest_quantifier,
    dest_trueprop,
    disj,
    eq,
    exists,
    forall,
    implies,
    list_pure_imp,
    pure_all,
    pure_imp,
    strip_pure_all,
    strip_pure_imp,
    trueprop,
)
from isarstep.isabelle.terms.terms import Abs, App, Bound, Const, Free, Type, Var, fun

P, Q, R = (Free(name, BOOL) for name in "PQR")
NAT = Type("Nat.nat")
A, B, C = (trueprop(formula, typed=True) for formula in (P, Q, R))


def test_types_are_there_where_they_are_asked_for():
    connective, meta = fun(BOOL, fun(BOOL, BOOL)), fun(PROP, fun(PROP, PROP))
    for make, name in ((conj, "HOL.conj"), (disj, "HOL.disj"), (implies, "HOL.implies")):
        assert make(P, Q, typed=True) == App(App(Const(name, connective), P), Q)
        assert make(P, Q) == App(App(Const(name), P), Q)
    assert pure_imp(A, B, typed=True) == App(App(Const("Pure.imp", meta), A), B)
    assert pure_imp(A, B) == App(App(Const("Pure.imp"), A), B)
    assert trueprop(P) == App(Const("HOL.Trueprop"), P)
    assert trueprop(P, typed=True) == App(Const("HOL.Trueprop", fun(BOOL, PROP)), P)
    assert eq(P, Q, NAT) == App(App(Const(EQ, fun(NAT, fun(NAT, BOOL))), P), Q)
    assert eq(P, Q) == App(App(Const(EQ), P), Q)
    for make, name, truth in ((forall, "HOL.All", BOOL), (exists, EX, BOOL), (pure_all, PURE_ALL, PROP)):
        assert make("x", NAT, P) == App(Const(name, fun(fun(NAT, truth), truth)), Abs("x", NAT, P))
        assert make("x", None, P) == App(Const(name), Abs("x", None, P))


def test_premises_stand_in_their_order():
    assert list_pure_imp([A, B], C) == pure_imp(A, pure_imp(B, C))
    assert list_pure_imp([A, B], C, typed=True) == pure_imp(A, pure_imp(B, C, typed=True), typed=True)
    assert list_pure_imp([], C) == C
    assert strip_pure_imp(pure_imp(A, pure_imp(B, C))) == ([A, B], C)
    assert strip_pure_imp(C) == ([], C)


def test_only_what_has_the_form_is_taken_apart():
    assert dest_binary(CONJ, conj(P, Q)) == (P, Q)
    assert dest_trueprop(A) == P
    others = [P, Const(CONJ), App(Const(CONJ), P), disj(P, Q), App(conj(P, Q), R), App(App(P, Q), R), Abs("x", None, P)]
    for other in others:
        assert dest_binary(CONJ, other) is None
        assert dest_trueprop(other) is None
        assert dest_quantifier(EX, other) is None


def test_a_quantified_function_gets_a_variable():
    inside = Abs("y", NAT, Bound(0))
    assert dest_quantifier(EX, App(Const(EX), inside)) is inside
    assert dest_quantifier(EX, App(Const(EX), P)) == Abs("x", None, App(P, Bound(0)))
    assert dest_quantifier(EX, App(Const(EX), Bound(2))) == Abs("x", None, App(Bound(3), Bound(0)))
    both = pure_all("x", NAT, pure_all("y", BOOL, A))
    assert strip_pure_all(both) == ([Abs("x", NAT, pure_all("y", BOOL, A)), Abs("y", BOOL, A)], A)


def test_a_proposition_is_a_formula_where_it_says_nothing_of_propositions():
    assert as_formula(A) == P
    assert as_formula(pure_imp(A, pure_imp(B, C))) == implies(P, implies(Q, R, typed=True), typed=True)
    assert as_formula(pure_all("x", NAT, A)) == forall("x", NAT, P)
    equation = App(App(Const("Pure.eq", fun(NAT, fun(NAT, PROP))), Free("m", NAT)), Free("n", NAT))
    assert as_formula(equation) == eq(Free("m", NAT), Free("n", NAT), NAT)


@pytest.mark.parametrize("other", [P, App(App(Const("Pure.eq", fun(PROP, fun(PROP, PROP))), A), B), Const("Pure.imp")])
def test_what_says_something_of_propositions_is_no_formula(other):
    assert as_formula(other) is None
    assert as_formula(pure_imp(other, A)) is None
    assert as_formula(pure_imp(A, other)) is None
    assert as_formula(pure_all("x", NAT, other)) is None
    assert as_formula(App(App(Const("Pure.eq"), A), B)) is None  # of what, nobody says


def test_schematic_variables_of_a_formula_are_bound_the_first_one_outermost():
    x, y = Var("x", 0, NAT), Var("y", 1, BOOL)
    made = as_formula(trueprop(conj(eq(x, x), y)))
    assert made == forall("x", NAT, forall("y", BOOL, conj(eq(Bound(1), Bound(1)), Bound(0))))
