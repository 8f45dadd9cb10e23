"""A problem and its steps as `isarstep propose` prints them; editors show the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from isarstep.benchmark.problems.task import Task
from isarstep.prover.outcomes.step import Step, Steps


def proposals_json(task: Task, found: Steps, checked: bool, unknown: Sequence[str]) -> dict[str, Any]:
    from isarstep.apps.service import answer_fields
    from isarstep.apps.service.service import context_fields, provers_asked

    steps = [answer_fields.step(each, task) for each in found]
    about = {"steps": steps, "unknown": list(unknown)} | context_fields(task, found.goal)
    return answer_fields.goal(found.goal) | about | provers_asked(checked)


def printed_proposals(task: Task, found: Steps, checked: bool, unknown: Sequence[str]) -> str:
    lines = [printed_task(task, unknown), ""]
    for line in found.goal.lines():
        lines += [line, ""]
    if not checked:
        lines += ["Unchecked: no prover has seen these steps, and any of them may be false.", ""]
    lines += [printed_step(number, each, checked) for number, each in enumerate(found, 1)]
    if checked:
        from isarstep.prover.atp.provers import installed, not_installed
        from isarstep.prover.outcomes.verdict import AUTHORITY

        lines += ["", f"Asked: {', '.join(installed()) or 'nobody'}."]
        lines += [f"Could not be asked: {why}." for why in not_installed()]
        lines.append(f"Proved means {AUTHORITY}, with nothing but what {task.theory_context.name} has.")
    return "\n".join(lines)


def printed_task(task: Task, unknown: Sequence[str] = ()) -> str:
    example = task.example
    lines = [
        f"{label:>7}  {task.text(line)}" for label, f in (("from", example.f2), ("with", example.f4)) for line in f
    ]
    lines.append(f"so that  {'?' if example.f3 is None else task.text(example.f3)}")
    lines.append(f"     in  {task.theory_context.name}")
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
    if step.label is not None:
        marks.append(step.label)
    if not step.well_formed:
        marks.append(f"ill-formed: {step.reason}")
    elif checked:
        sides = (("facts ⊢ step", step.first), ("step, facts ⊢ goal", step.second))
        marks += [f"{name}: {gap}" for name, gap in sides if gap]
        marks += [f"contradicts the facts: {step.against}"] if step.contradictory else []
        if step.first is None and step.second is None:
            marks.append("not tried: the time was up")
    score = "" if step.score is None else f"{step.score:7.2f}"
    return f"{number:>3} {score}  {step.text}" + "".join(f"\n{'':14}{mark}" for mark in marks)
