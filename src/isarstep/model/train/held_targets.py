"""Training targets that are a held-out target but for the numbers of their variables.

A benchmark keeps held-out targets from training token by token. Other numbers for variables could bring them back, so
that examples with such targets keep their own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from isarstep.benchmark.arrays.corpus import Corpus, Dataset, ragged, starts_of
from isarstep.benchmark.arrays.pattern_keys import Keys, pattern_keys


def like_held_out(dataset: Dataset) -> npt.NDArray[np.bool_]:
    """Of each training example, whether its target under other numbers of variables is one of another split."""
    held = [target_keys(split, dataset.words) for name, split in dataset.splits.items() if name != "train"]
    return np.isin(target_keys(dataset.split("train"), dataset.words), np.concatenate([*held, np.zeros(0, np.uint64)]))


def target_keys(corpus: Corpus, words: Sequence[str]) -> Keys:
    """A number for each target, equal (but for a chance of 2^-64) where targets differ only in numbers of variables."""
    lengths = corpus.target_lengths()
    starts = starts_of(lengths)
    tokens = corpus.tokens[ragged(corpus.token_starts[corpus.targets], lengths)]
    return pattern_keys(tokens, starts, words)
