"""A sketch: statements between facts and goal, what provers said about each, and the whole as an Isar skeleton."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from isarstep.errors import UserError
from isarstep.logic.exactly import write_exactly
from isarstep.logic.infer import Context
from isarstep.logic.language import Language
from isarstep.logic.symbols import normal
from isarstep.logic.terms import Term, Typ
from isarstep.logic.typestrings import show_type, type_variables
from isarstep.logic.writer import write_type
from isarstep.prove.verdict import Gap, Proved
from isarstep.theory.problem import Task


@dataclass(frozen=True)
class Link:
    """One statement of a chain; the gap before it is what provers said about it."""

    tokens: str
    term: Term
    text: str
    gap: Gap | None = None

    @property
    def proved(self) -> bool:
        return isinstance(self.gap, Proved)


@dataclass(frozen=True)
class Sketch:
    """Statements in order, the goal last. Proved ones follow from the facts and what stands before them."""

    task: Task
    steps: tuple[Link, ...]
    cost: float
    tried: int
    seconds: float
    contradiction: Proved | None = None  # among the facts: then the proof says nothing

    @property
    def state(self) -> str:
        """For people, in a few words."""
        if self.contradiction is not None:
            return f"the facts contradict each other ({self.contradiction}): everything follows from them"
        return "closed" if self.closed else f"{len(self.open)} open"

    @property
    def open(self) -> list[int]:
        return [place for place, step in enumerate(self.steps) if not step.proved]

    @property
    def closed(self) -> bool:
        return not self.open

    def better_than(self, other: Sketch) -> bool:
        """Closed is best, some step is better than none, then what the model finds likely."""
        return self._rank() > other._rank()

    def _rank(self) -> tuple[bool, bool, float]:
        return self.closed, len(self.steps) > 1, -self.cost

    def isar(self) -> str:
        """A skeleton to copy: every `sorry` says what provers know about it."""
        example, task = self.task.example, self.task
        known = [exact_text(task, line) for line in dict.fromkeys((*example.f2, *example.f4))]
        steps = [(exact_text(task, step.tokens), step.gap) for step in self.steps]
        return isar_text(known, steps, task.shown_context(), task.world.language)


def exact_text(task: Task, tokens: str) -> str:
    """A statement of the task so that Isabelle reads it as the same term: with types inside where nothing else says."""
    language = task.world.language
    if language is not None:
        with suppress(UserError):  # what has no type there is shown as it is
            return write_exactly(task.typed(tokens), language, names=task.shown_names())
    return task.text(tokens)


def isar_text(
    known: Sequence[str], steps: Sequence[tuple[str, Gap | None]], types: Context, language: Language | None = None
) -> str:
    """Variables with the types that they had, known facts, then statements with what provers said about them; the last
    statement is the goal."""
    lines = ["lemma"]
    for place, (variable, typ) in enumerate(types.items()):
        lines.append(f'  {"fixes" if place == 0 else "  and"} {variable} :: "{_with_sorts(typ, language)}"')
    for place, fact in enumerate(known):
        lines.append(f'  {"assumes" if place == 0 else "    and"} "{fact}"')
    lines += [f'  shows "{steps[-1][0]}"', "proof -"]
    # ?thesis is the conclusion alone; a goal with premises or variables of its own is said again.
    goal = f'"{steps[-1][0]}"' if any(sign in steps[-1][0] for sign in "⟹⋀") else "?thesis"
    for place, (text, gap) in enumerate(steps):
        last = place == len(steps) - 1
        using = " ".join((["assms"] if known else []) + [f"s{n + 1}" for n in range(place)])
        statement = f"show {goal}" if last else f'have s{place + 1}: "{text}"'
        justification = f"using {using} sorry" if using else "sorry"
        lines += [f"  {statement}", f"    {justification}  (* {comment(gap)} *)"]
    return normal("\n".join([*lines, "qed"]))  # Isabelle knows no x₀, but x⇩0


def _with_sorts(typ: Typ, language: Language | None) -> str:
    """A type as Isar reads it: `x :: 'a` alone would be of any type, whatever the facts ask of it."""
    if language is not None:
        return write_type(typ, language, sorts=True)
    text = show_type(typ)
    for variable in type_variables(typ):
        classes = [name.rpartition(".")[2] for name in variable.sort if name != "HOL.type"]
        if classes:
            text = re.sub(rf"{variable.name}\b", f"({variable.name}::{{{', '.join(classes)}}})", text)
    return text


def comment(gap: Gap | None) -> str:
    if not isinstance(gap, Proved):
        return "open"
    lemmas = [name for name in gap.facts if name != "P" and not name.startswith("F.")]
    return f"proved by {gap.by}" + (f" with {', '.join(lemmas)}" if lemmas else "")
