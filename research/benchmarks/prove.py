"""How many whole theorems are proved? Statements of entries that no model has seen, from what comes before them.

    python research/benchmarks/prove.py --rows prove.jsonl                  # W150 and A250, without and with the model
    python research/benchmarks/prove.py --rows try.jsonl --limit 15 --arms provers,search
    python research/benchmarks/prove.py --rows tune.jsonl --split validation --arms search   # to look at and to tune on
    python research/benchmarks/prove.py --rows tune.jsonl --split train --sessions Trie,Jinja --arms search

W150 are 150 theorems with structured proofs, A250 are 250 of all theorems that authors stated: both of the `unseen`
entries of the benchmark, in locales, too, drawn by the SHA-256 of theory and name. A theorem is its fact: its premises,
and its locale as one of them, are given, its conclusion is the goal. Of W150 it is known, too, which facts earlier
proofs of the theory use. Facts do not say which command made them: for A250 what packages make is told by its name, and
a copy of an earlier fact is no theorem of its own.

Arms: `plain` is what needs no prover, rewriting and calculation, by an induction if need be, in processor time;
`provers` ask for the goal again and again with more time and facts, `search` is the search for a proof without the
model (rewriting, provers, induction, steps by rules of the library), `model` is the same with it. Each has --seconds
and two cores; --workers are theorems that are asked for at the same time, on cores of their own. Both samples advance
together, each in the order of its hash. Every attempt is logged with its kind, so that other rows can be counted from
the same run. Rows are written as they are done; a run that was stopped, or whose --deadline is over, goes on where it
was.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import platform
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass, replace
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import Any

from proof_rows import keep_row

from isarstep.apps.batching import Batcher
from isarstep.apps.engine import Engine
from isarstep.benchmark.problems.task import Task
from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.layout import PROOFS
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.isabelle.context.fact_table import FACTS
from isarstep.isabelle.terms.hol import dest_trueprop, strip_pure_imp
from isarstep.isabelle.terms.terms import (
    Const,
    Free,
    Term,
    TFree,
    TVar,
    Typ,
    Type,
    Var,
    schematics,
    strip_comb,
    substitute,
)
from isarstep.isabelle.terms.tokens import decode, encode_line
from isarstep.isabelle.terms.type_text import format_type
from isarstep.premises.fact_base import Library
from isarstep.prover.atp.provers import installed, not_installed
from isarstep.prover.check.obligations import NOT_PROVED
from isarstep.prover.check.prover_session import Limits, Proving
from isarstep.prover.check.step_checker import NearStep
from isarstep.prover.outcomes.verdict import Gap, Proved
from isarstep.prover.search.proof_search import Plan, sketches

# (processor seconds of an attempt, library facts) of provers alone, one after the other.
ROUNDS = ((0.3, 32), (0.3, 128), (1.0, 128), (3.0, 128), (10.0, 128), (30.0, 128))
CORES = 2
SIZES = {"W150": 150, "A250": 250}
ARMS = {
    "plain": "no provers",
    "provers": "provers alone",
    "search": "search without the model",
    "model": "search with the model",
}
DISTRIBUTION = re.compile(r"(Pure|HOL|ZF|FOL|CTT|Tools)\b")  # sessions of Isabelle itself: no entries
MOST_TOKENS = 800  # of a statement with its assumptions, as in the benchmark
# Facts that packages and the locale and class commands make beside the constants, types and locales that they declare.
MADE = re.compile(
    r"_def_raw$|_axioms(_def)?$|_(code|transfer|rsp|sumC|graph|rel)$|OFCLASS|typerep|term_of|equal_"
    r"|\.(Abs|Rep|type_definition|pcr|domain|bi|left|right|Domainp|Quotient|ext|fold|unfold|surjective|equality)_?\w*$"
    r"|\.(intro|axioms|simps|psimps|induct|inducts|pinduct|cases|pcases|elims|pelims|intros|coinduct|exhaust|nchotomy|distinct"
    r"|inject|sel|disc|case|rec|map|set|rel|pred|size|split|splits|split_asm|cong|termination|domintros|code|transfer)$"
)


@dataclass(frozen=True)
class WholeTheorem:
    """A theorem as it is asked for: as if its proof were one step from its assumptions to its statement."""

    draw: str
    example: Example


def order(theory: str, name: str) -> str:
    return hashlib.sha256(f"{theory} {name}".encode()).hexdigest()


def structured(benchmark: Benchmark, library: Library, split: str) -> Iterator[WholeTheorem]:
    """Theorems with structured proofs, in the order of the hash."""
    rows = benchmark.table(split, ["theory", "name", "proof"]).to_pylist()
    named = {
        (row["theory"], row["name"]): row["proof"]
        for row in rows
        if row["name"] and not DISTRIBUTION.match(row["theory"])
    }
    for theory, name in sorted(named, key=lambda key: order(*key)):
        numbers = library.statements(theory, name)
        made = of_fact("W150", library, numbers[0]) if len(numbers) == 1 else None
        if made is not None:  # what proofs above it use is known
            yield replace(made, example=replace(made.example, proof=named[theory, name]))


def stated(benchmark: Benchmark, library: Library, split: str) -> Iterator[WholeTheorem]:
    """All theorems that authors stated, in the order of the hash."""
    named = {str(name) for name in benchmark.table(split, ["session"])["session"].unique().to_pylist()}
    sessions = {name for name in named if not DISTRIBUTION.match(name)}
    names = benchmark.column(FACTS, "name").to_pylist()
    theories = benchmark.repeated(FACTS, "theory")
    propositions = benchmark.column(FACTS, "proposition").to_numpy()
    first: dict[int, int] = {}
    for number, proposition in enumerate(propositions.tolist()):
        first.setdefault(proposition, number)
    count = Counter((theories[number], name) for number, name in enumerate(names))
    defined = {f"{constant}_def" for constant in benchmark.signature.constants}
    qualified = {str(name) for name in benchmark.table(PROOFS, ["locale"])["locale"].unique().to_pylist()}
    locales = {name.rpartition(".")[2] for name in qualified if name}
    known, found = set(names), []
    for number, name in enumerate(names):
        theory = theories[number]
        alone = count[theory, name] == 1 and first[int(propositions[number])] == number
        if (
            theory.partition(".")[0] in sessions
            and alone
            and name not in defined
            and not MADE.search(name)
            and of_class(name) not in known
        ):
            found.append((order(theory, name), number))
    for _, number in sorted(found):
        if authored(library, number, locales):
            made = of_fact("A250", library, number)
            if made is not None:
                yield made


def of_class(name: str) -> str:
    """How a class calls a theorem that its locale has, too: it is the same one."""
    owner, _, last = name.rpartition(".")
    return f"{owner}_class.{last}"


def authored(library: Library, number: int, locales: set[str]) -> bool:
    """Not what a package or an interpretation made: it has a name of its theory, or of a locale or class."""
    name, theory = library.theorem(number), library.theory(number)
    owner = name.rpartition(".")[0]
    qualified = owner not in (theory, theory.rpartition(".")[2])
    if qualified and owner.rpartition(".")[2] not in locales and not owner.endswith("_class"):
        return False
    return _head(strip_pure_imp(decode(library.texts[number]))[1]) != owner  # no introduction rule


def of_fact(draw: str, library: Library, number: int) -> WholeTheorem | None:
    """A fact with its schematic variables fixed; its premises, among them that of its locale, are what is given."""
    name, theory = library.theorem(number), library.theory(number)
    term, typed = decode(library.texts[number]), library.fact(number).prop
    variables = schematics(term)
    types = {(v.name, v.index): v.type for v in schematics(typed)}
    premises, goal = strip_pure_imp(substitute(term, lambda leaf: _fixed(leaf, variables)))
    if dest_trueprop(goal) is None or any(types.get((v.name, v.index)) is None for v in variables):
        return None
    shown = {f"<X{place}>": format_type(_held(types[v.name, v.index])) for place, v in enumerate(variables)}
    return theorem(draw, theory, name, tuple(map(encode_line, premises)), encode_line(goal), shown)


def _head(proposition: Term) -> str:
    formula = dest_trueprop(proposition)
    head = None if formula is None else strip_comb(formula)[0]
    return head.name if isinstance(head, Const) else ""


def _fixed(leaf: Free | Var, variables: list[Var]) -> Term | None:
    return Free(f"<X{variables.index(leaf)}>") if isinstance(leaf, Var) else None


def _held(typ: Typ | None) -> Typ:
    assert typ is not None
    if isinstance(typ, Type):
        return Type(typ.name, tuple(map(_held, typ.args)))
    return TFree(f"{typ.name}{typ.index or ''}", typ.sort) if isinstance(typ, TVar) else typ


def theorem(
    draw: str, theory: str, name: str, facts: tuple[str, ...], goal: str, types: dict[str, str]
) -> WholeTheorem:
    identifier = f"{draw}-{order(theory, name)[:12]}"
    example = Example(
        identifier, "", facts, goal, (), (), types=types, name=name, theory=theory, session=theory.partition(".")[0]
    )
    return WholeTheorem(draw, example)


def drawn(
    benchmark: Benchmark, library: Library, limit: int | None, split: str = "unseen", sessions: Collection[str] = ()
) -> list[WholeTheorem]:
    """Both samples, advancing together; of each the first ones by hash that are not too long, of some entries alone
    where these are named."""
    found: list[tuple[float, WholeTheorem]] = []
    for draw, source in (("W150", structured(benchmark, library, split)), ("A250", stated(benchmark, library, split))):
        fitting = (
            each
            for each in source
            if sum(len(line.split()) for line in (*each.example.f2, each.example.f3 or "")) <= MOST_TOKENS
            and (not sessions or each.example.session in sessions)
        )
        wanted = SIZES[draw] if limit is None else min(limit, SIZES[draw])
        found += [((place + 1) / wanted, each) for each, place in zip(fitting, range(wanted), strict=False)]
    return [each for _, each in sorted(found, key=lambda pair: pair[0])]


class Logged:
    """Asks for a theorem, and keeps what was tried, how long it took and what came of it."""

    def __init__(self, proving: Proving) -> None:
        self.proving = proving
        self.began = time.monotonic()
        self.attempts: list[dict[str, Any]] = []

    def follows(self, task: Task, goal: str, known: Sequence[str], limits: Limits) -> tuple[Gap, frozenset[str]]:
        began = time.monotonic()
        gap, uses = self.proving.follows(task, goal, known, limits)
        if not limits.fewest:
            self.note("goal" if goal == task.example.f3 and not known else "step", began, gap)
        return gap, uses

    def simplified(self, *arguments: Any) -> tuple[Gap, frozenset[str]] | None:
        began = time.monotonic()
        found = self.proving.simplified(*arguments)
        self.note("simplified", began, NOT_PROVED if found is None else found[0])
        return found

    def inductions(self, *arguments: Any) -> Iterator[tuple[Gap, frozenset[str]]]:
        answers = self.proving.inductions(*arguments)
        while True:
            began = time.monotonic()
            found = next(answers, None)
            if found is None:
                return
            self.note("induction", began, found[0])
            yield found

    def contradiction(self, *arguments: Any) -> Gap:
        return self.proving.contradiction(*arguments)

    def one_rule_away(self, task: Task, until: float) -> list[NearStep]:
        return self.proving.one_rule_away(task, until)

    def note(self, kind: str, began: float, gap: Gap) -> None:
        attempt: dict[str, Any] = {"kind": kind, "at": round(began - self.began, 2)}
        attempt["seconds"] = round(time.monotonic() - began, 2)
        if isinstance(gap, Proved):
            attempt |= {"by": gap.by, "library": gap.library, "facts": list(gap.facts)[:20]}
        self.attempts.append(attempt)


def plain(logged: Logged, task: Task) -> dict[str, Any]:
    """In processor time, which is what it costs a search."""
    assert task.example.f3 is not None
    began = time.process_time()
    found = logged.simplified(task, task.example.f3, (), Plan().limits)
    seconds = round(time.process_time() - began, 2)
    by = found[0].by if found is not None and isinstance(found[0], Proved) else None
    return {"proved": by is not None, "seconds": seconds, "by": by}


def alone(logged: Logged, task: Task, seconds: float) -> dict[str, Any]:
    """Provers without steps and without induction."""
    for limit, library in ROUNDS:
        if seconds - (time.monotonic() - logged.began) < 0.1:
            break
        assert task.example.f3 is not None
        gap, _ = logged.follows(task, task.example.f3, (), Limits(limit, library, logged.began + seconds))
        passed = time.monotonic() - logged.began
        if isinstance(gap, Proved):
            return {"proved": passed <= seconds, "seconds": round(passed, 2), "by": gap.by}
    return {"proved": False, "seconds": round(time.monotonic() - logged.began, 2)}


def no_proposals(*_: object) -> Future[Any]:
    answer: Future[Any] = Future()
    answer.set_result([])
    return answer


def searched(logged: Logged, task: Task, seconds: float, model: Batcher | None) -> dict[str, Any]:
    """The search for a proof; without a model the goal's form and rules of the library alone propose steps."""
    search: Callable[..., Future[Any]] = model.search_all if model else no_proposals
    *_, best = sketches(task, Plan(seconds=seconds), search, logged)  # type: ignore[arg-type]
    last = best.steps[-1].gap
    return {
        "proved": best.closed and best.seconds <= seconds,
        "seconds": round(best.seconds, 2),
        "by": last.by if isinstance(last, Proved) else None,
        "steps": [step.text for step in best.steps[:-1]],
        "contradiction": best.contradiction is not None,
        "isar": best.isar() if best.closed else None,
    }


