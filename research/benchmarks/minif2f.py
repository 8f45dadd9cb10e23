"""How many statements of miniF2F's Isabelle part are read, why the others are refused, and how many are proved.

    python research/benchmarks/minif2f.py FOLDER/isabelle/valid            # the folder that the user fetched
    python research/benchmarks/minif2f.py FOLDER/isabelle/valid --refused  # with every refusal
    python research/benchmarks/minif2f.py FOLDER/isabelle/valid --prove 60 --budget 30   # 60 by hash, 30 s and two cores each
    python research/benchmarks/minif2f.py FOLDER/isabelle/valid --prove 244 --jobs 8     # eight at a time, on 16 cores
    python research/benchmarks/minif2f.py FOLDER/isabelle/valid --prove 60 --kept FILE --judge OUT --heaps IMAGES --image HOL
    python research/benchmarks/minif2f.py FOLDER/isabelle/valid --isabelle HOME --heaps IMAGES --image SESSION

With an Isabelle the terms are compared with those that it reads itself (assumptions in order, then the goal; types and
all, abbreviations unfolded, modulo eta). With --judge a real Isabelle loads every printed proof as a theory of its own,
under OUT, and it is said which ones it accepts as they are. Tuning looks at `valid` only; a folder named `test` is
refused unless --once is given. The last line that is printed is one JSON document.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import chain
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from queue import Empty
from typing import Any

from proof_rows import keep_row
from readback import Printed, encode_term, read_as_meant, read_back

from isarstep.apps.batching import Batcher
from isarstep.apps.engine import Engine
from isarstep.benchmark.problems.problem_reader import ProblemReader
from isarstep.benchmark.problems.task import Task
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.isabelle.context.theory_contexts import TheoryContext
from isarstep.isabelle.process.proof_graph import read_graph
from isarstep.isabelle.syntax.grammar.abbreviations import expand
from isarstep.isabelle.terms.normal_forms import beta_eta_normal
from isarstep.isabelle.terms.terms import Free, Term, Var, substitute
from isarstep.isabelle.theory.problems.pasted import problem_of_text
from isarstep.isabelle.theory.text.source import STATEMENTS, TheorySource, split_commands
from isarstep.prover.atp.provers import installed
from isarstep.prover.isar.sketch import theory_file
from isarstep.prover.search.proof_search import Plan, sketches
from isarstep.resources import benchmark_folder

STATEMENT = re.compile(r"^\s*(?:theorem|lemma)\b", re.MULTILINE)
CORES = 2
LIBRARY = re.compile(r"\bimports\s+(.*?)\bbegin\b", re.DOTALL)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--refused", action="store_true")
    parser.add_argument("--once", action="store_true", help="read the test part, which is done once")
    parser.add_argument("--isabelle", help="folder of Isabelle")
    parser.add_argument("--heaps", help="folder of images made by mining")
    parser.add_argument("--image", default="HOL-Analysis", help="the image that has the imported theories")
    parser.add_argument("--directory", help="where the session of that image is, if it is none of Isabelle's own")
    parser.add_argument("--seconds", type=float, default=600.0, help="for Isabelle")
    parser.add_argument("--prove", type=int, default=0, help="prove so many statements, by the hash of their name")
    parser.add_argument("--budget", type=float, default=30.0, help="seconds for each proof")
    parser.add_argument("--jobs", type=int, default=1, help="statements at a time, each on two cores")
    parser.add_argument("--kept", type=Path, help="file of answers; what stands there is not asked")
    parser.add_argument("--judge", type=Path, help="folder for theories with the printed proofs, which Isabelle runs")
    parser.add_argument("--imports", help="what judged theories import, in place of what the statement's file does")
    parser.add_argument("--row", type=Path, help="docs/results/proofs.json, which gets a row of the leaderboard")
    parser.add_argument("--commit", default="", help="of the code that found the proofs, for that row")
    asked = parser.parse_args()
    if asked.folder.name == "test" and not asked.once:
        raise SystemExit("minif2f.py: test is read once, with --once; tune on valid")
    benchmark = Benchmark(benchmark_folder("embedded"))
    reasons: Counter[str] = Counter()
    paths = sorted(asked.folder.glob("*.thy"))
    read: dict[str, Task] = {}
    for path in paths:
        try:
            read[path.stem] = read_theory(benchmark, path.read_text(encoding="utf-8"))
        except UserError as error:
            reasons[kind(str(error))] += 1
            if asked.refused:
                print(f"{path.stem}: {error}")
    for reason, count in reasons.most_common():
        print(f"{count:>5}  {reason}")
    document = {"statements": len(paths), "read": len(read), "refused": len(paths) - len(read)}
    if asked.prove:
        document |= proved(paths, read, asked)
    print(json.dumps(document | (compared(asked, read) if asked.isabelle else {})))


def proved(paths: list[Path], read: dict[str, Task], asked: argparse.Namespace) -> dict[str, Any]:
    """The search of `prove` with the model, as text; a statement that is not read is not proved."""
    chosen = sorted(paths, key=lambda path: hashlib.sha256(path.stem.encode()).hexdigest())[: asked.prove]
    answers = kept_answers(asked.kept)
    todo = [path for path in chosen if path.stem not in answers]
    not_read = [{"name": path.stem, "said": "not read"} for path in todo if path.stem not in read]
    todo = [path for path in todo if path.stem in read]
    for answer in chain(not_read, all_asked(todo, read, asked)):
        answers[answer["name"]] = answer
        print(f"{answer['name']}: {said_of(answer)}", flush=True)
        if asked.kept is not None:
            with asked.kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps(answer) + "\n")
    counts = Counter(answers[path.stem]["said"] for path in chosen)
    document = {"asked": len(chosen), **counts, "budget": asked.budget, "provers": installed()}
    if asked.judge is not None:
        texts = {path.stem: answers[path.stem]["isar"] for path in chosen if answers[path.stem]["said"] == "proved"}
        document["accepted"] = accepted(texts, {path.stem: path for path in chosen}, asked)
    if asked.row is not None:
        keep_row(asked.row, {
            "statements": f"miniF2F {asked.folder.name}", "arm": "search with the model", "many": len(chosen),
            "read": sum(path.stem in read for path in chosen), "proved": counts["proved"],
            "accepted": document.get("accepted"), "seconds": asked.budget, "provers": installed(),
            "commit": asked.commit, "command": f"python research/benchmarks/minif2f.py {asked.folder.parent.name}/"
            f"{asked.folder.name}{' --once' * asked.once} --prove {asked.prove} --budget {asked.budget:g}",
        })  # fmt: skip
    return document


def all_asked(todo: list[Path], read: dict[str, Task], asked: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Answers as they come, several statements at a time with --jobs. What a process leaves when it dies has none."""
    if asked.jobs == 1:
        yield from answered(((path.stem, read[path.stem]) for path in todo), asked.budget)
        return
    context = multiprocessing.get_context("spawn")  # every worker starts anew, so that the model sees its cores only
    taken, answers = context.Value("i", 0), context.Queue()
    workers = [context.Process(target=work, args=(n, asked, todo, taken, answers)) for n in range(asked.jobs)]
    for worker in workers:
        worker.start()
    count = 0
    while count < len(todo):
        try:
            yield answers.get(timeout=5)
            count += 1
        except Empty:
            if not any(worker.is_alive() for worker in workers):
                raise SystemExit(f"minif2f.py: {len(todo) - count} statements have no answer; ask again") from None
    for worker in workers:
        worker.join()


