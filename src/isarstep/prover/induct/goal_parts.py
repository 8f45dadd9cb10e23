"""A goal taken apart by its form: every conjunct, both directions of an equivalence and of an equality of sets; and the
same of what it is by definition.

Each part is a case with variables and hypotheses of its own, so that facts are chosen for it alone. The parts are what
Isar's `intro` leaves of the goal with the introduction rules that are named.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from isarstep.isabelle.context.monomorphisation import Named
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.hol import BOOL, MEMBER
from isarstep.isabelle.terms.terms import Bound, Const, Free, Term, Type, fun, increase, list_comb
from isarstep.isabelle.terms.types import type_of
from isarstep.prover.induct.induction import CASE, Case, fixed_apart
from isarstep.prover.outcomes.verdict import OpenedGoal
from isarstep.prover.rewrite.unfolded_goal import UnfoldedGoal

MOST_PARTS = 12
UNFOLDINGS = 3  # of definitions within each other
RULES = ("allI", "impI", "conjI", "iffI", "set_eqI")


Unfold: TypeAlias = Callable[[Term], UnfoldedGoal | None]


@dataclass(frozen=True, slots=True)
class SplitGoal:
    """Cases that together are the goal, and the definitions and introduction rules that lead to them."""

    rules: tuple[str, ...]
    cases: tuple[Case, ...]
    unfolded: tuple[UnfoldedGoal, ...] = ()

    @property
    def definitions(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.definition for each in self.unfolded))

    @property
    def conditions(self) -> tuple[str, ...]:
        """Given facts that these definitions need."""
        return tuple(dict.fromkeys(name for each in self.unfolded for name in each.conditions))

    @property
    def method(self) -> str:
        unfolding = f"unfold {' '.join(dict.fromkeys(each.instance for each in self.unfolded))}, "
        return f"{unfolding if self.unfolded else ''}intro {' '.join(self.rules)}"


def opened_goal(
    goal: Term, variables: Sequence[Free], premises: Sequence[Named], conclusion: Term
) -> OpenedGoal | None:
    """The goal as its conclusion, for these variables and from these premises; None where it has none of its own."""
    if not variables and not premises:
        return None
    body = goal  # what is left without meta-connectives tells whether others are to be opened
    while (meta := hol.dest_quantifier(hol.PURE_ALL, body)) is not None or hol.dest_binary(hol.PURE_IMP, body):
        body = meta.body if meta is not None else hol.strip_pure_imp(body)[1]
    inner = hol.dest_trueprop(body)
    by_rules = inner is not None and (hol.dest_quantifier(hol.ALL, inner) or hol.dest_binary(hol.IMPLIES, inner))
    stated = tuple((each.name, each.prop) for each in premises)
    return OpenedGoal(tuple(variables), stated, conclusion, "(intro allI impI)" if by_rules else "-")


@dataclass(slots=True)
class _Splitting:
    """What a goal has been taken apart by so far."""

    unfold: Unfold
    rules: set[str] = field(default_factory=set)
    unfolded: list[UnfoldedGoal] = field(default_factory=list)

    def parts(self, goal: Term, premises: tuple[Term, ...], taken: set[str], unfoldings: int) -> list[Case]:
        if _is_quantified(goal):
            self.rules |= {"allI", "impI"}
        names = set(taken)
        fixed = fixed_apart(goal, names)
        premises = (*premises, *(premise.prop for premise in fixed.premises))
        rule, parts = _taken_apart(fixed.goal)
        if parts:
            self.rules |= rule
            return [case for part in parts for case in self.parts(part, premises, names, unfoldings)]
        said = self.unfold(fixed.goal) if unfoldings else None
        if said is not None:
            inner = _Splitting(self.unfold)
            cases = inner.parts(said.goal, premises, names, unfoldings - 1)
            if len(cases) > 1:
                self.rules |= inner.rules
                self.unfolded += [said, *inner.unfolded]
                return cases
        return [Case(tuple(Named(f"{CASE}({n})", each) for n, each in enumerate(premises, 1)), fixed.goal)]


def parts_of_goal(goal: Term, taken: set[str], unfold: Unfold = lambda _: None) -> SplitGoal | None:
    """None where a goal has no parts, or too many. `taken`: names of variables of the goal and of what is given."""
    splitting = _Splitting(unfold)
    cases = splitting.parts(goal, (), taken, UNFOLDINGS)
    if not 1 < len(cases) <= MOST_PARTS:
        return None
    rules = tuple(rule for rule in RULES if rule in splitting.rules)
    return SplitGoal(rules, tuple(cases), tuple(splitting.unfolded))


def _is_quantified(goal: Term) -> bool:
    """Does the conclusion begin with a quantifier or an implication of HOL?"""
    conclusion = hol.strip_pure_imp(hol.strip_pure_all(goal)[1])[1]
    formula = hol.dest_trueprop(conclusion)
    if formula is None:
        return False
    return hol.dest_quantifier(hol.ALL, formula) is not None or hol.dest_binary(hol.IMPLIES, formula) is not None


def _taken_apart(goal: Term) -> tuple[set[str], list[Term]]:
    """One step: the rules, and propositions that are the goal together. None for what has no such form."""
    formula = hol.dest_trueprop(goal)
    if formula is None:
        return set(), []
    if both := hol.dest_binary(hol.CONJ, formula):
        return {"conjI"}, [hol.trueprop(side, typed=True) for side in both]
    sides = hol.dest_binary(hol.EQ, formula)
    if sides is None:
        return set(), []
    typ = type_of(sides[0])
    if typ == BOOL:
        left, right = (hol.trueprop(side, typed=True) for side in sides)
        return {"iffI"}, [hol.pure_imp(left, right, typed=True), hol.pure_imp(right, left, typed=True)]
    if isinstance(typ, Type) and typ.name == "Set.set":
        element = typ.args[0]
        inside = Const(MEMBER, fun(element, fun(typ, BOOL)))
        left, right = (hol.trueprop(list_comb(inside, [Bound(0), increase(side, 1)]), typed=True) for side in sides)
        directions = hol.pure_imp(left, right, typed=True), hol.pure_imp(right, left, typed=True)
        return {"set_eqI", "iffI"}, [hol.pure_all("x", element, each) for each in directions]
    return set(), []
