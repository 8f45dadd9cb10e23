"""Exact match, intervals and the paired test against hand-computed cases."""

import math

import numpy as np
import pytest

from isarstep.evaluate.metrics import accuracy, mcnemar, ranks

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


def test_mcnemar_by_hand() -> None:
    # Five examples differ, all in favour of the left system: p = 2 / 2^5.
    left = np.array([True] * 5 + [True, False])
    right = np.array([False] * 5 + [True, False])
    assert mcnemar(left, right) == pytest.approx(2 / 32)
    assert mcnemar(left, left) == 1.0


def test_mcnemar_does_not_overflow() -> None:
    left = np.array([True] * 1500 + [False] * 1300)
    assert 0 < mcnemar(left, ~left) < 0.01


def test_no_examples_gives_no_number() -> None:
    assert math.isnan(accuracy(np.array([], dtype=bool)).value)
