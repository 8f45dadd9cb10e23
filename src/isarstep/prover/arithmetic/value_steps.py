"""Values that Isabelle's code generator does not compute as they stand: sets given by a property, which are found among
the numbers up to a bound, and least numbers with a property.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.hol import COLLECT, LEAST, LESS
from isarstep.isabelle.terms.terms import (
    Abs,
    Bound,
    Const,
    Term,
    applied_constant,
    funs,
    instantiate,
    list_comb,
    loose,
    rebuilt,
    strip_comb,
    subterms,
)
from isarstep.prover.arithmetic.rings import number_of
from isarstep.prover.outcomes.verdict import ShownStep
from isarstep.prover.values.domains import BOOL, NAT, number_term
from isarstep.prover.values.executable import Machine

SETS = hol.set_type(NAT)
PREDICATES = funs((NAT,), BOOL)
LARGEST = 1_000
LEAST_VALUE = "((metis (mono_tags, lifting) Least_equality not_less) | (intro Least_equality; auto intro: leI))"
REPLACED = "((simp only: refl simp_thms; fail) | metis | simp)"


def value_steps(goal: Term, machine: Machine) -> tuple[tuple[ShownStep, ...], str]:
    """Steps for a goal without variables whose value is True, and the method that ends the proof from them; none where
    the value can be computed as it stands."""
    formula = hol.dest_trueprop(goal)
    steps: list[ShownStep] = []
    made: dict[Term, Term] = {}
    for node in () if formula is None else dict.fromkeys(subterms(formula)):
        head, arguments = strip_comb(node)
        if type(head) is not Const or len(arguments) != 1 or loose(node) or type(arguments[0]) is not Abs:
            continue
        predicate = arguments[0]
        if predicate.type != NAT:
            continue
        if head.name == COLLECT and (bound := _bound(predicate.body)) is not None:
            made[node] = found = _found_among(predicate, bound)
            steps.append(ShownStep(hol.eq(node, found, SETS), "(auto dest: dvd_imp_le)", (), (), True))
        elif head.name == LEAST and (least := machine.value(node)) is not None:
            made[node] = number_term(Fraction(least), NAT)
            steps += _least(node, predicate, made[node], len(steps))
    if formula is None or not steps:
        return (), ""
    computed = rebuilt(formula, lambda node: made.get(node, node))
    return (*steps, ShownStep(computed, "eval", (), (), True)), REPLACED


def has_value_steps(term: Term) -> bool:
    """Is a set given by a property in it, or a least number?"""
    return any(type(node) is Const and node.name in (COLLECT, LEAST) for node in subterms(term))


def _least(node: Term, predicate: Abs, value: Term, count: int) -> Iterator[ShownStep]:
    """The property holds of the value, of no smaller number, and so it is the least."""
    yield ShownStep(instantiate(predicate.body, value), "eval", (), (), False)
    less = hol.binary(LESS, Bound(0), value, NAT, BOOL)
    none = hol.negation(predicate.body)
    smaller = hol.forall(predicate.name, NAT, hol.implies(less, none, typed=True))
    yield ShownStep(smaller, "eval", (), (), False)
    yield ShownStep(hol.eq(node, value, NAT), LEAST_VALUE, (), (count, count + 1), True)


def _bound(body: Term) -> int | None:
    """A number that the bound variable is at most, by a conjunct of the property."""
    both = hol.dest_binary(hol.CONJ, body)
    if both is not None:
        found = [bound for part in both if (bound := _bound(part)) is not None]
        return min(found, default=None)
    match applied_constant(body):
        case ((hol.DVD | hol.LESS | hol.LESS_EQ), [Bound(index=0), limit]):
            number = number_of(limit)
            return number if number and number <= LARGEST else None
    return None


def _found_among(predicate: Abs, bound: int) -> Term:
    upto = list_comb(Const("Set_Interval.ord_class.atMost", funs((NAT,), SETS)), (number_term(Fraction(bound), NAT),))
    return list_comb(Const("Set.filter", funs((PREDICATES, SETS), SETS)), (predicate, upto))
