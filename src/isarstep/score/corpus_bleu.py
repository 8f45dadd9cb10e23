"""Corpus BLEU by sacrebleu, its interval, and the test that two systems differ.

N-gram counts are kept per example and summed per theorem, so that a resample is one row of a matrix product and a
thousand take a moment.
"""

from __future__ import annotations

import math

import numpy as np
from sacrebleu.metrics.bleu import BLEU

from isarstep.model.decode.bleu import ORDER, Counts, bleu_of_sums
from isarstep.score.metrics import RESAMPLES, SEED, Clusters, Score, by_cluster, resampled


def bleu(counts: Counts, clusters: Clusters | None = None) -> Score:
    """Corpus BLEU; its interval resamples whole theorems."""
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
    grouped = by_cluster(counts, clusters)
    low, high = np.quantile(bleu_of_sums(resampled(len(grouped)) @ grouped), [0.025, 0.975])
    return Score(float(value), float(low), float(high))


def bleu_difference(left: Counts, right: Counts, clusters: Clusters | None = None) -> float:
    """p of approximate randomisation: how often do systems differ as much as these when the answers to whole theorems
    are swapped at random?"""
    if len(left) == 0:
        return 1.0
    difference = by_cluster(right - left, clusters)
    swapped = np.random.default_rng(SEED).integers(0, 2, (RESAMPLES, len(difference)))
    moved = swapped.astype(np.float64) @ difference.astype(np.float64)
    sums_left, sums_right = left.sum(0), right.sum(0)
    drawn = np.abs(bleu_of_sums(sums_left + moved) - bleu_of_sums(sums_right - moved))
    observed = abs(float(bleu_of_sums(sums_left[None])[0] - bleu_of_sums(sums_right[None])[0]))
    return float((drawn >= observed - 1e-9).sum() + 1) / (RESAMPLES + 1)
