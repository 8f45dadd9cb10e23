"""Mixfix annotations as rows of notation (docs/graphs.md): `(infixl "+" 65)`, `("_ is _" [50, 51] 50)`, `binder`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain, repeat
from typing import Any

from isarstep.isabelle.syntax.grammar.symbols import to_isabelle
from isarstep.isabelle.theory.text.source import SourceToken, TheorySource
from isarstep.isabelle.theory.text.statements import NotRead

Row = list[Any]
INDEXED = "\\<^indexed>"  # before the head of an operation of a structure
_INDEX = "\\<index>"
_INFIX = {"infix": (1, 1), "infixl": (0, 1), "infixr": (1, 0)}
# Of a block: `\\<open>indent=1 notation=\\<open>mixfix pair\\<close>\\<close>`, cartouches at most one inside another.
_PROPERTIES = r"\\<open>(?:\\<open>(?:(?!\\<close>).)*\\<close>|(?!\\<close>).)*\\<close>|‹(?:‹[^›]*›|[^›])*›|[0-9]+"
_PIECE = re.compile(
    r"'(?P<escaped>\\<\^?[A-Za-z]+>|.)|(?P<argument>_)|(?P<index>\\<index>|ı)"
    rf"|(?P<open>\((?:{_PROPERTIES})?)|(?P<close>\))|(?P<break>//?\s*|\s+)"
    r"|(?P<symbol>\\<\^?[A-Za-z]+>|.)",
    re.DOTALL,
)


def mixfix_rows(
    tokens: Sequence[SourceToken],
    source: TheorySource,
    constant: str,
    arguments: int,
    kind: str = "logic",
    *,
    fixed: bool = False,
) -> list[Row]:
    """Productions of a mixfix annotation, given without its round brackets, for a constant (or a type) with at most so
    many arguments; `fixed`: for a variable. Raises NotRead."""
    head = ("\\<^type>" if kind == "type" else "\\<^fixed>" if fixed else "\\<^const>") + constant
    first = tokens[0]
    if first.keyword(*_INFIX):
        if len(tokens) != 3 or tokens[2].kind != "number" or arguments < 2:
            raise NotRead(source, first.start, "an infix notation of this form is not read")
        symbols, priority = _delimiters(tokens[1], source), int(tokens[2].text)
        if None in symbols:
            raise NotRead(source, tokens[1].start, "an infix operator with an argument inside is not read")
        left, right = (priority + more for more in _INFIX[first.text])
        if _INDEX in symbols:
            return _indexed_infix(symbols, source, tokens[1], (kind, head, priority, left, right), fixed=fixed)
        middle = [part for symbol in symbols for part in (1, symbol)]
        rows: list[Row] = [[kind, [[kind, left], *middle, 1, [kind, right]], head, priority, 1]]
        if kind == "logic":
            rows.append([kind, ["(" + "".join(map(str, symbols)) + ")"], head, 1000, 1])
        return rows
    if first.keyword("binder"):
        numbers = [int(token.text) for token in tokens[2:] if token.kind == "number"]
        if len(tokens) < 3 or not numbers or kind == "type" or fixed:
            raise NotRead(source, first.start, "a binder of this form is not read")
        (symbol, *others) = _delimiters(tokens[1], source)
        if symbol == _INDEX or others:
            raise NotRead(source, first.start, "a binder of this form is not read")
        priorities = [["idts", 0], ".", 1, ["any", numbers[0]]]
        return [["logic", [symbol, *priorities], "\\<^binder>" + constant, numbers[-1], 1]]
    if first.quoted:
        return [_template(tokens, source, head, arguments, kind, fixed=fixed)]
    raise NotRead(source, first.start, f"the notation {first.text[:30]!r} is not read")


def syntax_rows(
    tokens: Sequence[SourceToken],
    source: TheorySource,
    head: str,
    arguments: Sequence[str],
    result: str,
    *,
    printed: bool,
) -> list[Row]:
    """Productions of a mixfix annotation whose arguments and result are of these nonterminals. Raises NotRead."""
    first = tokens[0]
    if first.keyword(*_INFIX):
        if len(tokens) != 3 or tokens[2].kind != "number" or len(arguments) != 2:
            raise NotRead(source, first.start, "an infix notation of this form is not read")
        symbols, priority = _delimiters(tokens[1], source), int(tokens[2].text)
        if None in symbols or _INDEX in symbols:
            raise NotRead(source, tokens[1].start, "an infix operator with an argument inside is not read")
        left, right = (priority + more for more in _INFIX[first.text])
        ends = [arguments[0], left], [arguments[1], right]
        joined = "".join(map(str, symbols))
        return [
            [result, [ends[0], *symbols, ends[1]], head, priority, int(printed)],
            [result, [f"({joined})"], head, 1000, int(printed)],
        ]
    if not first.quoted:
        raise NotRead(source, first.start, f"the notation {first.text[:30]!r} is not read")
    priorities, priority = _priorities(tokens[1:], source)
    parts = _delimiters(first, source)
    places = parts.count(None)
    if _INDEX in parts:
        raise NotRead(source, first.start, "a notation for structures in this form is not read")
    if places > len(arguments):
        raise NotRead(source, first.start, f"the notation has more than {len(arguments)} arguments")
    made = _symbols(parts, arguments, priorities)
    if places < len(arguments):  # it stands for a function
        result = "logic"
    if not head and places != 1:
        raise NotRead(source, first.start, f"the notation has {places} arguments, not one")
    if head and not any(isinstance(symbol, str) for symbol in made):
        raise NotRead(source, first.start, "a notation without any symbol of its own is not read")
    return [[result, made, head, priority, int(printed)]]


def _indexed_infix(
    symbols: Sequence[str | None],
    source: TheorySource,
    token: SourceToken,
    made: tuple[str, str, int, int, int],
    *,
    fixed: bool,
) -> list[Row]:
    """`infixl "\\<otimes>\\<index>" 70`: an operation of a structure."""
    kind, head, priority, left, right = made
    if kind == "type" or fixed or len(symbols) != 2 or symbols[1] != _INDEX:
        raise NotRead(source, token.start, "a notation for structures in this form is not read")
    symbol, index, head = symbols[0], ["index", 1000], f"{INDEXED}{head}"
    return [
        [kind, [["any", left], 1, symbol, index, 1, ["any", right]], head, priority, 1],
        [kind, [f"({symbol}", index, ")"], head, 1000, 1],
    ]


def indexed_rule(row: Row) -> Row:
    """How a notation with an index is read: the structure is the first argument."""
    _, symbols, head, *_ = row
    left: list[Any] = [head]
    for place, symbol in enumerate(each for each in symbols if isinstance(each, list)):
        left.append(["_index", "?i"] if symbol[0] == "index" else f"?x{place}")
    others = [each for each in left[1:] if isinstance(each, str)]
    return [left, [head.removeprefix(INDEXED), "?i", *others]]


def _template(
    tokens: Sequence[SourceToken], source: TheorySource, head: str, arguments: int, kind: str, *, fixed: bool
) -> Row:
    priorities, priority = _priorities(tokens[1:], source)
    parts = _delimiters(tokens[0], source)
    count = parts.count(None)
    if _INDEX in parts:
        if kind == "type" or fixed or parts.count(_INDEX) > 1:
            raise NotRead(source, tokens[0].start, "a notation for structures in this form is not read")
        head, arguments = f"{INDEXED}{head}", arguments - 1
    symbols = _symbols(parts, repeat("any" if kind == "logic" else kind), priorities)
    if count > arguments or (kind == "type" and count != arguments):
        raise NotRead(source, tokens[0].start, f"the notation has {count} arguments, its constant {arguments}")
    if not any(isinstance(symbol, str) for symbol in symbols):
        raise NotRead(source, tokens[0].start, "a notation without any symbol of its own is not read")
    return [kind, symbols, head, priority, 1]


def _symbols(parts: Iterable[str | None], nonterminals: Iterable[str], priorities: Sequence[int]) -> list[Any]:
    """Delimiters and, in their places, nonterminals with the priorities that are given for the first ones."""
    arguments = zip(nonterminals, chain(priorities, repeat(0)), strict=False)
    return [["index", 1000] if p == _INDEX else list(next(arguments)) if p is None else p for p in parts]


def _priorities(tokens: Sequence[SourceToken], source: TheorySource) -> tuple[list[int], int]:
    """`[50, 51] 50`: those of the arguments and of the whole."""
    rest = list(tokens)
    priorities: list[int] = []
    if rest and rest[0].keyword("["):
        end = next((i for i, token in enumerate(rest) if token.keyword("]")), len(rest))
        priorities = [int(token.text) for token in rest[:end] if token.kind == "number"]
        rest = rest[end + 1 :]
    if len(rest) > 1 or (rest and rest[0].kind != "number"):
        raise NotRead(source, rest[0].start, "a notation of this form is not read")
    return priorities, int(rest[0].text) if rest else 1000


def _delimiters(token: SourceToken, source: TheorySource) -> list[str | None]:
    """The delimiters of a template, None for each argument, and `_INDEX` for the structure that an operation is of."""
    found: list[str | None] = []
    word = ""
    for piece in _PIECE.finditer(token.text):
        kind = piece.lastgroup
        if kind in ("symbol", "escaped"):
            word += piece[kind]
            continue
        if word:
            found.append(to_isabelle(word))
        word = ""
        if kind in ("argument", "index"):
            found.append(None if kind == "argument" else _INDEX)
    if word:
        found.append(to_isabelle(word))
    if not found:
        raise NotRead(source, token.start, "a notation without symbols is not read")
    return found
