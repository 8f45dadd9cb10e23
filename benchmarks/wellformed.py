"""What the constraints do to a model's outputs: exact matches, well-formed outputs, and every ill-formed one by reason.

    python benchmarks/wellformed.py [MODEL] [BENCHMARK] [--examples 300] [--split test] [--device cpu|cuda]

Well-formed is judged with the recorded types of all variables, and only with constants and variables that exist where
the example stands. An output that was cut off
at the longest length, or an example without any output, counts as ill-formed. Prints a table; the last line is one JSON
document.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import torch

from isarstep.bench.example import Example
from isarstep.bench.scope import Scope
from isarstep.bench.store import Benchmark
from isarstep.decode.constraints import Grammar
from isarstep.decode.contexts import contexts_of_split, scopes_of_split, type_of
from isarstep.decode.hypotheses import Rules
from isarstep.decode.predict import Predictor
from isarstep.decode.search import Constraints, decode
from isarstep.decode.typing import TypedGrammar
from isarstep.logic.infer import well_formed
from isarstep.train.corpus import load
from isarstep.train.dense import dense_corpus


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", default="embedded")
    parser.add_argument("benchmark", nargs="?", default="embedded")
    parser.add_argument("--examples", type=int, default=300)
    parser.add_argument("--split", default="test")
    parser.add_argument("--beam", type=int, default=10)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--constraints", default="none,grammar,types")
    parser.add_argument("--threads", type=int, default=0)
    chosen = parser.parse_args()
    if chosen.threads:
        torch.set_num_threads(chosen.threads)
    predictor = Predictor(chosen.model, chosen.device)
    vocabulary, dense = predictor.vocabulary, predictor.model.config.dense
    benchmark = Benchmark(chosen.benchmark)
    split = benchmark.split(chosen.split)
    signature, scope = benchmark.signature, Scope.of_benchmark(benchmark)
    corpus = load(Path(chosen.benchmark)).split(chosen.split)
    numbers = np.linspace(0, len(corpus) - 1, min(len(corpus), chosen.examples)).astype(np.int64)
    examples = [split[int(number)] for number in numbers]
    corpus = corpus.take(numbers)
    if dense:
        corpus = dense_corpus(corpus, vocabulary)
    choices: dict[str, Constraints | None] = {
        "none": None,
        "grammar": Grammar(vocabulary, dense),
        "types": TypedGrammar(
            vocabulary, signature, contexts_of_split(split, signature), dense, scopes_of_split(split, scope)
        ),
    }
    rows: list[dict[str, Any]] = []
    for name in chosen.constraints.split(","):
        start, cpu = time.perf_counter(), time.process_time()
        found = list(decode(predictor.model, corpus, Rules(chosen.beam), choices[name]))
        spent, cpu = time.perf_counter() - start, time.process_time() - cpu
        count: Counter[str] = Counter()
        ill: list[str] = []
        for example, hypotheses in zip(examples, found, strict=True):
            texts = [text for text, _ in predictor.texts(hypotheses)]
            count["top-1"] += texts[:1] == [example.f1]
            count["top-10"] += example.f1 in texts[:10]
            count["outputs"] += max(1, len(texts))
            reasons = [
                reason_against(text, h.complete, example, benchmark, scope)
                for text, h in zip(texts, hypotheses, strict=True)
            ]
            reasons = reasons or ["no output"]
            count["first well-formed"] += reasons[0] is None
            count["well-formed"] += reasons.count(None)
            ill += [
                f"{example.id} #{at} {why} :: {t}"
                for at, (why, t) in enumerate(zip(reasons, texts or [""], strict=True))
                if why
            ]
        row = {
            "constraints": name,
            "examples": len(examples),
            "seconds": round(spent, 1),
            "cpu_seconds": round(cpu, 1),
            **count,
        }
        rows.append(row | {"ill_formed": ill[:50] if name != "none" else []})
        print("  ".join(f"{key} {value}" for key, value in row.items()), flush=True)
        for line in ill if name == "types" else []:
            print("   ", line[:400], flush=True)
    about = {"model": chosen.model, "data": benchmark.hash, "split": chosen.split, "beam": chosen.beam}
    print(json.dumps({"benchmark": "wellformed", **about, "torch": torch.__version__, "rows": rows}))


def reason_against(text: str, complete: bool, example: Example, benchmark: Benchmark, scope: Scope) -> str | None:
    if not complete:
        return "cut off"
    if absent := scope.absence(example, text):
        return absent
    context = {name: type_of(typ) for name, typ in example.types.items()}
    judgement = well_formed(text, benchmark.signature, context)
    return None if judgement else str(judgement.reason)


if __name__ == "__main__":
    main()
