"""docs/corpus.csv: what was mined, session by session.

    python research/benchmarks/corpus.py GRAPHS                     # prints the rows
    python research/benchmarks/corpus.py GRAPHS docs/corpus.csv     # adds them to those that stand there

GRAPHS is a folder that `isarstep mine` filled. A benchmark grows by graphs of new sessions, mined elsewhere than the
first ones: rows of sessions of which GRAPHS has no more theories stay as they are, and the sums are made anew.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from pathlib import Path

from isarstep.isabelle.process.graph_store import Store

COLUMNS = "session theories proofs steps uses unresolved load_cpu_s mine_cpu_s kb failed_theories failures".split()

Row = tuple[float, ...]


def mined(graphs: Path) -> dict[str, Row]:
    store = Store(graphs)
    summary = store.write_summary()
    failures = Counter(entry["theory"] for entry in summary["failures"])
    by_session: Counter[str] = Counter()
    for record in store.journal():
        if "theory" in record and record["theory"] in failures:
            by_session[record["session"]] += failures.pop(record["theory"])
    fields = ("theories", "proofs", "steps", "resolved", "unresolved", "load_cpu", "mine_cpu")
    return {
        name: (*(row[field] for field in fields), row["bytes"] / 1000, row["failed_theories"], by_session[name])
        for name, row in summary["sessions"].items()
    }


def written(file: Path) -> dict[str, Row]:
    with file.open(encoding="utf-8", newline="") as lines:
        return {name: tuple(map(float, row)) for name, *row in [*csv.reader(lines)][1:] if name != "all"}


def merged(before: dict[str, Row], now: dict[str, Row]) -> dict[str, Row]:
    return {**before, **{name: row for name, row in now.items() if name not in before or row[0] > before[name][0]}}


def table(rows: dict[str, Row]) -> list[str]:
    sums = tuple(map(sum, zip(*rows.values(), strict=True)))
    return [",".join(COLUMNS)] + [
        ",".join([name, *(f"{value:.{int(place == 6)}f}" for place, value in enumerate(row))])
        for name, row in [*sorted(rows.items()), ("all", sums)]
    ]


def main() -> None:
    rows = mined(Path(sys.argv[1]))
    if len(sys.argv) == 2:
        print("\n".join(table(rows)))
        return
    file = Path(sys.argv[2])
    file.write_text("\n".join(table(merged(written(file), rows))) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
