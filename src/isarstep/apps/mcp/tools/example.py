"""`example`: a problem of the benchmark, to try things on."""

from __future__ import annotations

import asyncio
from typing import Annotated

from pydantic import BaseModel, Field

from isarstep.apps.catalogue import NotFoundError
from isarstep.apps.mcp.tools.results import Progress, ToolResult, VariableTypes, refusal, shortened
from isarstep.apps.mcp.tools.workshop import Workshop
from isarstep.apps.service.service import Service
from isarstep.common.errors import UserError

SEARCHED = 10


class FoundExample(BaseModel):
    id: str = Field(description="To ask for it.")
    theory: str = Field(description="Where its proof stands.")
    name: str = Field(description="Of the theorem.")
    goal: str = Field(description="In notation.")


class ExampleResult(ToolResult):
    id: str = Field(default="", description="Of the example.")
    theory: str = Field(default="", description="Where its proof stands.")
    name: str = Field(default="", description="Of the theorem.")
    facts: list[str] = Field(default=[], description="What the hidden step was derived from.")
    goal: str | None = Field(default=None, description="What follows from the hidden step and `others`.")
    others: list[str] = Field(default=[], description="What else was used for the goal.")
    types: VariableTypes = {}
    hidden_step: str | None = Field(default=None, description="What the author wrote; only where it was asked for.")
    others_like_it: list[FoundExample] = Field(default=[], description="More that have the words.")


async def example(
    workshop: Workshop,
    progress: Progress,
    id: Annotated[str | None, Field(pattern=r"^[0-9a-f]{1,12}$", description="The first digits will do.")] = None,
    words: Annotated[str, Field(max_length=200, description="Words of theory, theorem and constants.")] = "",
    reveal: Annotated[bool, Field(description="Show the hidden step, too.")] = False,
) -> ExampleResult:
    """A problem of the benchmark's test split, by id or by words: facts, goal, and on request the hidden step."""
    try:
        service = await workshop.service()
        return await asyncio.to_thread(_example, service, id, words, reveal)
    except UserError as error:
        return ExampleResult(**refusal(error))


def _example(service: Service, identifier: str | None, words: str, reveal: bool) -> ExampleResult:
    rows: list[FoundExample] = []
    more = 0
    if identifier is None:
        found = service.examples(words, "test", SEARCHED, 0)
        if not found["total"]:
            raise NotFoundError(f"no example of the test split has all of: {words}")
        identifier = found["examples"][0]["id"]
        rows = [
            FoundExample(id=row["id"], theory=row["theory"], name=row["name"], goal=shortened(row["goal"], 300))
            for row in found["examples"][1:]
        ]
        more = found["total"] - 1 - len(rows)
    shown = service.example(str(identifier))

    def texts(field: str) -> list[str]:
        return [shortened(line["text"]) for line in shown[field]]

    return ExampleResult(
        status="ok", left_out={"others_like_it": more}, id=shown["id"], theory=shown["theory"], name=shown["name"],
        facts=texts("facts"), goal=shown["goal"] and shortened(shown["goal"]["text"]), others=texts("others"),
        types=shown["types"], hidden_step=shortened(shown["reference"]["text"]) if reveal else None,
        others_like_it=rows,
    )  # fmt: skip
