"""Language models as systems: prompts, readings, scores, and whole runs against a server on this machine."""

from __future__ import annotations

import json
import resource
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.apps.agents.chat_server import Reply, chat_server
from tests.documented import documented, mentioned
from tests.embedded import embedded_benchmark

from isarstep.apps.llm import asking
from isarstep.apps.llm.asking import AskedRun, ask_all, by_votes, pass_at, read_replies
from isarstep.apps.llm.endpoint import Completion, Endpoint
from isarstep.apps.llm.questions import Questions, ReadReply, place_of_reference
from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.store import Benchmark
from isarstep.cli import run
from isarstep.common.errors import UserError
from isarstep.common.files import one_writer
from isarstep.isabelle.syntax.writing.printing import to_unicode
from isarstep.isabelle.syntax.writing.writer import write_formula, write_type
from isarstep.isabelle.terms.tokens import decode
from isarstep.isabelle.terms.type_text import parse_type


@pytest.fixture(scope="module")
def questions(small_benchmark: Path) -> Questions:
    return Questions(Benchmark(small_benchmark), shots=1)


def truth(questions: Questions, example: Any) -> str:
    return to_unicode(decode(example.f1), questions.names(example))


def test_every_reference_is_read_back_as_itself(small_benchmark: Path, questions: Questions) -> None:
    for split in ("test", "validation"):
        for example in Benchmark(small_benchmark).split(split):
            answer = questions.read(example, f"I think so.\nANSWER: {truth(questions, example)}\n")
            assert answer.tokens == example.f1
            assert place_of_reference(example, [answer]) == 1


def test_the_prompt_shows_fields_types_and_own_names_and_not_the_answer(
    small_benchmark: Path, questions: Questions
) -> None:
    example = next(e for e in Benchmark(small_benchmark).split("test") if e.f2 and e.types)
    messages = questions.prompt(example)
    assert [m["role"] for m in messages] == ["system", "user", "assistant", "user"]
    question = messages[-1]["content"]
    names = questions.names(example)
    for text in (*example.f2, example.f3 or "", *example.f4):
        assert to_unicode(decode(text), names) in question
    assert truth(questions, example) not in question
    variable = next(iter(example.types))
    assert f"{names.free(variable)} :: nat" in question
    assert names.free(variable) == example.names[variable]
    shot = questions.shots[0]
    assert messages[2]["content"] == f"ANSWER: {truth(questions, shot)}"
    assert shot.id in {e.id for e in Benchmark(small_benchmark).split("train")}


@pytest.mark.parametrize("wrap", ["{}", "`{}`", '"{}"', "$ {} $", "**{}**", r"\<open>{}\<close>"])
def test_what_models_put_around_formulas_is_taken_off(small_benchmark: Path, questions: Questions, wrap: str) -> None:
    example = Benchmark(small_benchmark).split("test")[0]
    reply = f"ANSWER: x = x\n**ANSWER:** {wrap.format(truth(questions, example))}"
    assert questions.read(example, reply).tokens == example.f1
    assert questions.read(example, f"**ANSWER: {truth(questions, example)}**").tokens == example.f1


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("", "no line begins with ANSWER:"),
        ("The answer is x = x", "no line begins with ANSWER:"),
        ("ANSWER: x = = x", "character 5"),
        ("ANSWER: Nat.P stranger", "neither a constant nor a variable"),
    ],
)
def test_what_cannot_be_read_says_why_and_is_wrong(
    small_benchmark: Path, questions: Questions, reply: str, problem: str
) -> None:
    example = Benchmark(small_benchmark).split("test")[0]
    answer = questions.read(example, reply)
    assert answer.tokens is None
    assert problem in (answer.problem or "")
    assert place_of_reference(example, [answer]) == 0
    assert place_of_reference(example, [answer, ReadReply(example.f1)]) == 2


def test_votes_join_equal_terms() -> None:
    p, q = "CONST p $ VAR <V0>", "CONST q"
    answers = [ReadReply(q), ReadReply(p), ReadReply(None, "no"), ReadReply("CONST p $ VAR <V3>")]
    assert by_votes(answers) == [(p, 2), (q, 1)]


