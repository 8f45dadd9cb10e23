"""Whole theorems in a real Isabelle: what its own tools find, and whether its kernel accepts our proofs as printed.

    python research/benchmarks/prove.py --rows prove.jsonl --arms search
    python research/benchmarks/prove_in_isabelle.py --rows prove.jsonl --out answers.jsonl --heaps HEAPS -d AFP/thys

needs ISABELLE_HOME (see docs/checking.md). Every theory is loaded as its entry has it, once, with the authors' terminal
proofs trusted, and is asked at the places of its theorems, where neither the theorem nor anything later is known.

`stated`: for theorems of W150, what the author stated, with its assumptions chained, inside its locale: fifteen methods
of `try0`, a second each, then Sledgehammer, which has one thread here, for the time that ours has on two cores (twice
--seconds). `text`: for theorems of both draws that a row proves, what `isarstep prove` prints, run before the author's
theorem and outside of its locale (behind its command where it speaks of what that declares); it counts only where
Isabelle accepts it and it proves the same statement.

`methods`: for the same theorems every method of our text alone, with all else that the text says trusted, 10 s each
where nothing else is asked: which of them work, and which do not end before one that works. That is to look at and to
tune on, on validation and train.

Entries that load fastest come first. Rows are written as they are done; a run that was stopped goes on, and asks again
where a text has changed. Of several rows of ours the last one counts. The last line is one JSON document.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from prove import CORES, WholeTheorem, drawn

from isarstep.benchmark.store.store import Benchmark
from isarstep.isabelle.syntax.grammar.symbols import to_isabelle
from isarstep.premises.fact_base import Library
from isarstep.prover.replay.isabelle_questions import (
    Answer,
    Inquiry,
    Isabelle,
    IsabelleLimits,
    Question,
    prover_versions,
)
from isarstep.prover.replay.isabelle_run import open_isabelle

COMMENT = re.compile(r"  \(\* .*? \*\)")
BY = re.compile(r"\bby (.+)$", re.MULTILINE)
TRUSTING = "declare [[quick_and_dirty]]\n"
METHOD_SECONDS = 10
METHODS = "induct insert unfold rule use auto simp_all simp metis blast fastforce linarith presburger algebra eval argo"
WORD = re.compile(rf"(?<![\w.])(?:{'|'.join(METHODS.split())}|intro:|elim:|add:)(?![\w.])")


@dataclass(frozen=True)
class OneTheorem:
    """One that a draw has, or both: its draws, and the text of our proof where there is one."""

    theorem: WholeTheorem
    draws: frozenset[str]
    proved: bool | None  # by us; None: no row
    text: str

    @property
    def id(self) -> str:
        return identity(self.theorem.example.id)


def identity(row: str) -> str:
    """The same for both draws."""
    return row.partition("-")[2]


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def theorems_of(drawn_ones: list[WholeTheorem], rows: list[dict[str, Any]]) -> list[OneTheorem]:
    """Every theorem once, in the order of the hash."""
    draws: dict[str, set[str]] = {}
    first: dict[str, WholeTheorem] = {}
    for each in drawn_ones:
        draws.setdefault(identity(each.example.id), set()).add(each.draw)
        first.setdefault(identity(each.example.id), each)
    known: dict[str, bool] = {}
    texts: dict[str, str] = {}
    for row in rows:
        known[identity(row["id"])] = row["proved"]
        texts[identity(row["id"])] = named(row["isar"]) if row["proved"] and row.get("isar") else ""
    return [OneTheorem(first[i], frozenset(draws[i]), known.get(i), texts.get(i, "")) for i in sorted(first)]


def named(isar: str) -> str:
    """The printed text with a name for its theorem, in the symbols of a file."""
    assert isar.startswith("lemma\n")
    return to_isabelle("lemma printed:\n" + isar.removeprefix("lemma\n"))


def questions_about(one: OneTheorem, kinds: list[str], done: dict[tuple[str, str], str]) -> list[Question]:
    wanted = []
    if "stated" in kinds and "W150" in one.draws and (one.id, "stated") not in done:
        wanted.append(Question("stated", "stated", ""))
    if "text" in kinds and one.text and done.get((one.id, "text")) != one.text:
        wanted.append(Question("text", "text", one.text))
    if "methods" in kinds and one.text:
        alone = ((f"method {place}: {method}", text) for place, method, text in methods_alone(one.text))
        wanted += [Question(key, "text", text) for key, text in alone if done.get((one.id, key)) != text]
    return wanted


def methods_alone(text: str) -> Iterator[tuple[int, str, str]]:
    """Of each `by` of a text its place, one of its alternatives, and the text with that alone."""
    bare = COMMENT.sub("", text)
    places = list(BY.finditer(bare))
    for place, found in enumerate(places):
        for method in alternatives(found[1]):
            parts, at = [TRUSTING], 0
            for other in places:
                parts += [bare[at : other.start()], f"by {method}" if other is found else "sorry"]
                at = other.end()
            yield place, method, "".join((*parts, bare[at:]))


def alternatives(method: str) -> list[str]:
    """`(a | (b; fail))` as `(a)` and `((b; fail))`; of any other method itself."""
    depth, bars = 0, []
    for place, letter in enumerate(method):
        depth += (letter in "([") - (letter in ")]")
        if depth == 0 and place < len(method) - 1:
            return [method]
        if letter == "|" and depth == 1:
            bars.append(place)
    if not bars:
        return [method]
    return [f"({method[begin + 1 : end].strip()})" for begin, end in pairwise((0, *bars, len(method) - 1))]


def ask(
    isabelle: Isabelle, theorems: list[OneTheorem], options: argparse.Namespace, limits: IsabelleLimits
) -> list[str]:
    """Ask what is open, session by session; returns the provers that Sledgehammer had."""
    done = {(row["id"], row["key"]): row["text"] for row in read_lines(options.out)}
    by_id = {one.id: one for one in theorems}
    sessions: dict[str, list[Inquiry]] = {}
    asked: dict[tuple[str, str], str] = {}
    for one in theorems:
        example = one.theorem.example
        if questions := questions_about(one, options.ask.split(","), done):
            sessions.setdefault(example.session, []).append(Inquiry(example, tuple(questions), example.name))
            asked |= {(example.id, question.key): question.goal for question in questions}
    loads = {name: len(isabelle.plan([i.example.theory for i in found])[2]) for name, found in sessions.items()}
    provers: set[str] = set()
    with options.out.open("a", encoding="utf-8") as out:

        def note(identifier: str, key: str, answer: Answer) -> None:
            one = by_id[identity(identifier)]
            row = {"id": one.id, "key": key, "name": one.theorem.example.name, "theory": one.theorem.example.theory,
                   "draws": sorted(one.draws), "answer": answer.answer, "by": answer.by, "seconds": answer.seconds,
                   "why": answer.why, "text": asked[identifier, key]}  # fmt: skip
            print(json.dumps(row, ensure_ascii=False), file=out, flush=True)
            print(f"{key:6} {answer.answer:8} {row['name']}: {answer.by or answer.why[:200]}", flush=True)

        for session in sorted(sessions, key=lambda name: (loads[name], name)):
            began = time.monotonic()
            present = isabelle.ask(session, sessions[session], limits, note)
            provers.add(prover_versions(isabelle.installation, present))
            print(
                f"{session}: {loads[session]} theories, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True
            )
    return sorted(provers - {""})


def counted(theorems: list[OneTheorem], rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Of each kind of question what came of it; ours on the theorems that Isabelle was asked about."""
    answers = {(row["id"], row["key"]): row for row in rows}
    result: dict[str, Any] = {}
    stated = {one.id: answers[one.id, "stated"] for one in theorems if (one.id, "stated") in answers}
    asked = {i: row for i, row in stated.items() if row["answer"] != "unknown" or row["why"].startswith("sledgehammer")}
    own = [one for one in theorems if one.id in asked]
    found = {i for i, row in asked.items() if row["answer"] == "proved"}
    result["W150"] = {
        "asked": len(asked),
        "try0": sum(asked[i]["by"].startswith("try0") for i in found),
        "try0 or Sledgehammer": len(found),
        "ours": sum(one.proved is True for one in own),
        "ours, accepted as text": sum(_accepted(answers.get((one.id, "text")), one) for one in own),
        "ours, not asked": sum(one.proved is None for one in own),
        "either": sum(one.id in found or one.proved is True for one in own),
        "not asked": dict(Counter(row["why"][:80] for i, row in stated.items() if i not in asked)),
        "without an answer": sum("W150" in one.draws and one.id not in stated for one in theorems),
    }
    for draw in ("W150", "A250", ""):
        texts = [(one, answers.get((one.id, "text"))) for one in theorems if one.text and draw in {"", *one.draws}]
        kinds = Counter("not asked" if row is None or row["text"] != one.text else row["answer"] for one, row in texts)
        result[f"texts of {draw or 'both'}"] = {"proved": len(texts), "accepted": kinds.pop("proved", 0), **kinds}
    methods = [row for row in rows if row["key"].startswith("method ")]
    return result | ({"methods": counted_methods(methods)} if methods else {})


