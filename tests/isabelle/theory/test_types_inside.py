"""Types inside a statement, which no variable has: statements that differ in them alone are different statements.

Every pair here is a fact and a goal that are equal as lines of tokens, or nearly so; which goals follow is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from isarstep.apps.engine import Engine
from isarstep.apps.filling import filled_gaps
from isarstep.benchmark.problems.task import Task
from isarstep.common.errors import UserError
from isarstep.isabelle.inference.typed_lines import TypedLine, fixed_variables
from isarstep.isabelle.terms.terms import TFree, TVar
from isarstep.isabelle.theory.document import TheoryDocument
from isarstep.isabelle.theory.problems.problem import Problem, ProblemError
from isarstep.prover.check.prover_session import Limits, Proving
from isarstep.prover.outcomes.verdict import Proved

SECONDS, LIBRARY = 0.1, 16

# Statements about a type, and the types of these for which they are true.
TYPES = ("unit", "bool", "nat", "int", "real")
TRUE_AT = {
    "∃x y::{}. x ≠ y": ("bool", "nat", "int", "real"),
    "∀x y::{}. x = y": ("unit",),
    "finite (UNIV::{} set)": ("unit", "bool"),
    "card (UNIV::{} set) = 2": ("bool",),
    "(UNIV::{} set) ⊆ {{undefined}}": ("unit",),
    "([]::{} list) = [] ∧ (∃x y::{}. x ≠ y)": ("bool", "nat", "int", "real"),
    "∃f::{0}⇒{0}. inj f ∧ ¬ surj f": ("nat", "int", "real"),
    "inj (λx::{}. ())": ("unit",),
    "card (UNIV::{} option set) = 2": ("unit",),
    "∀xs::{} list. xs = [] ∨ set xs = UNIV": ("unit",),
    "card (UNIV::{} set) = 0": ("nat", "int", "real"),
}
NUMBERS = {
    "(1::{}) - 2 < 0": ("int", "real"),
    "∀x::{}. 0 ≤ x": ("nat",),
    "∃x::{}. 0 < x ∧ x < 1": ("real",),
    "(5::{}) - 7 = 0": ("nat",),
    "∃x::{}. x < 0": ("int", "real"),
}


def pairs() -> Iterator[tuple[str, str]]:
    """A true statement at one type and the same, false, at another."""
    for statements, types in ((TRUE_AT, TYPES), (NUMBERS, TYPES[2:])):
        for text, true in statements.items():
            for known, asked in product(types, types):
                if known in true and asked not in true:
                    yield text.replace("{}", "{0}").format(known), text.replace("{}", "{0}").format(asked)


def true_pairs() -> Iterator[tuple[str, str]]:
    """A statement at one type, true or not, that says nothing about the same at another, which is true."""
    for statements, types in ((TRUE_AT, TYPES), (NUMBERS, TYPES[2:])):
        for text, true in statements.items():
            for known, asked in product(types, types):
                if known in true and asked in true and known != asked:
                    yield text.replace("{}", "{0}").format(known), text.replace("{}", "{0}").format(asked)


@pytest.fixture(scope="module")
def proving(engine: Engine) -> Iterator[Proving]:
    with engine.proving(SECONDS, LIBRARY) as made:
        yield made


def asked(engine: Engine, goal: str, *facts: str) -> Task:
    return engine.read(Problem(goal, facts, imports=("Complex_Main",)))


def proved(proving: Proving, task: Task, seconds: float = SECONDS) -> bool:
    assert task.example.f3 is not None
    return isinstance(proving.follows(task, task.example.f3, (), Limits(seconds, LIBRARY))[0], Proved)


def in_file(engine: Engine, text: str) -> Task:
    """The task at the first gap of a theory with this text."""
    document = TheoryDocument(
        Path("T.thy"), engine.theory_contexts, text=f"theory T imports Complex_Main begin\n{text} sorry\nend\n"
    )
    return engine.read_state(document.state_before(document.gaps()[0].start))


def test_a_fact_at_another_type_proves_nothing(engine: Engine, proving: Proving) -> None:
    """Only what decides at once is asked: a goal that is taken for its fact would be proved by any of it."""
    found = [*pairs()]
    assert len(found) >= 60
    wrong = []
    for fact, goal in found:
        task = asked(engine, goal, fact)
        assert task.example.f2 != (task.example.f3,)
        assert task.example.f3 is not None
        if proving.simplified(task, task.example.f3, (), Limits(SECONDS, 0)) is not None:
            wrong.append((fact, goal))
    assert wrong == []


def test_a_fact_at_another_type_refutes_nothing(engine: Engine, proving: Proving) -> None:
    found = [*true_pairs()]
    assert len(found) >= 20
    assert [pair for pair in found if proving.false_goal(asked(engine, pair[1], pair[0])) is not None] == []


@pytest.mark.parametrize(
    "goal",
    [
        "∀x y::'a::linorder. x ≤ y ∨ y ≤ x",
        "card (UNIV::'a::finite set) > 0",
        "finite (UNIV::'a::finite set)",
        "(2::'a::linordered_idom) ≠ 0",
        "(0::'a::zero_neq_one) ≠ 1",
        "∃x::'a::linordered_idom. x > 0",
        "∃x y::'a::field. x ≠ y",
        "mono (λx::'a::linordered_semidom. x + 1)",
        "∀A∈Pow (UNIV::'a::finite set). finite A",
    ],
)
def test_a_sort_that_only_a_binder_or_a_constant_mentions_counts(goal: str, engine: Engine, proving: Proving) -> None:
    for task in (asked(engine, goal), in_file(engine, f'lemma "{goal}"')):
        assert proving.false_goal(task) is None
        (line,) = (task.example.f3,)
        assert isinstance(line, TypedLine)
        assert all(set(variable.sort) != {"HOL.type"} for variable in fixed_variables([line.term]))


@pytest.mark.parametrize(
    ("fact", "goal"),
    [
        ("infinite (UNIV::'a set)", "infinite (UNIV::'a set)"),
        ("card (UNIV::'a set) = 3", "card (UNIV::'a set) > 2"),
        ("∀x y::'a. x = y", "∀x y::'a. f x = f y"),
        ("∃x y::'a. x ≠ y", "¬ (∀x y::'a. x = y)"),
    ],
)
def test_a_type_variable_is_one_type_in_a_problem(fact: str, goal: str, engine: Engine, proving: Proving) -> None:
    for task in (asked(engine, goal, fact), in_file(engine, f'lemma assumes "{fact}" shows "{goal}"')):
        assert proving.false_goal(task) is None
        assert proved(proving, task, 0.5)
    other = goal.replace("'a", "'b")
    for task in (asked(engine, other, fact), in_file(engine, f'lemma assumes "{fact}" shows "{other}"')):
        assert not proved(proving, task)


def test_a_premise_that_makes_a_type_large_is_kept(engine: Engine, proving: Proving) -> None:
    fact, goal = "∃f::'a ⇒ real. surj f", "∃x y::'a. x ≠ y"
    for task in (asked(engine, goal, fact), in_file(engine, f'lemma assumes "{fact}" shows "{goal}"')):
        assert proving.false_goal(task) is None
    assert proving.false_goal(asked(engine, "∃x y::'a. x ≠ y")) is not None  # of one element


def test_a_sort_that_is_written_once_holds_in_the_whole_problem(engine: Engine) -> None:
    task = asked(engine, "∀x y::'a. x ≤ y ∨ y ≤ x", "∃x y::'a::linorder. x < y")
    sorts = {variable.sort for line in (*task.example.f2, task.example.f3) for variable in carried(line)}
    assert sorts == {("Orderings.linorder",)}
    with pytest.raises(ProblemError, match="sort"):
        engine.read(Problem("∀y::'a::linorder. y = x", types={"x": "'a"}, imports=("Complex_Main",)))


def carried(line: str | None) -> list[TFree]:
    assert isinstance(line, TypedLine)
    return [*fixed_variables([line.term])]


def test_binders_of_one_name_have_types_of_their_own(engine: Engine) -> None:
    """The type that is left out in the annotation of one function is not that of another one."""
    fact = "f = (λn::nat. n + 1)"
    for task in (
        asked(engine, "True", fact, "∀n::nat. a (n + 1) = f (a n)"),
        in_file(engine, f'lemma assumes "{fact}" assumes "∀n::nat. a (n + 1) = f (a n)" shows True'),
    ):
        assert task.types()["f"] == "nat ⇒ nat"
    task = asked(engine, "(∃x::nat. x < 1) ∧ (∃x::bool. x)", "(∃x::bool. x) ∧ (∃x::nat. x < 1)")
    assert task.text(task.example.f2[0]) == "(∃(x::bool). x) ∧ (∃(x::nat). x < (1::nat))"


def test_statements_that_differ_in_types_alone_are_both_kept(engine: Engine) -> None:
    facts = ("∃x y::nat. x ≠ y", "∃x y::int. x ≠ y", "∃x y::nat. x ≠ y")
    task = asked(engine, "∃x y::unit. x ≠ y", *facts)
    lines = [*task.example.f2, task.example.f3]
    assert [task.text(line or "") for line in lines] == [
        "∃(x::nat) (y::nat). x ≠ y",
        "∃(x::int) (y::int). x ≠ y",
        "∃(x::unit) (y::unit). x ≠ y",
    ]
    assert len({str(line) for line in lines}) == 1


def test_an_answer_has_its_own_types(engine: Engine, proving: Proving) -> None:
    """As `check` and `/check` read proposals: neither a copy of a fact at another type, nor proved by it."""
    task = asked(engine, "∃x y::unit. x ≠ y", "∃x y::nat. x ≠ y")
    texts = ("∃x y::nat. x ≠ y", "∃x y::bool. x ≠ y", "∃x y::unit. x ≠ y", "∃x y::'a. x ≠ y")
    lines = [engine.answer(task, text) for text in texts]
    steps = engine.steps(task, [(line, None) for line in lines])
    assert [step.copy for step in steps] == [True, False, True, False]
    tried = proving.tried(task, steps[1:])
    assert not isinstance(tried[1].first, Proved)
    assert not isinstance(tried[0].second, Proved)
    assert not isinstance(tried[2].first, Proved)


def test_a_type_variable_of_an_answer_is_that_of_the_problem(engine: Engine, proving: Proving) -> None:
    task = asked(engine, "∃x y::'a::linorder. x < y", "infinite (UNIV::'a set)")
    line = engine.answer(task, "∃x y::'a. x ≠ y")
    assert {variable.sort for variable in carried(line)} == {("Orderings.linorder",)}
    with pytest.raises(UserError, match="sort"):
        engine.answer(task, "∃x y::'a::finite. x ≠ y")


def test_what_fill_prints_is_proved_at_the_types_of_the_file(engine: Engine) -> None:
    text = """theory T imports Complex_Main begin
