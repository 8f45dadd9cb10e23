"""Finds library facts by pieces of their names, by constants and by a pattern, among hundreds of thousands.

Names and tokens stay in Arrow's arrays; an index from constants to facts makes everything but the comparison of terms
independent of the size of the library. It takes seconds to make, so it is made when a constant is first asked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from isarstep.benchmark.store.show_owner import is_instance
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.isabelle.terms.hol import dest_trueprop
from isarstep.isabelle.terms.terms import Free, Term, Var, constants, loose, subterms
from isarstep.isabelle.terms.tokens import decode

# What it is worth that a word is a piece of the name, all between two _ of it, a constant, the name or its definition.
NAMED, WORD, MENTIONED, WHOLE_NAME = 2, 1, 3, 2
HERE, RENOWN = 3, 0.5  # that a fact is of these theories, and each e-fold of its uses over its length
MOST_COMPARED = 600  # facts whose terms are compared with a pattern: a tenth of a second


@dataclass(frozen=True)
class Sought:
    """All of it must fit."""

    words: tuple[str, ...] = ()  # in lower case, pieces of the full name
    constants: tuple[str, ...] = ()  # full names, or ends of them
    pattern: Term | None = None


@dataclass(frozen=True)
class SearchWord:
    """A word that somebody looks for: a piece of a name, or one of these constants."""

    text: str  # in lower case
    constants: tuple[str, ...] = ()  # full names


@dataclass(frozen=True)
class FoundFact:
    name: str
    theory: str
    tokens: str


@dataclass(frozen=True)
class FoundFacts:
    facts: list[FoundFact] = field(hash=False)
    total: int  # that fit, in these theories
    elsewhere: int  # that fit but for the theory; a pattern is not compared there
    not_compared: int  # that may fit the pattern: there was no time to look
    theory_elsewhere: str = ""  # of such a fact


class FactSearch:
    """The facts of one benchmark."""

    def __init__(self, benchmark: Benchmark) -> None:
        if not benchmark.has_facts:
            raise UserError(f"{benchmark.folder}: this benchmark has no fact base")
        self._benchmark = benchmark
        table = benchmark.facts
        self._names = table["name"].combine_chunks().cast(pa.large_string())
        self._lower = pc.utf8_lower(self._names)
        self._indices = table["index"].to_numpy()
        theories = table["theory"].combine_chunks().dictionary_encode()
        self._theories: list[str] = theories.dictionary.to_pylist()
        self._theory = theories.indices.to_numpy()
        texts = pa.concat_arrays(list(benchmark.propositions.blocks()))
        self._texts = texts.take(table["proposition"].combine_chunks())
        self._length = pc.count_substring(self._texts, " ").to_numpy() + 1

    @cached_property
    def _mentioning(self) -> dict[str, npt.NDArray[Any]]:
        """For every constant the facts that mention it."""
        encoded = pc.split_pattern(self._texts, " ").flatten().dictionary_encode()
        numbers, words = encoded.indices.to_numpy(), encoded.dictionary.to_pylist()
        marks = np.flatnonzero(numbers == words.index("CONST")) if "CONST" in words else np.zeros(0, np.int64)
        fact = np.repeat(np.arange(len(self._length)), self._length)[marks]
        constant = numbers[marks + 1]
        # One number for each pair, so that a plain sort groups the facts of each constant.
        pairs = np.unique(constant.astype(np.int64) * len(self) + fact)
        known, starts = np.unique(pairs // max(len(self), 1), return_index=True)
        ends = np.append(starts[1:], len(pairs))
        facts = pairs % max(len(self), 1)
        return {words[n]: facts[a:b] for n, a, b in zip(known, starts, ends, strict=True)}

    @cached_property
    def _renown(self) -> npt.NDArray[np.float64]:
        """How well a fact serves: often used, and short."""
        return np.asarray(np.log1p(uses_in_training(self._benchmark)) - np.log(self._length))

    @cached_property
    def _by_end(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name in self._mentioning:
            found.setdefault(name.rpartition(".")[2], []).append(name)
        return found

    @property
    def knows_constants(self) -> bool:
        """Is the index there? Until then only names are searched quickly."""
        return "_by_end" in self.__dict__

    def index(self) -> None:
        """Make it now."""
        self._renown  # noqa: B018
        self._by_end  # noqa: B018

    def __len__(self) -> int:
        return len(self._names)

    def find(self, sought: Sought, theories: frozenset[str] | None, count: int) -> FoundFacts:
        """The shortest facts that fit, of these theories; None: of all."""
        fitting = np.ones(len(self), np.bool_)
        for name in sought.constants:
            fitting &= self._mentions(self.meanings(name))
        if sought.pattern is not None:
            for name in {constant.name for constant in constants(sought.pattern)} - {"HOL.Trueprop"}:
                fitting &= self._mentions([name])
        for word in sought.words:  # last, and of what is left: every name is looked at
            left = np.flatnonzero(fitting)
            names = self._lower if len(left) == len(self) else self._lower.take(pa.array(left))
            fitting[left] = pc.match_substring(names, word).to_numpy(zero_copy_only=False)
        here = fitting & self._in(theories)
        order = np.flatnonzero(here)
        order = order[np.argsort(self._length[order], kind="stable")]
        not_compared = 0
        if sought.pattern is not None:
            not_compared = max(0, len(order) - MOST_COMPARED)
            pattern = dest_trueprop(sought.pattern) or sought.pattern
            order = self._instances(pattern, order[:MOST_COMPARED])
        total = len(order)
        others = np.flatnonzero(fitting & ~here)
        theory = self._theories[self._theory[others[np.argmin(self._length[others])]]] if len(others) else ""
        return FoundFacts([self._fact(int(n)) for n in order[:count]], total, len(others), not_compared, theory)

    def ranked(
        self, words: Sequence[SearchWord], pattern: Term | None, theories: frozenset[str] | None, count: int
    ) -> FoundFacts:
        """The facts that fit most of the words, best first: instances of the pattern, then those whose name is the
        word, that mention the constant, that have it in their name, that are of these theories, that proofs use often
        and that are short, all of it together.
        """
        fits, score = np.zeros(len(self), np.int32), np.zeros(len(self), np.int32)
        for word in words:
            named = pc.match_substring(self._lower, word.text).to_numpy(zero_copy_only=False)
            near = np.flatnonzero(named)  # the others need no closer look
            whole, bounded = np.zeros_like(named), np.zeros_like(named)
            names = self._lower.take(pa.array(near))
            text = re.escape(word.text)
            # Of a theory or a class: what a locale calls so is one fact of many.
            own = rf"^[^.]+(\.[^.]+_class)?\.{text}(_def)?$"
            whole[near] = pc.match_substring_regex(names, own).to_numpy(zero_copy_only=False)
            bounded[near] = pc.match_substring_regex(names, rf"[._]{text}([._]|$)").to_numpy(zero_copy_only=False)
            about = self._mentions(word.constants) if word.constants and self.knows_constants else np.zeros_like(named)
            fits += named | about
            score += NAMED * named + WORD * bounded + WHOLE_NAME * whole + MENTIONED * about
        best = int(fits.max(initial=0))
        order = np.flatnonzero(fits == best) if best else np.zeros(0, np.int64)
        here = self._in(theories)
        value = score[order] + HERE * here[order] + RENOWN * self._renown[order]
        order = order[np.argsort(-value, kind="stable")]
        if pattern is not None and len(order):
            instances = {*self._instances(pattern, order[:MOST_COMPARED]).tolist()}
            order = np.array(sorted(order.tolist(), key=lambda n: n not in instances), np.int64)
        return FoundFacts([self._fact(int(n)) for n in order[:count]], len(order), int((~here[order]).sum()), 0)

    def meanings(self, name: str) -> Sequence[str]:
        """The constants that a name, or an end of one, may mean."""
        if name in self._mentioning:
            return [name]
        return [full for full in self._by_end.get(name.rpartition(".")[2], ()) if full.endswith("." + name)]

    def _mentions(self, names: Sequence[str]) -> npt.NDArray[np.bool_]:
        found = np.zeros(len(self), np.bool_)
        for name in names:
            found[self._mentioning.get(name, [])] = True
        return found

    def _in(self, theories: frozenset[str] | None) -> npt.NDArray[np.bool_]:
        if theories is None:
            return np.ones(len(self), np.bool_)
        known = [number for number, name in enumerate(self._theories) if name in theories]
        return np.isin(self._theory, known)

    def _instances(self, pattern: Term, facts: npt.NDArray[Any]) -> npt.NDArray[Any]:
        general = isinstance(pattern, Free | Var)
        kept = [n for n in facts.tolist() if general or _occurs(pattern, decode(self._texts[n].as_py()))]
        return np.array(kept, np.int64)

    def _fact(self, number: int) -> FoundFact:
        index = int(self._indices[number])
        name = self._names[number].as_py()
        shown = f"{name}({index})" if index else name
        return FoundFact(shown, self._theories[self._theory[number]], self._texts[number].as_py())


def uses_in_training(benchmark: Benchmark) -> npt.NDArray[np.int64]:
    """For every fact how many training examples say that their target uses it."""
    counted = pc.value_counts(pc.list_flatten(benchmark.table("train", ["f5"])["f5"].combine_chunks()))
    uses = np.zeros(len(benchmark.propositions), np.int64)
    uses[counted.field(0).to_numpy()] = counted.field(1).to_numpy()
    numbers: npt.NDArray[np.int64] = benchmark.facts["proposition"].to_numpy()
    return uses[numbers]


def _occurs(pattern: Term, term: Term) -> bool:
    """Is some part of the term an instance of the pattern? Parts under binders count where they are closed."""
    return any(not loose(part) and is_instance(part, pattern) for part in subterms(term))