def own_cores(number: int, workers: int) -> None:
    """Two cores for this process and its provers alone, where the system has such a call and enough of them."""
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        if len(cores) >= CORES * workers:
            os.sched_setaffinity(0, cores[CORES * number : CORES * (number + 1)])


def work(
    number: int,
    arguments: argparse.Namespace,
    todo: list[tuple[WholeTheorem, list[str]]],
    taken: Synchronized[int],
    end: float,
) -> None:
    """Take theorems until there are none, and write their rows."""
    own_cores(number, arguments.workers)
    engine = Engine(arguments.model, arguments.benchmark)
    model = Batcher(engine, 1) if any("model" in arms for _, arms in todo) else None
    if model is not None:
        engine.warm_up()
    with ExitStack() as leaving:
        if model is not None:
            leaving.callback(model.close)  # a search that runs while the interpreter ends would end it with a signal
        proving = leaving.enter_context(engine.proving(width=CORES))
        file = leaving.enter_context(arguments.rows.open("a", encoding="utf-8"))
        for each, arms in mine(todo, taken):
            for arm in arms:
                if time.monotonic() + arguments.seconds > end:
                    return
                row = asked(engine, proving, model, each, arm, arguments.seconds)
                file.write(json.dumps(row, ensure_ascii=False) + "\n")  # one write a line: workers share the file
                file.flush()
                result = "proved" if row["proved"] else "-"
                print(f"{row['draw']} {arm:8} {row['name']:60} {result:6} {row['seconds']:5.1f} s", flush=True)


