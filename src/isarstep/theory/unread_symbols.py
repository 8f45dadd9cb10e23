"""Symbols and words that notation which is not read may have brought: a text that has one of them is refused."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

from isarstep.logic.symbols import normal
from isarstep.theory.outer import OuterCommand, SourceToken

_BETWEEN = re.compile(r"[\s_()/]+|'(?=[^\w])")
_NAME = re.compile(r"[^\W\d][\w']*")
_INFIX = ("infix", "infixl", "infixr", "binder")
_BOTH, _READ, _PRINTED = ("==", "\\<rightleftharpoons>"), ("=>", "\\<rightharpoonup>"), ("<=", "\\<leftharpoondown>")
NOTATION = ("syntax", "notation", "type_notation", "no_notation", "no_syntax")


def unread_symbols(command: OuterCommand, known: Container[str]) -> Iterator[str]:
    """Of a command that declares notation or translates it; `known` are those that are not read already."""
    if command.name in NOTATION:
        for before, token in zip(command.tokens, command.tokens[1:], strict=False):
            if token.quoted and before.keyword("(", *_INFIX):
                yield from _words(token.text)
    elif command.name == "translations":
        for left, right in _rules(command):
            yield from _left_side(left, right, known)


def _rules(command: OuterCommand) -> Iterator[tuple[str, str]]:
    """What is read as what; a rule in another form is taken as a whole."""
    tokens = [token for token in command.tokens if token.quoted or not _is_sort(token)]
    place = 0
    while place < len(tokens):
        sides = tokens[place : place + 3]
        if len(sides) == 3 and sides[0].quoted and sides[2].quoted and sides[1].keyword(*_BOTH, *_READ, *_PRINTED):
            if not sides[1].keyword(*_PRINTED):
                yield sides[0].text, sides[2].text
            place += 3
        else:
            if tokens[place].quoted:
                yield tokens[place].text, ""
            place += 1


def _is_sort(token: SourceToken) -> bool:
    """`(type)` before a side."""
    return token.keyword("(", ")", "type", "logic", "prop")


def _left_side(left: str, right: str, known: Container[str]) -> Iterator[str]:
    words = list(_words(left))
    if any(word in known for word in words):
        return  # whoever writes it is refused for that word
    variables = {word for word in _words(right) if _NAME.fullmatch(word)}
    yield from (word for word in words if word not in variables)


def _words(text: str) -> Iterator[str]:
    for word in _BETWEEN.split(text):
        if word and word != "CONST":
            plain = word.replace("'", "")
            yield from dict.fromkeys((plain, normal(plain)))  # as it is written, and as it is read
