"""The table of notations: which terms are written how, in Unicode and in LaTeX. Printer and reader share it.

`notation.txt` explains the lines and holds the default table; a user's extra lines go through the same loader. A level
never mixes associativities: this is checked here, because printed text could not be read back otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Literal, TypeAlias

from isarstep.errors import UserError

CLOSED = 1000  # the precedence of what never needs brackets
APPLY = 100  # the precedence of a function applied to arguments
ARGUMENT = 102  # what an argument must reach; 101 is for |x|, which needs brackets as an argument but not under a power

Where = Literal["outside", "scoped", "rigid"]


@dataclass(frozen=True, slots=True)
class Hole:
    """A numbered place in a pattern; a rigid one stands under the binder but must not mention its variable."""

    index: int
    rigid: bool = False


@dataclass(frozen=True, slots=True)
class BoundVariable:
    """The variable of the pattern's one abstraction."""


@dataclass(frozen=True, slots=True)
class Lambda:
    """The pattern's abstraction."""

    body: Pattern


@dataclass(frozen=True, slots=True)
class Applied:
    """A constant applied to patterns."""

    name: str
    args: tuple[Pattern, ...]


Pattern: TypeAlias = Hole | BoundVariable | Lambda | Applied


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
    """One line of the table."""

    pattern: Applied
    kind: str
    precedence: int
    truth: bool  # only where an argument is visibly a truth value
    unicode: tuple[Piece, ...] | None  # None: shown by its name
    latex: tuple[Piece, ...] | None
    latex_precedence: int

    @property
    def constant(self) -> str:
        return self.pattern.name

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
    """All notations in the order of the file, enumerations, and other spellings that the reader takes for a symbol."""

    notations: tuple[Notation, ...]
    enumerations: tuple[Enumeration, ...]
    spellings: dict[str, str]

    @cached_property
    def words(self) -> frozenset[str]:
        """The literals that look like names, so that nothing else may have such a name."""
        return frozenset(literal for literal in self.literals if is_word(literal))

    @cached_property
    def literals(self) -> frozenset[str]:
        """Every word and symbol that a notation is written with."""
        found = {"λ", ".", ",", "(", ")", "PROP"} | set(self.spellings) | set(self.spellings.values())
        for notation in self.notations:
            for piece in notation.unicode or ():
                if isinstance(piece, str):
                    found.update(lexemes(piece))
        for enumeration in self.enumerations:
            found.update(enumeration.brackets)
        return frozenset(found)


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


class _LineError(Exception):
    pass


@cache
def default_table() -> NotationTable:
    """The notations that come with the package."""
    return read_table(Path(__file__).with_name("notation.txt").read_text("utf-8"), "notation.txt")


def read_table(text: str, name: str) -> NotationTable:
    """Read the lines of a table."""
    notations: list[Notation] = []
    enumerations: list[Enumeration] = []
    spellings: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("##"):
            continue
        columns = [column.strip() for column in _COLUMNS.split(line.strip())]
        try:
            if columns[0] == "spelling":
                if len(columns) != 3:
                    raise _LineError("expected `spelling`, what is typed, the symbol")
                spellings[columns[1]] = columns[2]
                continue
            if len(columns) not in (3, 4):
                raise _LineError("expected 3 or 4 columns separated by two or more blanks")
            kind = _KIND.fullmatch(columns[1])
            if kind is None:
                raise _LineError(f"unknown kind {columns[1]!r}")
            latex = columns[3] if len(columns) == 4 else None
            if kind[1] in ("enum", "tuple"):
                enumerations.append(_enumeration(columns[0], columns[2], latex))
            else:
                precedence = int(kind[2] or CLOSED)
                notations.append(_notation(columns[0], kind[1], precedence, bool(kind[3]), columns[2], latex))
        except _LineError as error:
            raise UserError(f"{name}, line {number}: {error}") from None
    _check_levels(notations, name)
    return NotationTable(tuple(notations), tuple(enumerations), spellings)


def _enumeration(constants: str, brackets: str, latex: str | None) -> Enumeration:
    names, pair = constants.split(), brackets.split()
    shown = (latex or brackets).split()
    if len(pair) != 2 or len(shown) != 2 or len(names) not in (1, 2):
        raise _LineError("an enumeration needs one or two constants and two brackets")
    return Enumeration(names[0], names[1] if len(names) == 2 else None, (pair[0], pair[1]), (shown[0], shown[1]))


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
    pattern = _pattern(constant)
    where: dict[int, Where] = {}
    _places(pattern, False, where)
    if sorted(where) != list(range(1, len(where) + 1)):
        raise _LineError("the pattern's holes must be #1, #2, ... without repetition")
    pieces = None if shown is None else _template(shown, kind, precedence, where)
    if latex is None:
        latex_pieces = None if pieces is None else _derived_latex(pieces, "" if kind == "symbol" else r"\;")
    else:
        latex_pieces = _latex_template(latex, pieces, where)
    return Notation(pattern, kind, precedence, truth, pieces, latex_pieces, latex_precedence)


