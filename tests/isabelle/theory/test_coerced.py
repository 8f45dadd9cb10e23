"""Coercions in problems: put in where types fit only with them, shown, and nowhere else."""

from __future__ import annotations

import pytest

from isarstep.apps.engine import Engine
from isarstep.isabelle.theory.problems.pasted import problem_of_text
from isarstep.isabelle.theory.problems.problem import Problem, ProblemError


@pytest.mark.parametrize(
    ("goal", "types", "shown"),
    [
        ("(u + v) / 2 = 64", {"u": "nat", "v": "nat"}, "real (u + v) / 2 = 64"),
        ("x < n", {"x": "real", "n": "int"}, "x < real_of_int n"),
        ("(5::real) / 8 * b - 2 / 3 * a = 7", {"a": "nat", "b": "nat"}, "5 / 8 * real b - 2 / 3 * real a = 7"),
        ("(∑k = 1..n. 1 / k) < sqrt n", {"n": "nat"}, "(∑k = 1..n. 1 / real k) < sqrt (real n)"),
        ("n + m = k", {"n": "nat", "m": "nat", "k": "nat"}, "n + m = k"),
    ],
)
def test_a_coercion_is_put_in_and_shown(engine: Engine, goal: str, types: dict[str, str], shown: str) -> None:
    task = engine.read(Problem(goal, types=types))
    assert task.example.f3 is not None
    assert task.text(task.example.f3) == shown


def test_what_no_coercion_mends_is_refused(engine: Engine) -> None:
    with pytest.raises(ProblemError, match="has type"):
        engine.read(Problem("xs = (n::nat)", types={"xs": "'a list"}))
    with pytest.raises(ProblemError, match="has type"):
        engine.read(Problem("Suc x = y", types={"x": "real"}))  # there is none downwards


def test_function_types_are_read_in_isabelle_s_spelling(engine: Engine) -> None:
    text = 'theorem fixes f :: "nat \\<Rightarrow> real" assumes "f 0 = 1" shows "f 0 < n + 2" for n :: nat'
    task = engine.read(problem_of_text(text, ("Complex_Main",)))
    assert task.types()["f"] == "nat ⇒ real"
