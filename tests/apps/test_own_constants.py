"""Constants that only the asker has: read, typed, proposed and shown like any other."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from isarstep.apps.engine import Engine
from isarstep.benchmark.store.special_tokens import SPECIALS
from isarstep.isabelle.inference.infer import well_formed
from isarstep.isabelle.inference.typed_lines import TypedLine
from isarstep.isabelle.terms.signature import Constant, Signature
from isarstep.isabelle.terms.terms import Type, constants, fun
from isarstep.isabelle.theory.problems.problem import Problem, ProblemError
from isarstep.model.nets import ModelConfig, build_model
from isarstep.model.nets.checkpoint import About, write_model
from isarstep.prover.check.prover_session import Limits
from isarstep.prover.outcomes.verdict import Proved

WORDS = "( ) HOL.Trueprop HOL.eq <X0> Nat.Suc <C0> <C1>".split()
DOUBLE = Problem("dbl n = hlf n", ("∀n. dbl n = n + n",), constants={"dbl": "nat ⇒ nat", "hlf": "nat ⇒ nat"})


@pytest.fixture(scope="module")
def open_engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """A tiny model that knows nothing, over the shipped benchmark; its vocabulary has numbers for two constants."""
    folder = tmp_path_factory.mktemp("open")
    torch.manual_seed(0)
    vocabulary = (*SPECIALS, *WORDS)
    model = build_model(ModelConfig("hat", len(vocabulary), "tiny", dropout=0.0, dense=True))
    write_model(model, About("hash", vocabulary, {}), folder)
    return Engine(folder)


def test_proposals_use_constants_that_no_model_knows(open_engine: Engine) -> None:
    task = open_engine.read(DOUBLE)
    assert task.theory_context.name == "Complex_Main"
    assert "dbl" in open_engine.unknown(task)
    steps = open_engine.propose(task, 60)
    assert any("dbl" in step.text for step in steps)
    assert "<C" not in " ".join(step.tokens for step in steps)
    for step in steps:
        assert well_formed(step.tokens, task.theory_context.signature, task.context)
    # Nothing of it is left for the next who asks.
    assert not open_engine.read(Problem("x = y")).theory_context.exists("dbl")


def test_types_of_own_constants_count(engine: Engine) -> None:
    with pytest.raises(ProblemError):
        engine.read(Problem("dbl n = True", constants={"dbl": "nat ⇒ nat"}))
    with pytest.raises(ProblemError, match=r"constants\.dbl"):
        engine.read(Problem("dbl n = n", constants={"dbl": "nat ⇒"}))
    with pytest.raises(ProblemError, match="take another"):
        engine.read(Problem("x = y", constants={"Nat.Suc": "nat"}))
    task = engine.read(Problem("pick xs = pick ys", constants={"pick": "'a list ⇒ 'a"}, types={"xs": "nat list"}))
    assert task.context == {
        "<X0>": Type("List.list", (Type("Nat.nat"),)),
        "<X1>": Type("List.list", (Type("Nat.nat"),)),
    }


SNOC = {"snoc": "'a list ⇒ 'a ⇒ 'a list"}


def test_what_is_known_of_an_own_constant_holds_where_the_goal_needs_it(engine: Engine) -> None:
    """Its definition shares no variable with the goal: at a type of its own nothing would follow from it."""
    problem = Problem("length (snoc xs x) = Suc (length xs)", ("∀xs x. snoc xs x = xs @ [x]",), constants=SNOC)
    task = engine.read(problem)
    definition, goal = task.typed(task.example.f2[0]), task.typed(task.example.f3 or "")
    types = {node.type for line in (definition, goal) for node in constants(line) if node.name == "snoc"}
    assert types == {fun(task.context["<X0>"], fun(task.context["<X1>"], task.context["<X0>"]))}
    assert task.text(task.example.f2[0]) == "∀xs x. snoc xs x = xs @ [x]"
    with engine.proving() as proving:
        assert isinstance(proving.follows(task, task.example.f3 or "", (), Limits(0.3, 32))[0], Proved)


def test_a_step_that_was_accepted_has_the_types_of_the_problem(engine: Engine) -> None:
    fact = "∀xs x. snoc xs x = xs @ [x]"
    problem = Problem("snoc xs x ≠ []", (fact,), extra=("∀xs x. length (snoc xs x) ≠ 0",), constants=SNOC)
    task = engine.read(problem)
    types = {node.type for line in task.example.f2 for node in constants(task.typed(line)) if node.name == "snoc"}
    assert len(task.example.f2) == 2
    assert types == {fun(task.context["<X0>"], fun(task.context["<X1>"], task.context["<X0>"]))}


def test_an_own_constant_may_have_two_types(engine: Engine) -> None:
    types = {"xs": "nat list", "ys": "bool list"}
    problem = Problem("pick ys", ("pick xs = 0", "pick ys = True"), constants={"pick": "'a list ⇒ 'a"}, types=types)
    task = engine.read(problem)
    listed = [Type("List.list", (Type(name),)) for name in ("Nat.nat", "HOL.bool")]
    assert [task.context[name] for name in ("<X0>", "<X1>")] == listed


def test_a_program_knows_types_that_its_tokens_do_not_have(engine: Engine) -> None:
    """A fact of an Isabelle context may be about another type than the goal: it is not moved there."""
    notation = Problem("snoc xs x ≠ []", ("∀xs x. snoc xs x = xs @ [x]",), constants=SNOC)
    known = engine.read(notation).example
    told = {"snoc": "(fun (List.list ?'a.0) (fun ?'a.0 (List.list ?'a.0)))"}
    task = engine.read(Problem(str(known.f3), tuple(map(str, known.f2)), form="tokens", constants=told))
    assert not isinstance(task.example.f2[0], TypedLine)


def test_a_theory_of_the_askers_brings_its_constants(open_engine: Engine) -> None:
    """As `--graph` does: the whole signature of a theory that the benchmark does not have."""
    nat, colour = Type("Nat.nat"), Type("Mine.colour")
    constants = (Constant("Mine.shade", fun(colour, nat)), Constant("Mine.red", colour))
    own = Signature.build(constants, [("Mine.colour", 0)], (), [("Mine.colour", "HOL.type", ())])
    line = "CONST HOL.Trueprop $ ( CONST HOL.eq $ ( CONST Mine.shade $ CONST Mine.red ) $ FREE n )"
    task = open_engine.read(Problem(line, form="tokens", own=own))
    assert task.context == {"<X0>": nat}
    steps = open_engine.propose(task, 60)
    assert {name for step in steps for name in step.tokens.split() if name.startswith("Mine.")} == {
        "Mine.shade",
        "Mine.red",
    }
    for step in steps:
        assert well_formed(step.tokens, task.theory_context.signature, task.context)


def test_a_program_may_tell_all_constants_and_its_own_types(open_engine: Engine) -> None:
    line = "CONST HOL.Trueprop $ ( CONST HOL.eq $ ( CONST Mine.shade $ CONST Mine.red ) $ FREE n )"
    told = {
        "HOL.eq": "(fun ?'a.0 (fun ?'a.0 HOL.bool))", "Mine.shade": "(fun Mine.colour Nat.nat)", "Mine.red": "Mine.colour",
    }  # fmt: skip
    task = open_engine.read(Problem(line, form="tokens", constants=told))
    assert task.context == {"<X0>": Type("Nat.nat")}
    equal = "CONST HOL.Trueprop $ ( CONST HOL.eq $ CONST Mine.red $ CONST Mine.red )"
    assert well_formed(equal, task.theory_context.signature, task.context)


def test_a_graph_says_what_its_theory_declares(tmp_path: Path) -> None:
    from tests.benchmark.corpus import write_corpus

    from isarstep.benchmark.extraction.graph_problem import signature_of_theory
    from isarstep.isabelle.process.proof_graph import read_graph

    write_corpus(tmp_path)
    graphs = [read_graph(path) for path in sorted(tmp_path.rglob("*.jsonl*"))]
    graph = next(graph for graph in graphs if graph.signature.constants)
    own = signature_of_theory(graph)
    assert graph.signature.constants
    assert all(own.constants[c.name].type == c.type for c in graph.signature.constants)


@pytest.mark.slow
def test_sixty_problems_of_people_are_read(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "research" / "benchmarks"))
    import people

    asked = people.read_problems(people.PROBLEMS.read_text(encoding="utf-8"))
    assert len({each.name for each in asked}) == 60
    assert sum(bool(each.problem.constants) for each in asked) == 30
    for each in asked:
        task = engine.read(each.problem)
        mentioned = {name for line in (*task.example.f2, task.example.f3 or "") for name in line.split()}
        assert set(each.problem.constants) <= mentioned, each.name  # as constants, not as variables
