"""The shipped model without torch against the same with it: are answers the same, and how long does a proposal take.

    python research/benchmarks/light.py [--examples 500] [--typed 200] [--parts answers,time] [--times 60]

Answers: examples of the test split, beam 5 without a constraint and beam 10 with types, n-best lists compared. Time:
one example after the other as `isarstep propose` asks (beam 10 with types, margin and length of the proposer), one
thread, processor seconds of either engine taking turns, by length of the source. Prints a table; the last line is one
JSON document.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch

from isarstep.apps.engine import LONGEST_DENSE, MARGIN
from isarstep.benchmark.arrays.corpus import Corpus
from isarstep.benchmark.arrays.files import load_dataset
from isarstep.benchmark.store.ids import places_of_lowest
from isarstep.benchmark.store.store import Benchmark
from isarstep.model.decode.constraints import TermGrammar
from isarstep.model.decode.hypotheses import SearchRules
from isarstep.model.decode.predict import Predictor
from isarstep.model.decode.typed_search import TypedGrammar
from isarstep.model.decode.variable_types import known_in_split

Lists = list[list[tuple[str, float]]]
BINS = (25, 50, 100, 200, 400)  # tokens of the source, as the model reads them


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, default=500)
    parser.add_argument("--typed", type=int, default=200)
    parser.add_argument("--parts", default="answers,time")
    parser.add_argument("--times", type=int, default=60, help="Examples that are timed.")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    light, heavy = Predictor("embedded", "cpu"), Predictor("embedded", "cpu")
    heavy.model = heavy.torch_model
    benchmark = Benchmark("embedded")
    corpus = light.split(load_dataset(benchmark.folder), "test")
    split = benchmark.split("test")
    known = known_in_split(split, benchmark.theory_contexts)
    types = TypedGrammar(light.vocabulary, known, light.model.config.dense)
    rows: list[dict[str, Any]] = []
    if "answers" in chosen.parts:
        for count, rules, constraint in (
            (chosen.examples, SearchRules(5), None),
            (chosen.typed, SearchRules(10, longest=LONGEST_DENSE, margin=MARGIN), types),
        ):
            some = corpus.take(np.array(places_of_lowest(corpus.ids, count)))
            rows.append(compared(light, heavy, some, rules, constraint))
            print(rows[-1], flush=True)
    if "time" in chosen.parts:
        rules = SearchRules(10, longest=LONGEST_DENSE, margin=MARGIN)
        some = corpus.take(np.array(places_of_lowest(corpus.ids, chosen.times)))
        for row in timed(light, heavy, some, rules, types):
            rows.append(row)
            print(row, flush=True)
    about = {"machine": platform.machine(), "numpy": np.__version__, "torch": torch.__version__}
    print(json.dumps({"benchmark": "light", "rows": rows} | about))


def compared(
    light: Predictor, heavy: Predictor, corpus: Corpus, rules: SearchRules, constraint: TermGrammar | None
) -> dict[str, Any]:
    ours, seconds = clocked(lambda: lists_of(light, corpus, rules, constraint))
    theirs, torch_seconds = clocked(lambda: lists_of(heavy, corpus, rules, constraint))
    pairs = list(zip(ours, theirs, strict=True))
    first = sum(a[:1] == b[:1] or bool(a and b and a[0][0] == b[0][0]) for a, b in pairs)
    whole = sum([tokens for tokens, _ in a] == [tokens for tokens, _ in b] for a, b in pairs)
    apart = [abs(a[0][1] - b[0][1]) for a, b in pairs if a and b and a[0][0] == b[0][0]]
    return {
        "examples": len(corpus),
        "beam": rules.beam,
        "constraint": "types" if constraint else "none",
        "same first": first,
        "same list": whole,
        "scores differ by at most": round(max(apart, default=0.0), 6),
        "CPU s": round(seconds, 1),
        "CPU s with torch": round(torch_seconds, 1),
    }


def timed(
    light: Predictor, heavy: Predictor, corpus: Corpus, rules: SearchRules, types: TermGrammar
) -> list[dict[str, Any]]:
    found: list[tuple[int, float, float]] = []
    for at in range(len(corpus)):
        one = corpus.take(np.array([at])).compacted()
        length = int(one.source_lengths("base")[0])
        seconds = [clocked(partial(lists_of, each, one, rules, types))[1] for each in (light, heavy)]
        found.append((length, seconds[0], seconds[1]))
    rows = []
    for low, high in [(0, 1 << 30), *zip((0, *BINS), (*BINS, 1 << 30), strict=True)]:
        here = [each for each in found if low <= each[0] < high]
        if here:
            ours, theirs = sorted(each[1] for each in here), [each[2] for each in here]
            rows.append(
                {
                    "source tokens": f"{low}-{high - 1}" if high < 1 << 30 else f"{low} and more",
                    "examples": len(here),
                    "median CPU s": round(statistics.median(ours), 3),
                    "90 % CPU s": round(ours[len(ours) * 9 // 10], 3),
                    "median CPU s with torch": round(statistics.median(theirs), 3),
                }
            )
    return rows


def lists_of(predictor: Predictor, corpus: Corpus, rules: SearchRules, constraint: TermGrammar | None) -> Lists:
    return [proposals for _, proposals in predictor.lines(corpus, rules, constraint)]


def clocked(job: Callable[[], Lists]) -> tuple[Lists, float]:
    began = time.process_time()
    found = job()
    return found, time.process_time() - began


if __name__ == "__main__":
    main()
