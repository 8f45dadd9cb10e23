"""Cut the Unicode form into tokens, and settle two questions that need to look ahead.

They are: which binder a full stop belongs to, and which bracket is the one of a function update `f(x := y)`. Both are
answered in one pass, so reading stays linear.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from isarstep.logic.names import SIMPLE_NAME
from isarstep.logic.notation import NotationTable, is_word
from isarstep.logic.readerror import MAX_TOKENS, ReadError

UPDATE = "(:="  # stands for the opening bracket of a function update
_OPEN = {"(": ")", "[": "]", "{": "}", "⦃": "⦄", "⟦": "⟧"}
_CLOSE = frozenset(_OPEN.values())


@dataclass(frozen=True, slots=True)
class Tokens:
    """Parallel lists; the last entry is the end."""

    kinds: list[str]  # name, number, schematic, free, constant, symbol, end
    texts: list[str]
    starts: list[int]
    closing: dict[int, int]  # opening bracket -> its closing bracket
    dotted: set[int]  # symbols that a full stop belongs to


@cache
def _scanner(table: NotationTable) -> re.Pattern[str]:
    symbols = sorted((s for s in table.literals if not is_word(s)), key=len, reverse=True)
    quoted = "«(?:[^»]|»»)*»"
    return re.compile(
        rf"(?P<blank>\s+)"
        rf"|(?P<number>[0-9]+)"
        rf"|(?P<schematic>\?(?:{SIMPLE_NAME}|{quoted})(?:\.[0-9]+)?)"
        rf"|(?P<name>{SIMPLE_NAME}(?:\.{SIMPLE_NAME})*)"
        rf"|(?P<free>{quoted})"
        rf"|(?P<constant>‹(?:[^›]|››)*›)"
        rf"|(?P<symbol>{'|'.join(map(re.escape, symbols))})"
    )


def scan(text: str, table: NotationTable, binders: frozenset[str]) -> Tokens:
    """Cut the text; `binders` are the symbols that may have a full stop."""
    kinds: list[str] = []
    texts: list[str] = []
    starts: list[int] = []
    match_at = _scanner(table).match
    spellings, words = table.spellings, table.words
    position, end = 0, len(text)
    while position < end:
        match = match_at(text, position)
        if match is None:
            raise ReadError(position, text[position], "a name, a number or a symbol of the notation")
        kind = match.lastgroup
        assert kind is not None
        if kind != "blank":
            token = match[0]
            if kind == "name" and token in words:
                kind = "symbol"
            if kind == "symbol":
                token = spellings.get(token, token)
            kinds.append(kind)
            texts.append(token)
            starts.append(position)
            if len(kinds) > MAX_TOKENS:
                raise ReadError(position, token, f"the end: a formula has at most {MAX_TOKENS} names and symbols")
        position = match.end()
    closing, dotted = _brackets(kinds, texts, starts, binders)
    kinds.append("end")
    texts.append("")
    starts.append(end)
    return Tokens(kinds, texts, starts, closing, dotted)


def _brackets(
    kinds: list[str], texts: list[str], starts: list[int], binders: frozenset[str]
) -> tuple[dict[int, int], set[int]]:
    closing: dict[int, int] = {}
    dotted: set[int] = set()
    groups: list[tuple[int, list[int]]] = [(-1, [])]  # an opening bracket, the binders in it that lack their full stop
    for i, kind in enumerate(kinds):
        if kind != "symbol":
            continue
        token = texts[i]
        if token in _OPEN:
            groups.append((i, [i] if token in binders else []))
        elif token in _CLOSE:
            opening = groups[-1][0]
            if opening < 0 or _OPEN[texts[opening] if texts[opening] != UPDATE else "("] != token:
                raise ReadError(starts[i], token, "something else, because no such bracket is open")
            closing[opening] = i
            groups.pop()
        elif token == ".":
            if groups[-1][1]:
                dotted.add(groups[-1][1].pop())
        elif token == ":=":
            opening = groups[-1][0]
            if opening < 0 or texts[opening] != "(":
                raise ReadError(starts[i], token, "something else: := belongs into f(x := y)")
            texts[opening] = UPDATE
        elif token in binders:
            groups[-1][1].append(i)
    if len(groups) > 1:
        opening = groups[-1][0]
        raise ReadError(starts[opening], texts[opening][0], "its closing bracket somewhere behind it")
    return closing, dotted
