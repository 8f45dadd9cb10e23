"""Steps with verdicts, as `propose_step` and `check_step` show them."""

from __future__ import annotations

from contextlib import aclosing

from pydantic import BaseModel, Field

from isarstep.apps.mcp.tools.results import (
    GapShown,
    Progress,
    Status,
    ToolResult,
    VariableTypes,
    gap_shown,
    shortened,
)
from isarstep.apps.service.schema import EffortBody
from isarstep.apps.service.service import Clock, ProposalState, Service, context_fields
from isarstep.prover.outcomes.step import Step


class StepShown(BaseModel):
    """A step between the facts and the goal."""

    text: str = Field(description="In notation.")
    score: float | None = Field(description="The model's log probability; null where you made the proposal.")
    well_formed: bool = Field(description="Is it a proposition about these variables?")
    problem: str | None = Field(default=None, description="Why it is not.")
    given: bool = Field(description="It says nothing that was not given.")
    label: str | None = Field(
        default=None, description="Why it adds nothing to a proof of the goal; null: it may help."
    )
    follows_from_facts: GapShown = Field(description="Does it follow from the facts?")
    closes_goal: GapShown = Field(description="Does the goal follow from it and all that is given?")


class StepsResult(ToolResult):
    steps: list[StepShown] = Field(
        default=[], description="Proposals: best first, those proved on both sides before all. Candidates: as given."
    )
    world: str = Field(default="", description="The theories in which everything was read and proved.")
    types: VariableTypes = {}
    notes: list[str] = Field(default=[], description="What to know before a verdict is believed, or a type.")
    seconds: float = Field(default=0.0, description="How long it took.")


def step_shown(step: Step) -> StepShown:
    return StepShown(
        text=shortened(step.text),
        score=None if step.score is None else round(step.score, 3),
        well_formed=step.well_formed,
        problem=step.reason and shortened(step.reason, 1000),
        given=step.copy,
        label=step.label,
        follows_from_facts=gap_shown(step.first),
        closes_goal=gap_shown(step.second),
    )


async def tried(
    service: Service, found: ProposalState, effort: EffortBody, clock: Clock, progress: Progress
) -> list[Step]:
    """The steps, ranked, after provers have been at both sides of each as long as there was time."""
    done = 0
    async with aclosing(service.gaps(found, effort, clock)) as events:  # at once, where somebody cancels in here
        async for name, event in events:
            done += name == "gap" and event["side"] != "against"
            total = 2 * sum(step.well_formed for step in found.steps)  # there may be more by now
            await progress(done, total, f"{done} of {total} gaps tried")
    return found.order


def steps_result(
    status: Status, message: str, steps: list[StepShown], gaps_left: int, found: ProposalState, clock: Clock
) -> StepsResult:
    where = context_fields(found.task)
    warnings = found.goal.lines()
    message = " ".join(filter(None, (*warnings, message)))
    if found.unknown:
        warnings.append(f"constants that the model has never seen: {', '.join(found.unknown)}")
    return StepsResult(
        status=status,
        message=message,
        left_out={"gaps": gaps_left} if gaps_left else {},
        steps=steps,
        world=where["world"],
        types=where["types"],
        notes=[*warnings, *where["notes"]],
        seconds=round(clock.passed, 2),
    )


def untried(steps: list[Step]) -> int:
    """Gaps of well-formed steps that nobody had time for."""
    return sum((step.first is None) + (step.second is None) for step in steps if step.well_formed)
