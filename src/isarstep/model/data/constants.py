"""Constants under numbers: one that a model has no token for is `<C0>`, `<C1>`, ... in the order in which its example
mentions them, as variables are.

A vocabulary is open if it holds such numbers. What they stand for is kept with each example (`Corpus.names`), so that
answers get the names back. Where a constant has no number left, or where nothing that is read mentions it, it is
`<UNK>`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import count, takewhile

import numpy as np
import numpy.typing as npt

from isarstep.benchmark.arrays.context import above_the_gap
from isarstep.benchmark.arrays.corpus import Corpus, Dataset, NumberedExample, sums
from isarstep.benchmark.arrays.dense import IMPLIED, kind_of_name
from isarstep.benchmark.arrays.inputs import SELECTED, Input
from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.special_tokens import SPECIALS, UNK

NO_CONSTANTS = frozenset((*SPECIALS, *IMPLIED, "ABS", "(", ")"))


def is_constant(token: str) -> bool:
    return token not in NO_CONSTANTS and kind_of_name(token) == "CONST"


def numbers_in(vocabulary: Sequence[str], letter: str = "C") -> list[int]:
    """The places of `<C0>`, `<C1>`, ... in a vocabulary; none: it is closed. Of variables the letter is X."""
    place = {token: number for number, token in enumerate(vocabulary) if token.startswith(f"<{letter}")}
    return [place[f"<{letter}{n}>"] for n in takewhile(lambda n: f"<{letter}{n}>" in place, count())]


def opened(dataset: Dataset, numbers: int, constants: int | None = None) -> Dataset:
    """With so many numbers for constants; of the constants with a name only so many, the most frequent ones."""
    if numbers_in(dataset.vocabulary):
        return dataset
    named = [token for token in dataset.vocabulary if is_constant(token)]  # by count, most frequent first
    others = set() if constants is None else set(named[constants:])
    kept = (token for token in dataset.vocabulary if token not in others)
    return under_vocabulary(dataset, (*kept, *(f"<C{n}>" for n in range(numbers))))


def read_by_model(corpus: Corpus, words: Sequence[str], vocabulary: Sequence[str], input: Input) -> Corpus:
    """A corpus of any words as a model reads it: under its vocabulary, what it has no token for under numbers."""
    place = {token: number for number, token in enumerate(vocabulary)}
    known = np.array([place.get(word, UNK) for word in words], np.int32)
    tokens = known[corpus.tokens]
    numbers = numbers_in(vocabulary)
    if not numbers:
        return replace(corpus, tokens=tokens)
    stranger = np.array([word not in place and is_constant(word) for word in words], bool)
    strange = sums(stranger[corpus.tokens], corpus.token_starts) > 0  # which propositions
    return _with_numbers(replace(corpus, tokens=tokens), corpus, strange, stranger, words, numbers, input)


def _with_numbers(
    known: Corpus,
    corpus: Corpus,
    strange: npt.NDArray[np.bool_],
    stranger: npt.NDArray[np.bool_],
    words: Sequence[str],
    numbers: list[int],
    input: Input,
) -> Corpus:
    """`known` with the propositions of `corpus` that hold strangers written anew for each example."""
    targets, sources = known.targets.copy(), known.sources.copy()
    names: list[tuple[str, ...]] = [()] * len(corpus)
    written: dict[tuple[int, ...], int] = {}
    old = len(corpus.token_starts) - 1
    reads = corpus.reads(input)
    owners = np.repeat(np.arange(len(corpus)), np.diff(corpus.source_starts))
    concerned = strange[corpus.targets]
    concerned[owners[strange[corpus.sources]]] = True
    for example in np.flatnonzero(concerned).tolist():
        number_of: dict[int, int] = {}

        def rewritten(proposition: int, reading: bool, number_of: dict[int, int] = number_of) -> int:
            row = known.proposition(proposition).tolist()
            for at, word in enumerate(corpus.proposition(proposition).tolist()):
                if stranger[word]:
                    if reading and word not in number_of and len(number_of) < len(numbers):
                        number_of[word] = numbers[len(number_of)]
                    row[at] = number_of.get(word, UNK)
            return old + written.setdefault(tuple(row), len(written))

        for at in range(int(corpus.source_starts[example]), int(corpus.source_starts[example + 1])):
            if strange[corpus.sources[at]]:
                sources[at] = rewritten(int(corpus.sources[at]), bool(reads[at]))
        if strange[corpus.targets[example]]:
            targets[example] = rewritten(int(corpus.targets[example]), reading=False)
        names[example] = tuple(words[word] for word in number_of)
    more = np.fromiter((token for row in written for token in row), np.int32)
    ends = known.token_starts[-1] + np.cumsum([len(row) for row in written], dtype=np.int64)
    return replace(
        known,
        tokens=np.concatenate([known.tokens, more]),
        token_starts=np.concatenate([known.token_starts, ends]),
        targets=targets,
        sources=sources,
        names=tuple(names),
    )


def texts_of(example: Example) -> list[tuple[int, str]]:
    """(field, proposition) of all that is known of an example, in the order in which models read them."""
    number: dict[str, int] = {}

    def text(line: str) -> str:
        return "".join(chr(number.setdefault(token, len(number))) for token in line.split())

    source = [text(line) for _, line in example.source(hints=False)]
    statement, earlier = map(text, example.statement), map(text, example.earlier)
    above = above_the_gap(statement, earlier, source, text(example.f1), Counter())
    words = list(number)
    context = [(field, " ".join(words[ord(each)] for each in found)) for field, found in above]
    return [*example.source(hints=True), *context, *((SELECTED, line) for line in example.premises)]


def corpus_of_examples(examples: Sequence[Example], vocabulary: Sequence[str], input: Input = "base") -> Corpus:
    """Any examples as a model reads them, for proposals and scoring."""
    number = {token: i for i, token in enumerate(vocabulary)}

    def ids(line: str) -> list[int]:
        return [number.setdefault(token, len(number)) for token in line.split()]

    corpus = Corpus.of_examples(
        NumberedExample(
            [(field, ids(line)) for field, line in texts_of(example)],
            ids(example.f1),
            example.id,
            example.fixed,
        )
        for example in examples
    )
    return read_by_model(corpus, tuple(number), vocabulary, input)


def under_vocabulary(dataset: Dataset, vocabulary: Sequence[str]) -> Dataset:
    """The same data under a vocabulary that somebody else made; what it does not have is outside of it."""
    place = {token: number for number, token in enumerate(vocabulary)}
    moved = [place.setdefault(word, len(place)) for word in dataset.words]
    outside = tuple(place)[len(vocabulary) :]
    return replace(dataset, splits=_renumbered(dataset, moved), vocabulary=tuple(vocabulary), outside=outside)


def closed(dataset: Dataset) -> Dataset:
    """Whatever is outside of the vocabulary is unknown."""
    known = [*range(len(dataset.vocabulary)), *(UNK for _ in dataset.outside)]
    return replace(dataset, splits=_renumbered(dataset, known), outside=())


def _renumbered(dataset: Dataset, numbers: Sequence[int]) -> dict[str, Corpus]:
    """The splits with these numbers for the words of before."""
    new = np.array(numbers, np.int32)
    return {name: replace(split, tokens=new[split.tokens]) for name, split in dataset.splits.items()}


def with_names(
    tokens: Iterable[int], vocabulary: Sequence[str], numbers: Sequence[int], names: Sequence[str]
) -> list[str]:
    """Tokens in words, numbered constants by their names."""
    name_of = dict(zip(numbers, names, strict=False))
    return [name_of.get(token, vocabulary[token]) for token in tokens]
