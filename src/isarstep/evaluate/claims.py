"""What the paper says of its models, asked of ours: is one run better than another, by a paired test over theorems?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from isarstep.evaluate import paper
from isarstep.evaluate.entries import RunEntry
from isarstep.evaluate.headline import PAIRED, p_value
from isarstep.evaluate.runs import KINDS
from isarstep.evaluate.scores import Comparison, compare
from isarstep.tables import ABSENT, NOT_RUN, Table


@dataclass(frozen=True)
class PaperRow:
    """A row of the paper's tables: the paper's layers and size."""

    kind: str
    hints: bool = False
    categories: bool = True
    seed: int = 0

    def entry(self, entries: Sequence[RunEntry]) -> RunEntry | None:
        wanted = (self.kind, self.hints, self.categories, self.seed)
        for entry in entries:
            run = entry.run
            shape = (run.config.get("size", "base"), run.config.get("style", "paper"), entry.tag)
            seed = run.budget.get("seed") or 0
            if shape == ("base", "paper", "") and (run.kind, run.hints, run.categories, seed) == wanted:
                return entry
        return None


@dataclass(frozen=True)
class Claim:
    """The paper says that the first is better than the second."""

    key: str
    text: str
    better: PaperRow
    worse: PaperRow


HAT, TRANSFORMER, RNN = "HAT", "Transformer", "RNNSearch"
CLAIMS = (
    *(
        Claim(f"hat-{name}", f"HAT is better than the Transformer, {given}", PaperRow(HAT, h), PaperRow(TRANSFORMER, h))
        for h, name, given in ((False, "base", paper.BASE), (True, "f5", paper.HINTS))
    ),
    Claim("transformer", "The Transformer is better than RNNSearch, base", PaperRow(TRANSFORMER), PaperRow(RNN)),
    *(Claim(f"f5-{k}", f"{KINDS[k]} is better with F.5", PaperRow(KINDS[k], True), PaperRow(KINDS[k])) for k in KINDS),
    Claim("categories", "HAT is better with categories", PaperRow(HAT), PaperRow(HAT, categories=False)),
    Claim("seed", "HAT with one seed is better than with another (not a claim: what a seed is worth)", PaperRow(HAT),
          PaperRow(HAT, seed=1)),
)  # fmt: skip


@dataclass(frozen=True)
class ClaimOutcome:
    claim: Claim
    better: RunEntry | None
    worse: RunEntry | None
    test: Comparison | None

    @property
    def difference(self) -> float | None:
        """Points of top-1 by which the first is ahead."""
        if self.better is None or self.worse is None:
            return None
        return self.better.scores.top1.value - self.worse.scores.top1.value

    def as_json(self) -> dict[str, Any]:
        tested = self.test.as_json() if self.test else {"systems": None, "p": None}
        return {"claim": self.claim.key, "text": self.claim.text, "difference": self.difference} | tested


def outcomes(entries: Sequence[RunEntry]) -> list[ClaimOutcome]:
    found = []
    for claim in CLAIMS:
        better, worse = claim.better.entry(entries), claim.worse.entry(entries)
        test = compare(better.system, worse.system) if better and worse else None
        found.append(ClaimOutcome(claim, better, worse, test))
    return found


def claims_table(found: Sequence[ClaimOutcome]) -> Table:
    rows: list[tuple[str, ...]] = []
    for outcome in found:
        if outcome.test is None or outcome.difference is None:
            rows.append((outcome.claim.text, NOT_RUN, *(ABSENT,) * 4))
        else:
            test = outcome.test
            numbers = (p_value(p) for p in (test.top1, test.top10, test.bleu))
            rows.append((outcome.claim.text, f"{test.left}, {test.right}", f"{outcome.difference:+.1f}", *numbers))
    columns = ("the paper says", "our runs", "points of top-1", "top-1 p", "top-10 p", "BLEU p")
    note = "Runs in the paper's layers and size; whether their budgets are alike is in the first table. " + PAIRED
    return Table("claims", "What the paper says of its models, and ours", columns, tuple(rows), note)
