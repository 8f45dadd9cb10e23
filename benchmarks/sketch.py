"""Do sketches close what provers cannot? Two-step gaps cut from the test split, the same seconds for both.

    python benchmarks/sketch.py --gaps 100 --seconds 30

A gap is cut where an example's consequence is the target of another one in the same proof: facts and other premises of
both stay, the two steps between go. One gap a proof, in the order of a hash, so that everybody cuts the same ones.
Provers alone ask for the goal again and again with more time and more library facts until the seconds are over.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import time
from dataclasses import dataclass, replace
from typing import Any

from isarstep.bench.example import Example
from isarstep.bench.store import Benchmark
from isarstep.check.verdict import Proved
from isarstep.serve.engine import Engine
from isarstep.serve.problem import Task
from isarstep.serve.proving import Proving, installed
from isarstep.serve.sketch import Plan, sketches

# (processor seconds of an attempt, library facts) of provers alone, one after the other.
ROUNDS = ((0.3, 32), (0.3, 128), (1.0, 128), (3.0, 128), (10.0, 128), (30.0, 128))
SKETCH = (0.3, 32)


@dataclass(frozen=True)
class Cut:
    """A gap and the two steps that were taken out of it."""

    example: Example
    steps: tuple[str, str]


def cut(benchmark: Benchmark, split: str, count: int) -> list[Cut]:
    """The gaps of lowest hash, one a proof."""
    examples = benchmark.split(split)
    rows = examples.table().select(
        ["id", "theory", "proof", "target_step", "consequence_step", "f1", "f3", "target_kind"]
    )
    table = rows.to_pylist()
    targets: dict[tuple[str, int, int, int], list[int]] = {}
    for place, row in enumerate(table):
        if row["target_kind"] == "step":
            targets.setdefault((row["theory"], row["proof"], row["target_step"], row["f1"]), []).append(place)
    pairs: list[tuple[str, int, int]] = []
    for place, row in enumerate(table):
        if row["target_kind"] == "step" and row["f3"] is not None:
            for after in targets.get((row["theory"], row["proof"], row["consequence_step"], row["f3"]), []):
                key = hashlib.sha256(f"{row['id']}{table[after]['id']}".encode()).hexdigest()
                pairs.append((key, place, after))
    cuts: list[Cut] = []
    proofs: set[tuple[str, int]] = set()
    for _, place, after in sorted(pairs):
        if len(cuts) == count:
            break
        first, second = examples[place], examples[after]
        proof = (first.theory, first.proof)
        agree = all(second.types.get(name, typ) == typ for name, typ in first.types.items())
        known = {*first.f2, *first.f4, *second.f4} - {first.f1, second.f1}
        if proof in proofs or not agree or first.f1 == second.f1 or second.f3 in known:
            continue
        proofs.add(proof)
        gap = replace(
            second,
            f1="",
            f2=tuple(sorted(set(first.f2) - {first.f1, second.f1})),
            f4=tuple(sorted({*first.f4, *second.f4} - {first.f1, second.f1})),
            f5=tuple(sorted({*first.f5, *second.f5})),
            types={**first.types, **second.types},
            id=first.id[:6] + second.id[:6],
        )
        cuts.append(Cut(gap, (first.f1, second.f1)))
    return cuts


def alone(proving: Proving, task: Task, seconds: float) -> tuple[bool, float]:
    """Provers without steps."""
    both = tuple(dict.fromkeys((*task.example.f2, *task.example.f4)))
    asked = replace(task, example=replace(task.example, f2=both, f4=both))
    began = time.monotonic()
    for limit, library in ROUNDS:
        left = seconds - (time.monotonic() - began)
        if left < 0.1:
            break
        proving.limit(min(limit, left), library)
        if isinstance(proving.direct(asked), Proved):
            passed = time.monotonic() - began
            return passed <= seconds, passed
    return False, time.monotonic() - began


def sketched(engine: Engine, proving: Proving, task: Task, seconds: float) -> tuple[bool, float, int, int]:
    proving.limit(*SKETCH)
    *_, best = sketches(task, Plan(seconds=seconds), lambda t, n: engine.search([t], n)[0], proving)
    return best.closed and best.seconds <= seconds, best.seconds, len(best.steps) - 1, best.tried


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gaps", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--split", default="test")
    parser.add_argument("--model", default="embedded")
    parser.add_argument("--benchmark", default="embedded")
    arguments = parser.parse_args()
    engine = Engine(arguments.model, arguments.benchmark)
    cuts = cut(engine.benchmark, arguments.split, arguments.gaps)
    engine.warm_up()
    rows: list[dict[str, Any]] = []
    with engine.proving(*SKETCH) as proving:
        proving.direct(engine.reader.of_example(cuts[0].example))  # reads the fact base, which is nobody's time
        for number, each in enumerate(cuts, 1):
            task = replace(engine.reader.of_example(each.example), has_reference=False)
            by_provers, provers_seconds = alone(proving, task, arguments.seconds)
            by_sketch, sketch_seconds, steps, tried = sketched(engine, proving, task, arguments.seconds)
            rows.append({"id": each.example.id, "provers": by_provers, "sketch": by_sketch, "steps": steps})
            print(
                f"{number:>3} {each.example.name:60} provers {'closed' if by_provers else '-':6} "
                f"{provers_seconds:5.1f} s   sketch {'closed' if by_sketch else '-':6} {sketch_seconds:5.1f} s, "
                f"{steps} steps, {tried} tried",
                flush=True,
            )
    provers, sketch = (sum(bool(row[key]) for row in rows) for key in ("provers", "sketch"))
    print(f"\n{len(rows)} gaps, {arguments.seconds:g} s each: provers alone {provers}, sketch {sketch}")
    document = {
        "benchmark": "sketch",
        "gaps": len(rows),
        "seconds": arguments.seconds,
        "provers_alone": provers,
        "sketch": sketch,
        "only_sketch": sum(row["sketch"] and not row["provers"] for row in rows),
        "only_provers": sum(row["provers"] and not row["sketch"] for row in rows),
        "with_steps": sum(row["sketch"] and row["steps"] > 0 for row in rows),
        "model": engine.predictor.name,
        "data": engine.benchmark.hash[:12],
        "provers": installed(),
        "machine": platform.processor() or platform.machine(),
        "rows": rows,
    }
    print(json.dumps(document))


if __name__ == "__main__":
    main()
