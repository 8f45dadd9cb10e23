"""The HTTP API as others meet it: a real process, a real socket, the shipped model."""

import http.client
import json
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.apps.process import Running, running
from tests.drawn import drawn
from tests.stand_in import StandIn
from tests.waiting import PATIENCE, PAUSE, gone, number_in, until

from isarstep.benchmark.store.example import Example
from isarstep.cli import run
from isarstep.prover.atp.provers import installed, not_installed

# What no prover has done before it is asked.
HARD = {
    "facts": ["p undefined"],
    "goal": "p (f (f undefined))",
    "proposals": ["p (f undefined)"],
    "library": 0,
    "prover_seconds": 0.05,
    "seconds": 60,
}
ORDER = {"facts": ["x ≤ y", "y ≤ z"], "goal": "x < z + 1", "types": {"x": "nat"}}
TOKEN = "a secret"
BEARER = {"authorization": f"Bearer {TOKEN}"}
JSON_BODY = {"content-type": "application/json"}


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> StandIn:
    return StandIn(tmp_path_factory.mktemp("provers"))


@pytest.fixture(scope="module")
def guarded(stand_in: StandIn) -> Iterator[Running]:
    """A server that wants a token and takes two requests at a time; its provers take as long as the test says."""
    with running("--concurrency", "2", "--token", TOKEN, prover=stand_in) as found:
        yield found


def load(server: Running) -> dict[str, int]:
    found: dict[str, int] = server.get("/health").json()["load"]
    return found


def listens(server: Running) -> bool:
    try:
        return server.get("/health").status_code == 200
    except httpx.TransportError:
        return False


def test_health_and_pages(server: Running) -> None:
    health = server.get("/health").json()
    assert health["status"] == "ok"
    assert health["limits"]["beam"] == 20
    assert health["benchmark"]["splits"]["test"] > 0
    assert "<html" in server.get("/").text
    docs = server.get("/docs")
    assert "POST /propose" in docs.text
    assert "http://" not in docs.text.replace("http://www.w3.org", "")
    assert "https://" not in docs.text
    assert server.get("/page/../app.py").status_code == 404
    assert server.get("/page/%2e%2e%2fapp.py").status_code == 404
    assert server.get("/page/" + "x" * 5000).status_code == 404
    assert "script-src 'self'" in server.get("/").headers["content-security-policy"]
    assert "<style" not in docs.text  # the policy would not let it through


def test_examples_are_found_and_shown(server: Running, example: Example) -> None:
    found = server.get("/examples", params={"query": example.id}).json()
    assert (found["total"], found["examples"][0]["id"]) == (1, example.id)
    words = f"{example.theory} {example.name}".upper()
    assert example.id in [
        e["id"] for e in server.get("/examples", params={"query": words, "limit": 100}).json()["examples"]
    ]
    assert server.get("/examples", params={"query": "nosuchwordanywhere"}).json() == {"total": 0, "examples": []}
    shown = server.get(f"/example/{example.id[:10]}").json()
    assert shown["reference"]["tokens"] == example.f1
    assert [p["tokens"] for p in shown["facts"]] == list(example.f2)
    assert shown["goal"]["mathml"].startswith("<math")
    assert server.get("/example/ffffffffffff").status_code == 404


def test_reading_answers_mathematics_or_where_it_is_wrong(server: Running) -> None:
    answer = server.post("/read", {"facts": ["x ≤ y", "x ≤"], "goal": "finite A"}).json()
    assert not answer["ok"]
    assert answer["facts"][0]["mathml"].startswith("<math")
    assert answer["facts"][1]["error"]["position"] == 3
    assert answer["goal"]["text"] == "finite A"
    assert set(answer["types"]) == {"x", "y", "A"}
    assert server.post("/read", {}).json()["ok"]


