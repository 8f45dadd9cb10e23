"""Which examples stay, and in which split: functions on columns of numbers.

Every rule is monotone: what one part of a corpus removes, the whole corpus removes too. So a finished benchmark can
grow without the examples that it once dropped. For this reason the whole held-out bands count as held out, reserve too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

Column: TypeAlias = np.ndarray[Any, np.dtype[Any]]

TRAIN, VALIDATION, TEST = range(3)
HELD_OUT_SHARE = 0.05  # of theorems, for validation and for test each
SCORED = 5_000


def band_of(theorem: str) -> int:
    """The split of a theorem, by its identity alone."""
    place = int(theorem[:8], 16) / 2**32
    return TRAIN if place < 1 - 2 * HELD_OUT_SHARE else VALIDATION if place < 1 - HELD_OUT_SHARE else TEST


@dataclass(frozen=True)
class Columns:
    """What the rules look at, one row an example, in canonical order."""

    band: Column  # TRAIN, VALIDATION, TEST
    identifier: Column  # the id as a number
    key: Column  # equal for equal F.1-F.5
    renamed: Column  # equal for examples that differ in variables only
    target: Column  # proposition number of F.1
    copies: Column


@dataclass(frozen=True)
class Decision:
    """Row numbers of each split in canonical order, how often each kept row was found, and what was dropped why."""

    splits: Mapping[str, Column]
    copies: Column  # aligned with the input; meaningful for kept rows
    held_out: int
    duplicates: int


def decide(columns: Columns, scored: int = SCORED) -> Decision:
    """Apply the rules that need the whole corpus."""
    first, copies = _distinct(columns)
    held = first[columns.band[first] != TRAIN]
    train = first[columns.band[first] == TRAIN]
    leaking = np.isin(columns.target[train], columns.target[held])
    leaking |= np.isin(columns.renamed[train], columns.renamed[held])
    held_out = int(copies[train[leaking]].sum())
    train = train[~leaking]
    splits = {"train": train}
    reserve = []
    for name, band in (("validation", VALIDATION), ("test", TEST)):
        members = held[columns.band[held] == band]
        by_hash = members[np.argsort(columns.identifier[members], kind="stable")]
        splits[name] = np.sort(by_hash[:scored])
        reserve.append(by_hash[scored:])
    splits["reserve"] = np.sort(np.concatenate(reserve))
    kept = np.concatenate(list(splits.values()))
    return Decision(splits, copies, held_out, int((copies[kept] - 1).sum()))


def _distinct(columns: Columns) -> tuple[Column, Column]:
    """The first row of each example in each band, and for it the number of its copies."""
    # Two bands may hold the same example; it is told apart by adding the band to the key.
    key = columns.key ^ (columns.band.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    copies = np.zeros(len(key), np.int64)
    copies[first] = np.bincount(group, weights=columns.copies, minlength=len(first)).astype(np.int64)
    return np.sort(first), copies
