"""Equations of one variable whose solutions are rational: the product of linear factors that they are, and the
solutions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import reduce
from itertools import accumulate

from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.terms import Free, Term, Typ
from isarstep.prover.arithmetic.rings import Polynomial, minus, times
from isarstep.prover.values.domains import INT, RAT, REAL, number_term

LARGEST_DEGREE = 4
LARGEST_COEFFICIENT = 10_000
FACTORED = (
    "(algebra | (simp add: algebra_simps power2_eq_square power3_eq_cube; fail)"
    " | (simp add: field_simps power2_eq_square power3_eq_cube))"
)
SOLUTIONS = "((simp only: mult_eq_0_iff right_minus_eq disj_assoc; fail) | auto)"


def rational_roots(polynomial: Polynomial, typ: Typ) -> tuple[Free, list[Fraction]] | None:
    """The variable of a polynomial and all its roots, where it is a number times a product of `x - r` with numbers r of
    the type, and of degree 2 to 4."""
    if typ not in (REAL, RAT, INT):
        return None
    coefficients: dict[int, Fraction] = {}
    variables: set[Free] = set()
    for monomial, coefficient in polynomial.items():
        match monomial:
            case ():
                coefficients[0] = coefficient
            case ((Free() as variable, power),) if 0 < power <= LARGEST_DEGREE:
                variables.add(variable)
                coefficients[power] = coefficient
            case _:
                return None
    degree = max(coefficients, default=0)
    if len(variables) != 1 or degree < 2:
        return None
    times = math.lcm(*(c.denominator for c in coefficients.values()))
    left = [int(coefficients.get(power, Fraction(0)) * times) for power in range(degree + 1)]
    if max(map(abs, left)) > LARGEST_COEFFICIENT:
        return None
    roots: list[Fraction] = []
    while len(left) > 1:
        root = next((r for r in _candidates(left) if _divided(left, r)[1] == 0), None)
        if root is None or (typ == INT and root.denominator != 1):
            return None
        roots.append(root)
        left, _ = _divided(left, root)
    return variables.pop(), sorted(roots)


def product_of_factors(variable: Free, roots: list[Fraction]) -> Term:
    """`(x - r) * (x - s) = 0`."""
    typ = variable.type
    assert typ is not None
    factors = [minus(variable, number_term(root, typ), typ) for root in roots]
    product = reduce(lambda a, b: times(a, b, typ), factors)
    return hol.eq(product, number_term(Fraction(0), typ), typ)


def one_of_roots(variable: Free, roots: list[Fraction]) -> Term:
    """`x = r ∨ x = s`."""
    typ = variable.type
    assert typ is not None
    equations = [hol.eq(variable, number_term(root, typ), typ) for root in dict.fromkeys(roots)]
    return hol.list_disj(equations, typed=True)


def _candidates(coefficients: list[int]) -> Iterator[Fraction]:
    """By the rational root theorem."""
    last, first = abs(coefficients[0]), abs(coefficients[-1])
    if last == 0:
        yield Fraction(0)
        return
    for top in (n for n in range(1, last + 1) if last % n == 0):
        for bottom in (n for n in range(1, first + 1) if first % n == 0):
            yield from (Fraction(top, bottom), Fraction(-top, bottom))


def _divided(coefficients: list[int], root: Fraction) -> tuple[list[int], Fraction]:
    """By `x - r`, and what remains: the value there. A quotient without a rest has whole numbers again, by Gauss."""
    *quotient, rest = accumulate(reversed(coefficients), lambda carried, c: carried * root + c, initial=Fraction(0))
    return [int(each) for each in reversed(quotient[1:])], rest
