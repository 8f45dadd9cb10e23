"""The forty problems of benchmarks/textbook.py are read, and so are the steps that would help."""

import json
from pathlib import Path

from isarstep.serve.engine import Engine
from isarstep.theory.problem import Problem

PROBLEMS = Path(__file__).parents[2] / "benchmarks" / "textbook.jsonl"


def test_every_problem_and_every_step_is_read(engine: Engine) -> None:
    problems = [json.loads(line) for line in PROBLEMS.read_text(encoding="utf-8").splitlines()]
    assert len({problem["name"] for problem in problems}) == len(problems) == 40
    for problem in problems:
        imports = tuple(problem.get("imports", ()))
        task = engine.read(
            Problem(problem["goal"], tuple(problem["facts"]), types=problem.get("types", {}), imports=imports)
        )
        steps = [engine.answer(task, step) for step in problem["steps"]]
        assert len(set(steps)) == len(steps) > 0
        assert task.example.f3 not in steps
