"""Methods that are printed for what a prover found."""

import pytest

from isarstep.logic.terms import App, Const, Free
from isarstep.prove.ground_problem import method_for
from isarstep.prove.method_text import method_with_all_given, suggested_method
from isarstep.prove.verdict import Proved, ShownStep

GOAL = Free("P")


def method(
    by: str,
    facts: tuple[str, ...],
    own: dict[str, bool] | None = None,
    local: tuple[str, ...] = (),
    declared: tuple[str, ...] = (),
    goals: int = 1,
) -> str:
    def called(name: str) -> str | None:
        return None if "unnamed" in name else name.removeprefix("T.")

    rows = [(text, False) for text in local]
    proof = Proved(by, 0.1, facts, 0, declared=declared)
    return suggested_method(proof, GOAL, rows, own or {}, called, goals) or ""


def test_metis_has_methods_with_arithmetic_behind_it() -> None:
    expected = "by (metis f | (simp add: f; fail) | (auto intro: f; fail) | (auto simp add: f; fail))"
    assert method("E", ("T.f",)) == expected


def test_definitions_are_unfolded_before_metis() -> None:
    text = method("E", ("T.f_def", "T.g"))
    assert text == "by ((auto simp add: f_def g; fail) | metis f_def g | fastforce simp add: f_def g)"


def test_what_rewriting_may_leave_is_given_to_others() -> None:
    assert method("simp and cvc5", ("F.2(1)",), local=("a",)) == "using a by ((auto; fail) | fastforce | metis)"


def test_hidden_facts_have_names_that_work() -> None:
    assert "add.commute" in method("E", ("Groups.ab_semigroup_add_class.add_commute",))
    assert "add_commute" not in method("E", ("Groups.ab_semigroup_add_class.add_commute",))


def test_simp_rules_without_a_name_are_left_to_auto() -> None:
    unnamed = {"T.unnamed_17": True}
    assert method("E", ("T.unnamed_17", "T.f"), unnamed).startswith("by ((auto simp add: f; fail)")
    assert method("E", ("T.unnamed_17", "T.f"), {"T.unnamed_17": False}) == ""


def test_arithmetic_has_others_behind_it() -> None:
    goal = App(App(Const("HOL.not_equal"), Free("a")), Free("b"))
    text = suggested_method(Proved("E", 0.1, (), 0), goal, [], {}, lambda name: name)
    assert text == "by (linarith | (auto; fail) | metis)"
    goal = App(App(Const("Rings.dvd_class.dvd"), Free("a")), Free("b"))
    text = suggested_method(Proved("E", 0.1, (), 0), goal, [], {}, lambda name: name)
    assert text == "by ((auto; fail) | presburger | metis)"


def test_rewriting_with_declared_rules_is_one_plain_method() -> None:
    assert method("simp", ("Fun.id_apply",), declared=("Fun.id_apply",)) == "by simp"
    assert method("simp", ("T.f", "F.2(1)"), {"T.f": True}, ("a",)) == "using a by simp"
    text = method("simp", ("Fun.id_apply", "T.f"), declared=("Fun.id_apply",))
    assert text == "by ((simp add: f; fail) | (auto simp add: f; fail) | metis f Fun.id_apply)"
    text = method("simp, E", ("Fun.id_apply", "T.f"), declared=("Fun.id_apply",))
    assert text == "by ((auto simp add: f; fail) | fastforce simp add: f | metis f Fun.id_apply)"


def test_every_goal_gets_the_method() -> None:
    assert method("simp", (), goals=2) == "by simp_all"
    assert method("E", ("T.f",), goals=2).endswith("(auto simp add: f; fail))+")


def test_what_an_induction_is_about_is_given_to_it() -> None:
    cases = (Proved("simp", 0.1, ("case(1)",), 0), Proved("simp", 0.1, ("case(2)", "T.f"), 0))
    proof = Proved("induct n (simp)", 0.2, ("Nat.nat.induct", "F.2(2)", "T.f"), 0, "induct n", cases)
    text = suggested_method(proof, GOAL, [("a", False), ("b", False)], {}, lambda name: name.removeprefix("T."))
    assert text == "using b by (induct n) (simp_all add: f)"


def test_a_rule_is_given_what_it_is_about_before_what_is_chained() -> None:
    cases = (Proved("simp", 0.1, ("case(1)", "F.2(1)"), 0),)
    rule = "induct A rule: Finite_Set.finite_induct"
    proof = Proved(f"{rule} (simp)", 0.2, ("Finite_Set.finite_induct", "F.2(2)", "F.2(1)"), 0, rule, cases)
    text = suggested_method(proof, GOAL, [("a", True), ("b", False)], {}, lambda name: name)
    assert text == f"by (use b a in \\<open>{rule}\\<close>) simp_all"
    assert suggested_method(proof, GOAL, [("", True), ("b", False)], {}, lambda name: name) is None
    text = suggested_method(proof, GOAL, [("a", False), ("b", False)], {}, lambda name: name)
    assert text == f"using b a by ({rule}) simp_all"


