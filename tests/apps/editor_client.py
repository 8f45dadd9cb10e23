"""A client of the Language Server Protocol over stdio, by hand: it can send what no editor would."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.stand_in import StandIn
from tests.waiting import PATIENCE, PAUSE

Message = dict[str, Any]
# The server as it is, but that an answer has twenty times its seconds: a busy machine is not a wrong program.
CODE = """
from isarstep.cli import main
from isarstep.apps.lsp import answers
from isarstep.apps.service import schema, service

service.Clock.left = property(lambda clock: 20 * clock.seconds - clock.passed)
answers.SECONDS = schema.MOST_SECONDS  # of a search, which ends earlier where it finds a proof
"""
# Where the test says how long a prover takes.
ENDLESS = """
from isarstep.prover.atp.provers import ProverLimits

service.Clock.left, ProverLimits.wall = 1e6, lambda *_: 1e6
"""


class EditorClient:
    """Speaks with one server process; its requests are answered as an editor does."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.messages: queue.Queue[Message | None] = queue.Queue()
        self.edits: list[Message] = []
        self.progress: list[Message] = []
        self.shown: dict[str, list[Message]] = {}  # diagnostics by file
        self._last = 0
        self._sending = threading.Lock()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while header := stream.readline():
            length = 0
            while header.strip():
                name, _, value = header.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
                header = stream.readline()
            message = json.loads(stream.read(length))
            self._note(message)
            self.messages.put(message)
        self.messages.put(None)

    def send(self, body: bytes) -> None:
        assert self.process.stdin is not None
        with self._sending:
            self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            self.process.stdin.flush()

    def notify(self, method: str, params: Any = None) -> None:
        self.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def ask(self, method: str, params: Any = None) -> int:
        """The number of the request."""
        self._last += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params}).encode())
        return self._last

    def until(self, wanted: Callable[[Message], Any]) -> Message:
        """The next message of such a kind."""
        while True:
            message = self.messages.get(timeout=PATIENCE * PAUSE)
            assert message is not None, "the server has ended"
            if wanted(message):
                return message

    def _note(self, message: Message) -> None:
        method, params = message.get("method"), message.get("params") or {}
        if method == "workspace/applyEdit":
            self.edits.append(params["edit"])
        elif method == "$/progress":
            self.progress.append(params)
        elif method == "textDocument/publishDiagnostics":
            self.shown[params["uri"]] = params["diagnostics"]
        if method and "id" in message:
            result = {"applied": True} if method == "workspace/applyEdit" else None
            self.send(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode())

    def answer(self, number: object) -> Message:
        return self.until(lambda message: "method" not in message and message.get("id") == number)

    def request(self, method: str, params: Any = None) -> Any:
        answer = self.answer(self.ask(method, params))
        assert "error" not in answer, answer["error"]
        return answer["result"]

    def initialize(self) -> Any:
        capabilities = {"workspace": {"applyEdit": True}, "window": {"workDoneProgress": True}}
        params = {"processId": None, "rootUri": None, "capabilities": capabilities}
        result = self.request("initialize", params)
        self.notify("initialized", {})
        return result

    def open(self, uri: str, text: str, version: int = 1) -> None:
        item = {"uri": uri, "languageId": "isabelle", "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def edit(self, uri: str, version: int, line: int, start: int, end: int, text: str) -> None:
        place = {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}
        changes = [{"range": place, "text": text}]
        about = {"uri": uri, "version": version}
        self.notify("textDocument/didChange", {"textDocument": about, "contentChanges": changes})

    def diagnostics(self, uri: str, version: int, wanted: Callable[[list[Message]], Any] = lambda _: True) -> Any:
        def is_it(message: Message) -> bool:
            params = message.get("params") or {}
            this = message.get("method") == "textDocument/publishDiagnostics" and params["uri"] == uri
            return this and params["version"] == version and bool(wanted(params["diagnostics"]))

        return self.until(is_it)["params"]["diagnostics"]

    def actions(self, uri: str, line: int) -> list[Message]:
        at = {"line": line, "character": 3}
        params = {"textDocument": {"uri": uri}, "range": {"start": at, "end": at}, "context": {"diagnostics": []}}
        found: list[Message] = self.request("textDocument/codeAction", params)
        return found

    def stop(self) -> int:
        self.request("shutdown")
        self.notify("exit")
        return self.process.wait(timeout=PATIENCE * PAUSE)


@contextmanager
def editor(prover: StandIn | None = None, *, patient: bool = True) -> Iterator[EditorClient]:
    """Benchmarks want the program as it is, not a patient one."""
    code = CODE + (ENDLESS if prover else "") + "main()" if patient else "from isarstep.cli import main; main()"
    environment = {**os.environ, "PATH": prover.path} if prover else None
    process = subprocess.Popen(
        [sys.executable, "-c", code, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )
    try:
        yield EditorClient(process)
    finally:
        process.kill()
        process.wait()


def uri_of(path: Path) -> str:
    return path.absolute().as_uri()
