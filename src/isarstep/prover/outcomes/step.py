"""A proposed step, what provers said about its two sides, and the order in which steps are shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Literal, TypeAlias

from isarstep.isabelle.syntax.writing.readable import latex_of
from isarstep.isabelle.terms.terms import Term
from isarstep.prover.outcomes.verdict import Gap, Refuted, proved

STEP = "P"  # how proofs call it
MOST_BY_RULES = 12  # statements one rule of the library away that are tried

Side = Literal["first", "second", "against"]
# From the goal to it, from the facts to it, by an equation at a part of the goal, by a side that both have.
Way: TypeAlias = Literal["backwards", "forwards", "rewriting", "chain"]


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
    copy: bool = False  # says nothing that was not given, or the goal itself, or what a value shows
    reference: bool | None = None  # is the benchmark's missing step; None: there is none to compare with
    first: Gap | None = None
    second: Gap | None = None
    against: Gap | None = None
    variant: bool = False  # a fact or the goal again, changed in a way that helps nobody
    by_rule: Way | None = None  # how one rule of the library gives it
    contradiction: Gap | None = None  # the proof that the given facts contradict each other: everything follows

    @property
    def well_formed(self) -> bool:
        return self.reason is None

    @property
    def sides(self) -> int:
        """How many of the two gaps are proved."""
        return sum(map(proved, (self.first, self.second)))

    @property
    def contradictory(self) -> bool:
        return proved(self.against)

    @property
    def false(self) -> bool:
        """Values make the facts true and the step false."""
        return isinstance(self.first, Refuted)

    @property
    def idle(self) -> bool:
        """The goal was proved, but not with this step."""
        return self.second is not None and proved(self.second) and not self.second.uses(STEP)

    @property
    def by_itself(self) -> bool:
        """It was proved without any of the facts: it is true whatever they say."""
        return proved(self.first) and not any(name[:2] == "F." or name == "?" for name in self.first.facts)

    @property
    def follows(self) -> bool:
        """From the facts."""
        return proved(self.first)

    @property
    def of_rule_alone(self) -> bool:
        """A rule of the library gives it, and no model proposed it."""
        return self.by_rule is not None and self.score is None

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
        from html import escape

        head = "<tr><th></th><th>step</th><th>facts ⊢ step</th><th>step ⊢ goal</th></tr>"
        cells = ((str(place), step.text, *step.verdicts()) for place, step in enumerate(self, 1))
        rows = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in cells)
        return f"<table>{head}{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def ranked(steps: Iterable[Step]) -> list[Step]:
    """Proved on both sides, in turn; then the facts or the goal in another form, what follows from the facts, and what
    was not seen to follow: that the goal follows says little, for from what is false everything does. After all others
    comes what is false or contradicts the facts, then what was given already, and what is no proposition. What a rule
    of the library alone proposes is shown where it follows from the facts."""
    return sorted(
        (step for step in in_turn(steps) if step.follows or not step.of_rule_alone),
        key=lambda step: (
            not step.well_formed, step.copy, step.contradictory or step.false, step.sides < 2,
            step.sides == 2 and step.variant,
            step.sides < 2 and (not step.follows or step.by_itself or step.variant),
        ),
    )  # fmt: skip


def in_turn(steps: Iterable[Step]) -> list[Step]:
    """First what a model and a rule of the library propose both, then what rules give and what the model proposes, one
    after the other. Of each, steps first that the goal's proof needs; of rules those that say something, of the model
    those that need the facts."""
    both: list[Step] = []
    rules: list[Step] = []
    model: list[Step] = []
    for step in steps:
        (model if step.by_rule is None else rules if step.of_rule_alone or _late(step) else both).append(step)
    for group in (both, rules, model):
        group.sort(key=lambda step: (_late(step), step.id))
    turns = zip_longest(rules, model)
    return [*both, *(step for pair in turns for step in pair if step is not None)]


def _late(step: Step) -> int:
    """What adds less comes later. What leads to the goal by a rule is needed, whatever proof of the goal was found."""
    if step.sides < 2:
        return 0
    if step.by_rule is None:
        return 2 * step.idle + step.by_itself
    if step.by_rule == "rewriting":
        return 0
    by_simp = proved(step.first) and step.first.by == "simp"
    return 2 * (step.idle and step.by_rule == "forwards") + (step.by_itself and by_simp)


def with_rules(steps: Sequence[Step], near: Iterable[Step]) -> list[Step]:
    """The steps, marked where a rule of the library gives them, and after them what rules give beside."""
    known = {step.tokens: place for place, step in enumerate(steps)}
    marked = list(steps)
    for step in near:
        place = known.get(step.tokens)
        if place is None:
            marked.append(replace(step, id=len(marked)))
        else:
            marked[place] = replace(marked[place], by_rule=step.by_rule)
    return marked


def further(steps: Sequence[Step], wider: Iterable[Step]) -> list[Step]:
    """What a wider search has found beside these steps, numbered after them."""
    known = {step.tokens for step in steps}
    new = [step for step in wider if step.tokens not in known]
    return [replace(step, id=number) for number, step in enumerate(new, len(steps))]


def with_gap(step: Step, side: Side, gap: Gap) -> Step:
    return replace(step, **{side: gap})  # type: ignore[arg-type]
