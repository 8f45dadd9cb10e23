"""The input `+context` holds what stands above a gap and never its answer: by rule, and on the embedded benchmark."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from tests.embedded import embedded_benchmark

from isarstep.benchmark.arrays.context import above_the_gap, with_contexts
from isarstep.benchmark.arrays.corpus import Corpus
from isarstep.benchmark.arrays.files import load_dataset, save_dataset
from isarstep.benchmark.arrays.inputs import EARLIER, STATEMENT
from isarstep.benchmark.arrays.mapped import (
    contexts_above,
    corpus_of_split,
    corpus_with_context,
    dataset_of_benchmark,
    outside_of,
)
from isarstep.benchmark.arrays.measures import TRAINING_LIMIT
from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.setting import setting_of, with_setting
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.model.data.constants import corpus_of_examples


def read(statement: str, facts: str, source: str, target: str = "") -> tuple[str, Counter[str]]:
    """Propositions are words here, tokens letters; what comes out of the statement is written large."""
    counts: Counter[str] = Counter()
    found = above_the_gap(statement.split(), facts.split(), source.split(), target, counts)
    return " ".join(text.upper() if field == STATEMENT else text for field, text in found), counts


def test_the_statement_comes_first_then_the_nearest_fact() -> None:
    assert read("s", "d c b", "x y")[0] == "S d c b"


def test_what_is_read_already_is_not_read_twice() -> None:
    assert read("x", "y c c s", "x y s")[0] == "c"


@pytest.mark.parametrize(("text", "why"), [("abc", "is the target"), ("xabcx", "holds the target")])
def test_no_proposition_tells_the_target(text: str, why: str) -> None:
    for statement, facts in ((text, "d"), ("d", text)):
        found, counts = read(statement, f"{facts} e", "x y", "abc")
        assert (found.lower(), counts[why]) == ("d e", 1)


def test_what_the_source_tells_may_be_told_again_but_not_as_a_fact() -> None:
    assert read("s", "zabc abc", "xabc", "abc")[0] == "S zabc"


def test_facts_are_cut_where_an_example_of_training_would_be_too_long() -> None:
    source, near, far = "x" * (TRAINING_LIMIT - 10), "n" * 6, "f" * 5
    assert read("s", f"{near} {far} y", source) == (
        f"S {near}",
        Counter({"statements": 1, "facts": 1, "examples cut": 1}),
    )
    assert read("s", f"{near} {far[:3]}", source)[0] == f"S {near} {far[:3]}"


def texts_of(corpus: Corpus, example: int, fields: tuple[int, ...], words: list[str]) -> list[str]:
    here = slice(int(corpus.source_starts[example]), int(corpus.source_starts[example + 1]))
    pairs = zip(corpus.fields[here].tolist(), corpus.sources[here].tolist(), strict=True)
    return [" ".join(words[t] for t in corpus.proposition(n)) for field, n in pairs if field in fields]


def says(text: str, target: str) -> bool:
    return f" {target} " in f" {text} "


@pytest.fixture(scope="module")
def embedded() -> Benchmark:
    return embedded_benchmark()


@pytest.fixture(scope="module")
def words(embedded: Benchmark) -> list[str]:
    return [*embedded.vocabulary, *outside_of(embedded)]


@pytest.mark.slow
@pytest.mark.parametrize("split", ["validation", "unseen"])
def test_no_context_of_the_embedded_benchmark_holds_its_target(
    embedded: Benchmark, words: list[str], split: str
) -> None:
    """Every example: what is read beyond F.2-F.4 stands above the gap, is established before it, speaks of fixed
    variables alone, and does not say the target anywhere, unless F.2-F.4 do. What was left out is counted."""
    plain = corpus_of_split(embedded, split)
    contexts, counts = contexts_above(embedded, split, plain)  # made now, whatever a cache has
    corpus = with_contexts(plain, contexts)
    told = together = 0
    for number, example in enumerate(embedded.split(split)):
        context = texts_of(corpus, number, (STATEMENT, EARLIER), words)
        given = any(says(text, example.f1) for _, text in example.source(hints=False))
        told += given
        together += len(context)
        assert given or not any(says(text, example.f1) for text in context), example.id
        assert example.f1 not in context, example.id
        assert set(context) <= established_before(embedded, example), example.id
    assert together == counts["statements"] + counts["facts"]
    # So many propositions would have told; of so many examples the source itself holds the target.
    left_out = {"validation": (17, 32, 101), "unseen": (10, 62, 41)}
    assert (counts["is the target"], counts["holds the target"], told) == left_out[split]


def established_before(benchmark: Benchmark, example: Example) -> set[str]:
    """By the rows of the benchmark's tables: the theorem's statement, and facts whose first step is not after the
    target's and whose last one is not before it."""
    assert benchmark.proofs is not None
    assert example.proof_row is not None
    batch, place = benchmark.proofs.locate(example.proof_row)
    row = batch.slice(place, 1).to_pylist()[0]
    variable = {number: int(name[2:-1]) for name, number in example.places.items()}
    spans = zip(row["facts"], row["first"], row["last"], strict=True)
    there = [*row["statement"], *(fact for fact, first, last in spans if first <= example.target_step <= last)]
    renamed = []
    for line in (benchmark.propositions[number] for number in there):
        tokens = [
            f"<X{variable.get(int(token[2:-1]), -1)}>" if token.startswith("<X") else token for token in line.split()
        ]
        if not any(token.startswith("<X") and not 0 <= int(token[2:-1]) < example.fixed for token in tokens):
            renamed.append(" ".join(tokens))
    return set(renamed)