def test_propose_for_facts_and_for_an_example(server: Running, example: Example) -> None:
    answer = server.post("/propose", ORDER | {"beam": 5, "check": True, "prover_seconds": 1, "library": 0}).json()
    assert answer["finished"]
    assert answer["types"]["z"] == "nat"
    both = [s["sides"] == 2 for s in answer["steps"] if s["well_formed"] and not s["copy"]]
    assert both == sorted(both, reverse=True)
    tried = [s for s in answer["steps"] if s["well_formed"]]
    false = [s["first"]["result"] == "refuted" or "proved" in str(s["against"]) for s in tried]
    assert false == sorted(false), "what is false comes last"
    copies = [s["copy"] for s, wrong in zip(tried, false, strict=True) if not wrong]
    assert copies == sorted(copies)
    assert answer["steps"][0]["first"]["result"] == "proved"
    by_id = server.post("/propose", {"example": example.id, "beam": 3, "count": 2, "check": False}).json()
    assert len(by_id["steps"]) == 2
    assert all(step["reference"] is not None and step["first"] is None for step in by_id["steps"])
    again = server.post(
        "/propose", {"example": example.id, "beam": 3, "extra": [by_id["steps"][0]["text"]], "check": False}
    )
    assert again.status_code == 200, again.text


def test_a_step_can_be_sent_back(server: Running) -> None:
    answer = server.post("/propose", ORDER | {"beam": 4, "check": False})
    assert answer.status_code == 200, answer.text
    steps = answer.json()["steps"]
    by_text = server.post("/check", ORDER | {"proposals": [s["text"] for s in steps], "library": 0}).json()
    tokens = [s["tokens"] for s in by_text["steps"]]
    assert sorted(tokens) == sorted(s["tokens"] for s in steps)
    assert all(s["score"] is None and s["first"] for s in by_text["steps"])


def test_verdicts_are_streamed(server: Running) -> None:
    facts = ["x ≤ undefined", "undefined ≤ z"]  # of which no values are known, so that provers are asked
    body = ORDER | {"facts": facts, "proposals": ["x ≤ z", "z < x"], "library": 0, "stream": True, "prover_seconds": 1}
    events = list(server.events("/check", body))
    assert [name for name, _ in events] == ["steps", "goal", "gap", "gap", "gap", "gap", "gap", "done"]
    sides = [(e["id"], e["side"]) for name, e in events if name == "gap"]
    assert sides == [(0, "first"), (0, "second"), (1, "first"), (1, "second"), (1, "against")]
    assert events[2][1]["gap"]["result"] == "proved"
    assert events[6][1]["gap"]["result"] == "proved"  # z < x contradicts the facts
    done = events[-1][1]
    assert sorted(done["order"]) == [0, 1]
    assert {*done["labels"]} == {"0", "1"}
    assert done["direct"]["result"] == "proved"
    assert done | dict.fromkeys(("order", "labels", "direct", "seconds")) == {
        "order": None,
        "labels": None,
        "seconds": None,
        "refuted": None,
        "direct": None,
        "finished": True,
        "contradiction": None,
        "provers": installed(),
        "not_asked": not_installed(),
    }


# By no rule, either, and no value refutes it: the evaluator knows no filters.
UNPROVABLE = {"facts": ["f x = y"], "goal": "g y = x", "types": {"x": "nat filter", "y": "nat filter"}}


@pytest.mark.slow
def test_where_nothing_is_proved_the_wider_search_comes_after(server: Running) -> None:
    body = {"check": True, "stream": True, "seconds": 60, "beam": 2, "prover_seconds": 0.05}
    events = list(server.events("/propose", UNPROVABLE | body))
    names = [name for name, _ in events]
    assert names.count("steps") == 2
    again = names.index("steps", 1)
    first, second = events[0][1]["steps"], events[again][1]["steps"]
    assert len(first) == 2
    assert 20 < len(second) <= 34
    assert [step["id"] for step in second] == list(range(len(second)))
    assert [step["text"] for step in second[:2]] == [step["text"] for step in first]
    assert all(step["first"] is not None for step in second[:2])  # what is known is kept
    assert 2 in {event["id"] for name, event in events[again:] if name == "gap"}
    assert min(event["id"] for name, event in events[again:] if name == "gap") == 2
    assert len(events[-1][1]["order"]) == 2  # as many as were asked for


