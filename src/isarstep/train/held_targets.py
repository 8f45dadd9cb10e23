"""Training targets that are a held-out target but for the numbers of their variables.

A benchmark keeps held-out targets from training token by token. Other numbers for variables could bring them back, so
that examples with such targets keep their own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from isarstep.feed.corpus import Corpus, Dataset, ragged, starts_of

Keys = npt.NDArray[np.uint64]


def like_held_out(dataset: Dataset) -> npt.NDArray[np.bool_]:
    """Of each training example, whether its target under other numbers of variables is one of another split."""
    held = [target_keys(split, dataset.words) for name, split in dataset.splits.items() if name != "train"]
    return np.isin(target_keys(dataset.split("train"), dataset.words), np.concatenate([*held, np.zeros(0, np.uint64)]))


def target_keys(corpus: Corpus, words: Sequence[str]) -> Keys:
    """A number for each target, equal (but for a chance of 2^-64) where targets differ only in numbers of variables."""
    lengths = corpus.target_lengths()
    starts = starts_of(lengths)
    tokens = corpus.tokens[ragged(corpus.token_starts[corpus.targets], lengths)].astype(np.int64)
    variable = np.array([re.fullmatch(r"<X\d+>", word) is not None for word in words], bool)
    owner = np.repeat(np.arange(len(corpus)), lengths)
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
