"""Premises as a task of their own: which library facts does a step use?

There are two questions. For provers, who know the step (F.1), it holds the step and the local facts that it was
derived from (F.2). For the model, which is to write the step, it holds F.2 to F.4 and what stands above the gap.
A selector ranks all facts that stand before the step in its context; right are the lemmas of F.5.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from isarstep.bench.example import Example
from isarstep.bench.setting import with_setting
from isarstep.bench.store import Benchmark
from isarstep.errors import UserError
from isarstep.progress import Watched
from isarstep.prove.available_facts import AvailableFacts
from isarstep.prove.facts import Library
from isarstep.prove.premises import Relevance, constants_of, relevance_of
from isarstep.prove.selection import LearnedSelection, SelectorQuestion, selection_of
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
    # The model's question has no step, and these; a prover's has none of them.
    consequence: str = ""
    other: tuple[str, ...] = ()
    statement: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    theory: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """What is asked with beside the context."""
        return tuple(text for text in (self.step, *self.given, self.consequence, *self.other) if text)


class PremiseSelector(Protocol):
    def rank(self, question: PremiseQuestion, size: int) -> list[int]:
        """The facts that look most useful, best first."""


class CheckersFilter:
    """What provers are offered facts by (`check/premises.py`)."""

    name = "the checker's filter"

    def __init__(self, library: Library) -> None:
        self._relevance = relevance_of(library)

    def rank(self, question: PremiseQuestion, size: int) -> list[int]:
        return self._relevance.rank(
            question.texts, size, question.before, question.exclude, question.own, question.theories
        )


class BagOfConstants(CheckersFilter):
    """The plain baseline: the same without what training examples have used."""

    name = "bag of constants"

    def __init__(self, library: Library) -> None:
        self._relevance = Relevance(library, used=0.0)


class LearnedSelector:
    """The two towers (`models/premise_selector.py`)."""

    name = "learned"

    def __init__(self, selection: LearnedSelection) -> None:
        self._selection = selection

    def rank(self, question: PremiseQuestion, size: int) -> list[int]:
        asked = SelectorQuestion(
            question.step, question.given, question.consequence, question.other, question.statement, question.earlier,
            question.theory, not self._selection.library.is_trained(question.theory),
        )  # fmt: skip
        return self._selection.rank(asked, size, question.before, question.exclude, question.own, question.theories)


def in_scope(question: PremiseQuestion, library: Library) -> npt.NDArray[np.bool_]:
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
    benchmark: Benchmark,
    library: Library,
    examples: Iterable[Example],
    skipped: Skipped,
    contexts: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] | None = None,
) -> Iterable[PremiseQuestion]:
    """One for each step that uses library facts; several examples may hide the same step. With `contexts`, statement
    and earlier facts by id, they are the model's, and one for each example."""
    seen: set[tuple[str, str]] = set()
    for example in examples:
        if contexts is None and (example.step_id, example.f1) in seen:
            continue
        seen.add((example.step_id, example.f1))
        if contexts is None:
            question = PremiseQuestion(example.f1, example.f2, 0, (), frozenset(), None, ())
        else:
            above = contexts.get(example.id, ((), ()))
            question = PremiseQuestion(
                "", example.f2, 0, (), frozenset(), None, (), example.f3 or "", example.f4, *above
            )
        question = placed(question, benchmark, library, example)
        scope = in_scope(question, library)
        found = [frozenset(n for n in library.find(text) if scope[n]) for text in example.f5]
        used = tuple(numbers for numbers in found if numbers)
        skipped.lemmas_out_of_scope += len(found) - len(used)
        if used:
            yield replace(question, used=used)
        else:
            skipped.nothing_used += 1


def placed(question: PremiseQuestion, benchmark: Benchmark, library: Library, example: Example) -> PremiseQuestion:
    """With what may be offered where an example stands."""
    mentioned = {name for text in question.texts for name in constants_of(text)}
    return replace(
        question,
        before=library.before(example.theory, example.name),
        own=library.own(example.theory, example.name, mentioned),
        exclude=frozenset(library.statements(example.theory, example.name)),
        theories=benchmark.theory_contexts.at(example.theory).theories,
        theory=example.theory,
    )


def contexts_by_id(benchmark: Benchmark, split: str) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """By id, what `+context` reads: the statement, and facts above the gap, the nearest first."""
    from isarstep.feed.inputs import EARLIER, STATEMENT
    from isarstep.feed.mapped import corpus_with_context, outside_of

    corpus, words = corpus_with_context(benchmark, split), (*benchmark.vocabulary, *outside_of(benchmark))
    found = {}
    for number, example in enumerate(corpus.ids):
        here = slice(int(corpus.source_starts[number]), int(corpus.source_starts[number + 1]))
        pairs = list(zip(corpus.fields[here].tolist(), corpus.sources[here].tolist(), strict=True))
        statement, earlier = (
            tuple(" ".join(words[t] for t in corpus.proposition(n)) for field, n in pairs if field == wanted)
            for wanted in (STATEMENT, EARLIER)
        )
        found[example] = statement, earlier
    return found


@dataclass(frozen=True)
class PremiseScores:
    """Means over steps."""

    name: str
    recall: dict[int, float]
    mrr: float
    steps: int


def score_selector(name: str, selector: PremiseSelector, questions: Sequence[PremiseQuestion]) -> PremiseScores:
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
    skipped = Skipped()
    contexts = contexts_by_id(benchmark, split) if for_model else None
    examples = benchmark.split(split).lowest(limit)
    questions = list(premise_questions(benchmark, library, examples, skipped, contexts))
    if not questions:
        among = "" if limit is None else f", among {limit:,} examples"
        raise UserError(f"{benchmark.folder}: no step of split {split} uses a fact that stands before it{among}")
    learned = LearnedSelector(selection_of(library, benchmark.hash))
    selectors: list[LearnedSelector | CheckersFilter] = [learned, CheckersFilter(library), BagOfConstants(library)]
    scores = [score_selector(each.name, each, questions) for each in selectors]
    asked = "the model's question: F.2 to F.4 and context" if for_model else "a prover's question: F.1 and F.2"
    note = (
        f"Asked with {asked}. Percent of the library facts that a step uses, found among the first k in scope; mean "
        f"over questions. MRR: of the first right one among {DEEPEST:,}. "
        f"{skipped.nothing_used:,} use no fact in scope; "
        f"{skipped.lemmas_out_of_scope:,} used lemmas are not in the fact base or not before the step."
    )
    return Table(
        "premises",
        f"{split} split, {len(questions):,} questions, benchmark {benchmark.hash[:12]}, {len(library):,} facts",
        ("selector", *(f"recall@{width}" for width in WIDTHS), "MRR"),
        tuple((s.name, *(f"{s.recall[w]:.1f}" for w in WIDTHS), f"{s.mrr:.3f}") for s in scores),
        note,
    )
