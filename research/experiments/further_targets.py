"""Answers of a model as further targets of training examples: the source stays, another target is to be written.

The rules that keep scored targets out hold for them, too: none may be a held-out target under whatever numbers of
variables. None may be read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from isarstep.benchmark.arrays.corpus import Corpus, Dataset, Longs, starts_of
from isarstep.benchmark.arrays.dense import IMPLIED
from isarstep.benchmark.arrays.inputs import SELECTED
from isarstep.benchmark.arrays.pattern_keys import Keys, pattern_keys
from isarstep.benchmark.store.ids import numbered
from isarstep.premises.selector.selected_premises import VARIABLES

MOST_COPIES = 50  # of one further target among the examples of an epoch
NO_VARIABLES = r"(?!)"


def held_out(sets: Iterable[Dataset]) -> frozenset[str]:
    """All targets that are scored, dense, their variables numbered by first occurrence."""
    splits = [(split, data.words) for data in sets for name, split in data.splits.items() if name != "train"]
    return frozenset(
        numbered(" ".join(words[token] for token in split.proposition(target).tolist()))
        for split, words in splits
        for target in split.targets.tolist()
    )


def dense(text: str) -> list[str]:
    return [word for word in text.split() if word not in IMPLIED]


def further_examples(
    data: Dataset, written: Sequence[tuple[str, str]], held: Container[str], counts: Counter[str]
) -> Corpus:
    """Training examples, given by their ids, with these targets, as far as the rules allow; `counts` says what they do
    not. The propositions are those of the training split and the new ones behind them."""
    train, number = data.split("train"), {word: place for place, word in enumerate(data.words)}
    places = {name: place for place, name in enumerate(train.ids)}
    lines = [dense(text) for _, text in written]
    rows = [[number[word] for word in line] for line in lines]
    further = train.take(np.array([places[name] for name, _ in written], np.int64))
    more = np.fromiter((token for row in rows for token in row), train.tokens.dtype)
    starts = starts_of(np.array([len(row) for row in rows], np.int64))
    further = replace(
        further,
        tokens=np.concatenate([train.tokens, more]),
        token_starts=np.concatenate([train.token_starts, train.token_starts[-1] + starts[1:]]),
        targets=np.arange(len(rows), dtype=train.targets.dtype) + len(train.token_starts) - 1,
    )
    exact = pattern_keys(further.tokens, further.token_starts, data.words, NO_VARIABLES)
    patterns = pattern_keys(further.tokens, further.token_starts, data.words, VARIABLES)
    reasons = {
        "held out": np.array([numbered(" ".join(line)) in held for line in lines], bool),
        "read": _read(further, exact, patterns),
    }
    gone = np.zeros(len(further), bool)
    for reason, holds in reasons.items():
        counts[reason] += int((holds & ~gone).sum())
        gone |= holds
    counts["further"] += int((~gone).sum())
    return further.take(np.flatnonzero(~gone))


def _read(examples: Corpus, exact: Keys, patterns: Keys) -> npt.NDArray[np.bool_]:
    """Is a target among what is read? Of library facts that a selector chose, up to the names of variables."""
    owner = np.repeat(np.arange(len(examples)), np.diff(examples.source_starts))
    target = examples.targets[owner]
    same = exact[examples.sources] == exact[target]
    same |= (examples.fields == SELECTED) & (patterns[examples.sources] == patterns[target])
    found = np.zeros(len(examples), bool)
    found[owner[same]] = True
    return found


def mixed(data: Dataset, further: Corpus, share: float, counts: Counter[str]) -> Dataset:
    """The training split with so many further examples, over and over, that they are this share of it."""
    train, many = data.split("train"), len(further)
    wanted = min(round(share / (1 - share) * len(train)), MOST_COPIES * many)
    chosen: Longs = np.arange(wanted, dtype=np.int64) % max(1, many)
    both = replace(train, tokens=further.tokens, token_starts=further.token_starts)
    counts["mixed in"] += wanted
    return replace(data, splits=data.splits | {"train": _joined(both, further.take(chosen))})


def _joined(first: Corpus, second: Corpus) -> Corpus:
    """The examples of both, which are over the same propositions."""
    assert not first.names, "numbers of constants are given when a model reads"
    return replace(
        first,
        targets=np.concatenate([first.targets, second.targets]),
        sources=np.concatenate([first.sources, second.sources]),
        fields=np.concatenate([first.fields, second.fields]),
        source_starts=np.concatenate([first.source_starts, first.source_starts[-1] + second.source_starts[1:]]),
        variables=np.concatenate([first.variables, second.variables]),
        ids=first.ids + second.ids,
    )


def drawn(lists: Iterable[tuple[str, list[tuple[str, float]]]], seed: int) -> list[tuple[str, str]]:
    """One answer of each list, as likely as the model that wrote them finds it beside the others."""
    random = np.random.default_rng(seed)
    found = []
    for name, proposals in lists:
        if proposals:
            scores = np.array([score for _, score in proposals])
            odds = np.exp(scores - scores.max())
            found.append((name, proposals[random.choice(len(proposals), p=odds / odds.sum())][0]))
    return found
