"""A proposed step, what provers said about its two sides, and the order in which steps are shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Literal, TypeAlias

from isarstep.isabelle.syntax.writing.readable import latex_of
from isarstep.isabelle.terms.terms import Term
from isarstep.prover.outcomes.goal_verdict import NOTHING_KNOWN, GoalVerdict
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
    variant: bool = False  # restates a fact or the goal, up to order, arithmetic or simplification
    trivial: bool = False  # simplifies to True without the facts
    facts_given: bool = True  # there are facts that it could follow from
    by_rule: Way | None = None  # how one rule of the library gives it
    goal: GoalVerdict = NOTHING_KNOWN  # what is known of the problem itself, where the step was checked alone

    @property
    def well_formed(self) -> bool:
        return self.reason is None

    @property
    def contradiction(self) -> Gap | None:
        """The proof that the given facts contradict each other: everything follows."""
        return self.goal.contradiction

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
        """It holds whatever the facts state: it simplifies to True, or its proof uses none of them. Where there are no
        facts, a proof of a step cannot use any, and that is no objection to it."""
        if self.trivial:
            return True
        first = self.first
        used = proved(first) and any(name[:2] == "F." or name == "?" for name in first.facts)
        return proved(first) and self.facts_given and not used

    @property
    def label(self) -> str | None:
        """Why the step adds nothing to a proof of the goal, in words; None of a step that may help."""
        if not self.well_formed:
            return None
        if self.copy:
            return "says nothing new"
        if self.variant:
            return "restates a fact or the goal"
        if self.idle:
            return "not needed: the goal was proved without it"
        return "true whatever the facts say" if self.by_itself else None

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
        """Is proved on both sides and has no label: the facts are needed for it, and it is needed for the goal."""
        return self.well_formed and self.label is None and self.sides == 2

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
    """Ranked steps, and what is known of the goal itself; a notebook shows them as a table."""

    def __init__(self, steps: Iterable[Step] = (), goal: GoalVerdict | None = None) -> None:
        super().__init__(steps)
        self.goal = goal or NOTHING_KNOWN

    def __str__(self) -> str:
        labels = (f"  ({step.label})" if step.label else "" for step in self)
        steps = (f"{place:>2}  {step}{label}" for place, (step, label) in enumerate(zip(self, labels, strict=True), 1))
        return "\n".join([*self.goal.lines(), *steps])

    def _repr_html_(self) -> str:
        from html import escape

        head = "<tr><th></th><th>step</th><th>facts ⊢ step</th><th>step, facts ⊢ goal</th><th></th></tr>"
        cells = ((str(place), step.text, *step.verdicts(), step.label or "") for place, step in enumerate(self, 1))
        rows = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in cells)
        lines = "".join(f"<p>{escape(line)}</p>" for line in self.goal.lines())
        return f"{lines}<table>{head}{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def ranked(steps: Iterable[Step]) -> list[Step]:
    """First the steps that both proofs need, then what follows from the facts, then what was not seen to follow: that
    the goal follows from such a step says little, for from what is false everything does. Steps with a label come
    after these, then what is false or contradicts the facts, and last what is no proposition. Within each of these the
    order is that of `in_turn`. What a rule of the library alone proposes is shown where it follows from the facts."""
    return sorted(
        (step for step in in_turn(steps) if step.follows or not step.of_rule_alone),
        key=lambda step: (
            not step.well_formed, step.contradictory or step.false, step.label is not None, step.copy,
            step.sides < 2, not step.follows,
        ),
    )  # fmt: skip


def in_turn(steps: Iterable[Step]) -> list[Step]:
    """First what a model and a rule of the library propose both, then what rules give and what the model proposes, one
    after the other, each in its own order."""
    both: list[Step] = []
    rules: list[Step] = []
    model: list[Step] = []
    for step in sorted(steps, key=lambda step: step.id):
        (model if step.by_rule is None else rules if step.of_rule_alone else both).append(step)
    turns = zip_longest(rules, model)
    return [*both, *(step for pair in turns for step in pair if step is not None)]


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
