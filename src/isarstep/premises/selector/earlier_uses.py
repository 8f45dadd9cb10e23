"""How often steps above a question use each fact, over arrays. `benchmark/store/earlier_uses.py` says the same of one
example."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from isarstep.benchmark.arrays.corpus import Corpus, Lists, Longs
from isarstep.premises.selector.premise_arrays import STEP_BITS, ExampleColumns, FactArrays
from isarstep.premises.selector.premise_questions import QuestionArrays


@dataclass(frozen=True, eq=False)
class EarlierUseArrays:
    """Questions and facts, and how many steps use the fact: of the same proof, of earlier ones of the theory, of
    theories of the entry below."""

    question: Longs
    fact: Longs
    times: npt.NDArray[np.float32]  # [a pair, three]

    def weighed(self, weights: tuple[float, float, float]) -> npt.NDArray[np.float32]:
        found: npt.NDArray[np.float32] = np.log1p(self.times) @ np.array(weights, np.float32)
        return found


def steps_and_facts(corpus: Corpus, columns: ExampleColumns, known: Lists) -> tuple[Longs, Longs, Longs]:
    """Each theory, step and fact that it uses, once, the step by the first one behind its proof, in order. What a
    target was proved with is used by its step, a library fact of F.4 by that of the consequence."""
    owner = np.repeat(np.arange(len(corpus)), np.diff(corpus.source_starts))
    parts = []
    for field, step, end in ((5, columns.step, columns.end), (4, columns.next_step, columns.next_end)):
        of_field = corpus.fields == field
        stating = known.take(corpus.sources[of_field])
        whose = np.repeat(owner[of_field], stating.counts)
        parts.append(np.stack([columns.theory[whose], end[whose], step[whose], stating.values]).astype(np.int64))
    theory, behind, _, fact = np.unique(np.concatenate(parts, axis=1), axis=1)
    return theory, behind, fact


def earlier_uses(
    corpus: Corpus, columns: ExampleColumns, facts: FactArrays, known: Lists, questions: QuestionArrays
) -> EarlierUseArrays:
    theory, end, fact = steps_and_facts(corpus, columns, known)
    begins = np.searchsorted(theory, np.arange(len(facts.theories) + 1))
    sessions = np.array([name.partition(".")[0] for name in facts.theories])
    below: dict[int, Longs] = {}  # by theory: facts, once for each step of the entry's theories that it rests on

    def of_entry(here: int) -> Longs:
        if here not in below:
            others = np.flatnonzero(facts.sees[here] & (sessions == sessions[here]))
            slices = [fact[begins[other] : begins[other + 1]] for other in others.tolist() if other != here]
            below[here] = np.concatenate([np.zeros(0, np.int64), *slices])
        return below[here]

    found: list[tuple[Longs, Longs, npt.NDArray[np.float32]]] = []
    for number, example in enumerate(questions.example.tolist()):
        here = int(columns.theory[example])
        own = slice(begins[here], begins[here + 1])
        proof = int(columns.step[example]) >> STEP_BITS << STEP_BITS
        first, this = np.searchsorted(end[own], [proof, columns.step[example] + 1]) + begins[here]
        places: list[Longs] = [fact[first:this], fact[own.start : first], of_entry(here)]
        named, which = np.unique(np.concatenate(places), return_inverse=True)
        times = np.zeros((len(named), 3), np.float32)
        np.add.at(times, (which, np.repeat(np.arange(3), [len(place) for place in places])), 1)
        found.append((np.full(len(named), number), named, times))
    if not found:
        return EarlierUseArrays(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 3), np.float32))
    questions_of, named_of, times_of = zip(*found, strict=True)
    return EarlierUseArrays(np.concatenate(questions_of), np.concatenate(named_of), np.concatenate(times_of))
