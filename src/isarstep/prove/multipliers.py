"""Which combination of known inequalities a linear proof is: numbers, exact, so that Isabelle only has to check a sum.

By Farkas: known comparisons contradict the goal's negation where a sum of their multiples is `0 < 0`. Found by the
simplex method over fractions, with Bland's rule, which ends.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from isarstep.prove.rings import Monomial, Polynomial

MOST_PIVOTS = 400


@dataclass(frozen=True, slots=True)
class Compared:
    """A polynomial that is 0, at least 0, or greater than 0."""

    polynomial: Polynomial
    equation: bool
    strict: bool


def multipliers(known: Sequence[Compared], goal: Compared) -> tuple[int, list[int], int] | None:
    """Whole numbers m > 0, f and c with `m * goal = Σ f * known + c`, where that makes the goal at least 0, or greater
    where it is strict; None where there are none."""
    negated = {m: -c for m, c in goal.polynomial.items()}, not goal.strict
    found = _sum_to_zero(known, (({(): Fraction(1)}, True), negated))
    if found is None or found[1][1] <= 0:
        return None
    factors, (number, times) = found
    return times, factors, number


def contradiction(known: Sequence[Compared]) -> tuple[list[int], int] | None:
    """Whole numbers f and c ≥ 0 with `Σ f * known + c = 0`, where that cannot be: c > 0, or a strict comparison among
    them has a factor; none of those that are no equations has a negative one. None where there are none."""
    found = _sum_to_zero(known, (({(): Fraction(1)}, True),))
    return None if found is None else (found[0], found[1][0])


def _sum_to_zero(
    known: Sequence[Compared], more: Sequence[tuple[Polynomial, bool]]
) -> tuple[list[int], list[int]] | None:
    """Whole factors of known comparisons and of more polynomials, each with whether it is strict, for a sum that is
    0 and has a strict one among its parts."""
    columns: list[tuple[Polynomial, bool]] = []
    for each in known:  # an equation twice, with both signs
        columns.append((each.polynomial, each.strict))
        if each.equation:
            columns.append(({m: -c for m, c in each.polynomial.items()}, False))
    columns += more
    monomials: list[Monomial] = list(dict.fromkeys(m for polynomial, _ in columns for m in polynomial))
    rows = [[polynomial.get(m, Fraction(0)) for polynomial, _ in columns] for m in monomials]
    rows.append([Fraction(int(strict)) for _, strict in columns])
    values = _solution(rows, [Fraction(0)] * len(monomials) + [Fraction(1)])
    if values is None:
        return None
    times = math.lcm(*(value.denominator for value in values))
    whole = [int(value * times) for value in values]
    common = math.gcd(*whole)
    whole = [value // common for value in whole]
    factors, place = [], 0
    for each in known:
        factors.append(whole[place] - whole[place + 1] if each.equation else whole[place])
        place += 2 if each.equation else 1
    return factors, whole[place:]


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
