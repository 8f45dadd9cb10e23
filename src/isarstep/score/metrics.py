"""Exact match at rank k with its interval, and the test that one system is correct more often than another.

Examples of one theorem are alike, and a model that finds one of them finds the next one more easily. Both therefore
draw theorems, not examples.

A prediction matches when its tokens are the reference's. Beside that stands the match of terms: the same term after
decoding, whatever the brackets and the numbering of its schematic variables.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from isarstep.benchmark.store.special_tokens import SPECIALS, UNK
from isarstep.isabelle.terms.equality import same_term

RESAMPLES = 1000
SWAPS = 10_000
SEED = 605

Bools = NDArray[np.bool_]
Clusters = NDArray[np.int64]  # of every example the number of its theorem

NEVER_MATCHES = SPECIALS[UNK]


@dataclass(frozen=True, slots=True)
class Score:
    """A value in percent with its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.1f} [{self.low:.1f}, {self.high:.1f}]"


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """For every example the place of its first correct prediction, from 1; 0 where none is correct."""

    exact: NDArray[np.int32]
    term: NDArray[np.int32]


def ranks(references: Sequence[str], nbests: Sequence[Sequence[str]]) -> Ranks:
    """Where each reference stands in its n-best list, by tokens and by terms."""
    exact = np.zeros(len(references), np.int32)
    term = np.zeros(len(references), np.int32)
    for i, (reference, nbest) in enumerate(zip(references, nbests, strict=True)):
        if NEVER_MATCHES in reference.split():
            continue
        place = nbest.index(reference) + 1 if reference in nbest else 0
        exact[i] = term[i] = place
        names = _names(reference)
        for earlier, prediction in enumerate(nbest[: place - 1] if place else nbest, 1):
            # Equal terms have equal names in equal order; only such candidates are worth decoding.
            if _names(prediction) == names and same_term(prediction, reference):
                term[i] = earlier
                break
    return Ranks(exact, term)


_SCHEMATIC = re.compile(r"<V[0-9]+>")


def _names(tokens: str) -> str:
    """Without brackets and numbers of schematic variables: what two token sequences of one term may differ in."""
    tokens = tokens.replace("(", "").replace(")", "").replace(" ", "")
    return _SCHEMATIC.sub("", tokens) if "<V" in tokens else tokens


def accuracy(correct: Bools, clusters: Clusters | None = None) -> Score:
    """The share of correct examples; its interval resamples whole theorems, since examples of one are alike."""
    if len(correct) == 0:
        return Score(math.nan, math.nan, math.nan)
    counts = by_cluster(np.stack([correct, np.ones_like(correct)], 1).astype(np.int64), clusters)
    right, all_of_them = (resampled(counts.shape[0]) @ counts).T
    low, high = np.quantile(right / all_of_them, [0.025, 0.975])
    return Score(100 * float(correct.mean()), 100 * float(low), 100 * float(high))


def paired_p(left: Bools, right: Bools, clusters: Clusters | None = None) -> float:
    """Two-sided p that two systems are equally often correct: how often is the difference as large when the answers to
    whole theorems are swapped at random?"""
    differences = by_cluster((left.astype(np.int64) - right)[:, None], clusters)[:, 0]
    differences = differences[differences != 0]  # a swap of equals changes nothing
    observed = abs(int(differences.sum()))
    draw = np.random.default_rng(SEED)
    as_large = 0
    for _ in range(SWAPS // RESAMPLES):  # in blocks, so that memory stays small
        signs = 2 * draw.integers(0, 2, (RESAMPLES, len(differences)), dtype=np.int8) - 1
        as_large += int((np.abs(signs.astype(np.float64) @ differences) >= observed).sum())
    return (as_large + 1) / (SWAPS + 1)


def holm(values: Sequence[float]) -> list[float]:
    """P-values of one family, corrected by Holm's rule: with m of them, the smallest m-fold, the next (m-1)-fold."""
    corrected = [0.0] * len(values)
    largest = 0.0
    for rank, place in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        largest = max(largest, min(1.0, (len(values) - rank) * values[place]))
        corrected[place] = largest
    return corrected


def by_cluster(values: NDArray[np.int64], clusters: Clusters | None) -> NDArray[np.int64]:
    """Sums of the rows of each cluster; without clusters every row stands for itself."""
    if clusters is None:
        return values
    _, place = np.unique(clusters, return_inverse=True)
    sums = np.zeros((int(place.max(initial=-1)) + 1, values.shape[1]), np.int64)
    np.add.at(sums, place, values)
    return sums


@lru_cache(maxsize=32)
def resampled(count: int) -> NDArray[np.float64]:
    """How often each of `count` clusters is drawn in each resample. In floating point products with it go through
    BLAS; all sums are far below 2^53 and therefore exact."""
    draws = np.random.default_rng(SEED).multinomial(count, np.full(count, 1 / count), RESAMPLES)
    return draws.astype(np.float64)
