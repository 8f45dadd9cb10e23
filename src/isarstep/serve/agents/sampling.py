"""From several samples of a model to an n-best list and to pass@k."""

from __future__ import annotations

import math
from collections.abc import Sequence

from isarstep.logic.sameness import same_term
from isarstep.serve.agents.questions import ReadReply


def by_votes(answers: Sequence[ReadReply]) -> list[tuple[str, int]]:
    """Distinct readable answers with the number of samples that gave each, most first; equals as they came."""
    found: list[tuple[str, int]] = []
    for answer in answers:
        if answer.tokens is None:
            continue
        for place, (tokens, votes) in enumerate(found):
            if tokens == answer.tokens or same_term(tokens, answer.tokens):
                found[place] = (tokens, votes + 1)
                break
        else:
            found.append((answer.tokens, 1))
    return sorted(found, key=lambda pair: -pair[1])


def pass_at(k: int, samples: int, correct: int) -> float:
    """The chance that k samples drawn from these, without putting back, hold a correct one."""
    if k > samples:
        raise ValueError(f"pass@{k} of {samples} samples")
    return 1.0 - math.comb(samples - correct, k) / math.comb(samples, k)