lemma assumes "∃x y::nat. x ≠ y" shows "∃x y::unit. x ≠ y" sorry
lemma assumes "infinite (UNIV::nat set)" "infinite (UNIV::'a set)" shows "infinite (UNIV::'a set)" sorry
end
"""
    document = TheoryDocument(Path("T.thy"), engine.theory_contexts, text=text)
    from isarstep.prover.search.proof_search import Plan, sketches

    with engine.proving(SECONDS, LIBRARY) as proving:

        def sketched(task: Task, _left: float):  # type: ignore[no-untyped-def]
            plan = Plan(depth=0, seconds=2.0, prover_seconds=SECONDS, library=LIBRARY)
            return list(sketches(task, plan, lambda *_: None, proving))[-1]  # type: ignore[arg-type, return-value]

        filled = [each.proof for each in filled_gaps(document, engine, sketched, document.gaps())]
    assert filled[0] == ""
    assert "assms(2)" in filled[1]


def test_a_line_with_types_is_equal_to_one_with_the_same_types_alone(engine: Engine) -> None:
    nat, again, other = (asked(engine, f"∃x y::{name}. x ≠ y").example.f3 for name in ("nat", "nat", "int"))
    assert nat == again
    assert hash(nat) == hash(again)
    assert nat != other
    assert str(nat) == str(other)
    assert nat != str(nat)
    assert str(nat) != nat
    assert isinstance(asked(engine, "(x::nat) = y").example.f3, str)
    assert not isinstance(asked(engine, "(x::nat) = y").example.f3, TypedLine)
    assert isinstance(nat, TypedLine)
    assert not any(isinstance(variable, TVar) for variable in fixed_variables([nat.term]))
