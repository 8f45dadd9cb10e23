"""The tools as a client in this process sees them: what they answer, what they refuse, how much they say."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("mcp", reason="pip install 'isarstep[mcp]'")

from mcp import Client
from tests.apps.agents.scripted_agent import prove
from tests.apps.agents.textbook import THEOREMS

from isarstep.apps.mcp.server import TOOLS, make_server
from isarstep.apps.mcp.tools.read import ReadingShown, ReadResult
from isarstep.apps.mcp.tools.results import MOST_CHARACTERS, bounded, gap_shown, shortened
from isarstep.apps.mcp.tools.workshop import Workshop
from isarstep.apps.service.service import Service
from isarstep.common.errors import UserError
from isarstep.prover.atp.provers import GAVE_UP
from isarstep.prover.outcomes.verdict import NOT_ASKED, Proved, Refuted, TimedOut, Unknown

NAMES = {"read", "propose_step", "check_step", "sketch", "find_facts", "example"}


async def call(client: Client, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result.content
    assert result.structured_content is not None
    return dict(result.structured_content)


class Asking:
    """Calls one tool after the other."""

    def __init__(self, workshop: Workshop, loop: asyncio.Runner) -> None:
        self._workshop, self._loop = workshop, loop

    def __call__(self, name: str, **arguments: Any) -> dict[str, Any]:
        return self._loop.run(self.of(name, arguments))

    async def of(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        async with Client(make_server(self._workshop)) as client:
            return await call(client, name, arguments)


@pytest.fixture
def ask(workshop: Workshop, loop: asyncio.Runner) -> Asking:
    return Asking(workshop, loop)


# Loading


def test_the_handshake_does_not_wait_for_the_loading_and_tools_do() -> None:
    loading = threading.Event()

    def make() -> Service:
        loading.wait()
        raise UserError("no such model")

    async def talk() -> dict[str, Any]:
        async with Client(make_server(Workshop(make))) as client:
            listed = await client.list_tools()
            assert {tool.name for tool in listed.tools} == NAMES == {tool.__name__ for tool in TOOLS}
            assert all(tool.description and tool.output_schema for tool in listed.tools)
            waiting = asyncio.create_task(call(client, "read", {"propositions": ["x = x"]}))
            for _ in range(20):  # a tool that does not wait has answered long before the last of these
                await client.list_tools()
            assert not waiting.done()
            loading.set()
            return await waiting

    assert asyncio.run(talk()) == {
        "status": "could_not_ask", "message": "nothing could be loaded: no such model", "left_out": {}, "readings": [],
        "world": "", "types": {}, "notes": [],
    }  # fmt: skip


# The tools


def test_read_says_how_it_was_read_and_where_it_is_wrong(ask: Asking) -> None:
    good = ask("read", propositions=["n ≤ m"], types={"n": "nat"})
    assert good["status"] == "ok"
    assert good["types"] == {"n": "nat", "m": "nat"}
    assert "Orderings.ord_class.less_eq" in good["readings"][0]["tokens"]
    bad = ask("read", propositions=["n ≤ m", "n = = m"])
    assert bad["status"] == "refused"
    assert [reading["well_formed"] for reading in bad["readings"]] == [True, False]
    assert bad["readings"][1]["position"] == 4
    elsewhere = ask("read", propositions=["n ≤ m"], imports=["Nowhere"])
    assert elsewhere["status"] == "refused"
    assert "Nowhere" in elsewhere["message"]


def test_propose_step_proposes_what_is_proved(ask: Asking) -> None:
    found = ask("propose_step", facts=["x ≤ y", "y ≤ z"], goal="x < z + 1", types={"x": "nat"}, count=3, seconds=60)
    assert found["status"] in ("ok", "out_of_time")
    assert 1 <= len(found["steps"]) <= 3
    assert all(step["well_formed"] for step in found["steps"])
    assert ask("propose_step", goal="x < < y")["status"] == "refused"


def test_check_step_judges_every_candidate_for_itself(ask: Asking) -> None:
    found = ask(
        "check_step", facts=["x ≤ y", "y ≤ z"], goal="x ≤ z", types={"x": "nat"},
        candidates=["x = = y", "x ≤ z", "stranger = x", "x < z"], seconds=60,
    )  # fmt: skip
    assert [step["text"] for step in found["steps"]] == ["x = = y", "x ≤ z", "stranger = x", "x < z"]  # as given
    by_text = {step["text"]: step for step in found["steps"]}
    assert by_text["x ≤ z"]["follows_from_facts"]["result"] == "proved"
    assert by_text["x ≤ z"]["closes_goal"]["result"] == "proved"
    assert "character" in by_text["x = = y"]["problem"]
    assert not by_text["stranger = x"]["well_formed"]
    assert by_text["stranger = x"]["follows_from_facts"]["result"] == "not_tried"
    nothing = ask("check_step", goal="x ≤ z", candidates=["x ="])
    assert nothing["status"] == "refused"


def test_find_facts_by_words_constants_and_pattern(ask: Asking) -> None:
    found = ask("find_facts", constants=["card", "finite"], pattern="card ?A ≤ card ?B", count=40)
    assert found["status"] == "ok"
    assert "Finite_Set.card_mono" in {fact["name"] for fact in found["facts"]}
    assert all("card" in fact["text"] for fact in found["facts"])
    few = ask("find_facts", words="card mono", count=1)
    assert few["left_out"] == {"facts": few["total"] - 1}
    assert ask("find_facts", words="zzzzzz")["status"] == "nothing_found"
    assert ask("find_facts")["status"] == "refused"
    assert ask("find_facts", pattern="card (")["status"] == "refused"


def test_example_hides_its_step_until_asked(ask: Asking) -> None:
    found = ask("example", words="finite")
    assert found["status"] == "ok"
    assert found["hidden_step"] is None
    again = ask("example", id=found["id"], reveal=True)
    assert again["hidden_step"]
    assert again["goal"] == found["goal"]
    assert ask("example", words="zzzzzz")["status"] == "nothing_found"
    assert ask("example", id="ffffffffffff")["status"] == "nothing_found"


def test_what_the_protocol_refuses_is_an_error(workshop: Workshop, loop: asyncio.Runner) -> None:
    async def one() -> Any:
        async with Client(make_server(workshop)) as client:
            return await client.call_tool("check_step", {"goal": "x = x", "candidates": []})

    assert loop.run(one()).is_error


# Answers


def test_verdicts_never_look_alike() -> None:
    gaps = [
        None, Proved("e", 0.1, ("f",), 3), Refuted("nitpick", "x = 0"), TimedOut(1.0), Unknown("too large"),
        Unknown(GAVE_UP), NOT_ASKED,
    ]  # fmt: skip
    shown = [gap_shown(gap).result for gap in gaps]
    assert shown == [
        "not_tried", "proved", "refuted", "out_of_time", "could_not_ask", "nothing_found", "not_tried",
    ]  # fmt: skip


def test_the_largest_answer_stays_within_its_budget() -> None:
    reading = ReadingShown(place=0, well_formed=True, text="x" * 3000, tokens=None)
    types = {f"x{n}": "nat" for n in range(2000)}
    answer = bounded(ReadResult(status="ok", readings=[reading] * 5, types=types, notes=["n" * 100] * 30))
    assert len(answer.readings) == 5
    assert 0 < len(answer.types) < 2000
    assert answer.left_out == {"types": 2000 - len(answer.types), "notes": 30}
    lists = answer.model_dump_json(include={"readings", "types", "notes"})
    assert 0.9 * MOST_CHARACTERS < len(lists) <= MOST_CHARACTERS
    whole = bounded(ReadResult(status="ok", readings=[reading] * 2, left_out={"readings": 0}))
    assert (len(whole.readings), whole.left_out) == (2, {})
    again = bounded(ReadResult(status="ok", readings=[reading] * 50, left_out={"readings": 3}))
    assert len(again.readings) + again.left_out["readings"] == 53


def test_the_largest_examples_and_facts_stay_within_it(ask: Asking, workshop: Workshop, loop: asyncio.Runner) -> None:
    catalogue = loop.run(workshop.service()).catalogue
    for entry in sorted(catalogue.entries, key=lambda entry: -entry.size)[:2]:
        answer = ask("example", id=entry.id, reveal=True)
        assert (answer["status"], answer["id"]) == ("ok", entry.id)
        assert len(json.dumps(answer, ensure_ascii=False)) < 2 * MOST_CHARACTERS
    search = loop.run(workshop.facts())
    longest = search._fact(int(np.argmax(search._length)))
    many = ask("find_facts", words=longest.theory.rpartition(".")[2], imports=[longest.theory], count=50)
    found = ask("find_facts", words=longest.name.partition("(")[0], imports=[longest.theory], count=50)
    for answer in (many, found):
        assert answer["status"] == "ok"
        assert len(json.dumps(answer, ensure_ascii=False)) < 2 * MOST_CHARACTERS
        assert len(answer["facts"]) + answer["left_out"].get("facts", 0) == answer["total"]


def test_a_text_that_was_cut_says_so() -> None:
    assert shortened("abc", 3) == "abc"
    assert shortened("abcd", 3) == "abc… (1 characters more)"


def contains(actual: Any, shown: Any) -> bool:
    """Does the answer have what the page shows of it?"""
    if isinstance(shown, dict):
        return isinstance(actual, dict) and all(
            name in actual and contains(actual[name], shown[name]) for name in shown
        )
    if isinstance(shown, list):
        return len(actual) >= len(shown) and all(map(contains, actual, shown)) and bool(actual) == bool(shown)
    return bool(actual == shown)


def test_the_session_in_the_docs_is_what_the_tools_answer(ask: Asking) -> None:
    page = (Path(__file__).parents[3] / "docs" / "agents.md").read_text(encoding="utf-8").partition("worked session")[2]
    lines = [json.loads(line) for line in page.splitlines() if line.startswith(('{"tool"', '{"status"'))]
    calls = list(zip(lines[::2], lines[1::2], strict=True))
    assert len(calls) >= 5
    for question, shown in calls:
        answer = ask(question["tool"], **question["arguments"])
        assert contains(answer, shown), (question, answer)


@pytest.mark.slow
def test_an_agent_that_follows_the_docs_proves_textbook_theorems(workshop: Workshop, loop: asyncio.Runner) -> None:
    """With one round of proposals each; `python -m tests.apps.agents.scripted_agent` takes its time for all ten."""

    async def work() -> list[str]:
        proved = []
        async with Client(make_server(workshop)) as client:
            for theorem in THEOREMS:
                proof = await prove(lambda name, arguments: call(client, name, arguments), theorem, rounds=1, count=2)
                assert proof is None or proof.steps[-1] == theorem.goal
                proved += [theorem.name] if proof else []
                if len(proved) == 3:
                    break
        return proved

    assert len(THEOREMS) == 10
    assert len(loop.run(work())) == 3


@pytest.mark.parametrize("tool", ["propose_step", "sketch", "check_step"])
def test_a_statement_that_grows_exponentially_is_refused(ask: Asking, tool: str) -> None:
    more = {"candidates": ["x = y"]} if tool == "check_step" else {}
    answer = ask(tool, goal="(λf x. f (f x)) " * 5 + "g x = y", **more)
    assert answer["status"] == "refused"
    assert "the statement grows too large" in answer["message"]
