"""Typed facts: what is recorded is enough to type the term again, and not more than that."""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest
from tests.benchmark.handmade import BOOL, NAT, PROP, fun

from isarstep.isabelle.context.fact_table import occurrences, shows_its_type, theory_order, typed
from isarstep.isabelle.terms.terms import Abs, App, Bound, Const, Term, TVar, Typ, Type, Var, erase
from isarstep.isabelle.terms.type_text import format_type, parse_type
from isarstep.resources import EMBEDDED, benchmark_folder

A = TVar("'a", 0, ("HOL.type",))
B = TVar("'b", 0, ())
LIST = Type("List.list", (A,))

GENERAL: dict[str, Typ] = {
    "Trueprop": fun(BOOL, PROP),
    "eq": fun(A, A, BOOL),
    "Nil": LIST,
    "Cons": fun(A, LIST, LIST),
    "All": fun(fun(A, BOOL), BOOL),
    "zero": A,
    "id": fun(A, A),
    "map": fun(fun(A, B), LIST, Type("List.list", (B,))),
}


def const(name: str, typ: Typ) -> Const:
    return Const(name, typ)


def apply(head: Term, *arguments: Term) -> Term:
    for argument in arguments:
        head = App(head, argument)
    return head


def round_trip(term: Term) -> list[Typ]:
    recorded = [
        node.type
        for node, arguments in occurrences(term)
        if type(node) is not Const or node.name not in GENERAL or not shows_its_type(GENERAL[node.name], arguments)
    ]
    assert typed(erase(term), recorded, GENERAL.get) == term
    return recorded


def true(term: Term) -> Term:
    return apply(const("Trueprop", fun(BOOL, PROP)), term)


def test_variables_say_everything() -> None:
    x, xs = Var("x", 0, NAT), Var("xs", 0, Type("List.list", (NAT,)))
    nats = Type("List.list", (NAT,))
    cons = const("Cons", fun(NAT, nats, nats))
    term = true(apply(const("eq", fun(nats, nats, BOOL)), apply(cons, x, xs), xs))
    assert round_trip(term) == [NAT, nats]


def test_constants_without_arguments_are_recorded() -> None:
    nats = Type("List.list", (NAT,))
    term = true(apply(const("eq", fun(nats, nats, BOOL)), const("Nil", nats), const("Nil", nats)))
    assert round_trip(term) == [nats, nats]


def test_binders_partial_application_and_unknown_constants() -> None:
    eq = const("eq", fun(NAT, NAT, BOOL))
    body = apply(eq, Bound(0), apply(const("mystery", fun(NAT, NAT)), const("zero", NAT)))
    term = true(apply(const("All", fun(fun(NAT, BOOL), BOOL)), Abs("x", NAT, body)))
    assert round_trip(term) == [NAT, fun(NAT, NAT), NAT]
    partial = true(apply(const("All", fun(fun(NAT, BOOL), BOOL)), apply(eq, const("zero", NAT))))
    assert round_trip(partial) == [NAT]


def test_more_arguments_than_the_general_type_shows() -> None:
    function = fun(NAT, NAT)
    f, x = Var("f", 0, function), Var("x", 0, NAT)
    term = true(apply(const("eq", fun(NAT, NAT, BOOL)), apply(const("id", fun(function, function)), f, x), x))
    assert round_trip(term) == [fun(function, function), function, NAT]


def test_theories_follow_their_parents() -> None:
    parents = {"C": ["B", "Outside"], "A": [], "B": ["A"], "Aa": ["A"]}
    assert theory_order(parents) == ["A", "Aa", "B", "C"]


@pytest.mark.slow
def test_every_type_of_the_embedded_benchmark_can_be_read() -> None:
    for text in pq.read_table(benchmark_folder(EMBEDDED) / "types.parquet")["type"].to_pylist():
        assert format_type(parse_type(text)) == text
