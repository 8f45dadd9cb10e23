"""The fact base: the library's theorems in order, with typed propositions made only for those that are asked for.

A fact may be used for a step only if it comes before the step's theorem. Theories are ordered, each after its
parents. Inside a theory facts stand in order of declaration, or by name in older fact bases; then the order is
unknown, and of a step's own theory only facts that the example itself names are used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Protocol

from isarstep.check.monomorphise import Named
from isarstep.logic.abbreviations import expand
from isarstep.logic.signature import Signature
from isarstep.logic.terms import Term
from isarstep.logic.tokens import encode_line


class FactBase(Protocol):
    """What the relevance filter and the checker ask of a library."""

    def __len__(self) -> int: ...

    @property
    def texts(self) -> Sequence[str]:
        """Tokens of each fact, in library order."""

    def fact(self, number: int) -> Named:
        """Name and typed proposition, abbreviations unfolded."""

    def before(self, theory: str, theorem: str = "") -> int:
        """Facts with smaller numbers come before this theorem, or at least before its theory; 0: it is unknown."""

    def theorem(self, number: int) -> str:
        """Full name of the theorem that a fact belongs to."""

    def find(self, text: str) -> Sequence[int]:
        """The facts with exactly these tokens."""

    def alike(self, text: str) -> Sequence[int]:
        """The facts with these tokens up to the names of variables, free or schematic."""


_VARIABLE = re.compile(r"(?:FREE|VAR) \S+")


def _digest(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")


class Library:
    """A fact base from columns. `typed` makes the typed term of a row; the most recent ones are kept."""

    def __init__(
        self,
        names: Sequence[str],
        indices: Sequence[int],
        theories: Sequence[str],
        texts: Sequence[str],
        typed: Callable[[int], Term],
        signature: Signature,
    ) -> None:
        self.texts: Sequence[str] = texts
        self._names, self._indices = names, indices
        self._first: dict[str, int] = {}
        self._declared: dict[tuple[str, str], int] = {}
        for number, theory in enumerate(theories):
            self._first.setdefault(theory, number)
            self._declared.setdefault((theory, names[number]), number)
        pairs = zip(theories, theories[1:], names, names[1:], strict=False)
        self._ordered = any(same == theory and name > after for same, theory, name, after in pairs)
        self._by_text: dict[int, list[int]] = {}
        self._by_pattern: dict[int, list[int]] = {}
        for number, text in enumerate(texts):
            self._by_text.setdefault(_digest(text), []).append(number)
            self._by_pattern.setdefault(_digest(_VARIABLE.sub("_", text)), []).append(number)

        def fact(number: int) -> Named:
            index = self._indices[number]
            name = f"{names[number]}({index})" if index else names[number]
            return Named(name, expand(typed(number), signature))

        self.fact: Callable[[int], Named] = lru_cache(maxsize=20_000)(fact)

    def __len__(self) -> int:
        return len(self.texts)

    def before(self, theory: str, theorem: str = "") -> int:
        start = self._first.get(theory, 0)
        return self._declared.get((theory, theorem), start) if self._ordered else start

    def theorem(self, number: int) -> str:
        return self._names[number]

    def find(self, text: str) -> Sequence[int]:
        return [n for n in self._by_text.get(_digest(text), ()) if self.texts[n] == text]

    def alike(self, text: str) -> Sequence[int]:
        return self._by_pattern.get(_digest(_VARIABLE.sub("_", text)), [])

    @staticmethod
    def of_lemmas(lemmas: Iterable[tuple[str, Named]], signature: Signature) -> Library:
        """A small library held in memory: (theory, typed lemma) in order."""
        rows = list(lemmas)
        return Library(
            [named.name for _, named in rows],
            [0] * len(rows),
            [theory for theory, _ in rows],
            [encode_line(named.prop) for _, named in rows],
            lambda number: rows[number][1].prop,
            signature,
        )

    @staticmethod
    def of_benchmark(benchmark: Any) -> Library:
        """The fact base of a benchmark folder."""
        from isarstep.bench.facts import general_types, typed
        from isarstep.logic.tokens import decode
        from isarstep.logic.typestrings import parse_type

        table = benchmark.facts
        general = general_types(benchmark.signature)
        types = table["types"].to_pylist()
        texts = [benchmark.propositions[n] for n in table["proposition"].to_pylist()]
        parsed = lru_cache(maxsize=None)(lambda number: parse_type(benchmark.types[number]))

        def term(number: int) -> Term:
            return typed(decode(texts[number]), [parsed(n) for n in types[number]], general)

        return Library(
            table["name"].to_pylist(),
            table["index"].to_pylist(),
            table["theory"].to_pylist(),
            texts,
            term,
            benchmark.signature,
        )
