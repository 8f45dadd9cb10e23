"""The steps that a proof shows first, as Isar."""

import pytest

from isarstep.bench.store import Benchmark
from isarstep.logic.terms import Free, Term, Typ, Type
from isarstep.prove.sketch import Stated, is_elimination_rule, is_rewrite_rule, isar_text, leaves_open, shown_lines
from isarstep.prove.verdict import ASSUME, CLOSE, OpenedGoal, Proved, ShownStep


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
    context = Benchmark("embedded").theory_contexts.at("Main")
    steps = [Stated("P", Free("P"), Proved("E", 0.1, facts, 1))]
    text = isar_text(["A", "B", "C"], steps, {}, context, numbered=numbered)
    assert f"    {using.strip()} " in text


def test_a_definition_is_unfolded_where_its_conditions_hold() -> None:
    context = Benchmark("embedded").theory_contexts.at("Main")
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
    context = Benchmark("embedded").theory_contexts.at("Main")
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


@pytest.mark.parametrize(
    ("fact", "rule"),
    [("List.append.simps(2)", True), ("List.rev_rev_ident", True), ("Fun.comp_def", True), ("Set.empty_iff", True),
     ("List.Cons_eq_appendI", False), ("Set.subset_trans", False), ("Nat.nat.induct", False),
     ("Set.subsetD", False), ("Transitive_Closure.rtranclp.simps", False), ("List.list_all.simps(2)", True),
     ("List.upto.simps", False), ("nobody.knows", True)],
)  # fmt: skip
def test_which_facts_rewriting_is_for(fact: str, rule: bool) -> None:
    main = Benchmark("embedded").theory_contexts.at("Main")
    assert is_rewrite_rule(main, fact) == rule


@pytest.mark.parametrize(
    ("fact", "rule"),
    [("Transitive_Closure.converse_rtranclE", True), ("Set.UnE", True), ("Set.subsetD", False),
     ("Transitive_Closure.rtrancl_trans", False), ("Nat.nat.induct", False), ("nobody.knows", False)],
)  # fmt: skip
def test_which_facts_eliminate(fact: str, rule: bool) -> None:
    assert is_elimination_rule(Benchmark("embedded").theory_contexts.at("Main"), fact) == rule


@pytest.mark.parametrize(
    ("fact", "rule"),
    [("Set.subsetD", True), ("Set.subset_trans", True), ("Nat.Suc_leI", False), ("List.rev_rev_ident", False)],
)  # fmt: skip
def test_which_facts_have_premises_about_something_else(fact: str, rule: bool) -> None:
    assert leaves_open(Benchmark("embedded").theory_contexts.at("Main"), fact) == rule


def test_a_definition_outside_of_its_locale_is_a_rewrite_rule() -> None:
    """`assertionAux C I B E ⟹ AssertionStatEq I s t ≡ ...`: as an introduction rule Isabelle takes it for an error, and tries
    none of the methods behind it."""
    at = Benchmark("embedded").theory_contexts.at("Psi_Calculi.Frame")
    assert is_rewrite_rule(at, "Frame.assertionAux.AssertionStatEq_def")
    algebra = Benchmark("embedded").theory_contexts.at("Package_logic.SepAlgebra")
    assert is_rewrite_rule(algebra, "SepAlgebra.sep_algebra.mono_prop_def")  # of a locale with a parameter more
    fixed_point = Benchmark("embedded").theory_contexts.at("Package_logic.FixedPoint")
    assert is_rewrite_rule(fixed_point, "FixedPoint.logic.applies_eq.simps")
    assert not is_rewrite_rule(at, "Frame.assertionAux.AssertionStatEqTrans")
