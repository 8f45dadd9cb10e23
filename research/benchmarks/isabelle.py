"""The embedded checker beside a real Isabelle: well-formedness, proofs replayed, Sledgehammer on reference targets.

    python research/benchmarks/isabelle.py --heaps HEAPS agreement PREDICTIONS --out types.jsonl
    python research/benchmarks/isabelle.py --heaps HEAPS gaps VERDICTS.parquet --ask replay,refute,sledgehammer --out gaps.jsonl

needs ISABELLE_HOME (see docs/checking.md). VERDICTS are those of the embedded backend: `isarstep check`. `gaps` asks
Isabelle's methods to replay each proof from the facts that it used, quickcheck to refute what was proved, Sledgehammer
to prove references, these for arbitrary values of what an `obtain` introduces (`beside_isabelle.py` binds them).
`agreement --at-end` asks for types where an image holds the theory, without running its proofs: constants that the
theory defines after the gap are known there too. Each part prints a table; its last line is one JSON document. One that
is run again goes on.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.store import Benchmark
from isarstep.premises.available_facts import AvailableFacts
from isarstep.premises.fact_base import Library
from isarstep.prover.replay.isabelle_questions import (
    Answer,
    Inquiry,
    IsabelleLimits,
    Premise,
    Question,
    prover_versions,
)
from isarstep.prover.replay.isabelle_run import FALSEHOOD, Names, fact_names, open_isabelle
from isarstep.score.wellformed import TypeChecker


def nbest_lists(path: Path) -> dict[str, list[str]]:
    lists: dict[str, list[str]] = {}
    with path.open() as lines:
        for line in lines:
            entry = json.loads(line)
            lists[entry["id"]] = [p["tokens"] for p in entry["predictions"]]
    return lists


def agreement(arguments: argparse.Namespace) -> dict[str, Any]:
    """Isabelle's type check of every output beside the embedded one, written line by line."""
    isabelle, benchmark = open_isabelle(arguments.heaps, arguments.directory), Benchmark("embedded")
    outputs = {
        path.stem: {identifier: texts[: arguments.top] for identifier, texts in nbest_lists(path).items()}
        for path in arguments.predictions
    }
    wanted = set(arguments.sessions.split(",")) if arguments.sessions else None
    qualified, test = tuple(benchmark.manifest.get("qualified", ())), list(benchmark.split("test"))
    type_checker = TypeChecker(benchmark.theory_contexts, test)
    done = {record["id"] for record in map(json.loads, lines_of(arguments.out))}
    sessions: dict[str, dict[str, Example]] = {}
    for example in test:
        asked_about = any(example.id in lists for lists in outputs.values()) and example.id not in done
        if asked_about and (wanted is None or example.session in wanted):
            sessions.setdefault(example.session, {})[example.id] = example
    began = time.monotonic()
    with arguments.out.open("a") as out:
        for session, examples in sessions.items():
            texts = {
                (e.id, f"{name} {rank}"): text
                for e in examples.values()
                for name, lists in [("reference", {e.id: [e.f1]}), *outputs.items()]
                for rank, text in enumerate(lists.get(e.id, ()))
            }
            questions: dict[str, list[Question]] = {}
            for (identifier, key), text in texts.items():
                questions.setdefault(identifier, []).append(Question(key, "type", text))
            inquiries = [
                Inquiry(replace(examples[e], proof=-1) if arguments.at_end else examples[e], tuple(asked))
                for e, asked in questions.items()
            ]

            def note(
                identifier: str,
                key: str,
                answer: Answer,
                examples: dict[str, Example] = examples,
                texts: dict[tuple[str, str], str] = texts,
            ) -> None:
                example, text = examples[identifier], texts[identifier, key]
                name, _, rank = key.rpartition(" ")
                reason = type_checker.objection(example, text)
                record = {
                    "id": identifier, "theory": example.theory, "from": name, "rank": int(rank), "tokens": text,
                    "types": {x: t for x, t in example.types.items() if x in text}, "fixed": example.fixed,
                    "isabelle": answer.answer, "why": answer.why, "embedded": reason is None, "reason": reason or "",
                }  # fmt: skip
                print(json.dumps(record), file=out, flush=True)

            isabelle.ask(session, inquiries, IsabelleLimits(qualified=qualified), note)
            print(
                f"{session}: {len(inquiries)} examples, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True
            )
    return summary_of_agreement(arguments.out)


