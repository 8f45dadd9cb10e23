"""What tools answer: typed models whose `status` never lets two different things look alike.

How to add a tool: a file here with one function `async def NAME(workshop, progress, ...) -> Result` that takes what it
is asked as annotated parameters, and a line in `agents/mcp_server.py`. Nothing here knows the protocol.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal, TypedDict, TypeVar

from pydantic import BaseModel, Field, ValidationError

from isarstep.apps.catalogue import NotFoundError
from isarstep.apps.mcp.tools.workshop import NotLoadedError
from isarstep.apps.service.service import OutOfTimeError
from isarstep.common.errors import UserError
from isarstep.isabelle.theory.problems.problem import ProblemError
from isarstep.prover.atp.provers import GAVE_UP
from isarstep.prover.outcomes.verdict import Crashed, Gap, Proved, Refuted, TimedOut, Unknown

MOST_CHARACTERS = (
    24_000  # of the lists and tables of an answer together: what an agent can read without losing its thread
)
LONGEST_TEXT = 4_000  # of one proposition
MOST_FACTS = 32  # that one proof is said to have used

Status = Literal["ok", "nothing_found", "out_of_time", "could_not_ask", "refused"]
_UNANSWERED: dict[type[UserError], Status] = {
    NotLoadedError: "could_not_ask",
    OutOfTimeError: "out_of_time",
    NotFoundError: "nothing_found",
}
Progress = Callable[[float, float | None, str], Awaitable[None]]


class ToolResult(BaseModel):
    """What all answers have."""

    status: Status = Field(
        description="ok; nothing_found: all was tried, without success; out_of_time: the budget ended first, nothing "
        "follows from that; could_not_ask: no prover could be asked; refused: something is wrong with the question."
    )
    message: str = Field(
        default="", description="One line that says why, where status is not ok, or what is missing though it is."
    )
    left_out: dict[str, int] = Field(default={}, description="What bounds on the answer cut off, counted.")


Body = TypeVar("Body", bound=BaseModel)
AnyResult = TypeVar("AnyResult", bound=ToolResult)


class GapShown(BaseModel):
    """Does something follow?"""

    result: Literal[
        "proved", "refuted", "nothing_found", "out_of_time", "could_not_ask", "not_tried", "internal_error"
    ] = Field(
        description="Only proved and refuted say something about the statement. nothing_found: provers have searched "
        "through all that follows from what they were given; more facts may help."
    )
    by: str | None = Field(default=None, description="Who proved or refuted it.")
    facts: list[str] = Field(default=[], description="What the prover used.")
    text: str = Field(default="", description="All of it in one line.")


def gap_shown(gap: Gap | None) -> GapShown:
    match gap:
        case None | Unknown("not asked"):
            return GapShown(result="not_tried")
        case Proved(by, _, facts, _):
            return GapShown(result="proved", by=by, facts=list(facts)[:MOST_FACTS], text=shortened(str(gap), 500))
        case Refuted(by, _):
            return GapShown(result="refuted", by=by, text=str(gap))
        case TimedOut(_):
            return GapShown(result="out_of_time", text=str(gap))
        case Crashed():
            return GapShown(result="internal_error", text=shortened(str(gap), 500))
        case Unknown(why):
            return GapShown(result="nothing_found" if why == GAVE_UP else "could_not_ask", text=shortened(str(gap)))


def bounded(answer: AnyResult) -> AnyResult:
    """The answer with its lists and tables cut from their ends where they are too long, and how much was cut of each.
    What is declared first has the first claim to the room."""
    room = MOST_CHARACTERS
    left_out = dict(answer.left_out)
    for name in type(answer).model_fields:
        value = getattr(answer, name)
        if name == "left_out" or not isinstance(value, list | dict):
            continue
        kept = 0
        for item in value.items() if isinstance(value, dict) else value:
            room -= len(item.model_dump_json() if isinstance(item, BaseModel) else json.dumps(item, ensure_ascii=False))
            if room < 0:
                break
            kept += 1
        if kept < len(value):
            room = 0  # what comes after is shorter perhaps, but would make gaps that nobody sees
            left_out[name] = left_out.get(name, 0) + len(value) - kept
            setattr(answer, name, dict(list(value.items())[:kept]) if isinstance(value, dict) else value[:kept])
    answer.left_out = {name: count for name, count in left_out.items() if count}
    return answer


def shortened(text: str, limit: int = LONGEST_TEXT) -> str:
    """A text, or its beginning and how much more there is."""
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text) - limit} characters more)"


def body_of(kind: type[Body], **fields: Any) -> Body:
    """What the service is asked, after its own look at every field."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        raise UserError(what_is_wrong(error)) from None


def what_is_wrong(error: ValidationError) -> str:
    """The first of what pydantic found, in one line without what was sent."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"]).lstrip(".")
    return plain(f"{where}: {first['msg']}")


def plain(text: str) -> str:
    """On one line, and nothing in it that a terminal would obey."""
    line = " ".join(text.split())
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in line)


def refusal(error: UserError) -> dict[str, Any]:
    """Status and message of a question that was not understood, or that could not be answered."""
    for kind, status in _UNANSWERED.items():
        if isinstance(error, kind):
            return {"status": status, "message": str(error)}
    message = plain(str(error))
    if isinstance(error, ProblemError) and error.position is not None:
        message += f" (at character {error.position})"
    return {"status": "refused", "message": shortened(message, 1000)}


Proposition = Annotated[str, Field(max_length=20_000)]
Propositions = Annotated[list[Proposition], Field(max_length=64)]
Names = Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=100)]
Seconds = Annotated[float, Field(ge=1, le=60, description="Budget of the whole question.")]
Facts = Annotated[Propositions, Field(description="What is known, in Isabelle's notation: x ≤ y, finite A, ...")]
Goal = Annotated[Proposition, Field(description="What is to be shown.")]
Fixed = Annotated[Names, Field(description="Names that are variables although a constant has the same name.")]
VariableTypes = Annotated[dict[str, str], Field(description="The type of every variable, by its name.")]
Types = Annotated[dict[str, str], Field(max_length=100, description="Types of variables: {'n': 'nat'}.")]
Imports = Annotated[Names, Field(description="Theories in which it stands; left away: Complex_Main, or what it needs.")]


class Around(TypedDict, total=False):
    """What a problem says beside its goal; requests to the service call it the same."""

    facts: Facts
    others: Annotated[Propositions, Field(description="What else may be used for the goal.")]
    fixed: Fixed
    types: Types
    imports: Imports
