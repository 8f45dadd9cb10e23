"""Do sketches close what provers cannot? Two-step gaps cut from the test split, the same seconds and cores for both.

    python research/benchmarks/sketch.py --gaps 100 --seconds 30 --jobs 1 --rows sketch.jsonl

A gap is cut where an example's consequence is the target of another one in the same proof: facts and other premises of
both stay, the two steps between go. One gap a proof, in the order of a hash, so that everybody cuts the same ones.
Provers alone ask for the goal again and again with more time and more library facts until the seconds are over. Every
job has two cores of its own where there are enough: two provers at a time for both, and the model beside them for
sketches. Rows are written as they are done; a run that was stopped, or whose --deadline is over, goes on where it was.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import platform
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from isarstep.apps.batching import Batcher
from isarstep.apps.engine import Engine
from isarstep.benchmark.problems.task import Task
from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.store import Benchmark
from isarstep.prover.atp.provers import installed
from isarstep.prover.check.prover_session import Limits, Proving
from isarstep.prover.outcomes.verdict import Proved
from isarstep.prover.search.proof_search import Plan, sketches

# (processor seconds of an attempt, library facts) of provers alone, one after the other.
ROUNDS = ((0.3, 32), (0.3, 128), (1.0, 128), (3.0, 128), (10.0, 128), (30.0, 128))
CORES = 2  # of a job


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


def alone(proving: Proving, task: Task, seconds: float) -> dict[str, Any]:
    """Provers without steps."""
    assert task.example.f3 is not None
    began = time.monotonic()
    for limit, library in ROUNDS:
        left = seconds - (time.monotonic() - began)
        if left < 0.1:
            break
        gap, _ = proving.follows(task, task.example.f3, (), Limits(limit, library, began + seconds))
        passed = time.monotonic() - began
        if isinstance(gap, Proved):
            return {"provers": passed <= seconds, "provers_seconds": round(passed, 2), "provers_limit": limit}
    return {"provers": False, "provers_seconds": round(time.monotonic() - began, 2)}


def sketched(model: Batcher, proving: Proving, task: Task, seconds: float) -> dict[str, Any]:
    *_, best = sketches(task, Plan(seconds=seconds), model.search_all, proving)
    return {
        "sketch": best.closed and best.seconds <= seconds,
        "sketch_seconds": round(best.seconds, 2),
        "steps": [step.text for step in best.steps[:-1]],
        "tried": best.tried,
    }


def work(
    number: int, jobs: int, arguments: argparse.Namespace, todo: list[Cut], end: float
) -> Iterator[dict[str, Any]]:
    """The rows of one job, which has cores of its own where there are enough."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) >= CORES * jobs:
        os.sched_setaffinity(0, cores[CORES * number : CORES * (number + 1)])
    engine = Engine(arguments.model, arguments.benchmark)
    engine.warm_up()
    model = Batcher(engine, 1)
    with engine.proving(width=CORES) as proving:
        for place, each in enumerate(todo):
            reader = engine.reader_in(engine.theory_contexts.at(each.example.theory))
            task = replace(reader.of_example(each.example), has_reference=False)
            assert task.example.f3 is not None
            if place == 0:
                proving.follows(
                    task, task.example.f3, (), Limits(0.1, 32)
                )  # reads the fact base, which is nobody's time
            if time.monotonic() + 2 * arguments.seconds > end:
                break
            row: dict[str, Any] = {"id": each.example.id, "name": each.example.name, "goal": task.text(task.example.f3)}
            arms = [partial(alone, proving), partial(sketched, model, proving)]
            for arm in arms[:: 1 if place % 2 else -1]:  # whoever comes second finds some facts prepared
                proving.forget()
                row |= arm(task, arguments.seconds)
            yield row
    model.close()


def run(number: int, jobs: int, arguments: argparse.Namespace, todo: list[Cut], end: float) -> None:
    with arguments.rows.open("a", encoding="utf-8") as file:
        for row in work(number, jobs, arguments, todo, end):
            file.write(json.dumps(row, ensure_ascii=False) + "\n")  # one write a line: jobs share the file
            file.flush()
            provers, sketch = ("closed" if row[key] else "-" for key in ("provers", "sketch"))
            print(
                f"{row['name']:60} provers {provers:6} {row['provers_seconds']:5.1f} s   sketch {sketch:6} "
                f"{row['sketch_seconds']:5.1f} s, {len(row['steps'])} steps, {row['tried']} tried",
                flush=True,
            )


def read_rows(path: Path) -> dict[str, dict[str, Any]]:
    if not path.exists():
        return {}
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {row["id"]: row for row in rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gaps", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=30, help="for each gap, for provers and for the sketch")
    parser.add_argument("--split", default="test")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--deadline", type=float, default=float("inf"), help="seconds after which no gap is begun")
    parser.add_argument("--rows", type=Path, required=True, help="JSON lines, one a gap; what is in it stays")
    parser.add_argument("--model", default="embedded")
    parser.add_argument("--benchmark", default="embedded")
    arguments = parser.parse_args()
    end = time.monotonic() + arguments.deadline
    benchmark = Benchmark(arguments.benchmark)
    cuts = cut(benchmark, arguments.split, arguments.gaps)
    done = read_rows(arguments.rows)
    todo = [each for each in cuts if each.example.id not in done]
    jobs = max(1, min(arguments.jobs, len(todo)))
    # Every job starts anew, so that torch sees its cores only.
    context = multiprocessing.get_context("spawn")
    processes = [
        context.Process(target=run, args=(number, jobs, arguments, todo[number::jobs], end)) for number in range(jobs)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    rows = [row for row in read_rows(arguments.rows).values() if row["id"] in {each.example.id for each in cuts}]
    document = {
        "benchmark": "sketch",
        "split": arguments.split,
        "gaps": len(rows),
        "wanted": len(cuts),
        "seconds": arguments.seconds,
        "provers_alone": sum(row["provers"] for row in rows),
        "sketch": sum(row["sketch"] for row in rows),
        "only_sketch": sum(row["sketch"] and not row["provers"] for row in rows),
        "only_provers": sum(row["provers"] and not row["sketch"] for row in rows),
        "with_steps": sum(row["sketch"] and bool(row["steps"]) for row in rows),
        "data": benchmark.hash[:12],
        "provers": installed(),
        "machine": f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, {jobs} jobs",
    }
    print(json.dumps(document))


if __name__ == "__main__":
    main()
