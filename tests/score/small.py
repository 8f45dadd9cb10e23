"""A small real benchmark and runs on it, made from the sample inside the package."""

from __future__ import annotations

import json
import random
from pathlib import Path

from isarstep.benchmark.building.write import Content, write_benchmark
from isarstep.benchmark.rules.shards import ShardBuilder
from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.schemas import EXAMPLE_SCHEMA
from isarstep.benchmark.store.store import Benchmark
from isarstep.isabelle.syntax.writing.sample import sample_examples, sample_signature

TEST = 120  # examples; the others are for training


def make_benchmark(folder: Path, test: int = TEST, validation: int = 0, unseen: int = 0) -> Path:
    builder = ShardBuilder()
    samples = sample_examples()
    for place, sample in enumerate(samples):
        number = builder.proposition
        builder.add(
            number(sample.f1),
            [number(p) for p in sample.f2],
            number(sample.f3),
            [number(p) for p in sample.f4],
            [number(p) for p in sample.f5],
            theorem=f"{sample.theory}.{sample.theorem}",
            name=sample.theorem,
            session=sample.theory.split(".")[0],
            theory=sample.theory,
            target_kind="compound" if place % 3 else "step",
            target_command="have",
            consequence_command="show",
        )
    shard = builder.finish()
    rows = shard.examples.select(EXAMPLE_SCHEMA.names)
    splits = {"train": rows.slice(test + validation + unseen), "test": rows.slice(0, test)}
    if validation:
        splits["validation"] = rows.slice(test, validation)
    if unseen:
        splits["unseen"] = rows.slice(test + validation, unseen)
    signature = sample_signature().to_json()
    write_benchmark(folder, Content(splits, shard.propositions["tokens"], signature=signature))
    return folder


def answers(example: Example, right: float, draw: random.Random, count: int) -> list[str]:
    """The reference with some luck, else a proposition of the source, else the reference damaged."""
    found = []
    for place in range(count):
        luck = draw.random()
        if luck < right / (place + 1):
            found.append(example.f1)
        elif luck < 0.6:
            found.append(draw.choice(example.source())[1])
        else:
            words = example.f1.split()
            words[draw.randrange(len(words))] = draw.choice(words)
            found.append(" ".join(words))
    return found


def write_predictions(path: Path, examples: list[Example], lists: list[list[str]], meta: dict[str, object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for example, nbest in zip(examples, lists, strict=True):
            predictions = [{"tokens": tokens, "score": -float(i)} for i, tokens in enumerate(nbest)]
            file.write(json.dumps({"id": example.id, "predictions": predictions}) + "\n")
    path.with_name(path.name.removesuffix(".jsonl") + ".meta.json").write_text(json.dumps(meta))


def make_run(
    folder: Path, benchmark: Path, config: dict[str, object], right: float, tags: tuple[str, ...] = ("",)
) -> Path:
    """A run's folder with predictions and a log, but without a model."""
    opened = Benchmark(benchmark)
    examples = list(opened.split("test"))
    draw = random.Random(f"{folder.name}")
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({"size": "base", "style": "paper", "categories": True, **config}))
    (folder / "vocab.json").write_text(json.dumps(opened.vocabulary))
    logged = [
        {"step": step, "loss": 8 / (1 + step / 100), "validation_bleu": 60 - 5000 / step}
        for step in range(100, 900, 100)
    ]
    (folder / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in logged))
    for tag in tags:
        for beam in (5, 10):
            meta: dict[str, object] = {
                "benchmark": opened.hash, "split": "test", "input": "+F.5" if config.get("hints") else "base",
                "beam": beam, "length_rule": "log p", "constraints": tag or "none", "model": folder.name,
            }  # fmt: skip
            name = f"test.beam{beam}" + (f".{tag}" if tag else "") + ".jsonl"
            lists = [answers(example, right, draw, beam) for example in examples]
            write_predictions(folder / "predictions" / name, examples, lists, meta)
    return folder
