"""What a search is asked for and what it returns."""

from __future__ import annotations

import math
from dataclasses import dataclass

NARROW, WIDE = 5, 10  # the paper's beams: the narrow one gives top-1 and BLEU, the wide one top-10


@dataclass(frozen=True)
class SearchRules:
    """Beam width, how many of the best are wanted, and the length rule: score = log p / length ** penalty."""

    beam: int = 5
    nbest: int | None = None  # as many as the beam is wide
    penalty: float = 0.0
    longest: int = 200  # tokens of a target, as in the benchmark
    margin: float = math.inf  # what scores so much less than the best is left out, and not waited for

    @property
    def keep(self) -> int:
        return min(self.beam, self.nbest or self.beam)

    @property
    def length_rule(self) -> str:
        return f"log p / length^{self.penalty:g}, at most {self.longest} tokens"


@dataclass(frozen=True)
class Hypothesis:
    """Tokens without `<BOS>` and `<EOS>`. Not complete: it was cut off at the longest length, for want of any other."""

    tokens: tuple[int, ...]
    score: float
    complete: bool = True
