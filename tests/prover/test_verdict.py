"""The paper's notions, and ours, from what became of the gaps: every case of them."""

from __future__ import annotations

from itertools import product

import pytest

from isarstep.prover.outcomes.verdict import (
    COLUMNS,
    NOT_ASKED,
    Background,
    Gap,
    IllFormed,
    Likeness,
    Proved,
    Refuted,
    TimedOut,
    Unknown,
    Unsupported,
    WellFormed,
    proved,
    row,
)

BY_P = Proved("z3", 0.5, ("P", "F.4"), 0)
WITHOUT_P = Proved("z3", 0.5, ("F.4",), 3)
OPEN = TimedOut(1.0)


def verdict(
    likeness: Likeness,
    first: Gap = BY_P,
    second: Gap = BY_P,
    trivial: Gap = OPEN,
    direct: Gap = OPEN,
    paper: Gap = OPEN,
    f2: Gap = OPEN,
    f4: Gap = OPEN,
) -> WellFormed:
    return WellFormed("e", 2, likeness, first, second, trivial, Background("step", direct, paper, f2, f4))


OTHER = Likeness(exact=False, alpha=False, equivalent=False, copy=False)


def test_an_alternative_closes_both_gaps_and_is_neither_the_reference_nor_copied() -> None:
    for exact, alpha, copy, first, second in product((False, True), repeat=5):
        found = verdict(
            Likeness(exact, alpha, False, copy), BY_P if first else OPEN, BY_P if second else Unknown("no idea")
        )
        reference = exact or alpha
        assert found.bridged == (first and second)
        assert found.alternative == ((first, second, reference, copy) == (True, True, False, False))
        assert found.correct == (reference or found.alternative)
        assert found.strict_alternative == found.alternative
        assert found.strict_correct == found.correct
        assert found.gap_class == found.gap_class_paper == ("just right" if first and second else "large")
        assert not found.redundant


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("equivalent", verdict(Likeness(exact=False, alpha=False, equivalent=True, copy=False))),
        ("trivial", verdict(OTHER, trivial=WITHOUT_P)),
        ("small gap", verdict(OTHER, direct=WITHOUT_P)),
        ("contradictory F.2", verdict(OTHER, f2=WITHOUT_P)),
        ("contradictory F.4", verdict(OTHER, f4=WITHOUT_P)),
    ],
)
def test_each_loophole_makes_an_alternative_no_strict_one(name: str, found: WellFormed) -> None:
    assert found.loopholes == (name,)
    assert found.alternative
    assert found.correct
    assert not found.strict_alternative
    # The reference in another dress is right all the same, and may help a prover.
    assert found.strict_correct == (name == "equivalent")
    assert found.improves_automation
    assert found.strictly_improves_automation == (name == "equivalent")


def test_the_reference_is_strictly_correct_whatever_is_proved() -> None:
    for exact in (True, False):
        found = verdict(Likeness(exact, True, True, True), OPEN, OPEN, direct=WITHOUT_P, f2=WITHOUT_P)
        assert found.correct
        assert found.strict_correct
        assert found.redundant
        assert not found.alternative


def test_automation_is_improved_only_by_way_of_the_proposal_and_where_f2_alone_was_not_enough() -> None:
    unnamed = Proved("e", 0.1, ("?",), 0)
    for first, second, paper in product((BY_P, OPEN), (BY_P, WITHOUT_P, unnamed, OPEN), (WITHOUT_P, OPEN)):
        found = verdict(OTHER, first, second, paper=paper)
        by_way = second in (BY_P, unnamed)  # who does not say what was used may have used it
        assert found.improves_automation == (first == BY_P and by_way and paper == OPEN)
        assert found.strictly_improves_automation == found.improves_automation


def test_a_gap_is_small_where_the_consequence_follows_without_the_proposal() -> None:
    for both in (BY_P, OPEN):
        assert verdict(OTHER, both, both, direct=WITHOUT_P).gap_class == "small"
        assert verdict(OTHER, both, both, paper=WITHOUT_P).gap_class_paper == "small"
        assert verdict(OTHER, both, both, direct=WITHOUT_P).gap_class_paper == (
            "large" if both == OPEN else "just right"
        )
    assert not verdict(OTHER, direct=WITHOUT_P).redundant  # only a reference step is


def test_what_a_person_reads_of_a_gap() -> None:
    assert str(BY_P) == "proved from the given premises by z3 in 0.50 s, used: P, F.4"
    assert str(Proved("e", 0.25, (), 3)) == "proved with 3 library facts by e in 0.25 s"
    assert str(Refuted("nitpick", "x = 0")) == "refuted by nitpick"
    assert str(OPEN) == "not proved: out of time after 1.0 s"
    assert str(NOT_ASKED) == "not asked"
    assert str(Unknown("gave up")) == "not proved: gave up"
    assert [proved(gap) for gap in (BY_P, Refuted("n", ""), OPEN, NOT_ASKED)] == [True, False, False, False]


def test_a_row_has_every_column_and_null_where_nothing_applies() -> None:
    full = row(verdict(OTHER, second=Refuted("nitpick", "x = 0"), direct=Unknown("gave up"), f2=NOT_ASKED))
    assert list(full) == list(COLUMNS)
    assert (full["verdict"], full["kind"], full["rank"], full["example"]) == ("well-formed", "step", 2, "e")
    assert (full["first_result"], full["first_by"], full["first_library"]) == ("proved", "z3", 0)
    assert full["first_facts"] == ["P", "F.4"]
    assert (full["second_result"], full["second_facts"], full["second_seconds"]) == ("refuted", ["x = 0"], None)
    assert (full["trivial_result"], full["trivial_seconds"]) == ("timeout", 1.0)
    assert full["direct_result"] == "unknown: gave up"
    assert full["f2_contradictory_result"] is None
    assert (full["correct"], full["alternative"], full["gap_class"], full["loopholes"]) == (False, False, "large", [])
    ill = row(IllFormed("e", 1, "assumption", "no type"))
    assert (ill["verdict"], ill["correct"], ill["strict_correct"], ill["exact"]) == ("ill-formed", False, False, None)
    assert (ill["why"], ill["kind"]) == ("no type", "assumption")
    none = row(Unsupported("e", 1, "no F.3"))
    assert (none["verdict"], none["correct"], none["why"], none["kind"]) == ("unsupported", None, "no F.3", None)
    assert list(none) == list(ill) == list(COLUMNS)
