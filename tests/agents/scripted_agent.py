"""An agent without a model: it follows docs/agents.md with propose_step and check_step, and nothing else."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

PATIENCE = 8  # answers that came too late say nothing: ask again, what was tried is remembered

Call = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]


async def prove(call: Call, facts: list[str], goal: str, types: dict[str, str], rounds: int = 3) -> list[str] | None:
    """Steps, each of which provers derived from the facts and earlier steps, the goal last; None: not found."""
    steps: list[str] = []
    for _ in range(rounds):
        problem = {"facts": [*facts, *steps], "types": types, "goal": goal}
        asked = await patiently(call, "check_step", problem | {"candidates": [goal]})
        if asked["steps"] and asked["steps"][0]["follows_from_facts"]["result"] == "proved":
            return [*steps, goal]
        proposed = await patiently(call, "propose_step", problem | {"count": 6})
        usable = [
            step["text"]
            for step in proposed["steps"]
            if step["well_formed"] and not step["given"] and step["follows_from_facts"]["result"] == "proved"
        ]
        if not usable:
            return None
        steps.append(usable[0])
    return None


async def patiently(call: Call, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    for _ in range(PATIENCE):
        answer = await call(tool, arguments)
        if answer["status"] != "out_of_time":
            break
    return answer
