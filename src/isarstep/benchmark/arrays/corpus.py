"""Examples as integer arrays, the only view of a benchmark that training and decoding need.

A proposition is stored once; an example is a list of proposition numbers with their fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from isarstep.benchmark.arrays.inputs import FIELDS_READ, STATEMENT, Input
from isarstep.common.errors import UserError

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Corpus:
    """One split. The propositions of an example lie together, by field; inside one of F.2-F.5 longest first, inside
    what `+context` adds as `benchmark/arrays/context.py` puts them."""

    tokens: npt.NDArray[np.integer]  # all propositions laid end to end
    token_starts: Longs
    targets: Ints  # F.1 of each example, as a proposition number
    sources: Ints  # F.2-F.5 of all examples laid end to end, and contexts where they are known
    fields: npt.NDArray[np.int8]  # 2..7, aligned with `sources`
    source_starts: Longs
    variables: Ints  # how many <Xn> are fixed where the example comes from; -1: not known
    ids: tuple[str, ...]
    names: tuple[tuple[str, ...], ...] = ()  # what <C0>, <C1>, ... of each example stand for; empty: there are none

    def __len__(self) -> int:
        return len(self.targets)

    def proposition(self, number: int) -> npt.NDArray[np.integer]:
        return self.tokens[self.token_starts[number] : self.token_starts[number + 1]]

    def names_of(self, example: int) -> tuple[str, ...]:
        return self.names[example] if self.names else ()

    def target_lengths(self) -> Longs:
        return np.diff(self.token_starts)[self.targets]

    def reads(self, input: Input) -> npt.NDArray[np.bool_]:
        """Which of `sources` a model with this input reads."""
        table = np.zeros(np.iinfo(np.int8).max, bool)
        table[list(FIELDS_READ[input])] = True
        return table[self.fields]

    def source_lengths(self, input: Input) -> Longs:
        """Tokens of what is read, without labels and separators."""
        lengths = np.diff(self.token_starts)[self.sources]
        return sums(np.where(self.reads(input), lengths, 0), self.source_starts)

    def proposition_counts(self, input: Input) -> Longs:
        return sums(self.reads(input).astype(np.int64), self.source_starts)

    def take(self, chosen: npt.NDArray[np.int64]) -> Corpus:
        """The chosen examples over the same propositions."""
        counts = np.diff(self.source_starts)[chosen]
        flat = ragged(self.source_starts[chosen], counts)
        return replace(
            self,
            targets=self.targets[chosen],
            sources=self.sources[flat],
            fields=self.fields[flat],
            source_starts=starts_of(counts),
            variables=self.variables[chosen],
            ids=tuple(self.ids[i] for i in chosen.tolist()),
            names=tuple(self.names[i] for i in chosen.tolist()) if self.names else (),
        )

    def compacted(self) -> Corpus:
        """Only the propositions that some example mentions, numbered anew."""
        used = np.unique(np.concatenate([self.targets, self.sources]))
        lengths = np.diff(self.token_starts)[used]
        return replace(
            self,
            tokens=self.tokens[ragged(self.token_starts[used], lengths)],
            token_starts=starts_of(lengths),
            targets=np.searchsorted(used, self.targets).astype(np.int32),
            sources=np.searchsorted(used, self.sources).astype(np.int32),
        )

    @staticmethod
    def of_examples(examples: Iterable[NumberedExample]) -> Corpus:
        """From token ids in lists, for small data and tests."""
        numbers: dict[tuple[int, ...], int] = {}
        targets: list[int] = []
        sources: list[int] = []
        fields: list[int] = []
        counts: list[int] = []
        ids: list[str] = []
        variables: list[int] = []
        for example in examples:
            targets.append(numbers.setdefault(tuple(example.target), len(numbers)))
            for field, tokens in example.sources:
                sources.append(numbers.setdefault(tuple(tokens), len(numbers)))
                fields.append(field)
            counts.append(len(example.sources))
            ids.append(example.id or str(len(ids)))
            variables.append(example.variables)
        return Corpus(
            np.fromiter((t for row in numbers for t in row), np.int32),
            starts_of(np.array([len(row) for row in numbers], np.int64)),
            np.array(targets, np.int32),
            np.array(sources, np.int32),
            np.array(fields, np.int8),
            starts_of(np.array(counts, np.int64)),
            np.array(variables, np.int32),
            tuple(ids),
        ).in_reading_order()

    def in_reading_order(self) -> Corpus:
        """Fields in order, longest proposition first; what `+context` adds stays in its own order."""
        owner = np.repeat(np.arange(len(self)), np.diff(self.source_starts))
        lengths = np.where(self.fields < STATEMENT, np.diff(self.token_starts)[self.sources], 0)
        order = np.lexsort((-lengths, self.fields, owner))
        return replace(self, sources=self.sources[order], fields=self.fields[order])


@dataclass(frozen=True)
class NumberedExample:
    """One example as token ids: what is read, as (field, proposition) pairs, and what is to be written."""

    sources: Sequence[tuple[int, Sequence[int]]]
    target: Sequence[int] = ()
    id: str = ""
    variables: int = -1


@dataclass(frozen=True, eq=False)
class Dataset:
    """All that a training run reads: the splits, the vocabulary in order, and the benchmark's hash. Tokens that are not
    in the vocabulary have the numbers behind it."""

    splits: dict[str, Corpus]
    vocabulary: tuple[str, ...]
    benchmark: str
    outside: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """What the numbers of the splits stand for."""
        return (*self.vocabulary, *self.outside)

    def split(self, name: str) -> Corpus:
        if name not in self.splits:
            raise UserError(f"the data have no split {name!r}; there are {', '.join(self.splits)}")
        return self.splits[name]


@dataclass(frozen=True, eq=False)
class Lists:
    """Lists of numbers laid end to end."""

    values: npt.NDArray[Any]
    starts: npt.NDArray[np.integer]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, row: int) -> npt.NDArray[Any]:
        return self.values[self.starts[row] : self.starts[row + 1]]

    @property
    def counts(self) -> npt.NDArray[np.integer]:
        return np.diff(self.starts)

    def take(self, chosen: npt.NDArray[np.integer]) -> Lists:
        counts = self.counts[chosen]
        return Lists(self.values[ragged(self.starts[:-1][chosen], counts)], starts_of(counts))


def starts_of(lengths: npt.NDArray[np.integer]) -> Longs:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])


def sums(values: npt.NDArray[np.integer], starts: Longs) -> Longs:
    """The sum of each segment, empty ones included."""
    totals = starts_of(values)
    return totals[starts[1:]] - totals[starts[:-1]]


def ragged(starts: Longs, lengths: npt.NDArray[np.integer]) -> Longs:
    """starts[0], starts[0] + 1, ... (lengths[0] of them), then the same for the next."""
    ends = np.cumsum(lengths, dtype=np.int64)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total, dtype=np.int64) + np.repeat(starts - (ends - lengths), lengths)
