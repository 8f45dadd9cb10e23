"""Systems that learn nothing, or next to nothing. A model below them has learned nothing either.

- `copy`: propositions of the source, the consequence first.
- `frequent`: the most frequent training targets, up to names of variables, of which the source has all constants.
- `neighbour`: the target of the nearest training example (see neighbours).
- `rule`: what is left of F.4 when it is applied to F.3 (see leftovers).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TypeAlias

from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.ids import CONSTANT, VARIABLE, numbered
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.score import leftovers
from isarstep.score.nearest_example import Neighbours

Answers: TypeAlias = list[tuple[str, float]]
Answer: TypeAlias = Callable[[Example, int], Answers]


def baseline(name: str, benchmark: Benchmark) -> Answer:
    """A function from an example and a number to so many answers with scores, best first."""
    if name not in BASELINES:
        raise UserError(f"{name}: no such baseline; there are {', '.join(BASELINES)}")
    return BASELINES[name](benchmark)


def copied_answers(example: Example, count: int) -> Answers:
    """The consequence, then what the target is justified by, then the others."""
    source = sorted(example.source(hints=False), key=lambda item: (3, 2, 4).index(item[0]))
    texts = list(dict.fromkeys(text for _, text in source))
    return [(text, -float(place)) for place, text in enumerate(texts[:count])]


class Frequent:
    """Training targets by how often they occur when their variables are numbered as they come."""

    def __init__(self, benchmark: Benchmark) -> None:
        counts: Counter[str] = Counter()
        for number, times in Counter(benchmark.table("train", ["f1"])["f1"].to_pylist()).items():
            counts[numbered(benchmark.propositions[number])] += times
        self._ranked = counts.most_common()
        self._constants = [frozenset(CONSTANT.findall(text)) for text, _ in self._ranked]

    def answers(self, example: Example, count: int) -> Answers:
        texts = [text for _, text in example.source(hints=False)]
        known = {constant for text in texts for constant in CONSTANT.findall(text)}
        # Its variables are those of the source that occur most often.
        variables = [x for x, _ in Counter(x[0] for text in texts for x in VARIABLE.finditer(text)).most_common()]
        found: Answers = []
        for (text, times), constants in zip(self._ranked, self._constants, strict=True):
            if constants <= known and len(set(VARIABLE.findall(text))) <= len(variables):
                found.append((VARIABLE.sub(lambda match: variables[int(match[1])], text), float(times)))
            if len(found) == count:
                break
        return found


BASELINES: dict[str, Callable[[Benchmark], Answer]] = {
    "copy": lambda _: copied_answers,
    "frequent": lambda benchmark: Frequent(benchmark).answers,
    "neighbour": lambda benchmark: Neighbours(benchmark).answers,
    "rule": lambda _: leftovers.answers,
}
