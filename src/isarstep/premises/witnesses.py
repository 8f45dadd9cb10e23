"""Witnesses: variables that a step itself introduces, bound where they belong.

`obtain x where P x` derives from its premises that some x has P; to ask for P of an arbitrary x would be to ask for
something else. So the first gap is F.2 => ∃x. P x, with all else that is said of the same x and of nothing later, and
the second one P x, F.4 => ∃y. C y for the y that the consequence introduces. `fix x` means an arbitrary x: there
nothing is bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from isarstep.isabelle.terms.hol import as_formula, exists, list_conj, quantified, trueprop
from isarstep.isabelle.terms.terms import Term, frees

EXISTENTIAL = frozenset({"obtain", "define", "guess"})  # commands whose variables are witnesses


def witnesses(command: str, introduced: Iterable[int]) -> frozenset[str]:
    """The names of the variables that a command's own statement says exist."""
    return frozenset(f"<X{number}>" for number in introduced) if command in EXISTENTIAL else frozenset()


def existing(proposition: Term, names: frozenset[str], others: Sequence[Term] = ()) -> Term:
    """Some values of these variables have the proposition, and what is said of them beside it: one value for all that
    the proposition says of schematic variables. What no formula of HOL says stays as it is, with arbitrary variables:
    that asks for more.
    """
    if not speaks_of(proposition, names):
        return proposition
    about = [each for each in others if of_same_values(each, names)]
    formulas = [as_formula(each) for each in (proposition, *about)]
    known = [formula for formula in formulas if formula is not None]
    if len(known) < len(formulas):
        return proposition
    body = list_conj(known, typed=True)
    own = [free for free in frees(body) if free.name in names]
    return trueprop(quantified(exists, own[::-1], body), typed=True)


def speaks_of(proposition: Term, names: frozenset[str]) -> bool:
    return any(free.name in names for free in frees(proposition))


def of_same_values(proposition: Term, names: frozenset[str]) -> bool:
    """Does it speak of these variables and of none that was introduced after them? Numbers follow the proof. What
    speaks of a later one is no part of what is obtained."""
    last = max(map(_number, names), default=-1)
    return speaks_of(proposition, names) and all(_number(free.name) <= last for free in frees(proposition))


def _number(name: str) -> int:
    return int(name[2:-1]) if name.startswith("<X") and name[2:-1].isdigit() else -1
