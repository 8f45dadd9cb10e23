"""In which fields should a model read the facts of a proof that somebody is writing?

    isarstep premises --split validation --limit 300 --out premises.jsonl
    python research/benchmarks/state_fields.py --premises premises.jsonl --limit 300

A state has chained facts (F.2), a goal (F.3) and all other facts of the proof. Nobody says which of these the goal will
need (F.4). Here examples of the validation split are asked as if they were states: with all earlier facts of the proof
as F.4, with the same facts as context and no F.4, and, for comparison, with the author's F.4 and the context. The
theorem's statement is not read. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.setting import with_setting
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.progress import Watched
from isarstep.model.decode.hypotheses import WIDE, SearchRules
from isarstep.model.decode.predict import Predictor
from isarstep.premises.selector.premise_files import read_premises

VARIANTS: dict[str, Callable[[Example], Example]] = {
    "all facts as F.4": lambda example: replace(
        example, statement=(), earlier=(), f4=tuple(dict.fromkeys((*example.f2, *example.earlier, *example.f4)))
    ),
    "all facts as context": lambda example: replace(
        example, statement=(), f4=(), earlier=tuple(dict.fromkeys((*example.f4, *example.earlier)))
    ),
    "the author's F.4, the others as context": lambda example: replace(example, statement=()),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="embedded")
    parser.add_argument("--split", default="validation")
    parser.add_argument("--limit", type=int, default=300)
    parser.add_argument("--premises", type=Path, help="from `isarstep premises --out`")
    chosen = parser.parse_args()
    benchmark, predictor = Benchmark("embedded"), Predictor(chosen.model)
    examples = [with_setting(benchmark, example) for example in benchmark.split(chosen.split).lowest(chosen.limit)]
    if chosen.premises is not None:
        selected = read_premises(chosen.premises)
        examples = [replace(example, premises=selected[example.id]) for example in examples]
    rows = {}
    for name, variant in VARIANTS.items():
        asked = [variant(example) for example in examples]
        with Watched(name, len(asked)) as watched:
            found = dict(predictor.lines(predictor.corpus(asked), SearchRules(WIDE), None, watched.advance))
        places = [[text for text, _ in found[example.id]] for example in examples]
        rows[name] = {
            "top1": sum(texts[:1] == [example.f1] for texts, example in zip(places, examples, strict=True)),
            "top10": sum(example.f1 in texts for texts, example in zip(places, examples, strict=True)),
        }
        print(f"{name:42s} {rows[name]['top1']:5d} {rows[name]['top10']:5d} of {len(examples)}", flush=True)
    print(json.dumps({"benchmark": "state_fields", "split": chosen.split, "examples": len(examples), "rows": rows}))


if __name__ == "__main__":
    main()
