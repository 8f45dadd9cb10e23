"""A split as mapped integers holds the same examples as its Parquet files, made now or found in the cache."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from isarstep.benchmark.arrays.corpus import Corpus
from isarstep.benchmark.arrays.mapped import corpus_of_split, outside_of
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.model.data.constants import corpus_of_examples, is_constant, read_by_model


@pytest.fixture(scope="module")
def benchmark(small_benchmark: Path) -> Benchmark:
    return Benchmark(small_benchmark)


def sources(corpus: Corpus, example: int) -> list[tuple[int, list[int]]]:
    here = slice(int(corpus.source_starts[example]), int(corpus.source_starts[example + 1]))
    pairs = zip(corpus.fields[here].tolist(), corpus.sources[here].tolist(), strict=True)
    return [(field, corpus.proposition(number).tolist()) for field, number in pairs]


@pytest.mark.parametrize("name", ["train", "test"])
def test_arrays_are_the_same_examples(benchmark: Benchmark, name: str, tmp_path: Path) -> None:
    split = benchmark.split(name)
    corpus = corpus_of_split(benchmark, name, cache=tmp_path)
    words = [*benchmark.vocabulary, *outside_of(benchmark, cache=tmp_path)]
    place = {token: number for number, token in enumerate(words)}
    assert len(place) == len(words) > len(benchmark.vocabulary)

    def numbers(text: str) -> list[int]:
        return [place[token] for token in text.split()]

    assert len(corpus) == len(split) > 0
    for number, example in enumerate(split):
        assert corpus.ids[number] == example.id
        assert corpus.variables[number] == example.fixed
        assert corpus.proposition(int(corpus.targets[number])).tolist() == numbers(example.f1)
        assert sources(corpus, number) == [(field, numbers(text)) for field, text in example.source()]


def test_the_cache_gives_the_same_arrays_again(benchmark: Benchmark, tmp_path: Path) -> None:
    first = corpus_of_split(benchmark, "test", cache=tmp_path)
    made = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.npy")}
    second = corpus_of_split(benchmark, "test", cache=tmp_path)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.npy")} == made
    for array in ("tokens", "token_starts", "targets", "sources", "fields", "source_starts"):
        np.testing.assert_array_equal(getattr(first, array), getattr(second, array))


@pytest.mark.parametrize("numbers", [0, 2])
def test_examples_asked_one_by_one_are_read_alike(benchmark: Benchmark, numbers: int, tmp_path: Path) -> None:
    """The bridge for proposals and the one for training give a model the same numbers in the same order."""
    rare = [token for token in benchmark.vocabulary if is_constant(token)][5:]
    named = [token for token in benchmark.vocabulary if token not in rare]
    vocabulary = (*named, *(f"<C{n}>" for n in range(numbers)))
    mapped = corpus_of_split(benchmark, "test", cache=tmp_path)
    words = (*benchmark.vocabulary, *outside_of(benchmark, cache=tmp_path))
    mapped = read_by_model(mapped, words, vocabulary, input="+F.5")
    asked = corpus_of_examples(list(benchmark.split("test")), vocabulary, input="+F.5")
    assert asked.names == mapped.names
    assert any(asked.names) == (numbers > 0)
    assert [sources(asked, i) for i in range(len(asked))] == [sources(mapped, i) for i in range(len(mapped))]


def test_a_split_that_is_not_there_is_refused(benchmark: Benchmark, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such split"):
        corpus_of_split(benchmark, "dev", cache=tmp_path)
