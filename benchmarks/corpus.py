"""The table of docs/corpus.md: what was mined, session by session.

    python benchmarks/corpus.py GRAPHS                     # prints the table
    python benchmarks/corpus.py GRAPHS docs/corpus.md      # puts its rows into the table that stands there

GRAPHS is a folder that `isarstep mine` filled. A benchmark grows by graphs of new sessions, mined elsewhere than the
first ones: rows of sessions of which GRAPHS has no more theories stay as they are, and the sums are made anew.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

from isarstep.mine.store import Store

COLUMNS = "session theories proofs steps uses unresolved load_CPU_s mine_CPU_s KB failed_theories failures".split()
ROW = re.compile(r"^\| (?P<name>[\w+-]+) \| (?P<numbers>[\d. |]+) \|$", re.MULTILINE)

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


def written(page: str) -> dict[str, Row]:
    rows = {row["name"]: tuple(map(float, row["numbers"].split(" | "))) for row in ROW.finditer(page)}
    rows.pop("all", None)
    return rows


def merged(before: dict[str, Row], now: dict[str, Row]) -> dict[str, Row]:
    return {**before, **{name: row for name, row in now.items() if name not in before or row[0] > before[name][0]}}


def table(rows: dict[str, Row]) -> list[str]:
    sums = tuple(map(sum, zip(*rows.values(), strict=True)))
    head = ["| " + " | ".join(COLUMNS).replace("_", " ") + " |", "|---" + "|--:" * (len(COLUMNS) - 1) + "|"]
    return head + [
        f"| {name} | " + " | ".join(f"{value:.{int(place == 6)}f}" for place, value in enumerate(row)) + " |"
        for name, row in [*sorted(rows.items()), ("all", sums)]
    ]


def main() -> None:
    now = mined(Path(sys.argv[1]))
    if len(sys.argv) == 2:
        print("\n".join(table(now)))
        return
    page = Path(sys.argv[2])
    lines = page.read_text(encoding="utf-8").splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("| session |"))
    end = next(number for number, line in enumerate(lines) if line.startswith("| all |"))
    lines[first : end + 1] = table(merged(written("\n".join(lines[first : end + 1])), now))
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
