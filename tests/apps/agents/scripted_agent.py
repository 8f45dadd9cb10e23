"""An agent without a model: it follows docs/agents.md with propose_step and check_step, and nothing else.

    python -m tests.apps.agents.scripted_agent [theorems|chains|limits] [--record FILE]

starts `isarstep mcp`, works through the theorems of `textbook.py` and says which it has proved, and how; a record has
every call with what the agent looks at in its answer.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.apps.agents.textbook import CHAINS, LIMITS, THEOREMS, Theorem

PATIENCE = 8  # answers that came too late say nothing: ask again, what was tried is remembered
GOAL_SECONDS = 2.0  # of an attempt at the goal itself: several times what an attempt at a proposal gets
SIDES = ("follows_from_facts", "closes_goal")

Call = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]


@dataclass
class AgentsProof:
    """Steps, each of which provers derived from the facts and earlier steps, the goal last; how many were proposed to
    the agent, and how often provers were asked for the goal alone in vain."""

    steps: list[str] = field(default_factory=list)
    proposed: int = 0
    in_vain: int = 0


async def prove(call: Call, theorem: Theorem, rounds: int = 3, count: int = 8) -> AgentsProof | None:
    proof = AgentsProof()
    problem: dict[str, Any] = {"goal": theorem.goal, "types": theorem.types, "imports": list(theorem.imports)}
    for left in range(rounds, -1, -1):
        problem["facts"] = [*theorem.facts, *proof.steps]
        goal = {"candidates": [theorem.goal], "prover_seconds": GOAL_SECONDS, "seconds": 60}
        asked = await patiently(call, "check_step", problem | goal)
        if asked["steps"] and asked["steps"][0][SIDES[0]]["result"] == "proved":
            proof.steps.append(theorem.goal)
            return proof
        proof.in_vain += 1
        if not left:
            break
        found = await patiently(call, "propose_step", problem | {"count": count, "seconds": 60})
        usable = [s for s in found["steps"] if s["well_formed"] and not s["given"] and proved(s, SIDES[0])]
        closing = [step for step in usable if proved(step, SIDES[1])]
        new = closing[:1] or usable
        if not new:
            break
        proof.steps += [step["text"] for step in new]
        proof.proposed += len(new)
        if closing:
            proof.steps.append(theorem.goal)
            return proof
    return None


def proved(step: dict[str, Any], side: str) -> bool:
    return bool(step[side]["result"] == "proved")


async def patiently(call: Call, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    for _ in range(PATIENCE):
        answer = await call(tool, arguments)
        if answer["status"] != "out_of_time":
            break
    return answer


def looked_at(answer: dict[str, Any]) -> dict[str, Any]:
    """As much of an answer as the agent looks at."""
    steps = [
        {name: step[name] for name in ("text", "well_formed", "given")}
        | {side: {name: step[side][name] for name in ("result", "by", "facts")} for side in SIDES}
        for step in answer["steps"]
    ]
    return {"status": answer["status"], "steps": steps}


async def work(theorems: tuple[Theorem, ...], record: Path | None) -> None:
    from mcp import Client, StdioServerParameters

    command = [sys.executable, "-m", "isarstep", "mcp"]
    server = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    calls: list[dict[str, Any]] = []
    found: dict[str, list[str] | None] = {}
    async with Client(server) as client:

        async def call(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
            answer = dict((await client.call_tool(tool, arguments)).structured_content or {})
            if answer["status"] != "out_of_time":
                calls.append({"tool": tool, "arguments": arguments, "answer": looked_at(answer)})
            return answer

        for theorem in theorems:
            began = time.monotonic()
            proof = await prove(call, theorem)
            found[theorem.name] = None if proof is None else proof.steps
            said = "not proved" if proof is None else f"proved with {proof.proposed} proposed steps"
            print(f"{theorem.name}: {said}; {time.monotonic() - began:.0f} s", flush=True)
            if record is not None:
                record.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in calls))
    print(f"{sum(proof is not None for proof in found.values())} of {len(theorems)}")
    print(json.dumps(found, ensure_ascii=False))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    lists = {"theorems": THEOREMS, "chains": CHAINS, "limits": LIMITS}
    parser.add_argument("which", nargs="?", choices=lists, default="theorems")
    parser.add_argument("--record", type=Path)
    options = parser.parse_args()
    asyncio.run(work(lists[options.which], options.record))


if __name__ == "__main__":
    main()
