"""How many references could not have been written under each constraint, and why.

    python research/benchmarks/constraints.py [BENCHMARK] [--split validation] [--prefixes] [--show 3]

BENCHMARK is a folder or `embedded`. `--prefixes` also asks of every prefix where a subterm closes whether the types
constraint would have dropped it (half a minute). References with a token outside the vocabulary cannot be written by
any model, and are counted apart. Prints a table; the last line is one JSON document.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import Counter, defaultdict

from exclusion import dropped_prefix, grammar_objection, types_objection

from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.ids import variables_of
from isarstep.benchmark.store.store import Benchmark
from isarstep.model.decode.variable_types import known_types


def known_variables(example: Example) -> set[str]:
    """Those fixed at the consequence, where that is recorded, and those of F.2-F.4."""
    used = {number for _, line in example.source(hints=False) for number in variables_of(line)}
    return {f"<X{number}>" for number in (*range(max(0, example.fixed)), *used)}


def general(reason: str) -> str:
    """A reason without the names of what it is about."""
    return re.sub(r"`[^`]*`|‹[^›]*›", "...", reason).split(": ")[-1][:70]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benchmark", nargs="?", default="embedded")
    parser.add_argument("--split", default="validation")
    parser.add_argument("--prefixes", action="store_true")
    parser.add_argument("--limit", type=int, default=None)
    parser.add_argument("--show", type=int, default=0, help="examples of each reason")
    chosen = parser.parse_args()
    benchmark = Benchmark(chosen.benchmark)
    vocabulary = set(benchmark.vocabulary)
    examples = benchmark.split(chosen.split).lowest(chosen.limit)
    start = time.process_time()
    reasons: dict[str, Counter[str]] = {"vocabulary": Counter(), "grammar": Counter(), "types": Counter()}
    seen: dict[str, list[str]] = defaultdict(list)

    def note(constraint: str, reason: str, detail: str) -> None:
        reasons[constraint][reason] += 1
        seen[reason].append(detail)

    for example in examples:
        tokens = example.f1.split()
        if any(token not in vocabulary for token in tokens):
            note("vocabulary", "a token that is not in the vocabulary", f"{example.id} {example.f1}")
            continue
        objection = grammar_objection(tokens, known_variables(example))
        if objection is not None:
            note("grammar", objection, f"{example.id} {example.f1}")
        theory_context = benchmark.theory_contexts.at(example.theory)
        context = known_types(example, theory_context.signature)
        objection = types_objection(tokens, theory_context.signature, context, theory_context.known(example))
        prefix = (
            dropped_prefix(tokens, theory_context.signature, context) if chosen.prefixes and objection is None else None
        )
        if objection is not None:
            note("types", general(objection), f"{example.id} {objection}")
        elif prefix is not None:
            note("types", "a prefix is dropped", f"{example.id} {' '.join(prefix)}")
    spent = time.process_time() - start
    total = len(examples)
    for constraint, counts in reasons.items():
        excluded = counts.total()
        print(f"{constraint:12} excludes {excluded:5} of {total} references ({100 * excluded / total:.2f} %)")
        for reason, count in counts.most_common(12):
            print(f"    {count:5}  {reason}")
            for line in seen[reason][: chosen.show]:
                print(f"           {line[:300]}")
    document = {name: dict(counts.most_common(20)) for name, counts in reasons.items()}
    shares = {name: counts.total() / total for name, counts in reasons.items()}
    about = {"data": benchmark.hash, "split": chosen.split, "examples": total, "cpu_seconds": round(spent, 1)}
    print(json.dumps({"benchmark": "constraints", **about, "shares": shares, "reasons": document}))


if __name__ == "__main__":
    main()
