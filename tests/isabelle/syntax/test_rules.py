"""Rules between what is written and what it means: which can be used for writing, and what they make of a text."""

from typing import Any

import pytest
from tests.isabelle.syntax.complex_main import language
from tests.isabelle.syntax.test_statements import nested

from isarstep.common.errors import UserError
from isarstep.isabelle.syntax.grammar.language import Language, usual_notation
from isarstep.isabelle.syntax.reading.reader import read_formula
from isarstep.isabelle.syntax.writing.names import Names
from isarstep.isabelle.syntax.writing.print_formats import BINDER, CONST, PrintRule, _print_rule
from isarstep.isabelle.syntax.writing.printing import to_latex, to_unicode
from isarstep.isabelle.syntax.writing.writer import write_formula
from isarstep.isabelle.terms.terms import Abs, App, Bound, Const, Free, Term

BALL = ("_Ball", "?x", "?A", "?P")


@pytest.mark.parametrize(
    ("left", "right", "patterns"),
    [
        (BALL, (CONST + "Ball", "?A", ("_abs", "?x", "?P")), ("?A", ("_abs", "?x", "?P"))),
        (("_S", "?x", "?P"), (CONST + "f", (BINDER + "Q", "?x", "?P")), ((CONST + "Q", ("_abs", "?x", "?P")),)),
        (("_S", "?x"), (CONST + "f", CONST + "c", (CONST + "g", "?x")), (CONST + "c", (CONST + "g", "?x"))),
        ("_S", CONST + "f", None),
        (("_list", "?x"), (CONST + "f", "?x"), None),
        (("_S", "?x"), ("_T", "?x"), None),
        (("_S", "?x"), (CONST + "f", "word", "?x"), None),
        (("_S", "?x"), (CONST + "f", ("_T", "?x")), None),
        (("_S", "?x"), (CONST + "f", (CONST + "g", "word", "?x")), None),
        (("_S", "?x"), (CONST + "f", ("_abs", "x", "?x")), None),
        (("_S", "?x"), (CONST + "f", ("_abs", "?x")), None),
        (("_S", "?x"), (CONST + "f", "?x", "?x"), None),
        (("_S", "?x"), (CONST + "f", "?x", "?y"), None),
        (("_S", "?x", "?y"), (CONST + "f", "?x"), None),
    ],
)
def test_rules_that_can_be_used_for_writing(left: Any, right: Any, patterns: Any) -> None:
    made = _print_rule(left, right)
    assert made == (None if patterns is None else PrintRule(patterns, left))


def grown(*productions: list[Any], rules: list[Any]) -> Language:
    return Language([*usual_notation().values(), {"productions": productions, "rules": rules}], language().signature)


OUTER = ["logic", ["\\<llangle>", ["any", 0], "\\<rrangle>"], "_outer", 1000, 1]
INNER = ["logic", ["\\<langle>", ["any", 0], "\\<rangle>"], "_inner", 1000, 1]
PAIR = ["logic", ["\\<langle>", ["any", 0], ";", ["any", 0], "\\<rangle>"], "_inner", 1000, 1]
RULE = [["_outer", ["_inner", "?x"]], ["\\<^const>Nat.Suc", "?x"]]


def test_a_rule_is_written_where_all_that_it_is_made_of_can_be():
    term = App(Const("Nat.Suc"), Free("x"))
    assert write_formula(term, grown(OUTER, INNER, rules=[RULE]), prop=False) == "⟪⟨x⟩⟫"
    for without in (grown(OUTER, rules=[RULE]), grown(OUTER, PAIR, rules=[RULE])):
        with pytest.raises(UserError, match="no way to write _inner"):
            write_formula(term, without, prop=False)


def test_a_rule_may_apply_what_stands_in_the_text():
    twice = ["logic", ["\\<llangle>", ["any", 0], ";", ["any", 0], "\\<rrangle>"], "_twice", 1000, 0]
    here = grown(twice, rules=[[["_twice", "?f", "?x"], ["?f", ["?f", "?x", "?x"], "?x"]]])
    assert nested(read_formula("⟪g; y⟫ = z", here).term) == "(Trueprop (eq (g (g y y) y) z))"
    assert nested(read_formula("⟪λu v. u; y⟫ = z", here).term) == (
        "(Trueprop (eq ((λu (λv u)) ((λu (λv u)) y y) y) z))"
    )


def plain(name: str, *arguments: Term) -> Term:
    term: Term = Const(name)
    for argument in arguments:
        term = App(term, argument)
    return term


IDENTITY = Abs("y", None, Bound(0))


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (plain("HOL.Let", IDENTITY, Abs("x", None, Bound(0))), "let x = (λy. y) in x"),
        (plain("HOL.All", Abs("x", None, IDENTITY)), "∀x. λy. y"),
        (plain("HOL.conj", IDENTITY, Free("p")), "(λy. y) ∧ p"),
    ],
)
def test_a_function_has_brackets_where_its_place_asks_for_more(term: Term, text: str) -> None:
    assert to_unicode(term, Names(), prop=False) == text


@pytest.mark.parametrize(
    ("name", "latex"),
    [
        ("Groups.plus_class.plus", "(+)"),
        ("HOL.conj", r"(\land)"),
        ("HOL.All", r"(\forall )"),
        ("List.nth", r"({{\cdot}}_{{\cdot}})"),
    ],
)
def test_constants_of_notations_by_themselves_in_latex(name: str, latex: str) -> None:
    assert to_latex(Const(name), Names(), prop=False) == latex
