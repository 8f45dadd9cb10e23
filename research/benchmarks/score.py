"""CPU time to score 10-best lists for a whole split: `isarstep evaluate` from a cold start, and its parts.

    python research/benchmarks/score.py [RUN] [--split test]

Without a run, lists are invented: the reference, propositions of the source and damaged references, ten an example.
Processor time is reported, not wall time, which depends on what else the machine does. The last line is one JSON
document.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from isarstep.score.corpus_bleu import bleu
from isarstep.score.headline import open_system, open_task
from isarstep.score.scores import ScoringTask

T = TypeVar("T")
laps: dict[str, float] = {}


def lap(name: str, job: Callable[[], T]) -> T:
    begin = time.process_time()
    result = job()
    laps[name] = round(time.process_time() - begin, 3)
    return result


def invent(task: ScoringTask, path: Path) -> Path:
    draw = random.Random(605)
    with path.open("w", encoding="utf-8") as file:
        for example in task.examples:
            sources = [text for _, text in example.source()]
            words = example.f1.split()
            lists = [example.f1 if draw.random() < 0.3 else draw.choice(sources)]
            while len(lists) < 10:
                words[draw.randrange(len(words))] = draw.choice(words)
                lists.append(" ".join(words))
            predictions = [{"tokens": tokens, "score": -float(place)} for place, tokens in enumerate(lists)]
            file.write(json.dumps({"id": example.id, "predictions": predictions}) + "\n")
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, nargs="?", help="a run with predictions, or a predictions file")
    parser.add_argument("--split", default="test")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="isarstep-benchmark-") as scratch:
        task = lap("open the split", lambda: open_task("embedded", arguments.split))
        run = arguments.run or invent(task, Path(scratch) / "invented.jsonl")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-m", "isarstep", "evaluate", str(run), "--split", arguments.split, "--json"]
        subprocess.run(command, check=True, capture_output=True, timeout=600)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cold = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        system = lap("read the lists", lambda: open_system(run, task))
        lap("exact match", lambda: (system.narrow_ranks, system.wide_ranks))
        lap("BLEU with interval", lambda: bleu(system.counts))
        lap("well-formedness", lambda: system.outcomes)
    for name, seconds in laps.items():
        print(f"{name:24} {seconds:6.2f} s")
    print(f"{'evaluate, cold':24} {cold:6.2f} s of CPU for {len(task.examples):,} examples, {system.wide.width}-best")
    result = {
        "examples": len(task.examples),
        "nbest": system.wide.width,
        "lists": "given" if arguments.run else "invented",
        "cpu_seconds": round(cold, 2),
        "parts": laps,
        "load": round(os.getloadavg()[0], 1),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
