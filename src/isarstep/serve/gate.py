"""What every request passes first: host, token, size, and how many may be under way at once."""

from __future__ import annotations

import asyncio
import hmac
import json
import re
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

from isarstep.serve.shown import failure

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Asgi = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

OPEN_PATHS = ("/", "/health")  # without a token
BODY_SECONDS = 20.0  # a body that takes longer is not waited for
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


@dataclass(frozen=True)
class ServerLimits:
    """Of the whole server. Every request has limits of its own in `schema`."""

    body: int = 256 << 10  # bytes
    concurrency: int = 32  # requests that compute something, at once
    token: str | None = None
    loopback: bool = True  # then only requests that name this machine are answered


@dataclass
class Load:
    running: int = 0
    requests: int = 0
    refused: int = 0
    stopping: bool = False


class Gate:
    """Lets requests in, or answers them itself."""

    def __init__(self, app: Asgi, limits: ServerLimits, load: Load) -> None:
        self.app, self.limits, self.load = app, limits, load

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        self.load.requests += 1
        refusal = self._refusal(scope)
        if refusal is not None:
            await send_answer(send, *refusal)
            return
        if scope["method"] != "POST":
            await self.app(scope, receive, send)
            return
        # Counted from before the body is read, so that slow senders count as well.
        self.load.running += 1
        try:
            try:
                body = await asyncio.wait_for(self._body(receive), BODY_SECONDS)
            except TimeoutError:
                await send_answer(send, 408, "too_slow", "the body did not arrive in time")
                return
            if body is None:
                most = self.limits.body
                await send_answer(
                    send, 413, "too_large", f"the body has more than {most} bytes; send fewer propositions"
                )
                return
            await self.app(scope, replaying(body, receive), send)
        finally:
            self.load.running -= 1

    def _refusal(self, scope: MutableMapping[str, Any]) -> tuple[int, str, str] | None:
        headers = dict(scope["headers"])
        if self.limits.loopback and not self.limits.token:
            host = re.sub(r":[0-9]+$", "", headers.get(b"host", b"").decode("latin-1"))
            if host not in LOOPBACK:
                return 400, "host", "this server answers only requests to localhost; start it with --host and --token"
        path = scope["path"]
        if self.limits.token and path not in OPEN_PATHS and not path.startswith("/page/"):
            given = headers.get(b"authorization", b"")
            if not hmac.compare_digest(given, f"Bearer {self.limits.token}".encode()):
                return 401, "token", "this server needs a token: Authorization: Bearer TOKEN"
        if scope["method"] == "POST":
            if self.load.stopping:
                return 503, "stopping", "the server is stopping"
            if self.load.running >= self.limits.concurrency:
                self.load.refused += 1
                return 429, "busy", f"{self.limits.concurrency} requests are under way; try again in a moment"
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


def replaying(body: bytes, receive: Receive) -> Receive:
    """Gives the body once more, then whatever else comes, such as the end of the connection."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


async def send_answer(send: Send, status: int, code: str, message: str) -> None:
    body = json.dumps(failure(code, message)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status in (429, 503):
        headers.append((b"retry-after", b"1"))
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if status in (408, 413):
        headers.append((b"connection", b"close"))  # the rest of the body is not read
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
