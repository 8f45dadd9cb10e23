"""The tools over the protocol: in this process, over stdio and over HTTP; errors, cancellation, dead clients, budgets."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

pytest.importorskip("mcp", reason="pip install 'isarstep[mcp]'")

import uvicorn
from mcp import Client
from tests.agents.scripted_agent import prove

from isarstep.agents.mcp_server import TOOLS, make_server
from isarstep.agents.tools.results import MOST_CHARACTERS, GapShown, gap_shown, within_budget
from isarstep.agents.workshop import Workshop
from isarstep.check.verdict import Proved, Refuted, TimedOut, Unknown
from isarstep.errors import UserError
from isarstep.serve.service import Service

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
        async def one() -> dict[str, Any]:
            async with Client(make_server(self._workshop)) as client:
                return await call(client, name, arguments)

        return self._loop.run(one())


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
            await asyncio.sleep(0)
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
        candidates=["x ≤ z", "x = = y", "stranger = x"], seconds=60,
    )  # fmt: skip
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


# Cancelling, several clients


def test_a_cancelled_sketch_leaves_the_provers_to_others(workshop: Workshop, loop: asyncio.Runner) -> None:
    async def talk() -> str:
        async with Client(make_server(workshop)) as client:
            begun = asyncio.Event()

            async def progress(done: float, total: float | None, message: str | None) -> None:
                begun.set()

            hard = {"goal": "card A = card B", "seconds": 60}
            sketching = asyncio.create_task(client.call_tool("sketch", hard, progress_callback=progress))
            await asyncio.wait_for(begun.wait(), 120)
            sketching.cancel()
            with pytest.raises(asyncio.CancelledError):
                await sketching
            found = await call(
                client, "check_step", {"facts": ["P ∧ Q"], "goal": "Q", "candidates": ["Q"], "seconds": 60}
            )
            return str(found["steps"][0]["follows_from_facts"]["result"])

    assert loop.run(talk()) == "proved"


@contextmanager
def http_server(workshop: Workshop) -> Iterator[str]:
    config = uvicorn.Config(make_server(workshop).streamable_http_app(), port=0, log_level="error")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        thread.join(0.02)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/mcp"
    finally:
        server.should_exit = True
        thread.join()


def test_two_clients_over_http_at_once(workshop: Workshop, loop: asyncio.Runner) -> None:
    async def one(url: str, letter: str) -> str:
        async with Client(url) as client:
            found = await call(client, "read", {"propositions": [f"{letter} ≤ {letter}"]})
            return str(found["readings"][0]["text"])

    async def both(url: str) -> list[str]:
        return await asyncio.gather(one(url, "p"), one(url, "q"))

    with http_server(workshop) as url:
        assert loop.run(both(url)) == ["p ≤ p", "q ≤ q"]


def test_a_dead_client_over_stdio_leaves_no_orphan() -> None:
    server = subprocess.Popen(
        [sys.executable, "-m", "isarstep", "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert server.stdin is not None
    assert server.stdout is not None
    hello = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}},
    }  # fmt: skip
    server.stdin.write(json.dumps(hello) + "\n")
    server.stdin.flush()
    answer = json.loads(server.stdout.readline())  # everything is still being loaded
    assert answer["result"]["serverInfo"]["name"] == "isarstep"
    server.stdin.close()
    assert server.wait(120) == 0


# Answers


def test_verdicts_never_look_alike() -> None:
    gaps = [None, Proved("e", 0.1, ("f",), 3), Refuted("nitpick", "x = 0"), TimedOut(1.0), Unknown("too large")]
    shown = [gap_shown(gap).result for gap in gaps]
    assert shown == ["not_tried", "proved", "refuted", "out_of_time", "could_not_ask"]


def test_the_largest_answer_stays_within_its_budget() -> None:
    items = [GapShown(result="proved", text="x" * 4000) for _ in range(50)]
    kept, left_out = within_budget(items, 50)
    assert 0 < len(kept) < 50
    assert len(kept) + left_out == 50
    assert sum(len(item.model_dump_json()) for item in kept) <= MOST_CHARACTERS
    assert within_budget(items, 2)[1] == 48


THEOREMS = [
    (["x ≤ y", "y ≤ z"], "x ≤ z", {"x": "nat"}),
    (["rev xs = ys"], "rev ys = xs", {}),
    (["even n"], "even (n * n)", {"n": "nat"}),
]


def test_an_agent_that_follows_the_docs_proves_small_theorems(workshop: Workshop, loop: asyncio.Runner) -> None:
    async def work() -> list[list[str] | None]:
        async with Client(make_server(workshop)) as client:
            return [
                await prove(lambda name, arguments: call(client, name, arguments), facts, goal, types)
                for facts, goal, types in THEOREMS
            ]

    for (_, goal, _), proof in zip(THEOREMS, loop.run(work()), strict=True):
        assert proof is not None
        assert proof[-1] == goal
