"""What somebody asks: facts, a goal and what else is known, in notation or tokens, under their own names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from isarstep.common.errors import UserError
from isarstep.isabelle.terms.signature import Signature

Form = Literal["notation", "tokens"]
FIELDS = ("facts", "goal", "others", "extra", "hints")  # in the order in which variables are numbered
ADDED = ("extra", "hints")  # to the problem itself
ABOVE = ("statement", "earlier")  # read beside it by models with the input +context


class ProblemError(UserError):
    """A mistake in one proposition. Positions count characters from 0, or tokens where tokens were given."""

    unknown: tuple[str, ...] = ()  # names that the context does not know, where that is the mistake

    def __init__(
        self, code: str, message: str, field: str | None = None, position: int | None = None, end: int | None = None
    ) -> None:
        super().__init__(f"{field}: {message}" if field else message)
        self.code = code
        self.message = message
        self.field = field
        self.position = position
        self.end = end


@dataclass(frozen=True)
class Problem:
    """`extra` are steps accepted before: facts to derive the next one from, and to use for the goal. `statement` and
    `earlier`, the nearest first, are the theorem's and the facts above the gap, for models that read them."""

    goal: str | None = None
    facts: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    form: Form = "notation"
    fixed: tuple[str, ...] = ()
    types: Mapping[str, str] = field(default_factory=dict, hash=False)
    imports: tuple[str, ...] = ()  # the theories in which it stands; none: `chosen_context` finds one
    constants: Mapping[str, str] = field(default_factory=dict, hash=False)  # of the asker's own, with their types
    own: Signature | None = None  # what the asker's theory declares, where it is known as a whole
    statement: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()

    def lines(self) -> Iterator[tuple[str, str]]:
        """(field such as `facts[0]`, text) of every proposition."""
        for name in FIELDS:
            value = getattr(self, name)
            if name == "goal":
                if value is not None:
                    yield name, value
            else:
                for place, text in enumerate(value):
                    yield f"{name}[{place}]", text

    def with_nothing_at(self, where: str) -> Problem:
        """That line says only what is true, and the others stay where they are."""
        nothing = "True" if self.form == "notation" else "CONST HOL.Trueprop $ CONST HOL.True"
        name = where.split("[")[0]
        if name == "goal":
            return replace(self, goal=nothing)
        lines = [nothing if f"{name}[{place}]" == where else text for place, text in enumerate(getattr(self, name))]
        changed: dict[str, Any] = {name: tuple(lines)}
        return replace(self, **changed)
