"""What a selector of premises learns from: the facts, which of them each example may use, and which it does use.

A fact may be used that stands in a theory which the example's theory rests on, before the example's theorem.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from isarstep.benchmark.arrays.corpus import Ints, Longs
from isarstep.benchmark.rules.entries import entry_of
from isarstep.benchmark.store.earlier_uses import StepEnds
from isarstep.benchmark.store.layout import LEMMAS, files_of
from isarstep.benchmark.store.store import Benchmark
from isarstep.premises.selector.word_bags import Bags, bags_of_names

Flags = npt.NDArray[np.bool_]
STEP_BITS = 20  # of a step's number; above them stands its proof


@dataclass(frozen=True, eq=False)
class FactArrays:
    """The facts of a library in order, and which theories see which."""

    proposition: Ints
    theory: Ints
    theories: tuple[str, ...]
    sees: Flags  # [a theory, what it rests on]
    names: Bags  # of facts, by parts, over no words
    # Lemmas of examples that are facts in the words of their context: proposition -> fact.
    lemma_proposition: Ints
    lemma_fact: Ints

    def __len__(self) -> int:
        return len(self.proposition)


@dataclass(frozen=True, eq=False)
class ExampleColumns:
    """Where the examples of a split stand."""

    theory: Ints  # a number of `FactArrays.theories`
    before: Ints  # facts with smaller numbers stand before the example's theorem
    half: npt.NDArray[np.int8]  # which of two halves of all entries it belongs to
    theorem: Ints
    step: Longs  # equal where the target is stated by the same command
    next_step: Longs  # the same of the consequence
    end: Longs  # the first step behind the target's proof
    next_end: Longs  # the same of the consequence


@dataclass(frozen=True)
class PremiseArrays:
    facts: FactArrays
    splits: dict[str, ExampleColumns] = field(hash=False)


def premise_arrays(benchmark: Benchmark, splits: tuple[str, ...]) -> PremiseArrays:
    table = benchmark.facts
    of_fact, names = table["theory"].to_pylist(), table["name"].to_pylist()
    columns = ["theory", "name", "session", "theorem", "proof_row", "proof", "target_step", "consequence_step"]
    rows = {split: benchmark.table(split, columns) for split in splits}
    there = {*of_fact, *(name for each in rows.values() for name in each["theory"].unique().to_pylist())}
    theories = tuple(sorted(there))
    number = {name: place for place, name in enumerate(theories)}
    sees = np.zeros((len(theories), len(theories)), np.bool_)
    for place, name in enumerate(theories):
        above = benchmark.theory_contexts.at(name).theories
        sees[place] = True if above is None else [each in above for each in theories]
    lemmas = benchmark.table(LEMMAS) if files_of(benchmark.manifest, LEMMAS) else None
    facts = FactArrays(
        table["proposition"].to_numpy().astype(np.int32),
        np.array([number[name] for name in of_fact], np.int32),
        theories,
        sees,
        bags_of_names(names, 0),
        np.zeros(0, np.int32) if lemmas is None else lemmas["proposition"].to_numpy().astype(np.int32),
        np.zeros(0, np.int32) if lemmas is None else lemmas["fact"].to_numpy().astype(np.int32),
    )
    first = {theory: place for place, theory in reversed([*enumerate(of_fact)])}
    statement = {stated: place for place, stated in reversed([*enumerate(zip(of_fact, names, strict=True))])}

    def before(theory: str, theorem: str) -> int:
        return statement.get((theory, theorem), first.get(theory, 0))

    halves = two_halves({split: each["session"].to_pylist() for split, each in rows.items()})
    ends = StepEnds(benchmark, chain.from_iterable(map(benchmark.split, splits)))
    return PremiseArrays(facts, {split: _columns(each, number, before, halves, ends) for split, each in rows.items()})


def _columns(
    table: Any,
    number: dict[str, int],
    before: Callable[[str, str], int],
    halves: dict[str, int],
    ends: StepEnds,
) -> ExampleColumns:
    theories, names = table["theory"].to_pylist(), table["name"].to_pylist()
    theorems: dict[str, int] = {}
    proof = table["proof_row"].fill_null(-1).to_numpy().astype(np.int64)
    proof = np.where(proof < 0, table["proof"].fill_null(-1).to_numpy().astype(np.int64) + (1 << 30), proof)
    at = [table[name].fill_null(-1).to_numpy() for name in ("target_step", "consequence_step")]
    proofs = table["proof"].fill_null(-1).to_pylist()
    behind = [np.array(list(map(ends.of, theories, proofs, steps.tolist())), np.int64) for steps in at]
    return ExampleColumns(
        np.array([number[name] for name in theories], np.int32),
        np.array(list(map(before, theories, names)), np.int32),
        np.array([halves[entry_of(session)] for session in table["session"].to_pylist()], np.int8),
        np.array([theorems.setdefault(each, len(theorems)) for each in table["theorem"].to_pylist()], np.int32),
        *((proof << STEP_BITS) + step + 1 for step in (*at, *behind)),
    )


def two_halves(sessions: dict[str, list[str]]) -> dict[str, int]:
    """Entry -> one of two halves, which have about as many training examples each."""
    counts: dict[str, int] = {}
    for split, each in sessions.items():
        for session in each:
            entry = entry_of(session)
            counts[entry] = counts.get(entry, 0) + (split == "train")
    sizes, found = [0, 0], {}
    for entry in sorted(counts, key=lambda entry: (-counts[entry], entry)):
        half = int(sizes[1] < sizes[0])
        found[entry] = half
        sizes[half] += counts[entry]
    return found
