"""Methods that are printed for what a prover found."""

from dataclasses import replace

import pytest

from isarstep.isabelle.terms.terms import App, Const, Free, Term
from isarstep.prover.arithmetic.ground_problem import method_for
from isarstep.prover.isar.method_text import method_with_all_given, suggested_method, with_named_conditions
from isarstep.prover.outcomes.verdict import Proved, ShownStep

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
    assert text.startswith(
        "by ((simp add: mult.commute; fail) | (auto simp add: mult.commute; fail) | metis mult.commute |"
    )
    assert text.count("(simp add: mult.commute; fail)") == 1


@pytest.mark.parametrize(
    "fact",
    ["l.\\<Q>_converges", "l.\\<PP>_covers_\\<Q>", "T.f\\<^sub>1(2)", "Program-Conflict-Analysis.Semantics.trss_def"],
)
def test_names_have_symbols_and_sessions(fact: str) -> None:
    assert f"metis {fact}" in (method_with_all_given(Proved("E", 0.0, (fact,), 1), GOAL) or "")


def tries(
    by: str, facts: tuple[str, ...], no_rules: tuple[str, ...] = (), goal: Term = GOAL, turned: tuple[str, ...] = ()
) -> list[str]:
    """The methods that are printed, in their order."""
    text = method_with_all_given(Proved(by, 0.0, facts, 2, reversed=turned), goal, lambda fact: fact not in no_rules)
    assert text is not None
    return text.removeprefix("by (").removesuffix(")").split(" | ")


def test_metis_has_facts_about_orders_where_arithmetic_was_at_work() -> None:
    """`x = y` from `⋀i j. i < j ⟹ ...` on natural numbers, which `metis` takes for any type."""
    orders = "metis T.f linorder_neq_iff linorder_not_less"
    assert tries("cvc5-enum", ("T.f",)) == [*tries("E", ("T.f",)), orders]
    *others, fastforce = tries("E", ("T.f",), ("T.f",))
    assert "fastforce" in fastforce
    assert tries("cvc5-enum", ("T.f",), ("T.f",)) == [*others, orders, fastforce]


def test_others_come_first_where_introduction_rules_may_not_end() -> None:
    """`up_close_equiv` with `subsetD`: `auto intro:` takes no end, `metis` 0.5 s."""
    proof = Proved("E", 0.0, ("T.f", "T.dest"), 2)
    found = method_with_all_given(proof, GOAL, lambda fact: fact == "T.f", leaves_open=lambda fact: fact == "T.dest")
    assert found is not None
    inserted = "(insert T.dest, (auto simp add: T.f; fail))"
    assert found.startswith(f"by ({inserted} | ")
    assert found.index("metis T.f T.dest") < found.index("(auto intro: T.dest simp add: T.f; fail)")


def test_simp_gets_no_declared_rule_from_right_to_left() -> None:
    """With `image_set` beside the declared `set_map` it does not end: Isabelle gave up after 40 s, and took what is
    printed now."""
    found = tries("E", ("List.image_set", "T.f_def"), turned=("List.image_set",))
    assert "(insert List.image_set, (auto simp add: T.f_def; fail))" in found
    assert not [each for each in found if "image_set" in each.partition("simp add:")[2]]


def test_simp_gets_no_fact_that_is_no_rewrite_rule() -> None:
    """`oreachable_local` from its premises alone: `metis` does not end, `auto intro:` takes 0.1 s. Of 50 places of
    printed proofs this order closes 41, with `auto intro:` first and `metis` before `auto` 37."""
    assert tries("E", ("T.f", "T.dest"), ("T.dest",)) == [
        "(insert T.dest, (auto simp add: T.f; fail))",
        "(simp add: T.f T.dest; fail)",
        "(auto simp add: T.f T.dest; fail)",
        "(auto intro: T.dest simp add: T.f; fail)",
        "metis T.f T.dest",
        "(insert T.f T.dest, (fastforce; fail))",
    ]
    assert "insert" not in " ".join(tries("E", ("T.f", "T.f_def"), ("T.dest",)))


