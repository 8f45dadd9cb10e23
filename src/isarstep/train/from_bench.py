"""The bridge from a benchmark folder to the arrays that training and decoding read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from isarstep.bench.example import Example as BenchExample
from isarstep.models.config import ModelConfig
from isarstep.train.corpus import UNK, Corpus, Dataset, Example
from isarstep.train.dense import dense_corpus

if TYPE_CHECKING:
    from isarstep.bench.store import Benchmark

SPLITS = ("train", "validation", "test")


def dataset_of_benchmark(where: str | Path, splits: Sequence[str] = SPLITS) -> Dataset:
    # Parquet is read here alone: a machine that has the arrays, or asks its own examples, can do without.
    from isarstep.bench.store import Benchmark

    benchmark = Benchmark(where)
    return Dataset(
        {name: corpus_of_split(benchmark, where, name) for name in splits},
        tuple(benchmark.vocabulary),
        benchmark.hash,
    )


def corpus_of_split(benchmark: Benchmark, where: str | Path, name: str) -> Corpus:
    from isarstep.bench.arrays import load_arrays

    arrays = load_arrays(where, name)
    table = benchmark.split(name).table()
    # How many variables the context fixes, where the benchmark records it.
    known = "fixed" in table.column_names
    fixed = table["fixed"].to_numpy().astype(np.int32) if known else np.full(len(arrays), -1, np.int32)
    return Corpus(
        np.asarray(arrays.tokens),
        np.asarray(arrays.offsets),
        np.asarray(arrays.target),
        np.asarray(arrays.source),
        np.asarray(arrays.category).astype(np.int8),
        np.asarray(arrays.starts),
        fixed,
        tuple(table["id"].to_pylist()),
    )


def corpus_of_examples(examples: Sequence[BenchExample], vocabulary: Sequence[str]) -> Corpus:
    """Any examples under a model's vocabulary, for proposals and scoring."""
    number = {token: i for i, token in enumerate(vocabulary)}

    def ids(line: str) -> list[int]:
        return [number.get(token, UNK) for token in line.split()]

    return Corpus.of_examples(
        Example(
            [(field, ids(line)) for field, line in example.source(hints=True)],
            ids(example.f1),
            example.id,
            example.fixed,
        )
        for example in examples
    )


def corpus_for(config: ModelConfig, vocabulary: Sequence[str], examples: Sequence[BenchExample]) -> Corpus:
    """Any examples as a model of this configuration reads and writes them."""
    corpus = corpus_of_examples(examples, vocabulary)
    return dense_corpus(corpus, vocabulary) if config.dense else corpus
