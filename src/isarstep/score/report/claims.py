"""What the paper says of its models, asked of ours: is one run better than another, by a paired test over theorems?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from isarstep.common.tables import ABSENT, NOT_RUN, Table
from isarstep.score.headline import PAIRED, p_value
from isarstep.score.report.leaderboard_entries import RunEntry
from isarstep.score.runs import KINDS
from isarstep.score.scores import Comparison, compare, corrected


@dataclass(frozen=True)
class Claim:
    """The paper says that its first row is better than its second."""

    key: str
    text: str
    better: str
    worse: str


CLAIMS = (
    Claim("hat-base", "HAT is better than the Transformer, base", "hat-base", "transformer-base"),
    Claim("hat-f5", "HAT is better than the Transformer, +F.5", "hat-f5", "transformer-f5"),
    Claim("transformer", "The Transformer is better than RNNSearch, base", "transformer-base", "rnnsearch-base"),
    *(Claim(f"f5-{kind}", f"{name} is better with F.5", f"{kind}-f5", f"{kind}-base") for kind, name in KINDS.items()),
    Claim("categories", "HAT is better with categories", "hat-base", "hat-nocat"),
    Claim("seed", "(no claim: what a seed is worth)", "hat-base", "hat-seed1"),
)


@dataclass(frozen=True)
class ClaimOutcome:
    claim: Claim
    better: RunEntry | None
    worse: RunEntry | None
    test: Comparison | None  # as measured
    corrected: Comparison | None  # among all claims that could be tested

    @property
    def difference(self) -> float | None:
        """Points of top-1 by which the first is ahead."""
        if self.better is None or self.worse is None:
            return None
        return self.better.scores.top1.value - self.worse.scores.top1.value

    def as_json(self) -> dict[str, Any]:
        tested = self.test.as_json() if self.test else {"systems": None, "p": None}
        tested["holm"] = self.corrected.as_json()["p"] if self.corrected else None
        return {"claim": self.claim.key, "text": self.claim.text, "difference": self.difference} | tested


def outcomes(entries: Sequence[RunEntry]) -> list[ClaimOutcome]:
    rows = {entry.paper_row: entry for entry in entries}
    pairs = [(claim, rows.get(claim.better), rows.get(claim.worse)) for claim in CLAIMS]
    tests = {
        claim.key: compare(better.system, worse.system)
        for claim, better, worse in pairs
        if better is not None and worse is not None
    }
    family = dict(zip(tests, corrected([*tests.values()]), strict=True))
    return [
        ClaimOutcome(claim, better, worse, tests.get(claim.key), family.get(claim.key))
        for claim, better, worse in pairs
    ]


def claims_table(found: Sequence[ClaimOutcome]) -> Table:
    rows: list[tuple[str, ...]] = []
    for outcome in found:
        if outcome.corrected is None or outcome.difference is None:
            rows.append((outcome.claim.text, NOT_RUN, *(ABSENT,) * 4))
        else:
            test = outcome.corrected
            numbers = (p_value(p) for p in (test.top1, test.top10, test.bleu))
            rows.append((outcome.claim.text, f"{test.left}, {test.right}", f"{outcome.difference:+.1f}", *numbers))
    columns = ("the paper says", "our runs", "points of top-1", "top-1 p", "top-10 p", "BLEU p")
    note = "Runs in the paper's layers and size; whether their budgets are alike is in the first table. " + PAIRED
    return Table("claims", "What the paper says of its models, and ours", columns, tuple(rows), note)
