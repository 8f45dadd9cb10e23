"""What says something new, and what only looks as if it did."""

import pytest

from isarstep.apps.engine import Engine
from isarstep.isabelle.inference.infer import well_formed
from isarstep.isabelle.theory.problems.problem import Problem
from isarstep.prover.outcomes.novelty import KnownStatements, conjuncts, shown_by_a_value, without_repetition


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


@pytest.mark.parametrize(
    ("statement", "answer"),
    [
        ("∃x. 2 * a = 2 * x", True),
        ("∃x y. f x y = f a b", True),
        ("∃x. a = x", True),
        ("∃x. a * x = 2 * x", False),
        ("∃x. f x x = f a b", False),
        ("∃x. 2 * a = 3 * x", False),
        ("∃x. x < a", False),
        ("∃(x :: int). card A = card {x}", False),
        ("∃(X :: int set). card A = card X", False),  # A is a set of natural numbers
        ("∃X. card A = card X", False),  # of whatever type X is
        ("∀x. 2 * a = 2 * x", False),
        ("2 * a = 2 * a", False),
    ],
)
def test_what_a_value_in_sight_shows(engine: Engine, statement: str, answer: bool) -> None:
    types = {"a": "nat", "A": "nat set", "f": "nat ⇒ nat ⇒ nat"}
    task = engine.read(Problem(statement, types=types, fixed=("a", "b", "f", "A")))
    assert task.example.f3 is not None
    judgement = well_formed(task.example.f3, task.theory_context.signature, task.context)
    assert shown_by_a_value(judgement.term) is answer


def test_what_a_value_shows_is_no_step(engine: Engine) -> None:
    """The model's third proposal where `a` is shown to be even: no author of 100,000 training examples wrote such a
    step but two."""
    task = engine.read(Problem("∃c. a = 2 * c", ("2 * b^2 = a^2",), types={"a": "nat"}))
    lines = [(engine.answer(task, text, "notation"), -1.0) for text in ("∃x. 2 * b^2 = 2 * x", "∃x. a^2 = 2 * x")]
    assert [step.copy for step in engine.steps(task, lines)] == [True, False]


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
