"""Time from a cold start to the first example of a benchmark (by the library and by `isarstep show`), to the first
answer of `isarstep propose`, and to the start of the first prover of `isarstep sketch`.

    python benchmarks/load.py [BENCHMARK] [--runs 5]

Medians of fresh processes, interpreter included, after one that is not counted (it leaves bytecode and a warm disk):
CPU seconds, wall seconds beside them, and what a loop of ten million additions takes meanwhile, so that one sees how
fast the machine was. The start of a prover is what a script on the PATH sees that stands before E; without E there is
no such number. Of a sketch the CPU seconds are those of the command itself, up to that moment, not of its provers. The
last line is one JSON document.
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

from isarstep.bench.store import open_split

PROPOSE = ["propose", "--fact", "x ≤ y", "--fact", "y ≤ z", "--goal", "x < z + 1", "--type", "z :: nat"]
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
    result |= {
        "additions_cpu_seconds": [round(seconds, 3) for seconds in loops],
        "load_average": round(os.getloadavg()[0], 1),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "pyarrow": pyarrow.__version__,
    }
    for name in ("load", "show", "propose", "first_prover"):
        print(f"{name:<13} {result[name]}")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
