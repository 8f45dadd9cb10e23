"""Theorems that provers alone do not close in the time given, and with a step of `propose_step` they do.

`proposed_steps.jsonl` is the record of a real run (docs/agents.md has the command): what provers did not find depends
on how fast they are, so that part is taken from the record; that they accept the proposed steps is asked again.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tests import needs

pytest.importorskip("mcp", reason="pip install 'isarstep[mcp]'")

from tests.apps.agents.scripted_agent import SIDES, Call, prove
from tests.apps.agents.textbook import CHAINS, LIMITS, Theorem

from isarstep.apps.mcp.tools.workshop import Workshop
from isarstep.isabelle.theory.problems.problem import Problem
from isarstep.prover.outcomes.verdict import Proved

SECONDS = 1.0  # of processor time an attempt: three times what sufficed in the record
RECORD = Path(__file__).with_name("proposed_steps.jsonl")


def recorded() -> dict[str, dict[str, Any]]:
    calls = [json.loads(line) for line in RECORD.read_text(encoding="utf-8").splitlines()]
    return {json.dumps([each["tool"], each["arguments"]]): each["answer"] for each in calls}


def replay() -> Call:
    answers = recorded()

    async def call(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return answers[json.dumps([tool, arguments])]

    return call


def of_the_record() -> list[Theorem]:
    goals = {json.loads(question)[1]["goal"] for question in recorded()}
    return [theorem for theorem in (*CHAINS, *LIMITS) if theorem.goal in goals]


def test_the_agent_proves_three_theorems_with_proposals_that_provers_alone_do_not() -> None:
    theorems = of_the_record()
    assert len(theorems) >= 3
    for theorem in theorems:
        proof = asyncio.run(prove(replay(), theorem))
        assert proof is not None, theorem.name
        assert proof.in_vain >= 1
        assert proof.proposed >= 1
        assert len(proof.steps) == proof.proposed + 1
        assert theorem.goal not in proof.steps[:-1]
    goals_alone = [
        answer["steps"][0][SIDES[0]]["result"] for question, answer in recorded().items() if "check_step" in question
    ]
    assert set(goals_alone) == {"out_of_time"}


@pytest.mark.slow
@needs.E
def test_provers_accept_both_sides_of_every_proposed_step(workshop: Workshop, loop: asyncio.Runner) -> None:
    engine = loop.run(workshop.service()).engine
    with engine.proving(SECONDS, library=32) as proving:
        for theorem in of_the_record():
            proof = asyncio.run(prove(replay(), theorem))
            assert proof is not None
            assert proof.proposed == 1  # then both sides are one question
            task = engine.read(Problem(theorem.goal, theorem.facts, types=theorem.types, imports=theorem.imports))
            gaps = dict(proving.gaps(task, engine.answer(task, proof.steps[0])))
            assert {side: type(gap) for side, gap in gaps.items()} == {"first": Proved, "second": Proved}, theorem.name


def test_an_agent_that_is_proposed_nothing_proves_nothing() -> None:
    """Without the proposals the same record has no proof."""
    answers = recorded()

    async def call(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        answer = answers[json.dumps([tool, arguments])]
        return answer | {"steps": []} if tool == "propose_step" else answer

    assert all(asyncio.run(prove(call, theorem)) is None for theorem in of_the_record())
