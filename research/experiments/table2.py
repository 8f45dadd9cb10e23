"""The paper's Table 2, correct propositions: the first answers of several lists judged together by one checker.

    python research/experiments/table2.py gather first.jsonl LIST... --wrong            # every different first answer, once
    python research/experiments/table2.py gather second.jsonl LIST... --beside first.jsonl  # those that are not there
    python research/experiments/table2.py check first.jsonl --minutes 20                # resumable; without minutes to the end
    python research/experiments/table2.py check second.jsonl --beside first.jsonl
    python research/experiments/table2.py deal first.jsonl LIST... --beside second.jsonl    # LIST.verdicts.parquet

Rows of the paper's tables often give the same first answer, and what an example says without any answer is asked once
for all of them. What is no reference comes first (`--wrong`): a reference is correct whatever provers say of it.
`isarstep check first.jsonl --top 8 --resume` does the same work as `check`; this one needs neither typer nor rich,
and ends in time. What is not done then is done by the same line again, here or elsewhere.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.model.decode.predictions import read_meta, read_predictions, stem
from isarstep.prover.atp.provers import installed, presences
from isarstep.prover.check.jobs import Run, Settings, Work, default_jobs, run_local, write_verdicts

SPLIT = "test"
MOST = 8  # different first answers to one example: more lists are not judged together


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["gather", "check", "deal"])
    parser.add_argument("firsts", type=Path)
    parser.add_argument("lists", type=Path, nargs="*")
    parser.add_argument("--benchmark", default="embedded")
    parser.add_argument("--jobs", type=int, default=0, help="processes; 0 is one for each core")
    parser.add_argument("--minutes", type=float, help="after which nothing more is begun")
    parser.add_argument("--limit", type=int, help="only so many examples, the first ones")
    parser.add_argument("--wrong", action="store_true", help="leave out answers that are the reference")
    parser.add_argument("--beside", type=Path, help="gather: leave out its answers; check, deal: use its results, too")
    chosen = parser.parse_args(arguments)
    try:
        match chosen.what:
            case "gather":
                gather(chosen)
            case "check":
                return check(chosen)
            case "deal":
                deal([each for each in (chosen.firsts, chosen.beside) if each], chosen.lists, chosen.benchmark)
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def first_answers(path: Path, benchmark: Benchmark, ids: Sequence[str]) -> list[str | None]:
    """Of a list, in the order of the ids; lists that answer more examples, of before rules 2.1, are read, too."""
    gone = benchmark.taken_out(str(read_meta(path).get("benchmark", "")), SPLIT)
    return [nbest[0] if nbest else None for nbest in read_predictions(path, ids, gone or ()).lists]


def ids_of(benchmark: Benchmark) -> list[str]:
    return [str(identifier) for identifier in benchmark.split(SPLIT).table()["id"].to_pylist()]


def gather(chosen: argparse.Namespace) -> None:
    out, lists = chosen.firsts, chosen.lists
    if not 0 < len(lists) <= MOST:
        raise UserError(f"give one to {MOST} lists")
    benchmark = Benchmark(chosen.benchmark)
    split, ids = benchmark.split(SPLIT), ids_of(benchmark)
    known = read_predictions(chosen.beside, ids).lists if chosen.beside else [()] * len(ids)
    columns = [first_answers(path, benchmark, ids) for path in lists]
    rows, count = [], 0
    for at, (identifier, *answers) in enumerate(zip(ids[: chosen.limit], *columns, strict=chosen.limit is None)):
        passed = {None, *known[at], *([split[at].f1] if chosen.wrong else [])}
        different = [answer for answer in dict.fromkeys(answers) if answer not in passed]
        rows.append({"id": identifier, "predictions": [{"tokens": each, "score": 0.0} for each in different]})
        count += len(different)
    out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    about = {"benchmark": benchmark.hash, "split": SPLIT, "lists": [str(Path(*path.parts[-3:])) for path in lists]}
    out.with_suffix(".meta.json").write_text(json.dumps(about, indent=1) + "\n")
    print(f"{out}: {count:,} different answers to {sum(bool(row['predictions']) for row in rows):,} examples")


def check(chosen: argparse.Namespace) -> int:
    """0: the table is whole; 3: time was up before."""
    firsts, jobs, began = chosen.firsts, chosen.jobs or default_jobs(), time.monotonic()
    if missing := [str(presence) for presence in presences() if presence.version is None]:
        raise UserError(f"verdicts of a table want all provers; not here: {'; '.join(missing)}")
    if (out := verdicts_of(firsts)).is_file():
        print(f"{out}: is there already")
        return 0
    settings = Settings(chosen.benchmark, SPLIT)
    lists = read_predictions(firsts, ids_of(Benchmark(chosen.benchmark))).lists
    run = Run(out, settings, [Work(at, answers) for at, answers in enumerate(lists) if answers], resume=True)
    if chosen.beside and answered(chosen.beside).is_file() and not run.cache.is_file():
        copy_answers(answered(chosen.beside), run.cache)
    left = sum(len(work.proposals) for number in run.missing() for work in run.chunks[number])
    print(
        f"{left:,} answers to judge, {len(run.missing()):,} of {len(run.chunks):,} chunks, {jobs} processes", flush=True
    )
    done, told = 0, began
    for count in run_local(run, jobs):
        done, now = done + count, time.monotonic()
        if now - told > 20:
            told = now
            print(f"{now - began:.0f} s: {done:,} of {left:,} answers judged", flush=True)
        if chosen.minutes is not None and now - began > 60 * chosen.minutes:
            print(f"time is up: {len(run.missing()):,} of {len(run.chunks):,} chunks are left", flush=True)
            os._exit(3)  # workers end with us; what they are at is not waited for
    if run.cache.is_file():
        copy_answers(run.cache, answered(firsts))
    run.finish(settings.metadata(f"{', '.join(installed())}, {settings.seconds:g} s a gap"))
    print(f"{out}: {done:,} answers judged in {time.monotonic() - began:.0f} s", flush=True)
    return 0


def answered(firsts: Path) -> Path:
    """What provers said, for who asks about the same examples."""
    return firsts.with_suffix(".answers.sqlite")


def copy_answers(source: Path, target: Path) -> None:
    """By the data base itself: part of it may lie in a second file."""
    with closing(sqlite3.connect(source)) as given, closing(sqlite3.connect(target)) as copied:
        given.backup(copied)


def verdicts_of(firsts: Path) -> Path:
    return firsts.with_name(stem(firsts) + ".verdicts.parquet")


def deal(sources: Sequence[Path], lists: Sequence[Path], name: str) -> None:
    """To each list the verdicts on its own first answers."""
    benchmark = Benchmark(name)
    ids = ids_of(benchmark)
    judged: dict[tuple[str, str], dict[str, Any]] = {}
    about: dict[str, dict[str, str]] = {}
    for firsts in sources:
        table = pq.read_table(verdicts_of(firsts))
        about[str(firsts)] = {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}
        gathered = dict(zip(ids, read_predictions(firsts, ids).lists, strict=True))
        judged |= {(row["example"], gathered[row["example"]][row["rank"]]): row for row in table.to_pylist()}
    if len({json.dumps(each) for each in about.values()}) != 1:
        raise UserError(f"verdicts of different checkers are not put together: {about}")
    for path in lists:
        answers = zip(ids, first_answers(path, benchmark, ids), strict=True)
        wanted = [(identifier, answer) for identifier, answer in answers if answer is not None]
        if missing := sum(pair not in judged for pair in wanted):
            raise UserError(f"{path}: {missing} of its first answers are not judged; gather and check again")
        out = path.with_name(stem(path) + ".verdicts.parquet")
        rows = [judged[pair] | {"rank": 0} for pair in wanted]
        write_verdicts(out, rows, next(iter(about.values())))
        print(f"{out}: {len(rows):,} judged, {sum(bool(row['correct']) for row in rows):,} correct")


if __name__ == "__main__":
    raise SystemExit(main())
