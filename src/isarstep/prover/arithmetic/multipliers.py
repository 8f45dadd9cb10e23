"""Which combination of known inequalities a linear proof is: numbers, exact, so that Isabelle only has to check a sum.

By Farkas: known comparisons contradict the goal's negation where a sum of their multiples is `0 < 0`. Found by the
simplex method over fractions, with Bland's rule, which ends.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

from isarstep.isabelle.terms.hol import EQ, LESS, LESS_EQ
from isarstep.prover.arithmetic.rings import Monomial, Polynomial

MOST_PIVOTS = 400


# A polynomial that is 0, at least 0 or greater than 0: by `=`, `≤` and `<`.
Compared: TypeAlias = tuple[Polynomial, str]


def multipliers(known: Sequence[Compared], goal: Compared) -> tuple[int, list[int], int] | None:
    """Whole numbers m > 0, f and c with `m * goal = Σ f * known + c`, where that makes the goal at least 0, or greater
    where it is strict; None where there are none."""
    negated = {m: -c for m, c in goal[0].items()}, LESS_EQ if goal[1] == LESS else LESS
    found = contradiction([*known, negated])
    if found is None or found[0][-1] <= 0:
        return None
    (*factors, times), number = found
    return times, factors, number


def contradiction(known: Sequence[Compared]) -> tuple[list[int], int] | None:
    """Whole numbers f and c ≥ 0 with `Σ f * known + c = 0`, where that cannot be: c > 0, or a strict comparison among
    them has a factor; none of those that are no equations has a negative one. None where there are none."""
    columns: list[tuple[Polynomial, bool]] = []
    for polynomial, name in known:  # an equation twice, with both signs
        columns.append((polynomial, name == LESS))
        if name == EQ:
            columns.append(({m: -c for m, c in polynomial.items()}, False))
    columns.append(({(): Fraction(1)}, True))
    monomials: list[Monomial] = list(dict.fromkeys(m for polynomial, _ in columns for m in polynomial))
    rows = [[polynomial.get(m, Fraction(0)) for polynomial, _ in columns] for m in monomials]
    rows.append([Fraction(int(strict)) for _, strict in columns])
    values = _solution(rows, [Fraction(0)] * len(monomials) + [Fraction(1)])
    if values is None:
        return None
    times = math.lcm(*(value.denominator for value in values))
    whole = [int(value * times) for value in values]
    common = math.gcd(*whole)
    left = iter(value // common for value in whole)
    factors = [next(left) - next(left) if name == EQ else next(left) for _, name in known]
    return factors, next(left)


def _solution(rows: list[list[Fraction]], right: list[Fraction]) -> list[Fraction] | None:
    """Values, none of them negative, with `rows * values = right`; `right` is not negative."""
    count = len(rows[0])
    table = [[*row, *(Fraction(int(i == j)) for j in range(len(rows))), right[i]] for i, row in enumerate(rows)]
    basis = [count + i for i in range(len(rows))]
    cost = [-sum((row[j] for row in table), Fraction(0)) for j in range(count)]  # of the artificial variables' sum
    for _ in range(MOST_PIVOTS):
        entering = next((j for j in range(count) if cost[j] < 0), None)
        if entering is None:
            break
        ratios = [(row[-1] / row[entering], basis[i], i) for i, row in enumerate(table) if row[entering] > 0]
        if not ratios:
            return None
        leaving = min(ratios)[2]
        pivot = table[leaving][entering]
        table[leaving] = [value / pivot for value in table[leaving]]
        for i, row in enumerate(table):
            if i != leaving and row[entering]:
                factor = row[entering]
                table[i] = [a - factor * b for a, b in zip(row, table[leaving], strict=True)]
        factor = cost[entering]
        cost = [a - factor * b for a, b in zip(cost, table[leaving], strict=False)]
        basis[leaving] = entering
    if any(basis[i] >= count and row[-1] for i, row in enumerate(table)):
        return None
    values = [Fraction(0)] * count
    for i, row in enumerate(table):
        if basis[i] < count:
            values[basis[i]] = row[-1]
    return values
