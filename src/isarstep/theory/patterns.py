"""`(is "?l = ?r")` and `let "?P x" = t`: what the variables of a pattern stand for."""

from __future__ import annotations

from isarstep.errors import UserError
from isarstep.logic.infer import PROP
from isarstep.logic.said import without_marks
from isarstep.logic.terms import (
    Abs,
    App,
    Bound,
    Const,
    Free,
    Term,
    Var,
    abstract,
    beta_eta_normal,
    erase,
    frees,
    strip_comb,
)
from isarstep.theory.outer import SourceToken
from isarstep.theory.statements import Scope, readings_of_pattern


def bound_by_pattern(pattern: SourceToken, term: Term, scope: Scope) -> dict[str, Term]:
    """By name with `?`; nothing where the pattern is not read or does not match for sure."""
    head = strip_comb(term)[0]
    wanted = PROP if isinstance(head, Const) and head.name == "HOL.Trueprop" else None
    try:
        readings = readings_of_pattern(pattern, scope, wanted)
    except UserError:
        return {}
    found: dict[str, Term] = {}
    if len(readings) != 1 or not _match(beta_eta_normal(without_marks(readings[0])), beta_eta_normal(term), found):
        return {}
    return {f"?{name}": value for name, value in found.items()}


def matched(pattern: Term, term: Term, found: dict[str, Term]) -> bool:
    """Does the pattern match? `found` gets what its variables stand for."""
    return _match(beta_eta_normal(pattern), beta_eta_normal(term), found)


def _match(pattern: Term, term: Term, found: dict[str, Term]) -> bool:
    head, arguments = strip_comb(pattern)
    if isinstance(head, Var):
        value = _value(arguments, term)
        if value is None or _loose(value):
            return False
        known = found.setdefault(head.name, value)
        return erase(known) == erase(value)
    if isinstance(pattern, App) and isinstance(term, App):
        return _match(pattern.fun, term.fun, found) and _match(pattern.arg, term.arg, found)
    if isinstance(pattern, Abs) and isinstance(term, Abs):
        return _match(pattern.body, term.body, found)
    return erase(pattern) == erase(term)


def _value(arguments: list[Term], term: Term) -> Term | None:
    """The term as a function of the arguments, which must be different variables that stand in it."""
    names = [each.name for each in arguments if isinstance(each, Free)]
    if len(set(names)) != len(arguments):
        return None
    for name in reversed(names):
        free = next((node for node in frees(term) if node.name == name), None)
        if free is None or free.type is None:
            return None
        term = Abs(name, free.type, abstract(term, free))
    return term


def _loose(term: Term, depth: int = 0) -> bool:
    """Has it bound variables of what is around it?"""
    if isinstance(term, Bound):
        return term.index >= depth
    if isinstance(term, App):
        return _loose(term.fun, depth) or _loose(term.arg, depth)
    return isinstance(term, Abs) and _loose(term.body, depth + 1)