def work(
    number: int,
    asked: argparse.Namespace,
    todo: list[Path],
    taken: Synchronized[int],
    answers: multiprocessing.Queue[dict[str, Any]],
) -> None:
    """Take statements until there are none."""
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        if len(cores) >= CORES * asked.jobs:
            os.sched_setaffinity(0, cores[CORES * number : CORES * (number + 1)])
    benchmark = Benchmark(benchmark_folder("embedded"))

    def mine() -> Iterator[tuple[str, Task]]:
        while True:
            with taken.get_lock():
                place, taken.value = taken.value, taken.value + 1
            if place >= len(todo):
                return
            yield todo[place].stem, read_theory(benchmark, todo[place].read_text(encoding="utf-8"))

    for answer in answered(mine(), asked.budget):
        answers.put(answer)


def answered(todo: Iterator[tuple[str, Task]], budget: float) -> Iterator[dict[str, Any]]:
    engine = Engine()
    with engine.proving(width=CORES) as proving:
        model = Batcher(engine, 1)
        engine.warm_up()
        for name, task in todo:
            *_, best = sketches(task, Plan(seconds=budget), model.search_all, proving)
            closed = best.closed and best.seconds <= budget
            said = "false" if best.refuted is not None else "open"
            if closed:
                said = "proved" if best.contradiction is None else "contradictory"
            answer = {"name": name, "said": said, "seconds": round(best.seconds, 1)}
            yield answer | ({"isar": best.isar()} if closed else {})


