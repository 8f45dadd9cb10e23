"""The embedded checker beside a real Isabelle: well-formedness, proofs replayed, Sledgehammer on reference targets.

    python benchmarks/isabelle.py --heaps HEAPS agreement PREDICTIONS --sessions HOL-Complex_Analysis --out types.jsonl
    python benchmarks/isabelle.py --heaps HEAPS replay VERDICTS.parquet --limit 200 --out replay.jsonl
    python benchmarks/isabelle.py --heaps HEAPS sledgehammer VERDICTS.parquet --limit 100 --out hammer.jsonl

needs ISABELLE_HOME (see docs/checking.md). VERDICTS are those of the embedded backend on reference targets. Each part
prints a table; its last line is one JSON document. A part that is run again goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from isarstep.bench.example import Example
from isarstep.bench.store import Benchmark
from isarstep.check.isabelle import Answer, Inquiry, Premise, Question, Settings, prover_versions
from isarstep.check.isabelle_run import Names, fact_names, open_isabelle
from isarstep.logic.infer import well_formed
from isarstep.logic.typestrings import parse_type


def examples_of(benchmark: Benchmark, session: str, theories: str) -> list[Example]:
    wanted = set(theories.split(",")) if theories else None
    return [
        example
        for example in benchmark.split("test")
        if example.session == session and (wanted is None or example.theory in wanted)
    ]


def nbest_lists(path: Path) -> dict[str, list[str]]:
    lists: dict[str, list[str]] = {}
    with path.open() as lines:
        for line in lines:
            entry = json.loads(line)
            lists[entry["id"]] = [p["tokens"] for p in entry["predictions"]]
    return lists


def agreement(arguments: argparse.Namespace) -> dict[str, Any]:
    """Isabelle's type check of every output beside the embedded one, written line by line."""
    isabelle, benchmark = open_isabelle(None, arguments.directory, arguments.heaps), Benchmark("embedded")
    outputs = nbest_lists(arguments.predictions)
    qualified = tuple(benchmark.manifest.get("qualified", ()))
    began = time.monotonic()
    with arguments.out.open("a") as out:
        for session in arguments.sessions.split(","):
            examples = {e.id: e for e in examples_of(benchmark, session, arguments.theories) if outputs.get(e.id)}
            inquiries = [
                Inquiry(e, tuple(Question(str(n), "type", text) for n, text in enumerate([e.f1, *outputs[e.id]])))
                for e in examples.values()
            ]

            def note(identifier: str, key: str, answer: Answer, examples: dict[str, Example] = examples) -> None:
                example = examples[identifier]
                text = [example.f1, *outputs[identifier]][int(key)]
                judged = well_formed(text, benchmark.signature, types_of(example))
                record = {
                    "id": identifier, "theory": example.theory, "rank": int(key) - 1, "tokens": text,
                    "types": dict(example.types), "fixed": example.fixed,
                    "isabelle": answer.answer, "why": answer.why,
                    "embedded": bool(judged), "reason": judged.reason or "",
                }  # fmt: skip
                print(json.dumps(record), file=out, flush=True)

            isabelle.ask(session, inquiries, Settings(qualified=qualified), note)
            print(f"{session}: {len(inquiries)} examples, {time.monotonic() - began:.0f} s", file=sys.stderr)
    return summary_of_agreement(arguments.out)


def types_of(example: Example) -> dict[str, Any]:
    return {name: parse_type(text) for name, text in example.types.items()}


def known_variables(record: dict[str, Any]) -> bool:
    return all(name in record["types"] for name in re.findall(r"<X\d+>", record["tokens"]))


def summary_of_agreement(path: Path) -> dict[str, Any]:
    counts: Counter[tuple[str, str, bool]] = Counter()
    for line in path.read_text().splitlines():
        record = json.loads(line)
        if record["isabelle"] not in ("typed", "ill"):
            group = "no answer"
        elif record["rank"] < 0:
            group = "reference"
        else:
            group = "variables of the example" if known_variables(record) else "other variables"
        counts[group, record["isabelle"], record["embedded"]] += 1
    for (group, answer, embedded), count in sorted(counts.items()):
        print(f"{group:26} isabelle {answer:8} embedded {'typed' if embedded else 'ill':6} {count:6}")
    return {f"{group}/{answer}/{'typed' if ok else 'ill'}": n for (group, answer, ok), n in sorted(counts.items())}


def embedded_rows(arguments: argparse.Namespace) -> Iterator[tuple[Example, dict[str, Any]]]:
    """Verdicts of the embedded backend on the chosen sessions, steps only."""
    benchmark = Benchmark("embedded")
    wanted = set(arguments.sessions.split(","))
    examples = {e.id: e for e in benchmark.split("test") if e.session in wanted}
    for row in pq.read_table(arguments.verdicts).to_pylist():
        example = examples.get(row["example"])
        if example is not None and row["verdict"] == "well-formed" and row["kind"] != "assumption":
            yield example, row


