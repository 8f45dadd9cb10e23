"""The input `+context`: beside F.2-F.4 the theorem's statement, and the facts that hold where the target is stated.

All of it stands on the page above the gap. The target itself is left out, and so is what holds it as a part, unless
F.2-F.4 hold it too; what they have already; and what mentions variables that are not fixed at the consequence: which of
those get the next numbers, the target decides. Then come the statement, the nearest fact, the one before it and so
on, until all that is read has as many tokens as an example of training may have.

Propositions are strings here, one character a token.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain

import numpy as np
import numpy.typing as npt

from isarstep.benchmark.arrays.corpus import Corpus, Ints, Lists, Longs, starts_of
from isarstep.benchmark.arrays.inputs import EARLIER, FIELDS_READ, STATEMENT
from isarstep.benchmark.arrays.measures import TRAINING_LIMIT


def above_the_gap(
    statement: Iterable[str], facts: Iterable[str], source: Sequence[str], target: str, counts: Counter[str]
) -> list[tuple[int, str]]:
    """What is read of a statement and of facts, the nearest first, beside the propositions of F.2-F.4. No target: who
    asks has none. `counts` hears what became of them."""
    room = TRAINING_LIMIT - sum(map(len, source))
    hidden = bool(target) and not any(target in text for text in source)
    seen = set(source)
    found = []
    for field, text in chain(((STATEMENT, text) for text in statement), ((EARLIER, text) for text in facts)):
        if text in seen:
            counts["there already"] += 1
        elif text == target:
            counts["is the target"] += 1
        elif hidden and target in text:
            counts["holds the target"] += 1
        elif len(text) > room:
            counts["examples cut"] += 1
            break
        else:
            counts["statements" if field == STATEMENT else "facts"] += 1
            room -= len(text)
            seen.add(text)
            found.append((field, text))
    return found


@dataclass(frozen=True)
class Proofs:
    """The columns of that name in a benchmark's proofs."""

    statement: Lists
    facts: Lists
    first: Lists
    last: Lists


@dataclass(frozen=True, eq=False)
class ExamplePlaces:
    """Where the examples of a split stand: columns of that name."""

    proof_row: Longs
    target_step: Longs
    fixed: Longs
    variables: Lists


@dataclass(frozen=True, eq=False)
class AddedSources:
    """For each example of a corpus more propositions to read. Those that the corpus does not have follow its own."""

    sources: Ints
    fields: npt.NDArray[np.int8]
    starts: Longs
    tokens: npt.NDArray[np.integer]
    token_starts: Longs


def contexts_of(
    corpus: Corpus, places: ExamplePlaces, proofs: Proofs, variables: Mapping[int, int]
) -> tuple[AddedSources, Counter[str]]:
    """Of all examples of a split, and what became of how many propositions. `variables`: the token of each <Xn>."""
    counts: Counter[str] = Counter()
    writer = _Writer(corpus, {n: chr(token) for n, token in variables.items()})
    found: list[list[tuple[int, int]]] = [[]] * len(corpus)
    order = np.argsort(places.proof_row, kind="stable")
    borders = np.flatnonzero(np.diff(places.proof_row[order])) + 1
    for examples in np.split(order, borders) if len(order) else []:
        row = int(places.proof_row[examples[0]])
        if row < 0:  # proofs of before are not known
            continue
        statement, facts = proofs.statement[row].tolist(), proofs.facts[row]
        first, last = proofs.first[row], proofs.last[row]
        written = cache(writer.under)
        for example in examples.tolist():
            here = int(places.target_step[example])
            holding = facts[(first <= here) & (here <= last)][::-1].tolist()
            fixed = places.variables[example][: max(0, int(places.fixed[example]))]
            found[example] = writer.context(example, statement, holding, written(tuple(fixed.tolist())), counts)
    return writer.contexts(found), counts


class _Writer:
    """Writes a proof's propositions with the variables of its examples, each proposition once."""

    def __init__(self, corpus: Corpus, variables: Mapping[int, str]) -> None:
        self.corpus, self.variables = corpus, variables
        self.all_variables = frozenset(variables.values())
        self.old = len(corpus.token_starts) - 1
        self.new: dict[str, int] = {}

    def text(self, number: int) -> str:
        return self.corpus.proposition(number).astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")

    def context(
        self,
        example: int,
        statement: list[int],
        facts: list[int],
        written: Callable[[int], str | None],
        counts: Counter[str],
    ) -> list[tuple[int, int]]:
        """(field, proposition) of what is read."""
        corpus = self.corpus
        here = slice(int(corpus.source_starts[example]), int(corpus.source_starts[example + 1]))
        pairs = zip(corpus.fields[here].tolist(), corpus.sources[here].tolist(), strict=True)
        source = [self.text(number) for field, number in pairs if field in FIELDS_READ["base"]]
        numbers: dict[str, int] = {}

        def texts(chosen: list[int]) -> Iterable[str]:
            for number in chosen:
                text = written(number)
                if text is None:
                    counts["of other variables"] += 1
                else:
                    numbers.setdefault(text, number)
                    yield text

        read = above_the_gap(texts(statement), texts(facts), source, self.text(int(corpus.targets[example])), counts)
        return [(field, self.number(text, numbers[text])) for field, text in read]

    def number(self, text: str, before: int) -> int:
        """Of a proposition that had this number with the proof's variables."""
        if self.text(before) == text:
            return before
        return self.old + self.new.setdefault(text, len(self.new))

    def under(self, fixed: tuple[int, ...]) -> Callable[[int], str | None]:
        """How a proposition reads where <X0>, <X1>, ... are these variables of the proof; None: it mentions others."""
        token = self.variables  # a number that no proposition has is nobody's
        table = {ord(token[v]): token[place] for place, v in enumerate(fixed) if v in token and place in token}
        known = set(map(chr, table))
        done: dict[int, str | None] = {}

        def written(number: int) -> str | None:
            if number not in done:
                text = self.text(number)
                done[number] = text.translate(table) if self.all_variables.intersection(text) <= known else None
            return done[number]

        return written

    def contexts(self, found: list[list[tuple[int, int]]]) -> AddedSources:
        """All of them as arrays."""
        pairs = list(chain.from_iterable(found))
        text = "".join(self.new)
        tokens = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").astype(self.corpus.tokens.dtype)
        return AddedSources(
            np.array([number for _, number in pairs], np.int32),
            np.array([field for field, _ in pairs], np.int8),
            starts_of(np.array(list(map(len, found)), np.int64)),
            tokens,
            starts_of(np.array(list(map(len, self.new)), np.int64)),
        )


def with_contexts(corpus: Corpus, contexts: AddedSources) -> Corpus:
    """Each example's own propositions, and behind them its context's."""
    counts, more = np.diff(corpus.source_starts), np.diff(contexts.starts)
    examples = np.arange(len(corpus))
    order = np.argsort(np.concatenate([np.repeat(examples, counts), np.repeat(examples, more)]), kind="stable")
    return replace(
        corpus,
        tokens=np.concatenate([corpus.tokens, contexts.tokens]),
        token_starts=np.concatenate([corpus.token_starts, corpus.token_starts[-1] + contexts.token_starts[1:]]),
        sources=np.concatenate([corpus.sources, contexts.sources])[order],
        fields=np.concatenate([corpus.fields, contexts.fields])[order],
        source_starts=starts_of(counts + more),
    )
