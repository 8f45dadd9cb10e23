"""How far the checker reaches: textbook steps of our own writing, and the reference steps of a split.

    python benchmarks/reach.py                                        # tests/check/textbook.txt, as `sketch` asks
    python benchmarks/reach.py --references validation --limit 150    # both gaps of steps, those of lowest id
    python benchmarks/reach.py --without rewriting                    # what a strategy adds

Limits are of processor time, so a busy machine makes it slower and no verdict other. What is not proved is printed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from isarstep.bench.store import Benchmark
from isarstep.check.embedded import Checker, Effort
from isarstep.check.facts import Library
from isarstep.check.provers import ProverLimits, Provers, prover_names
from isarstep.check.simprules import SimpRules
from isarstep.check.verdict import Proved, WellFormed
from isarstep.serve.engine import Engine

TEXTBOOK = Path(__file__).parent.parent / "tests" / "check" / "textbook.txt"
STRATEGIES = ("rewriting", "instances", "library")


@dataclass(frozen=True)
class Outcome:
    """One question, the group that it is counted in, and what proved it, if anything did."""

    group: str
    text: str
    proved: bool
    by: str


def opened(arguments: argparse.Namespace) -> tuple[Engine, Checker]:
    engine = Engine(benchmark=arguments.benchmark)
    library = Library.of_benchmark(engine.benchmark)
    without = set(arguments.without.split(",")) - {""}
    if not without <= set(STRATEGIES):
        raise SystemExit(f"--without takes {', '.join(STRATEGIES)}")
    checker = Checker(
        engine.worlds,
        Provers(ProverLimits(arguments.seconds)),
        library,
        Effort((0,) if "library" in without else (0, 32, arguments.library)),
        instances="instances" not in without,
        simp=None if "rewriting" in without else SimpRules.of_benchmark(engine.benchmark, library),
    )
    return engine, checker


def textbook(engine: Engine, checker: Checker, every: int, only: str) -> Iterator[Outcome]:
    from tests.attack.suite import derivations_by_field

    for field, problem in derivations_by_field(TEXTBOOK)[::every]:
        text = f"{' ; '.join(problem.facts)} ⊢ {problem.goal}"
        if only not in text:
            continue
        task = engine.read(problem)
        gap = checker.direct(task.example, task.world)
        yield Outcome(field, text, isinstance(gap, Proved), str(gap))


def references(benchmark: Benchmark, checker: Checker, split: str, limit: int) -> Iterator[Outcome]:
    """Three outcomes for each step: the first gap, the second, and both."""
    rows = sorted((row["id"], place) for place, row in enumerate(benchmark.table(split, ["id"]).to_pylist()))
    examples = (benchmark.split(split)[place] for _, place in rows)
    asked = 0
    for example in examples:
        if asked == limit:
            return
        if example.target_kind == "assumption" or example.f3 is None:
            continue
        asked += 1
        verdict = checker.check(example, example.f1)
        kind = "obtain" if {example.target_command, example.consequence_command} & {"obtain"} else "other"
        if not isinstance(verdict, WellFormed):
            yield Outcome(f"not supported, {kind}", f"{example.id} {verdict}", False, "")
            continue
        gaps = {"F.2 => P": verdict.first, "P, F.4 => F.3": verdict.second}
        for name, gap in gaps.items():
            yield Outcome(f"{name}, {kind}", example.id, isinstance(gap, Proved), str(gap))
        both = all(isinstance(gap, Proved) for gap in gaps.values())
        yield Outcome(f"both, {kind}", example.id, both, " / ".join(map(str, gaps.values())))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benchmark", default="embedded")
    parser.add_argument("--references", metavar="SPLIT", help="the steps of a split instead of the textbook")
    parser.add_argument("--limit", type=int, default=150, help="steps")
    parser.add_argument("--every", type=int, default=1, help="every so manieth derivation of the textbook")
    parser.add_argument("--only", default="", help="derivations with this in their text")
    parser.add_argument("--seconds", type=float, default=0.3, help="processor time of an attempt")
    parser.add_argument("--library", type=int, default=128, help="library facts")
    parser.add_argument("--without", default="", help=f"leave out some of {', '.join(STRATEGIES)}")
    arguments = parser.parse_args()
    engine, checker = opened(arguments)
    asked = (
        references(engine.benchmark, checker, arguments.references, arguments.limit)
        if arguments.references
        else textbook(engine, checker, arguments.every, arguments.only)
    )
    began, proved, of = time.process_time(), Counter[str](), Counter[str]()
    with checker.provers:
        for outcome in asked:
            of[outcome.group] += 1
            proved[outcome.group] += outcome.proved
            print(f"{'+' if outcome.proved else '-'} {outcome.group}: {outcome.text}   {outcome.by}", flush=True)
    for group in sorted(of):
        print(f"{group:32} {proved[group]:4} of {of[group]:4}")
    document = {
        "benchmark": engine.benchmark.hash[:12],
        "asked": arguments.references or "textbook",
        "without": arguments.without,
        "seconds": arguments.seconds,
        "library": arguments.library,
        "proved": {group: [proved[group], of[group]] for group in sorted(of)},
        "total": [proved.total(), of.total()],
        "own_cpu_s": round(time.process_time() - began, 1),
        "provers": prover_names(),
    }
    print(json.dumps(document))


if __name__ == "__main__":
    main()
