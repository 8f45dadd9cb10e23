"""Both harness tasks score a file of recorded replies exactly as `isarstep evaluate` does.

What they share is tested everywhere; each task itself only where its harness is installed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.apps.agents.chat_server import chat_server
from tests.benchmark.corpus import write_corpus

from isarstep.apps.llm.asking import read_replies
from isarstep.apps.llm.questions import Questions, judgement
from isarstep.benchmark.building.build import build
from isarstep.benchmark.rules.rules import Sizes
from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.store import Benchmark
from isarstep.cli import run
from isarstep.isabelle.syntax.writing.printing import to_unicode
from isarstep.isabelle.terms.tokens import decode


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("harness")
    build(write_corpus(folder, 3), folder / "bench", sizes=Sizes(scored=9, band=0.3), workers=1)
    return folder / "bench"


@pytest.fixture(scope="module")
def examples(bench: Path) -> list[Example]:
    return list(Benchmark(bench).split("test"))


@pytest.fixture(scope="module")
def recorded(bench: Path, examples: list[Example]) -> dict[str, str]:
    """Question -> reply: right, wrong and unreadable by turns."""
    questions = Questions(Benchmark(bench), 1)
    found = {}
    for number, example in enumerate(examples):
        right, wrong = (to_unicode(decode(text or ""), questions.names(example)) for text in (example.f1, example.f3))
        reply = (f"ANSWER: {right}", f"So.\nANSWER: {wrong}", "I do not know.")[number % 3]
        found[questions.question(example)] = reply
    return found


@pytest.fixture(scope="module")
def run_folder(bench: Path, recorded: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of `isarstep ask`: the replies as they were recorded, and its predictions."""
    out = tmp_path_factory.mktemp("ask")
    with chat_server(lambda body: recorded[body["messages"][-1]["content"]]) as server:
        assert run(["ask", "--endpoint", server.url, "--model", "m", "--benchmark", str(bench), "--split", "test",
                    "--shots", "1", "--per-minute", "1e6", "--out", str(out)]) == 0  # fmt: skip
    return out


@pytest.fixture
def expected(bench: Path, run_folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, float]:
    """What `isarstep evaluate` says about them; it knows unreadable answers as empty lists."""
    capsys.readouterr()
    assert run(["evaluate", str(run_folder / "predictions.jsonl"), "--benchmark", str(bench), "--json"]) == 0
    [scored] = json.loads(capsys.readouterr().out)["systems"]
    lines = [json.loads(line) for line in (run_folder / "predictions.jsonl").read_text().splitlines()]
    assert 0 < scored["top1_term"]["value"] < 100
    empty = sum(not line["predictions"] for line in lines)
    assert 0 < empty < len(lines)
    return {"top1": scored["top1_term"]["value"] / 100, "unreadable": empty / len(lines)}


def test_recorded_replies_without_any_harness(
    bench: Path, examples: list[Example], run_folder: Path, expected: dict[str, float]
) -> None:
    questions = Questions(Benchmark(bench), 1)
    by_id = {example.id: example for example in examples}
    values = [
        judgement(questions, by_id[record.id], record.samples[0].text)[1] for record in read_replies(run_folder, 1)
    ]
    means = {name: sum(value[name] for value in values) / len(values) for name in expected}
    assert means == pytest.approx(expected)


def test_inspect_against_a_server(
    bench: Path, recorded: dict[str, str], expected: dict[str, float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inspect_ai = pytest.importorskip("inspect_ai", reason="pip install 'isarstep[inspect]'")
    pytest.importorskip("openai", reason="pip install 'isarstep[inspect]'")
    from isarstep.apps.llm.inspect_task import isarstep

    with chat_server(lambda body: recorded[body["messages"][-1]["content"]]) as server:
        monkeypatch.setenv("LOCAL_BASE_URL", server.url)
        monkeypatch.setenv("LOCAL_API_KEY", "none")
        [log] = inspect_ai.eval(
            isarstep(str(bench), "test", shots=1), model="openai-api/local/m", display="none", log_dir=str(tmp_path),
            max_samples=1,
        )  # fmt: skip
        assert log.status == "success", log.error
        assert len(server.requests) == log.results.completed_samples
    scores = {score.name: score.metrics["mean"].value for score in log.results.scores}
    assert scores == pytest.approx(expected)


def test_inspect_takes_the_examples_of_lowest_id(bench: Path, examples: list[Example]) -> None:
    pytest.importorskip("inspect_ai", reason="pip install 'isarstep[inspect]'")
    from isarstep.apps.llm.inspect_task import isarstep

    task = isarstep(str(bench), "test", limit=2, shots=1)
    assert {sample.id for sample in task.dataset} == {*sorted(example.id for example in examples)[:2]}


def test_lm_eval_takes_the_examples_of_lowest_id(
    bench: Path, examples: list[Example], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    pytest.importorskip("lm_eval", reason="pip install 'isarstep[lm-eval]'")
    from isarstep.apps.llm.lm_eval_task import isarstep

    task = isarstep(str(bench), "test", limit=2, shots=1)
    assert {document["id"] for document in task.test_docs()} == {*sorted(example.id for example in examples)[:2]}


def test_lm_eval_against_a_server(
    bench: Path,
    examples: list[Example],
    recorded: dict[str, str],
    expected: dict[str, float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")  # nothing has to be fetched; without this it asks for a while
    lm_eval = pytest.importorskip("lm_eval", reason="pip install 'isarstep[lm-eval]'")
    pytest.importorskip("tenacity", reason="pip install 'isarstep[lm-eval]'")
    from isarstep.apps.llm.lm_eval_task import isarstep

    def reply(body: dict[str, Any]) -> str:
        asked = body["messages"][-1]["content"]
        return next(text for question, text in recorded.items() if asked.rstrip().endswith(question))

    with chat_server(reply) as server:
        results = lm_eval.simple_evaluate(
            model="local-chat-completions",
            model_args=f"model=m,base_url={server.url}/chat/completions,num_concurrent=1,tokenized_requests=False",
            tasks=[isarstep(str(bench), "test", shots=1)],
            apply_chat_template=True,
            bootstrap_iters=0,
        )
        assert len(server.requests) == len(examples)
    scores = results["results"]["isarstep"]
    assert {name: scores[f"{name},none"] for name in expected} == pytest.approx(expected)
