"""Exact match, intervals and the paired test against hand-computed cases."""

import math

import numpy as np
import pytest

from isarstep.score.metrics import accuracy, paired_p, ranks

EVEN = "CONST HOL.Trueprop $ ( CONST Parity.semiring_parity_class.even $ FREE <X0> )"


def test_ranks_by_tokens() -> None:
    found = ranks(["a", "b", "c"], [["a", "b"], ["a", "b"], []])
    assert found.exact.tolist() == [1, 2, 0]


def test_a_reference_with_an_unknown_token_never_matches() -> None:
    assert ranks(["CONST <UNK>"], [["CONST <UNK>"]]).exact.tolist() == [0]


def test_terms_match_whatever_the_brackets_and_the_schematic_numbering() -> None:
    reference = "CONST f $ VAR <V0> $ ( CONST g $ VAR <V1> )"
    renumbered = "CONST f $ VAR <V1> $ ( CONST g $ VAR <V0> )"
    bracketed = "( CONST f $ VAR <V0> ) $ ( CONST g $ VAR <V1> )"
    confused = "CONST f $ VAR <V0> $ ( CONST g $ VAR <V0> )"
    found = ranks([reference] * 3, [[renumbered], [bracketed], [confused]])
    assert found.exact.tolist() == [0, 0, 0]
    assert found.term.tolist() == [1, 1, 0]


def test_undecodable_predictions_never_match() -> None:
    assert ranks([EVEN], [[EVEN.replace(" )", "")]]).term.tolist() == [0]


def test_accuracy_interval_holds_the_value_and_narrows() -> None:
    few = accuracy(np.array([True, False] * 50))
    many = accuracy(np.array([True, False] * 5000))
    assert few.value == many.value == 50.0
    assert few.low < 50 < few.high
    assert many.high - many.low < few.high - few.low


def test_an_interval_knows_that_examples_of_one_theorem_are_alike() -> None:
    """Four answers to each of fifty theorems, all four right or none: as good as fifty answers, not two hundred."""
    correct = np.repeat(np.array([True, False] * 25), 4)
    apart, together = accuracy(correct), accuracy(correct, np.repeat(np.arange(50), 4))
    fifty = accuracy(correct[::4])
    assert apart.value == together.value == 50
    assert (together.low, together.high) == (fifty.low, fifty.high)
    assert together.high - together.low == pytest.approx(2 * (apart.high - apart.low), rel=0.1)


def test_clusters_of_unlike_sizes_keep_the_share_of_examples() -> None:
    correct = np.array([True] * 30 + [False] * 10)
    clusters = np.array([0] * 30 + list(range(1, 11)))
    found = accuracy(correct, clusters)
    assert found.value == 75
    assert found.low == 0  # without the large theorem nothing is right
    assert found.high > 75


def test_the_paired_test_by_hand() -> None:
    # Five examples differ, all in favour of the left system: p = 2 / 2^5.
    left = np.array([True] * 5 + [True, False])
    right = np.array([False] * 5 + [True, False])
    assert paired_p(left, right) == pytest.approx(2 / 32, abs=0.008)
    assert paired_p(right, left) == paired_p(left, right)
    assert paired_p(left, left) == 1.0


def test_what_one_theorem_says_five_times_it_says_once() -> None:
    left, right = np.array([True] * 12), np.array([False] * 10 + [True] * 2)
    assert paired_p(left, right) < 0.01
    assert paired_p(left, right, np.array([0] * 5 + [1] * 5 + [2, 3])) == pytest.approx(0.5, abs=0.02)


def test_no_examples_gives_no_number() -> None:
    assert math.isnan(accuracy(np.array([], dtype=bool)).value)
