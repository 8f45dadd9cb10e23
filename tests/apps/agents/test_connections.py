"""Clients over stdio and over HTTP: two at once, every tool and its errors, cancelled calls, dead clients, a server that
is still loading. Nothing here hangs on a clock: provers and loading wait for the test."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="pip install 'isarstep[mcp]'")

import uvicorn
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from tests.apps.agents.scripted_agent import patiently
from tests.apps.agents.test_mcp import NAMES, call
from tests.needs import PROC_FILES
from tests.stand_in import StandIn
from tests.waiting import gone, number_in, until

from isarstep.apps.mcp.server import make_server
from isarstep.apps.mcp.tools.workshop import Workshop
from isarstep.apps.service import service
from isarstep.apps.service.service import Service
from isarstep.benchmark.store.fact_search import FactSearch
from isarstep.common.errors import UserError
from isarstep.prover.atp import provers

HARD = {
    "facts": ["p undefined"],
    "goal": "p (f (f undefined))",
    "candidates": ["p (f undefined)"],
    "prover_seconds": 5,
    "seconds": 60,
}
HARD_SKETCH = {name: HARD[name] for name in ("facts", "goal", "seconds")}
EASY = {"facts": ["P ∧ Q"], "goal": "Q", "candidates": ["Q"], "seconds": 60}


# Provers that never end, so that only we can end them


@pytest.fixture
def stand_in(tmp_path: Path) -> StandIn:
    return StandIn(tmp_path)


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


# Over stdio and HTTP


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


# The server as it is, but that it makes no index of facts, which takes seconds: where none is asked for.
NO_INDEX = """
from isarstep.cli import main
from isarstep.common.errors import UserError
from isarstep.apps.mcp.tools.workshop import Workshop

def no_index(workshop):
    raise UserError("no facts here")

