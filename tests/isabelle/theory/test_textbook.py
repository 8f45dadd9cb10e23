"""The problems of research/benchmarks/textbook.py are read, and so are the steps that would help."""

import json
from pathlib import Path

import pytest

from isarstep.apps.engine import Engine
from isarstep.isabelle.theory.problems.problem import Problem

PROBLEMS = Path(__file__).parents[3] / "research" / "benchmarks"


@pytest.mark.parametrize(
    ("file", "count"), [pytest.param("textbook.jsonl", 40, marks=pytest.mark.slow), ("textbook_held.jsonl", 15)]
)
def test_every_problem_and_every_step_is_read(engine: Engine, file: str, count: int) -> None:
    problems = [json.loads(line) for line in (PROBLEMS / file).read_text(encoding="utf-8").splitlines()]
    assert len({problem["name"] for problem in problems}) == len(problems) == count
    for problem in problems:
        imports = tuple(problem.get("imports", ()))
        task = engine.read(
            Problem(problem["goal"], tuple(problem["facts"]), types=problem.get("types", {}), imports=imports)
        )
        steps = [engine.answer(task, step) for step in problem["steps"]]
        # Two of them may be one statement: `even a` abbreviates `2 dvd a`.
        assert len(set(problem["steps"])) == len(steps) > 0
        assert task.example.f3 not in steps
