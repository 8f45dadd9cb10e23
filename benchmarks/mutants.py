"""How many small mistakes the tests notice: one change at a time in a copy of the source, and the tests of that file.

    python benchmarks/mutants.py                      # every file of the list; hours
    python benchmarks/mutants.py serve/gate.py        # one file
    python benchmarks/mutants.py --most 20            # a sample of each file, the same one each time

A mutant that no test notices is printed with its line: either a test is missing or the change means nothing. Mutants
are comparisons, `and`/`or`, `not`, arithmetic, small numbers and truth values exchanged for their neighbours.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
SECONDS = 600  # a mutant that loops for ever is noticed, too

# Where a wrong answer would not be seen at once, and the tests that have to see it.
FILES: dict[str, tuple[str, ...]] = {
    "logic/terms.py": ("tests/logic/test_terms.py", "tests/logic/test_tokens.py"),
    "logic/tokens.py": ("tests/logic/test_tokens.py",),
    "logic/normalise.py": ("tests/logic/test_normalise.py",),
    "logic/unify.py": ("tests/logic/test_infer.py",),
    "logic/infer.py": ("tests/logic/test_infer.py",),
    "bench/rules.py": ("tests/bench",),
    "bench/extract.py": ("tests/bench",),
    "check/verdict.py": ("tests/check/test_embedded.py", "tests/check/test_parts.py"),
    "check/likeness.py": ("tests/check/test_embedded.py", "tests/check/test_parts.py"),
    "check/matching.py": ("tests/check/test_instances.py", "tests/check/test_rewriting.py"),
    "check/monomorphise.py": ("tests/check/test_parts.py", "tests/check/test_derivations.py"),
    "check/lower.py": ("tests/check/test_derivations.py",),
    "check/embedded.py": ("tests/check/test_embedded.py", "tests/check/test_derivations.py"),
    "decode/hypotheses.py": ("tests/decode",),
    "decode/search.py": ("tests/decode/test_search.py",),
    "decode/bleu.py": ("tests/evaluate/test_bleu.py",),
    "serve/gate.py": ("tests/serve/test_gate.py",),
}

COMPARE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult,
}  # fmt: skip


def mutants(text: str) -> Iterator[tuple[int, str, str]]:
    """(line, what was changed, the whole file with that change)."""
    count = sum(1 for _ in ast.walk(ast.parse(text)))
    for place in range(count):
        tree = ast.parse(text)
        node = next(node for number, node in enumerate(ast.walk(tree)) if number == place)
        before = ast.unparse(node) if isinstance(node, ast.expr) else ""
        if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARE:
            node.ops[0] = COMPARE[type(node.ops[0])]()
        elif isinstance(node, ast.BoolOp):
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
            node.op = ARITHMETIC[type(node.op)]()
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            node.operand = ast.UnaryOp(ast.Not(), node.operand)
        elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
            node.value = not node.value
        elif isinstance(node, ast.Constant) and isinstance(node.value, int):
            node.value += 1
        else:
            continue
        yield node.lineno, f"{before} -> {ast.unparse(node)}", ast.unparse(ast.fix_missing_locations(tree))


def noticed(source: Path, tests: tuple[str, ...]) -> bool:
    """Do the tests fail on the source in this folder?"""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "--no-header", *tests]
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def run(name: str, most: int | None, source: Path) -> tuple[int, list[str]]:
    """How many mutants there were, and those that nobody noticed."""
    path = source / "isarstep" / name
    text = path.read_text(encoding="utf-8")
    if noticed(source, FILES[name]):
        raise SystemExit(f"{name}: its tests fail without any change; run them first")
    made = list(mutants(text))
    if most is not None and most < len(made):
        made = sorted(random.Random(name).sample(made, most))
    survivors = []
    for line, change, mutant in made:
        path.write_text(mutant, encoding="utf-8")
        if not noticed(source, FILES[name]):
            survivors.append(f"{name}:{line}: {change}")
            print(survivors[-1], flush=True)
    path.write_text(text, encoding="utf-8")
    return len(made), survivors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", default=list(FILES), choices=[[], *FILES], metavar="FILE")
    parser.add_argument("--most", type=int, help="at most so many mutants of a file")
    chosen = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "src"
        shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__", "benchmark", "model"))
        for data in ("benchmark", "model"):  # large, and nobody changes them
            (source / "isarstep" / "data" / data).symlink_to(ROOT / "src" / "isarstep" / "data" / data)
        for name in chosen.files:
            count, survivors = run(name, chosen.most, source)
            share = 100 * (1 - len(survivors) / count) if count else 100.0
            print(f"{name:24} {count:5} mutants, {count - len(survivors):5} noticed, {share:5.1f} %", flush=True)
            rows.append({"file": name, "mutants": count, "survivors": survivors})
    total, left = sum(row["mutants"] for row in rows), sum(len(row["survivors"]) for row in rows)
    print(json.dumps({"benchmark": "mutants", "mutants": total, "noticed": total - left, "rows": rows}))


if __name__ == "__main__":
    main()
