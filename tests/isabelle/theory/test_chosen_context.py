"""In which context a problem is read."""

from __future__ import annotations

import re

import pytest

from isarstep.apps.engine import Engine
from isarstep.isabelle.theory.problems.problem import Problem, ProblemError


@pytest.mark.parametrize(
    ("problem", "theory_context"),
    [
        (Problem("x < y"), "Complex_Main"),
        (Problem("length xs = n", ("zs = xs",)), "Complex_Main"),  # some theory has a constant zs
        (Problem("frob x = quux", fixed=("frob", "quux")), "Complex_Main"),  # nobody's words
        (Problem("p dvd a", ("prime p",)), "HOL-Computational_Algebra.Factorial_Ring"),
        (Problem("x ∈ sets M"), "HOL-Analysis.Sigma_Algebra"),
        (Problem("prime (p :: nat) ⟹ p > 1"), "HOL-Computational_Algebra.Factorial_Ring"),
        (Problem("infinite {p::nat. prime p}"), "HOL-Computational_Algebra.Factorial_Ring"),
        (Problem("sets x = y", fixed=("sets",)), "Complex_Main"),
        (Problem("x < y", imports=("Prefix_Order",)), "HOL-Library.Prefix_Order"),
        (Problem("x < y", imports=("Main", "Analysis")), "HOL-Analysis.Analysis"),
    ],
)
def test_where_a_problem_stands(engine: Engine, problem: Problem, theory_context: str) -> None:
    assert engine.read(problem).theory_context.name == theory_context


def test_the_order_on_lists_is_asked_for(engine: Engine) -> None:
    """Several theories order lists, each in its own way: none of them is chosen in silence."""
    types = {"xs": "nat list"}
    for problem in (Problem("xs ≤ ys", types=types), Problem("s ≤ (t :: nat list) ∨ t ≤ s")):
        with pytest.raises(ProblemError, match=r"several theories.*List_Lexorder.*Prefix_Order") as caught:
            engine.read(problem)
        assert caught.value.field == "imports"
    theory_context = engine.read(Problem("xs ≤ ys", types=types, imports=("Prefix_Order",))).theory_context
    orders = [
        t for t in theory_context.theories or () if t.endswith(("Lexorder", "lexorder", "Prefix_Order", "Subseq_Order"))
    ]
    assert len(orders) == 1
    with pytest.raises(ProblemError, match="does not belong to"):
        engine.read(Problem("xs ≤ ys", types=types, imports=("Complex_Main",)))


@pytest.mark.parametrize(
    ("imports", "why"),
    [(("Nowhere",), "there is none"), (("Prefix_Order", "List_Lexorder"), "both make List.list an instance of")],
)
def test_imports_that_cannot_be(engine: Engine, imports: tuple[str, ...], why: str) -> None:
    with pytest.raises(ProblemError, match=why) as caught:
        engine.read(Problem("x < y", imports=imports))
    assert caught.value.field == "imports"


def test_a_name_with_several_meanings_wants_a_theory(engine: Engine) -> None:
    for text in ("path g", "path (g :: real ⇒ complex)"):
        with pytest.raises(
            ProblemError, match=r"path is not known in Complex_Main; import HOL-Analysis\.Path_Connected"
        ):
            engine.read(Problem(text))
    assert engine.read(Problem("path g", imports=("HOL-Analysis.Path_Connected",))).types()["g"].startswith("real ⇒")


def test_what_is_proposed_exists_there(engine: Engine) -> None:
    task = engine.read(Problem("xs @ ys = ys", ("xs = []",)))
    steps = engine.search([task], 10)[0]
    names = {name for step in steps for name in re.findall(r"CONST (\S+)", step.tokens)}
    assert names
    assert all(map(task.theory_context.exists, names))
