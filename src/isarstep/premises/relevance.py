"""Which library facts may help: those that speak of the same things, rare ones above all, and that others have used.

A fact's score is the cosine between its constants and those of the question, each weighted by how rare it is in the
context where the question is asked, and a little more for every fact that training examples name as used. On validation
steps this finds the facts that people used far more often than rounds of growing relevance (Meng and Paulson's), which
stood here before; research/LOG.md has the numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from isarstep.common.memo import memo
from isarstep.isabelle.context.monomorphisation import LOGICAL
from isarstep.premises.fact_base import Library

USED = 0.1  # that a fact gains for each e-fold of its uses
CONTEXTS = 4  # whose weights are kept; examples come theory by theory
_CONSTANT = re.compile(r"CONST (\S+)")
# What packages prove for their own use; a prover that is offered these has less room for the rest.
_INTERNAL = re.compile(
    r"\.(psimps|pelims|pinduct|pcases|induct|inducts|coinduct|cong|elims|cases|splits?|split_asm|nchotomy|transfer|rel_\w+"
    r"|pred_\w+|map_\w+|set_\w+|case_\w+|rec_\w+|size_\w+|bi_\w+|abs_induct|rep_eq|Quotient|domain\w*)$"
    r"|_(transfer|code|cong|def_raw|axioms|sumC_def|graph_def|induct\w*)$|\.typerep|\.(equal|term_of)_|_code\b|code_numeral"
)

Numbers = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]


def constants_of(text: str) -> dict[str, None]:
    """The constants that say what a proposition is about, in order."""
    return dict.fromkeys(name for name in _CONSTANT.findall(text) if name not in LOGICAL)


@dataclass(frozen=True, slots=True, eq=False)
class _Mentions:
    """Who mentions what: `constant[i]` stands in the fact `facts[owner[i]]`."""

    facts: Numbers
    factor: Scores  # of a fact, for how often it was used; 0: it is offered to nobody
    constant: Numbers
    owner: Numbers


class Relevance:
    """Scores the facts of some theories for a question in a few milliseconds. Theories are looked at when they are
    first asked about."""

    def __init__(self, library: Library, used: float = USED) -> None:
        self.library, self._used = library, used
        self._numbers: dict[str, int] = {}
        self._of_theory = lru_cache(maxsize=None)(lambda theory: self._mentions(library.of_theory(theory)))
        self._weighed = lru_cache(maxsize=CONTEXTS)(self._weigh)

    def rank(
        self,
        texts: Iterable[str],
        size: int,
        before: int,
        exclude: Iterable[int] = (),
        also: Sequence[int] = (),
        theories: frozenset[str] | None = None,
    ) -> list[int]:
        """Numbers of the `size` facts among the first `before` and `also` that look most useful for these
        propositions, best first; where `theories` are given, of those alone."""
        facts, score = self.scores({name for text in texts for name in constants_of(text)}, theories)
        usable = (facts < before) | np.isin(facts, np.fromiter(also, np.int64))
        usable &= ~np.isin(facts, np.fromiter(exclude, np.int64))
        return [int(n) for n in facts[largest_scores(score, usable & (score > 0), size)]]

    def scores(self, constants: Iterable[str], theories: frozenset[str] | None = None) -> tuple[Numbers, Scores]:
        """The facts of these theories, or all, in order, and how near each is to a question about these constants."""
        mentions, weight, factor = self._weighed(theories)
        asked = np.zeros(len(weight), np.float64)
        names = {each for name in constants for each in self.library.meaning(name)}
        numbers = [n for n in map(self._numbers.get, names) if n is not None and n < len(asked)]
        asked[numbers] = weight[numbers] ** 2
        shared = np.flatnonzero(asked[mentions.constant])
        gained = asked[mentions.constant[shared]]
        return mentions.facts, np.bincount(mentions.owner[shared], gained, len(mentions.facts)) * factor

    def _weigh(self, theories: frozenset[str] | None) -> tuple[_Mentions, Scores, Scores]:
        """The facts of some theories, what constants weigh there, and what makes a sum of weights a fact's score."""
        self.library.read(theories)
        mentions = self._mentions(np.arange(len(self.library))) if theories is None else self._joined(sorted(theories))
        count = len(mentions.facts)
        frequency = np.bincount(mentions.constant, minlength=len(self._numbers))
        weight = np.log(max(count, 1) / np.maximum(frequency, 1)) + 1e-3  # what all mention is no reason to refuse
        norm = np.sqrt(np.bincount(mentions.owner, weight[mentions.constant] ** 2, count))
        return mentions, weight, mentions.factor / np.maximum(norm, 1e-9)

    def _joined(self, theories: Iterable[str]) -> _Mentions:
        """Of several theories, facts in order."""
        parts = [self._of_theory(theory) for theory in theories]
        factor = np.concatenate([np.zeros(0), *(part.factor for part in parts)])
        constant = np.concatenate([np.zeros(0, np.int64), *(part.constant for part in parts)])
        facts, order, owner = joined_in_order([(part.facts, part.owner) for part in parts])
        return _Mentions(facts, factor[order], constant, owner)

    def _about(self, text: str) -> list[str]:
        """The constants of a fact, abbreviations unfolded, in an order of their own."""
        found: set[str] = set().union(*map(self.library.meaning, constants_of(text)))
        return sorted(found - LOGICAL)

    def _mentions(self, facts: Numbers) -> _Mentions:
        rows = [self._about(self.library.texts[n]) for n in facts.tolist()]
        constant = [self._numbers.setdefault(name, len(self._numbers)) for row in rows for name in row]
        owner = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
        uses = self.library.uses[facts]
        own = np.array([bool(_INTERNAL.search(self.library.theorem(n))) for n in facts.tolist()], np.bool_)
        factor = np.where(own & (uses == 0), 0.0, 1 + self._used * np.log1p(uses))
        return _Mentions(facts, factor, np.array(constant, np.int64), owner)


def joined_in_order(parts: Sequence[tuple[Numbers, Numbers]]) -> tuple[Numbers, Numbers, Numbers]:
    """The facts of several theories as one list, where each of them stood before, and whose is what stands in them."""
    facts = np.concatenate([np.zeros(0, np.int64), *(facts for facts, _ in parts)])
    begins = np.cumsum([0, *(len(facts) for facts, _ in parts)]).tolist()
    owners = [owner + begin for (_, owner), begin in zip(parts, begins, strict=False)]
    order = np.argsort(facts, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return facts[order], order, place[np.concatenate([np.zeros(0, np.int64), *owners])]


def relevance_of(library: Library) -> Relevance:
    """Made once for a library, whoever asks: it looks at every fact."""
    return memo(library, Relevance)


def largest_scores(score: npt.NDArray[Any], usable: npt.NDArray[np.bool_], count: int) -> Numbers:
    """Places of the largest of these scores, largest first, ties by place."""
    places = np.flatnonzero(usable)
    if len(places) > count:
        places = places[np.argpartition(-score[places], count - 1)[:count]] if count else places[:0]
    return places[np.lexsort((places, -score[places]))]
