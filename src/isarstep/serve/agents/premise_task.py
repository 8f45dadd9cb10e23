"""Premises as a task of their own: which library facts does a step use?

Asked with the step (F.1) and the local facts that it was derived from (F.2), a selector ranks all facts that stand
before the step in its world; right are the lemmas of F.5. This is what provers and `find_facts` live on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from isarstep.bench.example import Example
from isarstep.bench.store import Benchmark
from isarstep.errors import UserError
from isarstep.prove.facts import FactBase, Library
from isarstep.prove.premises import Relevance, constants_of, relevance_of
from isarstep.tables import Table

WIDTHS = (8, 32, 128)
DEEPEST = 1024  # where the search for the first right fact ends


@dataclass(frozen=True)
class PremiseQuestion:
    """A step, what may be offered for it, and what was used: for each lemma the numbers of the facts that state it."""

    step: str
    given: tuple[str, ...]
    before: int
    own: Sequence[int]
    exclude: frozenset[int]
    theories: frozenset[str] | None
    used: tuple[frozenset[int], ...]


class Selector(Protocol):
    def rank(self, question: PremiseQuestion, size: int) -> list[int]:
        """The facts that look most useful, best first."""


class CheckersFilter:
    """What provers are offered facts by (`check/premises.py`)."""

    name = "the checker's filter"

    def __init__(self, library: FactBase) -> None:
        self._relevance = relevance_of(library)

    def rank(self, question: PremiseQuestion, size: int) -> list[int]:
        return self._relevance.rank(
            (question.step, *question.given), size, question.before, question.exclude, question.own, question.theories
        )


class BagOfConstants(CheckersFilter):
    """The plain baseline: the same without what training examples have used."""

    name = "bag of constants"

    def __init__(self, library: FactBase) -> None:
        self._relevance = Relevance(library, used=0.0)


def in_scope(question: PremiseQuestion, library: FactBase) -> npt.NDArray[np.bool_]:
    """For every fact whether it may be offered."""
    scope = np.arange(len(library)) < question.before
    scope[list(question.own)] = True
    if question.theories is not None:
        scope &= library.visible(question.theories)
    scope[list(question.exclude)] = False
    return scope


@dataclass
class Skipped:
    """Steps and lemmas that are not asked about, counted."""

    nothing_used: int = 0
    lemmas_out_of_scope: int = 0


def premise_questions(
    benchmark: Benchmark, library: FactBase, examples: Iterable[Example], skipped: Skipped
) -> Iterable[PremiseQuestion]:
    """One for each step that uses library facts; several examples may hide the same step."""
    seen: set[tuple[str, str]] = set()
    for example in examples:
        if (example.step_id, example.f1) in seen:
            continue
        seen.add((example.step_id, example.f1))
        theories = benchmark.worlds.at(example.theory).theories
        mentioned = {name for text in (example.f1, *example.f2) for name in constants_of(text)}
        question = PremiseQuestion(
            step=example.f1,
            given=example.f2,
            before=library.before(example.theory, example.name),
            own=library.own(example.theory, example.name, mentioned),
            exclude=frozenset(library.statements(example.theory, example.name)),
            theories=theories,
            used=(),
        )
        scope = in_scope(question, library)
        found = [frozenset(n for n in library.find(text) if scope[n]) for text in example.f5]
        used = tuple(numbers for numbers in found if numbers)
        skipped.lemmas_out_of_scope += len(found) - len(used)
        if used:
            yield replace(question, used=used)
        else:
            skipped.nothing_used += 1


@dataclass(frozen=True)
class PremiseScores:
    """Means over steps."""

    name: str
    recall: dict[int, float]
    mrr: float
    steps: int


def score_selector(name: str, selector: Selector, questions: Sequence[PremiseQuestion]) -> PremiseScores:
    recalls: dict[int, list[float]] = {width: [] for width in WIDTHS}
    reciprocal: list[float] = []
    for question in questions:
        place = {number: rank for rank, number in enumerate(selector.rank(question, DEEPEST), 1)}
        ranks = [min((place[n] for n in numbers if n in place), default=0) for numbers in question.used]
        for width in WIDTHS:
            recalls[width].append(sum(0 < rank <= width for rank in ranks) / len(ranks))
        reciprocal.append(max((1 / rank for rank in ranks if rank), default=0.0))
    mean = {width: 100 * float(np.mean(found)) for width, found in recalls.items()}
    return PremiseScores(name, mean, float(np.mean(reciprocal)), len(questions))


def premise_table(benchmark: Benchmark, split: str, limit: int | None) -> Table:
    """Both selectors on the steps of a split, or of its `limit` examples of lowest id; not all use library facts."""
    library = Library.of_benchmark(benchmark)
    skipped = Skipped()
    questions = list(premise_questions(benchmark, library, benchmark.split(split).lowest(limit), skipped))
    if not questions:
        among = "" if limit is None else f", among {limit:,} examples"
        raise UserError(f"{benchmark.folder}: no step of split {split} uses a fact that stands before it{among}")
    scores = [score_selector(each.name, each, questions) for each in (CheckersFilter(library), BagOfConstants(library))]
    note = (
        "Percent of the library facts that a step uses, found among the first k in scope; mean over steps. MRR: of the "
        f"first right one among {DEEPEST:,}. {skipped.nothing_used:,} steps use no fact in scope; "
        f"{skipped.lemmas_out_of_scope:,} used lemmas are not in the fact base or not before the step."
    )
    return Table(
        "premises",
        f"{split} split, {len(questions):,} steps, benchmark {benchmark.hash[:12]}, {len(library):,} facts",
        ("selector", *(f"recall@{width}" for width in WIDTHS), "MRR"),
        tuple((s.name, *(f"{s.recall[w]:.1f}" for w in WIDTHS), f"{s.mrr:.3f}") for s in scores),
        note,
    )
