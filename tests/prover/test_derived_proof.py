"""Derivations that E 2.6 printed (`derivations_of_e.txt`), as proofs in steps and as Isar."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from tests.embedded import embedded_benchmark
from tests.prover.derivations import TRUE, Derivation
from tests.prover.test_derivations import query

from isarstep.isabelle.terms.terms import frees
from isarstep.isabelle.terms.type_text import parse_type
from isarstep.prover.atp.derived_proof import SHORT, SHORT_REWRITING, in_steps
from isarstep.prover.atp.problems import Query
from isarstep.prover.isar.derived_text import derived_lines
from isarstep.prover.isar.sketch import _apart, _in_parts, _written
from isarstep.prover.outcomes.verdict import Derived, Proved

SECTIONS = (Path(__file__).parent / "derivations_of_e.txt").read_text(encoding="utf-8").split("## ")[1:]
OUTPUTS = {section.partition("\n")[0]: section.partition("\n")[2] for section in SECTIONS}
SYMMETRIC = ["(ALL (x) (EX (y) (R x y)))", "(ALL (x y) (--> (R x y) (R y x)))"]
FUNCTIONS = Derivation("Skolem functions", SYMMETRIC, "(ALL (x) (EX (y) (& (R x y) (R y x))))", {}, [])


def asked(name: str) -> Query:
    """A derivation's question, whose premises are called as those of an example."""
    found = query(next(each for each in (*TRUE, FUNCTIONS) if each.name == name))
    return replace(found, premises=tuple(replace(each, name=f"F.2({n})") for n, each in enumerate(found.premises, 1)))


def written(derived: Derived) -> list[str] | None:
    language = embedded_benchmark().theory_contexts.at("Complex_Main").language
    taken = {leaf.name for step in derived.steps for leaf in frees(step.formula)}
    called = _apart((each for step in derived.steps for each in step.obtained), taken)
    known = {f"F.2({n})": f"assms({n})" for n in range(1, 5)}
    text_of = partial(_written, called, language, {})
    return derived_lines(derived, "a", "assms", known, text_of, lambda free: called[free.name].name, lambda _: True)


def derived(name: str) -> Derived:
    found = in_steps(asked(name), True, OUTPUTS[name])
    assert found is not None
    return found


IN_WORDS = "(blast | (auto simp add: le_fun_def; fail) | metis | fastforce)"


def test_what_encodings_unfold_is_said_before_it_is_used() -> None:
    assert written(derived("subset transitivity")) == [
        "proof (rule ccontr)",
        '  assume a0: "¬ ?thesis"',
        '  have a1: "¬ (∀x. x ∈ A ⟶ x ∈ C)"',
        f"    using a0 by {IN_WORDS}",
        '  have a2: "∀x. x ∈ B ⟶ x ∈ C"',
        f"    using assms(2) by {IN_WORDS}",
        '  have a3: "∀x. x ∈ A ⟶ x ∈ B"',
        f"    using assms(1) by {IN_WORDS}",
        '  obtain x where a4: "x ∈ A ∧ ¬ x ∈ C"',
        "    using a1 by (blast | (auto; fail) | metis | fastforce)",
        "  show False",
        "    using a4 a2 a3 by metis",
        "qed",
    ]


def test_what_a_skolem_function_is_said_of_is_left_out() -> None:
    assert written(derived("Skolem functions")) == [
        "proof (rule ccontr)",
        '  assume a0: "¬ ?thesis"',
        '  obtain x where a1: "∀x1. ¬ R x x1 ∨ ¬ R x1 x"',
        "    using a0 by (blast | (auto; fail) | metis | fastforce)",
        "  show False",
        "    using assms(2) assms(1) a1 by metis",
        "qed",
    ]


@pytest.mark.parametrize("name", OUTPUTS)
def test_steps_come_from_what_stands_before_them(name: str) -> None:
    found, known = derived(name), set[str]()
    for place, step in enumerate((*found.steps, found.last)):
        assert all(before < place for before in step.steps)
        known |= {each.name for each in step.obtained}
        assert {leaf.name for leaf in frees(step.formula) if "~" in leaf.name} <= known
    assert written(found)


def test_what_cannot_be_said_is_left_out_or_ends_it() -> None:
    output, question = OUTPUTS["injective"], asked("injective")
    whole = in_steps(question, True, output)
    assert whole is not None
    place = output.index("c_0_")
    unsaid = output[:place] + output[place:].replace("c_inj", "epred")
    premise = next(line for line in output.splitlines() if ", file(" in line and line.startswith("tff(p"))
    symbol = premise.split("c_", 1)[1].split("(")[0]
    assert in_steps(question, True, output.replace(premise, premise.replace(f"c_{symbol}", "c_unknown"))) is None
    assert in_steps(question, True, unsaid) is not None
    assert in_steps(question, True, output.rpartition("# SZS output end")[0]) is None


def test_a_fact_without_a_name_ends_it() -> None:
    found = derived("pair")
    nameless = replace(found, last=replace(found.last, facts=("no name",)))
    assert written(found)
    assert written(nameless) is None


def test_definitions_that_a_prover_introduces_are_left_out() -> None:
    output = OUTPUTS["subset transitivity"]
    start, _, rest = output.partition("\n")
    defined = "fof(epred1_0, definition, (epred1_0<=>$true), introduced(definition))."
    assert in_steps(asked("subset transitivity"), True, f"{start}\n{defined}\n{rest}") == derived("subset transitivity")


@pytest.mark.parametrize(("fact", "inferences", "expected"), [
    ("Set.subsetD", SHORT + 1, True),
    ("List.append_Nil2", SHORT + 1, False),
    ("List.append_Nil2", SHORT_REWRITING + 1, True),
])  # fmt: skip
def test_rewriting_repeats_longer_derivations_than_other_methods(fact: str, inferences: int, expected: bool) -> None:
    context, question = embedded_benchmark().theory_contexts.at("Complex_Main"), asked("subset transitivity")
    proof = Proved("E", 0.1, (fact,), 1, derived=replace(derived("subset transitivity"), inferences=inferences))
    types = {name: parse_type("(Set.set 'a)") for name in "ABC"}
    assert len(context.library_facts(fact)) == 1
    shown = _in_parts(proof, question.goal, context, "assms", {}, "a", types, {})
    assert (shown is not None) is expected
