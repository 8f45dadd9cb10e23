"""A goal with the definition of what it is about in the place of its name, by instantiation alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isarstep.isabelle.context.matching import Matching
from isarstep.isabelle.context.monomorphisation import Named, is_general, term_type_variables
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.hol import BOOL
from isarstep.isabelle.terms.normal_forms import beta_normal
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import Term, head_name, list_comb, schematics, strip_comb
from isarstep.isabelle.terms.types import type_of

PURE_EQ = "Pure.eq"


def defined_name(goal: Term) -> str:
    """The constant whose value a goal says to be true; empty where there is none."""
    formula = hol.dest_trueprop(goal)
    return "" if formula is None else head_name(formula)


@dataclass(frozen=True, slots=True)
class UnfoldedGoal:
    """The goal, the definition as Isar names it, and the names of the given facts that are its conditions."""

    goal: Term
    definition: str
    conditions: tuple[str, ...]

    @property
    def instance(self) -> str:
        """`l.d_def[OF F.2(1)]`: Isar's `unfold` proves no conditions."""
        return f"{self.definition}[OF {' '.join(self.conditions)}]" if self.conditions else self.definition


def unfolded_goal(goal: Term, definition: Named, given: Sequence[Named], signature: Signature) -> UnfoldedGoal | None:
    """The goal by an equation whose conditions are given. None where it is no equation for the goal as a whole."""
    formula = hol.dest_trueprop(goal)
    if formula is None or not (definition.here or is_general(definition.prop)):
        return None
    conditions, conclusion = hol.strip_pure_imp(definition.prop)
    stated = hol.dest_trueprop(conclusion)
    sides = hol.dest_binary(PURE_EQ, conclusion) if stated is None else hol.dest_binary(hol.EQ, stated)
    if sides is None:
        return None
    head, arguments = strip_comb(formula)
    count = len(strip_comb(sides[0])[1])
    matching = Matching(signature)
    if count > len(arguments) or not matching.fits(sides[0], list_comb(head, arguments[:count])):
        return None
    used = []
    for condition in conditions:
        extended = ((fact.name, matching.extended(condition, fact.prop)) for fact in given)
        name, further = next(((name, each) for name, each in extended if each is not None), ("", None))
        if further is None:
            return None
        matching = further
        used.append(name)
    if not matching.complete(term_type_variables(definition.prop)):
        return None
    made = beta_normal(list_comb(matching.instance(sides[1]), arguments[count:]))
    if schematics(made) or type_of(made) != BOOL:
        return None
    return UnfoldedGoal(hol.trueprop(made, typed=True), definition.name, tuple(used))