def used_premises(example: Example, facts: list[str], local: list[str]) -> tuple[Premise, ...]:
    """What a proof of the embedded backend used: F.2(i), P, the i-th local proposition of F.4, or a library fact."""
    found = []
    for label in facts:
        field, _, number = label.partition("(")
        if label == "P":
            found.append(Premise(example.f1))
        elif field in ("F.2", "F.4"):
            found.append(Premise((example.f2 if field == "F.2" else local)[int(number.rstrip(")")) - 1]))
        elif not label.startswith("definition of"):
            found.append(Premise("", (label,)))
    return tuple(found)


def gap_questions(example: Example, row: dict[str, Any], names: Names, effort: str) -> list[Question]:
    """The gaps: those that the embedded backend proved, from the same facts (`replay`), or both from all (`prove`)."""
    assert example.f3 is not None
    local = [line for line in example.f4 if line not in names]
    asked = []
    gaps = {
        "first": (example.f1, example.f2),
        "second": (example.f3, (example.f1, *example.f4)),
        "direct": (example.f3, ()),
    }
    for gap, (goal, lines) in gaps.items():
        if effort == "prove" and lines:
            premises = tuple(Premise(line, names.get(line, ())) for line in lines)
            asked.append(Question(gap, effort, goal, premises))
        elif effort == "replay" and row[f"{gap}_result"] == "proved":
            premises = used_premises(example, row[f"{gap}_facts"], local)
            asked.append(Question(gap, effort, goal, premises))
    return asked


def gaps(arguments: argparse.Namespace) -> dict[str, Any]:
    """Ask Isabelle about gaps of references: the proofs of the embedded backend again, or all by Sledgehammer."""
    effort = "replay" if arguments.part == "replay" else "prove"
    judge = open_isabelle(None, arguments.directory, arguments.heaps)
    rows = list(embedded_rows(arguments))
    benchmark = Benchmark("embedded")
    names = fact_names(benchmark, [example for example, _ in rows])
    qualified = tuple(benchmark.manifest.get("qualified", ()))
    done = {tuple(json.loads(line)[key] for key in ("id", "gap")) for line in lines_of(arguments.out)}
    chosen: dict[str, list[Inquiry]] = {}
    embedded: dict[tuple[str, str], dict[str, Any]] = {}
    for example, row in rows:
        questions = gap_questions(example, row, names, effort)
        for question in questions:
            embedded[example.id, question.key] = row
        left = tuple(question for question in questions if (example.id, question.key) not in done)
        if left and (example.id, left[0].key) not in done:
            chosen.setdefault(example.session, []).append(Inquiry(example, left))
        if len(embedded) >= arguments.limit:
            break
    with arguments.out.open("a") as out:
        for session, inquiries in chosen.items():

            def note(identifier: str, gap: str, answer: Answer) -> None:
                row = embedded[identifier, gap]
                record = {
                    "id": identifier, "gap": gap, "answer": answer.answer, "by": answer.by, "why": answer.why,
                    "seconds": answer.seconds, "facts": answer.facts, "embedded": row[f"{gap}_result"],
                    "embedded_by": row[f"{gap}_by"], "embedded_facts": row[f"{gap}_facts"],
                }  # fmt: skip
                print(json.dumps(record), file=out, flush=True)

            settings = Settings(seconds=arguments.seconds, prove=True, qualified=qualified)
            provers = judge.ask(session, inquiries, settings, note)
            print(f"{session}: {prover_versions(judge.installation, provers)}", file=sys.stderr)
    return summary_of_gaps(arguments.out)


def lines_of(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def summary_of_gaps(path: Path) -> dict[str, Any]:
    counts: Counter[str] = Counter()
    for line in lines_of(path):
        record = json.loads(line)
        kind = str(record["embedded"]).partition(":")[0]
        counts[f"{record['gap']}: embedded {kind}, isabelle {record['answer']}"] += 1
        if record["answer"] == "proved":
            counts[f"{record['gap']}: by {record['by'].partition(',')[0]}"] += 1
    for name, count in sorted(counts.items()):
        print(f"{name:60} {count:6}")
    return dict(sorted(counts.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-d", "--directory", type=Path, action="append", default=[], help="further session directory")
    parser.add_argument("--heaps", type=Path, required=True, help="folder of images made by mining")
    parts = parser.add_subparsers(dest="part", required=True)
    part = parts.add_parser("agreement")
    part.add_argument("predictions", type=Path)
    part.add_argument("--sessions", required=True)
    part.add_argument("--theories", default="")
    part.add_argument("--out", type=Path, required=True)
    part.set_defaults(run=agreement)
    for name in ("replay", "sledgehammer"):
        part = parts.add_parser(name)
        part.add_argument("verdicts", type=Path)
        part.add_argument("--sessions", required=True)
        part.add_argument("--limit", type=int, default=200, help="gaps to ask about")
        part.add_argument("--seconds", type=int, default=30)
        part.add_argument("--out", type=Path, required=True)
        part.set_defaults(run=gaps)
    arguments = parser.parse_args()
    print(json.dumps(arguments.run(arguments)))


if __name__ == "__main__":
    main()
