"""The search for near duplicates finds all that there are, and the nearest of them."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from isarstep.benchmark.rules.near_duplicates import Nearest, nearest_bags


def jaccard(left: Counter[str], right: Counter[str]) -> float:
    return (left & right).total() / (left | right).total()


def plainly(bag: Counter[str], others: list[Counter[str]]) -> Nearest | None:
    similarity, other = max((jaccard(bag, other), -number) for number, other in enumerate(others))
    return Nearest(similarity, -other) if similarity >= 0.9 else None


@pytest.mark.parametrize("letters", ["abcdefg", "ab", "abcdefghijklmnopqrstuvwxyz"])
def test_the_nearest_against_all_pairs(letters: str) -> None:
    draw = random.Random(letters)
    texts = [draw.choices(letters, k=draw.randint(1, 40)) for _ in range(150)]
    bags = []
    for text in texts[:100]:
        changed = [*text]
        for _ in range(draw.randint(0, 3)):
            changed[draw.randrange(len(changed))] = draw.choice(letters + "!")
        bags.append(Counter(changed[draw.randint(0, 2) :]))
    others = [Counter(text) for text in texts]
    found = nearest_bags(bags, others)
    assert found == [plainly(bag, others) if bag else None for bag in bags]
    assert None in found
    assert any(near is not None and near.similarity < 1 for near in found)


def test_nine_tenths_are_near_and_less_is_not() -> None:
    nine = Counter("abcdefghi")
    assert nearest_bags([nine], [nine + Counter("j")]) == [Nearest(0.9, 0)]
    assert nearest_bags([nine + Counter("j")], [nine]) == [Nearest(0.9, 0)]
    assert nearest_bags([Counter("abcdefgh")], [Counter("abcdefghi")]) == [None]  # 8 of 9


def test_of_equally_near_ones_the_first_is_named() -> None:
    assert nearest_bags([Counter("ab")], [Counter("x"), Counter("ba"), Counter("ab")]) == [Nearest(1.0, 1)]
    assert nearest_bags([Counter("ab")], []) == [None]
    assert nearest_bags([], [Counter("ab")]) == []
