"""Library facts as claims for the evaluator: how many get 20 different assignments that satisfy their premises, and
that none is refuted. A fact that is refuted is a mistake of the evaluator.

    python research/benchmarks/refute.py OUT.jsonl --seconds 600           # goes on where OUT.jsonl ends
    python research/benchmarks/refute.py OUT.jsonl --seconds 600 --part 1/2  # every second theory
    python research/benchmarks/refute.py OUT.jsonl --within Complex_Main     # and the theories that it rests on

One line a theory, in an order that a hash gives. Most facts get no assignment, and why is counted: a type whose values
are not known and a constant that nothing computes are seen before values are made; "none: premises" had values but
none that satisfied the premises, "none: undetermined" had terms without a value, each "out of time" or to the end.
Facts that Complex_Main knows are asked in its context, which has more types than the theory that states them. The last
line that is printed is one JSON document.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from isarstep.benchmark.store.store import Benchmark
from isarstep.isabelle.context.monomorphisation import Named, is_general
from isarstep.premises.fact_base import TRUTH, Library
from isarstep.prover.values.equations import LibraryEquations
from isarstep.prover.values.refutation import RefutationSearch, Refuter
from isarstep.resources import benchmark_folder

WANTED = 20


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--fact-seconds", type=float, default=0.1)
    parser.add_argument("--hopeless", type=float, default=0.015, help="seconds without a satisfying assignment")
    parser.add_argument("--steps", type=int, default=2_000, help="of one evaluation")
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--within", help="only what a theory rests on; left away: all theories")
    asked = parser.parse_args()
    until = time.monotonic() + asked.seconds
    benchmark = Benchmark(benchmark_folder("embedded"))
    library = Library.of_benchmark(benchmark)
    theories: dict[str, list[int]] = defaultdict(list)
    for number in range(len(library)):
        theories[library.theory(number)].append(number)
    main_context = benchmark.theory_contexts.importing(("Complex_Main",))
    part, parts = map(int, asked.part.split("/"))
    done = {json.loads(line)["theory"] for line in asked.out.read_text().splitlines()} if asked.out.exists() else set()
    wanted = benchmark.theory_contexts.importing((asked.within,)).theories if asked.within else None
    among = theories if wanted is None else wanted & theories.keys()
    ordered = sorted(among, key=lambda name: hashlib.sha256(name.encode()).hexdigest())
    for place, theory in enumerate(ordered):
        if place % parts != part or theory in done:
            continue
        if time.monotonic() > until:
            break
        context = main_context if theory in (main_context.theories or ()) else benchmark.theory_contexts.at(theory)
        library.read(frozenset({theory}))
        meanings = LibraryEquations(library, context.signature, context.theories)
        refuter = Refuter(meanings, context.signature, asked.steps)
        line = {"theory": theory, **measured(refuter, map(library.fact, theories[theory]), asked)}
        with asked.out.open("a") as out:
            out.write(json.dumps(line) + "\n")
    print(json.dumps(total(asked.out)))


def measured(refuter: Refuter, facts: Iterable[Named], asked: argparse.Namespace) -> dict[str, Any]:
    counts: Counter[str] = Counter()
    refuted = []
    for fact in facts:
        if fact.prop == TRUTH or not is_general(fact.prop):
            counts["not read"] += 1
            continue
        found = refuter.search([], fact.prop, asked.fact_seconds, WANTED, asked.hopeless)
        if found.counterexample is not None:
            refuted.append(fact.name)
        counts[outcome(found)] += 1
    return {"facts": counts.total(), "outcomes": counts, "refuted": refuted}


def outcome(found: RefutationSearch) -> str:
    if found.satisfying:
        return f"{WANTED} assignments" if found.satisfying >= WANTED else "some assignments"
    if not found.asked:
        return found.why_not
    why = "undetermined" if found.undetermined else "premises"
    return f"none: {why}" + (", out of time" if found.out_of_time else "")


def total(out: Path) -> dict[str, Any]:
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    counts: Counter[str] = Counter()
    for line in lines:
        counts.update(line["outcomes"])
    refuted = sorted(name for line in lines for name in line["refuted"])
    return {"theories": len(lines), "facts": counts.total(), **dict(counts.most_common()), "refuted": refuted}


if __name__ == "__main__":
    main()