def test_sketches_are_streamed(server: Running) -> None:
    body = ORDER | {"library": 0, "stream": True, "prover_seconds": 1, "seconds": 60}
    events = list(server.events("/sketch", body))
    assert events[0][0] == "sketch"
    name, last = events[-1]
    assert name == "done"
    assert last["closed"]
    assert last["steps"][-1]["text"] == "x < z + 1"
    assert last["isar"].startswith("lemma")
    plain = server.post("/sketch", ORDER | {"library": 0, "prover_seconds": 1, "seconds": 60}).json()
    assert plain["closed"]


def test_attention_has_one_row_a_token(server: Running, example: Example) -> None:
    body = {"example": example.id, "form": "tokens", "answer": example.f1}
    answer = server.post("/attention", body)
    if answer.status_code == 422:
        assert answer.json()["error"]["code"] == "unsupported"
        return
    found = answer.json()
    assert len(found["weights"]) == len(found["written"]) == len(found["by_proposition"])
    assert all(len(row) == len(found["source"]) for row in found["weights"])
    assert found["propositions"][-1]["end"] == len(found["source"])
    assert all(abs(sum(row) - 1) < 0.05 for row in found["by_proposition"])
    assert server.post("/attention", body | {"layer": 99}).status_code == 422


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("/propose", {}, 422, "invalid"),
        ("/propose", {"goal": "x ="}, 422, "syntax"),
        ("/propose", {"goal": "x = True ∧ x = 0"}, 422, "type"),
        ("/propose", {"goal": "x = x", "beam": 1000}, 422, "invalid"),
        ("/propose", {"goal": "x = x", "nonsense": 1}, 422, "invalid"),
        ("/propose", {"goal": "x = x", "seconds": 1e9}, 422, "invalid"),
        ("/propose", {"goal": " ∧ ".join(["x = y"] * 150)}, 422, "tokens"),
        ("/propose", {"goal": "x = x", "facts": ["x = x"] * 65}, 422, "invalid"),
        ("/propose", {"example": "ffffffffffff"}, 404, "not_found"),
        ("/propose", {"example": "0", "goal": "x = x"}, 422, "invalid"),
        ("/check", {"goal": "x = x", "proposals": ["stranger = x"]}, 422, "type"),
        ("/check", {"goal": "x = x", "proposals": []}, 422, "invalid"),
        ("/nowhere", {}, 404, "not_found"),
        ("/health", {}, 405, "method"),
        ("/read", {"goal": "x" * 300_000}, 413, "too_large"),
    ],
)
def test_mistakes_have_a_status_and_a_json_error(
    server: Running, path: str, body: object, status: int, code: str
) -> None:
    answer = server.post(path, body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert "\n" not in answer.json()["error"]["message"]


def test_bodies_that_are_no_json(server: Running) -> None:
    for body in (b"", b"{", b"[" * 50_000, b"\xff\xfe", b'{"goal": "\\ud800"}', b'{"goal": NaN}', b"null"):
        answer = httpx.post(server.url + "/read", content=body, headers=JSON_BODY, timeout=PATIENCE * PAUSE)
        assert 400 <= answer.status_code < 500, (body[:20], answer.text)
        assert answer.json()["error"]["message"]


def test_a_form_of_another_page_is_no_request(server: Running) -> None:
    """What a browser lets any page send without asking first."""
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        answer = httpx.post(
            server.url + "/read", content=b'{"goal": "x = x"}', headers={"content-type": kind}, timeout=PATIENCE * PAUSE
        )
        assert answer.status_code == 422


def test_a_body_without_a_length_is_cut_off(server: Running) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(100):
            yield b" " * 10_000

    with httpx.Client(timeout=PATIENCE * PAUSE) as client:
        try:
            answer = client.post(server.url + "/read", content=endless(), headers=JSON_BODY)
            assert answer.status_code == 413
        except (httpx.WriteError, httpx.RemoteProtocolError):
            pass  # the server hung up before everything was sent


def test_other_hosts_are_refused(server: Running) -> None:
    assert server.get("/health", headers={"host": "evil.example"}).status_code == 400
    assert server.get("/health", headers={"host": "localhost:1"}).status_code == 200


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)
PROPOSITION = st.text(alphabet="xyzAf0123()[]{}.,=≤<∈∀∃λ+-*/∧∨¬⟹ \"'«»‹›?_₀:", max_size=30) | st.text(max_size=20)
FIELDS = (
    "facts",
    "goal",
    "others",
    "hints",
    "extra",
    "form",
    "fixed",
    "types",
    "example",
    "beam",
    "proposals",
    "stream",
)
BODIES = JSON | st.dictionaries(st.sampled_from(FIELDS), JSON | PROPOSITION | st.lists(PROPOSITION, max_size=3))


