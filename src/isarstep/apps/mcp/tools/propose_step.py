"""`propose_step`: what could stand between the facts and the goal?"""

from __future__ import annotations

from typing import Annotated, Unpack

from pydantic import Field

from isarstep.apps.mcp.tools.results import (
    Around,
    Goal,
    Progress,
    Seconds,
    Status,
    body_of,
    refusal,
)
from isarstep.apps.mcp.tools.steps import StepsResult, step_shown, steps_result, tried, untried
from isarstep.apps.mcp.tools.workshop import Workshop
from isarstep.apps.service.schema import ProposeBody
from isarstep.apps.service.service import Clock
from isarstep.common.errors import UserError
from isarstep.prover.outcomes.step import Step


async def propose_step(
    workshop: Workshop,
    progress: Progress,
    goal: Goal,
    count: Annotated[int, Field(ge=1, le=20, description="Most steps in the answer.")] = 8,
    check: Annotated[bool, Field(description="Let provers try both sides of every step.")] = True,
    seconds: Seconds = 20,
    **around: Unpack[Around],
) -> StepsResult:
    """Propose intermediate steps between facts and a goal. A trained model writes well-typed propositions; provers
    say for each whether it follows from the facts and whether the goal follows from it. Accept a step by adding it to
    the facts and asking again."""
    try:
        await progress(0, None, "searching")
        service = await (workshop.with_provers() if check else workshop.service())
        clock = Clock(seconds)  # from here: what is loaded once is on nobody's account
        body = body_of(ProposeBody, goal=goal, **around, count=count, seconds=float(seconds), check=check)
        found = await service.propose(body, clock)
        steps = await tried(service, found, body, clock, progress) if check else found.order
    except UserError as error:
        return StepsResult(**refusal(error))
    shown = list(map(step_shown, steps))
    late = untried(steps) if check else 0
    status, message = _status(steps, late, seconds)
    return steps_result(status, message, shown, late, found, clock)


def _status(steps: list[Step], late: int, seconds: float) -> tuple[Status, str]:
    """What was proved is proved: only where nothing was, the end of the budget is the answer."""
    if late:
        status: Status = "ok" if any(step.helps for step in steps) else "out_of_time"
        return status, f"{late} gaps were not tried within {seconds:g} s"
    return ("ok", "") if steps else ("nothing_found", "the model proposes nothing that is well-formed")
