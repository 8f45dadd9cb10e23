"""What tools answer: typed models whose `status` never lets two different things look alike.

How to add a tool: a file here with one function `async def NAME(workshop, progress, ...) -> Result` that takes what it
is asked as annotated parameters, and a line in `agents/mcp_server.py`. Nothing here knows the protocol.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, Field

from isarstep.check.verdict import Gap, Proved, Refuted, TimedOut
from isarstep.errors import UserError
from isarstep.serve.problem import ProblemError

MOST_CHARACTERS = 24_000  # of the lists of an answer together: what an agent can read without losing its thread
LONGEST_TEXT = 4_000  # of one proposition

Status = Literal["ok", "nothing_found", "out_of_time", "could_not_ask", "refused"]
Progress = Callable[[float, float | None, str], Awaitable[None]]
Item = TypeVar("Item", bound=BaseModel)


class ToolResult(BaseModel):
    """What all answers have."""

    status: Status = Field(
        description="ok; nothing_found: all was tried, without success; out_of_time: the budget ended first, nothing "
        "follows from that; could_not_ask: no prover could be asked; refused: something is wrong with the question."
    )
    message: str = Field(default="", description="One line that says why, where status is not ok.")
    left_out: dict[str, int] = Field(default={}, description="What bounds on the answer cut off, counted.")


class GapShown(BaseModel):
    """Does something follow?"""

    result: Literal["proved", "refuted", "out_of_time", "could_not_ask", "not_tried"] = Field(
        description="Only proved and refuted say something about the statement."
    )
    by: str | None = None
    facts: list[str] = Field(default=[], description="What the prover used.")
    text: str = ""


def gap_shown(gap: Gap | None) -> GapShown:
    match gap:
        case None:
            return GapShown(result="not_tried")
        case Proved(by, _, facts, _):
            return GapShown(result="proved", by=by, facts=list(facts)[:32], text=str(gap))
        case Refuted(by, _):
            return GapShown(result="refuted", by=by, text=str(gap))
        case TimedOut(_):
            return GapShown(result="out_of_time", text=str(gap))
        case _:
            return GapShown(result="could_not_ask", text=str(gap)[:LONGEST_TEXT])


def within_budget(items: Iterable[Item], limit: int) -> tuple[list[Item], int]:
    """The first items, as many as may be shown, and how many are left out."""
    kept: list[Item] = []
    room, left_out = MOST_CHARACTERS, 0
    for item in items:
        room -= len(item.model_dump_json())
        if len(kept) < limit and room >= 0:
            kept.append(item)
        else:
            left_out += 1
    return kept, left_out


def counted(**left_out: int) -> dict[str, int]:
    return {name: count for name, count in left_out.items() if count}


def refusal(error: UserError) -> dict[str, Any]:
    """Status and message of a question that was not understood."""
    message = " ".join(str(error).split())
    if isinstance(error, ProblemError) and error.position is not None:
        message += f" (at character {error.position})"
    return {"status": "refused", "message": message[:LONGEST_TEXT]}


Proposition = Annotated[str, Field(max_length=20_000)]
Propositions = Annotated[list[Proposition], Field(max_length=64)]
Names = Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=100)]
Seconds = Annotated[float, Field(ge=1, le=60, description="Budget of the whole question.")]
Facts = Annotated[Propositions, Field(description="What is known, in Isabelle's notation: x ≤ y, finite A, ...")]
Goal = Annotated[Proposition, Field(description="What is to be shown.")]
Others = Annotated[Propositions, Field(description="What else may be used for the goal.")]
Fixed = Annotated[Names, Field(description="Names that are variables although a constant has the same name.")]
Types = Annotated[dict[str, str], Field(max_length=100, description="Types of variables: {'n': 'nat'}.")]
Imports = Annotated[Names, Field(description="Theories in which it stands; left away: Complex_Main, or what it needs.")]
