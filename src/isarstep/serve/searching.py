"""The search for a proof as commands run it, with progress."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from isarstep.errors import UserError
from isarstep.progress import Watched
from isarstep.prove.proof_search import Plan, sketches
from isarstep.prove.sketch import Sketch
from isarstep.serve.batching import Batcher
from isarstep.serve.engine import Engine
from isarstep.theory.task import Task


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
