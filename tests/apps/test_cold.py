"""A cold sketch asks its first prover soon, and a cold proposal is there soon, because little is loaded before: what
is, is counted here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from isarstep.apps.engine import Engine
from isarstep.benchmark.problems.task import Task
from isarstep.benchmark.store.store import Propositions, RowGroups
from isarstep.isabelle.context import fact_table
from isarstep.isabelle.terms.terms import Term, Typ
from isarstep.isabelle.theory.problems.problem import Problem
from isarstep.premises.fact_base import Library
from isarstep.prover.atp.provers import Provers
from isarstep.prover.outcomes.step import Step
from isarstep.prover.outcomes.verdict import Proved
from isarstep.prover.rewrite.simp_rules import SimpRules
from isarstep.prover.search.proof_search import Plan, sketches

# Ends where the process is started that starts provers, and says what is there by then.
LOOK = """
import json, os, subprocess, sys
from isarstep.cli import main

begin = subprocess.Popen.__init__

def started(self, arguments, *rest, **more):
    if "launcher.py" not in " ".join(arguments):
        return begin(self, arguments, *rest, **more)
    print(json.dumps(sorted(sys.modules)), flush=True)
    os._exit(0)

subprocess.Popen.__init__ = started
sys.argv = ["isarstep", *sys.argv[1:]]
main()
"""
# The model, its search, what looks for facts by words, and what Arrow imports to make numpy arrays.
LATER = {
    "isarstep.benchmark.store.fact_search",
    "isarstep.model.decode.predict",
    "isarstep.model.decode.search",
    "isarstep.model.nets.light",
    "pandas",
    "pyarrow.compute",
    "safetensors",
    "torch",
}


def test_before_its_first_prover_a_sketch_has_neither_the_model_nor_pandas() -> None:
    problem = ["--goal", "card B ≤ card A", "--fact", "finite A", "--fact", "B ⊆ A", "--budget", "15"]
    command = [sys.executable, "-c", LOOK, "sketch", *problem]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True, env=os.environ)
    modules = set(json.loads(done.stdout))
    assert {"isarstep.prover.search.proof_search", "isarstep.prover.rewrite.simp_rules", "pyarrow"} <= modules
    assert not LATER & modules


# Says what a whole command has loaded.
LOADED = """
import json, sys
from isarstep.cli import run

code = run(sys.argv[1:])
print(json.dumps(sorted(sys.modules)))
sys.exit(code)
"""
# Arrow, provers and their rules, what converts options, and what checks JSON.
NOT_FOR_PROPOSALS = {
    "isarstep.prover.rewrite.simp_rules",
    "isarstep.prover.check.prover_session",
    "numpy.ma",
    "pyarrow",
    "pydantic",
    "rich",
    "torch",
    "zstandard",
}


def test_a_second_proposal_without_provers_loads_no_arrow_no_provers_and_no_pydantic(tmp_path: Path) -> None:
    problem = ["--goal", "x < z + 1", "--fact", "x ≤ y", "--fact", "y ≤ z", "--type", "z :: nat"]
    command = [sys.executable, "-c", LOADED, "propose", "--no-check", *problem]
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path)}  # the first one embeds the facts of Complex_Main
    first, second = (
        subprocess.run(command, capture_output=True, text=True, timeout=300, check=True, env=environment).stdout
        for _ in range(2)
    )
    assert second.splitlines()[:-1] == first.splitlines()[:-1]
    modules = set(json.loads(second.splitlines()[-1]))
    assert {"isarstep.model.decode.search", "isarstep.premises.learned_selection"} <= modules
    assert not NOT_FOR_PROPOSALS & modules


def test_a_model_that_is_not_there_is_missed_before_provers_are_asked(tmp_path: Path) -> None:
    command = [sys.executable, "-c", LOOK, "sketch", "--goal", "x ≤ z", "--model", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=os.environ)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"isarstep: {tmp_path}: not a model folder")


def test_the_model_is_asked_when_provers_have_tried_the_goal_as_it_is(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []
    begin, end = Provers._begin, Provers._end

    def begun(self: Provers, *run: Any) -> object:
        events.append("prover")
        return begin(self, *run)

    def ended(self: Provers, *run: Any) -> tuple[int, float]:
        events.append("end")
        return end(self, *run)

    def search(_task: Task, _beam: int) -> Future[list[Step]]:
        events.append("model")
        answer: Future[list[Step]] = Future()
        answer.set_result([])
        return answer

    monkeypatch.setattr(Provers, "_begin", begun)
    monkeypatch.setattr(Provers, "_end", ended)
    task = engine.read(Problem("P z", ("Q x",), types=dict.fromkeys("xz", "nat")))
    with engine.proving(seconds=1, library=0, width=2) as proving:
        best = list(sketches(task, Plan(depth=1, seconds=3600, prover_seconds=1, library=0), search, proving))[-1]
    assert not best.closed
    assert {*events[: events.index("model")]} == {"prover", "end"}  # it is not loaded for what they prove


def test_what_rewriting_proves_needs_no_model(engine: Engine) -> None:
    def search(task: Task, beam: int) -> Future[list[Step]]:
        raise AssertionError("the model was asked")

    task = engine.read(Problem("x < x + 1", types={"x": "nat"}))
    with engine.proving(seconds=1, library=32) as proving:
        best = list(sketches(task, Plan(seconds=3600), search, proving))[-1]
    assert best.closed
    gap = best.steps[-1].gap
    assert isinstance(gap, Proved)
    assert gap.by == "simp"


def test_rules_are_read_together_and_without_the_facts(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark = engine.benchmark
    library = Library.of_benchmark(benchmark)
    rules = SimpRules.of_benchmark(benchmark, library)
    assert rules is not None
    lines = Propositions.lines
    calls: list[int] = []

    def counted(self: Propositions, numbers: list[int]) -> list[str]:
        calls.append(len(numbers))
        return lines(self, numbers)

    def unread(*_: object) -> None:
        raise AssertionError("facts are read")

    monkeypatch.setattr(Propositions, "lines", counted)
    monkeypatch.setattr(Library, "read", unread)
    monkeypatch.setattr(RowGroups, "locate", unread)  # one by one
    theory_context = benchmark.theory_contexts.at("Complex_Main")
    assert rules.near(theory_context, lambda *_: True, {"Groups.plus_class.plus"})
    assert len(calls) == 1
    assert calls[0] > 1000


def test_of_rules_nearby_only_those_are_typed_that_an_abbreviation_hides(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    benchmark, typed = engine.benchmark, fact_table.typed
    made: list[Term] = []

    def counted(term: Term, types: list[Typ], general: Callable[[str], Typ | None]) -> Term:
        made.append(term)
        return typed(term, types, general)

    monkeypatch.setattr(fact_table, "typed", counted)
    rules = SimpRules.of_benchmark(benchmark, Library.of_benchmark(benchmark))
    assert rules is not None
    theory_context = benchmark.theory_contexts.at("Complex_Main")
    near = rules.near(theory_context, lambda *_: True, {"Groups.plus_class.plus", "Power.power_class.power"})
    hidden = [each for found in near.values() for each in found if _abbreviated(engine, each.text)]
    assert 0 < len(hidden) < sum(map(len, near.values())) / 2
    assert len(made) <= len(hidden) + 8  # and a few that cannot be applied


def _abbreviated(engine: Engine, text: str) -> bool:
    constants = engine.benchmark.signature.constants
    names = {name for kind, name in zip(text.split(), text.split()[1:], strict=False) if kind == "CONST"}
    return any(constants[name].abbreviates is not None for name in names if name in constants)
