"""Time from a cold start to the first example of a benchmark, by the library and by `isarstep show`.

    python benchmarks/load.py [BENCHMARK] [--runs 5]

CPU seconds of a fresh process, interpreter included; wall seconds beside them. The last line is one JSON document.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time

import pyarrow

from isarstep.bench.store import open_split


def measure(command: list[str], runs: int) -> dict[str, float]:
    """Medians over fresh processes."""
    cpu, wall = [], []
    for _ in range(runs):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        wall.append(time.perf_counter() - start)
        cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return {"cpu_seconds": round(statistics.median(cpu), 3), "wall_seconds": round(statistics.median(wall), 3)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("benchmark", nargs="?", default="embedded")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    split = open_split(arguments.benchmark, "train")
    first = split[0].id
    code = "import sys, isarstep; print(isarstep.load(sys.argv[1], 'train')[0])"
    result = {
        "examples": len(split),
        "load": measure([sys.executable, "-c", code, arguments.benchmark], arguments.runs),
        "show": measure([sys.executable, "-m", "isarstep", "show", f"{arguments.benchmark}#{first}"], arguments.runs),
        "load_average": round(os.getloadavg()[0], 1),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "pyarrow": pyarrow.__version__,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