@settings(max_examples=drawn(60))
@given(path=st.sampled_from(["/read", "/read", "/check", "/sketch", "/attention"]), body=BODIES)
def test_no_body_makes_the_server_fail(server: Running, path: str, body: object) -> None:
    text = json.dumps(body)
    answer = httpx.post(server.url + path, content=text, headers=JSON_BODY, verify=False, timeout=PATIENCE * PAUSE)
    assert answer.status_code < 500, (text, answer.text)
    json.loads(answer.text)


def test_the_token_is_wanted(guarded: Running) -> None:
    assert guarded.get("/health").json()["token_required"]
    assert guarded.get("/").status_code == 200
    assert guarded.get("/examples").status_code == 401
    refused = guarded.post("/read", {"goal": "x = x"}, headers={"authorization": "Bearer wrong"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (401, "token")
    assert guarded.post("/read", {"goal": "x = x"}, headers=BEARER).status_code == 200


@pytest.mark.parametrize("stream", [True, False])
def test_who_goes_away_is_not_worked_for(guarded: Running, stand_in: StandIn, stream: bool) -> None:
    stand_in.hang.touch()
    address = urlsplit(guarded.url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port or 0)
    connection.request("POST", "/check", json.dumps(HARD | {"stream": stream}), BEARER | JSON_BODY)
    prover = number_in(stand_in.started)
    assert load(guarded)["running"] == 1
    connection.sock.shutdown(socket.SHUT_RDWR)
    connection.close()
    assert gone(prover)
    assert until(lambda: load(guarded)["running"] == 0)
    stand_in.hang.unlink()
    stand_in.started.unlink()


def test_above_the_limit_requests_are_refused_and_a_stop_finishes_what_was_accepted(
    guarded: Running, stand_in: StandIn
) -> None:
    def ask(number: int) -> httpx.Response:
        return guarded.post("/check", HARD | {"facts": [f"p{number} undefined"]}, headers=BEARER)

    stand_in.hang.touch()
    with ThreadPoolExecutor(2) as pool:
        accepted = [pool.submit(ask, number) for number in range(2)]
        assert until(lambda: load(guarded)["running"] == 2)
        busy = ask(2)
        assert (busy.status_code, busy.json()["error"]["code"]) == (429, "busy")
        assert busy.headers["retry-after"]
        assert number_in(stand_in.started)
        guarded.process.send_signal(signal.SIGTERM)
        assert until(lambda: not listens(guarded))
        assert guarded.process.poll() is None
        assert not any(each.done() for each in accepted)
        stand_in.hang.unlink()
        answers = [each.result() for each in accepted]
    assert [(answer.status_code, answer.json()["finished"]) for answer in answers] == [(200, True)] * 2
    assert guarded.process.wait(PATIENCE * PAUSE) == 0, guarded.process.stderr and guarded.process.stderr.read()


def test_serve_refuses_what_cannot_work(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", "--host", "0.0.0.0"]) == 2
    assert "--token" in capsys.readouterr().err
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert run(["serve", "--port", str(taken.getsockname()[1])]) == 2
    assert "choose another --port" in capsys.readouterr().err
