"""One system on one split: its answers lined up with the examples, and the numbers of the paper's main table.

The paper takes top-1 and BLEU from beam 5 and top-10 from beam 10. A system therefore has a narrow and a wide n-best
list; where only one file is given, both are that file and the signatures show it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from isarstep.benchmark.rules.entries import entry_of
from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.isabelle.terms.tokens import decode
from isarstep.model.decode.bleu import Counts, ngram_counts
from isarstep.model.decode.predictions import Predictions
from isarstep.score.corpus_bleu import bleu, bleu_difference
from isarstep.score.metrics import Bools, Clusters, Ranks, Score, accuracy, holm, paired_p, ranks
from isarstep.score.signature import ScoreSignature
from isarstep.score.wellformed import UNREADABLE, WELL_TYPED, Outcome, TypeChecker

TOP = 10


# Whole entries, of which nothing was trained on: what is drawn from them is entries.
OF_ENTRIES = ("unseen", "unseen2", "fresh", "fresh2")


def clusters_of(examples: Sequence[Example], *, entries: bool = False) -> Clusters:
    """Of every example the number of its theorem, or of its entry; one that names none stands alone."""
    homes = [(entry_of(example.session) if entries else example.theorem) or example.id for example in examples]
    return np.unique(homes, return_inverse=True)[1].astype(np.int64)


@dataclass(frozen=True)
class ScoringTask:
    """What is scored: examples of a split, all its ids, and who judges well-formedness (if anybody)."""

    benchmark: str  # hash
    split: str
    examples: Sequence[Example]
    ids: Sequence[str]
    type_checker: TypeChecker | None = None
    places: Sequence[int] | None = None  # of the examples in the split; None: they are the split
    home: Benchmark | None = None  # which knows the proofs that examples stand in

    @property
    def homes(self) -> dict[str, int]:
        """The scored ids, each with the number of its theorem, or entry."""
        return dict(zip((example.id for example in self.examples), self.clusters.tolist(), strict=True))

    @cached_property
    def clusters(self) -> Clusters:
        return clusters_of(self.examples, entries=self.split in OF_ENTRIES)

    @property
    def drawn(self) -> str:
        """What intervals and tests draw."""
        return "entries" if self.split in OF_ENTRIES else "theorems"

    @cached_property
    def references(self) -> list[str]:
        return [example.f1 for example in self.examples]


@dataclass(frozen=True)
class System:
    """Somebody's answers to a task."""

    name: str
    task: ScoringTask
    narrow: Predictions
    wide: Predictions
    trained_on: str | None = None  # the name of a benchmark; None: whatever the predictions say

    @cached_property
    def best(self) -> list[str]:
        return [nbest[0] if nbest else "" for nbest in self.narrow.lists]

    @cached_property
    def narrow_ranks(self) -> Ranks:
        return ranks(self.task.references, [nbest[:1] for nbest in self.narrow.lists])

    @cached_property
    def wide_ranks(self) -> Ranks:
        return ranks(self.task.references, [nbest[:TOP] for nbest in self.wide.lists])

    @cached_property
    def correct(self) -> Bools:
        """Is the first answer the reference, token by token?"""
        return np.asarray(self.narrow_ranks.exact == 1)

    @cached_property
    def found(self) -> Bools:
        """Is the reference among the first ten answers?"""
        return np.asarray(self.wide_ranks.exact > 0)

    @cached_property
    def read(self) -> Bools:
        """Is the first answer a term?"""
        if self.task.type_checker is not None:
            return np.array([outcome != UNREADABLE for outcome in self.outcomes], np.bool_)
        return np.array([_is_term(answer) for answer in self.best], np.bool_)

    @cached_property
    def counts(self) -> Counts:
        return ngram_counts(self.task.references, self.best)

    @cached_property
    def outcomes(self) -> list[Outcome]:
        """Of every first answer: not a term, ill-typed or well-typed."""
        judge = self.task.type_checker
        assert judge is not None, "ask only where the task has a type checker"
        return [judge.outcome(example, best) for example, best in zip(self.task.examples, self.best, strict=True)]

    def signature(self, predictions: Predictions) -> ScoreSignature:
        """From what the maker of predictions wrote down; what is not known says so."""
        task, meta = self.task, predictions.meta
        return ScoreSignature(
            benchmark=task.benchmark[:12],
            trained=str(self.trained_on or meta.get("trained_on") or "not stated")[:12],
            split=task.split,
            examples=len(task.examples),
            beam=str(meta.get("beam", f"not stated ({predictions.width}-best)")),
            well_formed=task.type_checker.rule if task.type_checker else "not judged",
            **{name: str(meta.get(name, "not stated")) for name in ("input", "length_rule", "constraints")},
        )


