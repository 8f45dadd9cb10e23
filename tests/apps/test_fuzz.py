"""Hostile requests through HTTP, and some of them through the tools of agents and the editor's door:
answered, or refused as documented; little work that no budget ends; no memory kept, no child left.

What Python works out for a request runs on threads of its own and is ended with its budget. What is left to the thread
that all requests share, such as the writing of answers, nobody ends: it is counted in lines, see `tests/work.py`."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import re
import resource
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.apps.hostile_bodies import as_sent, bodies, editor_messages, theories
from tests.disturbed import family
from tests.drawn import part
from tests.needs import PROC_FILES
from tests.waiting import gone, until
from tests.work import at_most

from isarstep.apps.admission import Load
from isarstep.apps.engine import Engine
from isarstep.apps.http import app as app_module
from isarstep.apps.http.app import create_app
from isarstep.apps.http.gate import ServerLimits
from isarstep.apps.service.service import Service
from isarstep.benchmark.store.fact_search import FactSearch

SEED = 33
ALLOWED = {200, 400, 404, 413, 422, 503}
BUDGET = 1.0  # seconds of every request
LINES = (
    10_000_000  # of Python for one request, on the thread that all share; what is not bounded takes a thousand times
)
EDITED = 20  # texts after which an editor's usual theories are read
LOADED = 100  # requests after which model, provers and the usual theories are there; they are sent again
MOST_GROWTH = 600  # megabytes: languages and provers' facts are loaded on the way


@pytest.fixture(scope="module")
def service(engine: Engine, fact_search: FactSearch) -> Iterator[Service]:
    made = Service(engine, 4)
    made.fact_search = fact_search
    yield made
    made.close()


def peak() -> float:
    """Megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)


@pytest.mark.reduced
@PROC_FILES
def test_hostile_requests(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_module, "READING", BUDGET)
    children = {*family(os.getpid())}
    load = Load()
    app = create_app(service, ServerLimits(), load)
    wrong: list[str] = []
    before = 0.0

    async def send_all() -> None:
        nonlocal before
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            await client.post("/read", content=as_sent({"goal": "x = x"}))
            sent = part(lambda count: bodies(SEED, count), 200)
            warming = sent[:LOADED]
            for number, (path, body) in enumerate((*warming, *sent)):
                if number == len(warming):
                    before = peak()
                content = as_sent(body)
                with at_most(LINES):
                    answer = await client.post(path, content=content, headers={"content-type": "application/json"})
                if answer.status_code not in ALLOWED:
                    wrong.append(f"{path} {answer.status_code} {content[:300]!r}")
                json.loads(answer.content)

    asyncio.run(send_all())
    assert wrong == []
    assert load.running == 0
    assert until(lambda: not service.workers.running)
    gc.collect()
    assert peak() - before < MOST_GROWTH
    assert until(lambda: len({*family(os.getpid())} - children) <= 1)  # it starts provers, and has none now


def test_a_sketch_of_types_that_double(service: Service) -> None:
    """Ten pairs of pairs are read, and every answer has their types: those of more parts are refused."""
    app = create_app(service, ServerLimits(), Load())
    facts = [" ∧ ".join(f"y{n} = (y{n - 1}, y{n - 1})" for n in range(1, 10))]

    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            with at_most(LINES):
                body = {
                    "goal": "x = x",
                    "facts": facts,
                    "seconds": 20,
                    "prover_seconds": 0.05,
                    "library": 0,
                    "depth": 1,
                }
                return await client.post("/sketch", json=body)

    answer = asyncio.run(send())
    assert answer.status_code == 200
    assert "y9" in answer.json()["types"]


@pytest.mark.reduced
def test_hostile_calls_of_tools(service: Service) -> None:
    pytest.importorskip("mcp", reason="pip install 'isarstep[mcp]'")
    from mcp import Client

    from isarstep.apps.mcp.server import make_server
    from isarstep.apps.mcp.tools.workshop import Workshop

    workshop = Workshop(lambda: service)
    names = ("facts", "goal", "fixed", "types", "imports")

    async def call_all() -> None:
        async with Client(make_server(workshop)) as client:
            for _, body in part(lambda count: bodies(SEED + 1, count), 20):
                given = json.loads(json.dumps(body).replace("\\ud8", "\\u00"))  # its client refuses to send halves
                arguments = {name: given[name] for name in names if name in given} | {"seconds": 1, "check": False}
                with at_most(LINES):
                    answer = await client.call_tool("propose_step", arguments)
                if answer.is_error:
                    assert answer.content[0].text.isprintable()  # type: ignore[union-attr]
        await workshop.facts()  # a thread inside Arrow while the interpreter goes away ends the process with an abort

    asyncio.run(call_all())


def peak_of(pid: int) -> float:
    """Megabytes."""
    found = re.search(r"VmHWM:\s*(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


@pytest.mark.reduced
@PROC_FILES
def test_hostile_texts_and_messages_of_editors() -> None:
    """Every request is answered, nothing is an internal error, no memory kept; the server ends when it is told to."""
    pytest.importorskip("pygls", reason="pip install 'isarstep[lsp]'")
    from tests.apps.editor_client import editor

    uri = "file:///nowhere/T.thy"
    with editor() as client:
        client.initialize()
        server = client.process.pid
        client.open(uri, "theory T imports Main begin\nend\n", 0)
        before = 0.0
        texts = part(lambda count: theories(SEED + 2, count), 40)
        for version, text in enumerate(texts, 1):
            if version == min(EDITED, len(texts) // 2):
                before = peak_of(server)
            about = {"uri": uri, "version": version}
            client.notify("textDocument/didChange", {"textDocument": about, "contentChanges": [{"text": text}]})
            assert not any("mistake of isarstep" in each["message"] for each in client.diagnostics(uri, version))
            place = {"textDocument": {"uri": uri}, "position": {"line": 2, "character": 3}}
            assert "error" not in client.answer(client.ask("textDocument/hover", place))
        assert peak_of(server) - before < MOST_GROWTH
        client.open(uri, 'theory T imports Main begin\nlemma "P ∧ Q" if Q P for P Q sorry\nend\n', 99)
        for number, body in enumerate(editor_messages(SEED + 3, 100, uri, 99), 1000):
            client.send(body)
            answer = client.until(
                lambda message, number=number: "method" not in message and message.get("id") in (number, None)
            )
            if "error" in answer:
                assert answer["error"]["code"] != -32603, (answer, body)
                assert answer["error"]["message"].isprintable()
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        children = family(server)[1:]
        assert client.stop() == 0
        assert all(gone(child) for child in children)
