"""Time from a cold start to the first example of a benchmark (by the library and by `isarstep show`), to the answer of
`isarstep propose --no-check`, and to the start of the first prover of `isarstep sketch`; and of a warm engine: from the
same problem to the same answer, and the part of it that selects library facts.

    python research/benchmarks/load.py [BENCHMARK] [--runs 5]

Medians of fresh processes, interpreter included, after one that is not counted (it leaves bytecode, a warm disk and, in
the cache folder, what is kept there): CPU seconds, wall seconds beside them, and what a loop of ten million additions
takes meanwhile, so that one sees how fast the machine was. The start of a prover is what a script on the PATH sees that
stands before E; without E there is no such number. Of a sketch the CPU seconds are those of the command itself, up to
that moment, not of its provers. The last line is one JSON document.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow

from isarstep.benchmark.store.store import open_split

FACTS, GOAL, TYPES = ("x ≤ y", "y ≤ z"), "x < z + 1", {"z": "nat"}
PROPOSE = ["propose", "--fact", FACTS[0], "--fact", FACTS[1], "--goal", GOAL, "--type", "z :: nat", "--no-check"]
SKETCH = ["sketch", "--goal", "card B ≤ card A", "--fact", "finite A", "--fact", "B ⊆ A", "--budget", "15"]
# Says when it was first asked for a proof, and what the command has used of the processor: E is started by a process
# that the command has started.
BEFORE_E = """#!/bin/sh
if [ "$1" != --version ] && [ ! -e {seen} ]; then
    (date +%s.%N; cat /proc/$(cut -d" " -f4 /proc/$PPID/stat)/stat) > {seen}.new && mv {seen}.new {seen}
fi
exec {prover} "$@"
"""
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def medians(once: Callable[[], tuple[float, float]], runs: int) -> dict[str, float]:
    """Of CPU and wall seconds."""
    once()
    cpu, wall = zip(*(once() for _ in range(runs)), strict=True)
    return {"cpu_seconds": round(statistics.median(cpu), 3), "wall_seconds": round(statistics.median(wall), 3)}


def whole(command: list[str]) -> tuple[float, float]:
    """Of a process from its start to its end."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, env=ENVIRONMENT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.perf_counter() - start


def warm(benchmark: str, runs: int) -> dict[str, dict[str, float]]:
    """Of proposals and of selections of facts by one engine."""
    from isarstep.apps.engine import Engine
    from isarstep.isabelle.theory.problems.problem import Problem

    engine = Engine(benchmark=benchmark)
    problem = Problem(GOAL, FACTS, types=TYPES)
    task = engine.read(problem)

    def timed(work: Callable[[], object]) -> tuple[float, float]:
        cpu, wall = time.process_time(), time.perf_counter()
        work()
        return time.process_time() - cpu, time.perf_counter() - wall

    return {
        "warm_propose": medians(lambda: timed(lambda: engine.propose(engine.read(problem))), 2 * runs),
        "warm_select": medians(lambda: timed(lambda: engine.with_premises(task)), 2 * runs),
    }


def to_first_prover(command: list[str], prover: str) -> tuple[float, float]:
    """Of a process from its start to that of its first prover; then it is ended."""
    with tempfile.TemporaryDirectory() as folder:
        seen, script = Path(folder) / "seen", Path(folder) / "eprover"
        script.write_text(BEFORE_E.format(seen=seen, prover=prover))
        script.chmod(0o755)
        environment = ENVIRONMENT | {"PATH": f"{folder}:{ENVIRONMENT['PATH']}"}
        start = time.time()
        quiet = subprocess.DEVNULL
        with subprocess.Popen(command, stdout=quiet, stderr=quiet, env=environment) as process:
            while not seen.exists():
                if process.poll() is not None:
                    raise RuntimeError(f"{command} asked no prover")
                time.sleep(0.01)
            process.kill()
        moment, state = seen.read_text().split("\n")[:2]
    ticks = state.rpartition(")")[2].split()[11:13]  # user and system, of all its threads
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK"), float(moment) - start


def additions() -> float:
    """Ten million of them, in CPU seconds."""
    start, total = time.process_time(), 0
    for number in range(10_000_000):
        total += number
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("benchmark", nargs="?", default="embedded")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    split = open_split(arguments.benchmark, "train")
    first = split[0].id
    code = "import sys, isarstep; print(isarstep.load(sys.argv[1], 'train')[0])"
    isarstep = [sys.executable, "-m", "isarstep"]
    there = ["--benchmark", arguments.benchmark]
    prover = shutil.which("eprover")
    loops = [additions()]
    runs = arguments.runs
    result = {
        "examples": len(split),
        "load": medians(lambda: whole([sys.executable, "-c", code, arguments.benchmark]), runs),
        "show": medians(lambda: whole([*isarstep, "show", f"{arguments.benchmark}#{first}"]), runs),
        "propose": medians(lambda: whole([*isarstep, *PROPOSE, *there]), runs),
        "first_prover": prover and medians(lambda: to_first_prover([*isarstep, *SKETCH, *there], prover), runs),
    }
    loops.append(additions())
    result |= warm(arguments.benchmark, runs) | {
        "additions_cpu_seconds": [round(seconds, 3) for seconds in loops],
        "load_average": round(os.getloadavg()[0], 1),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "pyarrow": pyarrow.__version__,
    }
    for name in ("load", "show", "propose", "warm_propose", "warm_select", "first_prover"):
        print(f"{name:<13} {result[name]}")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
