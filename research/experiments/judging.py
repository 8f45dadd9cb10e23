"""Verdicts of provers on n-best lists within so many minutes, by the checker that judges everything else.

    python research/experiments/judging.py LISTS VERDICTS.parquet --split validation --top 10 --limit 240 --minutes 30

LISTS is what `isarstep predict` writes. Like `isarstep check` it goes on where an earlier run ended, but it ends when
the minutes are over, with a table of what was judged by then: a fair sample of the examples.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from isarstep.benchmark.store.store import Benchmark
from isarstep.model.decode.predictions import read_scored
from isarstep.prover.atp.provers import installed
from isarstep.prover.check.jobs import Run, Settings, Work, default_jobs, run_local, write_verdicts

Rows = list[dict[str, Any]]


def judged(lists: Mapping[str, Sequence[str]], settings: Settings, out: Path, minutes: float, jobs: int) -> Rows:
    """The verdicts on these proposals, by id, as far as the minutes go; they are in the table `out`, too."""
    until = time.monotonic() + 60 * minutes
    ids = Benchmark(settings.benchmark).table(settings.split, ["id"])["id"].to_pylist()
    wanted = [Work(place, tuple(lists[name])) for place, name in enumerate(ids) if lists.get(name)]
    run = Run(out, settings, wanted, resume=True)
    if run.missing() and time.monotonic() < until:
        for _ in run_local(run, jobs):
            if time.monotonic() > until:
                break
    table = run.finished()
    rows: Rows = table.to_pylist()
    write_verdicts(out, rows, settings.metadata(f"{', '.join(installed())}, {settings.seconds:g} s a gap"))
    return rows


def counts(rows: Rows) -> dict[str, int]:
    """How many proposals of how many examples were judged, and what was found."""
    found = {"examples": len({row["example"] for row in rows}), "proposals": len(rows)}
    found["well-formed"] = sum(row["verdict"] == "well-formed" for row in rows)
    for notion in ("exact", "correct", "strict_correct", "alternative", "strict_alternative"):
        found[notion] = sum(row[notion] is True for row in rows)
    found["both sides"] = sum(both_sides(row) for row in rows)
    return found


def both_sides(row: Mapping[str, Any]) -> bool:
    return bool(row["first_result"] == row["second_result"] == "proved")


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lists", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--split", default="validation")
    parser.add_argument("--benchmark", default="embedded")
    parser.add_argument("--top", type=int, default=1)
    parser.add_argument("--limit", type=int, help="only so many lists, those of lowest id")
    parser.add_argument("--seconds", type=float, default=1.2, help="of processor time, a gap")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=default_jobs())
    chosen = parser.parse_args(words)
    lists = read_scored(chosen.lists)
    some = {name: [tokens for tokens, _ in lists[name][: chosen.top]] for name in sorted(lists)[: chosen.limit]}
    settings = Settings(chosen.benchmark, chosen.split, chosen.seconds)
    print(json.dumps(counts(judged(some, settings, chosen.out, chosen.minutes, chosen.jobs))))


if __name__ == "__main__":
    main()
