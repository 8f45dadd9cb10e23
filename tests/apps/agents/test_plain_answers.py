"""What agents are told: tools that change nothing, mistakes in one line, and what was proved is not called late."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("mcp", reason="pip install 'isarstep[mcp]'")

from mcp.server.mcpserver.exceptions import ToolError

from isarstep.apps.mcp.server import make_server
from isarstep.apps.mcp.tools import check_step, propose_step
from isarstep.isabelle.terms.terms import Free
from isarstep.prover.outcomes.step import Step
from isarstep.prover.outcomes.verdict import Proved

PROVED = Proved("cvc5", 0.1, ("F.2(1)", "P"), 0)  # from a fact, and the goal from the step
STEP = Step(0, "t", Free("x", None), "x", None)  # type: ignore[arg-type]


def server() -> Any:
    return make_server(None)  # type: ignore[arg-type]  # nothing is asked of it


def test_tools_without_annotations() -> None:
    tools = asyncio.run(server().list_tools())
    assert len(tools) == 6
    for tool in tools:
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        assert tool.annotations.open_world_hint is False


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("propose_step", {}, "propose_step: goal: Field required"),
        ("propose_step", {"goal": 5}, "propose_step: goal: Input should be a valid string"),
        ("propose_step", {"goal": "x", "seconds": 10**9}, "propose_step: seconds: Input should be less than"),
        ("check_step", {"goal": "x", "candidates": []}, "check_step: candidates: List should have at least 1"),
        ("read", {"types": {"x\n\u2028y": 5}}, "read: "),
    ],
)
def test_raw_errors_of_pydantic(tool: str, arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(ToolError) as refused:
        asyncio.run(server().call_tool(tool, arguments))
    message = str(refused.value)
    assert message.startswith(said)
    assert message.isprintable()
    assert "pydantic" not in message
    assert "validation error" not in message


def test_out_of_time_although_steps_were_proved() -> None:
    helpful = replace(STEP, first=PROVED, second=PROVED)
    for status in (
        propose_step._status([helpful, STEP], 2, 20),
        check_step._status([helpful, STEP], [], 2, 20),
    ):
        assert status == ("ok", "2 gaps were not tried within 20 s")
    assert propose_step._status([STEP], 2, 20)[0] == "out_of_time"
    assert check_step._status([STEP], [], 2, 20)[0] == "out_of_time"
    assert propose_step._status([], 0, 20)[0] == "nothing_found"
    assert propose_step._status([STEP], 0, 20) == ("ok", "")
