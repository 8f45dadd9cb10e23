"""Premises as a task of their own: which library facts does a step use?

There are two questions. For provers, who know the step (F.1), it holds the step and the local facts that it was
derived from (F.2). For the model, which is to write the step, it holds F.2 to F.4 and what stands above the gap.
A selector ranks all facts that stand before the step in its context; right are the lemmas of F.5.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from isarstep.benchmark.arrays.inputs import EARLIER, STATEMENT
from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.setting import with_setting
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.common.progress import Watched
from isarstep.common.tables import Table
from isarstep.model.data.constants import texts_of
from isarstep.premises.available_facts import AvailableFacts
from isarstep.premises.fact_base import Library
from isarstep.premises.learned_selection import LearnedSelection, SelectorQuestion, learned_selection
from isarstep.premises.relevance import Relevance, constants_of, relevance_of
from isarstep.premises.selector.premise_questions import DEEPEST, MAIN, WIDTHS, recall_and_mrr


@dataclass(frozen=True)
class PremiseQuestion:
    """What is asked with, what may be offered, and what was used: for each lemma the numbers of the facts that state
    it."""

    asked: SelectorQuestion
    before: int = 0
    exclude: frozenset[int] = frozenset()
    own: Sequence[int] = ()
    theories: frozenset[str] | None = None
    used: tuple[frozenset[int], ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """What is asked with beside the context."""
        return tuple(text for role, text in self.asked.texts() if role in MAIN)


# The facts that look most useful, so many at most, best first.
Ranking: TypeAlias = Callable[[PremiseQuestion, int], list[int]]


def learned(selection: LearnedSelection) -> Ranking:
    """By the two towers (`premises/selector/network.py`)."""
    return lambda q, size: selection.rank(q.asked, size, q.before, q.exclude, q.own, q.theories)


def by_constants(relevance: Relevance) -> Ranking:
    """By rare constants in common, as provers are offered facts (`premises/relevance.py`)."""
    return lambda q, size: relevance.rank(q.texts, size, q.before, q.exclude, q.own, q.theories)


def in_scope(question: PremiseQuestion, library: Library) -> npt.NDArray[np.bool_]:
    """For every fact whether it may be offered."""
    scope = np.arange(len(library)) < question.before
    scope[list(question.own)] = True
    if question.theories is not None:
        scope &= library.visible(question.theories)
    scope[list(question.exclude)] = False
    return scope


def premise_questions(
    benchmark: Benchmark, library: Library, examples: Iterable[Example], skipped: Counter[str], for_model: bool = False
) -> Iterator[PremiseQuestion]:
    """One for each step that uses library facts; several examples may hide the same step. The model's are one for each
    example, with the context that it reads. Steps and lemmas that are not asked about are counted."""
    seen: set[tuple[str, str]] = set()
    for example in examples:
        if not for_model and (example.step_id, example.f1) in seen:
            continue
        seen.add((example.step_id, example.f1))
        asked = SelectorQuestion(example.f1, example.f2)
        if for_model:
            read = texts_of(with_setting(benchmark, example))
            statement, earlier = (tuple(text for field, text in read if field == n) for n in (STATEMENT, EARLIER))
            asked = SelectorQuestion("", example.f2, example.f3 or "", example.f4, statement, earlier)
        question = placed(asked, benchmark, library, example)
        scope = in_scope(question, library)
        found = [frozenset(n for n in library.find(text) if scope[n]) for text in example.f5]
        used = tuple(numbers for numbers in found if numbers)
        skipped["lemmas"] += len(found) - len(used)
        if used:
            yield replace(question, used=used)
        else:
            skipped["steps"] += 1


def placed(asked: SelectorQuestion, benchmark: Benchmark, library: Library, example: Example) -> PremiseQuestion:
    """With what may be offered where an example stands."""
    new, above = library.in_new_entry(example.theory), library.used_above(example)
    asked = replace(asked, theory=example.theory, in_new_entry=new, used_above=above)
    mentioned = {name for text in PremiseQuestion(asked).texts for name in constants_of(text)}
    return PremiseQuestion(
        asked,
        library.before(example.theory, example.name),
        frozenset(library.statements(example.theory, example.name)),
        library.own(example.theory, example.name, mentioned),
        benchmark.theory_contexts.at(example.theory).theories,
    )


def places_of_used(ranking: Ranking, question: PremiseQuestion) -> list[int]:
    """Of each lemma the place of the first fact that states it, from 1; 0: none is among those looked at."""
    place = {number: rank for rank, number in enumerate(ranking(question, DEEPEST), 1)}
    return [min((place[n] for n in numbers if n in place), default=0) for numbers in question.used]


def selected_for_model(benchmark: Benchmark, split: str, limit: int | None) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Id and the facts that a model reads, for the examples of a split in the order of their ids."""
    facts = AvailableFacts(Library.of_benchmark(benchmark))
    examples = benchmark.split(split).lowest(limit)
    with Watched("selecting", len(examples)) as watched:
        for example in examples:
            there = benchmark.theory_contexts.at(example.theory)
            yield example.id, facts.for_model(with_setting(benchmark, example), there, scored=True)
            watched.advance(1)


def premise_table(benchmark: Benchmark, split: str, limit: int | None, for_model: bool = False) -> Table:
    """All selectors on the questions of a split, or of its `limit` examples of lowest id; not all use library facts."""
    library = Library.of_benchmark(benchmark)
    skipped = Counter[str]()
    examples = benchmark.split(split).lowest(limit)
    questions = list(premise_questions(benchmark, library, examples, skipped, for_model))
    if not questions:
        among = "" if limit is None else f", among {limit:,} examples"
        raise UserError(f"{benchmark.folder}: no step of split {split} uses a fact that stands before it{among}")
    rankings = {
        "learned": learned(learned_selection(library, kept=False)),
        "the checker's filter": by_constants(relevance_of(library)),
        "bag of constants": by_constants(Relevance(library, used=0.0)),  # without what training examples have used
    }
    scores = {
        name: recall_and_mrr(places_of_used(ranking, question) for question in questions)
        for name, ranking in rankings.items()
    }
    asked = "the model's question: F.2 to F.4 and context" if for_model else "a prover's question: F.1 and F.2"
    note = (
        f"Asked with {asked}. Percent of the library facts that a step uses, found among the first k in scope; mean "
        f"over questions. MRR: of the first right one among {DEEPEST:,}. "
        f"{skipped['steps']:,} use no fact in scope; "
        f"{skipped['lemmas']:,} used lemmas are not in the fact base or not before the step."
    )
    return Table(
        "premises",
        f"{split} split, {len(questions):,} questions, benchmark {benchmark.hash[:12]}, {len(library):,} facts",
        ("selector", *(f"recall@{width}" for width in WIDTHS), "MRR"),
        tuple((name, *(f"{recall[w]:.1f}" for w in WIDTHS), f"{mrr:.3f}") for name, (recall, mrr) in scores.items()),
        note,
    )
