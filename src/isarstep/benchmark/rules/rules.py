"""Which examples are trained on, which are scored, and which are neither: functions on columns of numbers.

Version 2.1. Scored splits are chosen once and then frozen: what comes with a growing corpus is trained on, unless it is
of a scored theorem or an unseen entry, has a scored target, or is a scored example up to renaming. Nothing else is
kept from training, so that the rules cost little. 2.1 differs from 2 in what is not scored: targets that say no more
than a neighbour (see trivial), and copies up to renaming of what is scored already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from isarstep.benchmark.store.layout import LENGTHS, SPLITS

Column: TypeAlias = np.ndarray[Any, np.dtype[Any]]

VERSION = "2.1"
NEW, TRAIN, VALIDATION, TEST, UNSEEN, FRESH, UNSEEN2, FRESH2 = range(8)
NAMES = dict(enumerate(SPLITS, TRAIN))
MAX_SOURCE, MAX_TARGET = 800, 200  # tokens of an example, the paper's numbers
# As manifests say: what is longer is no example, and none is kept that is open or restates something.
KEPT = {"max_source": MAX_SOURCE, "max_target": MAX_TARGET, "keep_open": False, "keep_restated": False}
COPY = "copy"  # the mark of what is scored already up to renaming
NO_LONGER = "no longer scored"  # by an earlier version of the rules they were
DROPPED = ("of scored theorems", "of unseen entries", "leaking")  # why an example is neither trained on nor scored
COPIED, ALREADY = "of copied theories", "already trained on"  # likewise, in an addition


@dataclass(frozen=True)
class Sizes:
    """How many examples are scored; the defaults are the paper's numbers and this project's."""

    scored: int = 5_000  # of validation and of test
    unseen: int = 3_000
    fresh: int = 3_000  # of younger entries, or of more unseen ones, in a folder of their own
    entry_share: float = 0.08  # of these at most from one entry, where there are entries enough
    of_a_theorem: int = 4
    common: int = 20  # a target that so many theorems share is not scored
    band: float = 0.05  # of all theorems at most, for validation and for test each
    unseen_share: float = 0.02  # of all examples at most, in whole entries
    unseen_entries: int = 5  # at least so many share it, or one long proof after the other would be all


def band_of(theorem: str, share: float = Sizes.band) -> int:
    """Where a theorem may be scored, by its identity alone: TEST, VALIDATION, or nowhere (TRAIN)."""
    place = int(theorem[:8], 16) / 2**32
    return TRAIN if place < 1 - 2 * share else VALIDATION if place < 1 - share else TEST


def length_counts(tokens: Column) -> list[int]:
    """Return how many targets are up to 10 tokens long, up to 20, ..., longer."""
    counted = np.bincount(np.digitize(tokens, LENGTHS, right=True), minlength=len(LENGTHS) + 1)
    return [int(count) for count in counted]


@dataclass(frozen=True)
class Columns:
    """What the rules look at, one row an example, in canonical order."""

    theorem: Column  # a number for each identity, in the order of identities
    band: Column  # of the theorem
    entry: Column  # a number for each entry
    identifier: Column  # the id as a number
    key: Column  # equal for equal F.1-F.5
    renamed: Column  # equal for examples that differ in variables only
    target: Column  # proposition number of F.1
    marked: Column  # True: teaches nothing, and is not scored
    copies: Column
    split: Column  # NEW, or where a finished benchmark has it


@dataclass(frozen=True)
class Decision:
    """Row numbers of each split in canonical order, how often each kept row was found, and what was dropped why."""

    splits: Mapping[str, Column] = field(hash=False)
    copies: Column  # aligned with the input; meaningful for kept rows
    dropped: Mapping[str, int] = field(hash=False)  # examples, copies counted
    entries: Sequence[int]  # the unseen ones
    leaking: Column  # rows that would be trained on, did they not give scored ones away
    # Examples that would be scored but for a mark of rules 2.1, by mark.
    passed_over: Mapping[str, int] = field(hash=False)
    grown: bool = False  # the scored splits were chosen from a smaller corpus


Marks = Callable[[Column], Sequence[str]]  # of examples given by row: why one says nothing; empty: it may be scored


def unmarked(rows: Column) -> Sequence[str]:
    """Every example says something: for tables that have no texts."""
    return [""] * len(rows)


class Sieve:
    """Chooses again without what must not be scored, until nothing is left of that.

    Only chosen examples are looked at, since looking is slow. What comes first keeps its place among copies.
    """

    def __init__(self, columns: Columns, scorable: Column, marks: Marks) -> None:
        self.scorable = scorable.copy()
        self.passed_over: dict[str, int] = {}
        self._columns = columns
        self._marks = marks
        self._clean: set[int] = set()
        self._taken: set[object] = set()  # by choices that are made

    def choose(self, choose: Callable[[Column], Sequence[Column]]) -> list[Column]:
        """What is chosen of the scorable rows, in one piece or more; of copies the first piece has the first."""
        while True:
            pieces = [np.asarray(piece) for piece in choose(self.scorable)]
            bad = self._bad(np.concatenate(pieces))
            if not bad:
                self._taken.update(self._columns.renamed[np.concatenate(pieces)].tolist())
                return pieces
            self.scorable[list(bad)] = False
            for mark in bad.values():
                self.passed_over[mark] = self.passed_over.get(mark, 0) + 1

    def _bad(self, rows: Column) -> dict[int, str]:
        new = np.array([row for row in rows.tolist() if row not in self._clean], np.int64)
        found = {row: mark for row, mark in zip(new.tolist(), self._marks(new), strict=True) if mark}
        self._clean.update(set(new.tolist()) - found.keys())
        seen = set(self._taken)
        for row in rows.tolist():
            key = self._columns.renamed[row].item()
            if row not in found and key in seen:
                found[row] = COPY
            elif row not in found:
                seen.add(key)
        return found


def decide(
    columns: Columns,
    sizes: Sizes,
    candidates: Sequence[int] = (),
    entries: Sequence[int] = (),
    *,
    frozen: bool = False,
    marks: Marks = unmarked,
) -> Decision:
    """Apply the rules that need the whole corpus.

    Frozen: the scored splits are as they are. Else validation and test are chosen by theorem, and unseen entries among
    the candidates, which are tried in the order given.
    """
    unseen_entries = list(entries)
    grown = frozen and bool((columns.split == NEW).any())
    sieve = Sieve(columns, ~columns.marked & ~common_targets(columns, sizes.common), marks)
    if frozen:
        scored = {split: np.flatnonzero(columns.split == split) for split in (VALIDATION, TEST, UNSEEN)}
    else:
        unseen_entries = choose_entries(columns, sieve.scorable, sizes, candidates)
        outside = ~np.isin(columns.entry, unseen_entries)
        test, validation = sieve.choose(lambda free: _choose_bands(columns, free & outside, sizes))
        scored = {VALIDATION: validation, TEST: test, UNSEEN: np.zeros(0, np.int64)}
    inside = np.isin(columns.entry, unseen_entries)
    all_scored = np.concatenate([scored[VALIDATION], scored[TEST], scored[UNSEEN]])
    rest = ~inside
    rest[all_scored] = False
    # What is new may be of a theorem that is scored as unseen; while nothing is frozen, the unseen example would go.
    of_theorems = rest & np.isin(columns.theorem, columns.theorem[all_scored])
    rest &= ~of_theorems
    leaking = np.isin(columns.target, columns.target[all_scored])
    leaking |= np.isin(columns.renamed, columns.renamed[all_scored])
    leaking &= rest
    train, copies = distinct(columns, np.flatnonzero(rest & ~leaking))
    if not frozen:
        of_entries = inside.copy()
        (scored[UNSEEN],) = sieve.choose(
            lambda free: [choose_unseen(columns, np.flatnonzero(of_entries & free), train, sizes)]
        )
    scored_rows = np.concatenate([*scored.values()])
    copies[scored_rows] = columns.copies[scored_rows]
    inside[scored_rows] = False
    dropped = zip(DROPPED, (of_theorems, inside, leaking), strict=True)
    counts = {name: int(columns.copies[rows].sum()) for name, rows in dropped}
    counts["duplicates"] = int((copies[train] - 1).sum()) + int((copies[scored_rows] - 1).sum())
    splits = {NAMES[split]: np.sort(rows) for split, rows in {TRAIN: train, **scored}.items()}
    return Decision(splits, copies, counts, unseen_entries, np.flatnonzero(leaking), sieve.passed_over, grown)


def _choose_bands(columns: Columns, free: Column, sizes: Sizes) -> list[Column]:
    """Test and validation."""
    return [
        _by_theorem(columns, np.flatnonzero((columns.band == band) & free), sizes)[: sizes.scored]
        for band in (TEST, VALIDATION)
    ]


def common_targets(columns: Columns, common: int) -> Column:
    """Is an example's target one that so many theorems share?"""
    count = int(columns.theorem.max(initial=0)) + 1
    pairs = np.unique(columns.target.astype(np.int64) * count + columns.theorem)
    targets, theorems = np.unique(pairs // count, return_counts=True)
    return np.isin(columns.target, targets[theorems >= common])


def _by_theorem(columns: Columns, rows: Column, sizes: Sizes) -> Column:
    """Theorem by theorem in the order of identities, of each the first few by id; the same example stands once."""
    _, first = np.unique(columns.key[rows], return_index=True)
    rows = rows[np.sort(first)]
    rows = rows[np.lexsort((columns.identifier[rows], columns.theorem[rows]))]
    return np.asarray(rows[first_of_group(columns.theorem[rows], sizes.of_a_theorem)])


def first_of_group(groups: Column, most: int) -> Column:
    """Of rows that stand group by group: is it one of the first so many of its group?"""
    begins = np.flatnonzero(np.concatenate([[True], groups[1:] != groups[:-1]])) if len(groups) else groups
    rank = np.arange(len(groups)) - np.repeat(begins, np.diff(np.append(begins, len(groups))))
    return np.asarray(rank < most)


def choose_entries(columns: Columns, scorable: Column, sizes: Sizes, candidates: Sequence[int]) -> list[int]:
    """Entries, in the order given, until they could give a quarter more than is to be scored: some equal training ones.

    An entry that would take too large a share of the corpus, or of what is left unseen, is passed over.
    """
    chosen: list[int] = []
    taken = found = 0
    most = sizes.unseen_share * len(columns.entry)
    for entry in candidates:
        rows = np.flatnonzero(columns.entry == entry)
        if found >= 1.25 * sizes.unseen:
            break
        if len(rows) and taken + len(rows) <= most and len(rows) * sizes.unseen_entries <= most:
            chosen.append(entry)
            taken += len(rows)
            found += len(_by_theorem(columns, rows[scorable[rows]], sizes))
    return chosen


def choose_unseen(columns: Columns, rows: Column, train: Column, sizes: Sizes) -> Column:
    """Where a scored example of an unseen entry equals a training one, the scored one goes."""
    known = np.isin(columns.target[rows], columns.target[train])
    known |= np.isin(columns.renamed[rows], columns.renamed[train])
    known |= np.isin(columns.theorem[rows], columns.theorem[train])
    return _lowest(columns, _by_theorem(columns, rows[~known], sizes), sizes.unseen)


def choose_fresh(columns: Columns, rows: Column, sizes: Sizes) -> Column:
    """Of rows that equal no training example: scored ones by theorem and id, so many that no entry has too large a
    share of them."""
    rows = _by_theorem(columns, rows, sizes)
    entries, found = np.unique(columns.entry[rows], return_counts=True)
    share = max(sizes.entry_share, 1 / max(len(entries), 1))
    count = min(sizes.fresh, len(rows))
    while count and int(np.minimum(found, int(share * count)).sum()) < count:
        count = int(np.minimum(found, int(share * count)).sum())
    most = int(share * count)
    kept = [_lowest(columns, rows[columns.entry[rows] == entry], most) for entry in entries]
    return np.sort(_lowest(columns, np.concatenate([np.zeros(0, np.int64), *kept]), count))


def _lowest(columns: Columns, rows: Column, count: int) -> Column:
    return np.asarray(rows[np.argsort(columns.identifier[rows], kind="stable")[:count]])


def distinct(columns: Columns, rows: Column) -> tuple[Column, Column]:
    """The first of equal rows, and for all rows of the input the number of their copies."""
    _, first, group = np.unique(columns.key[rows], return_index=True, return_inverse=True)
    copies = np.zeros(len(columns.key), np.int64)
    sums = np.bincount(group, weights=columns.copies[rows], minlength=len(first)).astype(np.int64)
    copies[rows[first]] = sums
    return np.sort(rows[first]), copies
