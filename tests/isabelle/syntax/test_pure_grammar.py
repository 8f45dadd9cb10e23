"""What Pure's own grammar reads, which is written by hand: rules, functions, types, sorts, and how closely each binds."""

import re

import pytest
from tests.isabelle.syntax.complex_main import language
from tests.isabelle.syntax.test_statements import nested

from isarstep.isabelle.inference.infer import TypingError
from isarstep.isabelle.syntax.reading.reader import read_formula, read_type
from isarstep.isabelle.terms.read_error import ReadError
from isarstep.isabelle.terms.terms import TFree, Type, fun

NAT, BOOL = Type("Nat.nat"), Type("HOL.bool")
NUMBERS, TRUTHS = fun(NAT, NAT), fun(NAT, BOOL)


def shape(text: str) -> str:
    return nested(read_formula(text, language()).term)


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("P ⟹ Q ⟹ R", "(imp P (imp Q R))"),
        ("P ==> Q ==> R", "(imp P (imp Q R))"),
        ("⟦P; Q⟧ ⟹ R ⟹ S", "(imp P (imp Q (imp R S)))"),
        ("[|P; Q|] ==> R ==> S", "(imp P (imp Q (imp R S)))"),
        ("⟦P; ⟦Q⟧ ⟹ R⟧ ⟹ S", "(imp P (imp (imp Q R) S))"),
        ("P &&& Q &&& R", "(conjunction P (conjunction Q R))"),
        ("P ⟹ Q &&& R", "(imp P (conjunction Q R))"),
        ("P :: bool &&& Q", "(conjunction P Q)"),
        ("⋀x. ⋀y. P x y", "(all (λx (all (λy (P x y)))))"),
        ("⋀x::nat. P x", "(all (λx (P x)))"),
        ("!!x::nat. !!y. P x y", "(all (λx (all (λy (P x y)))))"),
        ("⋀x. P ⟹ Q x", "(all (λx (imp P (Q x))))"),
        ("(⋀x. P x) ⟹ Q", "(imp (all (λx (P x))) Q)"),
    ],
)
def test_rules(text: str, term: str) -> None:
    """The judgement before every formula is left out here."""
    assert re.sub(r"\(Trueprop (\w+|\([^()]*\))\)", r"\1", shape(text)) == term


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("(λx::nat. λy. x) = f", "(eq (λx (λy x)) f)"),
        ("(%(x::nat) y. x) = f", "(eq (λx (λy x)) f)"),
        ("(λ((x, y)) _. x) = f", "(eq (case_prod (λx (λy (λuu_ x)))) f)"),
        ("(λ_::nat. x) = f", "(eq (λuu_ x) f)"),
        ("f = (λx. y :: nat ⇒ nat)", "(eq f (λx y))"),
        ("∀(x::nat) ((y::nat)). P x y", "(All (λx (All (λy (P x y)))))"),
        ("CONST Suc = f", "(eq Suc f)"),
        ("TYPE(nat ⇒ nat) = t", "(eq type t)"),
        ("f (x :: nat) = (y)", "(eq (f x) y)"),
        ("∃f :: nat ⇒ nat set. surj f", "(Ex (λf (surj f)))"),
        ("∀x y :: nat list. x = y", "(All (λx (All (λy (eq x y)))))"),
        ("(λx f :: nat ⇒ nat set. y) = g", "(eq (λx (λf y)) g)"),
    ],
)
def test_functions_and_variables_of_binders(text: str, term: str) -> None:
    assert shape(text) == f"(Trueprop {term})"


def test_a_type_that_is_given_reaches_over_functions_and_belongs_to_what_stands_before_it():
    reading = read_formula("f = (λx. y :: nat ⇒ nat)", language())
    assert reading.frees["y"] == NUMBERS
    assert read_formula("P :: bool &&& Q", language()).frees["P"] == BOOL
    assert read_formula("TYPE(nat ⇒ nat) = t", language()).frees["t"] == Type("itself", (NUMBERS,))


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("P ⟹ ⋀x. Q x", 4),  # a quantifier behind another sign needs brackets
        ("x :: nat :: nat", 2),
        ("f PROP P", 2),
        ("P ≡ Q &&& R", 6),
        ("∀x. _ = x", 4),
        ("P ...", 2),
        ("x = …", 4),
    ],
)
def test_what_pure_does_not_read(text: str, position: int) -> None:
    with pytest.raises(ReadError) as error:
        read_formula(text, language())
    assert error.value.position == position


@pytest.mark.parametrize("text", ["{⋀x. P x} = A", "{x, ⋀x. P x} = A", "[⋀x. P x] = xs"])
def test_a_proposition_is_no_element_and_is_refused_by_its_type(text: str) -> None:
    with pytest.raises(TypingError, match="has type prop"):
        read_formula(text, language())


@pytest.mark.parametrize(
    ("text", "typ"),
    [
        ("nat ⇒ bool ⇒ nat", fun(NAT, fun(BOOL, NAT))),
        ("nat => bool => nat", fun(NAT, fun(BOOL, NAT))),
        ("(nat ⇒ bool) ⇒ nat", fun(TRUTHS, NAT)),
        ("[nat, bool] ⇒ nat ⇒ nat", fun(NAT, fun(BOOL, NUMBERS))),
        ("[nat] ⇒ nat ⇒ nat", fun(NAT, NUMBERS)),
        ("[nat ⇒ bool, nat ⇒ bool] ⇒ nat", fun(TRUTHS, fun(TRUTHS, NAT))),
        ("(nat ⇒ bool) list list", Type("List.list", (Type("List.list", (TRUTHS,)),))),
        ("(nat ⇒ bool, nat ⇒ nat) map", fun(TRUTHS, Type("Option.option", (NUMBERS,)))),
        ("'a::{}", TFree("'a", ("HOL.type",))),
        ("'a::{one, ord}", TFree("'a", ("Groups.one", "Orderings.ord"))),
        ("'a::ord list", Type("List.list", (TFree("'a", ("Orderings.ord",)),))),
    ],
)
def test_types_and_sorts(text: str, typ: Type) -> None:
    assert read_type(text, language()) == typ
    assert read_formula(f"(x :: {text}) = y", language()).frees["y"] == typ


def test_only_the_last_variable_has_a_type_without_brackets() -> None:
    with pytest.raises(ReadError):
        read_formula("∀x::nat y::nat. x = y", language())
