"""A problem that has been read: the normalised example that models and provers understand, and the way back to the
user's names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from isarstep.benchmark.store.example import Example
from isarstep.common.errors import UserError
from isarstep.isabelle.context.theory_contexts import TheoryContext
from isarstep.isabelle.inference.annotations import bound_names, with_bound_names
from isarstep.isabelle.inference.infer import Context, infer
from isarstep.isabelle.inference.typed_lines import TypedLine, fixed_in_lines, like, line_of, term_of
from isarstep.isabelle.syntax.grammar.folding import canonical
from isarstep.isabelle.syntax.reading.typed_writer import write_typed
from isarstep.isabelle.syntax.writing.names import Names
from isarstep.isabelle.syntax.writing.printing import ShownNames, to_unicode
from isarstep.isabelle.terms.hol import strip_pure_imp
from isarstep.isabelle.terms.normal_names import normalise, restore
from isarstep.isabelle.terms.terms import Term, TFree, schematics, untyped
from isarstep.isabelle.terms.tokens import decode, encode_line
from isarstep.isabelle.terms.type_text import show_type, type_variables
from isarstep.isabelle.theory.problems.open_types import GeneralType, open_types

_TOKENS = re.compile(r"`([^`]*)`")


@dataclass(frozen=True)
class Task:
    """A problem that has been read. `example` is in normal form; its F.1 is the reference where there is one."""

    example: Example
    # Types of the variables; what the problem leaves open is a fixed type variable.
    context: Context = field(hash=False)
    order: tuple[str, ...]  # the user's names by number; empty: variables were numbered already
    names: Names  # shows the user's names
    theory_context: TheoryContext
    has_reference: bool = False
    bound: dict[Term, str] = field(default_factory=dict, hash=False)  # how the asker calls the variables of functions
    # Statements with the asker's names of bound variables.
    written: dict[str, Term] = field(default_factory=dict, hash=False)

    @property
    def scored(self) -> bool:
        """An example of the benchmark: it stands at its own place, and may use only what comes before it."""
        return bool(self.example.theory)

    def term(self, tokens: str) -> Term:
        """A normalised proposition, under the user's names."""
        if isinstance(tokens, TypedLine):
            return restore(untyped(tokens.term), self.order)
        return restore(self._named(tokens), self.order)

    def _named(self, tokens: str) -> Term:
        """The untyped term of a line with the asker's names of bound variables."""
        written = self.written.get(tokens)
        return with_bound_names(decode(tokens), self.bound) if written is None else written

    def typed(self, tokens: str) -> Term:
        """A normalised proposition with the types that it has in this task. Raises TypingError."""
        if isinstance(tokens, TypedLine):
            return tokens.term
        signature, fixed = self.theory_context.signature, self.type_variables()
        return infer([self._named(tokens)], signature, self.context, fixed=fixed).propositions[0]

    def type_variables(self) -> set[TFree]:
        """The fixed type variables of the problem."""
        example = self.example
        used = {v for typ in self.context.values() for v in type_variables(typ) if isinstance(v, TFree)}
        return used | fixed_in_lines((*example.f2, example.f3 or "", *example.f4, *example.f5))

    def note_names(self, terms: Iterable[Term]) -> None:
        """Remember how statements, under the user's names, call their bound variables."""
        for term in terms:
            written = normalise(untyped(term), self.order)
            self.written.setdefault(encode_line(written), written)
            for function, name in bound_names([written]).items():
                self.bound.setdefault(function, name)

    def canonical(self, typed: Term) -> Term:
        """A typed proposition with abbreviations as statements of the problem have them."""
        return canonical(typed, self.theory_context.language)

    def line(self, typed: Term) -> str:
        """The line of a typed proposition under the user's names."""
        return line_of(normalise(typed, self.order), self.theory_context.signature)

    def text(self, tokens: str) -> str:
        """As people write it, with types inside where nothing else determines them."""
        if isinstance(tokens, TypedLine):
            with suppress(UserError):
                return write_typed(tokens.term, self.theory_context.language, names=self.shown_names())
        return to_unicode(self.term(tokens), self.names)

    def in_words(self, reason: str) -> str:
        """Why something has no type, with terms as people write them in place of tokens."""

        def written(found: re.Match[str]) -> str:
            try:
                return to_unicode(restore(decode(found[1]), self.order), self.names)
            except UserError:
                return "a part of it"

        return _TOKENS.sub(written, reason)

    def shown_names(self) -> Mapping[str, str]:
        """How the variables of normalised propositions are called."""
        return ShownNames(self.names, {f"<X{place}>": name for place, name in enumerate(self.order)})

    def types(self) -> dict[str, str]:
        """The types of the variables, for people."""
        return {name: show_type(typ) for name, typ in self.shown_context().items()}

    def shown_context(self) -> Context:
        """The types under the names that people see."""
        places = {f"<X{place}>": name for place, name in enumerate(self.order)}
        return {self.names.free(places.get(name, name)): typ for name, typ in self.context.items()}

    def general(self) -> list[GeneralType]:
        return open_types(self.shown_context(), self.theory_context.signature)


def opened_goal(goal: str) -> tuple[list[str], str]:
    """Premises and conclusion of a goal `A ⟹ B`, as lines. A goal of which a premise has schematic variables is left
    as it is: as a fact, that premise would hold for all their values."""
    premises, conclusion = strip_pure_imp(term_of(goal))
    if not premises or any(schematics(premise) for premise in premises):
        return [], goal
    return [like(goal, normalise(premise, ())) for premise in premises], like(goal, normalise(conclusion, ()))


def with_goal_opened(task: Task) -> Task:
    """The task with the premises of its goal among the facts; an example of the benchmark is left as it is."""
    example = task.example
    if example.f3 is None or task.has_reference or task.scored:
        return task
    premises, goal = opened_goal(example.f3)
    if not premises:
        return task
    return replace(task, example=replace(example, f2=tuple(dict.fromkeys((*example.f2, *premises))), f3=goal))
