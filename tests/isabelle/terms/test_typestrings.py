"""The prefix form of types: read, written, and where it is wrong."""

import pytest

from isarstep.common.errors import UserError
from isarstep.isabelle.terms.terms import TFree, TVar, Typ, Type, fun
from isarstep.isabelle.terms.type_text import format_type, parse_type, type_variables

A, B, NAT = TFree("'a"), TFree("'b"), Type("nat")


@pytest.mark.parametrize(
    ("text", "typ"),
    [
        ("nat", NAT),
        ("(fun 'a (List.list 'b))", fun(A, Type("List.list", (B,)))),
        ("(fun ('a :: C & D) ?'a.1)", fun(TFree("'a", ("C", "D")), TVar("'a", 1))),
        ("?'a", TVar("'a", 0)),
        ("?a.12", TVar("a", 12)),
        ("?'a.123456789", TVar("'a", 123456789)),
        ("(?'a.2 :: C)", TVar("'a", 2, ("C",))),
        ("?a.b.0", TVar("a.b", 0)),
        ("?'a.1234567890.0", TVar("'a.1234567890", 0)),
    ],
)
def test_a_type_and_its_text(text: str, typ: Typ) -> None:
    assert parse_type(text) == typ
    assert format_type(typ) == text


def test_classes_are_sorted_blanks_are_free_and_a_name_may_have_a_full_stop():
    assert parse_type("('a :: D & C)") == TFree("'a", ("C", "D"))
    assert parse_type("  ( fun  'a\n nat ) ") == fun(A, NAT)
    assert parse_type("?a.b") == TVar("a.b", 0)
    assert parse_type("?'a.1234567890") == TVar("'a.1234567890", 0)


@pytest.mark.parametrize(
    ("text", "place", "found"),
    [
        ("", 0, "the end"),
        ("  ", 0, "the end"),
        ("(", 1, "the end"),
        (")", 0, "')'"),
        ("()", 1, "')'"),
        ("(fun", 4, "the end"),
        ("(fun 'a ", 7, "the end"),
        ("fun 'a", 4, '"\'a"'),
        ("('a)", 1, '"\'a)"'),
        ("(?'a C)", 1, '"?\'a C)"'),
        ("('a :: )", 7, "')'"),
        ("('a :: C", 8, "the end"),
        ("('a :: C &)", 10, "')'"),
        ("('a :: C & & D)", 11, "'& D)'"),
        ("('a :: C D)", 9, "'D)'"),
        ("(fun &)", 5, "'&)'"),
        ("(:: a)", 1, "':: a)'"),
        ("nat nat", 4, "'nat'"),
        ("nat )", 4, "')'"),
        ("(fun 'a 'b))", 11, "')'"),
        ("& abcdefghijklmnopqrstuvwxyz", 0, "'& abcdefghijklmnopqr'"),
    ],
)
def test_what_cannot_stand_where_it_does_is_said(text: str, place: int, found: str) -> None:
    with pytest.raises(UserError) as error:
        parse_type(text)
    assert str(error.value).startswith(f"type, character {place}: {found} cannot stand here")


def test_variables_come_once_in_their_order():
    typ = fun(fun(B, TVar("'c", 1)), fun(A, B))
    assert type_variables(typ) == [B, TVar("'c", 1), A]
    assert type_variables(NAT) == []
