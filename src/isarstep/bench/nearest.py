"""The one search for near duplicates: bags of tokens with a Jaccard index of 0.9 or more, all of them.

Of two such bags the rarest tenths have an element in common. The bags that are asked about are indexed by theirs, so
that almost none of the others, which may be many and are looked at once, has to be compared.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

NEAR = 0.9
SLACK = 1e-9  # nine tenths of ten are nine, also in floating point


class Nearest(NamedTuple):
    """How alike, and the number of the other bag."""

    similarity: float
    other: int


class _Entry(NamedTuple):
    """A bag that has an element among its rarest: at which place there, and how large it is."""

    number: int
    size: int
    position: int


def nearest_bags(bags: Sequence[Counter[str]], others: Iterable[Counter[str]]) -> list[Nearest | None]:
    """For each bag the nearest of the others, the first of equals, where it is a near duplicate."""
    # Rare are tokens that few bags have; a fortieth `$` says little more than that the bag is large.
    having = Counter(token for bag in bags for token in bag)
    elements = {element for bag in bags for element in _elements(bag)}
    rank = {element: i for i, element in enumerate(sorted(elements, key=lambda e: (having[e[0]], e)))}
    known = [tuple(rank[element] for element in _elements(bag)) for bag in bags]
    index: dict[int, list[_Entry]] = defaultdict(list)
    for number, own in enumerate(known):
        for position, place in enumerate(_rarest(own)):
            index[place].append(_Entry(number, len(own), position))
    best: list[Nearest | None] = [None] * len(bags)
    for other, bag in enumerate(others):
        places = [rank.get(element, -1) for element in _elements(bag)]  # what no bag has is rarer than all else
        present = {*places}
        for number in _candidates(places, index):
            common = len(present.intersection(known[number]))
            similarity = common / (len(places) + len(known[number]) - common)
            before = best[number]
            if similarity >= NEAR and (before is None or similarity > before.similarity):
                best[number] = Nearest(similarity, other)
    return best


def _candidates(places: Sequence[int], index: dict[int, list[_Entry]]) -> list[int]:
    """The bags that may be near one with these places."""
    size = len(places)
    met: dict[int, bool] = {}
    for position, place in enumerate(_rarest(places)):
        for entry in index.get(place, ()):
            if entry.number in met:
                continue
            # What follows the first common element is all that can still be in common.
            wanted = NEAR / (1 + NEAR) * (size + entry.size) - SLACK
            met[entry.number] = min(size - position, entry.size - entry.position) >= wanted
    return [number for number, possible in met.items() if possible]


def _elements(bag: Counter[str]) -> list[tuple[str, int]]:
    """A bag as a set: each token with the how-manieth it is."""
    return [(token, number) for token, count in bag.items() for number in range(count)]


def _rarest(places: Collection[int]) -> list[int]:
    """So many of the rarest that a bag with none of them has less than the share in common."""
    needed = len(places) - math.ceil(NEAR * len(places) - SLACK) + 1
    return sorted(places)[:needed]
