"""A proposed step, what provers said about its two sides, and the order in which steps are shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from isarstep.logic.terms import Term

if TYPE_CHECKING:
    from isarstep.check.verdict import Gap

Side = Literal["first", "second"]


@dataclass(frozen=True)
class Step:
    """A proposed step. `first`: it follows from the facts; `second`: the goal follows from it and the other facts."""

    id: int  # place in the model's own order
    tokens: str  # normalised
    term: Term  # under the user's names; untyped
    text: str  # in notation, under the user's names
    score: float | None  # log probability; None where the user made the proposal
    reason: str | None = None  # why it is not well-formed
    copy: bool = False  # says nothing that was not given
    reference: bool | None = None  # is the benchmark's missing step; None: there is none to compare with
    first: Gap | None = None
    second: Gap | None = None

    @property
    def well_formed(self) -> bool:
        return self.reason is None

    @property
    def sides(self) -> int:
        """How many of the two gaps are proved."""
        return sum(type(gap).__name__ == "Proved" for gap in (self.first, self.second))

    def __str__(self) -> str:
        return self.text


def ranked(steps: Iterable[Step]) -> list[Step]:
    """Proved on both sides, then on one, then by the model's score. What was given already leads nowhere, though one
    side of it is always proved: it comes after all others, and only what is no proposition after it."""
    return sorted(steps, key=lambda step: (not step.well_formed, step.copy, -step.sides, step.id))


def with_gap(step: Step, side: Side, gap: Gap) -> Step:
    return replace(step, first=gap) if side == "first" else replace(step, second=gap)
