"""Library facts as claims for the evaluator: how many get 20 different assignments that satisfy their premises, and
that none is refuted. A fact that is refuted is a mistake of the evaluator.

    python benchmarks/refute.py OUT.jsonl --seconds 600           # goes on where OUT.jsonl ends
    python benchmarks/refute.py OUT.jsonl --seconds 600 --part 1/2  # every second theory

One line a theory, in an order that a hash gives. The last line that is printed is one JSON document.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from isarstep.bench.store import Benchmark
from isarstep.data import benchmark_folder
from isarstep.prove.equations import LibraryEquations
from isarstep.prove.facts import TRUTH, Library
from isarstep.prove.monomorphise import is_general
from isarstep.prove.refute import Refuter

WANTED = 20


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--fact-seconds", type=float, default=0.1)
    parser.add_argument("--part", default="0/1")
    asked = parser.parse_args()
    until = time.monotonic() + asked.seconds
    benchmark = Benchmark(benchmark_folder("embedded"))
    library = Library.of_benchmark(benchmark)
    by_name: dict[str, list[int]] = defaultdict(list)
    theories: dict[str, list[int]] = defaultdict(list)
    for number in range(len(library)):
        by_name[library.theorem(number)].append(number)
        theories[library.theory(number)].append(number)
    part, parts = map(int, asked.part.split("/"))
    done = {json.loads(line)["theory"] for line in asked.out.read_text().splitlines()} if asked.out.exists() else set()
    ordered = sorted(theories, key=lambda name: hashlib.sha256(name.encode()).hexdigest())
    for place, theory in enumerate(ordered):
        if place % parts != part or theory in done:
            continue
        if time.monotonic() > until:
            break
        line = measured(benchmark, library, by_name, theory, theories[theory], asked.fact_seconds)
        with asked.out.open("a") as out:
            out.write(json.dumps(line) + "\n")
    print(json.dumps(total(asked.out)))


def measured(
    benchmark: Benchmark, library: Library, by_name: dict[str, list[int]], theory: str, facts: list[int], seconds: float
) -> dict[str, Any]:
    theory_context = benchmark.theory_contexts.at(theory)
    library.read(frozenset({theory}))
    meanings = LibraryEquations(
        lambda name: by_name.get(name, ()), library, theory_context.signature, theory_context.theories
    )
    refuter = Refuter(meanings, theory_context.signature)
    counts: Counter[str] = Counter()
    refuted = []
    for number in facts:
        fact = library.fact(number)
        if fact.prop == TRUTH or not is_general(fact.prop):
            counts["not read"] += 1
            continue
        found = refuter.search([], fact.prop, seconds, WANTED)
        if found.counterexample is not None:
            refuted.append(fact.name)
        some = "some" if found.satisfying else "none"
        counts["20 assignments" if found.satisfying >= WANTED else some] += 1
    return {"theory": theory, "facts": len(facts), **counts, "refuted": refuted}


def total(out: Path) -> dict[str, Any]:
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    keys = ("facts", "20 assignments", "some", "none", "not read")
    sums: dict[str, Any] = {key: sum(line.get(key, 0) for line in lines) for key in keys}
    return {"theories": len(lines), **sums, "refuted": sorted(name for line in lines for name in line["refuted"])}


if __name__ == "__main__":
    main()
