"""What calculation proves by itself, before any prover is asked: equations by normal forms of rings and fields,
statements about remainders, and those without variables by their value.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from isarstep.isabelle.context.monomorphisation import Named, term_type_variables
from isarstep.isabelle.terms.hol import EQ, dest_binary, dest_trueprop, trueprop
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import Const, Free, Term, TFree, TVar, Var, loose, subterms
from isarstep.isabelle.terms.types import type_of
from isarstep.prover.arithmetic.residue_steps import residue_steps
from isarstep.prover.arithmetic.residues import by_residues
from isarstep.prover.arithmetic.rings import ring_proof
from isarstep.prover.arithmetic.value_steps import value_steps
from isarstep.prover.outcomes.verdict import Proved, ShownStep
from isarstep.prover.values.domains import COMPLEX, NAT
from isarstep.prover.values.executable import BuiltInOnly, Machine
from isarstep.prover.values.operations import OPERATIONS_OF_CONSTANTS

# What Isabelle's code generator does not compute.
NOT_GENERATED = frozenset({"NthRoot.sqrt", "Transcendental.exp", "Transcendental.ln_class.ln", "Transcendental.sin",
                           "Transcendental.cos", "Complex.complex.Complex"})  # fmt: skip


SETS = ("Set", "Set_Interval", "Groups_Big", "Finite_Set", "Lattices_Big", "List")
# From the values of variables, and that the goal holds for them.
DECIDED = "((simp only: refl simp_thms; fail) | (simp; fail) | metis)"
LARGE = 10_000
FACT, FACTORIALS = "Factorial.semiring_char_0_class.fact", "((simp; fail) | (simp add: fact_numeral))"
# Natural numbers are computed as successors, integers as numbers.
AS_INTEGERS = (
    "((subst of_nat_eq_iff[where 'a=int, symmetric], simp only: lcm_int_int_eq[symmetric] gcd_int_int_eq[symmetric]"
    " of_nat_sum of_nat_prod of_nat_fact of_nat_mod of_nat_div of_nat_add of_nat_mult of_nat_power of_nat_numeral"
    " of_nat_0 of_nat_1, eval)"
    " | (simp; fail) | (simp add: eval_nat_numeral))"
)
IDENTITY = "(algebra | (simp add: algebra_simps power2_eq_square power3_eq_cube))"
FROM_IDENTITY = "((simp; fail) | algebra | linarith | (simp add: field_simps power2_eq_square))"


def calculated(premises: Sequence[Named], goal: Term, signature: Signature) -> Proved | None:
    """With the method of Isabelle that is to repeat it."""
    began = time.process_time()
    if without_variables(goal):
        machine = Machine(BuiltInOnly(), OPERATIONS_OF_CONSTANTS)
        if machine.value(goal):
            names = {node.name for node in subterms(goal) if type(node) is Const}
            steps, method = value_steps(goal, machine)
            by = "simp" if names & NOT_GENERATED else "eval"
            method = method or (FACTORIALS if by == "simp" and FACT in names else "")
            method = method or (AS_INTEGERS if by == "eval" and large_naturals(goal, machine) else "")
            return Proved(by, time.process_time() - began, (), 0, method, (), steps)
    found = ring_proof(premises, goal, signature)
    if found is not None:
        identity = found.identity
        steps = () if identity is None else (ShownStep(identity, IDENTITY, (), (), True),)
        method = found.method if identity is None else FROM_IDENTITY
        last = found.facts if method else None
        return Proved(found.by, time.process_time() - began, found.facts, 0, method, (), steps, last)
    needed = by_residues(premises, goal)
    if needed is None:
        return None
    given = [(premise.name, premise.prop) for premise in premises if premise.name in needed]
    steps, method, used = residue_steps(goal, given)
    return Proved("residues", time.process_time() - began, needed, 0, method, (), steps, used)


def without_variables(term: Term) -> bool:
    """Without variables, of terms or of types."""
    if loose(term) or any(type(node) is Free or type(node) is Var for node in subterms(term)):
        return False
    return not any(isinstance(v, TFree | TVar) for v in term_type_variables(term))


def large_naturals(goal: Term, machine: Machine) -> bool:
    """Does an equation of natural numbers have large ones on the way?"""
    formula = dest_trueprop(goal)
    sides = None if formula is None else dest_binary(EQ, formula)
    if sides is None or type_of(sides[0]) != NAT:
        return False
    numbers = (node for node in subterms(sides[0]) if type_of(node) == NAT and not loose(node))
    return any((machine.value(number) or 0) > LARGE for number in numbers)


def method_of_value(formula: Term, machine: Machine) -> str:
    """How Isabelle computes that a formula without variables holds."""
    names = {node.name for node in subterms(formula) if type(node) is Const}
    if any(type_of(node) == COMPLEX for node in subterms(formula)):
        return "((simp; fail) | (simp add: complex_eq_iff; fail) | (simp add: complex_eq_iff power2_eq_square))"
    if names & NOT_GENERATED:
        return "simp"
    if large_naturals(trueprop(formula, typed=True), machine):
        return AS_INTEGERS
    return "eval" if any(name.partition(".")[0] in SETS for name in names) else "((simp; fail) | eval)"
