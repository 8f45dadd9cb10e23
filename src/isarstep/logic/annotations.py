"""What people say beyond tokens: names of bound variables, and types inside a statement that nothing else decides.

Tokens have neither. A name is given back wherever the same function is met again; types stay with their statement, as
marks on its constants that type inference obeys (`CONSTRAINT`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from isarstep.errors import UserError
from isarstep.logic.infer import CONSTRAINT, Context, infer
from isarstep.logic.signature import Signature
from isarstep.logic.terms import Abs, App, Const, Term, Typ, erase, frees, fun, rebuild, rebuilt, subterms
from isarstep.logic.typestrings import type_variables


def bound_names(terms: Iterable[Term]) -> dict[Term, str]:
    """The variable's name of every function in these untyped terms; the first who wrote it is followed."""
    found: dict[Term, str] = {}
    for term in terms:
        for node in subterms(term):
            if type(node) is Abs and node.name:
                found.setdefault(node, node.name)
    return found


def with_bound_names(term: Term, names: Mapping[Term, str]) -> Term:
    """The term with these names where it has such functions."""
    if not names:
        return term
    return rebuild(term, lambda leaf, _: leaf, lambda old, body: Abs(names.get(old, old.name), old.type, body))


def pinned(typed: Term, signature: Signature) -> Term | None:
    """The untyped term with marks from which inference finds these types again; None where it finds them without.

    Constants are enough: whatever has a type in a proposition has it from a constant or a free variable.
    """
    context: dict[str, Typ] = {free.name: free.type for free in frees(typed) if free.type is not None}
    try:
        if infer([erase(typed)], signature, context).propositions[0] == typed:
            return None
    except UserError:
        return None

    def leaf(node: Term, _depth: int) -> Term:
        plain = erase(node)
        if type(node) is not Const or node.type is None or type_variables(node.type):
            return plain
        declared = signature.constants.get(node.name)
        if declared is None or declared.type == node.type:
            return plain
        return App(Const(CONSTRAINT, fun(node.type, node.type)), plain)

    return rebuild(typed, leaf, lambda old, body: Abs(old.name, None, body))


def typed_as_annotated(term: Term, signature: Signature, context: Context) -> Term:
    """A term with or without marks, typed, without them. Raises TypingError."""
    return without_marks(infer([term], signature, context).propositions[0])


def without_marks(term: Term) -> Term:
    """The term without the marks of types, which inference has done with."""
    if not any(type(node) is Const and node.name == CONSTRAINT for node in subterms(term)):
        return term
    return rebuilt(term, _unmarked)


def _unmarked(node: Term) -> Term:
    while type(node) is App and type(node.fun) is Const and node.fun.name == CONSTRAINT:
        node = node.arg
    return node
