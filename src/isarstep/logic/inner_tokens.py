"""A text cut into tokens as Isabelle's inner syntax does it: the longest delimiter or name wins, delimiters first."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from isarstep.logic.readerror import MAX_TOKENS, ReadError

_LETTER = "A-Za-zα-κμ-ωΑ-Ω𝒜-𝓏ℬℰℱℋℐℒℳℛ𝔄-𝔷ℭℌℜℨ𝖠-𝗓𝔸-𝕫ℂℍℕℙℚℝℤ"
_SUB = rf"(?:⇩[{_LETTER}0-9])"
_IDENT = rf"_*[{_LETTER}](?:[{_LETTER}0-9_']|{_SUB})*"
_TOKEN = re.compile(
    rf"(?P<blank>\s+)"
    rf"|(?P<schematic>\?{_IDENT}(?:\.[0-9]+)?)"
    rf"|(?P<tvar>\?'{_IDENT}(?:\.[0-9]+)?)"
    rf"|(?P<str>''(?:[^'\\]|\\.|'(?!'))*'')"
    rf"|(?P<tid>'{_IDENT})"
    rf"|(?P<name>{_IDENT}(?:\.{_IDENT})*)"
    rf"|(?P<float>[0-9]+\.[0-9]+)"
    rf"|(?P<number>0[xb][0-9a-fA-F]+|[0-9]+)"
    rf"|(?P<symbol>\\<\^?[A-Za-z0-9_]+>|.)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class InnerTokens:
    """Parallel lists; the last entry is the end. Kinds: delimiter, name, schematic, tid, tvar, number, float, str."""

    kinds: list[str]
    texts: list[str]
    starts: list[int]


class Lexicon:
    """The delimiters of a context."""

    def __init__(self, delimiters: Iterable[str]) -> None:
        self.words: set[str] = set()
        lengths: dict[str, set[int]] = {}
        for delimiter in delimiters:
            self.words.add(delimiter)
            lengths.setdefault(delimiter[0], set()).add(len(delimiter))
        self._lengths = {first: sorted(found, reverse=True) for first, found in lengths.items()}

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
            size = len(token) if kind != "symbol" else 0
            for length in lengths.get(text[position], ()):
                if length < size:
                    break
                if text[position : position + length] in words:
                    kind, token = "delimiter", text[position : position + length]
                    break
            if kind == "symbol" or kind is None:
                raise ReadError(position, token, "a name, a number or a symbol of the notation")
            kinds.append(kind)
            texts.append(token)
            starts.append(position)
            position += len(token)
            if len(kinds) > MAX_TOKENS:
                raise ReadError(position, token, f"the end: a formula has at most {MAX_TOKENS} names and symbols")
        kinds.append("end")
        texts.append("")
        starts.append(end)
        return InnerTokens(kinds, texts, starts)
