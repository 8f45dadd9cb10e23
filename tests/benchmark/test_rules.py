"""Each rule on the smallest corpus that needs it: with the rule gone, the test fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

from isarstep.benchmark.rules.entries import entry_of, final_entries
from isarstep.benchmark.rules.rules import (
    NEW,
    TEST,
    TRAIN,
    UNSEEN,
    VALIDATION,
    Columns,
    Sizes,
    band_of,
    choose_fresh,
    decide,
)

SIZES = Sizes(scored=4, unseen=4, of_a_theorem=2, common=3, unseen_share=0.5, unseen_entries=1)


def columns(rows: Sequence[dict[str, Any]]) -> Columns:
    """Rows say only what matters; all else differs from row to row."""
    own = {"theorem", "identifier", "key", "renamed", "target"}
    usual = {"band": TRAIN, "entry": 0, "marked": False, "copies": 1, "split": NEW}
    names = (*Columns.__annotations__,)
    return Columns(
        *(
            np.array([row.get(name, 1000 + n if name in own else usual.get(name)) for n, row in enumerate(rows)])
            for name in names
        )
    )


def splits(rows: Sequence[dict[str, Any]], sizes: Sizes = SIZES, **more: Any) -> dict[str, list[int]]:
    return {name: found.tolist() for name, found in decide(columns(rows), sizes, **more).splits.items()}


def test_validation_and_test_are_chosen_by_theorem_and_all_else_is_trained_on() -> None:
    rows = [{"band": band, "theorem": n} for n, band in enumerate([TRAIN, VALIDATION, TEST, TEST, TRAIN])]
    assert splits(rows) == {"train": [0, 4], "validation": [1], "test": [2, 3], "unseen": []}


def test_of_a_theorem_only_the_first_few_by_id_are_scored_and_none_is_trained_on() -> None:
    rows = [{"band": TEST, "theorem": 7, "identifier": i} for i in (30, 10, 20)]
    found = decide(columns(rows), SIZES)
    assert found.splits["test"].tolist() == [1, 2]
    assert found.splits["train"].tolist() == []
    assert found.dropped["of scored theorems"] == 1


def test_what_is_not_scored_in_a_band_is_trained_on() -> None:
    rows = [{"band": TEST, "theorem": n} for n in range(6)]
    assert splits(rows)["test"] == [0, 1, 2, 3]
    assert splits(rows)["train"] == [4, 5]


def test_theorems_come_in_the_order_of_their_identities() -> None:
    rows = [{"band": TEST, "theorem": n} for n in (5, 4, 3, 2, 1)]
    assert splits(rows)["test"] == [1, 2, 3, 4]


def test_a_target_that_many_theorems_share_is_not_scored_and_stays_in_training() -> None:
    rows = [{"target": 1, "theorem": 1}, {"target": 1, "theorem": 2}, {"band": TEST, "target": 1, "theorem": 3}]
    assert splits(rows)["test"] == []
    assert splits(rows)["train"] == [0, 1, 2]
    assert splits(rows, Sizes(scored=4, common=4))["test"] == [2]
    assert splits(rows, Sizes(scored=4, common=4))["train"] == []
    # Three times in one theorem is once.
    once = [{"target": 1, "theorem": 1} for _ in range(3)]
    assert splits([*once, {"band": TEST, "target": 1, "theorem": 3}])["test"] == [3]


def test_what_teaches_nothing_is_not_scored_but_trained_on() -> None:
    assert splits([{"band": TEST, "marked": True}]) == {"train": [0], "validation": [], "test": [], "unseen": []}


def test_a_training_example_with_a_scored_target_goes() -> None:
    found = decide(columns([{"target": 1}, {"band": TEST, "target": 1}, {"target": 2, "copies": 3}]), SIZES)
    assert found.splits["train"].tolist() == [2]
    assert found.dropped["leaking"] == 1


def test_a_training_example_that_is_a_scored_one_up_to_renaming_goes() -> None:
    assert splits([{"renamed": 1}, {"band": VALIDATION, "renamed": 1}])["train"] == []


def test_equal_examples_are_kept_once_with_their_copies_counted() -> None:
    found = decide(columns([{"key": 1, "copies": 2}, {"key": 1}, {"key": 2}]), SIZES)
    assert found.splits["train"].tolist() == [0, 2]
    assert found.copies[[0, 2]].tolist() == [3, 1]
    assert found.dropped["duplicates"] == 2
    scored = [{"band": TEST, "theorem": 1, "key": 1}, {"band": TEST, "theorem": 2, "key": 1}]
    assert splits(scored)["test"] == [0]


def test_copies_of_scored_examples_are_counted_too() -> None:
    """A manifest says how many examples were found again: of one that was found four times that are three."""
    found = decide(columns([{"band": TEST, "copies": 4}, {"copies": 2}]), SIZES)
    assert found.copies.tolist() == [4, 2]
    assert found.dropped["duplicates"] == 4


UNSEEN_ROWS = [{"entry": 0} for _ in range(6)] + [{"entry": 1, "target": 50 + n} for n in range(3)]


def test_nothing_of_an_unseen_entry_is_trained_on() -> None:
    found = decide(columns(UNSEEN_ROWS), SIZES, [1])
    assert found.splits["train"].tolist() == [0, 1, 2, 3, 4, 5]
    assert found.splits["unseen"].tolist() == [6, 7, 8]
    assert list(found.entries) == [1]
    assert decide(columns([*UNSEEN_ROWS, {"entry": 1, "band": TEST}]), SIZES, [1]).splits["test"].tolist() == []


@pytest.mark.parametrize("what", ["target", "renamed", "theorem"])
def test_where_an_unseen_example_equals_a_training_one_the_scored_one_goes(what: str) -> None:
    rows = [dict(row) for row in UNSEEN_ROWS]
    rows[0][what] = rows[7][what] = 9
    found = decide(columns(rows), SIZES, [1])
    assert found.splits["train"].tolist() == [0, 1, 2, 3, 4, 5]
    assert found.splits["unseen"].tolist() == [6, 8]
    assert found.dropped["of unseen entries"] == 1


def test_unseen_entries_are_few_and_small() -> None:
    rows = [{"entry": entry} for entry in (0, 0, 0, 0, 1, 1, 1, 1, 1, 2)]
    assert list(decide(columns(rows), Sizes(unseen=1, unseen_share=0.3, unseen_entries=1), [1, 2]).entries) == [2]
    many = [{"entry": entry} for entry in (0, 0, 0, 1, 1, 2, 2)]
    assert list(decide(columns(many), Sizes(unseen=1, unseen_share=0.9, unseen_entries=1), [1, 2]).entries) == [1]
    assert list(decide(columns(rows), Sizes(unseen=9, unseen_share=0.9, unseen_entries=2), [1, 2]).entries) == [2]
    both = [
        {"entry": entry} for entry in (0, 0, 0, 0, 1, 1, 1, 2, 2, 2)
    ]  # each is small enough, but not with the other
    assert list(decide(columns(both), Sizes(unseen=9, unseen_share=0.5, unseen_entries=1), [1, 2]).entries) == [1]


def test_entries_are_left_unseen_until_they_could_give_a_quarter_more_than_is_scored() -> None:
    rows = [{"entry": max(0, n), "theorem": n} for n in range(-20, 8)]
    assert decide(columns(rows), SIZES, [*range(1, 8)]).entries == [1, 2, 3, 4, 5]


def test_the_numbers_of_the_rules() -> None:
    """Whoever changes one of them makes another benchmark."""
    assert asdict(Sizes()) == {
        "scored": 5000,
        "unseen": 3000,
        "fresh": 3000,
        "entry_share": 0.08,
        "of_a_theorem": 4,
        "common": 20,
        "band": 0.05,
        "unseen_share": 0.02,
        "unseen_entries": 5,
    }


def test_frozen_splits_stay_and_newcomers_keep_away_from_them() -> None:
    old = [{"split": TRAIN}, {"split": TEST, "theorem": 3, "target": 30, "renamed": 300}]
    unseen = [{"split": UNSEEN, "entry": 1, "theorem": 4, "target": 40, "renamed": 400}]
    new = [
        {"band": TEST},  # would be scored in a new benchmark
        {"theorem": 3},
        {"target": 30},
        {"renamed": 300},
        {"entry": 1},
        {"theorem": 4},
        {"target": 40},
        {"renamed": 400},
        {},
    ]
    found = splits([*old, *unseen, *new], frozen=True, entries=[1])
    assert found == {"train": [0, 3, 11], "validation": [], "test": [1], "unseen": [2]}


def test_a_benchmark_has_grown_where_examples_came_after_the_scored_ones_were_chosen() -> None:
    """Its manifest says so, and who chooses again from all of it would score others."""
    old = [{"split": TRAIN}, {"split": TEST}]
    assert not decide(columns(old), SIZES, frozen=True).grown
    assert decide(columns([*old, {}]), SIZES, frozen=True).grown
    assert not decide(columns([{}, {}]), SIZES).grown


def test_fresh_examples_are_of_the_rows_given_and_of_no_others() -> None:
    """All other rows are examples that models were trained on."""
    table = columns([{"identifier": n} for n in range(4)])
    assert choose_fresh(table, np.array([2, 3]), Sizes(fresh=2)).tolist() == [2, 3]
    assert choose_fresh(table, np.zeros(0, np.int64), Sizes(fresh=2)).tolist() == []


def test_fresh_examples_are_few_of_a_theorem_and_the_first_by_id() -> None:
    rows = [{"theorem": t, "identifier": i} for t, i in ((1, 9), (1, 8), (1, 7), (2, 6), (3, 1))]
    sizes = Sizes(fresh=3, of_a_theorem=2)
    assert choose_fresh(columns(rows), np.arange(5), sizes).tolist() == [2, 3, 4]


def test_bands() -> None:
    """By the first eight digits alone; a twentieth each, at the upper end."""
    places = {"00000000": TRAIN, "e6666665": TRAIN, "e6666667": VALIDATION, "f3333332": VALIDATION, "f3333334": TEST}
    assert {place: band_of(place + "0" * 8) for place in places} == places
    assert band_of("ffffffff" + "0" * 8) == TEST
    assert band_of("0" * 8 + "ffffffff") == TRAIN
    # What stands exactly where a band begins is in it.
    assert [band_of(place + "0" * 8, 0.25) for place in ("7fffffff", "80000000", "bfffffff", "c0000000")] == [
        TRAIN,
        VALIDATION,
        VALIDATION,
        TEST,
    ]


def test_entries() -> None:
    assert entry_of("Collections_Examples") == "Collections"
    sessions = {"HOL.A": "HOL", "HOL-X.B": "HOL-X", "P.C": "P", "Q.D": "Q", "Q.E": "Q", "Lorenz_C0.F": "Lorenz_C0"}
    parents = {"P.C": ["HOL.A"], "Q.D": ["P.C"], "Q.E": ["Q.D"], "HOL-X.B": ["HOL.A"], "Lorenz_C0.F": ["HOL.A"]}
    # The distribution's sessions are no entries, and Q rests on P. The order is that of hashes.
    assert final_entries(sessions, parents) == ["Ordinary_Differential_Equations", "Q"]
