"""The input `+premises`: the best facts that a selector has found for an example, as propositions to read.

A fact that is the target up to the names of its variables is left out, and so is what F.2-F.4 have already. Then the
best come first, until there are enough of them or of their tokens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from isarstep.benchmark.arrays.context import AddedSources, with_contexts
from isarstep.benchmark.arrays.corpus import Corpus, Ints, Longs, starts_of, sums
from isarstep.benchmark.arrays.dense import IMPLIED
from isarstep.benchmark.arrays.inputs import CITED, EARLIER, FIELDS_READ, SELECTED, STATEMENT
from isarstep.benchmark.arrays.pattern_keys import Keys, pattern_keys

MOST_PREMISES = 16
PREMISE_TOKENS = 192  # of all premises of an example, without those that others imply
VARIABLES = r"<[XV]\d+>"
BASE = {field: field for field in FIELDS_READ["base"]} | {CITED: 4}
ABOVE = {STATEMENT: STATEMENT, EARLIER: EARLIER}
# Which fields are read, and as which; then how often in training. In a state of a proof that somebody is writing nobody
# says which of its facts the goal will need: all of them stand for F.4, and no library fact does.
VIEWS: dict[str, dict[int, int]] = {
    "base": BASE,
    "+context": BASE | ABOVE,
    "+premises": BASE | {SELECTED: SELECTED},
    "+context+premises": BASE | ABOVE | {SELECTED: SELECTED},
    "state": {2: 2, 3: 3, 4: 4, EARLIER: 4, SELECTED: SELECTED},
}
SHARES = (0.25, 0.1, 0.1, 0.35, 0.2)


def keys_for_premises(corpus: Corpus, words: Sequence[str]) -> Keys:
    """Of all propositions of a corpus."""
    return pattern_keys(corpus.tokens, corpus.token_starts, words, VARIABLES)


def with_premises(corpus: Corpus, ranked: Ints, propositions: Ints, keys: Keys, counts: Counter[str]) -> Corpus:
    """With the first of the `ranked` facts, numbers of facts whose propositions are given; -1: there is none."""
    many = len(corpus)
    stated = propositions[np.maximum(ranked, 0)]
    lengths = np.diff(corpus.token_starts)[stated]
    there = ranked >= 0
    for at in range(1, ranked.shape[1]):  # several facts may state the same
        there[:, at] &= (stated[:, :at] != stated[:, at : at + 1]).all(1)
    target = there & (keys[stated] == keys[corpus.targets][:, None])
    counts["are the target"] += int(target.sum())
    owner = np.repeat(np.arange(many), np.diff(corpus.source_starts))
    base = np.isin(corpus.fields, FIELDS_READ["base"])
    width = len(corpus.token_starts)
    given = np.unique(owner[base] * width + corpus.sources[base])
    asked = np.arange(many)[:, None] * width + stated
    known = there & (given[np.minimum(np.searchsorted(given, asked), len(given) - 1)] == asked)
    counts["there already"] += int(known.sum())
    there &= ~target & ~known
    room, number = np.full(many, PREMISE_TOKENS), np.zeros(many, np.int64)
    for at in range(ranked.shape[1]):
        there[:, at] &= (lengths[:, at] <= room) & (number < MOST_PREMISES)
        room -= np.where(there[:, at], lengths[:, at], 0)
        number += there[:, at]
    counts["premises"] += int(number.sum())
    found = stated[there].astype(np.int32)
    nothing = corpus.tokens[:0], np.zeros(1, np.int64)
    return with_contexts(
        corpus, AddedSources(found, np.full(len(found), SELECTED, np.int8), starts_of(number), *nothing)
    )


def premises_read(facts: Iterable[str], known: Iterable[str]) -> list[str]:
    """What is read of these facts, the best first, beside propositions that are known: as `with_premises` does where
    there is no target."""
    seen, room, found = set(known), PREMISE_TOKENS, list[str]()
    for text in facts:
        length = sum(token not in IMPLIED for token in text.split())
        if text not in seen and length <= room and len(found) < MOST_PREMISES:
            found.append(text)
            room -= length
        seen.add(text)
    return found


def with_cited(corpus: Corpus, propositions: Ints) -> Corpus:
    """Library facts, given by their propositions, are told from the other ones of F.4."""
    stated = np.zeros(len(corpus.token_starts) - 1, bool)
    stated[propositions] = True
    fields = np.where((corpus.fields == 4) & stated[corpus.sources], CITED, corpus.fields)
    return replace(corpus, fields=fields.astype(corpus.fields.dtype))


def view(corpus: Corpus, read_as: Mapping[int, int]) -> Corpus:
    """These fields alone, each read as another or as itself."""
    fields = np.zeros(np.iinfo(np.int8).max, corpus.fields.dtype)
    fields[list(read_as)] = list(read_as.values())
    kept = fields[corpus.fields] > 0
    counts = sums(kept.astype(np.int64), corpus.source_starts)
    return replace(
        corpus, sources=corpus.sources[kept], fields=fields[corpus.fields[kept]], source_starts=starts_of(counts)
    )


def all_views(corpus: Corpus) -> Corpus:
    """The examples in one view, then in the next: example n of view v has the number v * len(corpus) + n."""
    parts = [view(corpus, read_as) for read_as in VIEWS.values()]
    return replace(
        corpus,
        targets=np.tile(corpus.targets, len(parts)),
        sources=np.concatenate([part.sources for part in parts]),
        fields=np.concatenate([part.fields for part in parts]),
        source_starts=starts_of(np.concatenate([np.diff(part.source_starts) for part in parts])),
        variables=np.tile(corpus.variables, len(parts)),
        ids=corpus.ids * len(parts),
        names=corpus.names * len(parts),
    )


def drawn_views(count: int, seed: int, epoch: int) -> Longs:
    """For each of so many examples the number of the view in which an epoch reads it, in `all_views`."""
    chosen = np.random.default_rng([seed, epoch, 1]).choice(len(SHARES), count, p=SHARES)
    return chosen.astype(np.int64) * count + np.arange(count)
