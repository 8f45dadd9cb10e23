"""`read`: is this well-formed, and how was it read?"""

from __future__ import annotations

import asyncio

from pydantic import BaseModel, Field

from isarstep.apps.mcp.tools.results import (
    Facts,
    Fixed,
    Imports,
    Progress,
    ToolResult,
    Types,
    VariableTypes,
    body_of,
    plain,
    refusal,
    shortened,
)
from isarstep.apps.mcp.tools.workshop import Workshop
from isarstep.apps.service.schema import ProblemBody
from isarstep.apps.service.service import Service
from isarstep.common.errors import UserError


class ReadingShown(BaseModel):
    """One proposition as it was understood."""

    place: int = Field(description="In `propositions`, from 0.")
    well_formed: bool = Field(description="Is it a proposition about these variables?")
    text: str | None = Field(description="As it is printed back; compare it with what you meant.")
    tokens: str | None = Field(description="Full names of all constants.")
    problem: str | None = Field(default=None, description="Why it is not.")
    position: int | None = Field(default=None, description="Character, from 0, where the mistake begins.")


class ReadResult(ToolResult):
    readings: list[ReadingShown] = Field(default=[], description="In the order of the propositions.")
    world: str = Field(default="", description="The theories in which it was read.")
    types: VariableTypes = {}
    notes: list[str] = Field(default=[], description="Types that are left open, and what may have been meant.")


async def read(
    workshop: Workshop,
    progress: Progress,
    propositions: Facts,
    fixed: Fixed = [],
    types: Types = {},
    imports: Imports = [],
) -> ReadResult:
    """Read propositions together, as one problem: says for each whether it is well-formed, prints it back with full
    names, and infers the types of variables. Ask it before anything else when in doubt about notation."""
    try:
        service = await workshop.service()
        body = body_of(ProblemBody, facts=propositions, fixed=fixed, types=types, imports=imports)
        return await asyncio.to_thread(_read, service, body)
    except UserError as error:
        return ReadResult(**refusal(error))


def _read(service: Service, body: ProblemBody) -> ReadResult:
    answer = service.read(body)
    shown = []
    for place, one in enumerate(answer["facts"]):
        error = one["error"] or {}
        text, tokens = one["text"], one["tokens"]
        shown.append(
            ReadingShown(
                place=place,
                well_formed=one["ok"],
                text=text and shortened(text),
                tokens=tokens and shortened(tokens),
                problem=error.get("message") and shortened(plain(error["message"]), 1000),
                position=error.get("position"),
            )
        )
    wrong = [each for each in shown if not each.well_formed]
    return ReadResult(
        status="refused" if wrong else "ok",
        message=f"propositions[{wrong[0].place}]: {wrong[0].problem}" if wrong else "",
        readings=shown,
        world=answer["world"],
        types=answer["types"],
        notes=answer["notes"],
    )