def _is_term(answer: str) -> bool:
    try:
        decode(answer, strict=False)
    except UserError:
        return False
    return True


@dataclass(frozen=True)
class Scores:
    """The main table's row of a system."""

    name: str
    top1: Score
    top1_term: Score
    top10: Score
    top10_term: Score
    bleu: Score
    well_formed: Score | None
    read: float  # share of first answers that are a term, in percent, of the examples that are answered
    missing: int
    unreadable: int | None
    duplicated: int
    narrow: ScoreSignature
    wide: ScoreSignature
    drawn: str = "theorems"  # what the intervals resample

    def __str__(self) -> str:
        """The numbers with their intervals, and below them what they were measured on."""
        judged = f", well-formed {self.well_formed}" if self.well_formed else ""
        numbers = f"{self.name}: top-1 {self.top1}, top-10 {self.top10}, BLEU {self.bleu}{judged}"
        return f"{numbers}\n{self.wide}"

    def as_json(self) -> dict[str, Any]:
        numbers: dict[str, Any] = {"system": self.name}
        for name in ("top1", "top1_term", "top10", "top10_term", "bleu", "well_formed"):
            score: Score | None = getattr(self, name)
            numbers[name] = None if score is None else asdict(score)
        counted = {name: getattr(self, name) for name in ("read", "missing", "unreadable", "duplicated")}
        return numbers | counted | {"signature": {"top1, bleu": str(self.narrow), "top10": str(self.wide)}}


def score(system: System) -> Scores:
    """All numbers of the main table."""
    clusters = system.task.clusters
    outcomes = system.outcomes if system.task.type_checker else None
    return Scores(
        name=system.name,
        top1=accuracy(system.correct, clusters),
        top1_term=accuracy(system.narrow_ranks.term == 1, clusters),
        top10=accuracy(system.found, clusters),
        top10_term=accuracy(system.wide_ranks.term > 0, clusters),
        bleu=bleu(system.counts, clusters),
        well_formed=None if outcomes is None else accuracy(np.array([o == WELL_TYPED for o in outcomes]), clusters),
        read=100 * float(system.read.sum()) / max(len(system.best) - system.narrow.missing, 1),
        missing=system.narrow.missing,
        unreadable=None if outcomes is None else sum(o == UNREADABLE for o in outcomes),
        duplicated=system.wide.duplicated,
        narrow=system.signature(system.narrow),
        wide=system.signature(system.wide),
        drawn=system.task.drawn,
    )


@dataclass(frozen=True)
class Comparison:
    """p that two systems are equal on the same examples, by approximate randomisation over theorems."""

    left: str
    right: str
    top1: float
    top10: float
    bleu: float

    def as_json(self) -> dict[str, Any]:
        return {"systems": [self.left, self.right], "p": {"top1": self.top1, "top10": self.top10, "bleu": self.bleu}}


def corrected(family: Sequence[Comparison]) -> list[Comparison]:
    """The comparisons of one family with their p-values corrected (Holm), those of each measure together."""
    columns = [holm([getattr(each, name) for each in family]) for name in ("top1", "top10", "bleu")]
    return [Comparison(each.left, each.right, *ps) for each, *ps in zip(family, *columns, strict=True)]


def compare(left: System, right: System) -> Comparison:
    if left.task is not right.task:
        raise UserError(f"{left.name} and {right.name} were not scored on the same examples")
    clusters = left.task.clusters
    return Comparison(
        left.name,
        right.name,
        paired_p(left.correct, right.correct, clusters),
        paired_p(left.found, right.found, clusters),
        bleu_difference(left.counts, right.counts, clusters),
    )
