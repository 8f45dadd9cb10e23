"""Terms and types: equality, substitution, normal forms, and depth without limit."""

import pytest
from hypothesis import given
from tests.isabelle.syntax.strategies import propositions, terms, types

from isarstep.common.errors import UserError
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.normal_forms import beta_eta_normal, beta_normal
from isarstep.isabelle.terms.terms import (
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
    erase,
    frees,
    fun,
    funs,
    increase,
    instantiate,
    list_comb,
    loose,
    occurs_bound,
    rebuilt,
    schematics,
    size,
    strip_comb,
    strip_fun,
    substitute,
    substitute_types,
    subterms,
    untyped,
)
from isarstep.isabelle.terms.tokens import decode, encode_line
from isarstep.isabelle.terms.variables import match_term

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
    with pytest.raises(UserError, match="grows too large"):
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


def test_only_a_constructor_of_two_arguments_that_is_called_fun_makes_functions() -> None:
    nat = Type("Nat.nat")
    for typ in (nat, Type("fun", (nat,)), Type("map", (nat, nat)), TFree("'a")):
        assert strip_fun(typ) == ([], typ)
    assert strip_fun(fun(nat, Type("map", (nat, nat)))) == ([nat], Type("map", (nat, nat)))


def test_types_are_the_same_where_all_their_parts_are() -> None:
    nat = Type("Nat.nat")
    assert Type("t", (nat, TFree("'a", ("c",)))) == Type("t", (Type("Nat.nat"), TFree("'a", ("c",))))
    for other in (Type("t", (nat,)), Type("t", (nat, TFree("'a"))), Type("u", (nat, TFree("'a", ("c",)))), nat):
        assert Type("t", (nat, TFree("'a", ("c",)))) != other
    assert TVar("'a", 1, ("c",)) == TVar("'a", 1, ("c",))
    for variable in (TVar("'b", 1, ("c",)), TVar("'a", 2, ("c",)), TVar("'a", 1), TFree("'a", ("c",))):
        assert TVar("'a", 1, ("c",)) != variable


@pytest.mark.parametrize(
    ("term", "index", "points_outside", "occurs"),
    [
        (Bound(0), 0, True, True),
        (Bound(0), 1, True, False),
        (Bound(1), 0, True, False),
        (Bound(1), 1, True, True),
        (Abs("x", None, Bound(0)), 0, False, False),
        (Abs("x", None, Bound(1)), 0, True, True),
        (Abs("x", None, Bound(1)), 1, True, False),
        (Abs("x", None, Abs("y", None, Bound(2))), 0, True, True),
        (App(Free("f"), Bound(0)), 0, True, True),
        (App(Bound(0), Free("x")), 0, True, True),
        (App(Free("f"), Free("x")), 0, False, False),
    ],
)
def test_which_variables_point_outside(term: Term, index: int, points_outside: bool, occurs: bool) -> None:
    assert (loose(term), occurs_bound(term, index)) == (points_outside, occurs)


def test_what_is_put_in_for_a_variable_is_not_captured_and_what_is_kept_stays_the_same_object() -> None:
    x, y = Free("x"), Var("y")
    term = Abs("z", None, App(App(Free("f"), x), y))
    moved = substitute(term, lambda v: Bound(0) if v == x else None)
    assert moved == Abs("z", None, App(App(Free("f"), Bound(1)), y))
    assert substitute(term, lambda v: Bound(2) if v == y else None) == Abs("", None, App(App(Free("f"), x), Bound(3)))
    assert substitute(App(x, y), lambda v: Bound(2) if v == y else None) == App(x, Bound(2))
    assert substitute(term, lambda v: None) is term
    assert increase(term, 0) is term
    assert increase(term, 3) is term  # nothing points outside


def test_types_are_replaced_everywhere_and_where_there_are_none_none_are_made() -> None:
    nat, real = Type("Nat.nat"), Type("Real.real")
    typed = Abs("x", nat, App(App(Const("c", nat), Free("y", nat)), App(Var("z", 3, nat), Bound(0))))
    wanted = Abs("x", real, App(App(Const("c", real), Free("y", real)), App(Var("z", 3, real), Bound(0))))
    assert substitute_types(typed, lambda _: real) == wanted
    assert substitute_types(erase(typed), lambda _: real) == erase(typed)


def test_a_change_goes_on_in_what_it_has_made() -> None:
    """From the outside in: twice x is plus x x, whatever x is made of."""

    def change(node: Term) -> Term:
        if type(node) is App and node.fun == Const("twice"):
            return App(App(Const("plus"), node.arg), node.arg)
        return Const("two") if node == Const("one") else node

    one, two = Const("one"), Const("two")
    doubled = App(App(Const("plus"), two), two)
    assert rebuilt(App(Const("twice"), one), change) == doubled
    assert rebuilt(App(Const("twice"), App(Const("twice"), one)), change) == App(App(Const("plus"), doubled), doubled)
    function = rebuilt(Abs("x", Type("Nat.nat"), App(Bound(0), one)), change)
    assert function == Abs("x", Type("Nat.nat"), App(Bound(0), two))
    assert function.name == "x"  # type: ignore[union-attr]


def test_as_many_contractions_are_made_as_are_allowed() -> None:
    identity = Abs("x", None, Bound(0))
    twice = App(identity, App(identity, Free("x")))
    assert beta_normal(twice, limit=2) == Free("x")
    with pytest.raises(UserError, match="grows too large"):
        beta_normal(twice, limit=1)


def test_names_that_nobody_wrote_are_left_out_of_terms_without_types() -> None:
    nat = Type("Nat.nat")
    term = untyped(Abs("uu_", nat, Abs("x", nat, App(Free("f", nat), Var("y", 1, nat)))))
    assert repr(term) == "Abs('', None, Abs('x', None, App(Free('f'), Var('y', 1))))"


def test_a_large_term_has_as_many_parts_as_leaves_functions_and_applications() -> None:
    assert size(App(Abs("x", None, Bound(0)), Free("y"))) == 4
    assert [type(node) for node in subterms(App(Abs("x", None, Bound(0)), Free("y")))] == [App, Abs, Bound, Free]


@pytest.mark.parametrize(
    ("pattern", "term", "found"),
    [
        ("CONST f $ VAR <V0>", "CONST f $ CONST a", {"<V0>": "CONST a"}),
        ("CONST f $ VAR <V0>", "CONST f", None),
        ("CONST f", "CONST f $ CONST a", None),
        ("CONST f $ VAR <V0> $ VAR <V0>", "CONST f $ CONST a $ CONST b", None),
        (
            "CONST f $ ( ABS VAR <V0> $ BOUND 0 )",
            "CONST f $ ( ABS CONST g $ BOUND 0 )",
            {"<V0>": "ABS CONST g $ BOUND 0"},
        ),
    ],
)
def test_a_pattern_matches_what_its_variables_make_equal(pattern: str, term: str, found: dict[str, str] | None) -> None:
    values = match_term(decode(pattern), decode(term))
    assert found == (None if values is None else {each.name: encode_line(value) for each, value in values.items()})
