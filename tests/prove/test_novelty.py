"""What says something new, and what only looks as if it did."""

import pytest

from isarstep.prove.novelty import KnownStatements, conjuncts, without_repetition
from isarstep.serve.engine import Engine
from isarstep.theory.problem import Problem


def tokens_of(engine: Engine, *texts: str) -> list[str]:
    task = engine.read(Problem("P x y A B C", tuple(texts), types={"x": "nat"}, fixed=tuple("PxyABC")))
    return list(task.example.f2)


@pytest.mark.parametrize(
    ("known", "statement"),
    [
        ("x = y", "y = x"),
        ("x ∈ A", "x ∈ A ∧ x ∈ A"),
        ("x ∈ A ∧ x ∈ B", "x ∈ B"),
        ("x ∈ A", "x = x"),
        ("x ∈ A ∧ y ∈ B", "y ∈ B ∧ x ∈ A ∧ y = y"),
    ],
)
def test_the_same_in_another_dress_says_nothing(engine: Engine, known: str, statement: str) -> None:
    before, after = tokens_of(engine, known, statement)
    assert after in KnownStatements([before])


@pytest.mark.parametrize(("known", "statement"), [("x ∈ A", "x ∈ A ∧ x ∈ B"), ("x < y", "y < x"), ("x = y", "x ≠ y")])
def test_what_adds_something_is_new(engine: Engine, known: str, statement: str) -> None:
    before, after = tokens_of(engine, known, statement)
    assert after not in KnownStatements([before])


def test_conjuncts_that_are_there_twice_go(engine: Engine) -> None:
    twice, once, plain = tokens_of(engine, "x ∈ A ∧ x ∈ B ∧ x ∈ A", "x ∈ A ∧ x ∈ B", "x ∈ A")
    assert without_repetition(twice) == once
    assert without_repetition(once) == once
    assert conjuncts(twice) == conjuncts(once)
    assert conjuncts(plain) == [plain]


def test_steps_that_say_nothing_new_come_last_and_once(engine: Engine) -> None:
    task = engine.read(Problem("x ∈ C", ("x ∈ A", "A ⊆ B"), fixed=tuple("xABC")))
    texts = ["x ∈ A ∧ x ∈ A", "x ∈ B ∧ x ∈ B", "x ∈ B", "x ∈ C"]
    lines = [(engine.answer(task, text, "notation"), -1.0) for text in texts]
    steps = engine.steps(task, lines)
    assert [(step.text, step.copy) for step in steps] == [("x ∈ A", True), ("x ∈ B", False), ("x ∈ C", True)]


def test_the_goal_among_others_or_under_what_is_given_is_no_step(engine: Engine) -> None:
    task = engine.read(Problem("x ∈ C", ("x ∈ A", "A ⊆ B"), fixed=tuple("xyABC")))
    texts = ["x ∈ C ∧ x ∈ B", "x ∈ A ⟹ x ∈ C", "x ∈ B ⟹ x ∈ C", "y ∈ A ⟹ x ∈ C", "x ∈ A ⟹ x ∈ B"]
    steps = engine.steps(task, [(engine.answer(task, text, "notation"), -1.0) for text in texts])
    assert [step.copy for step in steps] == [True, True, False, False, False]
