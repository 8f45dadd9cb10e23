"""A text cut into tokens as Isabelle's inner syntax does it: the longest delimiter or name wins, delimiters first."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from isarstep.isabelle.terms.read_error import MAX_TOKENS, ReadError

LETTER = "A-Za-zα-κμ-ωΑ-Ω𝒜-𝓏ℬℰℱℋℐℒℳℛ𝔄-𝔷ℭℌℜℨ𝖺-𝗓"
_ALONE = "𝔸-𝕫ℂℍℕℙℚℝℤ"  # no letters for Isabelle: never a part of a longer name
_SUB = rf"(?:⇩[{LETTER}0-9])"
_IDENT = rf"_*[{LETTER}](?:[{LETTER}0-9_']|{_SUB})*"
_TOKEN = re.compile(
    rf"(?P<blank>\s+)"
    rf"|(?P<schematic>\?{_IDENT}(?:\.[0-9]+)?)"
    rf"|(?P<tvar>\?'{_IDENT}(?:\.[0-9]+)?)"
    rf"|(?P<str>''(?:[^'\\]|\\.|'(?!'))*'')"
    rf"|(?P<tid>'{_IDENT})"
    rf"|(?P<name>{_IDENT}(?:\.{_IDENT})*|[{_ALONE}])"
    rf"|(?P<float>[0-9]+\.[0-9]+)"
    rf"|(?P<number>0[xb][0-9a-fA-F]+|[0-9]+)"
    rf"|(?P<symbol>\\<\^?[A-Za-z0-9_]+>|.)",
    re.DOTALL,
)

# What textbooks write, and the delimiter that it stands for in a context that gives it no meaning of its own.
_TEXTBOOK = {"∣": "dvd", "∷": "::", "∅": "{}", "⇔": "⟷", "↔": "⟷", "⇧-⇧1": "¯"}


@dataclass(frozen=True, slots=True)
class InnerTokens:
    """Parallel lists; the last entry is the end. Kinds: delimiter, name, schematic, tid, tvar, number, float, str."""

    kinds: list[str] = field(hash=False)
    texts: list[str] = field(hash=False)
    starts: list[int] = field(hash=False)


class Lexicon:
    """The delimiters of a context."""

    def __init__(self, delimiters: Iterable[str]) -> None:
        self.words: set[str] = set()
        lengths: dict[str, set[int]] = {}
        for delimiter in delimiters:
            self.words.add(delimiter)
            lengths.setdefault(delimiter[0], set()).add(len(delimiter))
        self._lengths = {first: sorted(found, reverse=True) for first, found in lengths.items()}
        self._textbook = {
            sign: meant for sign, meant in _TEXTBOOK.items() if meant in self.words and sign not in self.words
        }

    def scan(self, text: str) -> InnerTokens:
        kinds: list[str] = []
        texts: list[str] = []
        starts: list[int] = []
        match_at, words, lengths = _TOKEN.match, self.words, self._lengths
        position, end = 0, len(text)
        while position < end:
            match = match_at(text, position)
            assert match is not None  # a single character always does
            kind, token = match.lastgroup, match[0]
            if kind == "blank":
                position = match.end()
                continue
            least = len(token) if kind != "symbol" else 0
            for length in lengths.get(text[position], ()):
                if length < least:
                    break
                if text[position : position + length] in words:
                    kind, token = "delimiter", text[position : position + length]
                    break
            size = len(token)
            if kind == "symbol":
                size, token = self._of_textbooks(text, position, token)
                kind = "delimiter"
            assert kind is not None
            kinds.append(kind)
            texts.append(token)
            starts.append(position)
            position += size
            if len(kinds) > MAX_TOKENS:
                raise ReadError(position, token, f"the end: a formula has at most {MAX_TOKENS} names and symbols")
        kinds.append("end")
        texts.append("")
        starts.append(end)
        return InnerTokens(kinds, texts, starts)

    def _of_textbooks(self, text: str, position: int, found: str) -> tuple[int, str]:
        """The length of a sign that the context does not know, and what it stands for."""
        for sign, meant in self._textbook.items():
            if text.startswith(sign, position):
                return len(sign), meant
        raise ReadError(position, found, "a name, a number or a symbol of the notation")