def accepted(texts: dict[str, str], paths: dict[str, Path], asked: argparse.Namespace) -> int:
    """How many printed proofs Isabelle accepts; what it says against the others is printed."""
    asked.judge.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        source = TheorySource(paths[name].read_text(encoding="utf-8"), paths[name])
        imports = [asked.imports] if asked.imports else split_commands(source)[0].imports
        (asked.judge / f"J_{name}.thy").write_text(theory_file(text, imports, f"J_{name}"), encoding="utf-8")
    theories = "".join(f"    J_{name}\n" for name in texts)
    used = "" if asked.imports else '  sessions "HOL-Computational_Algebra" "HOL-Number_Theory"\n'
    (asked.judge / "ROOT").write_text(
        f"session Judged = {asked.image} +\n{used}  theories\n{theories}", encoding="utf-8"
    )
    graphs = asked.judge / "graphs"
    command = [sys.executable, "-m", "isarstep", "mine", "Judged", "-d", str(asked.judge), "--out", str(graphs)]
    command += ["--prove", "--jobs", "1", "--proof-timeout", "60", "--theory-timeout", "300"]
    command += [f"--heaps={asked.heaps}"] if asked.heaps else []
    command += ["-d", asked.directory] if asked.directory else []
    subprocess.run(command, check=False)
    good = 0
    for name in texts:
        try:
            failures = read_graph(graphs / "Judged" / f"J_{name}.jsonl.zst").failures
        except UserError:
            failures = ("not loaded",)
        good += not failures
        print(f"{name}: {failures[0] if failures else 'accepted'}")
    return good


def kept_answers(path: Path | None) -> dict[str, dict[str, Any]]:
    """What an earlier run wrote, by name."""
    lines = path.read_text(encoding="utf-8").splitlines() if path is not None and path.exists() else []
    answers: list[dict[str, Any]] = [json.loads(line) for line in lines]
    return {answer["name"]: answer for answer in answers}


def said_of(answer: dict[str, Any]) -> str:
    seconds = f", {answer['seconds']} s" if "seconds" in answer else ""
    return f"{answer['said']}{seconds}" + (f"\n{answer['isar']}" if "isar" in answer else "")


def read_theory(benchmark: Benchmark, text: str) -> Task:
    """The one statement of a file."""
    found = STATEMENT.search(text)
    if found is None:
        raise UserError("no statement")
    task = read_statement(benchmark, text[found.start() :], imports_of(benchmark, text))
    if task.example.f3 is None:
        raise UserError("no goal")
    return task


def compared(asked: argparse.Namespace, read: dict[str, Task]) -> dict[str, int]:
    """How many statements Isabelle reads to the same terms; the others are printed."""
    items = [printed(asked.folder / f"{name}.thy", task) for name, task in read.items()]
    answers = read_back(asked, items)
    counts: Counter[str] = Counter({"same term": 0})
    for item in items:
        verdict, *terms = answers.get(item.id, ["no answer"])
        same = verdict == "read" and read_as_meant(item, terms)
        counts["same term" if same else "another term" if verdict == "read" else f"Isabelle: {verdict}"] += 1
        if not same:
            print(f"{item.id}: {verdict}\n{item.text}\n  ours     {item.terms}\n  Isabelle {tuple(terms)}")
    return dict(counts)


def printed(path: Path, task: Task) -> Printed:
    """The author's text with the terms that were read from it."""
    source = TheorySource(path.read_text(encoding="utf-8"), path)
    header, commands = split_commands(source)
    stated = next(command for command in commands if command.name in STATEMENTS)
    text = source.text[stated.start : stated.tokens[-1].end]
    example = task.example
    lines = (*example.f2, *example.f4, example.f3 or "")
    terms = tuple(meant(task, line) for line in lines)
    return Printed(path.stem, " ".join(header.imports), "lemma", (), text, terms)


def meant(task: Task, tokens: str) -> str:
    """The term of a proposition under the author's names."""
    names = task.shown_names()

    def shown(leaf: Free | Var) -> Term | None:
        return Free(names[leaf.name], leaf.type) if type(leaf) is Free else None

    return encode_term(substitute(beta_eta_normal(expand(task.typed(tokens), task.theory_context.signature)), shown))


def read_statement(benchmark: Benchmark, statement: str, imports: tuple[str, ...]) -> Task:
    theory_context = benchmark.theory_contexts.importing(imports)
    return reader(theory_context).read(problem_of_text(statement, imports))


@cache
def reader(theory_context: TheoryContext) -> ProblemReader:
    return ProblemReader(theory_context)


def imports_of(benchmark: Benchmark, text: str) -> tuple[str, ...]:
    """The imported theories by their last names, as far as the benchmark has them."""
    found = LIBRARY.search(re.sub(r"\(\*.*?\*\)", "", text, flags=re.DOTALL))
    names = [name.strip('"').rpartition("/")[2].rpartition(".")[2] for name in found[1].split()] if found else []
    known = {name.rpartition(".")[2] for name in benchmark.theory_contexts.parents}
    return tuple(name for name in names if name in known) or ("Complex_Main",)


def kind(reason: str) -> str:
    """Without names and places, so that refusals can be counted."""
    short = re.sub(r"'[^']*'|`[^`]*`|“[^”]*”|\"[^\"]*\"", "_", reason.splitlines()[0]) if reason else ""
    return re.sub(r"\d+", "n", short)[:110]


if __name__ == "__main__":
    main()
