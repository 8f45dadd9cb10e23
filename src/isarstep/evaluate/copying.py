"""How much of a proposition stands in the source already, and which targets all but stand in the training data."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from isarstep.bench.example import Example

Nearness = Literal["renamed", "near", "new"]
NEAR = 0.9
SLACK = 1e-9  # nine tenths of ten are nine, also in floating point
_VARIABLE = re.compile(r"<[XV][0-9]+>")


def is_copy(example: Example, tokens: str, *, hints: bool = True) -> bool:
    """Does the token sequence occur anywhere in the source?"""
    if not tokens:
        return False
    wanted = f" {tokens} "
    return any(wanted in f" {text} " for _, text in example.source(hints=hints))


def is_whole_copy(example: Example, tokens: str, *, hints: bool = True) -> bool:
    """Is it one of the source's propositions?"""
    return any(tokens == text for _, text in example.source(hints=hints))


def copied_share(example: Example) -> float:
    """The longest run of the target's tokens that one proposition of F.2-F.4 has too, as a share of the target.

    `HOL.Trueprop` opens nearly every proposition and is left out, or every target would be partly copied.
    """
    numbers: dict[str, int] = {}

    def encoded(text: str) -> NDArray[np.int64]:
        words = text.removeprefix("CONST HOL.Trueprop $ ").split()
        return np.array([numbers.setdefault(word, len(numbers)) for word in words], np.int64)

    target = encoded(example.f1)
    sources = [encoded(text) for _, text in example.source(hints=False)]
    if not sources or not len(target):
        return 0.0
    # All propositions in one row, with a number between them that no target has.
    row = np.concatenate([part for text in sources for part in (text, np.array([-1]))])
    longest = 0
    runs = np.zeros(len(row) + 1, np.int64)  # length of the common run that ends before this place
    for token in target.tolist():
        runs[1:] = np.where(row == token, runs[:-1] + 1, 0)
        longest = max(longest, int(runs.max()))
    return longest / len(target)


def renamed(tokens: str) -> str:
    """Variables numbered by first occurrence, so that only their pattern counts."""
    numbers: dict[str, str] = {}
    return _VARIABLE.sub(lambda match: numbers.setdefault(match[0], f"<{match[0][1]}{len(numbers)}>"), tokens)


def nearness(targets: Sequence[str], training: Iterable[str]) -> list[Nearness]:
    """For each target: is it a training target up to variables, nearly one (token Jaccard >= 0.9), or new?

    Of two bags with Jaccard >= 0.9 the rarest tenths have an element in common. Targets are indexed by theirs, so that
    almost no training target has to be compared.
    """
    seen = set(map(renamed, training))
    shapes = [renamed(target) for target in targets]
    bags = {shape: _bag(shape) for shape in {*shapes} - seen}
    elements = {element for bag in bags.values() for element in bag}
    # Rare are constants that few targets have; a fortieth `$` says little more than that the target is long.
    having = Counter(token for bag in bags.values() for token, number in bag if number == 0)
    rank = {element: i for i, element in enumerate(sorted(elements, key=lambda e: (having[e[0]], e)))}
    # By a rare element and the bag's size: the shape, where the element stands among the rarest, the whole bag.
    index: dict[tuple[int, int], list[tuple[str, int, frozenset[int]]]] = defaultdict(list)
    for shape, bag in bags.items():
        known = frozenset(rank[element] for element in bag)
        for position, place in enumerate(_rarest(known)):
            index[place, len(bag)].append((shape, position, known))
    near: set[str] = set()
    for text in seen:
        # What no target has is rarer than all else.
        places = [rank.get(element, -1) for element in _bag(text)]
        size, present = len(places), set(places)
        for position, place in enumerate(_rarest(places)):
            if place < 0:
                continue
            for other_size in range(math.ceil(NEAR * size - SLACK), int(size / NEAR + SLACK) + 1):
                wanted = NEAR / (1 + NEAR) * (size + other_size) - SLACK  # in common, for such a Jaccard
                for shape, other_position, other in index.get((place, other_size), ()):
                    # What follows the first common element is all that can still be in common.
                    if min(size - position, other_size - other_position) < wanted or shape in near:
                        continue
                    if len(other & present) >= wanted:
                        near.add(shape)
    return ["renamed" if shape in seen else "near" if shape in near else "new" for shape in shapes]


def _bag(tokens: str) -> list[tuple[str, int]]:
    """A bag as a set: each token with the how-manieth it is."""
    counts: dict[str, int] = {}
    bag = []
    for token in tokens.split():
        number = counts.get(token, 0)
        counts[token] = number + 1
        bag.append((token, number))
    return bag


def _rarest(places: Collection[int]) -> list[int]:
    """So many of the rarest that a bag with none of them has less than the share in common."""
    needed = len(places) - math.ceil(NEAR * len(places) - SLACK) + 1
    return sorted(places)[:needed]
