"""An agent without a model: it follows docs/agents.md with propose_step and check_step, and nothing else.

    python -m tests.agents.scripted_agent

starts `isarstep mcp`, works through all theorems of `textbook.py` and says which it has proved, and how.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from tests.agents.textbook import THEOREMS, Theorem

PATIENCE = 8  # answers that came too late say nothing: ask again, what was tried is remembered

Call = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]


async def prove(call: Call, theorem: Theorem, rounds: int = 3, count: int = 6) -> list[str] | None:
    """Steps, each of which provers derived from the facts and earlier steps, the goal last; None: not found."""
    steps: list[str] = []
    for left in range(rounds, -1, -1):
        problem = {"facts": [*theorem.facts, *steps], "types": theorem.types, "goal": theorem.goal}
        asked = await patiently(call, "check_step", problem | {"candidates": [theorem.goal]})
        if asked["steps"] and asked["steps"][0]["follows_from_facts"]["result"] == "proved":
            return [*steps, theorem.goal]
        if not left:
            break
        proposed = await patiently(call, "propose_step", problem | {"count": count})
        usable = [
            step
            for step in proposed["steps"]
            if step["well_formed"] and not step["given"] and step["follows_from_facts"]["result"] == "proved"
        ]
        if not usable:
            break
        best = next((step for step in usable if step["closes_goal"]["result"] == "proved"), usable[0])
        steps.append(best["text"])
        if best["closes_goal"]["result"] == "proved":
            return [*steps, theorem.goal]
    return None


async def patiently(call: Call, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    for _ in range(PATIENCE):
        answer = await call(tool, arguments)
        if answer["status"] != "out_of_time":
            break
    return answer


async def main() -> None:
    from mcp import Client, StdioServerParameters

    command = [sys.executable, "-m", "isarstep", "mcp"]
    server = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    found: dict[str, list[str] | None] = {}
    async with Client(server) as client:

        async def call(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
            return dict((await client.call_tool(tool, arguments)).structured_content or {})

        for theorem in THEOREMS:
            began = time.monotonic()
            found[theorem.name] = proof = await prove(call, theorem)
            said = "not proved" if proof is None else f"proved, {len(proof) - 1} steps before the goal"
            print(f"{theorem.name}: {said}; {time.monotonic() - began:.0f} s", flush=True)
    print(f"{sum(proof is not None for proof in found.values())} of {len(THEOREMS)}")
    print(json.dumps(found, ensure_ascii=False))


if __name__ == "__main__":
    asyncio.run(main())
