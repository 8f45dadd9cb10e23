"""A goal's parts are what introduction rules leave of it, and together they are the goal."""

from __future__ import annotations

import pytest
from tests.prover.language import local

from isarstep.isabelle.terms.terms import Term, frees
from isarstep.prover.induct.goal_parts import MOST_PARTS, SplitGoal, parts_of_goal

TYPES = {
    **dict.fromkeys(("P", "Q", "R"), "bool"),
    **dict.fromkeys(("A", "B"), "(set nat)"),
    **dict.fromkeys(("x", "x1", "y"), "nat"),
    "p": "(fun nat bool)",
    "q": "(fun nat bool)",
}


def stated(text: str) -> Term:
    return local([text], TYPES)[0]


def apart(text: str) -> SplitGoal | None:
    goal = stated(text)
    return parts_of_goal(goal, {variable.name for variable in frees(goal)})


@pytest.mark.parametrize(
    ("goal", "rules", "cases"),
    [
        ("(& P (& Q R))", "conjI", [([], "P"), ([], "Q"), ([], "R")]),
        ("(= P Q)", "iffI", [(["P"], "Q"), (["Q"], "P")]),
        ("(= P (& Q R))", "conjI iffI", [(["P"], "Q"), (["P"], "R"), (["(& Q R)"], "P")]),
        ("(--> P (= Q R))", "allI impI iffI", [(["P", "Q"], "R"), (["P", "R"], "Q")]),
        ("(= A B)", "iffI set_eqI", [(["(in x A)"], "(in x B)"), (["(in x B)"], "(in x A)")]),
        ("(All (fn (x) (& (p x) (q x))))", "allI impI conjI", [([], "(p x)"), ([], "(q x)")]),
        ("(& (in x A) (= A B))", "conjI iffI set_eqI",
         [([], "(in x A)"), (["(in x1 A)"], "(in x1 B)"), (["(in x1 B)"], "(in x1 A)")]),
    ],
)  # fmt: skip
def test_parts_of_a_goal(goal: str, rules: str, cases: list[tuple[list[str], str]]) -> None:
    found = apart(goal)
    assert found is not None
    assert found.method == f"intro {rules}"
    assert [([each.prop for each in case.premises], case.goal) for case in found.cases] == [
        ([stated(each) for each in premises], stated(wanted)) for premises, wanted in cases
    ]


def test_premises_are_numbered_through_all_that_is_taken_apart() -> None:
    found = apart("(--> P (--> Q (= R (= A B))))")
    assert found is not None
    assert [[each.name for each in case.premises] for case in found.cases] == [
        ["case(1)", "case(2)", "case(3)", "case(4)"],
        ["case(1)", "case(2)", "case(3)", "case(4)"],
        ["case(1)", "case(2)", "case(3)"],
    ]


@pytest.mark.parametrize("goal", ["P", "(| P Q)", "(--> P Q)", "(= x y)", "(All (fn (x) (p x)))", "(= p q)"])
def test_a_goal_of_another_form_has_no_parts(goal: str) -> None:
    assert apart(goal) is None


def test_a_goal_of_many_parts_is_left_as_it_is() -> None:
    text = "P"
    for _ in range(MOST_PARTS - 1):
        text = f"(& P {text})"
    found = apart(text)
    assert found is not None
    assert len(found.cases) == MOST_PARTS
    assert apart(f"(& P {text})") is None


def test_what_is_fixed_is_no_variable_of_what_is_given() -> None:
    goal = stated("(= A B)")
    found = parts_of_goal(goal, {"A", "B", "x"})
    assert found is not None
    assert {v.name for case in found.cases for v in frees(case.goal)} == {"A", "B", "x1"}
