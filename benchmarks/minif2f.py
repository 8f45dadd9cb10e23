"""How many statements of miniF2F's Isabelle part are read, and why the others are refused.

    python benchmarks/minif2f.py FOLDER/isabelle/valid            # the folder that the user fetched
    python benchmarks/minif2f.py FOLDER/isabelle/valid --refused  # with every refusal

Tuning looks at `valid` only; a folder named `test` is refused unless --once is given. The last line that is printed is
one JSON document.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from functools import cache
from pathlib import Path

from isarstep.bench.store import Benchmark
from isarstep.bench.worlds import World
from isarstep.data import benchmark_folder
from isarstep.errors import UserError
from isarstep.theory.pasted import problem_of_text
from isarstep.theory.problem_reader import ProblemReader
from isarstep.theory.task import Task

STATEMENT = re.compile(r"^\s*(?:theorem|lemma)\b", re.MULTILINE)
LIBRARY = re.compile(r"\bimports\s+(.*?)\bbegin\b", re.DOTALL)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--refused", action="store_true")
    parser.add_argument("--once", action="store_true", help="read the test part, which is done once")
    asked = parser.parse_args()
    if asked.folder.name == "test" and not asked.once:
        raise SystemExit("minif2f.py: test is read once, with --once; tune on valid")
    benchmark = Benchmark(benchmark_folder("embedded"))
    reasons: Counter[str] = Counter()
    paths = sorted(asked.folder.glob("*.thy"))
    for path in paths:
        reason = refusal(benchmark, path.read_text(encoding="utf-8"))
        reasons[kind(reason)] += 1
        if asked.refused and reason:
            print(f"{path.stem}: {reason}")
    for reason, count in reasons.most_common():
        print(f"{count:>5}  {reason or 'read'}")
    print(json.dumps({"statements": len(paths), "read": reasons[""], "refused": len(paths) - reasons[""]}))


def refusal(benchmark: Benchmark, text: str) -> str:
    """Why a statement is not read; empty where it is."""
    found = STATEMENT.search(text)
    if found is None:
        return "no statement"
    try:
        task = read_statement(benchmark, text[found.start() :], imports_of(benchmark, text))
    except UserError as error:
        return str(error)
    return "" if task.example.f3 is not None else "no goal"


def read_statement(benchmark: Benchmark, statement: str, imports: tuple[str, ...]) -> Task:
    world = benchmark.worlds.importing(imports)
    return reader(world).read(problem_of_text(statement, imports))


@cache
def reader(world: World) -> ProblemReader:
    return ProblemReader(world)


def imports_of(benchmark: Benchmark, text: str) -> tuple[str, ...]:
    """The imported theories by their last names, as far as the benchmark has them."""
    found = LIBRARY.search(re.sub(r"\(\*.*?\*\)", "", text, flags=re.DOTALL))
    names = [name.strip('"').rpartition("/")[2].rpartition(".")[2] for name in found[1].split()] if found else []
    known = {name.rpartition(".")[2] for name in benchmark.worlds.parents}
    return tuple(name for name in names if name in known) or ("Complex_Main",)


def kind(reason: str) -> str:
    """Without names and places, so that refusals can be counted."""
    short = re.sub(r"'[^']*'|`[^`]*`|“[^”]*”|\"[^\"]*\"", "_", reason.splitlines()[0]) if reason else ""
    return re.sub(r"\d+", "n", short)[:110]


if __name__ == "__main__":
    main()
