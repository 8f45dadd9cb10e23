"""A proposed step, what provers said about its two sides, and the order in which steps are shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Literal, TypeGuard

from isarstep.logic.readable import latex_of
from isarstep.logic.terms import Term

if TYPE_CHECKING:
    from isarstep.prove.verdict import Gap, Proved

STEP = "P"  # how proofs call it

Side = Literal["first", "second", "against"]


@dataclass(frozen=True)
class Step:
    """A proposed step. `first`: it follows from the facts; `second`: the goal follows from it and the other facts;
    `against`: it contradicts the facts, which is asked where it was not seen to follow from them."""

    id: int  # place in the order without provers
    tokens: str  # normalised
    term: Term  # under the user's names; untyped
    text: str  # in notation, under the user's names
    score: float | None  # log probability; None where the user made the proposal
    reason: str | None = None  # why it is not well-formed
    copy: bool = False  # says nothing that was not given, or the goal itself
    reference: bool | None = None  # is the benchmark's missing step; None: there is none to compare with
    first: Gap | None = None
    second: Gap | None = None
    against: Gap | None = None
    contradiction: Gap | None = None  # the proof that the given facts contradict each other: everything follows

    @property
    def well_formed(self) -> bool:
        return self.reason is None

    @property
    def sides(self) -> int:
        """How many of the two gaps are proved."""
        return sum(map(_proved, (self.first, self.second)))

    @property
    def contradictory(self) -> bool:
        return _proved(self.against)

    @property
    def false(self) -> bool:
        """Values make the facts true and the step false."""
        return type(self.first).__name__ == "Refuted"

    @property
    def idle(self) -> bool:
        """The goal was proved, but not with this step."""
        return self.second is not None and _proved(self.second) and not self.second.uses(STEP)

    @property
    def by_itself(self) -> bool:
        """It was proved without any of the facts: it is true whatever they say."""
        return _proved(self.first) and not any(name[:2] == "F." or name == "?" for name in self.first.facts)

    @property
    def helps(self) -> bool:
        """Says something new, and is proved on both sides."""
        return self.well_formed and not self.copy and self.sides == 2

    def __str__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        return latex_of(self.term)

    def verdicts(self) -> tuple[str, str]:
        """Of both sides, as far as provers were asked."""
        if not self.well_formed:
            return f"ill-formed: {self.reason}", ""
        first, second = ("" if gap is None else str(gap) for gap in (self.first, self.second))
        return first, second


class Steps(list[Step]):
    """Ranked steps; a notebook shows them as a table."""

    def __str__(self) -> str:
        return "\n".join(f"{place:>2}  {step}" for place, step in enumerate(self, 1))

    def _repr_html_(self) -> str:
        head = "<tr><th></th><th>step</th><th>facts ⊢ step</th><th>step ⊢ goal</th></tr>"
        cells = ((str(place), step.text, *step.verdicts()) for place, step in enumerate(self, 1))
        rows = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in cells)
        return f"<table>{head}{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def ranked(steps: Iterable[Step]) -> list[Step]:
    """Proved on both sides, those first that the goal's proof needs, and of these those that need the facts; then as
    they came. One proved side says little: from what is false everything follows. After all others comes what is false
    or contradicts the facts, then what was given already, and what is no proposition."""
    return sorted(
        steps,
        key=lambda step: (
            not step.well_formed, step.copy, step.contradictory or step.false, step.sides < 2,
            step.sides == 2 and step.idle, step.sides == 2 and step.by_itself, step.id,
        ),
    )  # fmt: skip


def _proved(gap: Gap | None) -> TypeGuard[Proved]:
    return type(gap).__name__ == "Proved"


def further(steps: Sequence[Step], wider: Iterable[Step]) -> list[Step]:
    """What a wider search has found beside these steps, numbered after them."""
    known = {step.tokens for step in steps}
    new = [step for step in wider if step.tokens not in known]
    return [replace(step, id=number) for number, step in enumerate(new, len(steps))]


def with_gap(step: Step, side: Side, gap: Gap) -> Step:
    match side:
        case "first":
            return replace(step, first=gap)
        case "second":
            return replace(step, second=gap)
        case "against":
            return replace(step, against=gap)
