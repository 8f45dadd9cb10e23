"""A goal by its definition: an instance of an equation, and only where its conditions are given."""

from __future__ import annotations

import pytest

from isarstep.logic.terms import Term
from isarstep.prove.goal_parts import Unfolded, parts_of_goal
from isarstep.prove.monomorphise import Named
from isarstep.prove.unfolded_goal import defined_name, unfolded_goal

from .language import SIGNATURE, lemma, local

TYPES = {"A": "(set nat)", "B": "(set nat)", "f": "(fun nat nat)", "x": "nat", "P": "bool", "n": "nat", "m": "nat"}
INJECTIVE = "(= (inj_on f A) (Ball A (fn (x) (Ball A (fn (y) (--> (= (f x) (f y)) (= x y)))))))"
FINITE = "(==> (<= (card A) n) (= (finite A) (& (<= (card A) n) (All (fn (x) (<= x n))))))"


def stated(*texts: str) -> list[Term]:
    return local(list(texts), TYPES)


def test_an_equation_is_instantiated() -> None:
    goal, wanted = stated("(inj_on f B)", "(Ball B (fn (x) (Ball B (fn (y) (--> (= (f x) (f y)) (= x y))))))")
    definition = lemma("Fun.inj_on_def", INJECTIVE, {"f": "(fun 'a 'b)", "A": "(set 'a)"})
    assert defined_name(goal) == "Fun.inj_on"
    assert unfolded_goal(goal, definition, (), SIGNATURE) == wanted


def test_conditions_must_be_given() -> None:
    definition = lemma("finite_def", FINITE, {"A": "(set nat)", "n": "nat"})
    goal, given, other, wanted = stated(
        "(finite B)", "(<= (card B) m)", "(<= (card A) m)", "(& (<= (card B) m) (All (fn (x) (<= x m))))"
    )
    assert unfolded_goal(goal, definition, (given,), SIGNATURE) == wanted
    assert unfolded_goal(goal, definition, (other, given), SIGNATURE) == wanted
    assert unfolded_goal(goal, definition, (), SIGNATURE) is None
    assert unfolded_goal(goal, definition, (other,), SIGNATURE) is None


@pytest.mark.parametrize("goal", ["(finite A)", "P", "(= A B)", "(inj_on f A)"])
def test_an_equation_for_something_else_is_none(goal: str) -> None:
    definition = lemma("id_def", "(= (in x (insert x A)) True)", {"x": "nat", "A": "(set nat)"})
    assert unfolded_goal(stated(goal)[0], definition, (), SIGNATURE) is None


def test_what_holds_only_under_lost_hypotheses_defines_nothing() -> None:
    (goal, equation) = stated("(finite A)", "(= (finite A) P)")
    assert unfolded_goal(goal, Named("finite_def", equation), (), SIGNATURE) is None
    assert unfolded_goal(goal, Named("finite_def", equation, here=True), (), SIGNATURE) == stated("P")[0]


@pytest.mark.parametrize(("conditional", "unfolding"), [(False, "unfold"), (True, "simp only:")])
def test_parts_of_a_definition_are_parts_of_a_goal(conditional: bool, unfolding: str) -> None:
    goal, said, part = stated("(& P (finite A))", "(& (in x A) (in x B))", "(finite A)")
    left, right, rest = stated("(in x A)", "(in x B)", "P")

    def unfold(each: Term) -> Unfolded | None:
        return Unfolded("finite_def", said, conditional) if each == part else None

    found = parts_of_goal(goal, {"A", "B", "P", "x"}, unfold)
    assert found is not None
    assert found.method == f"{unfolding} finite_def, intro conjI"
    assert [case.goal for case in found.cases] == [rest, left, right]


def test_a_definition_that_has_no_parts_is_not_unfolded() -> None:
    goal, said = stated("(finite A)", "P")
    assert parts_of_goal(goal, {"A"}, lambda _: Unfolded("finite_def", said, False)) is None


def test_a_definition_that_leads_to_itself_is_unfolded_so_often_and_no_more() -> None:
    goal, said = stated("(finite A)", "(& P (finite A))")
    found = parts_of_goal(goal, {"A", "P"}, lambda each: Unfolded("finite_def", said, False) if each == goal else None)
    assert found is not None
    assert [case.goal for case in found.cases] == [*stated("P", "P", "P"), goal]
