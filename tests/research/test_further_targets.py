"""Answers as further targets: none that is scored, none that is read; as many of them as their share says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isarstep.benchmark.arrays.corpus import Corpus, Dataset, NumberedExample
from isarstep.benchmark.arrays.inputs import SELECTED

WORDS = ("<PAD>", "<BOS>", "<EOS>", "<UNK>", "(", ")", "p", "q", "r", "<X0>", "<X1>", "<X2>", "<V0>")
NUMBER = {word: number for number, word in enumerate(WORDS)}
ANSWER = "CONST p $ FREE <X1>"


@pytest.fixture
def further_targets(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "research" / "experiments"))
    import further_targets

    return further_targets


def numbers(text: str) -> list[int]:
    return [NUMBER[word] for word in text.split()]


def corpus(*rows: tuple[str, str, Sequence[tuple[int, str]]]) -> Corpus:
    return Corpus.of_examples(
        NumberedExample([(field, numbers(text)) for field, text in sources], numbers(target), name, 3)
        for name, target, sources in rows
    )


@pytest.fixture
def data() -> Dataset:
    train = corpus(
        ("a", "q <X0>", [(2, "r <X0>"), (3, "q ( r <X0> )")]),
        ("b", "r <X1>", [(2, "p <X0>"), (SELECTED, "q <V0>")]),
        ("c", "r <X2>", [(3, "p <X0>")]),
    )
    return Dataset({"train": train, "test": corpus(("t", "p ( q <X2> )", [(2, "p <X0>")]))}, WORDS, "hash")


def kept(module: Any, data: Dataset, *written: tuple[str, str]) -> tuple[list[tuple[str, str]], Counter[str]]:
    counts = Counter[str]()
    found = module.further_examples(data, written, module.held_out([data]), counts)
    texts = [" ".join(WORDS[t] for t in found.proposition(n)) for n in found.targets]
    return list(zip(found.ids, texts, strict=True)), counts


def test_the_source_stays_and_another_target_is_written(further_targets: Any, data: Dataset) -> None:
    found = further_targets.further_examples(data, [("b", ANSWER), ("a", ANSWER)], frozenset(), Counter())
    train = data.split("train")
    for place, own in enumerate((1, 0)):
        sources = [
            corpus.sources[slice(*corpus.source_starts[at : at + 2])] for corpus, at in ((found, place), (train, own))
        ]
        assert np.array_equal(*sources)
        assert found.proposition(found.targets[place]).tolist() == numbers("p <X1>")
    assert found.ids == ("b", "a")


def test_nothing_that_is_scored_becomes_a_target(further_targets: Any, data: Dataset) -> None:
    held = "CONST p $ ( CONST q $ FREE <X0> )"  # the target of the test split under another number
    found, counts = kept(further_targets, data, ("a", held), ("b", held), ("a", ANSWER))
    assert found == [("a", "p <X1>")]
    assert counts == {"held out": 2, "read": 0, "further": 1}


def test_scored_targets_of_other_data_count(further_targets: Any, data: Dataset) -> None:
    words = ("r", "<X0>", "p", "(", ")")  # other numbers for the same words
    beside = Dataset(
        {"unseen": replace(corpus(("u", "p <X0>", [(2, "q <X0>")])), tokens=np.array([2, 1], np.int32))}, words, "other"
    )
    beside = replace(
        beside,
        splits={
            "unseen": replace(beside.split("unseen"), token_starts=np.array([0, 2]), targets=np.array([0], np.int32))
        },
    )
    assert further_targets.held_out([data, beside]) == {"p ( q <X0> )", "p <X0>"}


def test_what_is_read_is_no_target(further_targets: Any, data: Dataset) -> None:
    found, counts = kept(
        further_targets, data, ("a", "CONST r $ FREE <X0>"), ("a", "CONST r $ FREE <X1>"), ("b", "CONST q $ FREE <X2>")
    )
    assert found == [("a", "r <X1>")]  # another variable is another statement, but a library fact speaks of all
    assert counts["read"] == 2


@pytest.mark.parametrize(("share", "many"), [(0.25, 1), (0.5, 3), (0.999, 100)])
def test_a_share_of_the_examples(further_targets: Any, data: Dataset, share: float, many: int) -> None:
    counts = Counter[str]()
    further = further_targets.further_examples(data, [("a", ANSWER), ("b", ANSWER)], frozenset(), counts)
    mixed = further_targets.mixed(data, further, share, counts).split("train")
    assert len(mixed) == 3 + many
    assert counts["mixed in"] == many
    before = data.split("train")
    for place in range(3):
        assert np.array_equal(mixed.proposition(mixed.targets[place]), before.proposition(before.targets[place]))
    assert [mixed.ids[place] for place in range(3, 3 + many)] == [("a", "b")[place % 2] for place in range(many)]


def test_without_further_targets_all_is_as_before(further_targets: Any, data: Dataset) -> None:
    further = further_targets.further_examples(data, [], frozenset(), Counter())
    mixed = further_targets.mixed(data, further, 0.5, Counter()).split("train")
    assert mixed.ids == data.split("train").ids


def test_an_answer_is_drawn_by_its_odds(further_targets: Any) -> None:
    lists = [(str(number), [("likely", -0.1), ("rare", -3.0)]) for number in range(400)]
    found = Counter(text for _, text in further_targets.drawn([*lists, ("none", [])], seed=1))
    assert found.total() == 400
    assert 0 < found["rare"] < 60
    assert further_targets.drawn(lists, seed=1) == further_targets.drawn(lists, seed=1)