def failures(statuses: Sequence[int | None]) -> list[str]:
    """What to tell of workers that did not end well; a negative status is a signal."""
    said = (
        (n, f"signal {-s} ({signal.Signals(-s).name})" if s < 0 else f"status {s}") for n, s in enumerate(statuses) if s
    )
    return [f"worker {number} ended with {how}; its last theorem has no row" for number, how in said]


def mine(
    todo: list[tuple[WholeTheorem, list[str]]], taken: Synchronized[int]
) -> Iterator[tuple[WholeTheorem, list[str]]]:
    while True:
        with taken.get_lock():
            number, taken.value = taken.value, taken.value + 1
        if number >= len(todo):
            return
        yield todo[number]


def asked(
    engine: Engine, proving: Proving, model: Batcher | None, each: WholeTheorem, arm: str, seconds: float
) -> dict[str, Any]:
    row: dict[str, Any] = {"id": each.example.id, "draw": each.draw, "arm": arm, "name": each.example.name}
    try:
        reader = engine.reader_in(engine.theory_contexts.at(each.example.theory))
        task = replace(reader.of_example(each.example), has_reference=False)
        proving.follows(
            task, task.example.f3 or "", (), Limits(0.1, 32)
        )  # the facts of a theory are read in nobody's time
        proving.forget()
        logged = Logged(proving)
        row["goal"] = task.text(task.example.f3 or "")
        if arm == "plain":
            row |= plain(logged, task)
        elif arm == "provers":
            row |= alone(logged, task, seconds)
        else:
            row |= searched(logged, task, seconds, model if arm == "model" else None)
        row["attempts"] = logged.attempts
    except UserError as error:
        row |= {"proved": False, "seconds": 0.0, "unread": str(error)}
    return row


