"""A problem of arithmetic without quantifiers, as provers and certificates see it, and what its proofs look like."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count

from isarstep.isabelle.context.monomorphisation import Named
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import Const, Term, Type, frees, schematics, subterms
from isarstep.isabelle.terms.types import type_of
from isarstep.prover.arithmetic.calculation import DECIDED
from isarstep.prover.arithmetic.ground_facts import NONLINEAR, NUMBERS, GroundFact, GroundFacts, Lookup
from isarstep.prover.arithmetic.residues import CONG
from isarstep.prover.arithmetic.rings import nonlinear
from isarstep.prover.induct.goal_parts import opened_goal
from isarstep.prover.outcomes.verdict import OpenedGoal, Proved, ShownStep


@dataclass(frozen=True, slots=True)
class GroundProblem:
    """A goal without quantifiers in front and what is known for it."""

    facts: tuple[GroundFact, ...]
    goal: Term
    decided: tuple[str, ...] | None  # facts that give variables values with which the goal holds
    method: str = ""  # by which it follows from them
    opened: OpenedGoal | None = None  # what was asked, where that has variables or premises of its own

    def named(self) -> tuple[Named, ...]:
        return tuple(Named(fact.name, hol.trueprop(fact.formula, typed=True)) for fact in self.facts)

    def by_values(self) -> Proved | None:
        """A proof by the values of variables, to be explained."""
        return None if self.decided is None else Proved("eval", 0.0, self.decided, 0, self.method)

    def explained(self, proof: Proved, last: Collection[str] | None = None) -> Proved:
        """The proof from the premises themselves, with the steps that it needs; `last`: those that its end needs."""
        by_name = {fact.name: fact for fact in self.facts}
        needed = [by_name[name] for name in proof.facts if name in by_name]
        used = [fact for fact in needed if last is None or fact.name in last]
        chain = dict.fromkeys(step for fact in needed for step in fact.chain())
        places = {step: place for place, step in enumerate(step for step in chain if step.method)}
        shown = tuple(
            ShownStep(
                step.formula,
                step.method,
                tuple(need.name for need in step.needs if not need.method),
                tuple(places[need] for need in step.needs if need.method),
                step in used,
                step.obtained,
            )
            for step in places
        )
        premises = [step.name for step in chain if not step.method]
        others = [name for name in proof.facts if name not in by_name]
        formulas = [*(fact.formula for fact in used), self.goal]
        method = method_for(formulas) if proof.by.startswith("cvc5") else proof.method
        given = tuple(dict.fromkeys(fact.name for fact in used if not fact.method))
        further = tuple(
            replace(
                step,
                steps=(
                    *(place + len(shown) for place in step.steps),
                    *(places[by_name[name]] for name in step.premises if name in by_name and by_name[name].method),
                ),
            )
            for step in proof.steps
        )
        shown = (*shown, *further)
        facts = (*premises, *others)
        return replace(proof, facts=facts, steps=shown, method=method, given=given, opened=self.opened)


def method_for(formulas: Iterable[Term]) -> str:
    """The method of Isabelle that decides such formulas."""
    nodes = [node for formula in formulas for node in subterms(formula)]
    names = {node.name for node in nodes if type(node) is Const}
    if any(map(nonlinear, nodes)):
        return NONLINEAR
    if CONG in names:
        return "(unfold cong_def, presburger)"
    whole = {"Rings.modulo_class.modulo", "Rings.dvd_class.dvd"} & names
    return "presburger" if whole else "(linarith | argo | (simp; fail) | arith)"


def ground_problem(
    premises: Sequence[Named], goal: Term, signature: Signature, library: Lookup
) -> GroundProblem | None:
    """None where the goal says nothing about numbers."""
    formula = hol.as_formula(goal)
    if formula is None or schematics(formula):
        return None
    taken = {leaf.name for term in (formula, *(each.prop for each in premises)) for leaf in frees(term)}

    def fresh(name: str) -> str:
        made = next(made for n in count() if (made := f"{name}~{n}") not in taken)
        taken.add(made)
        return made

    variables, assumed, conclusion = hol.fixed_and_assumed(formula, fresh, pure=False)
    own = [Named(f"goal({n})", hol.trueprop(each, typed=True)) for n, each in enumerate(assumed, len(premises))]
    if not any(isinstance(t, Type) and t.name in NUMBERS for t in map(type_of, subterms(conclusion))):
        return None
    gathered = GroundFacts(signature, library)
    facts = gathered.gather([*premises, *own], conclusion)
    decided, method = gathered.decided(conclusion), DECIDED
    if decided is None and (decided := gathered.by_enumeration(conclusion)) is not None:
        method = "blast"
    elif decided is None and (decided := gathered.by_solutions(conclusion)) is not None:
        method = "((auto; fail) | (elim disjE; simp))"
    facts += [fact for fact in decided or () if fact not in facts]
    names = None if decided is None else tuple(fact.name for fact in decided)
    asked = hol.trueprop(conclusion, typed=True)
    return GroundProblem(tuple(facts), asked, names, method, opened_goal(goal, variables, own, asked))