def test_one_process_asks_in_a_folder(small_benchmark: Path, questions: Questions, tmp_path: Path) -> None:
    examples = list(Benchmark(small_benchmark).split("test"))
    inquiry = AskedRun("m", "hash", "test", samples=1, shots=1, temperature=0.0, longest=8)
    with chat_server(lambda body: "ANSWER: x") as server, one_writer(tmp_path):
        with pytest.raises(UserError, match=f"{tmp_path.name}: process .* is writing here"):
            ask_all(tmp_path, inquiry, questions, examples, Endpoint(server.url, "m", per_minute=1e9))
        assert server.requests == []
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_named_and_what_is_kept_is_whole(
    small_benchmark: Path, questions: Questions, tmp_path: Path
) -> None:
    examples = list(Benchmark(small_benchmark).split("test"))[:1]
    inquiry = AskedRun("m", "hash", "test", samples=1, shots=1, temperature=0.0, longest=8)
    with chat_server(lambda body: "ANSWER: x" * 100) as server:
        endpoint = Endpoint(server.url, "m", per_minute=1e9)
        asking._open_folder(tmp_path, inquiry)
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (300, limits[1]))
        try:
            with pytest.raises(UserError, match=r"replies\.jsonl: could not be written"):
                ask_all(tmp_path, inquiry, questions, examples, endpoint)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert (tmp_path / "replies.jsonl").read_bytes() == b""
        ask_all(tmp_path, inquiry, questions, examples, endpoint)
        assert [each.id for each in read_replies(tmp_path, 1)] == [examples[0].id]


def test_pass_at_k() -> None:
    assert [pass_at(1, 4, c) for c in (0, 1, 4)] == [0.0, 0.25, 1.0]
    assert pass_at(2, 4, 1) == 0.5
    with pytest.raises(ValueError, match="pass@5 of 4"):
        pass_at(5, 4, 1)


