"""A hundred reference steps, both gaps of each, asked of a real Isabelle: what `reach.py --hammered` stands beside.

    python research/benchmarks/beside_isabelle.py --heaps HEAPS -d AFP/thys --out answers.jsonl [--keep KEPT.jsonl.zst]

needs ISABELLE_HOME (see docs/checking.md). The steps are those of lowest id in SESSIONS, which load quickly from an
image of HOL. The questions are those of `isarstep check --isabelle`, witnesses of an `obtain` bound as the embedded
checker binds them; five methods of `try0` have a second each, then Sledgehammer has `--seconds`, by the clock. One that
is run again goes on. `--keep` writes the answers of steps whose two gaps are both answered. The last line is one JSON
document.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import zstandard

from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.store import Benchmark
from isarstep.prover.replay.isabelle_questions import Answer, Inquiry, IsabelleLimits, prover_versions
from isarstep.prover.replay.isabelle_run import fact_names, inquiry, open_isabelle

# At least some test steps, little to load, nothing of HOL-Analysis.
SESSIONS = (
    "Approximation_Algorithms", "Chandy_Lamport", "Completeness_Decreasing_Diagrams_for_N1", "Fermat3_4",
    "HOL-Cardinals", "HOL-Combinatorics", "HOL-Nominal", "Inductive_Inference", "Ordered_Resolution_Prover",
    "Sqrt_Babylonian", "Sturm_Tarski", "Twelvefold_Way",
)  # fmt: skip
GAPS = {"0 first": "F.2 => P", "0 second": "P, F.4 => F.3"}


def steps_of(benchmark: Benchmark, sessions: tuple[str, ...], count: int) -> list[Example]:
    """Steps of the test split in these sessions, those of lowest id."""
    steps = (e for e in benchmark.split("test") if e.target_kind != "assumption" and e.f3 is not None)
    return sorted((e for e in steps if e.session in sessions), key=lambda e: e.id)[:count]


def asked(example: Example, names: Any, left: set[str]) -> Inquiry:
    """The questions of `isarstep check` about both gaps of a reference, with methods first and no counterexamples."""
    questions = inquiry(example, [example.f1], names).questions
    return Inquiry(example, tuple(replace(q, effort="sledgehammer", condition="") for q in questions if q.key in left))


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-d", "--directory", type=Path, action="append", default=[], help="further session directory")
    parser.add_argument("--heaps", type=Path, required=True, help="folder of images made by mining")
    parser.add_argument("--sessions", default=",".join(SESSIONS))
    parser.add_argument("--only", default="", help="of the steps those of these sessions; left away: all")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=10, help="for Sledgehammer")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--keep", type=Path, help="the answers to all of them, compressed")
    arguments = parser.parse_args()
    benchmark, judge = Benchmark("embedded"), open_isabelle(arguments.heaps, arguments.directory)
    steps = steps_of(benchmark, tuple(arguments.sessions.split(",")), arguments.count)
    names = fact_names(benchmark, steps)
    done = {(record["id"], record["key"]) for record in records(arguments.out)}
    sessions: dict[str, list[Inquiry]] = {}
    only = set(arguments.only.split(",")) - {""}
    for step in steps:
        if only and step.session not in only:
            continue
        if left := {key for key in GAPS if (step.id, key) not in done}:
            sessions.setdefault(step.session, []).append(asked(step, names, left))
    limits = IsabelleLimits(
        seconds=arguments.seconds, prove=True, qualified=tuple(benchmark.manifest.get("qualified", ()))
    )
    theory_of = {step.id: step.theory for step in steps}
    with arguments.out.open("a") as out:

        def note(identifier: str, key: str, answer: Answer) -> None:
            record = {"id": identifier, "theory": theory_of[identifier], "key": key, "answer": answer.answer,
                      "by": answer.by, "seconds": answer.seconds, "why": answer.why}  # fmt: skip
            print(json.dumps(record), file=out, flush=True)

        # What loads fastest comes first: a run that is stopped has then asked most.
        loads = {name: len(judge.plan([i.example.theory for i in found])[2]) for name, found in sessions.items()}
        for session in sorted(sessions, key=lambda name: (loads[name], name)):
            began = time.monotonic()
            present = judge.ask(session, sessions[session], limits, note)
            provers, spent = prover_versions(judge.installation, present), time.monotonic() - began
            cpu = resource.getrusage(resource.RUSAGE_CHILDREN)
            print(
                f"{session}: {len(sessions[session])} steps, {loads[session]} theories loaded, {spent:.0f} s, "
                f"{cpu.ru_utime + cpu.ru_stime:.0f} s of processor time so far, {provers}",
                file=sys.stderr,
                flush=True,
            )
    report(records(arguments.out), arguments.keep)


def report(answers: list[dict[str, Any]], keep: Path | None) -> None:
    found: dict[str, dict[str, str | None]] = {}
    counts: Counter[str] = Counter()
    for record in answers:
        proved = record["answer"] == "proved"
        found.setdefault(record["id"], {})[GAPS[record["key"]]] = record["by"] if proved else None
        counts[f"{GAPS[record['key']]}: {record['answer']}"] += 1
        if proved:
            counts[f"{GAPS[record['key']]}: proved by {record['by'].partition(',')[0].partition(':')[0]}"] += 1
    whole = {step: gaps for step, gaps in found.items() if len(gaps) == len(GAPS)}
    counts["steps"], counts["both"] = len(whole), sum(all(gaps.values()) for gaps in whole.values())
    for name, count in sorted(counts.items()):
        print(f"{name:50} {count:6}")
    if keep is not None:
        lines = "".join(json.dumps({"id": step, "isabelle": whole[step]}) + "\n" for step in sorted(whole))
        keep.write_bytes(zstandard.ZstdCompressor(19).compress(lines.encode()))
    print(json.dumps(dict(sorted(counts.items()))))


if __name__ == "__main__":
    main()