Workshop._find_facts = no_index
main()
"""


def over_stdio(*command: str) -> Any:
    return stdio_client(StdioServerParameters(command=sys.executable, args=[*command, "mcp"], env={**os.environ}))


async def reading(client: Client, letter: str) -> None:
    """Which tools there are, and two propositions, of which one is refused."""
    assert {tool.name for tool in (await client.list_tools()).tools} == NAMES
    read = await call(client, "read", {"propositions": [f"{letter} ≤ {letter}"]})
    assert (read["status"], read["readings"][0]["text"]) == ("ok", f"{letter} ≤ {letter}")
    assert (await call(client, "read", {"propositions": [f"{letter} ≤"]}))["status"] == "refused"


async def tour(client: Client, letter: str, endless: bool) -> None:
    """Every tool once, and once with something wrong; `letter` tells the answers of two clients apart. Unless time is
    `endless`, a machine may be too busy for a search."""
    in_time = ("ok",) if endless else ("ok", "out_of_time")
    await reading(client, letter)
    done: list[float] = []

    async def progress(count: float, total: float | None, message: str | None) -> None:
        done.append(count)

    problem = {"facts": [f"{letter} ≤ y", "y ≤ z"], "goal": f"{letter} ≤ z", "types": {"y": "nat"}, "seconds": 60}

    async def check(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return dict((await client.call_tool(tool, arguments, progress_callback=progress)).structured_content or {})

    checked = await patiently(check, "check_step", problem | {"candidates": [f"{letter} ≤ z"]})
    assert checked["steps"][0]["text"] == f"{letter} ≤ z"
    assert checked["steps"][0]["follows_from_facts"]["result"] == "proved"
    assert done
    assert (await call(client, "check_step", {"goal": "x", "candidates": ["x ="]}))["status"] == "refused"

    proposed = await call(client, "propose_step", problem | {"check": False, "count": 2})
    assert proposed["status"] in in_time
    assert proposed["status"] != "ok" or 1 <= len(proposed["steps"]) <= 2
    assert (await call(client, "propose_step", {"goal": "( ("}))["status"] == "refused"

    sketch = await call(client, "sketch", problem)
    assert sketch["status"] in ("ok", "nothing_found", "out_of_time")  # its plan has a clock of its own
    assert sketch["closed"] == (sketch["status"] == "ok")
    assert (await call(client, "sketch", {"goal": "x", "imports": ["Nowhere"]}))["status"] == "refused"

    facts = await call(client, "find_facts", {"words": "card_mono", "constants": ["card"]})
    assert facts["facts"][0]["name"].endswith("card_mono")
    assert (await call(client, "find_facts", {}))["status"] == "refused"

    example = await call(client, "example", {"words": "finite"})
    assert (example["status"], example["hidden_step"]) == ("ok", None)
    assert (await call(client, "example", {"id": "ffffffffffff"}))["status"] == "nothing_found"

    assert (await client.call_tool("check_step", {"goal": "x = x", "candidates": []})).is_error
    assert (await client.call_tool("read", {"propositions": "x = x"})).is_error


@pytest.mark.slow
def test_two_clients_over_http_at_once(
    workshop: Workshop, loop: asyncio.Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def talk(url: str) -> None:
        async with Client(url) as one, Client(url) as other:
            await asyncio.gather(tour(one, "p", endless=True), tour(other, "q", endless=True))

    monkeypatch.setattr(service.Clock, "left", 1e6)
    with http_server(workshop) as url:
        loop.run(talk(url))


@pytest.mark.slow
def test_two_clients_over_stdio_at_once() -> None:
    """Each has a server of its own; the second asks for nothing that loads a model."""

    async def talk() -> None:
        async with Client(over_stdio("-m", "isarstep")) as one, Client(over_stdio("-c", NO_INDEX)) as other:
            await asyncio.gather(tour(one, "p", endless=False), reading(other, "q"))

    asyncio.run(talk())


# Cancelling, and going away


class WithoutFacts(Workshop):
    """Does not spend its time on an index that is not asked for here."""

    def _find_facts(self) -> FactSearch:
        raise UserError("no facts here")


@pytest.fixture
def endless(
    workshop: Workshop, loop: asyncio.Runner, stand_in: StandIn, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Workshop]:
    """With the stand-in for a prover, which nothing ends by itself."""
    engine = loop.run(workshop.with_provers()).engine  # whose provers are the real ones, for other tests
    monkeypatch.setenv("PATH", stand_in.path)
    monkeypatch.setattr(provers.ProverLimits, "wall", lambda *_: 1e6)
    monkeypatch.setattr(service.Clock, "left", 1e6)
    other = WithoutFacts(lambda: Service(engine, 4))
    loop.run(other.with_provers())
    yield other
    loop.run(other.service()).close()


async def cancelled(url: str, mode: str, tool: str, arguments: dict[str, Any], stand_in: StandIn) -> int:
    """The number of the prover that worked for a call until it was cancelled."""
    async with Client(url, mode=mode) as client:
        working = asyncio.create_task(client.call_tool(tool, arguments))
        pid = await asyncio.to_thread(number_in, stand_in.started)
        working.cancel()
        with pytest.raises(asyncio.CancelledError):
            await working
        return pid


async def vanished(url: str, mode: str, tool: str, arguments: dict[str, Any], stand_in: StandIn) -> int:
    """The number of the prover that worked for a client until that was gone: to the older version of the protocol, which
    is spoken here by hand, the end of a connection is no cancellation."""
    connection = http.client.HTTPConnection(url.split("/")[2])
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    connection.request("POST", "/mcp", HELLO, headers)
    answer = connection.getresponse()
    assert "isarstep" in answer.read().decode()
    headers |= {"Mcp-Session-Id": answer.headers["Mcp-Session-Id"], "Mcp-Protocol-Version": "2025-06-18"}
    connection.request("POST", "/mcp", READY, headers)
    connection.getresponse().read()
    connection.request("POST", "/mcp", request(2, "tools/call", name=tool, arguments=arguments), headers)
    pid = await asyncio.to_thread(number_in, stand_in.started)
    connection.close()  # what the kernel does for whoever is killed
    return pid


def test_nobody_works_for_whoever_cancels_or_vanishes(
    endless: Workshop, loop: asyncio.Runner, stand_in: StandIn
) -> None:
    async def talk(url: str) -> None:
        async with Client(url) as other:
            for tool, arguments in (("check_step", HARD), ("sketch", HARD_SKETCH)):
                for leave, mode in ((cancelled, "auto"), (cancelled, "legacy"), (vanished, "legacy")):
                    stand_in.hang.touch()
                    pid = await leave(url, mode, tool, arguments, stand_in)
                    assert await asyncio.to_thread(gone, pid), (tool, leave, mode)
                    stand_in.hang.unlink()
                    stand_in.started.unlink()
                    found = await call(other, "check_step", EASY)  # the provers are there for others
                    assert found["steps"][0]["follows_from_facts"]["result"] == "proved"
                    assert not stand_in.started.exists()

    with http_server(endless) as url:
        loop.run(talk(url))


# Dead clients


def request(number: int, method: str, **params: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n"


HELLO = request(
    1, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "t", "version": "0"}
)
READY = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}) + "\n"


@PROC_FILES
def test_a_client_that_dies_in_the_middle_leaves_neither_server_nor_prover(stand_in: StandIn) -> None:
    server = subprocess.Popen(
        [sys.executable, "-c", NO_INDEX, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PATH": stand_in.path},
    )  # fmt: skip
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(HELLO + READY)
    server.stdin.write(
        request(2, "tools/call", name="check_step", arguments=EASY)
    )  # when it is answered, all is loaded
    server.stdin.flush()
    answers = (json.loads(line) for line in server.stdout)
    assert next(answer for answer in answers if answer.get("id") == 2)["result"]["structuredContent"]["steps"]
    stand_in.hang.touch()
    server.stdin.write(request(3, "tools/call", name="check_step", arguments=HARD))
    server.stdin.flush()
    prover = number_in(stand_in.started)
    launcher = parent_of(prover)
    # What the kernel does for whoever is killed:
    server.stdin.close()
    server.stdout.close()
    assert gone(server.pid)
    assert gone(launcher)
    assert gone(prover)


# A start under load

SLOW_START = """
import sys
from isarstep.apps.mcp.server import run_stdio
from isarstep.apps.mcp.tools.workshop import Workshop
from isarstep.common.errors import UserError

