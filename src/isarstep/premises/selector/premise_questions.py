"""QuestionArrays to a selector of premises, as arrays: what is asked with, what may be offered, what was used.

Three kinds. For provers a question holds the step and what it was derived from: the target with F.2 (used: F.5), and in
training also the consequence with the target and the local facts of F.4 (used: the library facts of F.4). For the model
it holds F.2 to F.4 and the context, and never the target (used: F.5).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from isarstep.benchmark.arrays.corpus import Corpus, Ints, Lists, Longs, ragged, starts_of
from isarstep.benchmark.arrays.inputs import EARLIER, STATEMENT

if TYPE_CHECKING:
    from isarstep.premises.selector.premise_arrays import ExampleColumns, FactArrays, Flags

# What a proposition is in a question. The theory's name is one, too, where it is known.
STEP, GIVEN, CONSEQUENCE, OTHER, PROVED, ABOVE, PLACE = range(7)
ROLES = 7
MAIN = (STEP, GIVEN, CONSEQUENCE, OTHER)  # compared by their constants, too
FOR_PROVERS, FOR_NEXT, FOR_MODEL = range(3)  # kinds
TARGET = 1  # F.1, beside the fields of what is read
_ROLES_OF_FIELDS = {
    FOR_PROVERS: {TARGET: STEP, 2: GIVEN},
    FOR_NEXT: {TARGET: GIVEN, 3: STEP, 4: GIVEN},
    FOR_MODEL: {2: GIVEN, 3: CONSEQUENCE, 4: OTHER, STATEMENT: PROVED, EARLIER: ABOVE},
}
WIDTHS, DEEPEST = (8, 32, 128), 1024  # of lists that are scored; where the search for the first right fact ends
MOST_USED = 8  # facts of one question that are learned


def recall_and_mrr(questions: Iterable[Sequence[int]]) -> tuple[dict[int, float], float]:
    """Recall in percent at each width, and mean reciprocal rank, means over questions. Of each question the place of
    every lemma that was used, from 1; 0: it was not found."""
    recalls: dict[int, list[float]] = {width: [] for width in WIDTHS}
    reciprocal: list[float] = []
    for places in questions:
        for width in WIDTHS:
            recalls[width].append(sum(0 < place <= width for place in places) / len(places))
        reciprocal.append(max((1 / place for place in places if place), default=0.0))
    return {width: 100 * float(np.mean(found)) for width, found in recalls.items()}, float(np.mean(reciprocal))


@dataclass(frozen=True, eq=False)
class QuestionArrays:
    """Propositions lie together, by role."""

    propositions: Ints
    roles: npt.NDArray[np.int8]
    starts: Longs
    example: Ints
    kind: npt.NDArray[np.int8]
    theory: Ints
    before: Ints
    used: Ints  # facts
    lemma: Ints  # aligned with `used`: facts of one number state the same lemma
    used_starts: Longs

    def __len__(self) -> int:
        return len(self.example)

    def take(self, chosen: Longs) -> QuestionArrays:
        counts, used = np.diff(self.starts)[chosen], np.diff(self.used_starts)[chosen]
        flat, flat_used = ragged(self.starts[:-1][chosen], counts), ragged(self.used_starts[:-1][chosen], used)
        return QuestionArrays(
            self.propositions[flat], self.roles[flat], starts_of(counts),
            self.example[chosen], self.kind[chosen], self.theory[chosen], self.before[chosen],
            self.used[flat_used], self.lemma[flat_used], starts_of(used),
        )  # fmt: skip


def facts_of(facts: FactArrays, propositions: int, in_context: bool) -> Lists:
    """Which facts state each proposition. `in_context`: also what an example's lemma is in the words of its context."""
    stated, fact = facts.proposition.astype(np.int64), np.arange(len(facts))
    if in_context:
        stated = np.concatenate([stated, facts.lemma_proposition])
        fact = np.concatenate([fact, facts.lemma_fact])
    pairs = np.unique(stated * len(facts) + fact)
    starts = np.searchsorted(pairs, np.arange(propositions + 1, dtype=np.int64) * len(facts))
    return Lists((pairs % max(len(facts), 1)).astype(np.int32), starts)