def summary_of_agreement(path: Path) -> dict[str, Any]:
    """For each list of outputs, and for their first ranks alone: what Isabelle says, what the embedded side says."""
    counts: Counter[str] = Counter()
    for record in map(json.loads, lines_of(path)):
        says = f"isabelle {record['isabelle']}, embedded {'typed' if record['embedded'] else 'ill'}"
        counts[f"{record['from']}: {says}"] += 1
        if record["rank"] == 0 and record["from"] != "reference":
            counts[f"{record['from']}, first: {says}"] += 1
        if (record["isabelle"] == "typed") != record["embedded"]:
            why = record["why"] or record["reason"]
            print(f"  {record['id']} {record['from']} {record['rank']}: {says}: {why[:200]}")
    for name, count in sorted(counts.items()):
        print(f"{name:60} {count:6}")
    return dict(sorted(counts.items()))


TRUTH = FALSEHOOD.replace("False", "True")


@dataclass(frozen=True)
class Proposal:
    """One row of the embedded backend's verdicts with what it is about."""

    example: Example
    tokens: str
    row: dict[str, Any]


# Of every gap that a verdict has an answer to: the goal and all its premises; P is the proposal.
GAPS: dict[str, tuple[str, tuple[str, ...]]] = {
    "first": ("P", ("F.2",)),
    "second": ("F.3", ("P", "F.4")),
    "direct": ("F.3", ("F.2", "F.4")),
    "direct_paper": ("F.3", ("F.2",)),
    "trivial": ("P", ()),
    "f2_contradictory": ("False", ("F.2",)),
    "f4_contradictory": ("False", ("F.4",)),
}
OF_EXAMPLE = ("direct", "direct_paper", "f2_contradictory", "f4_contradictory")  # the same for all its proposals


def proposals_of(benchmark: Benchmark, verdicts: Path, predictions: Path | None, sessions: str) -> list[Proposal]:
    """Well-formed proposals in the order of their ids; without predictions the verdicts are those of references."""
    wanted = set(sessions.split(",")) if sessions else None
    lists = nbest_lists(predictions) if predictions else {}
    examples = {e.id: e for e in benchmark.split("test") if wanted is None or e.session in wanted}
    found = []
    for row in sorted(pq.read_table(verdicts).to_pylist(), key=lambda row: (row["example"], row["rank"])):
        example = examples.get(row["example"])
        if example is not None and row["verdict"] == "well-formed":
            tokens = lists[example.id][row["rank"]] if predictions else example.f1
            found.append(Proposal(example, tokens, row))
    return found


def goal_of(proposal: Proposal, gap: str) -> str:
    return {"P": proposal.tokens, "F.3": proposal.example.f3 or "", "False": FALSEHOOD}[GAPS[gap][0]]


def all_premises(proposal: Proposal, gap: str, names: Names) -> tuple[Premise, ...]:
    example = proposal.example
    lines = {"P": (proposal.tokens,), "F.2": example.f2, "F.4": example.f4}
    return tuple(Premise(line, names.get(line, ())) for field in GAPS[gap][1] for line in lines[field])


def used_premises(proposal: Proposal, gap: str, local: list[str]) -> tuple[Premise, ...]:
    """What a proof of the embedded backend used: F.2(i), P, the i-th local proposition of F.4, or a library fact."""
    found = []
    for label in proposal.row[f"{gap}_facts"]:
        field, _, number = label.partition("(")
        if label == "P":
            found.append(Premise(proposal.tokens))
        elif field in ("F.2", "F.4"):
            found.append(Premise((proposal.example.f2 if field == "F.2" else local)[int(number.rstrip(")")) - 1]))
        elif not label.startswith("definition of"):
            found.append(Premise("", (label,)))
    return tuple(found)


# What encodings unfold without calling it a fact (check/definitions.py): constants, and the theorems that say so.
UNFOLDED = {
    "Fun.inj": "Fun.inj_on_def", "Fun.inj_on": "Fun.inj_on_def", "Fun.id": "Fun.id_apply", "Fun.comp": "Fun.comp_apply",
    "Fun.fun_upd": "Fun.fun_upd_apply", "Set.image": "Set.image_iff", "Set.vimage": "Set.vimage_eq",
    "Set.Pow": "Set.Pow_iff", "Set.insert": "Set.insert_iff", "Set.Ball": "Set.Ball_def", "Set.Bex": "Set.Bex_def",
    "Set.subset_eq": "Set.subset_iff", "Set.union": "Set.Un_iff", "Set.inter": "Set.Int_iff", "HOL.Let": "HOL.Let_def",
    "Complete_Lattices.Union": "Complete_Lattices.Union_iff", "Complete_Lattices.Inter": "Complete_Lattices.Inter_iff",
    "Product_Type.Sigma": "Product_Type.mem_Sigma_iff", "Product_Type.prod.case_prod": "Product_Type.prod.case",
    "HOL.eq": "HOL.fun_eq_iff", "Set.member": "Set.set_eq_iff",
}  # fmt: skip


