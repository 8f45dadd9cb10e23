"""The gate before the server, asked directly: whom it lets in, at the limit and one beyond."""

import asyncio
import json
from collections.abc import MutableMapping, Sequence
from typing import Any, NamedTuple

import pytest

from isarstep.apps.admission import Load
from isarstep.apps.http.gate import SAFE_HEADERS, Gate, Receive, Send, ServerLimits, identity

LIMITS = ServerLimits(body=10, concurrency=2, patience=0)


async def _inside(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
    whole = await receive()
    assert not whole.get("more_body", False)
    body = whole["body"]
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})


class Answered(NamedTuple):
    status: int
    body: bytes
    load: Load
    headers: dict[bytes, bytes]


def asked(
    load: Load | None = None,
    limits: ServerLimits = LIMITS,
    body: bytes = b"{}",
    method: str = "POST",
    path: str = "/propose",
    **headers: str,
) -> Answered:
    """What the gate, or what is behind it, answers; the load is that of afterwards."""
    load = load or Load()
    sent: list[MutableMapping[str, Any]] = []

    half = len(body) // 2 if method == "POST" else 0
    arriving: list[dict[str, Any]] = [{"type": "http.request", "body": body[half:]}]  # without more_body it is the last
    if half:
        arriving.insert(0, {"type": "http.request", "body": body[:half], "more_body": True})

    async def receive() -> MutableMapping[str, Any]:
        if not arriving:
            await asyncio.Event().wait()  # whoever asks stays
        return arriving.pop(0)

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
    assert {*SAFE_HEADERS} <= {*sent[0]["headers"]}  # whoever answers
    return Answered(sent[0]["status"], sent[1]["body"], load, dict(sent[0]["headers"]))


@pytest.mark.parametrize(("running", "status"), [(0, 200), (1, 200), (2, 429), (3, 429)])
def test_as_many_requests_as_the_limit_says_are_under_way_and_no_more(running: int, status: int) -> None:
    found, _, load, headers = asked(Load(running=running))
    assert found == status
    assert (b"retry-after" in headers) == (status == 429)
    assert load.running == running  # whoever was let in has left again
    assert load.refused == (status == 429)
    assert load.requests == 1


def test_nobody_is_under_way_at_first_and_a_server_takes_as_many_as_the_documentation_says() -> None:
    assert Load() == Load(running=0, requests=0, refused=0, stopping=False)
    assert ServerLimits().concurrency == 32
    assert ServerLimits().body == 262_144


def test_looking_is_free_however_busy_the_server_is() -> None:
    assert asked(Load(running=99), method="GET", path="/health")[0] == 200


@pytest.mark.parametrize(("size", "status"), [(10, 200), (11, 413)])
def test_a_body_may_be_as_large_as_the_limit(size: int, status: int) -> None:
    body = b"x" * size
    found = asked(body=body)
    assert found.status == status  # counted while it arrives
    assert (b"connection" in found.headers) == (status == 413)  # the rest is not read
    assert asked(body=body, content_length=str(size))[0] == status  # as announced
    assert asked(body=b"", content_length=str(size))[0] == status
    if status == 200:
        assert asked(body=body)[1] == body


def test_a_server_that_stops_takes_nothing_new() -> None:
    found = asked(Load(stopping=True))
    assert found.status == 503
    assert json.loads(found.body)["error"]["code"] == "stopping"
    assert found.headers[b"content-length"] == str(len(found.body)).encode()
    assert b"retry-after" not in found.headers  # it does not come back by itself


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
    found = asked(limits=limits, path=path, host="far.example", authorization=given)
    assert found.status == status
    assert (b"www-authenticate" in found.headers) == (status == 401)


@pytest.mark.parametrize(("loopback", "token"), [(True, "secret"), (False, "secret"), (False, None)])
def test_with_a_token_or_on_every_address_other_names_of_the_machine_are_fine(
    loopback: bool, token: str | None
) -> None:
    limits = ServerLimits(token=token, loopback=loopback)
    assert asked(limits=limits, host="far.example", authorization="Bearer secret").status == 200


def test_a_body_that_does_not_arrive_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isarstep.apps.http.gate.BODY_SECONDS", 0)  # over before anything can arrive, on every machine
    found = asked()
    assert found.status == 408
    assert found.headers[b"connection"] == b"close"
    assert found.load.running == 0


@pytest.mark.parametrize("body", [b"{}", b"x" * 11])  # read, and too large
def test_a_body_that_has_arrived_is_no_longer_waited_for(body: bytes) -> None:
    gate = Gate(_inside, LIMITS, Load())
    asyncio.run(answer(gate, body))
    assert gate.places.arriving == 0


