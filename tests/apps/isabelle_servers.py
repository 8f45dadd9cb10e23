"""Programs that play the server of `isarstep serve` for the Isabelle command: a good one, and all the bad ones."""

from __future__ import annotations

import json
import socket
import threading
import time
from contextlib import suppress
from typing import Any

EVEN = (
    "CONST HOL.Trueprop $ ( CONST Parity.semiring_parity_class.even $ FREE {0} )",
    "CONST HOL.Trueprop $ ( CONST Parity.semiring_parity_class.even $ ( CONST Power.power_class.power2 $ FREE {0} ) )",
)
SUCCESSOR = (  # with a schematic variable, of a type that nothing decides
    "CONST HOL.Trueprop $ ( CONST Orderings.ord_class.less $ VAR <V0> $ "
    "( CONST Groups.plus_class.plus $ VAR <V0> $ CONST Groups.one_class.one ) )"
)
TRANSITIVE = (
    "CONST HOL.Trueprop $ ( CONST Orderings.ord_class.less $ FREE x $ "
    "( CONST Num.numeral_class.numeral $ ( CONST Num.num.Bit1 $ ( CONST Num.num.Bit0 $ CONST Num.num.One ) ) ) )"
)


def answers(question: dict[str, Any]) -> list[str]:
    """A few statements that make sense somewhere, and the goal joined to itself, which makes sense everywhere."""
    goal = question["goal"]
    truth = "CONST HOL.Trueprop $ "
    body = goal.removeprefix(truth)
    found = [
        goal,
        "CONST HOL.Trueprop $ FREE no_such",
        "CONST No.such_constant",
        "ABS (",
        "CONST HOL.Trueprop $ CONST HOL.All",
    ]
    found += [line.format(name) for name in question["fixed"][:1] for line in EVEN]
    found += [TRANSITIVE, SUCCESSOR]
    if goal.startswith(truth):
        found.insert(0, f"CONST HOL.Trueprop $ ( CONST HOL.conj $ {body} $ {body} )")
    return found


def _reply(status: str, body: bytes) -> bytes:
    return f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body


class Server:
    """Answers every connection in one way, chosen by `kind`; keeps the questions."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.questions: list[dict[str, Any]] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._socket.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with suppress(OSError), connection, connection.makefile("rwb") as stream:
            length = 0
            while line := stream.readline().strip().lower():
                if line.startswith(b"content-length:"):
                    length = int(line.partition(b":")[2])
            question = json.loads(stream.read(length))
            self.questions.append(question)
            stream.write(self._say(question))

    def _say(self, question: dict[str, Any]) -> bytes:
        good = json.dumps({"steps": [{"tokens": line, "score": -1.0} for line in answers(question)]}).encode()
        match self.kind:
            case "SLOW":
                time.sleep(30)
                return _reply("200 OK", good)
            case "GARBAGE":
                return bytes(range(256)) * 20
            case "CUT":
                return _reply("200 OK", good)[:-10]
            case "MUTE":
                return b""
            case "BUSY":
                error = {"code": "busy", "message": "too many requests at once", "field": None}
                return _reply("429 Too Many Requests", json.dumps({"error": error}).encode())
            case "STRANGE":
                return b"HTTP/1.1 200 OK\r\n\r\n<html>It works!</html>"
            case "FLOOD":
                return b"HTTP/1.1 200 OK\r\n\r\n" + b"[" * 20_000_000
            case "NO_TERMS":
                return _reply("200 OK", b'{"steps": [{"tokens": 7}]}')
        return _reply("200 OK", good)


KINDS = ("SERVER", "SLOW", "GARBAGE", "CUT", "MUTE", "BUSY", "STRANGE", "FLOOD", "NO_TERMS")
DOWN = "127.0.0.1:1"  # where nobody listens


def start_servers() -> dict[str, str]:
    """One server of each kind; they live as long as this process."""
    return {kind: Server(kind).address for kind in KINDS} | {"DOWN": DOWN}