def test_definitions_are_unfolded_for_metis_and_for_a_rule() -> None:
    """`(restrict r A)⇧* ⊆ r⇧*` by `rtrancl_mono`, and `s_ce a b = s_ce c d ⟹ a = c ∧ b = d` by two facts that say when
    other functions are equal, with which `auto` does not end."""
    by_rule, with_metis = (
        "(unfold T.f_def, rule T.mono, (auto simp add: T.f_def; fail))",
        "(unfold T.f_def, metis T.mono)",
    )
    found = tries("E", ("T.f_def", "T.mono"), ("T.mono",))
    assert found[1:4] == [by_rule, with_metis, "(insert T.mono, (auto simp add: T.f_def; fail))"]
    assert found[4] == "metis T.f_def T.mono"
    by_cvc5 = tries("cvc5", ("T.f_def", "T.mono"), ("T.mono",))
    assert by_cvc5.index(with_metis) == by_cvc5.index("(insert T.mono, (auto simp add: T.f_def; fail))") + 1
    assert "rule" not in " ".join(tries("E", ("T.f_def", "T.a", "T.b"), ("T.a", "T.b")))


def test_what_eliminates_is_no_introduction_rule() -> None:
    """`P ⊕ Q ⟹τ R` by `Sum1` and `converse_rtranclE`: `auto intro:` with both does not end."""
    proof = Proved("E", 0.0, ("T.intro", "T.cases"), 2)
    text = method_with_all_given(proof, GOAL, lambda fact: False, lambda fact: fact == "T.cases")
    rules = "intro: T.intro elim: T.cases"
    assert (text or "").startswith(f"by ((auto {rules}; fail) | blast {rules} | metis T.intro T.cases | ")
    text = method_with_all_given(replace(proof, facts=("T.cases",)), GOAL, lambda fact: False, lambda fact: True)
    assert (text or "").startswith("by ((auto elim: T.cases; fail) | blast elim: T.cases | metis T.cases | ")


def test_a_premise_to_eliminate_is_given_to_fastforce_before_metis() -> None:
    """`1 ≤ n` and `⋀m. n = Suc m ⟹ thesis` give `thesis` by `not0_implies_Suc`: `metis` does not end."""
    thesis = App(Const("HOL.Trueprop"), Free("thesis"))
    for by in ("E", "cvc5-enum"):
        found = tries(by, ("T.f",), ("T.f",), thesis)
        assert found.index("(insert T.f, (fastforce; fail))") < found.index("metis T.f")
        assert len(set(found)) == len(found)


def test_declared_simp_rules_are_not_named() -> None:
    def text(by: str, *facts: str) -> str | None:
        return method_with_all_given(Proved(by, 0.0, facts, 2, declared=("T.f", "T.g")), GOAL)

    assert text("simp", "T.f", "T.g") == "by simp"
    assert text("simp", "T.f", "T.h") == ("by ((simp add: T.h; fail) | (auto simp add: T.h; fail) | metis T.f T.h)")
    assert text("simp, algebra", "T.f") == (
        "by ((simp add: algebra_simps power2_eq_square; fail) | (auto simp add: algebra_simps power2_eq_square; fail)"
        " | (simp, algebra))"
    )
    assert "metis T.f |" in str(text("E", "T.f"))  # it was given the fact


def test_a_value_that_needs_steps_is_no_single_method() -> None:
    step = ShownStep(GOAL, "eval", (), (), True)
    found = Proved("eval", 0.1, ("F.2(1)",), 0, "blast", (), (step,))
    assert suggested_method(found, GOAL, [("a", False)], {}, lambda name: name) is None


def test_conditions_of_a_definition_are_called_as_they_are_where_it_is_unfolded() -> None:
    proof = Proved("E", 0.1, ("l.d_def", "F.2(2)"), 0, method="unfold l.d_def[OF F.2(2)] e_def, intro conjI",
                   cases=(Proved("simp", 0.1, (), 0), Proved("simp", 0.1, (), 0)))  # fmt: skip
    text = suggested_method(proof, GOAL, [("a", False), ("b", False)], {}, lambda name: name)
    assert text == "using b by (unfold l.d_def[OF b] e_def, intro conjI) simp_all"
    text = suggested_method(proof, GOAL, [("a", True), ("", True)], {}, lambda name: name)
    assert text == "by (unfold l.d_def e_def, intro conjI) simp_all"


def test_labels_stand_for_all_conditions_or_none() -> None:
    labels = {"F.2(1)": "assms(1)", "F.2(2)": "assms(2)"}
    assert with_named_conditions("unfold d_def[OF F.2(2) F.2(1)]", labels.get) == "unfold d_def[OF assms(2) assms(1)]"
    assert (
        with_named_conditions("unfold d_def[OF F.2(2) F.2(3)], intro conjI", labels.get) == "unfold d_def, intro conjI"
    )
    assert with_named_conditions("induct xs rule: rev_induct", labels.get) == "induct xs rule: rev_induct"
