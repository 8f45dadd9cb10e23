"""Numbers that are equal where propositions differ only in the names of their variables."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from isarstep.benchmark.arrays.corpus import Longs

Keys = npt.NDArray[np.uint64]


def pattern_keys(
    tokens: npt.NDArray[np.integer], starts: Longs, words: Sequence[str], variables: str = r"<X\d+>"
) -> Keys:
    """One for each of these propositions, equal (but for a chance of 2^-64) where they differ only in `variables`."""
    lengths = np.diff(starts)
    tokens = tokens.astype(np.int64)
    variable = np.array([re.fullmatch(variables, word) is not None for word in words], bool)
    owner = np.repeat(np.arange(len(lengths)), lengths)
    places = np.flatnonzero(variable[tokens])
    # Variables by first occurrence, behind all words.
    _, first, which = np.unique(owner[places] * len(words) + tokens[places], return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    order = np.argsort(first)
    owners = owner[places][first[order]]
    rank[order] = np.arange(len(first)) - np.searchsorted(owners, owners)
    tokens[places] = len(words) + rank[which]
    # Two streams: whatever the lengths of the tables, their entries are the same for every split.
    of_token, of_place = (
        np.random.default_rng(seed).integers(1, 2**63, int(most.max(initial=0)) + 1, np.uint64) | np.uint64(1)
        for seed, most in enumerate((tokens, lengths))
    )
    parts = of_token[tokens] * of_place[np.arange(len(tokens)) - np.repeat(starts[:-1], lengths)]
    parts ^= parts >> np.uint64(29)
    totals = np.concatenate([np.zeros(1, np.uint64), np.cumsum(parts * np.uint64(0x9E3779B97F4A7C15))])
    keys: Keys = totals[starts[1:]] - totals[starts[:-1]]
    return keys
