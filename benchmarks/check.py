"""What the checker itself costs: per query, from typed propositions to an answer, without the prover's own work.

    python benchmarks/check.py                                     # on derivations written by hand
    python benchmarks/check.py --benchmark DIR --limit 200         # and the time for real references

Encoding is measured on every query, in processor time; starting and reading on the clock, with a problem that any
prover answers at once.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import sys
import time
from pathlib import Path

from isarstep.check.problems import Query, attempts
from isarstep.check.provers import (
    CVC5,
    STRATEGIES,
    Attempt,
    Limits,
    Proof,
    Provers,
    Strategy,
    available,
    prover_version,
)

sys.path.insert(0, str(Path(__file__).parent.parent))

EMPTY = {
    "smt": "(set-logic ALL)\n(assert (! false :named goal))\n(check-sat)\n; {}\n",
    "tf0": "tff(goal,conjecture,$true). % {}\n",
}


def handmade() -> list[Query]:
    from tests.check.derivations import FALSE, TRUE
    from tests.check.test_derivations import LIBRARY, query

    everything = tuple(LIBRARY.values())  # offered to every query, as library facts would be
    return [Query(q.premises, q.goal, everything) for q in map(query, (*TRUE, *FALSE))]


def encoding_times(queries: list[Query]) -> list[float]:
    from tests.check.language import SIGNATURE

    times = []
    for query in queries:
        began = time.process_time()
        attempts(query, SIGNATURE, [CVC5])
        times.append(time.process_time() - began)
    return times


def starting_times(strategy: Strategy, count: int = 100) -> list[float]:
    times = []
    with Provers(Limits(seconds=5)) as provers:
        for number in range(count + 1):
            attempt = Attempt(strategy, EMPTY[strategy.encoding].format(number), {})
            began = time.perf_counter()
            answer = provers.prove([attempt])
            times.append(time.perf_counter() - began)
            assert isinstance(answer, Proof), answer
    return times[1:]  # the first also starts the launcher


def references(folder: str, limit: int, seconds: float, library: int) -> dict[str, float]:
    from isarstep.check.jobs import Settings, Work, open_checker
    from isarstep.check.verdict import WellFormed

    began = time.perf_counter()
    benchmark, checker = open_checker(Settings(folder, "test", seconds, 2 << 30, (0, 32, library)))
    opened = time.perf_counter() - began
    split = benchmark.split("test")
    work = [Work(n, (split[n].f1,)) for n in range(min(limit, len(split)))]
    began = time.perf_counter()
    with checker.provers:
        verdicts = [checker.check(split[item.position], item.proposals[0]) for item in work]
    wall = time.perf_counter() - began
    return {
        "open_s": round(opened, 2),
        "references": len(verdicts),
        "bridged": sum(isinstance(v, WellFormed) and v.bridged for v in verdicts),
        "s_per_proposal": round(wall / max(1, len(verdicts)), 3),
        "hours_for_5000_on_2_cores": round(5000 * wall / max(1, len(verdicts)) / 2 / 3600, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benchmark", help="folder of a benchmark: also check references of its test split")
    parser.add_argument("--limit", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--library", type=int, default=128)
    arguments = parser.parse_args()
    encode = [1000 * t for t in encoding_times(handmade())]
    result: dict[str, object] = {"encode_ms": _spread(encode)}
    for strategy in (s for s in available() if s.name in ("cvc5", "E")):
        start = [1000 * t for t in starting_times(strategy)]
        result[f"start_{strategy.name}_ms"] = _spread(start)
        result[f"overhead_{strategy.name}_ms"] = round(statistics.median(encode) + statistics.median(start), 2)
    if arguments.benchmark:
        result["references"] = references(
            arguments.benchmark, arguments.limit, arguments.seconds, arguments.library
        )
    result["provers"] = {s.prover: prover_version(s.prover) for s in STRATEGIES}
    result["python"], result["machine"] = platform.python_version(), platform.machine()
    for name, value in result.items():
        print(f"{name:24} {value}")
    print(json.dumps(result))


def _spread(times: list[float]) -> dict[str, float]:
    ordered = sorted(times)
    return {"median": round(statistics.median(ordered), 2), "p95": round(ordered[int(0.95 * len(ordered))], 2)}


if __name__ == "__main__":
    main()
