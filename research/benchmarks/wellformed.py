"""What constraints do to a model's outputs: exact matches, well-formed outputs, and the reasons against the others.

    isarstep predict embedded embedded --constraint types --out types.jsonl
    python research/benchmarks/wellformed.py types.jsonl docs/results/runs/hat-small/predictions/test.beam10.jsonl.zst ...

Well-formed is judged with the recorded types of all variables, and only with constants and variables that exist where
the example stands. An output that was cut off is no term, and an example without any output counts as one that is
ill-formed. Prints a table; the last line is one JSON document.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.common.progress import with_progress
from isarstep.model.decode.predictions import read_predictions
from isarstep.score.wellformed import TypeChecker


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lists", type=Path, nargs="+", help="n-best lists of `isarstep predict`")
    parser.add_argument("--benchmark", default="embedded")
    parser.add_argument("--split", default="test")
    chosen = parser.parse_args()
    try:
        benchmark = Benchmark(chosen.benchmark)
        examples = list(benchmark.split(chosen.split))
        rows = [judged(path, examples, benchmark) for path in chosen.lists]
    except UserError as error:
        sys.exit(f"wellformed.py: {error}")
    print(json.dumps({"benchmark": "wellformed", "data": benchmark.hash, "split": chosen.split, "rows": rows}))


def judged(path: Path, examples: list[Example], benchmark: Benchmark) -> dict[str, Any]:
    lists = read_predictions(path, [example.id for example in examples])
    type_checker = TypeChecker(benchmark.theory_contexts, examples)
    count: Counter[str] = Counter()
    against: Counter[str] = Counter()
    for example, texts in with_progress(zip(examples, lists.lists, strict=True), len(examples), path.name):
        count["top-1"] += texts[:1] == (example.f1,)
        count["top-10"] += example.f1 in texts[:10]
        reasons = [type_checker.objection(example, text) for text in texts] or ["no output"]
        count["outputs"] += len(reasons)
        count["well-formed"] += reasons.count(None)
        count["first well-formed"] += reasons[0] is None
        against.update(re.sub(r"\W?[\w.]*[.<]\S+", "...", reason) for reason in reasons if reason)
    row = {"lists": path.name, "constraints": lists.meta.get("constraints"), "examples": len(examples), **count}
    print("  ".join(f"{key} {value}" for key, value in row.items()), flush=True)
    for reason, number in against.most_common(8):
        print(f"{number:8}  {reason}", flush=True)
    return row | {"against": dict(against.most_common(8))}


if __name__ == "__main__":
    main()
