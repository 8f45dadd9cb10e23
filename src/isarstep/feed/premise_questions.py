"""QuestionArrays to a selector of premises, as arrays: what is asked with, what may be offered, what was used.

Three kinds. For provers a question holds the step and what it was derived from: the target with F.2 (used: F.5), and in
training also the consequence with the target and the local facts of F.4 (used: the library facts of F.4). For the model
it holds F.2 to F.4 and the context, and never the target (used: F.5).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from isarstep.feed.corpus import Corpus, Ints, Lists, Longs, ragged, starts_of
from isarstep.feed.inputs import EARLIER, STATEMENT

if TYPE_CHECKING:
    from isarstep.feed.premise_arrays import ExampleColumns, FactArrays, Flags

# What a proposition is in a question. The theory's name is one, too, where it is known.
STEP, GIVEN, CONSEQUENCE, OTHER, PROVED, ABOVE, PLACE = range(7)
ROLES = 7
MAIN = (STEP, GIVEN, CONSEQUENCE, OTHER)  # compared by their constants, too
FOR_PROVERS, FOR_NEXT, FOR_MODEL = range(3)  # kinds
_ROLE_OF_FIELD = {2: GIVEN, 3: CONSEQUENCE, 4: OTHER, STATEMENT: PROVED, EARLIER: ABOVE}
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


@dataclass(frozen=True)
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


class _Pairs:
    """Propositions of examples, with roles, gathered part by part."""

    def __init__(self, examples: int) -> None:
        self.examples = examples
        self.parts: list[tuple[Longs, Longs, npt.NDArray[np.integer]]] = []

    def add(self, example: npt.NDArray[np.integer], role: int | npt.NDArray[np.integer], proposition: Ints) -> None:
        self.parts.append(
            (example.astype(np.int64), np.broadcast_to(role, example.shape).astype(np.int64), proposition)
        )

    def sorted(self) -> tuple[Ints, npt.NDArray[np.int8], Longs]:
        example, role, proposition = (np.concatenate(each) for each in zip(*self.parts, strict=True))
        order = np.argsort(example * ROLES + role, kind="stable")
        starts = starts_of(np.bincount(example, minlength=self.examples))
        return proposition[order].astype(np.int32), role[order].astype(np.int8), starts


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
    pairs = _Pairs(many)
    everyone = np.arange(many)
    library = known.counts > 0  # propositions that some fact states
    if kind == FOR_MODEL:
        lemma_of: Flags = field == 5
        role = np.array([_ROLE_OF_FIELD.get(each, -1) for each in range(16)])[field]
        read = role >= 0
        pairs.add(owner[read], role[read], source[read])
    elif kind == FOR_PROVERS:
        lemma_of = field == 5
        pairs.add(everyone, STEP, corpus.targets)
        pairs.add(owner[field == 2], GIVEN, source[field == 2])
    else:
        lemma_of = (field == 4) & library[source]
        pairs.add(owner[field == 3], STEP, source[field == 3])
        pairs.add(everyone, GIVEN, corpus.targets)
        local = (field == 4) & ~library[source]
        pairs.add(owner[local], GIVEN, source[local])
    propositions, roles, starts = pairs.sorted()
    used, lemma, used_starts = _used(owner[lemma_of], source[lemma_of], known, columns, facts, many)
    whole = QuestionArrays(
        propositions, roles, starts, everyone.astype(np.int32), np.full(many, kind, np.int8),
        columns.theory, columns.before, used, lemma, used_starts,
    )  # fmt: skip
    chosen = np.flatnonzero(np.diff(used_starts) > 0)
    if kind != FOR_MODEL:
        step = columns.step if kind == FOR_PROVERS else columns.next_step
        stated = corpus.targets if kind == FOR_PROVERS else _consequences(corpus)
        _, first = np.unique(step[chosen] * (1 << 21) + stated[chosen], return_index=True)
        chosen = np.sort(chosen[first])
    return whole.take(chosen)


def all_for_model(corpus: Corpus, columns: ExampleColumns) -> QuestionArrays:
    """What the model asks for each example, whatever is used."""
    owner = np.repeat(np.arange(len(corpus)), np.diff(corpus.source_starts))
    role = np.array([_ROLE_OF_FIELD.get(each, -1) for each in range(16)])[corpus.fields]
    pairs = _Pairs(len(corpus))
    pairs.add(owner[role >= 0], role[role >= 0], corpus.sources[role >= 0])
    many, nothing = len(corpus), np.zeros(0, np.int32)
    return QuestionArrays(
        *pairs.sorted(), np.arange(many, dtype=np.int32), np.full(many, FOR_MODEL, np.int8),
        columns.theory, columns.before, nothing, nothing, np.zeros(many + 1, np.int64),
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
