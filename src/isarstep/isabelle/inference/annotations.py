"""What a text has beyond tokens: names of bound variables, and marks for the types that it writes.

The name of a bound variable is used wherever the same function occurs again. A mark is an application of `CONSTRAINT`,
which type inference obeys and which is removed when the types are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from isarstep.isabelle.inference.infer import CONSTRAINT
from isarstep.isabelle.terms.terms import Abs, App, Const, Free, Term, Var, rebuild, rebuilt, subterms


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


def without_marks(term: Term) -> Term:
    """The term without the marks of types, which inference has done with."""
    if not any(type(node) is Const and node.name == CONSTRAINT for node in subterms(term)):
        return term
    return rebuilt(term, _unmarked)


def _unmarked(node: Term) -> Term:
    while type(node) is App and type(node.fun) is Const and node.fun.name == CONSTRAINT:
        node = node.arg
    return node


def only_marks_typed(term: Term) -> Term:
    """The term without types, but with the marks for those that its text writes."""

    def leaf(node: Term, _depth: int) -> Term:
        if (type(node) is Const and node.name != CONSTRAINT) or type(node) is Free:
            return type(node)(node.name)
        return Var(node.name, node.index) if type(node) is Var else node

    return rebuild(term, leaf, lambda old, body: Abs(old.name, None, body))