def test_a_run_is_scored_as_evaluate_scores_it(
    small_benchmark: Path,
    questions: Questions,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ISARSTEP_API_KEY", "very-secret")
    examples = list(Benchmark(small_benchmark).split("test"))
    by_question = {questions.question(example): number for number, example in enumerate(examples)}

    def reply(body: dict[str, Any]) -> Reply:
        number = by_question[body["messages"][-1]["content"]]
        right = f"ANSWER: {truth(questions, examples[number])}"
        wrong = f"ANSWER: {to_unicode(decode(examples[number].f3 or ''), questions.names(examples[number]))}"
        # By turns: right at once; right once of three, wrong twice; never readable.
        return [[right] * 3, [wrong, wrong, right], ["no idea", "ANSWER: = =", ""]][number % 3][body["seed"]]

    out = tmp_path / "run"
    with chat_server(reply) as server:
        arguments = ["ask", "--endpoint", server.url, "--model", "m", "--benchmark", str(small_benchmark), "--split", "test",
                     "--samples", "3", "--shots", "1", "--per-minute", "1e6", "--out", str(out)]  # fmt: skip
        assert run([*arguments, "--limit", "2"]) == 0
        capsys.readouterr()
        assert len(server.requests) == 6
        assert {replies.id for replies in read_replies(out, 3)} == {*sorted(example.id for example in examples)[:2]}
        assert run(arguments) == 0  # continues
        assert len(server.requests) == 3 * len(examples)
        assert set(server.keys) == {"Bearer very-secret"}
    summary = json.loads(capsys.readouterr().out)
    assert documented("run.json") == {*json.loads((out / "run.json").read_text())}
    assert documented("summary.json of ask") == {*summary} - documented("run.json")
    nested = (summary["top"]["1"], summary["unreadable"], summary["budget"])
    assert {name for each in nested for name in each} <= mentioned("summary.json of ask")
    replied = json.loads((out / "replies.jsonl").read_text().splitlines()[0])
    assert documented("replies.jsonl") == {*replied, *replied["samples"][0]}
    assert documented("NAME.meta.json") == {*json.loads((out / "predictions.meta.json").read_text())}
    # Two examples may ask the same and have different targets; then the script answers one of them, and the answer is
    # read where the other one stands.
    script = [by_question[questions.question(example)] for example in examples]
    replies = [f"ANSWER: {truth(questions, examples[n])}" for n in script]
    hits = [
        questions.read(example, reply).tokens == example.f1 for example, reply in zip(examples, replies, strict=True)
    ]
    thirds = [sum(hit for n, hit in zip(script, hits, strict=True) if n % 3 == turn) for turn in (0, 1)]
    thirds.append(sum(n % 3 == 2 for n in script))
    assert all(thirds)
    total = len(examples)
    assert summary["examples"] == total
    assert summary["pass"]["1"] == pytest.approx(100 * (thirds[0] + thirds[1] / 3) / total)
    assert summary["unreadable"] == {"no answer": 2 * thirds[2], "not read": thirds[2]}
    assert summary["first unreadable"] == thirds[2]
    assert summary["budget"]["tokens in"] == 300 * total
    assert summary["budget"]["tokens out"] > 0
    assert run(["evaluate", str(out / "predictions.jsonl"), "--benchmark", str(small_benchmark), "--json"]) == 0
    [scored] = json.loads(capsys.readouterr().out)["systems"]
    assert scored["top1_term"] == summary["top"]["1"]
    assert scored["top10_term"]["value"] == pytest.approx(100 * (thirds[0] + thirds[1]) / total)
    assert "3 samples" in scored["signature"]["top10"]
    assert not any("very-secret" in path.read_text() for path in out.iterdir())


def test_another_question_does_not_go_into_an_old_run(
    small_benchmark: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with chat_server(lambda body: "ANSWER: x = x") as server:
        arguments = [
            "ask",
            "--endpoint",
            server.url,
            "--benchmark",
            str(small_benchmark),
            "--limit",
            "1",
            "--per-minute",
            "1e6",
            "--out",
            str(tmp_path),
        ]
        assert run([*arguments, "--model", "a"]) == 0
        (tmp_path / "replies.jsonl").open("a").write('{"id": "torn')
        assert run([*arguments, "--model", "a"]) == 0
        assert len(server.requests) == 1
        assert run([*arguments, "--model", "b"]) == 2
        assert "another model" in capsys.readouterr().err


def test_a_busy_server_is_asked_again_and_a_refusal_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISARSTEP_API_KEY", "very-secret")
    replies: list[Reply] = [(429, "slow down"), (503, "loading"), "fine", (401, "bad key very-secret")]
    waited: list[float] = []
    with chat_server(lambda body: replies.pop(0)) as server:
        endpoint = Endpoint(server.url, "m", per_minute=1e6, wait=waited.append)
        assert endpoint.complete([], 0).text == "fine"
        assert [pause for pause in waited if pause >= 1] == [2.0, 4.0]
        with pytest.raises(UserError, match="401 bad key") as refused:
            endpoint.complete([], 0)
        assert "very-secret" not in str(refused.value)
        replies += [(500, "broken")] * 6
        with pytest.raises(UserError, match="no answer after 6 tries, last: 500 broken"):
            endpoint.complete([], 0)


def test_requests_keep_their_distance() -> None:
    waited: list[float] = []
    with chat_server(lambda body: "fine") as server:
        endpoint = Endpoint(server.url, "m", per_minute=1, wait=waited.append)
        for _ in range(3):
            endpoint.complete([], 0)
    assert [round(pause / 60) for pause in waited] == [1, 2]


# On the benchmark inside the package, whose theories say how they write.


@pytest.fixture(scope="module")
def embedded() -> Questions:
    return Questions(embedded_benchmark(), shots=0)


@pytest.fixture(scope="module")
def few(embedded: Questions) -> list[Example]:
    """Examples of different theories, spread over the split."""
    rows = embedded.benchmark.split("validation")
    spread = {example.theory: example for example in (rows[place] for place in range(0, len(rows), len(rows) // 12))}
    assert len(spread) >= 8
    return list(spread.values())


def test_questions_are_written_as_the_examples_theory_writes(embedded: Questions, few: list[Example]) -> None:
    for example in few:
        language = embedded.benchmark.theory_contexts.at(example.theory).language
        assert language is not None
        names = embedded.names(example)
        question = embedded.question(example).splitlines()
        own = {variable: names.free(variable) for variable in example.types}
        schematic = {f"<V{n}>": names.schematic(f"<V{n}>", 0) for n in range(50)}
        for _, text in example.source(hints=False):
            assert f"  {write_formula(decode(text), language, names=own | schematic)}" in question
        for variable, typ in example.types.items():
            assert f"  {own[variable]} :: {write_type(parse_type(typ), language)}" in question


def test_references_are_read_back_where_they_stand(embedded: Questions, few: list[Example]) -> None:
    for example in few:
        answer = embedded.read(example, f"ANSWER: {truth(embedded, example)}")
        assert place_of_reference(example, [answer]) == 1, (example.id, answer)


def test_an_answer_has_the_types_of_the_question(embedded: Questions) -> None:
    types = {"<X0>": "Nat.nat", "<X1>": "Real.real"}
    target = "CONST HOL.Trueprop $ ( CONST Orderings.ord_class.less $ ( CONST Real.real $ FREE <X0> ) $ FREE <X1> )"
    example = Example("0" * 12, target, (), None, (), (), types=types, theory="Complex_Main", names={"<X0>": "n"})
    assert "n :: nat" in embedded.question(example)
    assert embedded.read(example, "ANSWER: n < x₁").tokens == target  # a number is coerced as Isabelle would
    assert embedded.read(example, "ANSWER: real n < x₁").tokens == target
    assert not embedded.read(example, "ANSWER: n ∈ x₁").readable


def test_abbreviations_folded_or_not_are_one_answer(embedded: Questions) -> None:
    unfolded = "CONST HOL.Trueprop $ ( CONST HOL.Not $ ( CONST HOL.eq $ FREE <X0> $ CONST Groups.zero_class.zero ) )"
    example = Example("0" * 12, unfolded, (), None, (), (), types={"<X0>": "Nat.nat"}, theory="Complex_Main")
    for text in ("x₀ ≠ 0", "¬ x₀ = 0", "¬ (x₀ = 0)"):
        assert embedded.read(example, f"ANSWER: {text}").tokens == unfolded
    assert place_of_reference(example, [embedded.read(example, "ANSWER: x₀ = 0")]) == 0


def test_what_is_no_address_is_refused() -> None:
    with pytest.raises(UserError, match="no address"):
        Endpoint("localhost:8000", "m")


def test_the_key_goes_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISARSTEP_API_KEY", "very-secret\n")  # as a file has it
    with chat_server(lambda body: "fine") as other, chat_server(lambda body: (302, f"{other.url}/models")) as server:
        with pytest.raises(UserError, match="302"):
            Endpoint(server.url, "m", per_minute=1e6).complete([], 0)
        assert (server.keys, other.keys) == (["Bearer very-secret"], [])
    monkeypatch.setenv("ISARSTEP_API_KEY", "very\nsecret")
    with pytest.raises(UserError, match=r"^ISARSTEP_API_KEY holds characters that no header can have$"):
        Endpoint("http://localhost", "m")


@pytest.mark.parametrize("answer", [{}, {"choices": []}, {"choices": [{"message": {"content": [{"text": "x"}]}}]}])
def test_what_is_no_completion_is_refused_in_one_line(answer: dict[str, Any]) -> None:
    with chat_server(lambda body: answer) as server, pytest.raises(UserError, match="no chat completion") as refused:
        Endpoint(server.url, "m", per_minute=1e6).complete([], 0)
    assert "\n" not in str(refused.value)


def test_tokens_that_were_not_counted_are_not_guessed() -> None:
    answer = {"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": "many", "completion_tokens": 3}}
    with chat_server(lambda body: answer) as server:
        found = Endpoint(server.url, "m", per_minute=1e6).complete([], 0)
    assert (found.text, found.tokens_in, found.tokens_out) == ("x", None, 3)


def test_ctrl_c_sends_the_queue_of_paid_requests_all_the_same(
    small_benchmark: Path, questions: Questions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    examples = list(Benchmark(small_benchmark).split("train"))[:12]
    asked: list[int] = []
    begun, stopped = threading.Event(), threading.Event()

    class Slow:
        def complete(self, messages: object, seed: int) -> Completion:
            asked.append(seed)
            begun.set()
            stopped.wait()
            return Completion("ANSWER: x", False, 1, 1)

    def interrupted(*_: object, **__: object) -> None:
        begun.wait()
        threading.Timer(0.2, stopped.set).start()  # what is under way comes to its end
        raise KeyboardInterrupt

    monkeypatch.setattr(asking, "wait", interrupted)
    inquiry = AskedRun("m", "hash", "train", samples=3, shots=1, temperature=0.0, longest=8)
    with pytest.raises(KeyboardInterrupt):
        ask_all(tmp_path, inquiry, questions, examples, Slow(), at_once=2)  # type: ignore[arg-type]
    assert len(asked) <= 2
