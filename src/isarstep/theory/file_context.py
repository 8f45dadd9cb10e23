"""The context of a theory file as a context: where reading, typing and provers look up what exists at a place of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from isarstep.bench.example import Example
from isarstep.bench.theory_contexts import TheoryContext
from isarstep.errors import UserError
from isarstep.logic.folding import canonical
from isarstep.logic.language import Language
from isarstep.logic.normalise import normalise
from isarstep.logic.signature import Signature
from isarstep.logic.terms import Term, frees
from isarstep.logic.typed_lines import line_of
from isarstep.logic.typestrings import format_type
from isarstep.theory.open_types import fixed_types
from isarstep.theory.own_context import OwnContext
from isarstep.theory.problem_reader import ProblemReader, distinct, showing
from isarstep.theory.proof_block import ProofState
from isarstep.theory.proof_rules import induction_facts
from isarstep.theory.task import Task


class FileContext(TheoryContext):
    """A context with what a theory file declares on top of it."""

    def __init__(self, context: OwnContext) -> None:
        library = context.theory_context
        super().__init__(library._theory_contexts, library.imports, library.theories)
        self.context = context
        facts = (fact for facts in context.facts.values() for fact in facts if not fact.unproved)
        self.own_facts = tuple((fact.name, fact.prop, fact.simp) for fact in facts)

    @cached_property
    def own_inductions(self) -> Sequence[tuple[str, Term]]:  # type: ignore[override]
        stated = [(name, prop) for name, prop, _ in self.own_facts if "induct" in name]
        return (*stated, *induction_facts(self.context))

    @property
    def name(self) -> str:
        return f"{self.context.theory} ({super().name})"

    @cached_property
    def signature(self) -> Signature:
        return self.context.proved_signature()

    @property
    def language(self) -> Language:
        return self.context.language

    def exists(self, constant: str) -> bool:
        return constant in self.context.constants or super().exists(constant)

    def existing(self, constants: Iterable[str]) -> list[str]:
        return [name for name in constants if self.exists(name)]


def task_of_state(state: ProofState, reader: ProblemReader) -> Task:
    """The task that a state of a proof poses; the reader is that of its context."""
    if state.context.instantiating:  # the laws of the class are what has to be shown
        raise UserError(
            f"{state.where}: what stands before the end of an `instance` proof is read, but not asked about"
        )
    order = tuple(state.fixed)
    places = {name: f"<X{place}>" for place, name in enumerate(order)}
    context = fixed_types({places[name]: typ for name, typ in state.fixed.items()})
    language = reader.theory_context.language

    def lines(props: Iterable[Term]) -> tuple[str, ...]:
        typed = (normalise(canonical(prop, language), order) for prop in props)
        return distinct(tuple(line_of(each, reader.signature) for each in typed))

    chained, local = [fact.prop for fact in state.chained], [fact.prop for fact in state.local]
    strangers = {node.name for prop in (state.goal, *chained, *local) for node in frees(prop)} - set(order)
    if strangers:
        raise UserError(f"{state.where}: {min(strangers)!r} is fixed nowhere")
    target = state.context.target
    own = {*(full.partition(".")[2] for full in state.context.facts), *(target.facts if target is not None else ())}
    example = Example(
        id="",
        f1="",
        f2=lines([fact.prop for fact in state.chained if not fact.library] or local),
        f3=lines([state.goal])[0],
        f4=lines([*chained, *local]),
        f5=(),
        types={name: format_type(typ) for name, typ in context.items()},
        fixed=len(order),
        used_above=state.cited.of_library(reader.theory_context, own),
    )
    task = Task(example, context, order, showing(reader.names, order), reader.theory_context)
    task.note_names(canonical(prop, language) for prop in (state.goal, *chained, *local))
    return task
