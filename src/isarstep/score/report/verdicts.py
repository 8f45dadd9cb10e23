"""The checker's verdicts on first answers and on references, counted as the paper's tables count them.

Assumptions as targets are counted apart as well: nothing justifies them, so provers can't derive them from F.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isarstep.common.errors import UserError
from isarstep.common.file_reading import read_parquet
from isarstep.score.metrics import Score, accuracy

COLUMNS = (
    "example", "rank", "verdict", "kind", "exact", "alpha", "correct", "alternative", "strict_correct",
    "strict_alternative", "improves_automation", "strictly_improves_automation", "gap_class", "gap_class_paper",
    "first_result", "first_library", "second_result", "direct_result", "direct_paper_result",
)  # fmt: skip

Row = dict[str, Any]


@dataclass(frozen=True)
class Gaps:
    """The paper's classes: F.3 follows without the proposal, by way of it, or not at all."""

    small: int
    just_right: int
    large: int

    @property
    def all(self) -> int:
        return self.small + self.just_right + self.large


@dataclass(frozen=True)
class Counts:
    """What was found on some examples that could be checked."""

    checked: int
    well_formed: int
    correct: int
    correct_share: Score | None  # in percent of what was checked
    strict_correct: int  # loopholes closed
    exact: int  # equal to the reference
    alternatives: int
    strict_alternatives: int
    first: int  # F.2 => P proved
    first_given: int | None  # of these: without library facts; None where no verdict says
    second: int  # P, F.4 => F.3 proved
    bridged: int  # both
    direct: int | None  # F.2, F.4 => F.3 proved without P; None where nobody asked
    direct_paper: int  # F.2 => F.3 proved
    unprovable: int  # F.3 not proved from F.2 alone, where that was asked
    improved: int  # of those: proved by way of the proposal
    strictly_improved: int
    gaps: Gaps  # of exact matches, small: F.2 and F.4 without the proposal
    gaps_paper: Gaps  # the same with F.2 alone

    def share(self, number: int) -> float:
        """In percent of what was checked."""
        return 100 * number / self.checked


@dataclass(frozen=True)
class VerdictSummary:
    """Verdicts on the first proposals for some of a task's examples, by kind of target."""

    provers: str
    examples: int  # of the task, checked or not
    unsupported: int
    all: Counts
    steps: Counts
    assumptions: Counts

    @property
    def share_checked(self) -> str:
        return f"{self.all.checked:,} of {self.examples:,}"


def read_verdicts(path: Path, homes: Mapping[str, int]) -> VerdictSummary:
    """The summary of a verdict file on examples with these ids, each with its theorem's number; of every example only
    the first-ranked proposal counts.
    """
    table = read_parquet(path, "not verdicts that 'isarstep check' wrote", list(COLUMNS))
    rows = table.to_pylist()
    metadata = table.schema.metadata or {}
    first: dict[str, Row] = {}
    for row in sorted(rows, key=lambda row: row["rank"]):
        if row["example"] in homes:
            first.setdefault(row["example"], row)
    if rows and not first:
        raise UserError(f"{path}: verdicts on other examples; check --benchmark and --split")
    judged = [row for row in first.values() if row["verdict"] != "unsupported"]
    return VerdictSummary(
        provers="; ".join(metadata[key].decode() for key in (b"provers", b"checker") if metadata.get(key)),
        examples=len(homes),
        unsupported=len(first) - len(judged),
        all=_counts(judged, homes),
        steps=_counts([row for row in judged if row["kind"] != "assumption"], homes),
        assumptions=_counts([row for row in judged if row["kind"] == "assumption"], homes),
    )


def _counts(rows: Sequence[Row], homes: Mapping[str, int]) -> Counts:
    def count(column: str) -> int:
        return sum(bool(row[column]) for row in rows)

    def proved(column: str) -> list[Row]:
        return [row for row in rows if row[column] == "proved"]

    def unsaid(some: Sequence[Row], column: str) -> bool:
        return bool(some) and all(row[column] is None for row in some)

    def gaps(column: str) -> Gaps:
        return Gaps(*(sum(row[column] == name for row in exact) for name in ("small", "just right", "large")))

    exact = [row for row in rows if row["exact"] or row["alpha"]]
    first = proved("first_result")
    right = np.array([bool(row["correct"]) for row in rows], np.bool_)
    return Counts(
        checked=len(rows),
        well_formed=sum(row["verdict"] == "well-formed" for row in rows),
        correct=count("correct"),
        correct_share=accuracy(right, np.array([homes[row["example"]] for row in rows])) if rows else None,
        strict_correct=count("strict_correct"),
        exact=len(exact),
        alternatives=count("alternative"),
        strict_alternatives=count("strict_alternative"),
        first=len(first),
        first_given=None if unsaid(first, "first_library") else sum(row["first_library"] == 0 for row in first),
        second=len(proved("second_result")),
        bridged=sum(row["second_result"] == "proved" for row in first),
        direct=None if unsaid(rows, "direct_result") else len(proved("direct_result")),
        direct_paper=len(proved("direct_paper_result")),
        unprovable=sum(row["direct_paper_result"] not in (None, "proved") for row in rows),
        improved=count("improves_automation"),
        strictly_improved=count("strictly_improves_automation"),
        gaps=gaps("gap_class"),
        gaps_paper=gaps("gap_class_paper"),
    )