def test_arithmetic_with_alternatives_is_finished() -> None:
    """`linarith` does not prove `n = 0 ∨ n = 1` from `n < 2`, and `simp` would leave it; nor two comparisons at once from
    an absolute value, as `argo` does."""
    assert method_for([Free("P")]) == "(linarith | argo | (simp; fail) | arith)"


def test_simp_gets_no_rule_that_is_a_declared_one_reversed() -> None:
    cases = (Proved("E", 0.1, ("Nat.Suc_eq_plus1", "T.f"), 0),)
    proof = Proved("induct n (E)", 0.2, ("Nat.nat.induct", "Nat.Suc_eq_plus1", "T.f"), 0, "induct n", cases)
    text = suggested_method(proof, GOAL, [], {}, lambda name: name.removeprefix("T."))
    assert text == "by (induct n) (auto simp add: f)"


def test_cases_that_algebra_closes_get_its_rules() -> None:
    cases = (Proved("simp", 0.1, (), 0), Proved("simp, algebra", 0.1, ("T.f",), 0))
    proof = Proved("induct n (simp; simp, algebra)", 0.2, ("Nat.nat.induct", "T.f"), 0, "induct n", cases)
    text = suggested_method(proof, GOAL, [], {}, lambda name: name.removeprefix("T."))
    assert text == "by (induct n) (auto simp add: f algebra_simps power2_eq_square)"


def test_a_hidden_fact_is_called_by_another_name_in_a_whole_proof() -> None:
    found = Proved("E", 0.0, ("Groups.ab_semigroup_mult_class.mult_commute",), 1)
    text = method_with_all_given(found, GOAL)
    assert text is not None
    assert text.startswith("by ((simp add: mult.commute; fail) | metis mult.commute |")


@pytest.mark.parametrize("fact", ["l.\\<Q>_converges", "l.\\<PP>_covers_\\<Q>", "T.f\\<^sub>1(2)"])
def test_names_have_symbols(fact: str) -> None:
    assert f"metis {fact}" in (method_with_all_given(Proved("E", 0.0, (fact,), 1), GOAL) or "")


def test_metis_has_facts_about_orders_where_arithmetic_was_at_work() -> None:
    """`x = y` from `⋀i j. i < j ⟹ ...` on natural numbers, which `metis` takes for any type."""
    for rewrites in (True, False):
        by_cvc5 = method_with_all_given(Proved("cvc5-enum", 0.0, ("T.f",), 1), GOAL, lambda fact, rule=rewrites: rule)
        by_e = method_with_all_given(Proved("E", 0.0, ("T.f",), 1), GOAL, lambda fact, rule=rewrites: rule)
        assert by_cvc5 == f"{(by_e or '')[:-1]} | metis T.f linorder_neq_iff linorder_not_less)"


def test_simp_gets_no_declared_rule_from_right_to_left() -> None:
    """With `image_set` beside the declared `set_map` it does not end: Isabelle gave up after 40 s, and took what is
    printed now."""
    facts = ("List.image_set", "T.f_def")
    text = method_with_all_given(Proved("E", 0.1, facts, 2, reversed=("List.image_set",)), GOAL)
    assert text is not None
    assert text.startswith("by ((insert List.image_set, (auto simp add: T.f_def; fail)) | ")
    assert not [part for part in text.split(" | ") if "image_set" in part.partition("simp add:")[2]]


def test_simp_gets_no_fact_that_is_no_rewrite_rule() -> None:
    def text(*facts: str) -> str | None:
        return method_with_all_given(Proved("E", 0.0, facts, 2), GOAL, lambda fact: fact != "T.dest")

    auto = "(insert T.dest, (auto simp add: {0}; fail)) | (auto intro: T.dest simp add: {0}; fail)"
    last = " | (simp add: {0} T.dest; fail) | (auto simp add: {0} T.dest; fail)"
    assert text("T.f", "T.dest") == f"by (metis T.f T.dest | {auto.format('T.f')}{last.format('T.f')})"
    unfolded = f"{auto.format('T.f_def')} | metis T.f_def T.dest{last.format('T.f_def')}"
    assert text("T.f_def", "T.dest") == f"by ({unfolded})"
    assert "insert" not in str(text("T.f", "T.f_def"))


def test_declared_simp_rules_are_not_named() -> None:
    def text(by: str, *facts: str) -> str | None:
        return method_with_all_given(Proved(by, 0.0, facts, 2, declared=("T.f", "T.g")), GOAL)

    assert text("simp", "T.f", "T.g") == "by simp"
    assert text("simp", "T.f", "T.h") == ("by ((simp add: T.h; fail) | (auto simp add: T.h; fail) | metis T.f T.h)")
    assert text("simp, algebra", "T.f") == (
        "by ((simp add: algebra_simps power2_eq_square; fail) | (auto simp add: algebra_simps power2_eq_square; fail)"
        " | (simp, algebra))"
    )
    assert str(text("E", "T.f")).startswith("by ((simp add: T.f; fail) | metis T.f")  # it was given the fact


def test_a_value_that_needs_steps_is_no_single_method() -> None:
    step = ShownStep(GOAL, "eval", (), (), True)
    found = Proved("eval", 0.1, ("F.2(1)",), 0, "blast", (), (step,))
    assert suggested_method(found, GOAL, [("a", False)], {}, lambda name: name) is None
