"""A server that speaks the protocol of chat completions: it answers from a script and writes down what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = str | dict[str, Any] | tuple[int, str]  # a text, a whole answer, or a status with an error's message


@dataclass
class ChatServer:
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)


@contextmanager
def chat_server(reply: Callable[[dict[str, Any]], Reply]) -> Iterator[ChatServer]:
    """`reply` gets the request's body; it runs on the server's threads, one at a time."""
    state = ChatServer()
    turn = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with turn:
                state.requests.append(body)
                state.keys.append(self.headers.get("Authorization"))
                answer = reply(body) if self.path == "/v1/chat/completions" else (404, f"no {self.path}")
            if isinstance(answer, str):
                message = {"role": "assistant", "content": answer}
                usage = {"prompt_tokens": 100, "completion_tokens": len(answer.split()), "total_tokens": 100}
                choice = {"index": 0, "message": message, "finish_reason": "stop"}
                self._send(200, {"id": "1", "object": "chat.completion", "created": 0, "model": body["model"],
                                 "choices": [choice], "usage": usage})  # fmt: skip
            elif isinstance(answer, dict):
                self._send(200, answer)
            else:
                self._send(answer[0], {"error": {"message": answer[1]}}, answer[1])

        def _send(self, status: int, document: dict[str, Any], elsewhere: str = "") -> None:
            raw = json.dumps(document).encode()
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", elsewhere)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield state
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
