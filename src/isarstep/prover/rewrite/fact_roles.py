"""What a proof method may use a fact for: as an equation, as an elimination rule, or not as a rule at all."""

from __future__ import annotations

from isarstep.isabelle.context.monomorphisation import Named
from isarstep.isabelle.context.theory_contexts import TheoryContext
from isarstep.isabelle.terms.hol import EQ, dest_binary, dest_trueprop, strip_pure_imp
from isarstep.isabelle.terms.terms import Const, Term, Var, constants, head_name, schematics, strip_comb
from isarstep.premises.fact_base import DEFINING
from isarstep.prover.rewrite.rewriting import Rewrite, rewrites_of


def is_elimination_rule(theory_context: TheoryContext, fact: str) -> bool:
    """Does it conclude anything at all, from what its first premise gives?"""
    said = _said(theory_context, fact)
    conclusions = [dest_trueprop(strip_pure_imp(prop)[1]) for prop in said]
    return bool(said) and all(type(conclusion) is Var for conclusion in conclusions)


def _said(theory_context: TheoryContext, fact: str) -> list[Term]:
    """The propositions of one fact, or of all that are called so."""
    found = theory_context.library_facts(fact.partition("(")[0])
    return [prop for name, prop in found if name == fact] or [prop for _, prop in found]


def is_rewrite_rule(theory_context: TheoryContext, fact: str) -> bool:
    """Is it an equation that simp uses from left to right, or an atom? One that is not found is taken for a rule.

    A definition outside of its locale is one, too: `locale f a ⟹ g a = ...`, where simp finds `f` by the premises. As
    an introduction rule Isabelle takes it for an error, after which it tries no other method."""
    said = _said(theory_context, fact)
    return all(any(map(_equates, rewrites_of(Named("", prop)))) or _is_definition(fact, prop) for prop in said)


def _is_definition(fact: str, proposition: Term) -> bool:
    conditions, conclusion = strip_pure_imp(proposition)
    if dest_binary("Pure.eq", conclusion) is not None:
        return True
    formula = dest_trueprop(conclusion)
    sides = None if formula is None else dest_binary(EQ, formula)
    if sides is None or not conditions or not fact.partition("(")[0].endswith(DEFINING):
        return False
    return head_name(sides[0]) not in {each.name for each in constants(sides[1])}


def _equates(rule: Rewrite) -> bool:
    truth = isinstance(rule.right, Const) and rule.right.name in ("HOL.True", "HOL.False")
    if truth:
        return not rule.conditions and rule.head not in ("HOL.All", "HOL.Ex", "Set.Ball", "Set.Bex")
    # `p x ⟷ x = 0 ∨ (∃y. x = Suc y ∧ p y)`, of an inductive predicate, can be used again and again.
    always = not rule.conditions and all(isinstance(each, Var) for each in strip_comb(rule.left)[1])
    return not always or rule.head not in {each.name for each in constants(rule.right)}


def leaves_open(theory_context: TheoryContext, fact: str) -> bool:
    """Do its premises speak of what its conclusion does not say, as those of `A ⊆ B ⟹ x ∈ A ⟹ x ∈ B`?"""
    parts = [strip_pure_imp(prop) for prop in _said(theory_context, fact)]
    return any(set(schematics(one)) - set(schematics(conclusion)) for premises, conclusion in parts for one in premises)
