"""How far the checker reaches: textbook steps of our own writing, the reference steps of a split, and a hundred steps
that Sledgehammer was asked about.

    python research/benchmarks/reach.py                                        # tests/prover/textbook.txt, as `sketch` asks
    python research/benchmarks/reach.py --references validation --limit 150    # both gaps of steps, those of lowest id
    python research/benchmarks/reach.py --references test --limit 5000 --verdicts docs/results/test.references.verdicts.parquet
    python research/benchmarks/reach.py --hammered --seconds 2.5 --clock 36    # tests/prover/hammered.jsonl.zst, beside Isabelle
    python research/benchmarks/reach.py --without rewriting                    # what a strategy adds, or the lemmas of F.5
    python research/benchmarks/reach.py --without provers                      # textbook steps that need none

Limits are of processor time, so a busy machine makes it slower and hardly a verdict other. What is not proved is shown.

The hundred steps are the test steps of lowest id in twelve sessions, with what Isabelle said of them: five methods of
`try0`, a second each, then Sledgehammer for 10 s (`research/benchmarks/beside_isabelle.py`). A gap has at most six
attempts here, so that 2.5 s each are the same 15 seconds; `--clock 36` counts only what was proved by the clock within
the time of Isabelle's slowest proof. Isabelle does not know which lemmas a proof named (F.5); `--without hints` takes
them away here, too.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import zstandard

sys.path.insert(0, str(Path(__file__).parents[2]))

from isarstep.apps.engine import Engine
from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.store import Benchmark
from isarstep.premises.available_facts import AvailableFacts
from isarstep.premises.fact_base import Library
from isarstep.prover.atp.provers import ProverLimits, Provers, installed
from isarstep.prover.atp.schedule import Effort
from isarstep.prover.check.step_checker import Checker
from isarstep.prover.outcomes.verdict import Proved, WellFormed
from isarstep.prover.rewrite.simp_rules import SimpRules

TEXTBOOK = Path(__file__).parents[2] / "tests" / "prover" / "textbook.txt"
HAMMERED = TEXTBOOK.with_name("hammered.jsonl.zst")
GAPS = ("F.2 => P", "P, F.4 => F.3")
STRATEGIES = ("rewriting", "instances", "library", "selector", "hints", "provers")


class ByConstants(AvailableFacts):
    """Library facts by rare constants in common, whatever order the schedule wants."""

    def relevant(self, *asked: Any, order: str = "") -> list[int]:
        return super().relevant(*asked[:5])


class CheckerByConstants(Checker):
    @property
    def available(self) -> AvailableFacts:
        return ByConstants(self.facts)


@dataclass(frozen=True)
class Outcome:
    """One question, the group that it is counted in, and what proved it, if anything did."""

    group: str
    text: str
    proved: bool
    by: str


def checker_as_asked(arguments: argparse.Namespace, engine: Engine) -> Checker:
    library = Library.of_benchmark(engine.benchmark)
    without = set(arguments.without.split(",")) - {""}
    if not without <= set(STRATEGIES):
        raise SystemExit(f"--without takes {', '.join(STRATEGIES)}")
    return (CheckerByConstants if "selector" in without else Checker)(
        engine.theory_contexts,
        Provers(ProverLimits(arguments.seconds)),
        library,
        Effort(library=0 if "library" in without else arguments.library),
        instances="instances" not in without,
        simp=None if "rewriting" in without else SimpRules.of_benchmark(engine.benchmark, library),
    )


def textbook(engine: Engine, checker: Checker, every: int, only: str, provers: bool) -> Iterator[Outcome]:
    """Without provers by rewriting and calculation, and by inductions whose cases these close."""
    from tests.attack.suite import derivations_by_field

    for field, problem in derivations_by_field(TEXTBOOK)[::every]:
        text = f"{' ; '.join(problem.facts)} ⊢ {problem.goal}"
        if only not in text:
            continue
        task = engine.read(problem)
        gap = (checker.direct if provers else checker.simplified)(task.example, task.theory_context)
        yield Outcome(field, text, isinstance(gap, Proved), str(gap))


def references(benchmark: Benchmark, split: str, limit: int) -> Iterator[Example]:
    """The steps of lowest id."""
    rows = sorted((row["id"], place) for place, row in enumerate(benchmark.table(split, ["id"]).to_pylist()))
    examples = (benchmark.split(split)[place] for _, place in rows)
    return islice((e for e in examples if e.target_kind != "assumption" and e.f3 is not None), limit)


def hammered() -> dict[str, dict[str, str | None]]:
    """By id of a test step: what proved each of its gaps in Isabelle, if anything did."""
    with HAMMERED.open("rb") as file:
        lines = zstandard.ZstdDecompressor().stream_reader(file).read().decode("utf-8").splitlines()
    return {row["id"]: row["isabelle"] for row in map(json.loads, lines)}


def two_gaps(checker: Checker, examples: Iterable[Example], clock: float) -> Iterator[Outcome]:
    """The same outcomes as `both_gaps`, where nothing is asked but the two gaps; what took longer is not proved."""
    for example in examples:
        checker.typed(example)  # what is loaded for a theory is not counted, as Isabelle's loading is not
        said, began = [], time.monotonic()
        for _, gap in checker.gaps(example, example.f1):
            now = time.monotonic()
            said.append((isinstance(gap, Proved) and now - began <= clock, f"{gap} {now - began:.1f} s by the clock"))
            began = now
        yield from of_step(example, said)


def both_gaps(checker: Checker, examples: Iterable[Example]) -> Iterator[Outcome]:
    """Three outcomes for each step: the first gap, the second, and both."""
    for example in examples:
        verdict = checker.check(example, example.f1)
        if isinstance(verdict, WellFormed):
            yield from of_step(
                example, [(isinstance(gap, Proved), str(gap)) for gap in (verdict.first, verdict.second)]
            )
        else:
            yield Outcome(f"not supported, {kind_of(example)}", f"{example.id} {verdict}", False, "")


def as_checked(verdicts: Path, examples: Iterable[Example]) -> Iterator[Outcome]:
    """The same from what `isarstep check` has written; with --limit it was asked about a part of the split."""
    rows = {row["example"]: row for row in pq.read_table(verdicts).to_pylist()}
    for example in examples:
        if (row := rows.get(example.id)) is None:
            continue
        if row["verdict"] == "well-formed":
            said = [row["first_result"], row["second_result"]]
            yield from of_step(example, [(each == "proved", str(each)) for each in said])
        else:
            yield Outcome(f"not supported, {kind_of(example)}", f"{example.id} {row['why']}", False, "")


def of_step(example: Example, gaps: Sequence[tuple[bool, str]]) -> Iterator[Outcome]:
    kind = kind_of(example)
    for name, (proved, said) in zip(GAPS, gaps, strict=True):
        yield Outcome(f"{name}, {kind}", example.id, proved, said)
    both = all(proved for proved, _ in gaps)
    yield Outcome(f"both, {kind}", example.id, both, " / ".join(said for _, said in gaps))


def kind_of(example: Example) -> str:
    return "obtain" if {example.target_command, example.consequence_command} & {"obtain"} else "other"


def beside_isabelle(outcomes: Iterable[Outcome], isabelle: dict[str, dict[str, str | None]]) -> Iterator[Outcome]:
    """Of each group three counts: ours, Isabelle's, either."""
    for outcome in outcomes:
        group = outcome.group.rpartition(",")[0]
        said = isabelle[outcome.text.split()[0]]
        theirs = all(said[gap] for gap in (GAPS if group == "both" else [group])) if group in (*GAPS, "both") else False
        yield replace(outcome, group=group)
        yield Outcome(f"{group}, Isabelle", outcome.text, theirs, "")
        yield Outcome(f"{group}, either", outcome.text, theirs or outcome.proved, "")


