"""The embedded checker beside a real Isabelle: well-formedness, proofs replayed, Sledgehammer on reference targets.

    python benchmarks/isabelle.py agreement PREDICTIONS --sessions HOL-Complex_Analysis,HOL-Algebra --out answers.jsonl

needs ISABELLE_HOME (see docs/checking.md). Each part prints a table; its last line is one JSON document.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from isarstep.bench.example import Example
from isarstep.bench.store import Benchmark
from isarstep.check.isabelle import Answer, Inquiry, Isabelle, Question, Settings
from isarstep.logic.infer import well_formed
from isarstep.logic.typestrings import parse_type
from isarstep.mine.images import Images
from isarstep.mine.isabelle import Sessions, find_installation


def open_isabelle(arguments: argparse.Namespace) -> Isabelle:
    installation = find_installation()
    sessions = Sessions(installation, arguments.directory)
    return Isabelle(installation, sessions, Images(installation, sessions, arguments.heaps))


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
    isabelle, benchmark = open_isabelle(arguments), Benchmark("embedded")
    outputs = nbest_lists(arguments.predictions)
    began = time.monotonic()
    with arguments.out.open("a") as out:
        for session in arguments.sessions.split(","):
            examples = {e.id: e for e in examples_of(benchmark, session, arguments.theories)}
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

            isabelle.ask(session, inquiries, Settings(), note)
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
    arguments = parser.parse_args()
    print(json.dumps(arguments.run(arguments)))


if __name__ == "__main__":
    main()
