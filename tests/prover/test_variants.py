"""The goal or a fact again, changed in a way that helps nobody."""

from __future__ import annotations

import pytest

from isarstep.apps.engine import Engine
from isarstep.isabelle.theory.problems.problem import Problem
from isarstep.prover.outcomes.variants import Variants


def judged(engine: Engine, goal: str, facts: tuple[str, ...], step: str) -> bool:
    task = engine.read(Problem(goal, facts, types={"a": "real", "b": "real", "c": "real", "n": "nat", "A": "nat set"}))
    example = task.example
    assert example.f3 is not None
    return engine.answer(task, step) in Variants(example.f3, example.f2)


@pytest.mark.parametrize(
    ("goal", "fact", "step"),
    [
        ("gcd n (n + 1) = 1", "0 < n", "gcd (n + 1) n = 1"),
        ("n + 1 ≤ 2 * n", "0 < n", "Suc n ≤ n * 2"),
        ("n ^ 2 ≤ 3 * n", "0 < n", "n * n ≤ 3 * n"),
        ("2 * n ≤ 9", "0 < n", "n + n ≤ 9"),
        ("2 * n ≤ 9", "0 < n", "Suc n = n + 1"),
        ("b = c", "a * b = a * c", "¦a¦ * ¦b¦ = ¦a¦ * ¦c¦"),
        ("b = c", "a + b = a + c", "2 * (a + b) + 1 = 2 * (a + c) + 1"),
        ("a ≤ c", "a ≤ b", "a + 1 ≤ b + 1"),
        ("¬ inj f", "0 < n", "inj f ⟹ False"),
        ("¬ inj f", "0 < n", "inj f ⟶ False"),
        ("card (A ∪ B) ≤ card A + card B", "0 < n", "card (?v ∪ B) ≤ card ?v + card B"),
    ],
)
def test_a_variant(engine: Engine, goal: str, fact: str, step: str) -> None:
    assert judged(engine, goal, (fact,), step)


@pytest.mark.parametrize(
    ("goal", "fact", "step"),
    [
        ("b = c", "a * b = a * c", "a * (b - c) = 0"),
        ("a ≤ c", "a ≤ b", "b ≤ c"),
        ("(a + b) ^ 2 ≤ c", "a ≤ b", "(a + b) ^ 2 = a ^ 2 + b ^ 2 + 2 * a * b"),
        ("2 * a ≤ c", "a ≤ b", "2 * a ≤ 2 * b"),  # multiplied: that may be a step
        ("a = b", "f (a + b) = f a", "f a = f b"),
        ("A ⊆ B", "0 < n", "?v ∈ A ⟹ ?v ∈ B"),
    ],
)
def test_no_variant(engine: Engine, goal: str, fact: str, step: str) -> None:
    assert not judged(engine, goal, (fact,), step)
