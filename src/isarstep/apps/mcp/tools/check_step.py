"""`check_step`: do provers accept these steps?"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Unpack

from pydantic import Field

from isarstep.apps.mcp.tools.results import (
    Around,
    Goal,
    Progress,
    Proposition,
    Seconds,
    Status,
    body_of,
    gap_shown,
    refusal,
    shortened,
)
from isarstep.apps.mcp.tools.steps import StepShown, StepsResult, step_shown, steps_result, tried, untried
from isarstep.apps.mcp.tools.workshop import Workshop
from isarstep.apps.service.schema import EffortBody, ProblemBody
from isarstep.apps.service.service import Clock, ProposalState, Service
from isarstep.common.errors import UserError
from isarstep.prover.outcomes.step import Step

Candidates = Annotated[list[Proposition], Field(min_length=1, max_length=20, description="Steps to check.")]


async def check_step(
    workshop: Workshop,
    progress: Progress,
    goal: Goal,
    candidates: Candidates,
    prover_seconds: Annotated[float, Field(ge=0.05, le=5, description="Provers have four times this for a gap.")] = 0.5,
    seconds: Seconds = 30,
    **around: Unpack[Around],
) -> StepsResult:
    """Check many candidate steps in one call: for each, does it follow from the facts, and does the goal follow from it
    and what is given? Answers come in the order of the candidates; one that cannot be read is reported and does not
    disturb the others. To ask whether the
    goal itself follows, give the goal as candidate."""
    try:
        service = await workshop.with_provers()
        clock = Clock(seconds)  # from here: what is loaded once is on nobody's account
        body = body_of(ProblemBody, goal=goal, **around)
        found, unread = await service.computed(clock, _read, service, body, candidates, clock)
        effort = body_of(EffortBody, prover_seconds=float(prover_seconds), seconds=float(seconds))
        steps = await tried(service, found, effort, clock, progress)
    except UserError as error:
        return StepsResult(**refusal(error))
    places = (place for place in range(len(candidates)) if place not in unread)
    read = {place: step_shown(step) for place, step in zip(places, sorted(steps, key=lambda s: s.id), strict=True)}
    shown = [(read | unread)[place] for place in range(len(candidates))]
    late = untried(steps)
    status, message = _status(steps, [*unread.values()], late, seconds)
    return steps_result(status, message, shown, late, found, clock)


def _read(
    service: Service, body: ProblemBody, candidates: list[str], clock: Clock
) -> tuple[ProposalState, dict[int, StepShown]]:
    """What could be read as steps, in their order, and the rest by place."""
    task = service.task(body)
    steps: list[Step] = []
    unread: dict[int, StepShown] = {}
    for place, text in enumerate(candidates):
        try:
            tokens = service.engine.answer(task, text)
            steps += [replace(step, id=len(steps)) for step in service.engine.steps(task, [(tokens, None)])]
        except UserError as error:
            none = gap_shown(None)
            unread[place] = StepShown(
                text=shortened(text, 200), score=None, well_formed=False, problem=str(refusal(error)["message"]),
                given=False, follows_from_facts=none, closes_goal=none,
            )  # fmt: skip
    return ProposalState(task, steps, search=clock.passed), unread


def _status(steps: list[Step], unread: list[StepShown], late: int, seconds: float) -> tuple[Status, str]:
    gaps = [gap_shown(gap).result for step in steps if step.well_formed for gap in (step.first, step.second)]
    if not any(step.well_formed for step in steps):
        problem = unread[0].problem if unread else steps[0].reason if steps else ""
        return "refused", f"no candidate is well-formed: {problem}"
    if late:
        said = {"proved", "refuted"} & set(gaps)
        return "ok" if said else "out_of_time", f"{late} gaps were not tried within {seconds:g} s"
    if set(gaps) == {"could_not_ask"}:
        return "could_not_ask", "no prover could be asked; see the gaps' texts"
    if not {"proved", "refuted"} & set(gaps):
        slow = gaps.count("out_of_time")
        return "nothing_found", f"no gap was proved; provers ran out of prover_seconds at {slow} of {len(gaps)}"
    return "ok", ""