def read_rows(path: Path) -> dict[tuple[str, str], dict[str, Any]]:
    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8").split("\n")[:-1]  # a worker may have been ended within the last one
    return {(row["id"], row["arm"]): row for row in map(json.loads, lines)}


def counted(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Of one draw and one arm; what only induction or a step of the model brought is counted apart."""
    proved = [row for row in rows if row["proved"]]
    return {
        "theorems": len(rows),
        "proved": len(proved),
        "by_induction": sum(any("induct" in (a.get("by") or "") for a in row.get("attempts", ())) for row in proved),
        "with_steps": sum(bool(row.get("steps")) for row in proved),
        "contradiction": sum(bool(row.get("contradiction")) for row in proved),
        "unread": sum("unread" in row for row in rows),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=Path, required=True, help="JSON lines, one for each theorem and arm")
    parser.add_argument("--seconds", type=float, default=20, help="for each theorem and arm")
    parser.add_argument("--arms", default="provers,search,model", help=f"some of {', '.join(ARMS)}")
    parser.add_argument("--workers", type=int, default=1, help="theorems at a time, each on two cores")
    parser.add_argument("--limit", type=int, help="only so many theorems of each draw")
    parser.add_argument("--split", default="unseen", choices=("unseen", "validation", "train"), help="whose entries")
    parser.add_argument("--sessions", default="", help="only these entries; left away: all")
    parser.add_argument("--deadline", type=float, default=float("inf"), help="seconds after which no theorem is begun")
    parser.add_argument("--model", default="embedded")
    parser.add_argument("--benchmark", default="embedded")
    parser.add_argument("--row", type=Path, help="docs/results/proofs.json, which gets rows of the leaderboard")
    parser.add_argument("--commit", default="", help="of the code that found the proofs, for those rows")
    arguments = parser.parse_args()
    arms = arguments.arms.split(",")
    if not set(arms) <= set(ARMS):
        raise SystemExit(f"--arms takes {', '.join(ARMS)}")
    benchmark = Benchmark(arguments.benchmark)
    chosen = set(arguments.sessions.split(",")) - {""}
    theorems = drawn(benchmark, Library.of_benchmark(benchmark), arguments.limit, arguments.split, chosen)
    done = read_rows(arguments.rows)
    open_arms = [(each, [arm for arm in arms if (each.example.id, arm) not in done]) for each in theorems]
    todo = [(each, left) for each, left in open_arms if left]
    # Every worker starts anew, so that the model sees its cores only.
    context = multiprocessing.get_context("spawn")
    taken, end = context.Value("i", 0), time.monotonic() + arguments.deadline
    processes = [
        context.Process(target=work, args=(number, arguments, todo, taken, end)) for number in range(arguments.workers)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    statuses = [process.exitcode for process in processes]
    print(*failures(statuses), sep="\n", end="\n" if any(statuses) else "", file=sys.stderr)
    wanted = {each.example.id for each in theorems}
    table: dict[str, list[dict[str, Any]]] = {}
    for row in read_rows(arguments.rows).values():
        if row["id"] in wanted:
            table.setdefault(f"{row['draw']} {row['arm']}", []).append(row)
    for key in sorted(table):
        print(f"{key:14} {json.dumps(counted(table[key]))}")
    document = {
        "benchmark": "prove",
        "split": arguments.split,
        "seconds": arguments.seconds,
        "rows": {key: counted(table[key]) for key in sorted(table)},
        "data": benchmark.hash[:12],
        "provers": installed(),
        "not_asked": not_installed(),
        "machine": f"{platform.processor() or platform.machine()}, {CORES} of {os.cpu_count()} cores a worker",
        "workers": arguments.workers,
        "failed": len(failures(statuses)),
    }
    if arguments.row is not None:
        keep_rows(arguments, table)
    print(json.dumps(document))


def keep_rows(arguments: argparse.Namespace, table: dict[str, list[dict[str, Any]]]) -> None:
    """Of every draw that one of the arms was asked about as a whole."""
    whole = {key: rows for key, rows in sorted(table.items()) if len(rows) == SIZES[key.split()[0]]}
    for key, rows in whole.items():
        draw, arm = key.split()
        keep_row(arguments.row, {
            "statements": f"{draw} of {arguments.split}", "arm": ARMS[arm], "many": len(rows),
            "read": sum("unread" not in row for row in rows), "proved": counted(rows)["proved"], "accepted": None,
            "seconds": arguments.seconds, "provers": installed(), "commit": arguments.commit,
            "command": f"python research/benchmarks/prove.py --rows FILE --arms {arm}",
        })  # fmt: skip


if __name__ == "__main__":
    main()
