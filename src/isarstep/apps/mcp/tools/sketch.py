"""`sketch`: a chain of steps from the facts to the goal."""

from __future__ import annotations

from contextlib import aclosing
from typing import Annotated, Any, Unpack

from pydantic import BaseModel, Field

from isarstep.apps.mcp.tools.results import (
    LONGEST_TEXT,
    Around,
    Goal,
    Progress,
    ToolResult,
    VariableTypes,
    body_of,
    refusal,
    shortened,
)
from isarstep.apps.mcp.tools.workshop import Workshop
from isarstep.apps.service.schema import SketchBody
from isarstep.apps.service.service import Clock
from isarstep.common.errors import UserError
from isarstep.prover.atp.provers import installed

CONTRADICTORY = "the given facts contradict each other: everything follows from them"


class SketchStepShown(BaseModel):
    text: str = Field(description="In notation.")
    proved: bool = Field(description="It follows from the facts and the steps before it.")
    by: str | None = Field(description="Who proved it.")
    goal: bool = Field(description="It is the goal, which stands last.")


class SketchResult(ToolResult):
    closed: bool = Field(default=False, description="Every step and the goal are proved.")
    steps: list[SketchStepShown] = Field(default=[], description="In the order of the proof, the goal last.")
    isar: str = Field(default="", description="The skeleton as Isabelle text; open steps end in sorry.")
    tried: int = Field(default=0, description="How many proposals were tried.")
    world: str = Field(default="", description="The theories in which everything was read and proved.")
    types: VariableTypes = {}
    notes: list[str] = Field(default=[], description="What to know before a verdict is believed.")
    seconds: float = Field(default=0.0, description="How long it took.")


async def sketch(
    workshop: Workshop,
    progress: Progress,
    goal: Goal,
    depth: Annotated[int, Field(ge=1, le=8, description="Proposals on top of each other.")] = 4,
    seconds: Annotated[float, Field(ge=1, le=60, description="Budget in all.")] = 30,
    **around: Unpack[Around],
) -> SketchResult:
    """Sketch a whole proof: proposals chained from the facts to the goal, with provers closing the gaps. The best
    sketch found within the budget is returned, also when steps of it are open."""
    last: dict[str, Any] = {}
    try:
        service = await workshop.with_provers()
        clock = Clock(seconds)  # from here: what is loaded once is on nobody's account
        body = body_of(SketchBody, goal=goal, **around, depth=depth, seconds=float(seconds))
        task = await service.computed(clock, service.task, body)
        if not installed():  # a sketch of open steps would say nothing that propose_step does not
            return SketchResult(status="could_not_ask", message="no prover is installed")
        async with aclosing(service.sketch(body, task, clock)) as events:  # at once, where somebody cancels in here
            async for kind, event in events:
                if kind != "try":
                    last = event
                opened = len(event["open"])
                await progress(event["tried"], None, f"{event['tried']} proposals tried, {opened} steps open")
    except UserError as error:
        return SketchResult(**refusal(error))
    return _shown(last, clock)


def _shown(sketch: dict[str, Any], clock: Clock) -> SketchResult:
    steps = [
        SketchStepShown(**step | {"text": shortened(step["text"]), "by": step["by"] and step["by"]["by"]})
        for step in sketch["steps"]
    ]
    result = SketchResult(
        status="ok", closed=sketch["closed"], steps=steps,
        isar=shortened(sketch["isar"], 2 * LONGEST_TEXT), tried=sketch["tried"], world=sketch["world"],
        types=sketch["types"], seconds=round(clock.passed, 2),
    )  # fmt: skip
    result.notes += [f"could not be asked: {why}" for why in sketch["not_asked"]]
    if sketch["contradiction"] is not None:
        result.notes.append(CONTRADICTORY)
    if not result.closed:
        opened = len(sketch["open"])
        result.status = "out_of_time" if clock.left <= 0.5 else "nothing_found"
        result.message = sketch["error"] or f"the best sketch has {opened} open steps"
    return result
