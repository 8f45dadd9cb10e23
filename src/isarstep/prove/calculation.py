"""What calculation proves by itself, before any prover is asked: equations by normal forms of rings and fields,
statements about remainders, and those without variables by their value.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from isarstep.logic.signature import Signature
from isarstep.logic.terms import Const, Free, Term, TFree, TVar, Var, loose, subterms
from isarstep.prove.domains import Undetermined
from isarstep.prove.executable import BuiltInOnly, Machine
from isarstep.prove.monomorphise import Named, term_type_variables
from isarstep.prove.operations import OPERATIONS_OF_CONSTANTS
from isarstep.prove.residue_steps import residue_steps
from isarstep.prove.residues import by_residues
from isarstep.prove.rings import ring_proof
from isarstep.prove.value_steps import value_steps
from isarstep.prove.verdict import Proved

# What Isabelle's code generator does not compute.
NOT_GENERATED = frozenset({"NthRoot.sqrt", "Transcendental.exp", "Transcendental.ln_class.ln", "Transcendental.sin",
                           "Transcendental.cos", "Complex.complex.Complex"})  # fmt: skip


def calculated(premises: Sequence[Named], goal: Term, signature: Signature) -> Proved | None:
    """With the method of Isabelle that is to repeat it."""
    began = time.process_time()
    if without_variables(goal):
        machine = Machine(BuiltInOnly(), OPERATIONS_OF_CONSTANTS)
        try:
            if machine.evaluate(machine.code(goal), ()):
                names = {node.name for node in subterms(goal) if type(node) is Const}
                steps, method = value_steps(goal, machine)
                by = "simp" if names & NOT_GENERATED else "eval"
                return Proved(by, time.process_time() - began, (), 0, method, (), steps)
        except Undetermined:
            pass
    found = ring_proof(premises, goal, signature)
    if found is not None:
        return Proved(found.method, time.process_time() - began, found.facts, 0)
    needed = by_residues(premises, goal)
    if needed is None:
        return None
    given = [(premise.name, premise.prop) for premise in premises if premise.name in needed]
    steps, method, last = residue_steps(goal, given)
    return Proved("residues", time.process_time() - began, needed, 0, method, (), steps, last)


def without_variables(term: Term) -> bool:
    """Without variables, of terms or of types."""
    if loose(term) or any(type(node) is Free or type(node) is Var for node in subterms(term)):
        return False
    return not any(isinstance(v, TFree | TVar) for v in term_type_variables(term))
