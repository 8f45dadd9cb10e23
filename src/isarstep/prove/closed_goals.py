"""Goals that have a value once variables and functions are replaced by what premises say they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from isarstep.logic import hol
from isarstep.logic.terms import Abs, Bound, Const, Free, Term, beta_normal, frees, strip_comb, substitute, subterms
from isarstep.logic.types import type_of
from isarstep.prove.calculation import AS_INTEGERS, NOT_GENERATED, large_naturals
from isarstep.prove.described_functions import binders_and_body
from isarstep.prove.domains import COMPLEX
from isarstep.prove.executable import Machine

SETS = ("Set", "Set_Interval", "Groups_Big", "Finite_Set", "Lattices_Big", "List")
# From the values of variables, and that the goal holds for them.
DECIDED = "((simp only: refl simp_thms; fail) | (simp; fail) | metis)"


def described_functions(rules: Sequence[Term]) -> dict[Free, tuple[Term, int]]:
    """Functions with `λx y. t`, by the place of the rule `∀x y. f x y = t`; t is not about f."""
    found: dict[Free, tuple[Term, int]] = {}
    for place, rule in enumerate(rules):
        binders, body = binders_and_body(rule)
        sides = hol.dest_binary(hol.EQ, body)
        head, arguments = strip_comb(sides[0]) if sides is not None else (body, [])
        if sides is None or type(head) is not Free or head in found or head in frees(sides[1]):
            continue
        if arguments != [Bound(n) for n in reversed(range(len(binders)))]:
            continue
        value = sides[1]
        for typ in reversed(binders):
            value = Abs("x", typ, value)
        found[head] = value, place
    return found


def replaced_by(term: Term, values: Mapping[Free, Term]) -> Term:
    """With variables replaced as often as they occur in what replaced others."""
    for _ in range(3):
        if not any(leaf in values for leaf in frees(term)):
            break
        term = beta_normal(substitute(term, lambda leaf: values.get(leaf) if type(leaf) is Free else None))
    return term


def method_of_value(formula: Term, machine: Machine) -> str:
    """How Isabelle computes that a formula without variables holds."""
    names = {node.name for node in subterms(formula) if type(node) is Const}
    if any(type_of(node) == COMPLEX for node in subterms(formula)):
        return "((simp; fail) | (simp add: complex_eq_iff; fail) | (simp add: complex_eq_iff power2_eq_square))"
    if names & NOT_GENERATED:
        return "simp"
    if large_naturals(hol.trueprop(formula, typed=True), machine):
        return AS_INTEGERS
    return "eval" if any(name.partition(".")[0] in SETS for name in names) else "((simp; fail) | eval)"
