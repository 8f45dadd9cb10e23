"""Small theorems from textbooks, each list written down before any of it was tried; none is taken out again.

An agent that follows docs/agents.md is asked to prove them with propose_step and check_step alone. `THEOREMS` need one
fact of the library or two. `CHAINS` lead through a notion that their statement does not mention: whoever looks for facts
by what the statement says does not come across the second half of the proof. `LIMITS` were written after `CHAINS` had
been tried, and are of the one kind in it where a proposal helped: a limit has to be written otherwise first.
"""

from __future__ import annotations

from typing import NamedTuple


class Theorem(NamedTuple):
    name: str
    facts: tuple[str, ...]
    goal: str
    types: dict[str, str]
    imports: tuple[str, ...] = ()


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

ANALYSIS = ("HOL-Analysis.Analysis",)
COMPLEX = ("HOL-Complex_Analysis.Complex_Analysis",)
EUCLIDEAN = "'a::euclidean_space"
CHAINS = (
    Theorem(
        "increasing functions keep the size of a set (they are injective)",
        ("strict_mono f", "finite A"), "card (f ` A) = card A", {"f": "nat ⇒ nat"},
    ),
    Theorem(
        "increasing functions have infinitely many values (they are injective)",
        ("strict_mono f",), "infinite (range f)", {"f": "nat ⇒ nat"},
    ),
    Theorem(
        "a left inverse keeps the size of a set (there is an injection)",
        ("∀x. f (g x) = x", "finite A"), "card (g ` A) = card A", {"f": "int ⇒ nat", "g": "nat ⇒ int"},
    ),
    Theorem(
        "multiples of the terms of a series tend to 0 (the terms do)",
        ("summable f",), "(λn. c * f n) ⇢ 0", {"f": "nat ⇒ real", "c": "real"},
    ),
    Theorem(
        "the terms of a series do not change a limit (they tend to 0)",
        ("f ⇢ a", "summable g"), "(λn. f n + g n) ⇢ a", {"f": "nat ⇒ real", "g": "nat ⇒ real"},
    ),
    Theorem(
        "functions with a derivative keep limits (they are continuous)",
        ("(f has_field_derivative d) (at x)", "u ⇢ x"), "(λn. f (u n)) ⇢ f x", {"f": "real ⇒ real"},
    ),
    Theorem(
        "images of closed bounded sets are closed (such sets are compact)",
        ("closed A", "bounded A", "continuous_on A f"), "closed (f ` A)",
        {"A": f"({EUCLIDEAN}) set", "f": "'a::euclidean_space ⇒ real"}, ANALYSIS,
    ),
    Theorem(
        "differentiable functions are bounded on compact sets (they are continuous)",
        ("f differentiable_on A", "compact A"), "bounded (f ` A)",
        {"A": f"({EUCLIDEAN}) set", "f": "'a::euclidean_space ⇒ real"}, ANALYSIS,
    ),
    Theorem(
        "holomorphic functions are continuous at a point (they are continuous on the set)",
        ("f holomorphic_on A", "open A", "z ∈ A"), "isCont f z", {"f": "complex ⇒ complex"}, COMPLEX,
    ),
    Theorem(
        "holomorphic functions are bounded on compact sets (they are continuous)",
        ("f holomorphic_on A", "compact K", "K ⊆ A"), "bounded (f ` K)", {"f": "complex ⇒ complex"}, COMPLEX,
    ),
)  # fmt: skip

SEQUENCES = {"f": "nat ⇒ real", "g": "nat ⇒ real"}
LIMITS = (
    Theorem("a factor that tends to 1", ("f ⇢ a", "g ⇢ 1"), "(λn. f n * g n) ⇢ a", SEQUENCES),
    Theorem("a factor that tends to 0", ("f ⇢ a", "g ⇢ 0"), "(λn. f n * g n) ⇢ 0", SEQUENCES),
    Theorem("the terms of a series taken off", ("f ⇢ a", "summable g"), "(λn. f n - g n) ⇢ a", SEQUENCES),
    Theorem("a series of sum 0 added", ("f sums a", "g sums 0"), "(λn. f n + g n) sums a", SEQUENCES),
    Theorem(
        "a constant added to a function with a derivative",
        ("(f has_field_derivative d) (at x)",), "((λy. f y + c) has_field_derivative d) (at x)", {"f": "real ⇒ real"},
    ),
)  # fmt: skip
