"""The order of an n-best list: the model's log probability, set right by what it is known to get wrong.

A search prefers short answers, and it copies: on the validation split no answer that stands among what was given was
the missing step. Two weights put that right. They are learned on the validation split alone, by
`research/benchmarks/ranking.py --fit`, and lie in `ranking.json` beside this file. Where models are compared with the
paper's, lists are in the order that is usual in translation instead, by log probability and length.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from isarstep.benchmark.arrays.dense import IMPLIED

UNCOUNTED = frozenset(("(", ")", *IMPLIED))


@dataclass(frozen=True)
class Order:
    """Puts the proposals of a list, which came with their log probability, into an order; `str` of it says which.

    The log probability is divided by length ^ `penalty` (Wu et al.'s rule, over what a search has found without it);
    to it are added `length` for each e-fold of tokens, and `given` for what was given already.
    """

    length: float = 0.0
    given: float = 0.0
    penalty: float = 0.0

    def __str__(self) -> str:
        if self.penalty:
            return f"ordered by log p / length^{self.penalty:g}"
        return f"ranked by log p + {self.length:g} log length, {self.given:g} for copies"

    def worth(self, tokens: str, score: float, given: Collection[str] = ()) -> float:
        """Of an answer with this log probability to a problem in which these propositions are given."""
        length, copied = measured(tokens, given)
        normalised = score / math.pow(1 + counted(tokens), self.penalty)  # the end of an answer is a token, too
        return normalised + self.length * length + self.given * copied

    def ordered(self, proposals: Sequence[tuple[str, float]], given: Collection[str] = ()) -> list[tuple[str, float]]:
        """(tokens, worth), best first; equals stay as they were."""
        valued = [(tokens, self.worth(tokens, score, given)) for tokens, score in proposals]
        return sorted(valued, key=lambda pair: -pair[1])


# What a search finds by log probability is a quarter too short. HAT Base's validation lists have their best BLEU, by
# which the paper chose, in this order: `python research/experiments/length_rule.py measure`.
COMPARED_ORDER = Order(penalty=0.9)


def counted(tokens: str) -> int:
    """The length of an answer: brackets and words that are implied don't count."""
    return sum(word not in UNCOUNTED for word in tokens.split())


def measured(tokens: str, given: Collection[str]) -> tuple[float, bool]:
    """What the weights weigh: log of the length, and is it a copy?"""
    return math.log(max(1, counted(tokens))), tokens in given


@cache
def learned_ranking() -> Order:
    """As learned on the validation split of the embedded benchmark."""
    about = json.loads(Path(__file__).with_name("ranking.json").read_text("utf-8"))
    return Order(about["length"], about["given"])
