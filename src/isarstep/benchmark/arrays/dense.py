"""Shorter sequences for the same terms: without `$` and without the words that only announce the kind of a name.

`CONST HOL.eq $ FREE <X0> $ ( FREE <X1> $ BOUND 0 )` becomes `HOL.eq <X0> ( <X1> 0 )`: a name tells its own kind, and
of two operands beside each other the first is applied. Half of all tokens go, and with them half of the steps of a
search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from isarstep.benchmark.arrays.corpus import Corpus, Dataset, starts_of

IMPLIED = ("$", "CONST", "FREE", "VAR", "BOUND")


def dense_corpus(corpus: Corpus, vocabulary: Sequence[str]) -> Corpus:
    implied = [number for number, token in enumerate(vocabulary) if token in IMPLIED]
    kept = ~np.isin(corpus.tokens, implied)
    totals = starts_of(kept.astype(np.int64))
    return replace(corpus, tokens=corpus.tokens[kept], token_starts=totals[corpus.token_starts])


def dense_dataset(dataset: Dataset) -> Dataset:
    splits = {name: dense_corpus(corpus, dataset.words) for name, corpus in dataset.splits.items()}
    return replace(dataset, splits=splits)


def spelt_out(tokens: Sequence[str]) -> list[str]:
    """The tokens of the paper again. What is no term stays no term."""
    words: list[str] = []
    operand_before = False
    for token in tokens:
        if token == ")":
            operand_before = True
        elif token == "ABS":
            operand_before = False
        else:
            if operand_before:
                words.append("$")
            operand_before = token != "("
            if token != "(":
                words.append(kind_of_name(token))
        words.append(token)
    return words


def kind_of_name(token: str) -> str:
    """The word that announces a name in the paper's tokens."""
    if token.isascii() and token.isdecimal():
        return "BOUND"
    if token[0] == "<" and token[-1] == ">" and token[2:-1].isdecimal():
        return {"X": "FREE", "V": "VAR"}.get(token[1], "CONST")
    return "CONST"
