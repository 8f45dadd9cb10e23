"""A problem and its steps as `isarstep propose` prints them; editors show the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from isarstep.benchmark.problems.task import Task
from isarstep.prover.outcomes.step import Step

if TYPE_CHECKING:
    from isarstep.prover.outcomes.verdict import Gap, Proved


class Proposals(NamedTuple):
    """Steps, the proof that the facts contradict each other, values that make the goal false, and a proof of the goal
    without a step, if there are any."""

    steps: list[Step]
    contradiction: Gap | None = None
    refuted: Gap | None = None
    direct: Proved | None = None


def proposals_json(task: Task, found: Proposals, checked: bool, unknown: Sequence[str]) -> dict[str, Any]:
    from isarstep.apps.service import answer_fields
    from isarstep.apps.service.service import context_fields, provers_asked

    answer: dict[str, Any] = {
        "steps": [answer_fields.step(each, task) for each in found.steps],
        "unknown": list(unknown),
    }
    answer["contradiction"] = None if found.contradiction is None else answer_fields.gap(found.contradiction)
    about = context_fields(task)
    if found.direct is not None:
        about["notes"] = [printed_direct(found.direct), *about["notes"]]
    return answer | about | provers_asked(checked)


def printed_proposals(task: Task, found: Proposals, checked: bool, unknown: Sequence[str]) -> str:
    lines = [printed_task(task, unknown), ""]
    if found.refuted is not None:
        lines += [f"Your goal is {found.refuted}.", ""]
    if found.direct is not None:
        lines += [printed_direct(found.direct), ""]
    if not checked:
        lines += ["Unchecked: no prover has seen these steps, and any of them may be false.", ""]
    lines += [printed_step(number, each, checked) for number, each in enumerate(found.steps, 1)]
    if found.contradiction is not None:
        lines += ["", f"The facts contradict each other ({found.contradiction}): everything follows from them."]
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


def printed_direct(gap: Proved) -> str:
    """That the goal needs no step, and why."""
    library = [name for name in gap.facts if name[:2] != "F." and name != "?"]
    if len(library) == 1 and len(gap.facts) == 1:
        return f"The goal follows by one library fact: {library[0]} ({gap})."
    return f"The goal needs no step: {gap}."


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
        if step.first is None and step.second is None:
            marks.append("not tried: the time was up")
        elif step.idle and step.first is not None:
            marks.append("adds nothing: the goal was proved without it")
        elif step.by_itself:
            marks.append("true whatever the facts say")
    score = "" if step.score is None else f"{step.score:7.2f}"
    return f"{number:>3} {score}  {step.text}" + "".join(f"\n{'':14}{mark}" for mark in marks)
