"""The table of docs/corpus.md: what was mined, session by session.

    python benchmarks/corpus.py GRAPHS > table.md

GRAPHS is a folder that `isarstep mine` filled.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from isarstep.mine.store import Store


def main() -> None:
    store = Store(Path(sys.argv[1]))
    summary = store.write_summary()
    failures = Counter(entry["theory"] for entry in summary["failures"])
    per_session: Counter[str] = Counter()
    for record in store.journal():
        if "theory" in record and record["theory"] in failures:
            per_session[record["session"]] += failures.pop(record["theory"])
    columns = (
        "session, theories, proofs, steps, uses, unresolved, load CPU s, mine CPU s, KB, failed theories, failures"
    )
    print("| " + " | ".join(columns.split(", ")) + " |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    rows = [*sorted(summary["sessions"].items()), ("all", summary["total"])]
    for name, row in rows:
        count = per_session[name] if name != "all" else len(summary["failures"])
        print(
            f"| {name} | {row['theories']:.0f} | {row['proofs']:.0f} | {row['steps']:.0f} | {row['resolved']:.0f} |"
            f" {row['unresolved']:.0f} | {row['load_cpu']:.0f} | {row['mine_cpu']:.1f} | {row['bytes'] / 1000:.0f} |"
            f" {row['failed_theories']:.0f} | {count} |"
        )


if __name__ == "__main__":
    main()
