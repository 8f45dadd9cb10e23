"""The gate before the server, asked directly: whom it lets in, at the limit and one beyond."""

import asyncio
import json
from collections.abc import MutableMapping
from typing import Any

import pytest

from isarstep.serve.gate import Gate, Load, Receive, Send, ServerLimits

LIMITS = ServerLimits(body=10, concurrency=2)


async def _inside(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
    body = (await receive())["body"]
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})


def asked(
    load: Load | None = None,
    limits: ServerLimits = LIMITS,
    body: bytes = b"{}",
    method: str = "POST",
    path: str = "/propose",
    **headers: str,
) -> tuple[int, bytes, Load]:
    """Status, body and the load afterwards."""
    load = load or Load()
    sent: list[MutableMapping[str, Any]] = []

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    given = {"host": "localhost:8000", **headers}
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in given.items()],
    }
    asyncio.run(Gate(_inside, limits, load)(scope, receive, send))
    return sent[0]["status"], sent[1]["body"], load


@pytest.mark.parametrize(("running", "status"), [(0, 200), (1, 200), (2, 429), (3, 429)])
def test_as_many_requests_as_the_limit_says_are_under_way_and_no_more(running: int, status: int) -> None:
    found, _, load = asked(Load(running=running))
    assert found == status
    assert load.running == running  # whoever was let in has left again
    assert load.refused == (status == 429)
    assert load.requests == 1


def test_looking_is_free_however_busy_the_server_is() -> None:
    assert asked(Load(running=99), method="GET", path="/health")[0] == 200


@pytest.mark.parametrize(("size", "status"), [(10, 200), (11, 413)])
def test_a_body_may_be_as_large_as_the_limit(size: int, status: int) -> None:
    body = b"x" * size
    assert asked(body=body)[0] == status  # counted while it arrives
    assert asked(body=body, content_length=str(size))[0] == status  # as announced
    assert asked(body=b"", content_length=str(size))[0] == status
    if status == 200:
        assert asked(body=body)[1] == body


def test_a_server_that_stops_takes_nothing_new() -> None:
    status, body, _ = asked(Load(stopping=True))
    assert status == 503
    assert json.loads(body)["error"]["code"] == "stopping"


@pytest.mark.parametrize(
    ("host", "status"),
    [("localhost", 200), ("127.0.0.1:80", 200), ("[::1]:9", 200), ("evil.example", 400), ("localhost.evil", 400)],
)
def test_without_a_token_only_this_machine_is_named(host: str, status: int) -> None:
    assert asked(host=host)[0] == status


@pytest.mark.parametrize(
    ("path", "given", "status"),
    [
        ("/propose", "Bearer secret", 200),
        ("/propose", "Bearer secre", 401),
        ("/propose", "", 401),
        ("/health", "", 200),
        ("/page/app.js", "", 200),
        ("/pages", "", 401),
    ],
)
def test_with_a_token_all_but_the_page_wants_it(path: str, given: str, status: int) -> None:
    limits = ServerLimits(token="secret", loopback=False)
    assert asked(limits=limits, path=path, host="far.example", authorization=given)[0] == status
