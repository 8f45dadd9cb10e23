"""A problem and its steps as `isarstep propose` prints them; editors show the same."""

from __future__ import annotations

from collections.abc import Sequence

from isarstep.prove.step import Step
from isarstep.theory.task import Task


def printed_task(task: Task, unknown: Sequence[str] = ()) -> str:
    example = task.example
    lines = [
        f"{label:>7}  {task.text(line)}" for label, f in (("from", example.f2), ("with", example.f4)) for line in f
    ]
    lines.append(f"so that  {'?' if example.f3 is None else task.text(example.f3)}")
    lines.append(f"     in  {task.world.name}")
    if task.has_reference:
        lines.append(f" (known)  {task.text(example.f1)}")
    lines += [f"   note  {general}" for general in task.general()]
    if unknown:
        lines.append(f"   note  the model has never seen {', '.join(unknown)}")
    return "\n".join(lines)


def printed_step(number: int, step: Step, checked: bool) -> str:
    marks: list[str] = []
    if step.reference:
        marks.append("the known step")
    if step.copy:
        marks.append("says nothing new")
    if not step.well_formed:
        marks.append(f"ill-formed: {step.reason}")
    elif checked:
        marks += [f"{name}: {gap}" for name, gap in (("facts ⊢ step", step.first), ("step ⊢ goal", step.second)) if gap]
        marks += [f"contradicts the facts: {step.against}"] if step.contradictory else []
    score = "" if step.score is None else f"{step.score:7.2f}"
    return f"{number:>3} {score}  {step.text}" + "".join(f"\n{'':14}{mark}" for mark in marks)
