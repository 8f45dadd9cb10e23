"""A problem that has been read: the normalised example that models and provers understand, and the way back to the
user's names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from isarstep.bench.example import Example
from isarstep.bench.theory_contexts import TheoryContext
from isarstep.errors import UserError
from isarstep.logic.annotations import bound_names, typed_as_annotated, with_bound_names, without_marks
from isarstep.logic.infer import Context
from isarstep.logic.names import Names
from isarstep.logic.normalise import normalise, restore
from isarstep.logic.printing import ShownNames, to_unicode
from isarstep.logic.reader import Statement
from isarstep.logic.terms import Term
from isarstep.logic.tokens import decode, encode_line
from isarstep.logic.typed_writer import write_typed
from isarstep.logic.typestrings import show_type
from isarstep.theory.open_types import GeneralType, open_types
from isarstep.theory.problem import ProblemError

_TOKENS = re.compile(r"`([^`]*)`")


@dataclass(frozen=True)
class Task:
    """A problem that has been read. `example` is in normal form; its F.1 is the reference where there is one."""

    example: Example
    context: Context  # types of the variables; what the problem leaves open is a fixed type variable
    order: tuple[str, ...]  # the user's names by number; empty: variables were numbered already
    names: Names  # shows the user's names
    theory_context: TheoryContext
    has_reference: bool = False
    bound: dict[Term, str] = field(default_factory=dict)  # how the asker calls the variables of functions
    annotated: dict[str, Term] = field(
        default_factory=dict
    )  # statements whose text names types that tokens do not have

    @property
    def scored(self) -> bool:
        """An example of the benchmark: it stands at its own place, and may use only what comes before it."""
        return bool(self.example.theory)

    def term(self, tokens: str) -> Term:
        """A normalised proposition, under the user's names."""
        annotated = self.annotated.get(tokens)
        named = with_bound_names(decode(tokens), self.bound) if annotated is None else without_marks(annotated)
        return restore(named, self.order)

    def typed(self, tokens: str) -> Term:
        """A normalised proposition with the types that it has in this task. Raises TypingError."""
        term = self.annotated.get(tokens) or with_bound_names(decode(tokens), self.bound)
        return typed_as_annotated(term, self.theory_context.signature, self.context)

    def note(self, statement: Statement, where: str) -> None:
        """Keep what was said in a statement beyond its tokens."""
        term = normalise(statement.term, self.order)
        for function, name in bound_names([term]).items():
            self.bound.setdefault(function, name)
        pins = term if statement.pinned is None else normalise(statement.pinned, self.order)
        if self.annotated.setdefault(encode_line(term), pins) != pins:
            message = "another statement differs from this one only in types inside, which cannot be told apart here"
            raise ProblemError("type", message, where)

    def normal(self, term: Term) -> str:
        """The tokens of a proposition under the user's names, normalised."""
        return encode_line(normalise(term, self.order))

    def text(self, tokens: str) -> str:
        """As people write it, with types inside where the asker said them and nothing else does."""
        term = self.term(tokens)
        pins = self.annotated.get(tokens)
        if pins is not None and pins != decode(tokens):
            with suppress(UserError):
                return write_typed(self.typed(tokens), self.theory_context.language, names=self.shown_names())
        return to_unicode(term, self.names)

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
