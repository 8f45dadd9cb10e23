"""Scored examples whose target says no more than a neighbour does. Rules 2.1 take them out of what is scored.

The target is compared with the consequence and with every proposition that is given (F.2, F.4):

- `symmetric`: they are equal when the sides of equations may be exchanged;
- `implication`: when also `⟹ ⋀ ≡` may stand for `⟶ ∀ =`, and a variable bound in front for a schematic one;
- `conjuncts`: when also the conjuncts of a conjunction may stand in any order;
- `general`: the consequence, or what is given, is an instance of the target;
- `instance`: the target is an instance of the consequence, or of what is given.

Propositions are compared as formulas of HOL, types left aside.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from isarstep.isabelle.terms.equality import numbered_schematics
from isarstep.isabelle.terms.hol import (
    ALL,
    CONJ,
    EQ,
    IMPLIES,
    PURE_ALL,
    PURE_IMP,
    TRUEPROP,
    dest_binary,
    dest_quantifier,
    list_conj,
    parts_of,
)
from isarstep.isabelle.terms.terms import (
    App,
    Const,
    Term,
    Var,
    instantiate,
    list_comb,
    rebuilt,
    strip_comb,
)
from isarstep.isabelle.terms.tokens import decode, encode_line
from isarstep.isabelle.terms.variables import match_term

TRIVIAL = ("symmetric", "implication", "conjuncts", "general", "instance")

_HOL = {PURE_IMP: IMPLIES, PURE_ALL: ALL, "Pure.eq": EQ, "HOL.iff": EQ}
_CONSTANT = re.compile(r"CONST (\S+)")
_SCHEMATIC = re.compile(r"VAR \S+")
_LOGICAL = frozenset({*_HOL, *_HOL.values(), TRUEPROP, CONJ})


def trivial_mark(f1: str, given: Sequence[str], f3: str | None) -> str:
    """Why the target says no more than a neighbour; empty where it does."""
    neighbours = [*([] if f3 is None else [f3]), *given]
    names = _names(f1)
    same = [other for other in neighbours if _names(other) == names]
    for mark, form in (("symmetric", _symmetric), ("implication", _implication), ("conjuncts", _conjuncts)):
        if any(form(other) == form(f1) for other in same):
            return mark
    if any(names <= _names(other) and _is_instance(other, f1) for other in neighbours):
        return "general"
    return "instance" if any(_names(other) <= names and _is_instance(f1, other) for other in neighbours) else ""


def _is_instance(text: str, general: str) -> bool:
    # Sides as they are written, too: in an instance another one may be the first in order.
    return any(is_special_case(form(text), form(general)) for form in (_as_formula, _implication))


def is_special_case(term: Term, pattern: Term) -> bool:
    """Is it the pattern with other terms for its schematic variables? One applied to bound variables may stand for any
    term in them. A pattern that is nothing but such a variable says nothing."""
    return type(strip_comb(pattern)[0]) is not Var and match_term(pattern, term, eta=True) is not None


@lru_cache(1 << 14)
def _names(text: str) -> frozenset[str]:
    """Constants but for logical ones: forms of one proposition, and instances, do not lose any."""
    return frozenset(_CONSTANT.findall(text)) - _LOGICAL


@lru_cache(1 << 12)
def _symmetric(text: str) -> Term:
    return numbered_schematics(rebuilt(decode(text), upwards=_sides_in_order))


@lru_cache(1 << 12)
def _as_formula(text: str) -> Term:
    return numbered_schematics(_opened(rebuilt(decode(text), upwards=_in_hol)))


@lru_cache(1 << 12)
def _implication(text: str) -> Term:
    return numbered_schematics(_opened(rebuilt(decode(text), upwards=lambda node: _sides_in_order(_in_hol(node)))))


@lru_cache(1 << 12)
def _conjuncts(text: str) -> Term:
    formula = _opened(rebuilt(decode(text), upwards=lambda node: _sides_in_order(_in_hol(node))))
    return numbered_schematics(rebuilt(formula, upwards=lambda node: _conjuncts_in_order(_sides_in_order(node))))


def _sides_in_order(node: Term) -> Term:
    sides = dest_binary(EQ, node)
    if sides is None or _place(sides[0]) <= _place(sides[1]):
        return node
    return list_comb(Const(EQ), reversed(sides))


def _place(term: Term) -> tuple[str, str]:
    """By which parts that may be exchanged are sorted: first by what names of schematic variables do not change."""
    text = encode_line(term)
    return _SCHEMATIC.sub("", text), text


def _in_hol(node: Term) -> Term:
    if type(node) is Const:
        return Const(_HOL[node.name]) if node.name in _HOL else node
    if type(node) is App and type(node.fun) is Const and node.fun.name == TRUEPROP:
        return node.arg
    return node


def _conjuncts_in_order(node: Term) -> Term:
    if dest_binary(CONJ, node) is None:
        return node
    return list_conj(sorted({*parts_of(CONJ, node)}, key=_place))


def _opened(formula: Term) -> Term:
    """Variables that are bound in front as schematic ones."""
    count = 0
    while binder := dest_quantifier(ALL, formula):
        formula = instantiate(binder.body, Var(f"bound {count}"))
        count += 1
    return formula
