"""`case` as Isabelle makes it of datatypes' case constants: the first clause that fits, column by column."""

import pytest
from tests.isabelle.syntax.complex_main import language
from tests.isabelle.syntax.test_statements import nested

from isarstep.common.errors import UserError
from isarstep.isabelle.syntax.grammar.case_expressions import order_constructors
from isarstep.isabelle.syntax.reading.reader import read_formula
from isarstep.isabelle.terms.terms import Abs, App, Bound, Const, Free, Term, TFree, Type, erase, fun, list_comb

NAT, A = Type("Nat.nat"), TFree("'a", ("HOL.type",))


def made(text: str) -> Term:
    """The term behind `=`."""
    term = read_formula(f"z = {text}", language()).term
    assert type(term) is App
    assert type(term.arg) is App
    return term.arg.arg


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("(case p of (x, y) ⇒ f x y)", "(case_prod (λx (λy (f x y))) p)"),
        ("(case n of Suc m ⇒ m | k ⇒ k)", "(case_nat zero (λm m) n)"),
        ("(case n of k ⇒ k | Suc m ⇒ m)", "(case_nat zero (λm (Suc m)) n)"),
        ("(case n of Suc _ ⇒ a)", "(case_nat undefined (λuu_1_ a) n)"),
        ("(case x of None ⇒ b | Some (Suc n) ⇒ f n | Some _ ⇒ c)",
         "(case_option b (λa (case_nat c (λn (f n)) a)) x)"),
        ("(case xs of [] ⇒ b | [y] ⇒ f y | y # v # vs ⇒ g y v vs)",
         "(case_list b (λy (λa (case_list (f y) (λv (λvs (g y v vs))) a))) xs)"),
        ("(case x of y ⇒ f y)", "(f x)"),
        ("(λ0 ⇒ b | Suc n ⇒ f n)", "(λcase' (case_nat b (λn (f n)) case'))"),
    ],
)  # fmt: skip
def test_clauses_are_tried_in_their_order(text: str, term: str) -> None:
    assert nested(made(text)) == term


def test_variables_of_clauses_are_those_of_the_first_clause_of_a_constructor():
    """In `(a, Suc b)` and `(c, 0)`, c is what a was called, and each belongs to its own place."""
    term = made("(case x of (a, Suc b) ⇒ f a b | (c, 0) ⇒ g c)")
    inner = list_comb(
        Const("Nat.nat.case_nat"),
        [App(Free("g"), Bound(1)), Abs("b", None, list_comb(Free("f"), [Bound(2), Bound(0)])), Bound(0)],
    )
    wanted = list_comb(Const("Product_Type.prod.case_prod"), [Abs("a", None, Abs("a", None, inner)), Free("x")])
    assert erase(term) == erase(wanted)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(case x of length ⇒ y) = z", "case: length with 0 arguments is no constructor"),
        ("(case xs of [] ⇒ a | Suc n ⇒ b) = z", "case: Suc with 1 arguments is no constructor"),
        ("(case n of Suc ⇒ y) = z", "case: Suc with 0 arguments is no constructor"),
        ("(case f x of g y ⇒ y) = z", "case: a pattern must be a constructor or a variable"),
        ("(case x of True ⇒ a | False ⇒ b) = c", "case: HOL.bool has no case constant"),
        ("(case x of Inl y ⇒ f y | Inr z ⇒ g z) = c", "case: the constructors of Sum_Type.sum are not known"),
    ],
)
def test_what_is_no_constructor_is_refused(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read_formula(text, language())


def test_constructors_stand_in_the_order_of_the_case_constants_arguments():
    lists = Type("L.list", (A,))
    constructors = {"L.Cons": fun(A, fun(lists, lists)), "L.Nil": lists}
    assert order_constructors([NAT, fun(A, fun(lists, NAT))], constructors, "L.list") == [("L.Nil", 0), ("L.Cons", 2)]
    assert order_constructors([fun(A, fun(lists, NAT)), NAT], constructors, "L.list") == [("L.Cons", 2), ("L.Nil", 0)]
    with pytest.raises(UserError, match=r"the order of the constructors of L\.list is not known"):
        order_constructors([NAT, NAT], {"L.One": lists, "L.Two": lists}, "L.list")
    with pytest.raises(UserError, match="the order of the constructors"):
        order_constructors([fun(lists, NAT)], {"L.One": fun(A, lists)}, "L.list")
