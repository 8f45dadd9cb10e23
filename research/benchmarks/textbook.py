"""Forty problems of textbooks: is one of the steps that help, written down in textbook.jsonl before anything was tuned,
among the first three proposals?

    python research/benchmarks/textbook.py                            # provers look at every proposal
    python research/benchmarks/textbook.py --table docs/textbook.md   # and writes the table
    python research/benchmarks/textbook.py --no-check                 # the model's own order
    python research/benchmarks/textbook.py --rules                    # what is one rule of the library away, without the model
    python research/benchmarks/textbook.py --held                     # 15 others, on which nothing was tuned

A proposal counts if it is one of the steps up to the names of bound variables. The last line that is printed is one
JSON document.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
from functools import partial
from pathlib import Path
from typing import Any

from isarstep.apps.engine import Engine, default_engine
from isarstep.benchmark.problems.task import Task
from isarstep.common.errors import UserError
from isarstep.isabelle.theory.problems.problem import Problem
from isarstep.prover.atp.provers import installed
from isarstep.prover.outcomes.step import Step

PROBLEMS = Path(__file__).with_suffix(".jsonl")
HELD = PROBLEMS.with_stem("textbook_held")
FIRST = 3
INTRODUCTION = """# Forty problems of textbooks

Made by `python research/benchmarks/textbook.py --table docs/textbook.md`: for each problem the first three proposals of the
shipped model and of the library's rules after provers ({provers}) have looked at them, and the place of the first one
that is among the steps written down in `research/benchmarks/textbook.jsonl` before anything was asked. One is among the first
three for **{helped} of {problems}**, among the ten for {ten}. A proposal that helps and was not foreseen does not
count.

| Problem | Goal | Place | First three proposals |
|---|---|---|---|
"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--no-check", action="store_true")
    parser.add_argument("--rules", action="store_true")
    parser.add_argument("--held", action="store_true")
    parser.add_argument("--table", type=Path)
    parser.add_argument("--workers", type=int, default=1, help="problems that are asked at the same time")
    asked = parser.parse_args()
    file = HELD if asked.held else PROBLEMS
    problems = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    rows: list[str] = []
    places: list[int | None] = []
    with multiprocessing.get_context("spawn").Pool(asked.workers) as pool:
        for problem, (place, texts) in zip(
            problems, pool.imap(partial(answered, asked.no_check, asked.rules), problems), strict=True
        ):
            places.append(place)
            print(f"{place or '-':>3}  {problem['name']}: {'; '.join(texts)}", flush=True)
            first = "; ".join(f"`{text}`" for text in texts)
            rows.append(f"| {problem['name']} | `{problem['goal']}` | {place or '–'} | {first} |".replace("¦", "∣"))
    found = {
        "problems": len(problems),
        "checked": not asked.no_check and not asked.rules,
        "among_first_three": sum(place is not None and place <= FIRST for place in places),
        "among_ten": sum(place is not None for place in places),
        "provers": ", ".join(installed()),
    }
    if asked.table is not None:
        numbers = {"helped": found["among_first_three"], "ten": found["among_ten"]}
        told = INTRODUCTION.format(provers=found["provers"], problems=len(problems), **numbers)
        asked.table.write_text(told + "\n".join(rows) + "\n", encoding="utf-8")
    print(json.dumps(found))


def answered(no_check: bool, rules: bool, problem: dict[str, Any]) -> tuple[int | None, list[str]]:
    """The place of the first proposal that is wanted, and the first proposals."""
    engine = default_engine()
    task = engine.read(problem_of(problem))
    steps: list[Step]
    if no_check:
        steps = engine.propose(task)
    else:
        with engine.proving() as proving:
            if rules:
                steps = engine.by_rules(task, proving.one_rule_away(task))
            else:
                steps = engine.propose(task, proving=proving)
    return place_of_step(engine, task, steps, problem["steps"]), [step.text for step in steps[:FIRST]]


def problem_of(problem: dict[str, Any]) -> Problem:
    return Problem(
        problem["goal"],
        tuple(problem["facts"]),
        types=problem.get("types", {}),
        imports=tuple(problem.get("imports", ())),
    )


def place_of_step(engine: Engine, task: Task, steps: list[Step], wanted: list[str]) -> int | None:
    """Of the first proposal that is wanted, from 1."""
    right = set()
    for text in wanted:
        try:
            right.add(engine.answer(task, text))
        except UserError as error:
            raise SystemExit(f"textbook.py: {text!r} is not read: {error}") from None
    return next((place for place, step in enumerate(steps, 1) if step.tokens in right), None)


if __name__ == "__main__":
    main()
