"""The benchmark as a task for lm-evaluation-harness: `simple_evaluate(model=..., tasks=[isarstep()])`.

Needs pip install 'isarstep[lm-eval]'. Prompts, readings and scores are those of `isarstep ask`; the examples of
training stand in one text with the question, as this harness wants it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import datasets
import pyarrow as pa
from lm_eval.api.task import ConfigurableTask

from isarstep.apps.llm.questions import SHOTS, Questions, judgement
from isarstep.benchmark.store.store import Benchmark


def isarstep(
    benchmark: str = "embedded", split: str = "validation", limit: int | None = None, shots: int = SHOTS
) -> ConfigurableTask:
    """The missing step of an Isabelle proof: is the reply's proposition the author's, as a term?"""
    opened = Benchmark(benchmark)
    questions = Questions(opened, shots)
    examples = {example.id: example for example in opened.split(split).lowest(limit)}
    documents = [{"id": e.id, "question": questions.text(e), "target": e.f1} for e in examples.values()]

    def judge(document: dict[str, Any], replies: Sequence[str]) -> dict[str, float]:
        return judgement(questions, examples[document["id"]], replies[0])[1]

    return ConfigurableTask(
        config={
            "task": "isarstep",
            "custom_dataset": lambda **_: datasets.DatasetDict({"test": _dataset(documents, opened.hash)}),
            "test_split": "test",
            "output_type": "generate_until",
            "doc_to_text": lambda document: document["question"],
            "doc_to_target": lambda document: document["target"],
            "process_results": judge,
            "generation_kwargs": {"until": [], "max_gen_toks": 1024, "temperature": 0.0},
            "metric_list": [
                {"metric": "top1", "aggregation": "mean", "higher_is_better": True},
                {"metric": "unreadable", "aggregation": "mean", "higher_is_better": False},
            ],
            "metadata": {"version": opened.hash[:12], "split": split},
        }
    )


def _dataset(documents: list[dict[str, str]], name: str) -> datasets.Dataset:
    """With a name of its own: `from_list` makes one by pickling the table, which the newest Arrow does not allow."""
    table = datasets.table.InMemoryTable(pa.Table.from_pylist(documents))
    return datasets.Dataset(table, fingerprint=name)