def outcomes(arguments: argparse.Namespace, engine: Engine) -> Iterator[Outcome]:
    if arguments.references:
        steps = references(engine.benchmark, arguments.references, arguments.limit)
        if arguments.verdicts:
            yield from as_checked(arguments.verdicts, steps)
            return
    checker = checker_as_asked(arguments, engine)
    with checker.provers:
        if arguments.references:
            yield from both_gaps(checker, steps)
        elif arguments.hammered:
            isabelle = hammered()
            chosen = set(sorted(isabelle)[: arguments.limit])
            examples = [example for example in engine.benchmark.split("test") if example.id in chosen]
            if "hints" in arguments.without:
                examples = [replace(example, f5=()) for example in examples]
            yield from beside_isabelle(two_gaps(checker, examples, arguments.clock), isabelle)
        else:
            provers = "provers" not in arguments.without.split(",")
            yield from textbook(engine, checker, arguments.every, arguments.only, provers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benchmark", default="embedded")
    parser.add_argument("--references", metavar="SPLIT", help="the steps of a split instead of the textbook")
    parser.add_argument(
        "--verdicts", type=Path, help="what `isarstep check` said of them; left away: provers are asked"
    )
    parser.add_argument("--hammered", action="store_true", help="the hundred steps beside Sledgehammer")
    parser.add_argument("--limit", type=int, default=150, help="steps")
    parser.add_argument("--every", type=int, default=1, help="every so manieth derivation of the textbook")
    parser.add_argument("--only", default="", help="derivations with this in their text")
    parser.add_argument("--seconds", type=float, default=0.3, help="processor time of an attempt")
    parser.add_argument("--clock", type=float, default=math.inf, help="seconds for a gap by the clock, with --hammered")
    parser.add_argument("--library", type=int, default=128, help="library facts")
    parser.add_argument("--without", default="", help=f"leave out some of {', '.join(STRATEGIES)}")
    arguments = parser.parse_args()
    engine = Engine(benchmark=arguments.benchmark)
    began, proved, of = time.process_time(), Counter[str](), Counter[str]()
    for outcome in outcomes(arguments, engine):
        of[outcome.group] += 1
        proved[outcome.group] += outcome.proved
        print(f"{'+' if outcome.proved else '-'} {outcome.group}: {outcome.text}   {outcome.by}", flush=True)
    for group in sorted(of):
        print(f"{group:32} {proved[group]:4} of {of[group]:4}")
    document = {
        "benchmark": engine.benchmark.hash[:12],
        "asked": arguments.references or ("hammered" if arguments.hammered else "textbook"),
        "without": arguments.without,
        "seconds": arguments.seconds,
        "library": arguments.library,
        "proved": {group: [proved[group], of[group]] for group in sorted(of)},
        "total": [proved.total(), of.total()],
        "own_cpu_s": round(time.process_time() - began, 1),
        "provers": ", ".join(installed()),
    }
    print(json.dumps(document))


if __name__ == "__main__":
    main()
