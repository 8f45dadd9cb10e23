"""The context of a theory file as a context: where reading, typing and provers look up what exists at a place of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from isarstep.benchmark.problems.problem_reader import ProblemReader, distinct, showing
from isarstep.benchmark.problems.task import Task
from isarstep.benchmark.store.example import Example
from isarstep.common.errors import UserError
from isarstep.isabelle.context.theory_contexts import TheoryContext
from isarstep.isabelle.inference.typed_lines import line_of
from isarstep.isabelle.syntax.grammar.folding import canonical
from isarstep.isabelle.syntax.grammar.language import Language
from isarstep.isabelle.terms.normal_names import normalise
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import Term, frees
from isarstep.isabelle.terms.type_text import format_type
from isarstep.isabelle.theory.declarations.induction_facts import induction_facts
from isarstep.isabelle.theory.environment.file_environment import OwnContext
from isarstep.isabelle.theory.problems.open_types import fixed_types
from isarstep.isabelle.theory.proofs.proof_block import ProofState


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
