"""What counts as well-formed in scores: terms, of constants that exist there, well-typed."""

from tests.embedded import embedded_benchmark

from isarstep.isabelle.inference.infer import well_formed
from isarstep.score.headline import open_task
from isarstep.score.wellformed import ILL_TYPED, UNREADABLE, WELL_TYPED


def test_outputs_are_judged_where_they_stand() -> None:
    task = open_task("embedded", "test")
    theory_contexts, type_checker = embedded_benchmark().theory_contexts, task.type_checker
    assert type_checker is not None
    example = next(e for e in task.examples if "Topological_Spaces" not in theory_contexts.at(e.theory).prefixes)
    assert type_checker.outcome(example, example.f1) == WELL_TYPED
    assert type_checker.outcome(example, example.f1 + " $") == UNREADABLE
    assert type_checker.outcome(example, "CONST HOL.Trueprop $ CONST Nat.Suc") == ILL_TYPED
    assert type_checker.outcome(example, "CONST HOL.Trueprop $ CONST HOL.True") == WELL_TYPED
    # Well-typed, but of a theory that this one does not rest on.
    elsewhere = "CONST HOL.Trueprop $ ( CONST Topological_Spaces.open_class.open $ CONST Set.empty )"
    assert well_formed(elsewhere, embedded_benchmark().signature)
    assert type_checker.outcome(example, elsewhere) == ILL_TYPED
