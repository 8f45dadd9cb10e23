"""Both harness tasks score recorded replies exactly as `isarstep ask` and `isarstep evaluate` do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.agents.chat_server import chat_server
from tests.bench.corpus import write_corpus

from isarstep.agents.questions import Questions
from isarstep.bench.build import build
from isarstep.bench.example import Example
from isarstep.bench.rules import Sizes
from isarstep.bench.store import Benchmark
from isarstep.cli import run
from isarstep.logic.printing import to_unicode
from isarstep.logic.tokens import decode


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
def expected(bench: Path, recorded: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    """What `isarstep ask`, then `isarstep evaluate`, say about the same replies."""
    out = tmp_path_factory.mktemp("ask")
    with chat_server(lambda body: recorded[body["messages"][-1]["content"]]) as server:
        assert run(["ask", "--endpoint", server.url, "--model", "m", "--benchmark", str(bench), "--split", "test",
                    "--shots", "1", "--per-minute", "1e6", "--out", str(out)]) == 0  # fmt: skip
    summary = json.loads((out / "summary.json").read_text())
    assert 0 < summary["top"]["1"]["value"] < 100
    return {
        "top1": summary["top"]["1"]["value"] / 100,
        "unreadable": summary["first unreadable"] / summary["examples"],
    }


def test_inspect(
    bench: Path, recorded: dict[str, str], expected: dict[str, float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inspect_ai = pytest.importorskip("inspect_ai", reason="pip install 'isarstep[inspect]'")
    monkeypatch.setenv("INSPECT_LOG_DIR", str(tmp_path))
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from isarstep.agents.inspect_task import isarstep

    def reply(messages: list[Any], *_: Any) -> Any:
        output = ModelOutput.from_content("mockllm/model", recorded[messages[-1].text])
        output.usage = ModelUsage(
            input_tokens=1, output_tokens=1, total_tokens=2
        )  # else it wants a tokeniser from the net
        return output

    model = get_model("mockllm/model", custom_outputs=reply)
    [log] = inspect_ai.eval(
        isarstep(str(bench), "test", shots=1), model=model, display="none", log_dir=str(tmp_path), max_samples=1
    )
    assert log.status == "success", log.error
    scores = {score.name: score.metrics["mean"].value for score in log.results.scores}
    assert scores == pytest.approx(expected)


def test_lm_eval_against_a_server(
    bench: Path, examples: list[Example], recorded: dict[str, str], expected: dict[str, float]
) -> None:
    lm_eval = pytest.importorskip("lm_eval", reason="pip install 'isarstep[lm-eval]'")
    pytest.importorskip("tenacity", reason="pip install 'isarstep[lm-eval]'")
    from isarstep.agents.lm_eval_task import isarstep

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
