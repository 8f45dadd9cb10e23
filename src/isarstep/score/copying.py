"""How much of a proposition stands in the source already, and which targets all but stand in the training data."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from isarstep.benchmark.rules.near_duplicates import nearest_bags
from isarstep.benchmark.store.example import Example

Nearness = Literal["renamed", "near", "new"]
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
    """For each target: is it a training target up to variables, nearly one (token Jaccard >= 0.9), or new?"""
    seen = set(map(renamed, training))
    shapes = [renamed(target) for target in targets]
    asked = sorted({*shapes} - seen)
    found = nearest_bags([Counter(shape.split()) for shape in asked], (Counter(text.split()) for text in seen))
    near = {shape for shape, other in zip(asked, found, strict=True) if other is not None}
    return ["renamed" if shape in seen else "near" if shape in near else "new" for shape in shapes]
