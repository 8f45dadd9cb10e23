"""Matching of terms, and instances of facts that it finds."""

from __future__ import annotations

import pytest
from tests.prover.derivations import FACTS
from tests.prover.language import SIGNATURE, lemma, read, read_type

from isarstep.isabelle.context.matching import Matching
from isarstep.isabelle.context.monomorphisation import Named
from isarstep.isabelle.inference.infer import infer
from isarstep.isabelle.terms.hol import BOOL
from isarstep.isabelle.terms.terms import Abs, App, Bound, Const, Free, Term, TVar, Type, Var, fun, schematics
from isarstep.prover.rewrite.instances import MOST, fitting

NAT = Type("Nat.nat")
A = TVar("'a", 0, ("Orderings.linorder",))
P, Q = Const("P", fun(fun(NAT, NAT), BOOL)), Const("Q", fun(NAT, fun(NAT, NAT)))
X, N = Free("X", fun(NAT, NAT)), Free("n", NAT)
F, K = Var("f", 0, fun(NAT, NAT)), Var("k", 0, NAT)
G = Var("g", 0, fun(NAT, fun(NAT, NAT)))
TYPES = {"xs": "(list nat)", "ys": "(list nat)", "x": "nat", "y": "nat", "A": "(set nat)", "f": "(fun nat nat)"}


def typed(*texts: str) -> list[Term]:
    types = {name: read_type(text) for name, text in TYPES.items()}
    return list(infer([read(text) for text in texts], SIGNATURE, types).propositions)


def under(body: Term) -> Term:
    return App(P, Abs("x", NAT, body))


@pytest.mark.parametrize(
    ("pattern", "term", "value"),
    [
        (under(App(F, Bound(0))), under(App(App(Q, Bound(0)), N)), Abs("y", NAT, App(App(Q, Bound(0)), N))),
        (under(App(F, Bound(0))), App(P, X), Abs("y", NAT, App(X, Bound(0)))),  # as if it were λx. X x
        (under(App(F, Bound(0))), under(N), Abs("y", NAT, N)),
        (under(K), under(N), N),
        (under(K), under(Bound(0)), None),  # depends on what the pattern binds
        (under(App(F, N)), under(App(X, N)), X),  # applied to something else: part by part
        (under(App(F, N)), under(N), None),
        (
            under(App(App(G, Bound(0)), Bound(0))),
            under(App(App(Q, Bound(0)), Bound(0))),
            Abs("y", NAT, App(Q, Bound(0))),
        ),
        (App(P, F), under(App(X, Bound(0))), Abs("y", NAT, App(X, Bound(0)))),
    ],
)
def test_variables_stand_for_functions_of_bound_ones(pattern: Term, term: Term, value: Term | None) -> None:
    matching = Matching(SIGNATURE)
    assert matching.fits(pattern, term) is (value is not None)
    if value is not None:
        assert list(matching.terms.values()) == [value]
        assert matching.instance(pattern) in (term, under(App(X, Bound(0))))


def test_a_variable_that_is_applied_has_the_type_of_what_it_stands_for() -> None:
    """What it is applied to may be a variable too: then no constant says at which type the rule holds."""
    holds = Const("holds", fun(BOOL, BOOL))
    of_nat = App(holds, App(Var("p", 0, fun(NAT, BOOL)), K))
    of_any = App(holds, App(Var("p", 0, fun(A, BOOL)), Var("x", 0, A)))
    for domain, fits_nat in ((NAT, True), (Type("Set.set", (NAT,)), False), (fun(NAT, NAT), False)):
        term = App(holds, App(Free("S", fun(domain, BOOL)), Free("y", domain)))
        assert Matching(SIGNATURE).fits(of_nat, term) is fits_nat
        matching = Matching(SIGNATURE)
        assert matching.fits(of_any, term) is fits_nat  # the others are no linear orders
        assert matching.types == ({A: NAT} if fits_nat else {})
    # The function may have arguments of its own, and be bound.
    assert Matching(SIGNATURE).fits(App(P, App(G, N)), App(P, App(Q, N)))
    two = Const("two", fun(NAT, fun(NAT, fun(NAT, NAT))))
    assert Matching(SIGNATURE).fits(under(App(F, N)), under(App(App(App(two, N), N), N)))
    assert not Matching(SIGNATURE).fits(under(App(G, N)), under(App(App(App(two, N), N), N)))

    def for_all(body: Term) -> Term:
        return App(Const("every", fun(fun(fun(NAT, NAT), NAT), BOOL)), Abs("h", fun(NAT, NAT), body))

    assert not Matching(SIGNATURE).fits(for_all(App(F, N)), for_all(App(Bound(0), N)))
    assert not Matching(SIGNATURE).fits(for_all(App(G, N)), for_all(App(Bound(0), N)))


