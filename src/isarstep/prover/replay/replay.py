"""What provers proved, tried once more by Isabelle's own methods from the facts that the proof names: then it is the
kernel's word. Needs an Isabelle with an image of the problem's theory, or of one that it rests on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from isarstep.benchmark.problems.task import Task
from isarstep.common.errors import UserError
from isarstep.prover.isar.method_text import library_facts, written_names
from isarstep.prover.outcomes.verdict import Proved
from isarstep.prover.replay.isabelle_questions import Answer, Inquiry, Isabelle, IsabelleLimits, Premise, Question

if TYPE_CHECKING:
    from isarstep.prover.isar.sketch import Sketch
    from isarstep.prover.outcomes.step import Step

SECONDS = 10


@dataclass(frozen=True)
class ProofToReplay:
    """A proof to be replayed: what it is called for people, what it shows, from what."""

    name: str
    goal: str
    given: tuple[str, ...]
    proof: Proved

    @property
    def lemmas(self) -> list[str]:
        """Library facts that the proof names. A rule without a name, the definition of a symbol and a name that an
        encoding has made up are left to Isabelle's own methods."""
        return [name for name in library_facts(self.proof) if written_names([name]) is not None]


def proofs_of_sketch(sketch: Sketch) -> list[ProofToReplay]:
    """Every proved statement, from all facts and from what stands before it."""
    example, found = sketch.task.example, []
    given = tuple(dict.fromkeys((*example.f2, *example.f4)))
    for number, link in enumerate(sketch.steps, 1):
        if isinstance(link.gap, Proved):
            name = "the goal" if number == len(sketch.steps) else f"s{number}"
            found.append(ProofToReplay(name, link.tokens, given, link.gap))
        given = (*given, link.tokens)
    return found


def proofs_of_steps(task: Task, steps: Sequence[Step]) -> list[ProofToReplay]:
    """Both sides of every step, as far as they are proved."""
    example, found = task.example, []
    for number, step in enumerate(steps, 1):
        if isinstance(step.first, Proved):
            found.append(ProofToReplay(f"facts ⊢ step {number}", step.tokens, example.f2, step.first))
        if isinstance(step.second, Proved) and example.f3 is not None:
            given = tuple(dict.fromkeys((step.tokens, *example.f2, *example.f4)))
            found.append(ProofToReplay(f"step {number} ⊢ goal", example.f3, given, step.second))
    return found


def replayed(isabelle: Isabelle, task: Task, proofs: Sequence[ProofToReplay], qualified: Sequence[str]) -> list[str]:
    """For each proof what Isabelle says, in a line."""
    if not proofs:
        return []
    if len(task.theory_context.imports) != 1:
        raise UserError(
            f"--replay: Isabelle is asked in one theory, not in {task.theory_context.name}; say which with --theory"
        )
    theory = task.theory_context.imports[0]
    asked = [
        Question(
            str(number),
            "replay",
            each.goal,
            (*(Premise(line) for line in each.given), *(Premise("", (name,)) for name in each.lemmas)),
        )
        for number, each in enumerate(proofs)
    ]
    answers: dict[str, Answer] = {}

    def note(_example: str, key: str, answer: Answer) -> None:
        answers[key] = answer

    limits = IsabelleLimits(seconds=SECONDS, prove=True, qualified=tuple(qualified))
    inquiry = Inquiry(replace(task.example, id="replay", theory=theory), tuple(asked))
    isabelle.ask(isabelle.sessions.session_of(theory), [inquiry], limits, note)
    return [f"{each.name}: {_said(answers[str(number)])}" for number, each in enumerate(proofs)]


def _said(answer: Answer) -> str:
    if answer.answer == "proved":
        return f"replayed by Isabelle's kernel, by {answer.by} in {answer.seconds:.1f} s"
    if answer.answer == "refuted":
        return f"REFUTED by Isabelle ({answer.by}: {answer.why}); please report this"
    return f"not replayed, it stays the provers' word ({answer.why or answer.answer})"
