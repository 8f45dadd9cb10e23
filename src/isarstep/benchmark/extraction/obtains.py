"""What `thesis` stands for in lemmas stated with `obtains`, and in rules written by hand that call it so.

`obtains x where P x` states `thesis`, a variable that could be anything, and assumes `that: P x ==> thesis`. As a
consequence the variable says nothing and `that` is bookkeeping: what follows is that there is an x with P x.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isarstep.isabelle.process.proof_graph import Proof
from isarstep.isabelle.terms.hol import (
    dest_trueprop,
    exists,
    list_conj,
    list_disj,
    list_pure_imp,
    pure_all,
    quantified,
    strip_pure_imp,
    trueprop,
)
from isarstep.isabelle.terms.terms import Free, Term, frees, schematics


@dataclass(frozen=True)
class Thesis:
    """The bare variable, what it stands for, and the facts that only carry it."""

    bare: Term
    meaning: Term
    assumed: frozenset[int]


def thesis_of(proof: Proof) -> Thesis | None:
    """The thesis of a lemma, if it is that variable and occurs in the conclusions of some of its assumptions alone."""
    head = [(number, fact) for number, fact in enumerate(proof.facts) if fact.step == 0]
    goals = [fact.prop for _, fact in head if fact.kind == "goal"]
    if len(goals) != 1:
        return None
    variable = dest_trueprop(goals[0])
    if type(variable) is not Free or variable.name != "thesis":
        return None
    cases: list[Term] = []
    assumed: set[int] = set()
    for number, fact in head:
        if fact.kind == "assumption":
            premises, conclusion = strip_pure_imp(fact.prop)
            if premises and conclusion == goals[0]:
                cases.append(fact.prop)
                assumed.add(number)
            else:
                premises = [fact.prop]
            if any(variable in frees(premise) for premise in premises):
                return None
    if not cases:
        return None
    # Where no formula says that one of the cases holds, the thesis follows from them.
    closed = (quantified(pure_all, schematics(case), case) for case in cases)
    meaning = _existence(cases) or list_pure_imp([*closed], goals[0], typed=True)
    return Thesis(goals[0], meaning, frozenset(assumed))


def _existence(cases: Sequence[Term]) -> Term | None:
    """One of the cases holds for some values of its schematic variables; None where a premise is no formula of HOL."""
    formulas: list[Term] = []
    for case in cases:
        premises = [dest_trueprop(premise) for premise in strip_pure_imp(case)[0]]
        known = [premise for premise in premises if premise is not None]
        if len(known) < len(premises):
            return None
        formulas.append(quantified(exists, schematics(case), list_conj(known, typed=True)))
    return trueprop(list_disj(formulas, typed=True), typed=True)
