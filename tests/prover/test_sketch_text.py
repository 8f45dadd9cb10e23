"""The steps that a proof shows first, as Isar."""

import pytest
from tests.embedded import embedded_benchmark

from isarstep.isabelle.terms.terms import Free, Term, Typ, Type
from isarstep.prover.isar.sketch import Stated, isar_text, shown_lines
from isarstep.prover.outcomes.verdict import ASSUME, CLOSE, OpenedGoal, Proved, ShownStep


def text_of(term: Term) -> str:
    assert isinstance(term, Free)
    return term.name


def test_blocks_and_variables_that_are_obtained() -> None:
    a, b, c, d = map(Free, "ABCD")
    steps = [
        ShownStep(a, "blast", ("F.2(1)",), (), False, Free("x", Type("Nat.nat"))),
        ShownStep(b, ASSUME, (), (), False),
        ShownStep(c, "argo", ("F.2(2)",), (0, 1), False),
        ShownStep(d, CLOSE, (), (2,), True),
    ]
    known = {"F.2(1)": "assms(1)", "F.2(2)": "assms(2)"}
    assert list(shown_lines(steps, "a1_", "assms", known, text_of)) == [
        'obtain x where a1_1: "A"',
        "  using assms(1) by blast",
        "{",
        'assume a1_2: "B"',
        'have a1_3: "C"',
        "  using assms(2) a1_1 a1_2 by argo",
        '} then have a1_4: "D"',
        "  by blast",
    ]
    assert "  using assms a1_1 a1_2 by argo" in shown_lines(steps, "a1_", "assms", {}, text_of)


@pytest.mark.parametrize(
    ("facts", "using"),
    [(("F.2(2)", "T.f"), "using assms(2) by"), (("F.2(1)", "F.2(3)", "T.f"), "using assms(1) assms(3) by"),
     (("F.2(1)", "F.2(2)", "F.2(3)", "T.f"), "using assms by"), (("T.f",), "    by"), (("?", "T.f"), "using assms sorry")],
)  # fmt: skip
def test_methods_get_the_premises_that_the_prover_used(facts: tuple[str, ...], using: str) -> None:
    numbered = {f"F.2({n})": f"assms({n})" for n in (1, 2, 3)}
    context = embedded_benchmark().theory_contexts.at("Main")
    steps = [Stated("P", Free("P"), Proved("E", 0.1, facts, 1))]
    text = isar_text(["A", "B", "C"], steps, {}, context, numbered=numbered)
    assert f"    {using.strip()} " in text


def test_a_definition_is_unfolded_where_its_conditions_hold() -> None:
    context = embedded_benchmark().theory_contexts.at("Main")
    part = Proved("E", 0.1, ("F.2(1)",), 0)
    proof = Proved(
        "E", 0.1, ("l.d_def", "F.2(1)"), 0, method="unfold l.d_def[OF F.2(1)], intro conjI", cases=(part,) * 2
    )
    text = isar_text(["A"], [Stated("P", Free("P"), proof)], {}, context, numbered={"F.2(1)": "assms(1)"})
    assert "proof (unfold l.d_def[OF assms(1)], intro conjI, goal_cases)" in text
    assert "proof (unfold l.d_def, intro conjI, goal_cases)" in isar_text(
        ["A"], [Stated("P", Free("P"), proof)], {}, context
    )


def test_an_induction_inside_of_a_goal_stands_behind_what_it_fixes_and_assumes() -> None:
    context = embedded_benchmark().theory_contexts.at("Main")
    nat, bound = Type("Nat.nat"), Free("x1", Type("Nat.nat"))
    part = Proved("simp", 0.1, (), 0)
    opened = OpenedGoal((bound,), (("goal(1)", Free("A")),), Free("P"), "(intro allI impI)")
    proof = Proved("simp", 0.1, ("F.2(1)", "goal(1)"), 0, method="induct x1", cases=(part,), opened=opened)

    def text(types: dict[str, Typ]) -> list[str]:
        steps = [Stated("∀x1. A ⟶ P", Free("P"), proof)]
        return isar_text(["Q"], steps, types, context, names={}, numbered={"F.2(1)": "assms(1)"}).split("\n")

    lines = text({"x": nat})
    assert lines[lines.index("proof -") + 1 : -1] == [
        "  show ?thesis",
        "  proof (intro allI impI)",
        '    fix x1 :: "nat"',
        '    assume a1_given1: "A"',
        '    show "P"',
        "      using assms a1_given1",
        "    proof (induct x1, goal_cases)",
        "      case 1",
        "      then show ?case by simp  (* suggested: proved by simp *)",
        "    qed",
        "  qed",
    ]
    assert "  proof (intro allI impI)" not in text({"x1": nat})  # which of the two `x1` means nobody could tell
