"""What calculation, rewriting and induction prove without any prover, and what they do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from isarstep.isabelle.theory.problems.problem import Problem
from isarstep.prover.check.prover_session import Limits
from isarstep.prover.outcomes.verdict import Proved

if TYPE_CHECKING:
    from isarstep.apps.engine import Engine


def simplified(engine: Engine, monkeypatch: pytest.MonkeyPatch, goal: str, types: dict[str, str]) -> Proved | None:
    task = engine.read(Problem(goal, types=types, imports=("Complex_Main",)))
    assert task.example.f3 is not None
    with engine.proving(seconds=0.3, library=1024) as proving:
        monkeypatch.setattr(proving._provers, "prove", lambda _: pytest.fail("a prover is asked"))
        found = proving.simplified(task, task.example.f3, (), Limits(0.3, 1024))
    assert found is None or isinstance(found[0], Proved)
    return None if found is None else found[0]  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("goal", "types", "by"),
    [
        ("rev (rev xs) = xs", {}, "simp"),
        ("(∑i<n. 2 * i + 1) = n ^ 2", {"n": "nat"}, "induct n (eval; simp)"),
        ("2 * (∑i≤n. i) = n * (n + 1)", {"n": "nat"}, "induct n (eval; simp)"),
        ("foldl (λs x. s + x) a xs = a + sum_list xs", {"xs": "nat list"}, "induct xs rule: List.rev_induct (simp)"),
    ],
)
def test_no_prover_is_needed(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, goal: str, types: dict[str, str], by: str
) -> None:
    proof = simplified(engine, monkeypatch, goal, types)
    assert proof is not None
    assert proof.by == by


@pytest.mark.parametrize(
    ("goal", "types"),
    [
        ("(∑i<n. 2 * i + 1) = n ^ 3", {"n": "nat"}),
        ("2 * (∑i<n. i) = n * (n + 1)", {"n": "nat"}),
        ("foldl (λs x. s + x) a xs = sum_list xs", {"xs": "nat list"}),
        ("rev xs = xs", {}),
    ],
)
def test_what_is_false_is_not_proved(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, goal: str, types: dict[str, str]
) -> None:
    assert simplified(engine, monkeypatch, goal, types) is None


def test_what_the_goal_binds_is_told(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    proof = simplified(engine, monkeypatch, "∀n::nat. (∑i<n. 2 * i + 1) = n ^ 2", {})
    assert proof is not None
    assert proof.method == "induct n"
    assert proof.opened is not None
    assert [variable.name for variable in proof.opened.variables] == ["n"]
    assert proof.opened.method == "(intro allI impI)"
    free = simplified(engine, monkeypatch, "(∑i<n. 2 * i + 1) = n ^ 2", {"n": "nat"})
    assert free is not None
    assert free.opened is None
