"""How many lines of the package did commits take out that only merge and delete? By commit, and by room before and now.

    python research/benchmarks/removed_lines.py 5d0ec4d --leave-out 0c7ccf2

Counted are Python lines of commits that remove more than they add, without those that move (--leave-out), and less what
commits brought back whose subject begins with Revert. Prints tables; the last line is one JSON document.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[2]


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def commits(start: str) -> Iterator[tuple[str, int]]:
    """Subject after the hash, and how many lines are gone."""
    for block in git("log", "--numstat", "--format=%x00%h %s", f"{start}..", "--", "src").split("\0")[1:]:
        title, *rows = filter(None, block.split("\n"))
        counts = [row.split("\t") for row in rows]
        yield title, sum(int(gone) - int(new) for new, gone, name in counts if name.rstrip("}").endswith(".py"))


def by_room(commit: str) -> Counter[str]:
    rooms: Counter[str] = Counter()
    for name in git("ls-tree", "-r", "--name-only", commit, "--", "src/isarstep").split("\n"):
        if name.endswith(".py"):
            parts = PurePosixPath(name).parts
            rooms[parts[2] if len(parts) > 3 else "beside the rooms"] += git("show", f"{commit}:{name}").count("\n")
    return rooms


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("start")
    parser.add_argument("--leave-out", nargs="*", default=[], help="beginnings of hashes")
    options = parser.parse_args()
    rows = [(title, gone) for title, gone in commits(options.start) if not title.startswith(tuple(options.leave_out))]
    counted = [(title, gone) for title, gone in rows if gone > 0 or " Revert " in f" {title} "]
    for title, gone in sorted(counted, key=lambda row: -row[1]):
        print(f"{gone:6,} {title}")
    before, now = by_room(options.start), by_room("HEAD")
    print(f"{'room':18} {'before':>8} {'now':>8}")
    for room in sorted({*before, *now}):
        print(f"{room:18} {before[room]:8,} {now[room]:8,}")
    total, whole = sum(gone for _, gone in counted), sum(before.values())
    print(f"{total:,} of {whole:,} lines, {total / whole:.1%}; now {sum(now.values()):,}")
    print(json.dumps({"removed": total, "before": whole, "now": sum(now.values()), "rooms": {**now}}))


if __name__ == "__main__":
    main()
