"""Ten small theorems from textbooks, written down before any of them was tried; none is taken out again.

An agent that follows docs/agents.md is asked to prove them with propose_step and check_step alone.
"""

from __future__ import annotations

from typing import NamedTuple


class Theorem(NamedTuple):
    name: str
    facts: tuple[str, ...]
    goal: str
    types: dict[str, str]


THEOREMS = (
    Theorem("transitivity of ≤", ("x ≤ y", "y ≤ z"), "x ≤ z", {"x": "nat"}),
    Theorem("a square of an even number is even", ("even n",), "even (n * n)", {"n": "nat"}),
    Theorem("the sum of two odd numbers is even", ("odd a", "odd b"), "even (a + b)", {"a": "int", "b": "int"}),
    Theorem("divisibility is transitive", ("a dvd b", "b dvd c"), "a dvd c", {"a": "nat"}),
    Theorem("reversing twice", ("rev xs = ys",), "rev ys = xs", {}),
    Theorem("a composition of injections", ("inj f", "inj g"), "inj (g ∘ f)", {}),
    Theorem("subsets of finite sets", ("finite B", "A ⊆ B"), "card A ≤ card B", {}),
    Theorem("the binomial formula", (), "(a + b)⇧2 = a⇧2 + 2 * a * b + b⇧2", {"a": "real", "b": "real"}),
    Theorem("arithmetic and geometric mean", ("0 ≤ x", "0 ≤ y"), "2 * x * y ≤ x⇧2 + y⇧2", {"x": "real", "y": "real"}),
    Theorem("a limit of a sum", ("f ⇢ a", "g ⇢ b"), "(λn. f n + g n) ⇢ a + b", {"a": "real", "b": "real"}),
)
