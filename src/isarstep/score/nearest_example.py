"""The nearest training example, by TF-IDF over the words of F.2-F.4, and its target with the variables aligned.

A word is a constant, or two constants that follow each other. Variables of the neighbour become those of the example
that occur in the same places: before and after the same words, in the same fields.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from typing import Any, TypeAlias

import numpy as np

from isarstep.benchmark.arrays.corpus import Lists, starts_of
from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.ids import CONSTANT, VARIABLE
from isarstep.benchmark.store.store import Benchmark

Numbers: TypeAlias = np.ndarray[Any, np.dtype[Any]]

_COMMON = 0.2  # words of more training examples than this share say nothing
_BLOCK = 20_000


def words_of(text: str) -> list[str]:
    """Constants of a line of tokens, and pairs of constants that follow each other."""
    constants: list[str] = CONSTANT.findall(text)
    return [*constants, *(f"{left} {right}" for left, right in pairwise(constants))]


class Neighbours:
    """An index of the training split."""

    def __init__(self, benchmark: Benchmark) -> None:
        self._train = benchmark.split("train")
        table = benchmark.table("train", ["f2", "f3", "f4"])
        self._number: dict[str, int] = {}
        bags = self._bags_of_propositions(benchmark, table)
        count = max(len(self._number), 1)
        # Example and word in one number, each pair once.
        starts = range(0, table.num_rows, _BLOCK)
        pairs = [_pairs(table.slice(start, _BLOCK).to_pylist(), start, bags, count) for start in starts]
        joined = np.concatenate([np.zeros(0, np.int64), *pairs])
        example, word = joined // count, joined % count
        order = np.argsort(word, kind="stable")
        self._examples = example[order].astype(np.int32)
        frequency = np.bincount(word, minlength=count)
        self._starts = np.concatenate([[0], np.cumsum(frequency)])
        self._weight = np.log(max(table.num_rows, 1) / np.maximum(frequency, 1))
        self._weight[frequency > _COMMON * table.num_rows] = 0.0
        self._norm = np.sqrt(np.bincount(example, weights=self._weight[word] ** 2, minlength=table.num_rows)) + 1e-9

    def _bags_of_propositions(self, benchmark: Benchmark, table: Any) -> Lists:
        """The words of the propositions that examples mention."""
        used = set(table["f3"].drop_null().to_pylist())
        for field in ("f2", "f4"):
            used.update(number for numbers in table[field].to_pylist() for number in numbers)
        found: list[Numbers] = []
        for block in benchmark.propositions.blocks():
            for text in block.to_pylist():
                found.append(self._known(words_of(text) if len(found) in used else (), add=True))
        counts = np.array(list(map(len, found)), np.int64)
        return Lists(np.concatenate([np.zeros(0, np.int32), *found]), starts_of(counts))

    def _known(self, words: Iterable[str], *, add: bool = False) -> Numbers:
        number = self._number
        if add:
            numbers = {number.setdefault(word, len(number)) for word in words}
        else:
            numbers = {number[word] for word in words if word in number}
        return np.fromiter(sorted(numbers), np.int32, len(numbers))

    def nearest(self, example: Example, count: int) -> list[tuple[Example, float]]:
        """Training examples with the cosine of the angle between their words and the example's, best first."""
        words = self._known(word for _, text in example.source(hints=False) for word in words_of(text))
        words = words[self._weight[words] > 0]
        if not len(words):
            return []
        lists = [self._examples[self._starts[word] : self._starts[word + 1]] for word in words]
        weights = np.repeat(self._weight[words] ** 2, [len(found) for found in lists])
        score = np.bincount(np.concatenate(lists), weights=weights, minlength=len(self._norm)) / self._norm
        score /= np.sqrt((self._weight[words] ** 2).sum())
        count = min(count, int((score > 0).sum()))
        if not count:
            return []
        best = sorted(np.argpartition(-score, count - 1)[:count].tolist(), key=lambda place: (-score[place], place))
        return [(self._train[place], float(score[place])) for place in best]

    def answers(self, example: Example, count: int) -> list[tuple[str, float]]:
        """Targets of the nearest, their variables replaced, each once."""
        found: dict[str, float] = {}
        for other, score in self.nearest(example, 3 * count):
            found.setdefault(variables_aligned(other, example), score)
            if len(found) == count:
                break
        return list(found.items())


def _pairs(rows: Sequence[dict[str, Any]], start: int, bags: Lists, count: int) -> Numbers:
    sources = [(*row["f2"], *row["f4"], *([] if row["f3"] is None else [row["f3"]])) for row in rows]
    words = bags.take(np.fromiter(chain.from_iterable(sources), np.int64))
    owner = np.repeat(np.arange(start, start + len(rows)), list(map(len, sources)))
    return np.unique(np.repeat(owner, words.counts) * count + words.values)


def variables_aligned(other: Example, example: Example) -> str:
    """The other example's target with variables of this one, each where it occurs most like the old one."""
    theirs, ours = _places(other), _places(example)
    new: dict[str, str] = {}
    free = dict.fromkeys(ours)
    # Who shares most chooses first; a variable that nobody resembles takes one that is left, or keeps its name.
    pairs = sorted(((-sum((theirs[x] & ours[y]).values()), x, y) for x in theirs for y in ours), key=lambda pair: pair)
    for _, x, y in pairs:
        if x not in new and y in free:
            new[x] = y
            del free[y]
    return VARIABLE.sub(lambda match: new.get(match[0], match[0]), other.f1)


def _places(example: Example) -> dict[str, Counter[tuple[int, str, str]]]:
    """Of each variable of the source: in which field, after which constant and before which token it stands."""
    found: dict[str, Counter[tuple[int, str, str]]] = {}
    for field, text in example.source(hints=False):
        tokens = text.split()
        before = ""
        for place, token in enumerate(tokens):
            if token == "CONST" and place + 1 < len(tokens):
                before = tokens[place + 1]
            elif VARIABLE.fullmatch(token):
                after = tokens[place + 1] if place + 1 < len(tokens) else ""
                found.setdefault(token, Counter())[field, before, after] += 1
    return found
