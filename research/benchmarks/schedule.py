"""Which provers, asked how, prove most in little time? Settings alone, one after the other, and a schedule from them.

    python research/benchmarks/schedule.py --rows schedule.jsonl --workers 16          # every setting on every gap
    python research/benchmarks/schedule.py --rows schedule.jsonl --fit                 # from the rows, the package's schedule

A setting is a prover with its options, an encoding, and how many library facts it is given in which order. The gaps are
both gaps of reference steps of the validation split, drawn by hash, without the lemmas that an author named: nobody who
asks about a proof of their own has them. What calculation or rewriting closes is asked of no prover. Each setting has
one second of processor time; a row says after how much of it there was a proof, so that shorter slices can be chosen.
All settings of a gap are done together and gaps come in the order of the hash: what an unfinished run has done is a
fair sample. Rows are appended as they are done; a run that was stopped, or whose --deadline is over, goes on.

A schedule is a greedy cover: again and again the slice that closes most open gaps for its time, until 20 s of two cores
are spent; who has less time takes the first slices of it. It is fitted for all provers together and for each alone.
Every gap counts twice, as it was and as if all had taken twice as long; without that a schedule closes fewer gaps that
it was not fitted on. Half of the gaps is fitted and the other half measured, too: that is what it is worth elsewhere.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import platform
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import Any, TextIO, get_args

from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.premises.available_facts import Order
from isarstep.prover.arithmetic.calculation import calculated
from isarstep.prover.atp.presence import E_ARGUMENTS
from isarstep.prover.atp.problems import attempt
from isarstep.prover.atp.provers import CVC5, NONLINEAR, Cache, E, Strategy, available
from isarstep.prover.atp.schedule import DATA, Effort
from isarstep.prover.check.jobs import Settings, open_checker
from isarstep.prover.check.obligations import OpenGap
from isarstep.prover.check.step_checker import Checker, first_gap, second_gap
from isarstep.prover.encode.formula import CannotEncode
from isarstep.prover.outcomes.verdict import Gap, Proved, Unknown
from isarstep.prover.rewrite.rewriting import TRUE

SECONDS = 1.0
STEPS = 200
MEMORY = 2 << 30
SPLIT = "validation"
BUDGETS = (1.0, 5.0, 20.0)
CORES = 2
SLICES = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
SPEEDS = (1, 2)  # a gap is to be closed where machines are twice as slow, too: what is closed just in time counts half
PROOFS = E_ARGUMENTS[2:]
WITHOUT_PROVERS, UNREAD = "calculation or rewriting", "not read"
# Clause selection that Isabelle gives E in Sledgehammer, and one that was made for proofs of the Mizar library.
CLAUSES_BY_FUNCTIONS = (
    "--split-clauses=4 --split-reuse-defs --simul-paramod --forward-context-sr --destructive-er-aggressive"
    " --destructive-er --presat-simplify --prefer-initial-clauses -winvfreqrank -c1 -Ginvfreqconjmax -F1 -tKBO6"
    " -H(4*FunWeight(SimulateSOS,0,20,1.5,1.5,1),3*ConjectureGeneralSymbolWeight(PreferNonGoals,200,100,200,50,50,1,"
    "100,1.5,1.5,1),1*Clauseweight(PreferProcessed,1,1,1),1*FIFOWeight(PreferProcessed))"
)
CLAUSES_BY_CONJECTURE = (
    "--definitional-cnf=24 --destructive-er-aggressive --destructive-er --prefer-initial-clauses -F1"
    " --delete-bad-limit=150000000 --forward-context-sr -winvfreqrank -c1 -Ginvfreq -WSelectComplexG -tKBO6"
    " -H(1*ConjectureRelativeSymbolWeight(SimulateSOS,0.5,100,100,100,100,1.5,1.5,1),4*ConjectureRelativeSymbolWeight("
    "ConstPrio,0.1,100,100,100,100,1.5,1.5,1.5),1*FIFOWeight(PreferProcessed),1*ConjectureRelativeSymbolWeight("
    "PreferNonGoals,0.5,100,100,100,100,1.5,1.5,1),4*Refinedweight(SimulateSOS,3,2,2,1.5,2))"
)


def _e(name: str, options: str) -> Strategy:
    return Strategy(name, "tf0", arithmetic=False, unfold=True, argv=("eprover", *options.split(), *PROOFS))


def _cvc5(name: str, *options: str) -> Strategy:
    on = tuple(tuple(option.split("=")) for option in options)
    return Strategy(name, "smt", arithmetic=True, unfold=True, options=(*NONLINEAR, *on))  # type: ignore[arg-type]


CVC5_PLAIN = Strategy("cvc5-plain", "smt", arithmetic=False, unfold=False)
E_FOLDED = replace(E, name="E-folded", unfold=False)
E_SCHEDULE = _e("E-schedule", "--auto-schedule --cpu-limit=2")
E_FUNCTIONS = _e("E-functions", CLAUSES_BY_FUNCTIONS)
E_CONJECTURE = _e("E-conjecture", CLAUSES_BY_CONJECTURE)
FULL = "full-saturate-quant=true"
CVC5_ENUM = _cvc5("cvc5-enum", FULL)
CVC5_INTERNAL = _cvc5("cvc5-internal", FULL, "decision=internal", "simplification=none")
CVC5_TRIGGERS = _cvc5("cvc5-triggers", FULL, "trigger-sel=max")
CVC5_NO_MATCHING = _cvc5("cvc5-no-matching", FULL, "e-matching=false")
CVC5_PLAIN_ENUM = replace(CVC5_PLAIN, name="cvc5-plain-enum", options=(("full-saturate-quant", "true"),))


@dataclass(frozen=True)
class Setting:
    """One way to ask, with so many library facts."""

    strategy: Strategy
    facts: int
    order: Order = "constants"

    @property
    def name(self) -> str:
        return f"{self.strategy.name} {self.facts} {self.order}"


SETTINGS = (
    *(Setting(E, facts) for facts in (0, 16, 32, 64, 128, 256, 512, 1024)),
    *(Setting(E, facts, "learned") for facts in (16, 64, 128, 512)),
    Setting(E_FOLDED, 32, "learned"),
    Setting(E_FOLDED, 128),
    Setting(E_SCHEDULE, 64, "learned"),
    Setting(E_SCHEDULE, 256),
    Setting(E_FUNCTIONS, 128),
    Setting(E_FUNCTIONS, 512, "learned"),
    Setting(E_CONJECTURE, 64),
    Setting(E_CONJECTURE, 256, "learned"),
    *(Setting(CVC5, facts) for facts in (0, 16, 64)),
    *(Setting(CVC5, facts, "learned") for facts in (32, 128)),
    *(Setting(CVC5_ENUM, facts) for facts in (0, 32)),
    Setting(CVC5_ENUM, 64, "learned"),
    Setting(CVC5_PLAIN, 32, "learned"),
    Setting(CVC5_PLAIN_ENUM, 128, "learned"),
    Setting(CVC5_INTERNAL, 32, "learned"),
    Setting(CVC5_TRIGGERS, 64),
    Setting(CVC5_NO_MATCHING, 16, "learned"),
)


def drawn(benchmark: Benchmark, steps: int) -> list[int]:
    """Places of reference steps in the split, in the order of the hash."""
    rows = benchmark.table(SPLIT, ["id", "target_kind", "f3"]).to_pylist()
    places = [n for n, row in enumerate(rows) if row["target_kind"] == "step" and row["f3"] is not None]
    return sorted(places, key=lambda n: hashlib.sha256(f"schedule {rows[n]['id']}".encode()).digest())[:steps]


def gaps_of(checker: Checker, example: Example) -> Iterator[tuple[str, OpenGap]]:
    """Both gaps of a reference step, without hints. Raises UserError."""
    context = checker.typed(replace(example, f5=())).with_proposal(example.f1)
    yield f"{example.id} first", first_gap(example, context, example.f1)
    yield f"{example.id} second", second_gap(example, context, example.f1, first=True)


def rows_of(
    checker: Checker, name: str, asked: OpenGap, settings: Sequence[Setting], done: set[tuple[str, str]], end: float
) -> Iterator[dict[str, Any]]:
    """One row for each setting that is not done yet."""
    if (name, WITHOUT_PROVERS) in done:
        return
    closer = replace(checker, effort=Effort(seconds=0.0))
    first = (*asked.general, *closer.available.named(asked.given))
    if not any(key[0] == name for key in done):
        proved = calculated(asked.local, asked.goal, asked.signature)
        left, _, _, seconds = closer.rewritten(asked, first) if proved is None else (TRUE, (), (), proved.seconds)
        if left == TRUE:
            yield {"gap": name, "setting": WITHOUT_PROVERS, "seconds": round(seconds, 3), "said": "proof"}
            return
    for order in get_args(Order):  # what is read once for a theory is in nobody's time
        closer.query(asked, first, 1, order)
    for setting in settings:
        if (name, setting.name) in done:
            continue
        if time.monotonic() > end:
            return
        row: dict[str, Any] = {"gap": name, "setting": setting.name, "seconds": None}
        began = time.process_time()
        try:
            problem = attempt(closer.query(asked, first, setting.facts, setting.order), setting.strategy)
        except CannotEncode as error:
            yield row | {"said": f"not stated: {error}"}
            continue
        row["made"] = round(time.process_time() - began, 3)
        yield row | said(checker.provers.prove([problem]))


def said(answer: Gap) -> dict[str, Any]:
    match answer:
        case Proved(_, seconds, facts):
            return {"said": "proof", "seconds": round(seconds, 3), "facts": len(facts)}
        case Unknown(why):
            return {"said": why}
        case _:
            return {"said": "out of time"}


def work(
    arguments: argparse.Namespace, places: list[int], taken: Synchronized[int], done: set[tuple[str, str]], end: float
) -> None:
    """Take steps until there are none."""
    benchmark, checker = open_checker(Settings(arguments.benchmark, SPLIT, SECONDS, MEMORY))
    examples = benchmark.split(SPLIT)
    settings = [setting for setting in SETTINGS if available([setting.strategy])]
    with checker.provers, arguments.rows.open("a", encoding="utf-8") as file:
        while time.monotonic() < end:
            with taken.get_lock():
                number, taken.value = taken.value, taken.value + 1
            if number >= len(places):
                return
            example = examples[places[number]]
            checker.provers.cache = Cache()
            try:
                for name, asked in gaps_of(checker, example):
                    for row in rows_of(checker, name, asked, settings, done, end):
                        file.write(
                            json.dumps(row, ensure_ascii=False) + "\n"
                        )  # one write a line: workers share the file
                        file.flush()
            except UserError as error:
                print(f"{example.id}: not asked, {error}", flush=True)
            print(f"step {number + 1} of {len(places)}", flush=True)


def write(file: TextIO, row: dict[str, Any]) -> None:
    """At once, and a line in one piece: workers share the file."""
    file.write(json.dumps(row, ensure_ascii=False) + "\n")
    file.flush()


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Whole lines alone: a worker may have been ended within one."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines[:-1]]


@dataclass(frozen=True)
class Slice:
    """A setting for so many seconds."""

    setting: str
    seconds: float


@dataclass(frozen=True)
class Measured:
    """Seconds to a proof by gap and setting, where there is one, and seconds to make the problem."""

    gaps: tuple[str, ...]  # those that every setting was asked about
    proofs: dict[str, dict[str, float]]  # by setting
    made: dict[str, float]  # by setting, in the mean

    @staticmethod
    def of(rows: list[dict[str, Any]]) -> Measured:
        easy = {WITHOUT_PROVERS, UNREAD}
        names = list(dict.fromkeys(row["setting"] for row in rows if row["setting"] not in easy))
        asked: dict[str, set[str]] = {}
        for row in rows:
            asked.setdefault(row["gap"], set()).add(row["setting"])
        gaps = tuple(gap for gap in asked if asked[gap] >= set(names))
        whole = set(gaps)
        proofs: dict[str, dict[str, float]] = {name: {} for name in names}
        made: dict[str, list[float]] = {name: [] for name in names}
        for row in rows:
            if row["gap"] in whole:
                made[row["setting"]].append(row.get("made", 0.0))
                if row["said"] == "proof":
                    proofs[row["setting"]][row["gap"]] = row["seconds"]
        return Measured(gaps, proofs, {name: sum(spent) / max(1, len(spent)) for name, spent in made.items()})

    def among(self, settings: Sequence[str], gaps: Sequence[str]) -> Measured:
        kept = set(gaps)
        proofs = {name: {g: s for g, s in self.proofs[name].items() if g in kept} for name in settings}
        return Measured(tuple(gaps), proofs, self.made)

    def within(self, part: Slice, slower: int = 1) -> set[str]:
        return {gap for gap, seconds in self.proofs[part.setting].items() if slower * seconds <= part.seconds}

    def closed(self, slices: Sequence[Slice]) -> set[str]:
        return {gap for part in slices for gap in self.within(part)}


def cover(measured: Measured, seconds: float) -> list[Slice]:
    """Again and again the slice that closes most open gaps for its time, until none is open that can be closed or all
    of the time is spent."""
    left, chosen, open_gaps = CORES * seconds, list[Slice](), {speed: set(measured.gaps) for speed in SPEEDS}
    while True:
        best, most = None, 0.0
        for name in measured.proofs:
            for length in SLICES:
                part = Slice(name, length)
                new = sum(len(measured.within(part, slower) & still) for slower, still in open_gaps.items())
                gain = new / (length + measured.made[name])
                if length <= left and gain > most:
                    best, most = part, gain
        if best is None:
            return chosen
        chosen.append(best)
        for slower, still in open_gaps.items():
            still -= measured.within(best, slower)
        left -= best.seconds


def begun(slices: Sequence[Slice], seconds: float) -> list[Slice]:
    """Those for which there is time, the last one cut off."""
    left, found = CORES * seconds, []
    for part in slices:
        if left > 0:
            found.append(Slice(part.setting, min(part.seconds, left)))
        left -= part.seconds
    return found


def fit(arguments: argparse.Namespace) -> dict[str, Any]:
    rows = read_rows(arguments.rows)
    measured = Measured.of(rows)
    by_name = {setting.name: setting for setting in SETTINGS}
    present = [name for name in by_name if name in measured.proofs]
    for name in sorted(present, key=lambda name: -len(measured.proofs[name])):
        print(f"{name:34} {len(measured.proofs[name]):4}  made in {measured.made[name]:.3f} s")
    provers = sorted({by_name[name].strategy.prover for name in present})
    schedules, used = [], dict[str, Setting]()
    for asked in [provers, *([prover] for prover in provers if len(provers) > 1)]:
        names = [name for name in present if by_name[name].strategy.prover in asked]
        here = measured.among(names, measured.gaps)
        chosen = cover(here, max(BUDGETS))
        halves = [measured.among(names, measured.gaps[part::2]) for part in (0, 1)]
        print(f"{'+'.join(asked)}: {len(chosen)} slices, {sum(part.seconds for part in chosen):.1f} s")
        for seconds in BUDGETS:
            elsewhere = sum(
                len(other.closed(begun(cover(half, max(BUDGETS)), seconds))) for half, other in (halves, halves[::-1])
            )
            print(
                f"  {seconds:g} s, {CORES} cores: {len(here.closed(begun(chosen, seconds)))} of {len(here.gaps)} gaps;"
                f" fitted for this time alone {len(here.closed(cover(here, seconds)))},"
                f" fitted on the other half {elsewhere}"
            )
        used |= {part.setting: by_name[part.setting] for part in chosen}
        schedules.append({"provers": asked, "slices": [[part.setting, part.seconds] for part in chosen]})
    easy = sum(row["setting"] == WITHOUT_PROVERS for row in rows)
    anyhow = {gap for found in measured.proofs.values() for gap in found}
    print(f"without provers {easy} gaps more; by any setting in {SECONDS:g} s {len(anyhow)} of {len(measured.gaps)}")
    return {
        "command": f"python research/benchmarks/schedule.py --rows {arguments.rows.name} --fit",
        "gaps": len(measured.gaps),
        "settings": {name: data_of(setting) for name, setting in used.items()},
        "schedules": schedules,
    }


def data_of(setting: Setting) -> dict[str, Any]:
    strategy = setting.strategy
    return {
        "strategy": strategy.name,
        "encoding": strategy.encoding,
        "arithmetic": strategy.arithmetic,
        "unfold": strategy.unfold,
        "argv": list(strategy.argv),
        "options": dict(strategy.options),
        "facts": setting.facts,
        "order": setting.order,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=Path, required=True, help="JSON lines, one for each gap and setting")
    parser.add_argument("--workers", type=int, default=2, help="processes; each asks one prover at a time")
    parser.add_argument("--limit", type=int, default=STEPS, help="steps")
    parser.add_argument("--deadline", type=float, default=float("inf"), help="seconds after which nothing is begun")
    parser.add_argument("--fit", action="store_true", help="ask nothing; make the schedule from the rows")
    parser.add_argument("--benchmark", default="embedded")
    arguments = parser.parse_args()
    if arguments.fit:
        DATA.write_text(json.dumps(fit(arguments), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return
    end = time.monotonic() + arguments.deadline
    places = drawn(Benchmark(arguments.benchmark), arguments.limit)
    done = {(row["gap"], row["setting"]) for row in read_rows(arguments.rows)}
    context = multiprocessing.get_context("spawn")
    taken = context.Value("i", 0)
    processes = [
        context.Process(target=work, args=(arguments, places, taken, done, end)) for _ in range(arguments.workers)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    rows = read_rows(arguments.rows)
    missing = sorted({setting.strategy.prover for setting in SETTINGS if not available([setting.strategy])})
    document = {
        "benchmark": "schedule",
        "gaps": len({row["gap"] for row in rows}),
        "rows": len(rows),
        "failed": sum(process.exitcode != 0 for process in processes),
        "not_asked": missing,
        "machine": f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, {arguments.workers} workers",
    }
    print(json.dumps(document))


if __name__ == "__main__":
    main()