def _used(
    owner: Longs, lemmas: Ints, known: Lists, columns: ExampleColumns, facts: FactArrays, examples: int
) -> tuple[Ints, Ints, Longs]:
    """Facts in scope that state these lemmas, by example."""
    stating = known.take(lemmas)
    found, counts = stating.values, stating.counts
    whose, which = np.repeat(owner, counts), np.repeat(np.arange(len(lemmas)), counts)
    seen = facts.sees[columns.theory[whose], facts.theory[found]] & (found < columns.before[whose])
    whose, which, found = whose[seen], which[seen], found[seen]
    order = np.argsort(whose, kind="stable")
    starts = starts_of(np.bincount(whose, minlength=examples))
    return found[order].astype(np.int32), which[order].astype(np.int32), starts


def questions_of(corpus: Corpus, columns: ExampleColumns, facts: FactArrays, kind: int, known: Lists) -> QuestionArrays:
    """The questions of a split that use a fact in scope; those of provers once a step."""
    many = len(corpus)
    owner = np.repeat(np.arange(many), np.diff(corpus.source_starts))
    field, source = corpus.fields, corpus.sources
    library: Flags = (field == 4) & (known.counts > 0)[source]  # what some fact states
    lemma_of = library if kind == FOR_NEXT else field == 5
    used, lemma, used_starts = _used(owner[lemma_of], source[lemma_of], known, columns, facts, many)
    asked = all_questions(corpus, columns, kind, library if kind == FOR_NEXT else None)
    whole = replace(asked, used=used, lemma=lemma, used_starts=used_starts)
    chosen = np.flatnonzero(np.diff(used_starts) > 0)
    if kind != FOR_MODEL:
        step = columns.step if kind == FOR_PROVERS else columns.next_step
        stated = corpus.targets if kind == FOR_PROVERS else _consequences(corpus)
        _, first = np.unique(step[chosen] * (1 << 21) + stated[chosen], return_index=True)
        chosen = np.sort(chosen[first])
    return whole.take(chosen)


def all_questions(corpus: Corpus, columns: ExampleColumns, kind: int, left_out: Flags | None = None) -> QuestionArrays:
    """What is asked for each example, whatever is used; some sources may be left out."""
    many = len(corpus)
    everyone, nothing = np.arange(many, dtype=np.int32), np.zeros(0, np.int32)
    owner = np.concatenate([everyone, np.repeat(everyone, np.diff(corpus.source_starts))]).astype(np.int64)
    propositions = np.concatenate([corpus.targets, corpus.sources]).astype(np.int32)
    fields = np.concatenate([np.full(many, TARGET), corpus.fields])
    roles = np.array([_ROLES_OF_FIELDS[kind].get(field, -1) for field in range(16)])[fields]
    if left_out is not None:
        roles[many:][left_out] = -1
    order = np.argsort(owner * ROLES + roles, kind="stable")
    order = order[roles[order] >= 0]
    return QuestionArrays(
        propositions[order], roles[order].astype(np.int8), starts_of(np.bincount(owner[order], minlength=many)),
        everyone, np.full(many, kind, np.int8), columns.theory, columns.before,
        nothing, nothing, np.zeros(many + 1, np.int64),
    )  # fmt: skip


def _consequences(corpus: Corpus) -> Ints:
    found = np.full(len(corpus), -1, np.int32)
    owner = np.repeat(np.arange(len(corpus)), np.diff(corpus.source_starts))
    found[owner[corpus.fields == 3]] = corpus.sources[corpus.fields == 3]
    return found


def together(parts: list[QuestionArrays]) -> QuestionArrays:
    """Several kinds as one list."""

    def starts(name: str) -> Longs:
        return starts_of(np.concatenate([np.diff(getattr(part, name)) for part in parts]))

    flat = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in QuestionArrays.__dataclass_fields__
        if not name.endswith("starts")
    }
    return QuestionArrays(**flat, starts=starts("starts"), used_starts=starts("used_starts"))