def counted_methods(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Answers by kind of method, and what comes of all alternatives of one place in their order."""
    kinds: dict[str, Counter[str]] = {}
    places: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        place, _, method = row["key"].partition(": ")
        kinds.setdefault(" ".join(WORD.findall(method)), Counter())[row["answer"]] += 1
        places.setdefault((row["id"], place), []).append(row["answer"])
    ends: Counter[str] = Counter()
    for answers in places.values():
        end = next((answer for answer in answers if answer != "unknown"), "none")
        ends[f"{end}, a later one proves it" if end == "timeout" and "proved" in answers else end] += 1
    return {"places": ends, "kinds": {kind: kinds[kind] for kind in sorted(kinds)}}


def _accepted(row: dict[str, Any] | None, one: OneTheorem) -> bool:
    return row is not None and row["answer"] == "proved" and row["text"] == one.text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--rows", type=Path, action="append", required=True, help="of research/benchmarks/prove.py; several"
    )
    parser.add_argument("--out", type=Path, required=True, help="JSON lines, one for each answer")
    parser.add_argument("--ask", default="stated,text", help="stated, text, methods")
    parser.add_argument("--split", default="unseen", choices=("unseen", "validation", "train"), help="of the rows")
    parser.add_argument(
        "--sessions", default="", help="drawn from these entries alone, as the rows were; left away: all"
    )
    parser.add_argument("--seconds", type=int, default=20, help="of two cores")
    parser.add_argument("--heaps", type=Path, required=True, help="folder of images made by mining")
    parser.add_argument("-d", "--directory", type=Path, action="append", default=[], help="further session directory")
    parser.add_argument("--count", action="store_true", help="ask nothing, count what is there")
    options = parser.parse_args()
    benchmark, isabelle = Benchmark("embedded"), open_isabelle(options.heaps, options.directory)
    rows = [row for path in options.rows for row in read_lines(path)]
    chosen = set(options.sessions.split(",")) - {""}  # drawn from these alone, as prove.py does
    theorems = theorems_of(drawn(benchmark, Library.of_benchmark(benchmark), None, options.split, chosen), rows)
    qualified = tuple(benchmark.manifest.get("qualified", ()))
    seconds = METHOD_SECONDS if options.ask == "methods" else CORES * options.seconds
    limits = IsabelleLimits(seconds=seconds, prove=True, qualified=qualified)
    provers = [] if options.count else ask(isabelle, theorems, options, limits)
    counts = counted(theorems, read_lines(options.out))
    for name, part in counts.items():
        print(f"{name:14} {json.dumps(part)}")
    document = {"benchmark": "prove_in_isabelle", "seconds": options.seconds, **counts, "data": benchmark.hash[:12],
                "isabelle": isabelle.installation.identifier, "provers": provers}  # fmt: skip
    print(json.dumps(document))


if __name__ == "__main__":
    main()
