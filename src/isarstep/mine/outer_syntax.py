"""Tokens of Isabelle's outer syntax, as far as `ROOT` files, `etc/options` and theory headers need them.

Comments (nested, and formal ones), strings, cartouches and names are recognised; everything else is a symbol of one
character or `::`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from isarstep.errors import UserError

_PATTERN = re.compile(
    r"""
    (?P<space>\s+)
  | (?P<comment>\(\*)
  | (?P<string>"(?:[^"\\]|\\.)*")
  | (?P<open>\\<open>|‹)
  | (?P<verbatim>\{\*.*?\*\})
  | (?P<marker>\\<(?:comment|\^cancel|\^marker|\^latex)>)
  | (?P<name>
      (?:\\<(?!open>|close>)\w+>|[A-Za-z])
      (?:\\<(?!open>|close>|comment>)(?:\^sub>|\w+>)|[A-Za-z0-9_'.])*
    )
  | (?P<number>-?[0-9]+(?:\.[0-9]+)?)
  | (?P<symbol>::|--|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_CARTOUCHE = re.compile(r"\\<open>|\\<close>|‹|›")
_COMMENT = re.compile(r"\(\*|\*\)")
_ESCAPE = re.compile(r"\\(\d{3}|.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class OuterToken:
    text: str  # without quotes
    quoted: bool  # a string or a cartouche: never a keyword
    line: int


def _nested(text: str, start: int, pattern: re.Pattern[str], openers: tuple[str, ...], where: str) -> int:
    """The end of the nested construct whose opener ends at `start`."""
    depth = 1
    while depth:
        found = pattern.search(text, start)
        if found is None:
            raise UserError(f"{where}: a comment or cartouche does not end")
        depth += 1 if found.group() in openers else -1
        start = found.end()
    return start


def tokens(text: str, where: str) -> Iterator[OuterToken]:
    """All proper tokens; `where` names the file in errors.

    Lazy, so that the header of a theory costs nothing of its body.
    """
    position, line = 0, 1
    formal_comment = False
    while position < len(text):
        found = _PATTERN.match(text, position)
        assert found is not None
        kind, begin, end = found.lastgroup, position, found.end()
        if kind == "comment":
            end = _nested(text, end, _COMMENT, ("(*",), f"{where}:{line}")
        elif kind == "open":
            inner = end
            end = _nested(text, end, _CARTOUCHE, ("\\<open>", "‹"), f"{where}:{line}")
            closer = 1 if text[end - 1] == "›" else len("\\<close>")
            if not formal_comment:
                yield OuterToken(text[inner : end - closer], True, line)
            formal_comment = False
        elif kind == "string":
            yield OuterToken(_ESCAPE.sub(_unescape, text[begin + 1 : end - 1]), True, line)
        elif kind == "verbatim":
            yield OuterToken(text[begin + 2 : end - 2], True, line)
        elif kind == "marker":
            formal_comment = True
        elif kind != "space":
            if text[begin:end] == '"':
                raise UserError(f"{where}:{line}: a string does not end")
            yield OuterToken(text[begin:end], False, line)
        line += text.count("\n", begin, end)
        position = end


def _unescape(found: re.Match[str]) -> str:
    code = found.group(1)
    return chr(int(code)) if code.isdigit() else code


class TokenCursor:
    """A cursor over the tokens of one file."""

    def __init__(self, text: str, path: Path) -> None:
        self._where = str(path)
        self._source = tokens(text, self._where)
        self._ahead: OuterToken | None = next(self._source, None)

    @property
    def at_end(self) -> bool:
        return self._ahead is None

    @property
    def line(self) -> int:
        return self._ahead.line if self._ahead else 0

    def is_keyword(self, *words: str) -> bool:
        return self._ahead is not None and not self._ahead.quoted and self._ahead.text in words

    def accept(self, *words: str) -> bool:
        if self.is_keyword(*words):
            self.take()
            return True
        return False

    def take(self) -> OuterToken:
        if self._ahead is None:
            raise UserError(f"{self._where}: ends in the middle of an entry")
        token = self._ahead
        self._ahead = next(self._source, None)
        return token

    def expect(self, *words: str) -> None:
        if not self.accept(*words):
            raise self.error(f"expected {' or '.join(words)}")

    def name(self, keywords: frozenset[str] = frozenset()) -> str:
        if self._ahead is None or (not self._ahead.quoted and self._ahead.text in keywords):
            raise self.error("expected a name")
        return self.take().text

    def names(self, keywords: frozenset[str]) -> tuple[str, ...]:
        """All names up to the next keyword."""
        found: list[str] = []
        while self._ahead is not None and (self._ahead.quoted or self._ahead.text not in keywords):
            found.append(self.take().text)
        return tuple(found)

    def error(self, what: str) -> UserError:
        if self._ahead is None:
            return UserError(f"{self._where}: {what} at the end of the file")
        return UserError(f"{self._where}:{self._ahead.line}: {what} before {self._ahead.text[:40]!r}")
