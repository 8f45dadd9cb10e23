"""How much of a proposition stands in the source already, and which targets all but stand in the training data."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from isarstep.bench.example import Example

Nearness = Literal["renamed", "near", "new"]
NEAR = 0.9
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

    Two bags with Jaccard >= 0.9 share one of the rarest tenth of either's tokens. Targets are indexed by theirs, so
    that almost no training target has to be compared.
    """
    seen = set(map(renamed, training))
    shapes = [renamed(target) for target in targets]
    bags = {shape: _bag(shape) for shape in {*shapes} - seen}
    frequency = Counter(element for bag in bags.values() for element in bag)
    index: dict[tuple[str, int], list[str]] = defaultdict(list)
    for shape, bag in bags.items():
        for element in _rarest(bag, frequency):
            index[element].append(shape)
    near: set[str] = set()
    for text in seen:
        bag = _bag(text)
        for candidate in {shape for element in bag & index.keys() for shape in index[element]} - near:
            other = bags[candidate]
            if min(len(bag), len(other)) < NEAR * max(len(bag), len(other)):
                continue
            common = len(bag & other)
            if common >= NEAR * (len(bag) + len(other) - common):
                near.add(candidate)
    return ["renamed" if shape in seen else "near" if shape in near else "new" for shape in shapes]


def _bag(tokens: str) -> frozenset[tuple[str, int]]:
    """A bag as a set: each token with the how-manieth it is."""
    counts: Counter[str] = Counter()
    bag = []
    for token in tokens.split():
        bag.append((token, counts[token]))
        counts[token] += 1
    return frozenset(bag)


def _rarest(bag: frozenset[tuple[str, int]], frequency: Counter[tuple[str, int]]) -> list[tuple[str, int]]:
    """So many of the rarest that a bag with none of them has less than the share in common."""
    needed = len(bag) - int(np.ceil(NEAR * len(bag))) + 1
    return sorted(bag, key=lambda element: (frequency[element], element))[:needed]
