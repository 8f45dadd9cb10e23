"""Lines of a table of notations: what their short forms stand for."""

import pytest

from isarstep.isabelle.syntax.grammar.notation import (
    BINDER,
    HOLE,
    RIGID,
    Enumeration,
    Notation,
    Piece,
    lexemes,
    read_table,
)
from isarstep.isabelle.terms.terms import Abs, Bound, Const, Var, list_comb


def shown(pieces: tuple[Piece, ...] | None) -> list[str] | None:
    """Places as hole and precedence, with where they stand if that is under the binder."""
    if pieces is None:
        return None
    return [
        piece if isinstance(piece, str)
        else "%" if piece is BINDER
        else f"#{piece.index}:{piece.precedence}{'' if piece.where == 'outside' else ' ' + piece.where}"  # type: ignore[union-attr]
        for piece in pieces
    ]  # fmt: skip


def only(line: str) -> Notation:
    (notation,) = read_table(line).notations
    return notation


@pytest.mark.parametrize(
    ("line", "unicode", "latex"),
    [
        (r"A.c  symbol  ⊛  \star", ["⊛"], [r"\star"]),
        ("A.c  symbol  star", ["star"], [r"\mathrm{star}"]),
        (r"A.f  infix 50  ⊛  \star", ["#1:51", " ⊛ ", "#2:51"], ["#1:51", r" \star ", "#2:51"]),
        (r"A.f  infixl 50  ⊛  \star", ["#1:50", " ⊛ ", "#2:51"], ["#1:50", r" \star ", "#2:51"]),
        (r"A.f  infixr 50  ⊛  \star", ["#1:51", " ⊛ ", "#2:50"], ["#1:51", r" \star ", "#2:50"]),
        ("A.f  infixl 50  mod", ["#1:50", " mod ", "#2:51"], ["#1:50", r"\;\mathrm{mod}\;", "#2:51"]),
        ("A.f  infixl 50  +", ["#1:50", " + ", "#2:51"], ["#1:50", "+", "#2:51"]),
        (r"A.f  infix 50  ⊛  #2 \star #1", ["#1:51", " ⊛ ", "#2:51"], ["#2:51", r" \star ", "#1:51"]),
        (r"A.f  infix 50  #2 ⊛ #1  x", ["#2:51", " ⊛ ", "#1:51"], ["x"]),
        (r"A.f  prefix 40  ⊛  \star", ["⊛", "#1:40"], [r"\star ", "#1:40"]),
        ("A.f  prefix 40  non", ["non ", "#1:40"], [r"\;\mathrm{non}\;", "#1:40"]),
        (r"A.f  prefix 40  ⊛  \sqrt{#1}", ["⊛", "#1:40"], [r"\sqrt{", "#1:0", "}"]),
        (r"A.f  prefix 40  ⊛#1:90  \star #1", ["⊛", "#1:90"], [r"\star ", "#1:90"]),
        ("A.f  postfix 90  #1!", ["#1:90", "!"], ["#1:90", "!"]),
        (r"A.f  binder 10  ⊛  \star", ["⊛", "%", ". ", "#1:10 scoped"], [r"\star ", "%", r".\; ", "#1:10 scoped"]),
        ("A.f  binder 10  THE_x", ["THE_x ", "%", ". ", "#1:10 scoped"],
         [r"\;\mathrm{THE\_x}\;", "%", ".", "#1:10 scoped"]),
        (r"A.f  binder 10  ⊛  \star_{%} #1:70", ["⊛", "%", ". ", "#1:10 scoped"],
         [r"\star_{", "%", "} ", "#1:70 scoped"]),
        (r"A.f  mixfix 10  if #1 then #2  if #1 then #2", ["if ", "#1:0", " then ", "#2:10"],
         ["if ", "#1:0", " then ", "#2:10"]),
        ("A.f  mixfix  [#1 | #2:20]", ["[", "#1:0", " | ", "#2:20", "]"], ["[", "#1:0", "|", "#2:20", "]"]),
        ("A.f  mixfix 20  #1 ⊛  x #1", ["#1:21", " ⊛"], ["x ", "#1:21"]),
        ("A.f  infixr 50  #1 ⊛ #2 x  x", ["#1:51", " ⊛ ", "#2:0", " x"], ["x"]),
        (r"A.f A.g #1  mixfix 10  ⊛ #1  \{#1, \frac{#1:30}{x}\}", ["⊛ ", "#1:10"],
         [r"\{", "#1:10", r", \frac{", "#1:30", r"}{x}\}"]),
        ("A.f  mixfix  -  x_{#2} #1", None, ["x_{", "#2:0", "} ", "#1:0"]),
        ("A.f  mixfix  -", None, None),
        ("A.f  mixfix 10  [#1]aa  x", ["[", "#1:0", "]aa"], ["x"]),
    ],
)  # fmt: skip
def test_short_forms_are_templates(line: str, unicode: list[str] | None, latex: list[str] | None) -> None:
    notation = only(line)
    assert (shown(notation.unicode), shown(notation.latex)) == (unicode, latex)


