"""The one search for near duplicates: bags of tokens with a Jaccard index of 0.9 or more, all of them.

Near bags differ in few tokens, and so do their histograms over some dozens of buckets. Histograms of the bags that are
asked about lie in arrays, by size; the others, which may be many, are looked at once, and almost none has to be
compared with a bag itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt

NEAR = 0.9
APART = (1 - NEAR) / (1 + NEAR)  # of both sizes together: so much may near bags differ
SLACK = 1e-9  # nine tenths of ten are nine, also in floating point
BUCKETS = 64
TELLING = 4  # buckets that are looked at alone, one after the other, before all are


class Nearest(NamedTuple):
    """How alike, and the number of the other bag."""

    similarity: float
    other: int


def nearest_bags(bags: Sequence[Counter[str]], others: Iterable[Counter[str]]) -> list[Nearest | None]:
    """For each bag the nearest of the others, the first of equals, where it is a near duplicate."""
    best: list[Nearest | None] = [None] * len(bags)
    known = _Histograms(bags)
    for other, bag in enumerate(others):
        for number in known.candidates(bag):
            common = (bag & bags[number]).total()
            similarity = common / (bag.total() + bags[number].total() - common)
            before = best[number]
            if similarity >= NEAR and (before is None or similarity > before.similarity):
                best[number] = Nearest(similarity, other)
    return best


class _Histograms:
    """The histograms of many bags, in the order of their sizes."""

    def __init__(self, bags: Sequence[Counter[str]]) -> None:
        self._bucket: dict[str, int] = {}
        sizes = np.array([bag.total() for bag in bags], np.int32)
        self._numbers = np.argsort(sizes, kind="stable")
        self._sizes = sizes[self._numbers]
        made = [self._histogram(bags[number]) for number in self._numbers]
        self._histograms = np.array(made, np.int32).reshape(len(bags), BUCKETS)
        # Bags of one size differ most in the buckets whose share varies most.
        spread = (self._histograms / np.maximum(self._sizes, 1)[:, None]).std(0) if bags else np.zeros(BUCKETS)
        self._telling = np.argsort(-spread)[:TELLING].tolist()
        self._columns = [np.ascontiguousarray(self._histograms[:, bucket]) for bucket in self._telling]

    def _histogram(self, bag: Counter[str]) -> list[int]:
        row = [0] * BUCKETS
        for token, count in bag.items():
            bucket = self._bucket.get(token)
            if bucket is None:
                bucket = self._bucket[token] = crc32(token.encode()) % BUCKETS
            row[bucket] += count
        return row

    def candidates(self, bag: Counter[str]) -> list[int]:
        """Every bag that may be near this one, and few others."""
        size = bag.total()
        low = int(np.searchsorted(self._sizes, NEAR * size - SLACK))
        high = int(np.searchsorted(self._sizes, size / NEAR + SLACK, "right"))
        if low == high:
            return []
        own = self._histogram(bag)
        room = APART * (self._sizes[low:high] + size) + SLACK
        distance: npt.NDArray[np.int32] = np.abs(self._columns[0][low:high] - own[self._telling[0]])
        left = np.flatnonzero(distance <= room)
        distance, room = distance[left], room[left]
        for column, bucket in zip(self._columns[1:], self._telling[1:], strict=True):
            distance = distance + np.abs(column[left + low] - own[bucket])
            fits = distance <= room
            left, distance, room = left[fits], distance[fits], room[fits]
        if not len(left):
            return []
        left = left[np.abs(self._histograms[left + low] - own).sum(1) <= room]
        found: list[int] = self._numbers[left + low].tolist()
        return found