def with_unfolded(goal: str, premises: tuple[Premise, ...]) -> tuple[Premise, ...]:
    mentioned = {token for text in (goal, *(premise.tokens for premise in premises)) for token in text.split()}
    return (*premises, *(Premise(TRUTH, (UNFOLDED[name],)) for name in sorted(mentioned & UNFOLDED.keys())))


def proved_gaps(proposal: Proposal) -> list[str]:
    found = [gap for gap in GAPS if proposal.row[f"{gap}_result"] == "proved"]
    return [gap for gap in found if gap not in OF_EXAMPLE or not proposal.row["rank"]]


def questions_about(
    proposal: Proposal, effort: str, names: Names, local: Callable[[Example], list[str]]
) -> Iterator[Question]:
    """`replay` and `refute` of embedded proofs, from the facts that they used (`unfold`: and from what encodings
    unfold); Sledgehammer on references of steps.

    So that it can be told what quickcheck finds at all, it is also asked about F.2 => P where P is no reference and
    nothing was proved.
    """
    row, rank = proposal.row, proposal.row["rank"]
    if effort in ("replay", "unfold", "refute"):
        for gap in proved_gaps(proposal):
            goal, premises = goal_of(proposal, gap), used_premises(proposal, gap, local(proposal.example))
            if effort == "unfold":
                yield Question(f"{effort} {rank} {gap}", "replay", goal, with_unfolded(goal, premises))
            else:
                yield Question(f"{effort} {rank} {gap}", effort, goal, premises)
    if effort == "refute" and not row["exact"] and row["kind"] != "assumption" and row["first_result"] != "proved":
        yield Question(f"{effort} {rank} first", effort, proposal.tokens, all_premises(proposal, "first", names))
    if effort == "sledgehammer" and row["exact"] and row["kind"] != "assumption":
        for gap in ("first", "second", "direct_paper"):
            premises = all_premises(proposal, gap, names)
            yield Question(f"{effort} {rank} {gap}", effort, goal_of(proposal, gap), premises)


def premises_beside_lemmas(benchmark: Benchmark) -> Callable[[Example], list[str]]:
    """What the facts `F.4(1)`, `F.4(2)`, ... of a proof stand for: those that are no library facts."""
    facts = cache(lambda: AvailableFacts(Library.of_benchmark(benchmark)))

    def local(example: Example) -> list[str]:
        context = benchmark.theory_contexts.at(example.theory)
        return facts().lemmas(example, example.f4, context, scored=True)[1]

    return local