def make():
    open(sys.argv[1]).read()  # until somebody writes
    raise UserError("nobody is at home")

run_stdio(Workshop(make))
"""


@pytest.mark.slow
def test_the_handshake_is_answered_while_everything_is_still_loading(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    server = subprocess.Popen(
        [sys.executable, "-c", SLOW_START, str(gate)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(HELLO + READY + request(2, "tools/list"))
    server.stdin.write(request(3, "tools/call", name="read", arguments={"propositions": ["x = x"]}))
    server.stdin.flush()
    answers = (json.loads(line) for line in server.stdout)
    assert next(answers)["result"]["serverInfo"]["name"] == "isarstep"  # it would never come if it waited
    assert {tool["name"] for tool in next(answers)["result"]["tools"]} == NAMES
    gate.write_text("go on")
    late = next(answers)
    assert late["id"] == 3
    assert late["result"]["structuredContent"]["status"] == "could_not_ask"
    assert late["result"]["structuredContent"]["message"] == "nothing could be loaded: nobody is at home"
    server.stdin.close()
    assert server.wait() == 0


@pytest.mark.slow
def test_a_client_that_dies_while_everything_is_loading_leaves_no_server(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    server = subprocess.Popen(
        [sys.executable, "-c", SLOW_START, str(gate)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert server.stdin is not None
    server.stdin.write(HELLO)
    server.stdin.close()
    assert until(lambda: server.poll() is not None)
    assert server.poll() == 0
