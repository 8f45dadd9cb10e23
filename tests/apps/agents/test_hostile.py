"""What nobody should send to the tools: each is refused in one short line, and the server goes on."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

pytest.importorskip("mcp", reason="pip install 'isarstep[mcp]'")

from mcp import Client

from isarstep.apps.mcp.server import make_server
from isarstep.apps.mcp.tools.results import MOST_CHARACTERS
from isarstep.apps.mcp.tools.workshop import Workshop

DEEP = "(" * 3000 + "x" + ")" * 3000
PROPOSITIONS = {
    "deep": DEEP,
    "deep and wrong": "(" * 3000,
    "long": " ∧ ".join(["x = x"] * 1500),
    "many quantifiers": "∀x. " * 2000 + "x = x",
    "a long name": "x" * 19_000 + " = y",
    "control characters": "x\x00 = \x1b[31my\x07",
    "right to left": "x = \u202ey",
    "lines": "x\n=\r\n\ty ) (",
    "tokens": "CONST HOL.Trueprop $ ( CONST",
    "nothing": "",
    "blanks": " \t ",
    "a number": "x = " + "9" * 15_000,
    "a type": "(x :: " + "(" * 500 + "nat" + ")" * 500 + ") = x y",
    "no Isabelle": "'; drop table facts; --",
}
# What the protocol's own description forbids: lengths, counts, types, names.
FORBIDDEN: list[tuple[str, dict[str, Any]]] = [
    ("read", {"propositions": ["x" * 20_001]}),
    ("read", {"propositions": ["x = x"] * 65}),
    ("read", {"propositions": "x = x"}),
    ("read", {"propositions": [None]}),
    ("read", {"propositions": ["x = \ud800"]}),
    ("read", {}),
    ("read", {"propositions": ["x = x"], "types": ["nat"]}),
    ("check_step", {"goal": "x = x", "candidates": ["x = x"] * 5000}),
    ("check_step", {"goal": "x = x", "candidates": []}),
    ("check_step", {"goal": ["x = x"], "candidates": ["x = x"]}),
    ("check_step", {"goal": "x = x", "candidates": ["x = x"], "seconds": 1e9}),
    ("check_step", {"goal": "x = x", "candidates": ["x = x"], "prover_seconds": -1}),
    ("propose_step", {"goal": "x = x", "count": 10**9}),
    ("propose_step", {"goal": "x = x", "count": "many"}),
    ("propose_step", {"goal": "x = x", "fixed": ["x" * 101]}),
    ("sketch", {"goal": "x = x", "depth": 100}),
    ("sketch", {"goal": None}),
    ("find_facts", {"words": "w" * 201}),
    ("find_facts", {"pattern": "p" * 2001}),
    ("find_facts", {"constants": ["c"] * 21}),
    ("find_facts", {"words": "x", "count": 0}),
    ("example", {"id": "../../etc"}),
    ("example", {"id": 12}),
]
# What is allowed in form, and wrong.
REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("read", {"propositions": ["x = x"], "imports": ["No.Such.Theory"]}),
    ("read", {"propositions": ["x = x"], "imports": ["\x00", "../x"]}),
    ("read", {"propositions": ["x = x"], "types": {"x": "no_such_type"}}),
    ("read", {"propositions": ["x = x"], "types": {"x": "(" * 3000}}),
    ("read", {"propositions": ["x = x"], "fixed": ["x", "x"]}),
    ("read", {"propositions": ["x = x"], "fixed": ["not a name"]}),
    ("propose_step", {"goal": "x = x", "imports": ["Nowhere"]}),
    ("sketch", {"goal": "x = x", "types": {"x": "nat nat"}}),
    ("check_step", {"goal": "x = x", "candidates": ["x = x"], "facts": ["y ="]}),
    ("find_facts", {"pattern": "(" * 900}),
    ("find_facts", {"words": " "}),
    ("find_facts", {"words": "x", "imports": ["Nowhere"]}),
]


def asked(workshop: Workshop, loop: asyncio.Runner, questions: list[tuple[str, dict[str, Any]]]) -> list[Any]:
    async def talk() -> list[Any]:
        async with Client(make_server(workshop)) as client:
            return [await client.call_tool(tool, arguments) for tool, arguments in questions]

    return loop.run(talk())


def one_line(text: str) -> bool:
    return 0 < len(text) < 1200 and text.isprintable()


@pytest.mark.slow
def test_propositions_that_nobody_writes_are_read_or_refused_in_one_line(
    workshop: Workshop, loop: asyncio.Runner
) -> None:
    for name, text in PROPOSITIONS.items():
        [result] = asked(workshop, loop, [("read", {"propositions": [text]})])
        assert not result.is_error, (name, result.content)
        answer = result.structured_content
        assert answer["status"] in ("ok", "refused"), name
        assert answer["status"] == "ok" or one_line(answer["message"]), (name, answer["message"])
        assert len(json.dumps(answer)) < 2 * MOST_CHARACTERS, name
    [fine] = asked(workshop, loop, [("read", {"propositions": ["x = x"]})])
    assert fine.structured_content["status"] == "ok"


@pytest.mark.parametrize(("tool", "arguments"), FORBIDDEN, ids=[f"{n}" for n in range(len(FORBIDDEN))])
def test_what_the_description_forbids_is_an_error(
    workshop: Workshop, loop: asyncio.Runner, tool: str, arguments: dict[str, Any]
) -> None:
    [result] = asked(workshop, loop, [(tool, arguments)])
    assert result.is_error
    assert len(result.content[0].text) < MOST_CHARACTERS


@pytest.mark.parametrize(("tool", "arguments"), REFUSED, ids=[f"{n}" for n in range(len(REFUSED))])
def test_what_is_wrong_is_refused_and_nothing_else(
    workshop: Workshop, loop: asyncio.Runner, tool: str, arguments: dict[str, Any]
) -> None:
    [result] = asked(workshop, loop, [(tool, arguments)])
    assert not result.is_error, result.content
    assert result.structured_content["status"] == "refused"
    assert one_line(result.structured_content["message"]), result.structured_content["message"]
