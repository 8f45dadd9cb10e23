"""Terms and types: equality, substitution, normal forms, and depth without limit."""

import pytest
from hypothesis import given

from isarstep.errors import UserError
from isarstep.logic import hol
from isarstep.logic.terms import (
    Abs,
    App,
    Bound,
    Const,
    Free,
    Term,
    TFree,
    TVar,
    Typ,
    Type,
    Var,
    abstract,
    beta_eta_normal,
    beta_normal,
    erase,
    frees,
    fun,
    funs,
    increase,
    instantiate,
    list_comb,
    loose,
    schematics,
    size,
    strip_comb,
    strip_fun,
    substitute,
    subterms,
)

from .strategies import propositions, terms, types

NAMESPACE = {c.__name__: c for c in (Abs, App, Bound, Const, Free, Var, Type, TFree, TVar)}


def test_names_of_abstractions_never_matter() -> None:
    left, right = Abs("x", None, Bound(0)), Abs("y", None, Bound(0))
    assert left == right
    assert hash(left) == hash(right)
    assert left != Abs("x", Type("Nat.nat"), Bound(0))


@given(terms, terms)
def test_equality_is_structural(left: Term, right: Term) -> None:
    copy = eval(repr(left), NAMESPACE)
    assert copy == left
    assert hash(copy) == hash(left)
    assert (left == right) == (repr(_unnamed(left)) == repr(_unnamed(right)))


def _unnamed(term: Term) -> Term:
    match term:
        case Abs(_, typ, body):
            return Abs("", typ, _unnamed(body))
        case App(function, argument):
            return App(_unnamed(function), _unnamed(argument))
    return term


@given(types)
def test_types_print_as_what_makes_them(typ: Typ) -> None:
    assert eval(repr(typ), NAMESPACE) == typ


@given(terms)
def test_erasure_forgets_types_and_names_only(term: Term) -> None:
    erased = erase(term)
    assert erase(erased) is erased
    assert size(erased) == size(term)
    assert all(getattr(node, "type", None) is None for node in subterms(erased))
    assert all(node.name == "" for node in subterms(erased) if type(node) is Abs)


@given(terms)
def test_combination(term: Term) -> None:
    head, arguments = strip_comb(term)
    assert type(head) is not App
    assert list_comb(head, arguments) == term


@given(terms, terms)
def test_substitution_lemma(body: Term, argument: Term) -> None:
    variable = Free("hole")
    with_hole = instantiate(body, variable)
    assert instantiate(abstract(with_hole, variable), variable) == with_hole
    replaced = substitute(with_hole, lambda v: argument if v == variable else None)
    assert replaced == instantiate(body, argument)


@given(terms)
def test_increase_moves_under_binders_and_back(term: Term) -> None:
    assert increase(increase(term, 3), -3) == term
    assert loose(term) == any(increase(term, 1) != term for _ in [0])


def test_beta_eta() -> None:
    f, x = Free("f"), Free("x")
    identity = Abs("x", None, Bound(0))
    assert beta_normal(App(identity, x)) == x
    # (λx y. x) y' under a binder: the index must be raised, not captured
    assert beta_normal(Abs("z", None, App(Abs("x", None, Abs("y", None, Bound(1))), Bound(0)))) == Abs(
        "", None, Abs("", None, Bound(1))
    )
    eta = Abs("x", None, App(f, Bound(0)))
    assert beta_normal(eta) == eta
    assert beta_eta_normal(eta) == f
    assert beta_eta_normal(Abs("x", None, App(Bound(0), Bound(0)))) == Abs("", None, App(Bound(0), Bound(0)))
    nested = Abs("x", None, Abs("y", None, App(App(f, Bound(1)), Bound(0))))
    assert beta_eta_normal(nested) == f


@given(propositions())
def test_normal_forms_of_typed_terms(term: Term) -> None:
    redex = App(Abs("p", None, Bound(0)), term)
    assert beta_eta_normal(redex) == beta_eta_normal(term)
    normal = beta_eta_normal(term)
    assert beta_eta_normal(normal) == normal
    assert not any(type(n) is App and type(n.fun) is Abs for n in subterms(normal))


def test_a_term_without_normal_form_is_refused() -> None:
    twice = Abs("x", None, App(Bound(0), Bound(0)))
    with pytest.raises(UserError, match="no normal form"):
        beta_normal(App(twice, twice), limit=1000)


def test_variables_come_in_order_of_occurrence() -> None:
    term = hol.eq(App(Free("f"), Var("y")), App(Free("x"), App(Free("f"), Var("z", 1))))
    assert frees(term) == [Free("f"), Free("x")]
    assert schematics(term) == [Var("y"), Var("z", 1)]


def test_function_types() -> None:
    nat, real = Type("Nat.nat"), Type("Real.real")
    assert funs([nat, real], nat) == fun(nat, fun(real, nat))
    assert strip_fun(funs([nat, real], nat)) == ([nat, real], nat)


def test_hol_destructors_undo_constructors() -> None:
    p, q = Free("p"), Free("q")
    assert hol.dest_trueprop(hol.trueprop(p)) == p
    assert hol.dest_trueprop(p) is None
    assert hol.strip_pure_imp(hol.list_pure_imp([p, q], p)) == ([p, q], p)
    assert hol.dest_binary(hol.EQ, hol.eq(p, q)) == (p, q)
    assert hol.dest_binary(hol.CONJ, hol.disj(p, q)) is None
    binders, body = hol.strip_pure_all(hol.pure_all("x", None, hol.pure_all("y", None, App(p, Bound(1)))))
    assert [b.name for b in binders] == ["x", "y"]
    assert body == App(p, Bound(1))
    assert hol.dest_quantifier(hol.EX, App(Const(hol.EX), p)) == Abs("x", None, App(p, Bound(0)))
    assert hol.arguments_of("c", hol.apply("c", p, q), 2) == [p, q]


DEEP = 50_000


@pytest.mark.parametrize("direction", ["argument", "function", "abstraction"])
def test_depth_has_no_limit(direction: str) -> None:
    def build() -> Term:
        term: Term = Free("x")
        for _ in range(DEEP):
            match direction:
                case "argument":
                    term = App(Free("f"), term)
                case "function":
                    term = App(term, Free("y"))
                case _:
                    term = Abs("z", None, term)
        return term

    left, right = build(), build()
    assert left == right
    assert hash(left) == hash(right)
    assert len(repr(left)) > DEEP
    assert erase(left) == left
    assert beta_eta_normal(left) == left
    assert instantiate(left, Free("a")) == left
    assert frees(left)


def test_deep_types_compare_and_print() -> None:
    def build() -> Typ:
        typ: Typ = Type("Nat.nat")
        for _ in range(DEEP):
            typ = fun(Type("Nat.nat"), typ)
        return typ

    assert build() == build()
    assert len(repr(build())) > DEEP