def test_behind_the_gate_a_body_comes_once_and_then_the_end_of_the_connection() -> None:
    received: list[str] = []

    async def inside(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        received.append((await receive())["type"])
        received.append((await receive())["type"])

    asyncio.run(answer(Gate(inside, LIMITS, Load()), b"{}", then=[{"type": "http.disconnect"}]))
    assert received in (["http.request"], ["http.request", "http.disconnect"])  # cancelled, or told


async def answer(gate: Gate, body: bytes, then: Sequence[dict[str, Any]] = ()) -> None:
    """A request with this body through the gate; after it the client stays, or sends what comes then."""
    arriving: list[dict[str, Any]] = [{"type": "http.request", "body": body}, *then]

    async def receive() -> MutableMapping[str, Any]:
        if not arriving:
            await asyncio.Event().wait()
        return arriving.pop(0)

    async def send(message: MutableMapping[str, Any]) -> None:
        pass

    scope = {"type": "http", "method": "POST", "path": "/propose", "headers": [(b"host", b"localhost")]}
    await gate(scope, receive, send)


def test_who_goes_away_is_not_worked_for() -> None:
    load, ended = Load(), []

    async def endless(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        assert (await receive())["type"] == "http.request"
        began.set()
        try:
            await asyncio.Event().wait()  # nothing is streamed, so that nobody else would notice
        finally:
            ended.append(load.running)

    async def receive() -> MutableMapping[str, Any]:
        if not began.is_set() and not arrived:
            arrived.append(True)
            return {"type": "http.request", "body": b"{}"}
        await began.wait()
        return {"type": "http.disconnect"}

    async def send(message: MutableMapping[str, Any]) -> None:
        raise AssertionError(message)

    async def ask() -> None:
        scope = {"type": "http", "method": "POST", "path": "/propose", "headers": [(b"host", b"localhost")]}
        await Gate(endless, LIMITS, load)(scope, receive, send)

    arrived: list[bool] = []
    began = asyncio.Event()
    asyncio.run(ask())
    assert ended == [1]
    assert load.running == 0


def test_a_mistake_behind_the_gate_is_not_hidden() -> None:
    async def wrong(*_: Any) -> None:
        raise ArithmeticError

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": b""} if not given.pop() else await asyncio.Event().wait()

    given = [True, False]
    load = Load()
    scope = {"type": "http", "method": "POST", "path": "/propose", "headers": [(b"host", b"localhost")]}
    with pytest.raises(ArithmeticError):
        asyncio.run(Gate(wrong, LIMITS, load)(scope, receive, receive))  # type: ignore[arg-type]
    assert load.running == 0


def test_a_request_is_recognised_by_who_asks_where_and_for_what() -> None:
    def scope(path: str = "/propose", host: str = "1.2.3.4", port: int = 5, token: bytes = b"x") -> dict[str, Any]:
        return {"path": path, "client": (host, port), "headers": [(b"host", b"here"), (b"authorization", token)]}

    one = identity(scope(), b"{}")
    assert identity(scope(port=6), b"{}") == one  # another connection of the same client
    others = [scope(path="/check"), scope(host="1.2.3.5"), scope(token=b"y"), {**scope(), "client": None}]
    assert len({one, identity(scope(), b"{ }"), *(identity(other, b"{}") for other in others)}) == 6


def test_a_refused_request_has_its_turn_when_it_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Through the gate: the place is kept for it, and another request is sent behind it."""
    now = 1000.0
    monkeypatch.setattr("isarstep.apps.admission.time.monotonic", lambda: now)
    statuses: list[int] = []
    waits: list[int] = []
    go = asyncio.Event()

    async def slow(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        await go.wait()
        await _inside(scope, receive, send)

    gate = Gate(slow, ServerLimits(concurrency=1, patience=0), Load())

    async def ask(body: bytes) -> None:
        arriving = [{"type": "http.request", "body": body}]

        async def receive() -> MutableMapping[str, Any]:
            return arriving.pop() if arriving else await asyncio.Event().wait()

        async def send(message: MutableMapping[str, Any]) -> None:
            if "status" in message:
                statuses.append(message["status"])
                waits.append(int(dict(message["headers"]).get(b"retry-after", 0)))

        scope = {"type": "http", "method": "POST", "path": "/propose", "headers": [(b"host", b"localhost")]}
        await gate(scope, receive, send)

    async def day() -> None:
        nonlocal now
        first = asyncio.ensure_future(ask(b"first"))
        while gate.load.running == 0:
            await asyncio.sleep(0)
        await ask(b"second")
        go.set()
        await first
        now += waits[0]
        await ask(b"third")
        await ask(b"second")
        await ask(b"third")

    asyncio.run(day())
    assert statuses == [429, 200, 429, 200, 200]


def test_refusals_make_the_time_look_short_that_answers_take() -> None:
    async def refuses(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        wait = [(b"retry-after", b"7")] if statuses[-1] == 503 else []
        await send({"type": "http.response.start", "status": statuses[-1], "headers": wait})
        await send({"type": "http.response.body", "body": b""})

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": b""} if not given.pop() else await asyncio.Event().wait()

    async def send(_: MutableMapping[str, Any]) -> None:
        pass

    scope = {"type": "http", "method": "POST", "path": "/propose", "headers": [(b"host", b"localhost")]}
    statuses: list[int] = []
    for status, mends in ((503, False), (422, False), (200, True)):
        statuses.append(status)
        gate = Gate(refuses, LIMITS, Load())
        before = gate.places.seconds_until_free(LIMITS.concurrency)
        given = [True, False]
        asyncio.run(gate(scope, receive, send))
        assert (gate.places.seconds_until_free(LIMITS.concurrency) < before) == mends
        assert gate.places.promises == (status == 503)  # a place is kept for who is told to come again


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_name_of_the_scheme_is_written_in_any_case(scheme: str) -> None:
    limits = ServerLimits(token="secret")
    assert asked(limits=limits, authorization=f"{scheme} secret").status == 200
    for wrong in (f"{scheme} Secret", f"{scheme}secret", "Basic secret", scheme, ""):
        assert asked(limits=limits, authorization=wrong).status == 401


def test_head_is_answered_as_get_without_a_body() -> None:
    whole, head = (asked(method=method, path="/health", body=b"{}") for method in ("GET", "HEAD"))
    assert (whole.status, whole.body) == (200, b"{}")
    assert (head.status, head.body) == (200, b"")
    assert head.headers == whole.headers
