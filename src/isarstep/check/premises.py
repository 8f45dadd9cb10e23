"""Which library facts may help: MePo's idea (Meng and Paulson), over all facts at once.

Constants of the goal are relevant; a fact's score is the weight of its relevant constants against that of the
others; the best facts of a round make their constants relevant for the next, a little less each time. Rare
constants weigh more.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from isarstep.check.facts import FactBase
from isarstep.check.monomorphise import LOGICAL

ROUNDS = 4
DECAY = 0.6  # relevance that constants of facts chosen in one round have in the next
_CONSTANT = re.compile(r"CONST (\S+)")
# What packages prove for their own use; a prover that is offered these has less room for the rest.
_INTERNAL = re.compile(
    r"\.(psimps|pelims|pinduct|pcases|induct|inducts|coinduct|cong|elims|cases|splits?|split_asm|nchotomy|transfer|rel_\w+"
    r"|pred_\w+|map_\w+|set_\w+|case_\w+|rec_\w+|size_\w+|bi_\w+|abs_induct|rep_eq|Quotient|domain\w*)$"
    r"|_(transfer|code|cong|def_raw|axioms|sumC_def|graph_def|induct\w*)$|\.typerep|\.(equal|term_of)_|_code\b|code_numeral"
)

Weights = npt.NDArray[np.float32]


def constants_of(text: str) -> set[str]:
    return {name for name in _CONSTANT.findall(text) if name not in LOGICAL}


class Relevance:
    """Scores every fact of a library for a goal in a few milliseconds."""

    def __init__(self, library: FactBase) -> None:
        self.library = library
        numbers: dict[str, int] = {}
        counts: Counter[int] = Counter()
        flat: list[int] = []
        starts = [0]
        for text in library.texts:
            row = [numbers.setdefault(name, len(numbers)) for name in constants_of(text)]
            counts.update(row)
            flat += row
            starts.append(len(flat))
        self._numbers = numbers
        self._flat = np.array(flat, np.int32)
        self._starts = np.array(starts, np.int64)
        frequency = np.array([counts[n] for n in range(len(numbers))], np.int64)
        # For every constant the facts that mention it, in order.
        fact = np.repeat(np.arange(len(library)), np.diff(self._starts))
        self._facts_of = fact[np.argsort(self._flat, kind="stable")]
        self._facts_from = [0, *np.cumsum(frequency).tolist()]
        # MePo's weight: a constant of a single fact counts about 3 times as much as one of ten thousand.
        self._offered = np.array([not _INTERNAL.search(library.theorem(n)) for n in range(len(library))], np.bool_)
        self._weight: Weights = (1 + 2 / np.log2(frequency + 1)).astype(np.float32)
        self._total = np.bincount(fact, self._weight[self._flat], len(library))

    def rank(
        self,
        goal: Iterable[str],
        premises: Iterable[str],
        size: int,
        before: int,
        exclude: Iterable[int] = (),
        also: Sequence[int] = (),
        visible: npt.NDArray[np.bool_] | None = None,
    ) -> list[int]:
        """Numbers of the `size` facts among the first `before` and `also` that look most relevant, best first; where
        `visible` is given, of those alone."""
        known = min(before, len(self.library))
        before = max(known, 1 + max(also, default=-1))
        if before == 0 or size == 0:
            return []
        relevance = np.zeros(len(self._numbers), np.float32)
        for texts, value in ((premises, 0.7), (goal, 1.0)):
            for text in texts:
                for name in constants_of(text):
                    if name in self._numbers:
                        relevance[self._numbers[name]] = value
        starts, total = self._starts, self._total[:before]
        usable = (total > 0) & self._offered[:before]
        usable[known:] &= np.isin(np.arange(known, before), also)
        if visible is not None:
            usable &= visible[:before]
        usable[[n for n in exclude if n < before]] = False
        chosen: list[int] = []
        for number in range(ROUNDS):
            gained = self._gained(relevance)[:before]
            score = np.where(usable & (gained > 0), gained / np.maximum(total, 1e-9), 0.0)
            # Small facts all of whose constants are relevant tie at 1: prefer those that say more about the goal.
            score += 1e-3 * np.minimum(gained, 20.0) * (score > 0)
            share = size - len(chosen) if number == ROUNDS - 1 else max(1, (size - len(chosen)) // 2)
            best = _largest(score, share)
            if not len(best):
                break
            chosen += best
            usable[best] = False
            if len(chosen) >= size:
                break
            picked = np.concatenate([self._flat[starts[n] : starts[n + 1]] for n in best])
            relevance[picked] = np.maximum(relevance[picked], DECAY ** (number + 1) * 0.5)
        return chosen

    def _gained(self, relevance: Weights) -> npt.NDArray[np.float64]:
        """For every fact the weight of its relevant constants; most facts have none and cost nothing."""
        relevant = np.flatnonzero(relevance)
        spans = [self._facts_of[self._facts_from[n] : self._facts_from[n + 1]] for n in relevant.tolist()]
        if not spans:
            return np.zeros(len(self.library))
        weights = np.repeat((self._weight * relevance)[relevant], [len(span) for span in spans])
        return np.bincount(np.concatenate(spans), weights, len(self.library)).astype(np.float64)


_made: WeakKeyDictionary[FactBase, Relevance] = WeakKeyDictionary()


def relevance_of(library: FactBase) -> Relevance:
    """Made once for a library, whoever asks: it looks at every fact."""
    known = _made.get(library)
    if known is None:
        known = _made[library] = Relevance(library)
    return known


def _largest(score: npt.NDArray[np.float64], count: int) -> list[int]:
    """Places of the largest positive scores, largest first, ties by place."""
    positive = np.flatnonzero(score > 0)
    if len(positive) > count:
        positive = positive[np.argpartition(-score[positive], count - 1)[:count]]
    order = np.lexsort((positive, -score[positive]))
    return [int(n) for n in positive[order]]