def test_a_variable_stands_for_one_thing_only() -> None:
    pattern = App(App(Q, K), K)
    assert Matching(SIGNATURE).fits(pattern, App(App(Q, N), N))
    assert not Matching(SIGNATURE).fits(pattern, App(App(Q, N), App(X, N)))


def test_a_variable_takes_the_bound_variables_that_it_is_applied_to_and_no_others() -> None:
    def under_two(body: Term) -> Term:
        of_two = Const("R", fun(fun(NAT, fun(NAT, NAT)), BOOL))
        return App(of_two, Abs("x", NAT, Abs("y", NAT, body)))

    for place, other in ((0, 1), (1, 0)):
        pattern = under_two(App(F, Bound(place)))
        matching = Matching(SIGNATURE)
        assert matching.fits(pattern, under_two(App(X, Bound(place))))
        assert matching.instance(pattern) == under_two(App(X, Bound(place)))
        assert not Matching(SIGNATURE).fits(pattern, under_two(App(X, Bound(other))))


def test_what_is_bound_outside_is_not_taken() -> None:
    assert not Matching(SIGNATURE).fits(App(P, App(G, K)), App(P, App(Bound(0), N)))
    assert not Matching(SIGNATURE).fits(under(App(F, N)), under(App(Bound(1), N)))
    assert not Matching(SIGNATURE).fits(App(App(Q, K), N), App(App(Q, Bound(0)), N))
    assert not Matching(SIGNATURE).fits(under(App(F, Bound(0))), under(App(App(Q, Bound(0)), Bound(1))))


@pytest.mark.parametrize(("typ", "fits"), [(NAT, True), (Type("Set.set", (NAT,)), False)])
def test_type_variables_keep_their_sorts(typ: Type, fits: bool) -> None:
    def below(of: TVar | Type) -> Const:
        return Const("Orderings.ord_class.less", fun(of, fun(of, BOOL)))

    pattern = App(App(below(A), Var("x", 0, A)), Var("y", 0, A))
    term = App(App(below(typ), Free("x", typ)), Free("y", typ))
    assert Matching(SIGNATURE).fits(pattern, term) is fits


def fits(names: list[str], goal: str, *premises: str) -> list[Named]:
    *given, wanted = typed(*premises, goal)
    return fitting([lemma(n, *FACTS[n]) for n in names], [Named("F", term) for term in given], wanted, SIGNATURE)


def test_an_equation_is_put_where_its_left_side_occurs() -> None:
    found = fits(["rev_rev", "append_Nil"], "(= (length (rev (rev xs))) 0)")
    assert [(each.name, schematics(each.prop)) for each in found] == [("rev_rev", [])]
    assert found[0].prop == typed("(= (rev (rev xs)) xs)")[0]


def test_a_fact_is_put_where_its_conclusion_is_the_goal() -> None:
    names = [name for name in FACTS if name != "order_refl"]
    assert "order_refl" in {each.name for each in fits(["order_refl", *names], "(<= x x)")}
    assert "order_refl" not in {each.name for each in fits(["order_refl", *names], "(<= x y)")}


def test_instances_are_few() -> None:
    deep = "(rev (rev xs))"
    for _ in range(60):
        deep = f"(rev (rev {deep}))"
    assert len(fits(["rev_rev"], f"(= {deep} ys)")) == MOST
