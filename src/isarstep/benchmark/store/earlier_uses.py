"""Library facts that the steps above one use: in its proof, in its theory, in theories of its entry that it rests on.

People see these names in their file. Of a benchmark they are told for entries that nobody trains on; elsewhere the
counts of training examples say the same, and more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from isarstep.benchmark.store.ids import VARIABLE
from isarstep.benchmark.store.layout import LEMMAS, USUAL, files_of
from isarstep.isabelle.context.uses_above import NOTHING_USED, UsesAbove

if TYPE_CHECKING:
    from isarstep.benchmark.store.example import Example
    from isarstep.benchmark.store.store import Benchmark

_COLUMNS = ["theory", "proof", "target_step", "consequence_step", "f4", "f5"]
# Behind these commands no proof of what they say stands.
_AT_ONCE = frozenset("} apply by from note proof qed supply unfolding using with".split())
_LATER = 1 << 19  # more than the steps of a proof
# Of a theory: by proof and step, the facts that a step uses.
Steps: TypeAlias = Mapping[tuple[int, int], frozenset[int]]


class StepEnds:
    """By theory, proof and step: the first step behind its proof. What a step states stands above that proof, but what
    it was proved with is cited there, perhaps in the last line."""

    def __init__(self, benchmark: Benchmark, examples: Iterable[Example]) -> None:
        """Of the steps that are targets or consequences of these examples."""
        self._benchmark = benchmark
        self._read = lru_cache(maxsize=64)(self._facts)
        self._ends: dict[tuple[str, int, int], int] = {}
        for example in examples:
            if example.target_kind != "assumption":  # what `have A if B` assumes holds in its proof
                target = "using" if example.target_kind == "compound" else example.target_command
                self._note(example, example.f1, example.target_step, target)
            self._note(example, example.f3, example.consequence_step, example.consequence_command)

    def of(self, theory: str, proof: int, step: int) -> int:
        """More than any step of the proof where nobody knows it."""
        return self._ends.get((theory, proof, step), _LATER + step)

    def _note(self, example: Example, said: str | None, step: int, command: str) -> None:
        key = example.theory, example.proof, step
        if key in self._ends or step <= 0:  # the head's proof is the whole one
            return
        if command in _AT_ONCE:
            self._ends[key] = step + 1
        elif said is not None and example.proof_row is not None:
            own = VARIABLE.sub(lambda variable: f"<X{example.places.get(variable[0], -1)}>", said)
            # The fact of the step holds longest: those of its proof, which may say the same, end with that.
            ends = [(last, -first) for first, last in self._read(example.proof_row).get(own, ()) if first > step]
            if ends:
                self._ends[key] = -max(ends)[1]

    def _facts(self, row: int) -> Mapping[str, list[tuple[int, int]]]:
        """The first and the last step at which facts of a proof can be used."""
        found: dict[str, list[tuple[int, int]]] = {}
        if self._benchmark.proofs is not None:
            batch, place = self._benchmark.proofs.locate(row)
            columns = (batch.column(name)[place].as_py() for name in ("facts", "first", "last"))
            for fact, first, last in zip(*columns, strict=True):
                found.setdefault(self._benchmark.propositions[fact], []).append((first, last))
        return found


class EarlierUses:
    """What the scored examples of entries that nobody trains on say about the steps above each other."""

    def __init__(self, benchmark: Benchmark) -> None:
        self._benchmark = benchmark
        self._held_out = [split for split in benchmark.splits if split not in USUAL]
        self._entry: dict[str, Mapping[int, int]] = {}  # by theory

    def has(self, theory: str) -> bool:
        """Is the theory one of these entries?"""
        return _session(theory) in self._sessions

    def above(self, example: Example) -> UsesAbove:
        if not self.has(example.theory):
            return NOTHING_USED
        theory, at, ends = example.theory, example.target_step, self._ends
        here = self._steps.get(theory, {}).items()
        same = (facts for (proof, step), facts in here if proof == example.proof and ends.of(theory, proof, step) <= at)
        before = (facts for (proof, _), facts in here if proof < example.proof)
        return UsesAbove(_counted(same), _counted(before), self._of_entry(theory))

    def _of_entry(self, theory: str) -> Mapping[int, int]:
        if theory not in self._entry:
            below = (self._benchmark.theory_contexts.at(theory).theories or frozenset()) - {theory}
            theories = [each for each in self._steps if each in below and _session(each) == _session(theory)]
            self._entry[theory] = _counted(facts for each in theories for facts in self._steps[each].values())
        return self._entry[theory]

    @cached_property
    def _sessions(self) -> frozenset[str]:
        tables = [self._benchmark.table(split, ["session"]) for split in self._held_out]
        return frozenset(session for table in tables for session in table["session"].unique().to_pylist())

    @cached_property
    def _steps(self) -> Mapping[str, Steps]:
        """What a target was proved with is used by its step, a library fact of F.4 by that of the consequence."""
        rows = [row for split in self._held_out for row in self._benchmark.table(split, _COLUMNS).to_pylist()]
        stating = self._stating({number for row in rows for number in (*row["f4"], *row["f5"])})
        found: dict[str, dict[tuple[int, int], frozenset[int]]] = {}
        for row in rows:
            steps = found.setdefault(row["theory"], {})
            for step, lemmas in ((row["target_step"], row["f5"]), (row["consequence_step"], row["f4"])):
                used = {fact for number in lemmas for fact in stating.get(number, ())}
                steps[row["proof"], step] = steps.get((row["proof"], step), frozenset()) | used
        return found

    @cached_property
    def _ends(self) -> StepEnds:
        return StepEnds(self._benchmark, chain.from_iterable(map(self._benchmark.split, self._held_out)))

    def _stating(self, propositions: set[int]) -> Mapping[int, Sequence[int]]:
        """The facts that state each of them, as they stand or in the words of a context."""
        stated = self._benchmark.facts["proposition"].to_numpy()
        pairs = [(stated, np.arange(len(stated)))]
        if files_of(self._benchmark.manifest, LEMMAS):
            table = self._benchmark.table(LEMMAS)
            pairs.append((table["proposition"].to_numpy(), table["fact"].to_numpy()))
        found: dict[int, list[int]] = {}
        for said, facts in pairs:
            wanted = np.isin(said, np.array(sorted(propositions), said.dtype))
            for number, fact in zip(said[wanted].tolist(), facts[wanted].tolist(), strict=True):
                found.setdefault(number, []).append(fact)
        return found


def _counted(steps: Iterable[frozenset[int]]) -> Mapping[int, int]:
    return Counter(fact for facts in steps for fact in facts)


def _session(theory: str) -> str:
    """Full names of theories begin with it."""
    return theory.partition(".")[0]