def gaps(arguments: argparse.Namespace) -> dict[str, Any]:
    """Ask Isabelle about gaps that the embedded backend has judged, one pass over each session."""
    judge, benchmark = open_isabelle(arguments.heaps, arguments.directory), Benchmark("embedded")
    proposals = proposals_of(benchmark, arguments.verdicts, arguments.predictions, arguments.sessions)
    names = fact_names(benchmark, [proposal.example for proposal in proposals])
    qualified = tuple(benchmark.manifest.get("qualified", ()))
    done = {(record["id"], record["key"]) for record in map(json.loads, lines_of(arguments.out))}
    # Definitions are a second chance, for what a run before could not replay.
    failed = {
        (record["id"], record["key"].replace("replay", "unfold"))
        for record in map(json.loads, lines_of(arguments.out))
        if record["effort"] == "replay" and record["answer"] != "proved"
    }
    chosen: dict[str, dict[str, Inquiry]] = {}
    asked: dict[tuple[str, str], Proposal] = {}
    local = premises_beside_lemmas(benchmark)
    for effort in arguments.ask.split(","):
        count, known = 0, set()
        for proposal in proposals:
            questions = []
            for question in questions_about(proposal, effort, names, local):
                # A gap of one proposal may have been closed without it, as for the proposal before.
                same = (proposal.example.id, question.goal, question.premises)
                wanted = effort != "unfold" or (proposal.example.id, question.key) in failed
                questions += [question] if wanted and same not in known else []
                known.add(same)
            if count + len(questions) > arguments.limit:
                break
            count, example = count + len(questions), proposal.example
            asked.update({(example.id, question.key): proposal for question in questions})
            left = tuple(question for question in questions if (example.id, question.key) not in done)
            before = chosen.setdefault(example.session, {}).get(example.id)
            both = (*(before.questions if before else ()), *left)
            if both:
                chosen[example.session][example.id] = Inquiry(example, both)
    with arguments.out.open("a") as out:

        def note(identifier: str, key: str, answer: Answer) -> None:
            proposal, (effort, rank, gap) = asked[identifier, key], key.split()
            record = {
                "id": identifier, "key": key, "session": proposal.example.session, "effort": effort, "rank": int(rank),
                "gap": gap, "exact": proposal.row["exact"], **asdict(answer),
                **{f"embedded_{what}": proposal.row[f"{gap}_{what}"] for what in ("result", "by", "library", "facts")},
            }  # fmt: skip
            print(json.dumps(record), file=out, flush=True)

        settings = IsabelleLimits(seconds=arguments.seconds, prove=True, qualified=qualified)
        # What loads fastest comes first: a run that is stopped has then asked most.
        theories = {session: [i.example.theory for i in found.values()] for session, found in chosen.items()}
        for session in sorted(chosen, key=lambda name: len(judge.plan(theories[name])[2])):
            inquiries = chosen[session]
            count, began = sum(len(inquiry.questions) for inquiry in inquiries.values()), time.monotonic()
            if count:
                present = judge.ask(session, inquiries.values(), settings, note)
                present = prover_versions(judge.installation, present)
                spent = time.monotonic() - began
                print(f"{session}: {count} questions, {spent:.0f} s, {present}", file=sys.stderr, flush=True)
    return summary_of_gaps(arguments.out)


def lines_of(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def summary_of_gaps(path: Path) -> dict[str, Any]:
    counts: Counter[str] = Counter()
    closed: dict[str, dict[str, bool]] = {}
    for record in map(json.loads, lines_of(path)):
        effort, gap = record["effort"], record["gap"]
        about = gap if effort == "sledgehammer" else "reference" if record["exact"] else "other proposal"
        result = "proved" if record["embedded_result"] == "proved" else "not proved"
        name = f"{effort}: {about}: embedded {result}"
        counts[f"{name}, isabelle {record['answer']}"] += 1
        if record["answer"] == "proved":
            counts[f"{name}, by {record['by'].partition(',')[0]}"] += 1
        if effort == "sledgehammer":
            closed.setdefault(record["id"], {})[gap] = record["answer"] == "proved"
    complete = [gaps for gaps in closed.values() if len(gaps) == 3]
    counts["sledgehammer: examples"] = len(complete)
    counts["sledgehammer: both gaps"] = sum(gaps["first"] and gaps["second"] for gaps in complete)
    for name, count in sorted(counts.items()):
        print(f"{name:80} {count:6}")
    return dict(sorted(counts.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-d", "--directory", type=Path, action="append", default=[], help="further session directory")
    parser.add_argument("--heaps", type=Path, required=True, help="folder of images made by mining")
    parts = parser.add_subparsers(dest="part", required=True)
    part = parts.add_parser("agreement")
    part.add_argument("predictions", type=Path, nargs="+", help="JSONL of `isarstep predict`, one or several")
    part.add_argument("--sessions", default="", help="left away: all")
    part.add_argument("--top", type=int, help="only so many outputs of an example; left away: all")
    part.add_argument(
        "--at-end", action="store_true", help="ask at the end of the example's theory, not inside its proof"
    )
    part.add_argument("--out", type=Path, required=True)
    part.set_defaults(run=agreement)
    part = parts.add_parser("gaps")
    part.add_argument("verdicts", type=Path)
    part.add_argument("--predictions", type=Path, help="what the verdicts are about; left away: the references")
    part.add_argument(
        "--ask", default="replay", help="any of replay, unfold, refute, sledgehammer, with commas between"
    )
    part.add_argument("--sessions", default="", help="left away: all")
    part.add_argument("--limit", type=int, default=1000, help="questions of each kind")
    part.add_argument("--seconds", type=int, default=30)
    part.add_argument("--out", type=Path, required=True)
    part.set_defaults(run=gaps)
    arguments = parser.parse_args()
    print(json.dumps(arguments.run(arguments)))


if __name__ == "__main__":
    main()
