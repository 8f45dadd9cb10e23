"""Lines of tokens that carry their typed term where the tokens alone do not determine it.

Tokens have no types. Most statements get all their types from their constants and free variables; `∃x y::nat. x ≠ y`
and `card (UNIV :: 'a set) > 0` do not, and inference from their tokens would make other statements of them. Such a
statement is a `TypedLine`: still a line of tokens for models and for text processing, but equal only to a line with the
same types. All other statements are ordinary strings, so that each statement of a problem has exactly one form.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from isarstep.common.errors import UserError
from isarstep.isabelle.inference.infer import infer
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import (
    Abs,
    App,
    Bound,
    Term,
    TFree,
    TVar,
    Typ,
    erase,
    frees,
    substitute_types,
    subterms,
)
from isarstep.isabelle.terms.tokens import decode, encode_line
from isarstep.isabelle.terms.type_text import format_type, type_variables
from isarstep.isabelle.terms.types import map_type, types_in


class TypedLine(str):
    """A line of tokens with the typed term, in which the variables are numbered, that it stands for."""

    term: Term

    def __new__(cls, term: Term) -> TypedLine:
        line = super().__new__(cls, encode_line(term))
        line.term = term
        return line

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TypedLine) and str.__eq__(self, other) and self.term == other.term

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__

    def __reduce__(self) -> tuple[Any, ...]:
        return TypedLine, (self.term,)


def line_of(typed: Term, signature: Signature) -> str:
    """The line of a typed proposition with numbered variables: a `TypedLine` where it has a type variable that no free
    variable's type mentions, or where inference from its tokens and the types of its free variables finds other types.
    """
    context = {free.name: free.type for free in frees(typed) if free.type is not None}
    known = {variable for typ in context.values() for variable in type_variables(typ)}
    if fixed_variables([typed]) <= known:
        try:
            inferred = infer([erase(typed)], signature, context).propositions[0]
            if _with_numbered_schematics(inferred) == _with_numbered_schematics(typed):
                return encode_line(typed)
        except UserError:
            pass
    return TypedLine(typed)


def term_of(line: str) -> Term:
    """The term of a line: typed where the line carries types."""
    return line.term if isinstance(line, TypedLine) else decode(line)


def like(line: str, term: Term) -> str:
    """A line of the term, which was made of that of another line: with types if the other one has them."""
    return TypedLine(term) if isinstance(line, TypedLine) else encode_line(term)


def fixed_variables(terms: Iterable[Term]) -> set[TFree]:
    """The fixed type variables of typed terms."""
    types = {typ for term in terms for typ in types_in(term)}
    return {variable for typ in types for variable in type_variables(typ) if type(variable) is TFree}


def fixed_in_lines(lines: Iterable[str]) -> set[TFree]:
    """The fixed type variables that lines carry."""
    return fixed_variables(line.term for line in lines if isinstance(line, TypedLine))


def is_general(line: str) -> bool:
    """Does the line carry schematic type variables, as a fact of a library does?"""
    return isinstance(line, TypedLine) and any(
        type(variable) is TVar for typ in types_in(line.term) for variable in type_variables(typ)
    )


def types_carried(line: str) -> str:
    """The types that a line carries, as text that does not depend on the order of its parts; empty where there are
    none."""
    if not isinstance(line, TypedLine):
        return ""
    typed = {
        ("" if isinstance(node, Abs) else node.name, format_type(node.type))
        for node in subterms(line.term)
        if not isinstance(node, App | Bound) and node.type is not None
    }
    return f" with {sorted(typed)}"


def _with_numbered_schematics(term: Term) -> Term:
    """Schematic type variables numbered in order: their names mean nothing."""
    numbers: dict[TVar, TVar] = {}

    def numbered(variable: TFree | TVar) -> Typ:
        if type(variable) is TFree:
            return variable
        return numbers.setdefault(variable, TVar("", len(numbers), variable.sort))

    for typ in types_in(term):
        map_type(typ, numbered)
    return substitute_types(term, lambda typ: map_type(typ, numbered))
