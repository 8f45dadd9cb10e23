"""A goal by its definition: an instance of an equation, and only where its conditions are given."""

from __future__ import annotations

import pytest
from tests.prover.language import SIGNATURE, lemma, local

from isarstep.isabelle.context.monomorphisation import Named
from isarstep.isabelle.terms.terms import Term
from isarstep.prover.induct.goal_parts import parts_of_goal
from isarstep.prover.rewrite.unfolded_goal import UnfoldedGoal, defined_name, unfolded_goal

TYPES = {"A": "(set nat)", "B": "(set nat)", "f": "(fun nat nat)", "x": "nat", "P": "bool", "n": "nat", "m": "nat"}
INJECTIVE = "(= (inj_on f A) (Ball A (fn (x) (Ball A (fn (y) (--> (= (f x) (f y)) (= x y)))))))"
FINITE = "(==> (<= (card A) n) (= (finite A) (& (<= (card A) n) (All (fn (x) (<= x n))))))"


def stated(*texts: str) -> list[Term]:
    return local(list(texts), TYPES)


def test_an_equation_is_instantiated() -> None:
    goal, wanted = stated("(inj_on f B)", "(Ball B (fn (x) (Ball B (fn (y) (--> (= (f x) (f y)) (= x y))))))")
    definition = lemma("Fun.inj_on_def", INJECTIVE, {"f": "(fun 'a 'b)", "A": "(set 'a)"})
    assert defined_name(goal) == "Fun.inj_on"
    assert unfolded_goal(goal, definition, (), SIGNATURE) == UnfoldedGoal(wanted, "Fun.inj_on_def", ())


def test_conditions_must_be_given() -> None:
    definition = lemma("finite_def", FINITE, {"A": "(set nat)", "n": "nat"})
    goal, given, other, wanted = stated(
        "(finite B)", "(<= (card B) m)", "(<= (card A) m)", "(& (<= (card B) m) (All (fn (x) (<= x m))))"
    )
    first, second = Named("F.2(1)", other), Named("F.2(2)", given)
    found = unfolded_goal(goal, definition, (first, second), SIGNATURE)
    assert found == UnfoldedGoal(wanted, "finite_def", ("F.2(2)",))
    assert found.instance == "finite_def[OF F.2(2)]"
    assert unfolded_goal(goal, definition, (), SIGNATURE) is None
    assert unfolded_goal(goal, definition, (first,), SIGNATURE) is None


@pytest.mark.parametrize("goal", ["(finite A)", "P", "(= A B)", "(inj_on f A)"])
def test_an_equation_for_something_else_is_none(goal: str) -> None:
    definition = lemma("id_def", "(= (in x (insert x A)) True)", {"x": "nat", "A": "(set nat)"})
    assert unfolded_goal(stated(goal)[0], definition, (), SIGNATURE) is None


def test_what_holds_only_under_lost_hypotheses_defines_nothing() -> None:
    (goal, equation) = stated("(finite A)", "(= (finite A) P)")
    assert unfolded_goal(goal, Named("finite_def", equation), (), SIGNATURE) is None
    found = unfolded_goal(goal, Named("finite_def", equation, here=True), (), SIGNATURE)
    assert found == UnfoldedGoal(*stated("P"), "finite_def", ())


@pytest.mark.parametrize(("conditions", "instance"), [((), ""), (("F.2(1)",), "[OF F.2(1)]")])
def test_parts_of_a_definition_are_parts_of_a_goal(conditions: tuple[str, ...], instance: str) -> None:
    goal, said, part = stated("(& P (finite A))", "(& (in x A) (in x B))", "(finite A)")
    left, right, rest = stated("(in x A)", "(in x B)", "P")

    def unfold(each: Term) -> UnfoldedGoal | None:
        return UnfoldedGoal(said, "finite_def", conditions) if each == part else None

    found = parts_of_goal(goal, {"A", "B", "P", "x"}, unfold)
    assert found is not None
    assert found.method == f"unfold finite_def{instance}, intro conjI"
    assert (found.definitions, found.conditions) == (("finite_def",), conditions)
    assert [case.goal for case in found.cases] == [rest, left, right]


def test_a_definition_that_has_no_parts_is_not_unfolded() -> None:
    goal, said = stated("(finite A)", "P")
    assert parts_of_goal(goal, {"A"}, lambda _: UnfoldedGoal(said, "finite_def", ())) is None


def test_a_definition_that_leads_to_itself_is_unfolded_so_often_and_no_more() -> None:
    goal, said = stated("(finite A)", "(& P (finite A))")
    found = parts_of_goal(goal, {"A", "P"}, lambda each: UnfoldedGoal(said, "finite_def", ()) if each == goal else None)
    assert found is not None
    assert [case.goal for case in found.cases] == [*stated("P", "P", "P"), goal]
