"""The search for a proof, of a problem or of every gap of a theory file, as commands run it, with progress."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import typer

from isarstep.apps.batching import Batcher
from isarstep.apps.engine import Engine
from isarstep.apps.filling import FilledGap, FilledTheory, filled_gaps
from isarstep.benchmark.problems.task import Task
from isarstep.common.errors import UserError
from isarstep.common.progress import Watched
from isarstep.isabelle.theory.document import TheoryDocument
from isarstep.prover.isar.sketch import Sketch
from isarstep.prover.search.proof_search import Plan, sketches


def file_of_statement(statement: str) -> Path | None:
    """The file that a statement is in, where the argument names one."""
    place, _, line = statement.rpartition(":")
    named = (place.endswith(".thy") and line.isdecimal()) or ".jsonl.zst:" in statement or statement.endswith(".json")
    return Path(statement) if named or statement == "-" else None


def search_for_proof(
    engine: Engine, task: Task, beam: int, seconds: float
) -> tuple[Sketch, tuple[list[str], list[str]]]:
    """The best that a search found, with the provers that it asked and those that it could not."""
    if task.example.f3 is None:
        raise UserError("this example has no goal to prove")
    best: Sketch | None = None
    model_thread = Batcher(engine, 1)
    plan = Plan(beam=beam, seconds=seconds)
    proving = engine.proving(plan.prover_seconds, plan.library, width=2)
    with Watched("looking for a proof") as watched, proving, ExitStack() as leaving:
        leaving.callback(model_thread.close, wait=False)  # it may be at work on what nobody wants any more
        for found in sketches(task, plan, model_thread.search_all, proving):
            best = found
            watched.news(f"{found.tried} proposals tried, {len(found.open)} open")
    assert best is not None
    return best, proving.asked()


def fill_theory(engine: Engine, path: Path, lines: Sequence[int], beam: int, seconds: float) -> FilledTheory:
    """Every `sorry` of a file, or those at some lines, looked at one after the other; whoever interrupts it gets what
    is filled by then."""
    document = TheoryDocument(path, engine.theory_contexts, edited=True)  # what stands before a gap is read once
    gaps = [gap for gap in document.gaps() if not lines or gap.line in lines]
    if not gaps:
        raise UserError(f"{path}: there is no sorry" + (f" at line {lines[0]}" if lines else ""))
    engine.find_model()
    plan = Plan(beam=beam, seconds=seconds)
    model_thread = Batcher(engine, 1)
    filled: list[FilledGap] = []
    proving = engine.proving(plan.prover_seconds, plan.library, width=2)
    with Watched("filling", len(gaps)) as watched, proving, ExitStack() as leaving:
        leaving.callback(model_thread.close, wait=False)

        def sketched(task: Task, left: float) -> Sketch:
            # What is loaded at the first question is no part of a budget.
            if not filled and task.example.f3 is not None:
                proving.follows(task, task.example.f3, (), plan.limits)
            return list(sketches(task, replace(plan, seconds=left), model_thread.search_all, proving))[-1]

        try:
            for each in filled_gaps(document, engine, sketched, gaps, seconds):
                filled.append(each)
                watched.at(len(filled))
        except KeyboardInterrupt:
            typer.echo(f"interrupted: {len(filled)} of {len(gaps)} gaps were looked at", err=True)
    return FilledTheory(path, document.source.text, len(gaps), tuple(filled))
