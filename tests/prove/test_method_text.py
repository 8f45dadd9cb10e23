"""Methods that are printed for what a prover found."""

from isarstep.logic.terms import App, Const, Free
from isarstep.prove.method_text import suggested_method
from isarstep.prove.verdict import Proved

GOAL = Free("P")


def method(by: str, facts: tuple[str, ...], own: dict[str, bool] | None = None, local: tuple[str, ...] = ()) -> str:
    def called(name: str) -> str | None:
        return None if "unnamed" in name else name.removeprefix("T.")

    rows = [(text, False) for text in local]
    return suggested_method(Proved(by, 0.1, facts, 0), GOAL, rows, own or {}, called) or ""


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
