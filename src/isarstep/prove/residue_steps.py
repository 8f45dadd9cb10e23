"""What Isabelle is shown of a proof by remainders: the remainders that are possible, and every term modulo d as one of
remainders.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import reduce

from isarstep.logic import hol
from isarstep.logic.terms import (
    Const,
    Free,
    Term,
    Typ,
    frees,
    funs,
    list_comb,
    strip_comb,
    strip_fun,
    substitute,
    subterms,
)
from isarstep.prove.domains import number_term
from isarstep.prove.rings import nonlinear, number_of
from isarstep.prove.verdict import ShownStep

MOST_CASES = 12
MODULO, DVD, POWER = "Rings.modulo_class.modulo", "Rings.dvd_class.dvd", "Power.power_class.power"
INSIDE = "(simp add: mod_simps)"


def residue_steps(goal: Term, given: Sequence[Term]) -> tuple[tuple[ShownStep, ...], str]:
    """Steps, and the method that ends the proof from them: the method alone where all is linear, and where remainders
    by several numbers or powers with variables as exponents are in it."""
    terms = list(dict.fromkeys(_moduli(goal)))
    if len({modulus for _, modulus, _ in terms}) != 1 or any(_has_exponent(term) for term, _, _ in terms):
        return (), "presburger"
    if not any(map(nonlinear, (node for term, _, _ in terms for node in subterms(term)))):
        return (), "presburger"
    modulus = terms[0][1]
    known = {node for formula in given for node in subterms(formula)}
    leaves = dict.fromkeys(leaf for term, _, _ in terms for leaf in frees(term))
    steps = [
        ShownStep(_one_of(leaf, modulus, leaf.type), "presburger", (), (), True)
        for leaf in leaves
        if leaf.type is not None and _mod(leaf, modulus, leaf.type) not in known and modulus <= MOST_CASES
    ]
    for term, _, typ in terms:
        inner = substitute(term, lambda leaf: _mod(leaf, modulus, leaf.type) if leaf.type is not None else None)
        if inner != term:
            equation = hol.eq(_mod(term, modulus, typ), _mod(inner, modulus, typ), typ)
            steps.append(ShownStep(equation, INSIDE, (), (), True))
    divides = any(type(node) is Const and node.name == DVD for node in subterms(goal))
    return tuple(steps), "(auto simp add: dvd_eq_mod_eq_0)" if divides else "((auto; fail) | presburger)"


def _moduli(formula: Term) -> Iterator[tuple[Term, int, Typ]]:
    """Terms of which a formula has remainders, by which number."""
    for node in subterms(formula):
        head, arguments = strip_comb(node)
        if type(head) is not Const or head.type is None or len(arguments) != 2:
            continue
        if head.name in (MODULO, DVD):
            term, modulus = arguments if head.name == MODULO else arguments[::-1]
            number = number_of(modulus)
            if number:
                yield term, number, strip_fun(head.type)[0][0]


def _has_exponent(term: Term) -> bool:
    for node in subterms(term):
        head, arguments = strip_comb(node)
        if type(head) is Const and head.name == POWER and len(arguments) == 2 and frees(arguments[1]):
            return True
    return False


def _mod(term: Term, modulus: int, typ: Typ) -> Term:
    return list_comb(Const(MODULO, funs((typ, typ), typ)), (term, number_term(Fraction(modulus), typ)))


def _one_of(leaf: Free, modulus: int, typ: Typ) -> Term:
    """`x mod d` is 0, 1, ... or d - 1."""
    cases = [hol.eq(_mod(leaf, modulus, typ), number_term(Fraction(n), typ), typ) for n in range(modulus)]
    return reduce(lambda right, left: hol.disj(left, right, typed=True), reversed(cases))