def _pattern(text: str) -> Applied:
    tokens = re.findall(r"[()λ%]|[#!][0-9]|[^\s()λ%]+", text)
    position = 0

    def applied() -> Pattern:
        nonlocal position
        if tokens[position] == "λ":
            position += 1
            return Lambda(applied())
        if tokens[position] in ("%",) or tokens[position][0] in "#!":
            return atom()
        name = tokens[position]
        position += 1
        args = []
        while position < len(tokens) and tokens[position] != ")":
            args.append(atom())
        return Applied(name, tuple(args))

    def atom() -> Pattern:
        nonlocal position
        token = tokens[position]
        position += 1
        if token == "(":
            inner = applied()
            if position >= len(tokens) or tokens[position] != ")":
                raise _LineError("a bracket is missing in the pattern")
            position += 1
            return inner
        if token == "%":
            return BoundVariable()
        if token[0] in "#!":
            return Hole(int(token[1]), token[0] == "!")
        return Applied(token, ())

    try:
        pattern = applied()
    except IndexError:
        raise _LineError("the pattern ends too early") from None
    if not isinstance(pattern, Applied) or position != len(tokens):
        raise _LineError("the pattern must be a constant applied to holes")
    return pattern


def _places(pattern: Pattern, under: bool, where: dict[int, Where]) -> None:
    if isinstance(pattern, Hole):
        if pattern.index in where or (pattern.rigid and not under):
            raise _LineError(f"hole {pattern.index} stands twice, or is rigid without a λ around it")
        where[pattern.index] = "outside" if not under else "rigid" if pattern.rigid else "scoped"
    elif isinstance(pattern, Lambda):
        if under or any(place != "outside" for place in where.values()):
            raise _LineError("a pattern may have one λ")
        _places(pattern.body, True, where)
    elif isinstance(pattern, Applied):
        for arg in pattern.args:
            _places(arg, under, where)


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
        if isinstance(part, tuple):
            index, explicit = part
            if index not in where:
                raise _LineError(f"the template's #{index} is not in the pattern")
            first, last = i == 0, i == len(parts) - 1
            if explicit is not None:
                own = explicit
            elif first:
                own = precedence + (kind not in ("infixl", "postfix"))
            elif last:
                own = precedence + (kind in ("infix", "infixl"))
            else:
                own = 0
            if (first or last) and own < precedence:
                raise _LineError(f"#{index} at the edge must bind at least as tightly as the whole")
            pieces.append(Slot(index, own, where[index]))
        else:
            if isinstance(part, str):
                words = lexemes(part)
                if not words or "".join(words) != "".join(part.split()):
                    raise _LineError(f"cannot cut {part!r} into words and symbols")
                if (i > 0 and is_word(words[0]) and part[0] != " ") or (
                    i < len(parts) - 1 and is_word(words[-1]) and part[-1] != " "
                ):
                    raise _LineError(f"blanks must keep the word {part.strip()!r} apart from its neighbours")
            pieces.append(part)
    slots = sorted(piece.index for piece in pieces if isinstance(piece, Slot))
    if slots != sorted(where):
        raise _LineError("every hole of the pattern must stand once in the template")
    if all(not isinstance(piece, str) for piece in pieces):
        raise _LineError("a template needs a word or a symbol")
    if (BINDER in pieces) != ("scoped" in where.values()):
        raise _LineError("% and a hole under λ belong together")
    return tuple(pieces)


def _latex_template(text: str, unicode: tuple[Piece, ...] | None, where: dict[int, Where]) -> tuple[Piece, ...]:
    """Slots bind as in the Unicode form, but nothing needs brackets between braces."""
    own = {piece.index: piece.precedence for piece in unicode or () if isinstance(piece, Slot)}
    depth = 0
    pieces: list[Piece] = []
    for part in _split_template(text):
        if isinstance(part, str):
            braces = re.sub(r"\\[{}]", "", part)
            depth += braces.count("{") - braces.count("}")
            pieces.append(part)
        elif isinstance(part, tuple):
            index, explicit = part
            if index not in where:
                raise _LineError(f"the LaTeX template's #{index} is not in the pattern")
            precedence = explicit if explicit is not None else 0 if depth else own.get(index, 0)
            pieces.append(Slot(index, precedence, where[index]))
        else:
            pieces.append(part)
    if depth:
        raise _LineError("braces of the LaTeX template do not match")
    return tuple(pieces)


def _derived_latex(pieces: tuple[Piece, ...], space: str) -> tuple[Piece, ...]:
    """Without a LaTeX column words become upright text; symbols stand as they are and must be ASCII."""
    out: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, str):
            words = lexemes(piece)
            if not all(is_word(word) or word.isascii() for word in words):
                raise _LineError(f"{piece.strip()!r} needs a LaTeX column")
            shown = [rf"{space}\mathrm{{{w.replace('_', chr(92) + '_')}}}{space}" if is_word(w) else w for w in words]
            out.append("".join(shown))
        else:
            out.append(piece)
    return tuple(out)


def _check_levels(notations: tuple[Notation, ...] | list[Notation], name: str) -> None:
    """Where something ends openly at its own level nothing may begin openly: `a # b + c` would be two terms."""
    ends: dict[int, str] = {}
    begins: dict[int, str] = {}
    for notation in notations:
        if not notation.unicode:
            continue
        level = notation.precedence
        first, last = notation.unicode[0], notation.unicode[-1]
        if isinstance(first, Slot) and first.precedence == level:
            begins[level] = notation.constant
        if isinstance(last, Slot) and last.precedence == level:
            ends[level] = notation.constant
        if level in begins and level in ends:
            raise UserError(f"{name}: {begins[level]} and {ends[level]} mix associativities at level {level}")
