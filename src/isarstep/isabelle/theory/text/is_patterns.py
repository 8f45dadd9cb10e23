"""`(is "?l = ?r")` and `let "?P x" = t`: what the variables of a pattern stand for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count

from isarstep.common.errors import UserError
from isarstep.isabelle.inference.annotations import without_marks
from isarstep.isabelle.inference.infer import PROP
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.normal_forms import beta_eta_normal
from isarstep.isabelle.terms.terms import (
    Abs,
    App,
    Bound,
    Free,
    Term,
    TVar,
    Typ,
    Var,
    abstract,
    erase,
    frees,
    head_name,
    increase,
    loose,
    strip_comb,
)
from isarstep.isabelle.terms.variables import with_bound
from isarstep.isabelle.theory.text.source import SourceToken
from isarstep.isabelle.theory.text.statements import Scope, readings_of_pattern

PATTERN_NAME = re.compile(r"\?[^\W\d][\w']*")
_DUMMY = re.compile(r"(?<![\w'?.\\<>^⇩])_(?![\w'>])")
_ANYTHING = "anything__"  # what `_` is called


def bound_by_pattern(pattern: SourceToken, term: Term, scope: Scope) -> dict[str, Term]:
    """By name with `?`; nothing where the pattern is not read or does not match for sure."""
    is_prop = head_name(term) in (hol.TRUEPROP, hol.PURE_IMP, hol.PURE_ALL, "Pure.eq")
    number = count()
    text = replace(pattern, text=_DUMMY.sub(lambda _: f"?{_ANYTHING}{next(number)}", pattern.text))
    try:
        readings = readings_of_pattern(text, scope, PROP if is_prop else None)
    except UserError:
        return {}
    found: dict[str, Term] = {}
    made = {beta_eta_normal(without_marks(reading)) for reading in readings}
    if len(made) != 1 or not _match(made.pop(), beta_eta_normal(term), found, scope.fixed):
        return {}
    return {f"?{name}": value for name, value in found.items() if not name.startswith(_ANYTHING)}


def bound_in_statement(pattern: SourceToken, prop: Term, scope: Scope) -> dict[str, Term]:
    """`(is ?P)` and others behind a proposition."""
    name, formula = pattern.text.strip(), hol.dest_trueprop(prop)
    if formula is not None and name.startswith("?") and name[1:].replace("'", "").isidentifier():
        return {name: formula}
    return bound_by_pattern(pattern, prop, scope)


def matched(pattern: Term, term: Term, found: dict[str, Term]) -> bool:
    """Does the pattern match? `found` gets what its variables stand for."""
    return _match(beta_eta_normal(pattern), beta_eta_normal(term), found, {})


def _match(
    pattern: Term, term: Term, found: dict[str, Term], types: Mapping[str, Typ], binders: tuple[Abs, ...] = ()
) -> bool:
    """`binders` are those around the term, the innermost last."""
    head, arguments = strip_comb(pattern)
    if isinstance(head, Var) and head.name.startswith(_ANYTHING):
        return True
    if isinstance(head, Var):
        value = _value(arguments, term, types, binders)
        if value is None or loose(value):
            return False
        known = found.setdefault(head.name, value)
        return erase(known) == erase(value)
    if isinstance(pattern, App) and isinstance(term, App):
        return _match(pattern.fun, term.fun, found, types, binders) and _match(
            pattern.arg, term.arg, found, types, binders
        )
    if isinstance(pattern, Abs) and isinstance(term, Abs):
        return _match(pattern.body, term.body, found, types, (*binders, term))
    return erase(pattern) == erase(term)


def _value(arguments: Sequence[Term], term: Term, types: Mapping[str, Typ], binders: Sequence[Abs]) -> Term | None:
    """The term as a function of the arguments, which must be different variables."""
    if len(set(map(erase, arguments))) != len(arguments):
        return None
    for argument in reversed(arguments):
        if isinstance(argument, Free):
            inside = next((node for node in frees(term) if node.name == argument.name), None)
            typ = inside.type if inside is not None else types.get(argument.name)
            name = argument.name
        elif isinstance(argument, Bound) and argument.index < len(binders):
            binder = binders[-1 - argument.index]
            typ, name = binder.type, binder.name
            inside = Free(f"{name}~bound", typ)
            term = with_bound(term, argument.index, inside)
        else:
            return None
        if typ is None or isinstance(typ, TVar):
            return None
        body = increase(term, 1) if inside is None else abstract(term, inside)
        term = Abs(name, typ, body)
    return term
