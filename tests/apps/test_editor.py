"""`isarstep lsp` with a client over stdio: what an editor shows, what it can cancel, what an edit makes stale."""

from __future__ import annotations

import io
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls", reason="pip install 'isarstep[lsp]'")

from tests.apps.editor_client import EditorClient, editor, uri_of
from tests.needs import PROC_FILES
from tests.stand_in import StandIn
from tests.waiting import gone, number_in

from isarstep.apps.filling import SUGGESTED
from isarstep.apps.lsp.input import EditorInput
from isarstep.apps.lsp.text import EditorText

THEORY = """theory T imports Main begin
codatatype t = T t
lemma assumes a: "x < (y :: nat)" and "y < z" shows "x < z" (* 𝒜 *)
  using a sorry
lemma "even (n * n)" if e: "even n" for n :: nat
proof -
  have s: "even (n + n)" by simp
  have "even +" by simp
  show ?thesis sorry
qed
end
"""


@pytest.fixture(scope="module")
def client() -> Iterator[EditorClient]:
    with editor() as made:
        made.initialize()
        yield made
        assert made.stop() == 0


@pytest.fixture
def uri(client: EditorClient, tmp_path: Path) -> Iterator[str]:
    made = uri_of(tmp_path / "T.thy")
    client.open(made, THEORY)
    yield made
    client.notify("textDocument/didClose", {"textDocument": {"uri": made}})


def command(name: str, uri: str, version: int, line: int) -> dict[str, Any]:
    return {"command": f"isarstep.{name}", "arguments": [uri, version, line]}


def places(diagnostics: list[dict[str, Any]]) -> list[tuple[int, int, str]]:
    return [
        (each["range"]["start"]["line"], each["range"]["start"]["character"], each["message"]) for each in diagnostics
    ]


def test_what_is_not_read_is_shown_at_its_place(client: EditorClient, uri: str) -> None:
    unread, wrong = client.diagnostics(uri, 1)
    assert places([unread])[0][:2] == (1, 0)
    assert unread["message"].startswith("`codatatype` is not read. Isabelle may well read it")
    assert unread["severity"] == 3
    assert places([wrong]) == [(7, 14, "found the end, expected an expression")]
    assert wrong["severity"] == 2


def test_an_edit_in_the_middle(client: EditorClient, uri: str) -> None:
    client.diagnostics(uri, 1)
    client.edit(uri, 2, 7, 8, 14, "odd (n + 1)")
    client.diagnostics(uri, 2, lambda found: len(found) == 1)
    client.edit(uri, 3, 1, 0, 0, 'lemma "0 = True" sorry (* 𝒜 *)\n')
    found = client.diagnostics(uri, 3, lambda found: len(found) == 2)
    assert [place[:2] for place in places(found)] == [(1, 7), (2, 0)]


def test_actions_at_a_gap_and_at_a_statement(client: EditorClient, uri: str) -> None:
    for line, count in ((3, 3), (6, 3), (8, 3), (0, 0), (9, 0), (500, 0)):
        found = client.actions(uri, line)
        assert [each["title"] for each in found] == ["Propose the step", "Prove it", "Check this step"][:count]
        assert all(each["command"]["arguments"] == [uri, 1, line] for each in found)
    at = {"textDocument": {"uri": uri}, "position": {"line": 3, "character": 12}}
    assert "so that  x < z\n" in client.request("textDocument/hover", at)["contents"]["value"]


def test_a_gap_is_filled_as_fill_does(client: EditorClient, uri: str) -> None:
    action = client.actions(uri, 3)[1]["command"]
    said = client.request("workspace/executeCommand", {"command": action["command"], "arguments": action["arguments"]})
    edit = client.edits.pop()["documentChanges"][0]
    assert edit["textDocument"] == {"uri": uri, "version": 1}
    place = {"start": {"line": 3, "character": 10}, "end": {"line": 3, "character": 15}}
    assert edit["edits"] == [{"range": place, "newText": said}]
    assert said.endswith(SUGGESTED)
    kinds = [each["value"]["kind"] for each in client.progress]
    assert (kinds[0], kinds[-1]) == ("begin", "end")


@pytest.mark.slow
def test_steps_are_proposed_and_checked(client: EditorClient, uri: str) -> None:
    client.diagnostics(uri, 1)
    proposed = client.request("workspace/executeCommand", command("propose", uri, 1, 3))
    assert "so that  x < z\n" in proposed
    assert "facts ⊢ step: " in proposed
    assert places(client.shown[uri])[-1] == (3, 10, proposed)
    checked = client.request("workspace/executeCommand", command("check", uri, 1, 6))
    assert "1   even (n + n)" in checked
    assert "facts ⊢ step: proved" in checked


def test_refused_in_one_line(client: EditorClient, uri: str) -> None:
    cases = [
        (command("prove", uri, 1, 7), -32803, f"{Path(uri[7:])}:8:15: found the end"),
        (command("prove", uri, 1, 0), -32803, "there is no sorry and no statement"),
        (command("prove", uri, 7, 3), -32801, "version 1 by now"),
        (command("prove", "file:///other.thy", 1, 3), -32602, "is not open"),
        (command("dance", uri, 1, 3), -32602, "no command"),
        ({"command": "isarstep.prove", "arguments": [3]}, -32602, "expected a URI"),
    ]
    for params, code, says in cases:
        error = client.answer(client.ask("workspace/executeCommand", params))["error"]
        assert error["code"] == code
        assert says in error["message"]
        assert "\n" not in error["message"]


