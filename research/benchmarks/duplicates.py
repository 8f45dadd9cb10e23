"""How many lines of code stand in two places, and how many exceptions from the type checker there are.

    python research/benchmarks/duplicates.py [ROOT] [--show]

A line counts where five lines in a row are equal to five others but for indentation; imports, comments and empty lines
are left out. Counted are src, benchmarks and experiments, and tests apart. `--show` names the places.
"""

from __future__ import annotations

import argparse
import ast
import json
from collections import defaultdict
from pathlib import Path

WINDOW = 5
PARTS = {"code": ("src", "research"), "tests": ("tests",)}


def lines_of(path: Path) -> list[tuple[int, str]]:
    text = path.read_text(encoding="utf-8")
    imported: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            imported.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    stripped = ((number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if number not in imported)
    return [(number, line) for number, line in stripped if line and not line.startswith("#")]


def repeated(files: list[Path]) -> tuple[int, set[tuple[Path, int]]]:
    """How many lines there are, and those that stand in two places."""
    windows: dict[tuple[str, ...], list[tuple[Path, list[int]]]] = defaultdict(list)
    total = 0
    for path in files:
        lines = lines_of(path)
        total += len(lines)
        for start in range(len(lines) - WINDOW + 1):
            part = lines[start : start + WINDOW]
            windows[tuple(line for _, line in part)].append((path, [number for number, _ in part]))
    places = [place for found in windows.values() if len(found) > 1 for place in found]
    return total, {(path, number) for path, numbers in places for number in numbers}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path, nargs="?", default=Path(__file__).parents[2])
    parser.add_argument("--show", action="store_true")
    chosen = parser.parse_args()
    rows = {}
    for part, folders in PARTS.items():
        files = sorted(path for folder in folders for path in (chosen.root / folder).rglob("*.py"))
        total, twice = repeated(files)
        ignores = sum(path.read_text(encoding="utf-8").count("# type: ignore") for path in files)
        rows[part] = {"lines": total, "twice": len(twice), "ignores": ignores}
        share = 100 * len(twice) / max(total, 1)
        print(f"{part:6} {total:7,} lines, {len(twice):4} in two places ({share:.2f} %), {ignores} type: ignore")
        if chosen.show:
            for path in sorted({path for path, _ in twice}):
                numbers = sorted(number for where, number in twice if where == path)
                print(f"  {path.relative_to(chosen.root)}: {numbers[0]}-{numbers[-1]}, {len(numbers)} lines")
    print(json.dumps({"benchmark": "duplicates", "rows": rows}))


if __name__ == "__main__":
    main()
