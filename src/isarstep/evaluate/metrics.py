"""Exact match at rank k with its interval, and the test that one system is correct more often than another.

A prediction matches when its tokens are the reference's. Beside that stands the match of terms: the same term after
decoding, whatever the brackets and the numbering of its schematic variables.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isarstep.logic.sameness import same_term

RESAMPLES = 1000
SEED = 605

NEVER_MATCHES = "<UNK>"


@dataclass(frozen=True, slots=True)
class Score:
    """A value in percent with its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.1f} [{self.low:.1f}, {self.high:.1f}]"


@dataclass(frozen=True, slots=True)
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


def accuracy(correct: NDArray[np.bool_]) -> Score:
    """The share of correct examples with a bootstrap interval."""
    if len(correct) == 0:
        return Score(math.nan, math.nan, math.nan)
    share = float(correct.mean())
    # Resampling n Bernoulli outcomes with replacement draws their sum from a binomial: no need to draw the examples.
    draws = np.random.default_rng(SEED).binomial(len(correct), share, RESAMPLES) / len(correct)
    low, high = np.quantile(draws, [0.025, 0.975])
    return Score(100 * share, 100 * float(low), 100 * float(high))


def mcnemar(left: NDArray[np.bool_], right: NDArray[np.bool_]) -> float:
    """Exact two-sided p that two systems are equally often correct, from the examples on which they differ."""
    only_left = int((left & ~right).sum())
    only_right = int((right & ~left).sum())
    differing = only_left + only_right
    if differing == 0:
        return 1.0
    tail = sum(math.comb(differing, i) for i in range(min(only_left, only_right) + 1))
    return float(min(1.0, 2 * tail / 2**differing))