def test_patterns_have_as_many_holes_as_their_templates_unless_they_say_more():
    one, two = Var(HOLE, 1), Var(HOLE, 2)
    assert only("A.f  infix 50  +").args == (one, two)
    assert only("A.f  mixfix  -  x_{#3}").args == (one, two, Var(HOLE, 3))
    assert only("A.f  binder 10  +").args == (Abs("", None, one),)
    assert only("A.f #2 #1  mixfix 50  #1 > #2").args == (two, one)
    assert only("A.f A.g #1  mixfix  [#1]").args == (Const("A.g"), one)
    under = only(r"A.f (λ A.g (A.h % !1) #2)  mixfix 10  ⊛%<#1:66. #2  \star_{% < #1} #2:66")
    inside = list_comb(Const("A.g"), [list_comb(Const("A.h"), [Bound(0), Var(RIGID, 1)]), two])
    assert (under.constant, under.args) == ("A.f", (Abs("", None, inside),))
    assert shown(under.unicode) == ["⊛", "%", "<", "#1:66 rigid", ". ", "#2:10 scoped"]
    assert shown(under.latex) == [r"\star_{", "%", " < ", "#1:0 rigid", "} ", "#2:66 scoped"]


def test_precedences_and_where_a_notation_is_used():
    plain, truth = only("A.f  infix 50  +"), only("A.f  infix 24 truth  +")
    assert (plain.precedence, plain.latex_precedence, plain.truth, plain.several) == (50, 50, False, False)
    assert (truth.precedence, truth.truth) == (24, True)
    closed, own = only("A.f  mixfix  [#1]"), only("A.f  mixfix 90  [#1]  =96 #1:101!")
    assert (closed.precedence, closed.latex_precedence) == (1000, 1000)
    assert (own.precedence, own.latex_precedence, shown(own.latex)) == (90, 96, ["#1:101", "!"])
    assert only("A.f  binder 10  +").several


def test_enumerations_are_lines_of_their_own():
    table = read_table("## lists\n\nA.cons A.nil  enum  [ ]  \\{ \\}\nA.pair  tuple  ( )\n")
    assert table.enumerations == (
        Enumeration("A.cons", "A.nil", ("[", "]"), (r"\{", r"\}")),
        Enumeration("A.pair", None, ("(", ")"), ("(", ")")),
    )
    assert table.notations == ()
    assert read_table("A.f  infix 50  mod").words == {"mod", "PROP"}


@pytest.mark.parametrize(
    ("literal", "parts"),
    [
        ("if", ["if"]),
        (" THE_x' ", ["THE_x'"]),
        ("∀", ["∀"]),
        ("[(", ["[", "("]),
        ("..<", ["..<"]),
        ("<..<", ["<..<"]),
        ("=..", ["=", ".."]),
        (". ", ["."]),
        ("+a-", ["+", "a", "-"]),
    ],
)
def test_literals_are_cut_into_words_and_symbols(literal: str, parts: list[str]) -> None:
    assert lexemes(literal) == parts
