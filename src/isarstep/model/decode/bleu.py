"""Corpus BLEU as sacrebleu computes it (tokens as given), from n-gram counts that are kept per example.

Reported numbers come from sacrebleu. This is the same for many sums of counts at once, and for a machine that only
trains and has no sacrebleu; a test compares the two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

ORDER = 4
Counts = NDArray[np.int64]  # one row an example: matches of 1..4-grams, n-grams written, tokens written, tokens wanted


def ngram_counts(references: Sequence[str], best: Sequence[str]) -> Counts:
    """What BLEU needs to know about each example."""
    rows = np.zeros((len(references), 2 * ORDER + 2), np.int64)
    for row, reference, prediction in zip(rows, references, best, strict=True):
        wanted, written = reference.split(), prediction.split()
        row[2 * ORDER], row[2 * ORDER + 1] = len(written), len(wanted)
        for n in range(1, ORDER + 1):
            total = row[ORDER + n - 1] = max(len(written) - n + 1, 0)
            if prediction == reference:
                row[n - 1] = total
                continue
            found = Counter(zip(*(written[i:] for i in range(n)), strict=False))
            known = Counter(zip(*(wanted[i:] for i in range(n)), strict=False))
            row[n - 1] = sum(min(count, known[gram]) for gram, count in found.items() if gram in known)
    return rows


def bleu_of_sums(sums: NDArray[np.float64] | Counts) -> NDArray[np.float64]:
    """BLEU of every row of summed counts, with sacrebleu's exponential smoothing."""
    correct, total = sums[:, :ORDER].astype(np.float64), sums[:, ORDER : 2 * ORDER].astype(np.float64)
    written, wanted = sums[:, -2].astype(np.float64), sums[:, -1].astype(np.float64)
    halvings = np.cumsum((correct == 0) & (total > 0), axis=1)
    precision = np.where(correct > 0, correct, 0.5**halvings) / np.maximum(total, 1)
    score = np.exp(np.log(precision).mean(axis=1))
    with np.errstate(divide="ignore", over="ignore"):
        brevity = np.where(written >= wanted, 1.0, np.exp(1 - wanted / np.maximum(written, 1)))
    # As in sacrebleu: nothing matched, or no n-grams of some order were written, is no score at all.
    return np.where((total > 0).all(axis=1) & (correct > 0).any(axis=1), 100 * brevity * score, 0.0)
