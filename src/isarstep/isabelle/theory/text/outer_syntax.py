"""Tokens of Isabelle's outer syntax, of theory files and, as far as they are needed, of `ROOT` files and `etc/options`.

Comments (nested, and formal ones) are left out; a pattern says what else is a token.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from isarstep.common.errors import UserError

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
_INNER_COMMENT = re.compile(r"(?:\\<comment>|\\<\^cancel>|―)\s*(?:\\<open>|‹)")
_COMMENT = re.compile(r"\(\*|\*\)")
_ESCAPE = re.compile(r"\\(\d{3}|[\"`\\])")
Refused: TypeAlias = Callable[[int, str], UserError]  # the error at a place of a text
QUOTED = ("string", "open", "verbatim")  # kinds of tokens whose text is inside quotes


@dataclass(frozen=True, slots=True)
class SourceToken:
    """A token and the characters of the file that it stands for. `text` is without quotes."""

    kind: str  # name, string, open (a cartouche), back, verbatim, var, typevar, number, symbol
    text: str
    start: int
    end: int
    inside: int  # where `text` begins in the file

    @property
    def quoted(self) -> bool:
        return self.kind in QUOTED

    def keyword(self, *words: str) -> bool:
        return not self.quoted and self.kind != "back" and self.text in words


def outer_tokens(text: str, pattern: re.Pattern[str], refused: Refused) -> Iterator[SourceToken]:
    """All proper tokens of a text, by a pattern whose groups are kinds of tokens.

    Lazy, so that the header of a theory costs nothing of its body.
    """
    position, formal_comment = 0, False
    while position < len(text):
        found = pattern.match(text, position)
        assert found is not None
        kind, begin, end = found.lastgroup or "", position, found.end()
        inside, closer = begin, end
        if kind == "comment":
            end = _nested(text, refused, begin, end, _COMMENT, ("(*",))
        elif kind == "open":
            inside, end = end, _nested(text, refused, begin, end, _CARTOUCHE, ("\\<open>", "‹"))
            closer = end - (1 if text[end - 1] == "›" else len("\\<close>"))
        elif kind in ("string", "back"):
            inside, closer = begin + 1, end - 1
        elif kind == "verbatim":
            inside, closer = begin + 2, end - 2
        elif kind == "symbol" and text[begin] in '"`':
            raise refused(begin, "a string begins here and does not end")
        position = end
        if kind == "marker":
            formal_comment = True
        elif kind not in ("space", "comment"):
            if not formal_comment:
                inner = text[inside:closer]
                if kind in ("string", "back") and "\\" in inner:
                    inner = _ESCAPE.sub(lambda code: chr(int(code[1])) if code[1].isdigit() else code[1], inner)
                if kind in QUOTED:
                    inner = _without_comments(inner)
                yield SourceToken(kind, inner, begin, end, inside)
            formal_comment = False


def _without_comments(text: str) -> str:
    """Blanks in the place of comments inside a term, so that places stay what they are."""
    while found := _INNER_COMMENT.search(text):
        depth, end = 1, found.end()
        while depth and (mark := _CARTOUCHE.search(text, end)):
            depth += 1 if mark.group() in ("\\<open>", "‹") else -1
            end = mark.end()
        text = text[: found.start()] + " " * (end - found.start()) + text[end:]
    return text


def _nested(
    text: str, refused: Refused, begin: int, start: int, pattern: re.Pattern[str], openers: tuple[str, ...]
) -> int:
    """The end of the nested construct whose opener ends at `start`."""
    depth = 1
    while depth:
        found = pattern.search(text, start)
        if found is None:
            raise refused(begin, "a comment or cartouche begins here and does not end")
        depth += 1 if found.group() in openers else -1
        start = found.end()
    return start


class TokenCursor:
    """A cursor over the tokens of one file."""

    def __init__(self, text: str, path: Path) -> None:
        self._where, self._text = str(path), text
        self._source = outer_tokens(text, _PATTERN, self._refused)
        self._ahead: SourceToken | None = next(self._source, None)

    def _refused(self, place: int, what: str) -> UserError:
        line = self._text.count("\n", 0, place) + 1
        return UserError(f"{self._where}:{line}: {what}")

    @property
    def at_end(self) -> bool:
        return self._ahead is None

    def is_keyword(self, *words: str) -> bool:
        return self._ahead is not None and not self._ahead.quoted and self._ahead.text in words

    def accept(self, *words: str) -> bool:
        if self.is_keyword(*words):
            self.take()
            return True
        return False

    def take(self) -> SourceToken:
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
        return self._refused(self._ahead.start, f"{what} before {self._ahead.text[:40]!r}")
