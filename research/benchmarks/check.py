"""What the checker itself costs: per query, from typed propositions to an answer, without the prover's own work.

    python research/benchmarks/check.py                                            # on derivations written by hand
    python research/benchmarks/check.py --benchmark embedded --limit 40            # and real references, all their queries

Times are processor time, of this process and of all that it started, because a clock on a busy machine measures the
others; starting a prover is also given on the clock. Handmade queries are offered 60 library facts each; starting is
measured with a problem that any prover answers at once, so it holds the prover's own start.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import statistics
import sys
import time
from pathlib import Path

from isarstep.isabelle.context.monomorphisation import Named
from isarstep.isabelle.terms.terms import Term
from isarstep.prover.atp.problems import attempt, instantiated
from isarstep.prover.atp.provers import (
    CVC5,
    USUAL,
    Attempt,
    E,
    ProverLimits,
    Provers,
    Strategy,
    available,
    prover_version,
)
from isarstep.prover.outcomes.verdict import Proved

sys.path.insert(0, str(Path(__file__).parents[2]))

EMPTY = {
    "smt": "(set-logic ALL)\n(assert (! false :named goal))\n(check-sat)\n; {}\n",
    "tf0": "tff(goal,conjecture,$true). % {}\n",
}


def handmade() -> list[tuple[tuple[Named, ...], Term, list[Named]]]:
    from tests.prover.derivations import FALSE, TRUE
    from tests.prover.test_derivations import LIBRARY, query

    everything = list(LIBRARY.values())  # offered to every query, as library facts would be
    return [(q.premises, q.goal, everything) for q in map(query, (*TRUE, *FALSE))]


def encoding_times(strategy: Strategy) -> list[float]:
    from tests.prover.language import SIGNATURE

    from isarstep.prover.encode.formula import CannotEncode

    times = []
    for premises, goal, library in handmade():
        began = time.process_time()
        try:
            attempt(instantiated(premises, goal, library, SIGNATURE), strategy)
        except CannotEncode:
            continue
        times.append(time.process_time() - began)
    return times


def processor_time() -> float:
    """Of this process and of the children that have ended, with theirs."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def starting(strategy: Strategy, count: int = 100) -> tuple[list[float], float]:
    """Times on the clock, and the processor time of a query."""
    walls = []
    began_cpu = processor_time()
    with Provers(ProverLimits(seconds=5)) as provers:
        for number in range(count + 1):
            problem = Attempt(strategy, EMPTY[strategy.encoding].format(number), {})
            began = time.perf_counter()
            answer = provers.prove([problem])
            walls.append(time.perf_counter() - began)
            assert isinstance(answer, Proved), answer
    return walls[1:], (processor_time() - began_cpu) / count  # the first also starts the launcher


def references(folder: str, split_name: str, limit: int, seconds: float, library: int) -> dict[str, object]:
    from isarstep.apps.commands.check import _work
    from isarstep.prover.check.jobs import Settings, open_checker
    from isarstep.prover.outcomes.verdict import WellFormed

    settings = Settings(folder, split_name, seconds, 2 << 30, library)
    began, cpu = time.perf_counter(), time.process_time()
    benchmark, checker = open_checker(settings)
    split = benchmark.split(split_name)
    work = _work(settings, None, 1, limit)
    checker.check(split[work[0].position], "")  # reads what is read once
    opened = {"open_cpu_s": round(time.process_time() - cpu, 2), "open_s": round(time.perf_counter() - began, 2)}
    checker.trace = []
    began, ours, cpu = time.perf_counter(), time.process_time(), processor_time()
    with checker.provers:
        verdicts = [checker.check(split[item.position], item.proposals[0]) for item in work]
        ours = time.process_time() - ours
    total, wall = processor_time() - cpu, time.perf_counter() - began
    count, queries = len(verdicts), len(checker.trace)
    return {
        **opened,
        "benchmark": benchmark.hash[:12],
        "references": count,
        "bridged": sum(isinstance(v, WellFormed) and v.bridged for v in verdicts),
        "queries": queries,
        "our_cpu_ms_per_query": round(1000 * ours / max(1, queries), 1),
        "cpu_s_per_proposal": round(total / max(1, count), 3),
        "wall_s_per_proposal": round(wall / max(1, count), 3),
        "hours_for_5000_on_2_cores": round(5000 * total / max(1, count) / 2 / 3600, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benchmark", help="folder of a benchmark: also check references of it")
    parser.add_argument("--split", default="validation")
    parser.add_argument("--limit", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=1.2, help="of processor time, for a gap")
    parser.add_argument("--library", type=int, default=1024)
    arguments = parser.parse_args()
    result: dict[str, object] = {"load": os.getloadavg()[0]}
    for strategy in available((CVC5, E)):
        encode = [1000 * t for t in encoding_times(strategy)]
        walls, cpu = starting(strategy)
        result[f"{strategy.name}_encode_ms"] = _spread(encode)
        result[f"{strategy.name}_start_cpu_ms"] = round(1000 * cpu, 2)
        result[f"{strategy.name}_start_wall_ms"] = _spread([1000 * t for t in walls])
        result[f"{strategy.name}_overhead_cpu_ms"] = round(statistics.median(encode) + 1000 * cpu, 2)
    if arguments.benchmark:
        result["references"] = references(
            arguments.benchmark, arguments.split, arguments.limit, arguments.seconds, arguments.library
        )
    result["provers"] = {s.prover: prover_version(s.prover) for s in USUAL}
    result["python"], result["machine"] = platform.python_version(), platform.machine()
    for name, value in result.items():
        print(f"{name:24} {value}")
    print(json.dumps(result))


def _spread(times: list[float]) -> dict[str, float]:
    ordered = sorted(times)
    return {"median": round(statistics.median(ordered), 2), "p95": round(ordered[int(0.95 * len(ordered))], 2)}


if __name__ == "__main__":
    main()
