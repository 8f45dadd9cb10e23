"""What happens while a problem is worked at, as the engine reports it and every interface shows it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TypeAlias

from isarstep.benchmark.problems.task import Task
from isarstep.prover.outcomes.goal_verdict import NOTHING_KNOWN, GoalVerdict
from isarstep.prover.outcomes.step import Side, Step, ranked
from isarstep.prover.outcomes.verdict import Gap

# A search by a wider beam; None where there is no time for one.
Wider: TypeAlias = "Callable[[], Future[list[Step]] | None]"


class TooLateError(Exception):
    """A task would not be searched before its deadline; it was not begun."""


@dataclass(eq=False)
class Proposal:
    """A problem, its steps and what is known of them so far. The id of a step is its place in `steps`."""

    task: Task
    steps: list[Step]
    goal: GoalVerdict = NOTHING_KNOWN
    most: int | None = None  # steps in the answer

    @property
    def order(self) -> list[Step]:
        """The steps that are shown, best first."""
        return ranked(self.steps)[: self.most]


@dataclass(frozen=True)
class GoalJudged:
    """Provers and values were asked about the goal as it is."""

    goal: GoalVerdict


@dataclass(frozen=True)
class StepsAdded:
    """Steps were added to those of the model."""


@dataclass(frozen=True)
class OutcomeFound:
    """One question about a step was answered; `step` has the answer, too."""

    step: Step
    side: Side
    gap: Gap


@dataclass(frozen=True)
class Working:
    """Nothing new yet: others may have their turn."""


Event: TypeAlias = GoalJudged | StepsAdded | OutcomeFound | Working
