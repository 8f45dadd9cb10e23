"""Corpus BLEU as sacrebleu computes it (tokens as given), its interval, and the test that two systems differ.

N-gram counts are kept per example, so that a resample is one row of a matrix product and a thousand take a moment.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics.bleu import BLEU

from isarstep.evaluate.metrics import RESAMPLES, SEED, Score

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


def bleu(counts: Counts) -> Score:
    """Corpus BLEU with a bootstrap interval over examples."""
    if len(counts) == 0:
        return Score(math.nan, math.nan, math.nan)
    sums = counts.sum(0)
    value = BLEU.compute_bleu(
        correct=sums[:ORDER].tolist(),
        total=sums[ORDER : 2 * ORDER].tolist(),
        sys_len=int(sums[-2]),
        ref_len=int(sums[-1]),
        smooth_method="exp",
    ).score
    draws = np.random.default_rng(SEED).multinomial(len(counts), np.full(len(counts), 1 / len(counts)), RESAMPLES)
    low, high = np.quantile(bleu_of_sums(_product(draws, counts)), [0.025, 0.975])
    return Score(float(value), float(low), float(high))


def bleu_difference(left: Counts, right: Counts) -> float:
    """p of approximate randomisation: how often do systems with answers swapped at random differ as much as these?"""
    if len(left) == 0:
        return 1.0
    difference = right - left
    swapped = np.random.default_rng(SEED).integers(0, 2, (RESAMPLES, len(left)))
    moved = _product(swapped, difference)
    sums_left, sums_right = left.sum(0), right.sum(0)
    drawn = np.abs(bleu_of_sums(sums_left + moved) - bleu_of_sums(sums_right - moved))
    observed = abs(float(bleu_of_sums(sums_left[None])[0] - bleu_of_sums(sums_right[None])[0]))
    return float((drawn >= observed - 1e-9).sum() + 1) / (RESAMPLES + 1)


def _product(weights: NDArray[np.int64], counts: Counts) -> NDArray[np.float64]:
    # In floating point the product goes through BLAS; all sums are far below 2^53 and therefore exact.
    return weights.astype(np.float64) @ counts.astype(np.float64)


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
