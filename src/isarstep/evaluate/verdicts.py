"""The checker's verdicts on first answers, counted as the paper's tables count them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from isarstep.errors import UserError
from isarstep.evaluate.metrics import Score, accuracy

COLUMNS = (
    "example", "rank", "verdict", "exact", "alpha", "correct", "alternative", "strict_correct", "improves_automation",
    "strictly_improves_automation", "gap_class", "gap_class_paper", "direct_result", "direct_paper_result",
)  # fmt: skip


@dataclass(frozen=True)
class VerdictSummary:
    """Shares are of the examples that could be checked; unsupported ones are counted apart."""

    checked: int
    unsupported: int
    well_formed: Score
    correct: Score
    strict_correct: Score  # loopholes closed
    unprovable: int  # F.3 not proved from F.2 alone
    improved: int  # of those: proved by way of the proposal
    strictly_improved: int
    gaps: Counter[str]  # of exact matches: small, just right, large (F.2 and F.4 without the proposal)
    gaps_paper: Counter[str]  # the same with F.2 alone


def read_verdicts(path: Path) -> VerdictSummary:
    """The summary of a verdict file; only the first-ranked proposal of every example counts."""
    try:
        rows = pq.read_table(path, columns=list(COLUMNS)).to_pylist()
    except (OSError, pa.ArrowException) as error:
        raise UserError(f"{path}: not verdicts that 'isarstep check' wrote ({error})") from None
    first: dict[str, dict[str, object]] = {}
    for row in sorted(rows, key=lambda row: row["rank"]):
        first.setdefault(row["example"], row)
    judged = [row for row in first.values() if row["verdict"] != "unsupported"]

    def share(holds: list[bool]) -> Score:
        return accuracy(np.array(holds, np.bool_))

    exact = [row for row in judged if row["exact"] or row["alpha"]]
    asked = [row for row in judged if row["direct_paper_result"] is not None]
    return VerdictSummary(
        checked=len(judged),
        unsupported=len(first) - len(judged),
        well_formed=share([row["verdict"] == "well-formed" for row in judged]),
        correct=share([bool(row["correct"]) for row in judged]),
        strict_correct=share([bool(row["strict_correct"]) for row in judged]),
        unprovable=sum(row["direct_paper_result"] != "proved" for row in asked),
        improved=sum(bool(row["improves_automation"]) for row in judged),
        strictly_improved=sum(bool(row["strictly_improves_automation"]) for row in judged),
        gaps=Counter(str(row["gap_class"]) for row in exact if row["gap_class"]),
        gaps_paper=Counter(str(row["gap_class_paper"]) for row in exact if row["gap_class_paper"]),
    )
