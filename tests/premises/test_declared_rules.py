"""Rules that theories declare, by what they may be used for."""

from __future__ import annotations

from isarstep.apps.engine import Engine
from isarstep.premises.declared_rules import DeclaredRules
from isarstep.premises.fact_base import Library


def test_rules_of_a_context_for_a_goal_and_for_facts(engine: Engine, library: Library) -> None:
    declared = DeclaredRules.of_benchmark(engine.benchmark, library)
    assert declared is not None
    library.read(frozenset({"HOL.Set"}))
    of_goal = {library.theorem(n): kinds for n, kinds in declared.about({"HOL.Set"}, "HOL.eq", ()).items()}
    assert of_goal["Set.subset_antisym"] == {"intro!"}
    of_fact = {library.theorem(n): kinds for n, kinds in declared.about({"HOL.Set"}, "", {"Set.Bex"}).items()}
    assert of_fact["Set.bexE"] == {"elim!"}
    assert "Set.subset_antisym" not in of_fact
    assert declared.about({"HOL.Nat"}, "Set.Bex", ()) == {}


def test_a_collection_of_rules_of_introduction_counts_as_such(engine: Engine, library: Library) -> None:
    declared = DeclaredRules.of_benchmark(engine.benchmark, library)
    assert declared is not None
    theory, head = "HOL.Topological_Spaces", "Topological_Spaces.continuous_on"
    found = {library.theorem(n): kinds for n, kinds in declared.about({theory}, head, ()).items()}
    assert found["Topological_Spaces.continuous_on_const"] == {"intro"}
