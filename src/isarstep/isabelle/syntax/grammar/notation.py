"""The table of notations: which terms are written how, in Unicode and in LaTeX, where no context says it.

`notation.txt` explains the lines.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import Literal, TypeAlias

from isarstep.isabelle.terms.terms import Abs, App, Bound, Const, Term, Var, applied_constant, schematics, subterms

CLOSED = 1000  # the precedence of what never needs brackets
APPLY = 100  # the precedence of a function applied to arguments
ARGUMENT = 102  # what an argument must reach; 101 is for |x|, which needs brackets as an argument but not under a power

Where = Literal["outside", "scoped", "rigid"]


# Variables of patterns by their names: a place for a term, and one whose term stands under the binder but must not
# mention its variable.
HOLE, RIGID = "#", "!"


@dataclass(frozen=True, slots=True)
class Slot:
    """A place of a template: the hole that fills it, how tightly its term must bind, whether it is under the binder."""

    index: int
    precedence: int
    where: Where


@dataclass(frozen=True, slots=True)
class Binder:
    """The place of a template where the bound variable is named."""


BINDER = Binder()
Piece: TypeAlias = str | Slot | Binder


@dataclass(frozen=True, slots=True)
class Notation:
    """One line of the table: a constant applied to patterns, and how this is written."""

    constant: str
    args: tuple[Term, ...]
    kind: str
    precedence: int
    truth: bool  # only where an argument is visibly a truth value
    unicode: tuple[Piece, ...] | None  # None: shown by its name
    latex: tuple[Piece, ...] | None
    latex_precedence: int

    @property
    def several(self) -> bool:
        """May one binder introduce several variables, as in `∀x y. P`?"""
        return self.kind == "binder"


@dataclass(frozen=True, slots=True)
class Enumeration:
    """A chain of `cons` that ends in `nil`, written between brackets; without `nil` it is a tuple."""

    cons: str
    nil: str | None
    brackets: tuple[str, str]
    latex: tuple[str, str]


@dataclass(frozen=True, eq=False)
class NotationTable:
    """All notations in the order of the file, and enumerations."""

    notations: tuple[Notation, ...]
    enumerations: tuple[Enumeration, ...]

    @cached_property
    def words(self) -> frozenset[str]:
        """What looks like a name in notation, so that nothing else may have such a name."""
        pieces = (piece for notation in self.notations for piece in notation.unicode or () if isinstance(piece, str))
        return frozenset(filter(is_word, ("PROP", *chain.from_iterable(map(lexemes, pieces)))))


_WORD = r"[A-Za-zα-κμ-ωΑ-Ω](?:[A-Za-z0-9_'α-κμ-ωΑ-Ω])*"
_BRACKETS = r"()\[\]{}⦃⦄⟦⟧,"
_LEXEME = re.compile(rf"{_WORD}|[{_BRACKETS}]|<?\.\.<?|\.|[^\s.A-Za-zα-κμ-ωΑ-Ω{_BRACKETS}]+")
_SLOT = re.compile(r"#([0-9])(?::([0-9]+))?|%")
_COLUMNS = re.compile(r"(?:\t| {2,})\s*")
_KIND = re.compile(r"(symbol|infix|infixl|infixr|prefix|postfix|binder|mixfix|enum|tuple)(?: ([0-9]+))?( truth)?")


def lexemes(literal: str) -> list[str]:
    """Cut the literal text of a template into words and symbols. A final full stop is a symbol of its own."""
    return _LEXEME.findall(literal)


def is_word(text: str) -> bool:
    """Does the lexeme look like an identifier, so that blanks must keep it apart from its neighbours?"""
    return re.fullmatch(_WORD, text) is not None


@cache
def default_table() -> NotationTable:
    """The notations that come with the package."""
    return read_table(Path(__file__).with_name("notation.txt").read_text("utf-8"))


def read_table(text: str) -> NotationTable:
    """Read the lines of a table."""
    notations: list[Notation] = []
    enumerations: list[Enumeration] = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("##"):
            continue
        constant, description, shown, *more = _COLUMNS.split(line.strip())
        kind = _KIND.fullmatch(description)
        assert kind is not None, line
        latex = more[0] if more else None
        if kind[1] in ("enum", "tuple"):
            cons, *nil = constant.split()
            (opening, closing), (first, last) = shown.split(), (latex or shown).split()
            enumerations.append(Enumeration(cons, nil[0] if nil else None, (opening, closing), (first, last)))
        else:
            notations.append(_notation(constant, kind[1], int(kind[2] or CLOSED), bool(kind[3]), shown, latex))
    return NotationTable(tuple(notations), tuple(enumerations))


def _notation(constant: str, kind: str, precedence: int, truth: bool, unicode: str, latex: str | None) -> Notation:
    """Make the short forms of a line explicit."""
    latex_precedence = precedence
    if latex is not None and (override := re.match(r"=([0-9]+) ", latex)):
        latex_precedence, latex = int(override[1]), latex[override.end() :]
    if kind.startswith("infix") and not _SLOT.search(unicode):
        latex = latex if latex is None or _SLOT.search(latex) else f"#1 {latex} #2"
        unicode = f"#1 {unicode} #2"
    elif kind == "prefix" and not _SLOT.search(unicode):
        latex = latex if latex is None or _SLOT.search(latex) else f"{latex} #1"
        unicode = f"{unicode} #1" if is_word(unicode) else f"{unicode}#1"
    elif kind == "binder":
        constant = f"{constant} (λ #1)"
        latex = latex if latex is None or _SLOT.search(latex) else rf"{latex} %.\; #1"
        unicode = f"{unicode} %. #1" if is_word(unicode) else f"{unicode}%. #1"
    shown = None if unicode == "-" else unicode
    if " " not in constant:
        count = max([0, *(int(i) for i, _ in _SLOT.findall(f"{shown} {latex}") if i)])
        constant = " ".join([constant, *(f"#{i + 1}" for i in range(count))])
    name, args = applied_constant(_pattern(constant))
    where = dict(chain.from_iterable(map(_places, args)))
    pieces = None if shown is None else _template(shown, kind, precedence, where)
    if latex is None:
        latex_pieces = None if pieces is None else _derived_latex(pieces, "" if kind == "symbol" else r"\;")
    else:
        latex_pieces = _latex_template(latex, pieces, where)
    return Notation(name, tuple(args), kind, precedence, truth, pieces, latex_pieces, latex_precedence)


def _pattern(text: str) -> Term:
    tokens = deque(re.findall(r"[()λ%]|[#!][0-9]|[^\s()λ%]+", text))

    def applied() -> Term:
        if tokens[0] == "λ":
            tokens.popleft()
            return Abs("", None, applied())
        made = atom()
        while tokens and tokens[0] != ")":
            made = App(made, atom())
        return made

    def atom() -> Term:
        token = tokens.popleft()
        if token == "(":
            inner = applied()
            tokens.popleft()
            return inner
        if token == "%":
            return Bound(0)
        return Var(token[0], int(token[1])) if token[0] in (HOLE, RIGID) else Const(token)

    return applied()


def _places(pattern: Term) -> Iterator[tuple[int, Where]]:
    inside = {node for part in subterms(pattern) if type(part) is Abs for node in schematics(part)}
    for node in schematics(pattern):
        yield node.index, "outside" if node not in inside else "rigid" if node.name == RIGID else "scoped"


def _split_template(text: str) -> Iterator[str | tuple[int, int | None] | Binder]:
    last = 0
    for match in _SLOT.finditer(text):
        if match.start() > last:
            yield text[last : match.start()]
        yield BINDER if match[0] == "%" else (int(match[1]), int(match[2]) if match[2] else None)
        last = match.end()
    if last < len(text):
        yield text[last:]


def _template(text: str, kind: str, precedence: int, where: dict[int, Where]) -> tuple[Piece, ...]:
    parts = list(_split_template(text))
    pieces: list[Piece] = []
    for i, part in enumerate(parts):
        if not isinstance(part, tuple):
            pieces.append(part)
            continue
        index, own = part
        if own is None and i == 0:
            own = precedence + (kind not in ("infixl", "postfix"))
        elif own is None:
            own = precedence + (kind in ("infix", "infixl")) if i == len(parts) - 1 else 0
        pieces.append(Slot(index, own, where[index]))
    return tuple(pieces)


def _latex_template(text: str, unicode: tuple[Piece, ...] | None, where: dict[int, Where]) -> tuple[Piece, ...]:
    """Slots bind as in the Unicode form, but nothing needs brackets between braces."""
    own = {piece.index: piece.precedence for piece in unicode or () if isinstance(piece, Slot)}
    depth = 0
    pieces: list[Piece] = []
    for part in _split_template(text):
        if isinstance(part, tuple):
            index, explicit = part
            precedence = explicit if explicit is not None else 0 if depth else own.get(index, 0)
            pieces.append(Slot(index, precedence, where[index]))
            continue
        if isinstance(part, str):
            braces = re.sub(r"\\[{}]", "", part)
            depth += braces.count("{") - braces.count("}")
        pieces.append(part)
    return tuple(pieces)


def _derived_latex(pieces: tuple[Piece, ...], space: str) -> tuple[Piece, ...]:
    """Without a LaTeX column words become upright text; symbols stand as they are."""

    def shown(word: str) -> str:
        return rf"{space}\mathrm{{{word.replace('_', chr(92) + '_')}}}{space}" if is_word(word) else word

    return tuple("".join(map(shown, lexemes(p))) if isinstance(p, str) else p for p in pieces)
