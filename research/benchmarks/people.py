"""For how many of people's own problems is a step among ten that is new, consistent with the facts and proved on both
sides?

    python research/benchmarks/people.py [--model embedded] [--seconds 0.3] [--problems tests/apps/peoples_problems.txt]

Half of the problems speak of constants that are defined on the spot. A step is consistent with the facts if it follows
from them and they do not contradict each other. Beside the count stands that of goals that provers close without any
step: there a step shows less.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isarstep.apps.engine import Engine
from isarstep.common.errors import UserError
from isarstep.isabelle.theory.problems.problem import Problem
from isarstep.prover.atp.provers import installed
from isarstep.prover.check.prover_session import Limits, Proving
from isarstep.prover.outcomes.verdict import Proved

PROBLEMS = Path(__file__).parents[2] / "tests" / "apps" / "peoples_problems.txt"
AMONG = 10


@dataclass(frozen=True)
class Asked:
    name: str
    problem: Problem


def read_problems(text: str) -> list[Asked]:
    """Blocks of lines: a name, then `fact`, `goal`, `type`, `constant` and `theory` with what they say."""
    blocks = ([line for line in block.split("\n") if line and line[0] != "#"] for block in text.split("\n\n"))
    return [_asked(block) for block in blocks if block]


def _asked(lines: list[str]) -> Asked:
    said: dict[str, list[str]] = {"fact": [], "goal": [], "type": [], "constant": [], "theory": []}
    for line in lines[1:]:
        kind, _, text = line.partition(" ")
        if kind not in said:
            raise UserError(f"{lines[0]}: {kind}: wants one of {', '.join(said)}")
        said[kind].append(text)
    types, constants = (
        {name.strip(): typ.strip() for name, _, typ in (text.partition("::") for text in said[kind])}
        for kind in ("type", "constant")
    )
    goal = said["goal"][0] if said["goal"] else None
    problem = Problem(goal, tuple(said["fact"]), types=types, constants=constants, imports=tuple(said["theory"]))
    return Asked(lines[0], problem)


def answered(engine: Engine, proving: Proving, asked: Asked, seconds: float, library: int) -> dict[str, Any]:
    began = time.monotonic()
    task = engine.read(asked.problem)
    contradictory = isinstance(proving.contradiction(task, Limits(seconds, library)), Proved)
    direct = isinstance(proving.follows(task, task.example.f3 or "", (), Limits(seconds, library))[0], Proved)
    steps = engine.propose(task, AMONG, proving=proving)[:AMONG]
    good = [step for step in steps if step.well_formed and not step.copy and step.sides == 2 and not contradictory]
    own = [step for step in steps if any(name in step.tokens.split() for name in asked.problem.constants)]
    return {
        "name": asked.name, "own": bool(asked.problem.constants), "found": bool(good), "direct": direct,
        "contradictory": contradictory, "step": good[0].text if good else None,
        "first": [step.text for step in sorted(steps, key=lambda step: step.id)[:3]],
        "shown": [step.text for step in steps[:3]],
        "uses_own": len(own), "seconds": round(time.monotonic() - began, 1),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="embedded")
    parser.add_argument("--benchmark", default="embedded")
    parser.add_argument("--problems", type=Path, default=PROBLEMS)
    parser.add_argument("--seconds", type=float, default=0.3, help="processor time of an attempt of a prover")
    parser.add_argument("--library", type=int, default=32, help="most library facts offered")
    chosen = parser.parse_args()
    problems = read_problems(chosen.problems.read_text(encoding="utf-8"))
    engine = Engine(chosen.model, chosen.benchmark)
    rows = []
    with engine.proving(chosen.seconds, chosen.library) as proving:
        for asked in problems:
            rows.append(answered(engine, proving, asked, chosen.seconds, chosen.library))
            row = rows[-1]
            print(f"{'yes' if row['found'] else 'no ':3} {row['name']}: {row['shown']}", flush=True)
    own = [row for row in rows if row["own"]]
    print(
        f"\n{sum(row['found'] for row in rows)} of {len(rows)}; with own constants {sum(row['found'] for row in own)}"
    )
    print(
        json.dumps(
            {
                "model": chosen.model, "benchmark": engine.benchmark.hash[:12], "provers": installed(),
                "problems": len(rows), "found": sum(row["found"] for row in rows), "own": len(own),
                "found_own": sum(row["found"] for row in own), "direct": sum(row["direct"] for row in rows),
                "found_not_direct": sum(row["found"] and not row["direct"] for row in rows), "rows": rows,
            },
            ensure_ascii=False,
        )
    )  # fmt: skip


if __name__ == "__main__":
    main()
