"""What a proof method may use a fact for."""

import pytest
from tests.embedded import embedded_benchmark

from isarstep.prover.rewrite.fact_roles import is_elimination_rule, is_rewrite_rule, leaves_open


@pytest.mark.parametrize(
    ("fact", "rule"),
    [("List.append.simps(2)", True), ("List.rev_rev_ident", True), ("Fun.comp_def", True), ("Set.empty_iff", True),
     ("List.Cons_eq_appendI", False), ("Set.subset_trans", False), ("Nat.nat.induct", False),
     ("Set.subsetD", False), ("Transitive_Closure.rtranclp.simps", False), ("List.list_all.simps(2)", True),
     ("List.upto.simps", False), ("nobody.knows", True)],
)  # fmt: skip
def test_which_facts_rewriting_is_for(fact: str, rule: bool) -> None:
    main = embedded_benchmark().theory_contexts.at("Main")
    assert is_rewrite_rule(main, fact) == rule


@pytest.mark.parametrize(
    ("fact", "rule"),
    [("Transitive_Closure.converse_rtranclE", True), ("Set.UnE", True), ("Set.subsetD", False),
     ("Transitive_Closure.rtrancl_trans", False), ("Nat.nat.induct", False), ("nobody.knows", False)],
)  # fmt: skip
def test_which_facts_eliminate(fact: str, rule: bool) -> None:
    assert is_elimination_rule(embedded_benchmark().theory_contexts.at("Main"), fact) == rule


@pytest.mark.parametrize(
    ("fact", "rule"),
    [("Set.subsetD", True), ("Set.subset_trans", True), ("Nat.Suc_leI", False), ("List.rev_rev_ident", False)],
)  # fmt: skip
def test_which_facts_have_premises_about_something_else(fact: str, rule: bool) -> None:
    assert leaves_open(embedded_benchmark().theory_contexts.at("Main"), fact) == rule


def test_a_definition_outside_of_its_locale_is_a_rewrite_rule() -> None:
    """`assertionAux C I B E ⟹ AssertionStatEq I s t ≡ ...`: as an introduction rule Isabelle takes it for an error, and tries
    none of the methods behind it."""
    at = embedded_benchmark().theory_contexts.at("Psi_Calculi.Frame")
    assert is_rewrite_rule(at, "Frame.assertionAux.AssertionStatEq_def")
    algebra = embedded_benchmark().theory_contexts.at("Package_logic.SepAlgebra")
    assert is_rewrite_rule(algebra, "SepAlgebra.sep_algebra.mono_prop_def")  # of a locale with a parameter more
    fixed_point = embedded_benchmark().theory_contexts.at("Package_logic.FixedPoint")
    assert is_rewrite_rule(fixed_point, "FixedPoint.logic.applies_eq.simps")
    assert not is_rewrite_rule(at, "Frame.assertionAux.AssertionStatEqTrans")
