"""A user's theory with five constants that no model has seen: what the shipped model proposes about them, as a real
Isabelle printed it (`isabelle/own_constants.txt`), and now, from the theory's mined graph."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from isarstep.apps.engine import Engine
from isarstep.benchmark.extraction.graph_problem import problem_of_command
from isarstep.isabelle.process.proof_graph import read_graph

HERE = Path(__file__).parent / "isabelle"
GRAPH = HERE / "Own_Constants.jsonl.zst"  # mined from the theory without its questions
# By theorem: the constant that it is about, how that was declared, and the step that its author wrote.
STEPS = {
    "by_definition": ("triangle", "definition", "triangle m ≤ k"),
    "by_fun": ("weave", "fun", "x ∈ set zs"),
    "by_fun_again": ("weave", "fun_again", "set (weave xs ys) ⊆ A"),
    "by_primrec": ("depth", "primrec", "depth l < n"),
    "by_inductive": ("reaches", "inductive", "reaches r x z"),
    "by_locale": ("place", "locale", "place m ∈ B"),
}
SYMBOLS = {r"\<le>": "≤", r"\<in>": "∈", r"\<subseteq>": "⊆", r"\<notin>": "∉", r"\<union>": "∪"}


def answers() -> dict[str, list[str]]:
    """What Isabelle printed, by mark: the statements that it offers."""
    text = (HERE / "own_constants.txt").read_text()
    for symbol, character in SYMBOLS.items():
        text = text.replace(symbol, character)
    parts = re.split(r"^--- (\w+) \(writeln\)\n", text, flags=re.MULTILINE)[1:]
    return {
        mark: re.findall(r'^have "(.*?)"', said, re.MULTILINE)
        for mark, said in zip(parts[::2], parts[1::2], strict=True)
    }


@pytest.mark.parametrize("theorem", STEPS)
def test_isabelle_was_offered_the_authors_step_first(theorem: str) -> None:
    constant, mark, step = STEPS[theorem]
    offered = answers()[mark]
    assert offered[0] == step
    assert any(constant in text for text in offered)


def test_every_question_of_the_theory_has_its_answer() -> None:
    asked = re.findall(r"isarstep .*\(\*(\w+)\*\)", (HERE / "Own_Constants.thy").read_text())
    assert asked == list(answers()) == [mark for _, mark, _ in STEPS.values()]


@pytest.mark.parametrize("theorem", STEPS)
def test_a_step_of_the_graph_is_proposed_with_the_constants_of_its_theory(engine: Engine, theorem: str) -> None:
    constant, _, step = STEPS[theorem]
    graph = read_graph(GRAPH)
    proof = next(proof for proof in graph.proofs if proof.name.rpartition(".")[2] == theorem)
    command = next(each for each in proof.steps if each.command == "have")
    task = engine.read(problem_of_command(graph, proof.ordinal, command.ordinal, theorem))
    assert [name.rpartition(".")[2] for name in engine.unknown(task)] == [constant]
    steps = engine.propose(task)
    assert steps[0].text.replace("place step start", "place") == step
    assert all(each.well_formed for each in steps)