def test_arrays_and_examples_have_the_same_contexts(embedded: Benchmark, words: list[str]) -> None:
    """What is trained on is what somebody asks with, whose example comes from elsewhere."""
    plain = corpus_of_split(embedded, "validation")
    corpus = with_contexts(plain, contexts_above(embedded, "validation", plain)[0])
    split = embedded.split("validation")
    chosen = range(0, len(split), 11)
    asked = corpus_of_examples([with_setting(embedded, split[n]) for n in chosen], embedded.vocabulary, "+context")
    place = {word: number for number, word in enumerate(embedded.vocabulary)}
    for at, number in enumerate(chosen):
        for field in range(2, 8):
            theirs = texts_of(corpus, number, (field,), words)
            theirs = [" ".join(word if word in place else "<UNK>" for word in text.split()) for text in theirs]
            assert texts_of(asked, at, (field,), embedded.vocabulary) == theirs, split[number].id


def test_the_nearest_fact_of_a_real_proof_is_the_last_one_established(embedded: Benchmark) -> None:
    split = embedded.split("validation")
    found = next(e for n in range(len(split)) if len((e := with_setting(embedded, split[n])).earlier) > 3)
    setting = setting_of(embedded, found)
    assert setting is not None
    assert found.earlier == tuple(f for f in reversed(setting.facts) if f in found.earlier)


def test_a_file_of_arrays_keeps_contexts(
    small_benchmark: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    data = load_dataset(small_benchmark, "+context")
    assert (data.split("train").source_lengths("+context") > data.split("train").source_lengths("base")).any()
    save_dataset(data, tmp_path / "data.npz")
    again = load_dataset(tmp_path / "data.npz", "+context")
    for name, split in data.splits.items():
        for field in ("base", "+F.5", "+context"):
            np.testing.assert_array_equal(again.split(name).source_lengths(field), split.source_lengths(field))


def test_a_file_without_contexts_is_refused(
    small_benchmark: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    save_dataset(load_dataset(small_benchmark), tmp_path / "data.npz")
    with pytest.raises(UserError, match=r"without contexts; write it again with --input \+context"):
        load_dataset(tmp_path / "data.npz", "+context")


def test_other_inputs_read_what_they_read_without_contexts(small_benchmark: Path, tmp_path: Path) -> None:
    benchmark = Benchmark(small_benchmark)
    plain, more = (made(benchmark, "test", cache=tmp_path) for made in (corpus_of_split, corpus_with_context))
    assert len(more.sources) > len(plain.sources)
    for field in ("base", "+F.5"):
        np.testing.assert_array_equal(more.sources[more.reads(field)], plain.sources[plain.reads(field)])


def test_a_benchmark_without_proofs_has_no_contexts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.score.small import make_benchmark

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = make_benchmark(tmp_path / "bench", test=2, validation=2)
    with pytest.raises(UserError, match="knows no proofs"):
        dataset_of_benchmark(folder, "+context")
