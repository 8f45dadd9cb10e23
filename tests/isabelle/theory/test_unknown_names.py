"""A name that a context does not know is a question, never silently a variable."""

from __future__ import annotations

import pytest
from tests.work import at_most

import isarstep
from isarstep.apps.engine import Engine
from isarstep.common.errors import UserError
from isarstep.isabelle.theory.problems.problem import Problem, ProblemError


@pytest.mark.parametrize(
    ("problem", "where", "says"),
    [
        (
            Problem("p dvd a", ("prime p",), imports=("Complex_Main",)),
            "facts[0]",
            "prime is not known in Complex_Main; import HOL-Algebra.Divisibility or "
            "HOL-Computational_Algebra.Factorial_Ring? If it is a variable, fix it or give its type",
        ),
        (Problem("p dvd a", ("primee p",)), "facts[0]", "primee is not known in Complex_Main; if it is a variable"),
        (Problem("frobnicated ∈ A"), "goal", "frobnicated is not known in Complex_Main"),
        (Problem("xs = ys", ("ab x = y",)), "facts[0]", "ab is not known in Complex_Main"),
    ],
)
def test_an_unknown_name_is_a_question(engine: Engine, problem: Problem, where: str, says: str) -> None:
    with pytest.raises(ProblemError) as caught:
        engine.read(problem)
    assert caught.value.field == where
    assert caught.value.message.startswith(says)
    text = dict(problem.lines())[where]
    assert text[caught.value.position : caught.value.end] == says.split()[0]


@pytest.mark.parametrize(
    "problem",
    [
        Problem("f x = g₁ (h' y)", ("∀x. P x ⟶ Q2 x",)),  # letters, as mathematicians write
        Problem("length xs < eps", ("x_1 < a_n",)),
        Problem("primee p", fixed=("primee",)),
        Problem("primee p", types={"primee": "nat ⇒ bool"}),
        Problem("(zebra :: nat) < zebra + 1"),
    ],
)
def test_what_is_fixed_or_typed_or_looks_like_one_is_a_variable(engine: Engine, problem: Problem) -> None:
    assert engine.read(problem).theory_context.name == "Complex_Main"


@pytest.mark.parametrize(("name", "typ"), [("abs", "int ⇒ int"), ("hd", "int ⇒ int"), ("fst", "int ⇒ int")])
def test_a_type_for_the_name_of_a_constant_makes_it_a_variable(engine: Engine, name: str, typ: str) -> None:
    """The user's `abs` is not the library's, of which `abs_ge_zero` holds."""
    task = engine.read(Problem(f"{name} x ≥ 0", types={"x": "int", name: typ}))
    assert task.order == (name, "x")
    assert "CONST Groups.abs" not in (task.example.f3 or "")
    assert task.types()[name] == typ


def test_a_word_of_the_notation_cannot_be_a_variable(engine: Engine) -> None:
    with pytest.raises(ProblemError, match="cannot name a variable"):
        engine.read(Problem("x = y", types={"dvd": "int"}))


def test_the_function_read_asks_too() -> None:
    with pytest.raises(UserError, match="prime is not known in Complex_Main; import"):
        isarstep.read("prime p ⟹ p dvd a")
    assert isarstep.read("prime p", types={"prime": "nat ⇒ bool"}).frees["p"].name == "Nat.nat"
    assert set(isarstep.read("(zebra :: nat) = zebra").frees) == {"zebra"}


LONG = "nat" + " list" * 1000


@pytest.mark.parametrize(
    "problem",
    [
        Problem("let " + " in let ".join(f"x{i + 1} = (x{i}, x{i})" for i in range(40)) + " in x40 = y"),
        Problem(" ∧ ".join(f"y{i + 1} = (y{i}, y{i})" for i in range(14))),
        Problem(f"(x :: {LONG}) = y"),
        Problem("x = y", types={"x": LONG}),
        Problem("x = y", types={"x": "nat × " * 1000 + "nat"}),
        Problem("x + " * 400 + "x = y"),
    ],
    ids=["let", "pairs", "type inside", "lists", "products", "sum"],
)
def test_what_grows_beyond_bounds_is_refused_in_one_line(engine: Engine, problem: Problem) -> None:
    with at_most(20_000_000), pytest.raises(ProblemError) as caught:
        engine.read(problem)
    assert "\n" not in caught.value.message
    assert any(word in caught.value.message for word in ("more than", "nest"))