@pytest.fixture(scope="module")
def endless(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[EditorClient, StandIn]]:
    """An editor whose provers never end by themselves while they are told to hang."""
    stand_in = StandIn(tmp_path_factory.mktemp("provers"))
    with editor(stand_in) as made:
        made.initialize()
        yield made, stand_in
        assert made.stop() == 0


@PROC_FILES
@pytest.mark.parametrize(
    "by", ["request", *(pytest.param(by, marks=pytest.mark.slow) for by in ("progress", "edit", "close"))]
)
def test_nobody_works_for_what_is_cancelled(by: str, endless: tuple[EditorClient, StandIn], tmp_path: Path) -> None:
    client, stand_in = endless
    uri = uri_of(tmp_path / "T.thy")
    client.open(uri, 'theory T imports Main begin\nlemma "p (f (f undefined))" if "p undefined" sorry\nend\n')
    # Then everything is loaded, and provers are there whatever was cancelled before.
    assert "facts ⊢ goal" in client.request("workspace/executeCommand", command("check", uri, 1, 1))
    client.progress.clear()
    stand_in.hang.touch()
    asked = client.ask("workspace/executeCommand", command("prove", uri, 1, 1))
    prover = number_in(stand_in.started)
    assert len(client.actions(uri, 1)) == 3  # others are answered meanwhile
    token = client.progress[0]["token"]
    if by == "request":
        client.notify("$/cancelRequest", {"id": asked})
    elif by == "progress":
        client.notify("window/workDoneProgress/cancel", {"token": token})
    elif by == "edit":
        client.edit(uri, 2, 1, 0, 0, " ")
    else:
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert client.answer(asked)["error"]["code"] == (-32800 if by in ("request", "progress") else -32801)
    assert gone(prover)
    assert client.edits == []
    stand_in.hang.unlink()
    stand_in.started.unlink()


HEADERS = [
    (b"Content-Length: abc\r\n\r\n{}", "the Content-Length is not a number"),
    (b"Content-Length: -5\r\n\r\n{}\n", "the Content-Length is not a number"),
    (b"Content-Length: 0\r\n\r\n", "the Content-Length is not between"),
    (b"Content-Length: 99999999999\r\n\r\n{}", "the Content-Length is not between"),
    (b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n{}", "the Content-Length is not a number"),
    (b"Content-Type: x\r\n\r\n{}", "a header has no Content-Length"),
    (b"nonsense\nmore nonsense\n", "no header"),
    (b"{}", "something stands before a header"),
]


@pytest.mark.parametrize(("wrong", "said"), HEADERS, ids=[said + str(at) for at, (_, said) in enumerate(HEADERS)])
def test_the_message_after_a_wrong_header_is_read(wrong: bytes, said: str) -> None:
    refused: list[str] = []
    good = b"content-length:  4\nContent-Type: x\n\nbody"
    stream = EditorInput(io.BytesIO(wrong + good + wrong + good), refused.append)
    for _ in range(2):
        assert (stream.readline(), stream.readline(), stream.read(4)) == (b"Content-Length: 4\r\n", b"\r\n", b"body")
    assert stream.readline() == b""
    assert len(refused) == 2
    assert all(each.startswith(said) for each in refused)


def test_a_wrong_header_does_not_silence_the_session(client: EditorClient) -> None:
    assert client.process.stdin is not None
    client.process.stdin.write(b"Content-Length: abc\r\n\r\n{}")
    number = client.ask("nothing/known")
    refused = client.until(lambda message: "error" in message and message["id"] is None)
    assert "Content-Length is not a number" in refused["error"]["message"]
    assert "error" in client.answer(number)


def test_an_editor_that_vanishes_is_one_line() -> None:
    ours, theirs = socket.socketpair()
    process = subprocess.Popen(
        [sys.executable, "-m", "isarstep", "lsp"], stdin=theirs, stdout=theirs, stderr=subprocess.PIPE
    )
    with process:
        theirs.close()
        body = b'{"jsonrpc": "2.0", "id": 1, "method": "nothing/known"}'
        ours.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        assert ours.recv(1)  # with the rest unread, closing resets the connection
        ours.close()
        _, said = process.communicate()
    assert process.returncode == 1
    assert said.decode() in (
        "isarstep: the editor is gone (Connection reset by peer)\n",
        "",
    )  # some systems tell nothing


def test_positions_count_units_of_the_editor() -> None:
    text = EditorText("a𝒜b\r\nc\n", "utf-16")
    assert [text.place(0, unit) for unit in (0, 1, 3, 4, 99)] == [0, 1, 2, 3, 3]
    assert [text.position(place) for place in (0, 2, 3, 5, 6, 7)] == [(0, 0), (0, 3), (0, 4), (1, 0), (1, 1), (2, 0)]
    assert text.place(9, 9) == 7
    assert EditorText("a𝒜b", "utf-8").place(0, 5) == 2
    assert EditorText("\ud800x").place(0, 1) == 1
    assert text.changed(1, 3, "").text == "a\r\nc\n"
