"""What every request passes first: host, token, size, and how many may be under way at once.

A request is cancelled when its client disconnects. One that finds all places taken waits a moment for one, then is
refused with the time at which to come again (`places`).
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import re
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

from isarstep.apps.admission import Load, NoPlaceError, Places
from isarstep.apps.service.answer_fields import failure

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Asgi = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

OPEN_PATHS = ("/", "/health")  # without a token
BODY_SECONDS = 20.0  # a body that takes longer is not waited for
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
# The page needs nothing but its own files; nobody else may show it in a frame, guess at types or learn its address.
SAFE_HEADERS = [
    (name.encode(), value.encode())
    for name, value in {
        "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
    }.items()
]


@dataclass(frozen=True)
class ServerLimits:
    """Of the whole server. Every request has limits of its own in `schema`."""

    body: int = 256 << 10  # bytes
    concurrency: int = 32  # requests that compute something, at once
    patience: float = 1.0  # seconds that a request waits for a place: who asks again at once costs more than who waits
    token: str | None = None
    loopback: bool = True  # then only requests that name this machine are answered


class Gate:
    """Lets requests in, or answers them itself."""

    def __init__(self, app: Asgi, limits: ServerLimits, load: Load) -> None:
        self.app, self.limits, self.load = app, limits, load
        self.places = Places(limits.concurrency, limits.patience, load)

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def safely(message: Message) -> None:
            """Whatever is sent has the headers that every answer has."""
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", []), *SAFE_HEADERS]}
            await send(message)

        self.load.requests += 1
        refusal = self._refusal(scope)
        if refusal is not None:
            await send_answer(safely, *refusal)
        elif scope["method"] == "HEAD":
            await self.app({**scope, "method": "GET"}, receive, without_body(safely))
        elif scope["method"] != "POST":
            await self.app(scope, receive, safely)
        else:
            await self._compute(scope, receive, safely)

    async def _compute(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """A request that takes a place, when its body has arrived: a slow sender keeps nobody from computing."""
        if self.places.crowded:
            await self._busy(send, self.places.seconds_until_free(self.places.promises))
            return
        self.places.arriving += 1
        try:
            body = await asyncio.wait_for(self._body(receive), BODY_SECONDS)
        except TimeoutError:
            await send_answer(send, 408, "too_slow", "the body did not arrive in time")
            return
        finally:
            self.places.arriving -= 1
        if body is None:
            most = self.limits.body
            await send_answer(send, 413, "too_large", f"the body has more than {most} bytes; send fewer propositions")
            return
        request = identity(scope, body)
        try:
            began = await self.places.enter(request)
        except NoPlaceError as error:
            await self._busy(send, error.wait)
            return
        status, wait = 0, b""

        async def seen(message: Message) -> None:
            nonlocal status, wait
            if message["type"] == "http.response.start":
                status, wait = message["status"], dict(message["headers"]).get(b"retry-after", b"")
            await send(message)

        try:
            await while_listening(self.app, scope, body, receive, seen)
        finally:
            if wait:
                self.places.promise(request, int(wait))
            self.places.leave(began, answered=status == 200)

    async def _busy(self, send: Send, wait: int) -> None:
        self.load.refused += 1
        message = f"{self.limits.concurrency} requests are under way; try again in {wait} s"
        await send_answer(send, 429, "busy", message, wait)

    def _refusal(self, scope: MutableMapping[str, Any]) -> tuple[int, str, str] | None:
        headers = dict(scope["headers"])
        if self.limits.loopback and not self.limits.token:
            host = re.sub(r":[0-9]+$", "", headers.get(b"host", b"").decode("latin-1"))
            if host not in LOOPBACK:
                return 400, "host", "this server answers only requests to localhost; start it with --host and --token"
        path = scope["path"]
        if self.limits.token and path not in OPEN_PATHS and not path.startswith("/page/"):
            scheme, _, given = headers.get(b"authorization", b"").partition(b" ")
            shown = hmac.compare_digest(given.strip(), self.limits.token.encode())
            if scheme.lower() != b"bearer" or not shown:
                return 401, "token", "this server needs a token: Authorization: Bearer TOKEN"
        if scope["method"] == "POST":
            if self.load.stopping:
                return 503, "stopping", "the server is stopping"
            length = headers.get(b"content-length", b"0")
            if length.isdigit() and int(length) > self.limits.body:
                return 413, "too_large", f"the body has more than {self.limits.body} bytes; send fewer propositions"
        return None

    async def _body(self, receive: Receive) -> bytes | None:
        """The whole body; None when it is too large."""
        parts: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return b"".join(parts)
            size += len(message.get("body", b""))
            if size > self.limits.body:
                return None
            parts.append(message.get("body", b""))
            if not message.get("more_body", False):
                return b"".join(parts)


def without_body(send: Send) -> Send:
    """Sends headers alone, as the answer to HEAD has them."""

    async def head(message: Message) -> None:
        await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

    return head


def identity(scope: MutableMapping[str, Any], body: bytes) -> bytes:
    """By what a request is recognised that comes again: who asks, where, and for what."""
    host, *_ = scope.get("client") or ("",)
    whole = hashlib.sha256(repr((host, scope["path"], dict(scope["headers"]).get(b"authorization"))).encode())
    whole.update(body)
    return whole.digest()


async def while_listening(
    app: Asgi, scope: MutableMapping[str, Any], body: bytes, receive: Receive, send: Send
) -> None:
    """Runs the application until it has answered or the client has gone away, streamed or not."""
    gone = asyncio.Event()
    given = False

    async def watch() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        gone.set()

    async def again() -> Message:
        """The body once more, then the end of the connection."""
        nonlocal given
        if given:
            await gone.wait()
            return {"type": "http.disconnect"}
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    answering = asyncio.ensure_future(app(scope, again, send))
    watching = asyncio.ensure_future(watch())
    try:
        await asyncio.wait({answering, watching}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        left = not answering.done()
        for task in (answering, watching):
            task.cancel()
        await asyncio.wait({answering, watching})
    if not left:
        await answering


async def send_answer(send: Send, status: int, code: str, message: str, wait: int | None = None) -> None:
    body = json.dumps(failure(code, message)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if wait is not None:
        headers.append((b"retry-after", str(wait).encode()))
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if status in (408, 413):
        headers.append((b"connection", b"close"))  # the rest of the body is not read
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
