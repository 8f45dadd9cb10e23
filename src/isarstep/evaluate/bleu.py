"""Corpus BLEU by sacrebleu, its interval, and the test that two systems differ.

N-gram counts are kept per example, so that a resample is one row of a matrix product and a thousand take a moment.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics.bleu import BLEU

from isarstep.decode.bleu import ORDER, Counts, bleu_of_sums
from isarstep.evaluate.metrics import RESAMPLES, SEED, Score


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
