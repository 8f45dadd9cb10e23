"""Values of variables that given equations have together, by elimination, where they are linear once products are
multiplied out and denominators that are not 0 are cleared; and equations of one variable alone, for
`prover/arithmetic/roots.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import combinations, islice

from isarstep.isabelle.context.monomorphisation import Named
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.hol import LESS, LESS_EQ
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import Free, Term, Typ, applied_constant
from isarstep.isabelle.terms.types import first_argument_type
from isarstep.prover.arithmetic.rings import Normaliser, Polynomial, Row, TooLarge, eliminated, number_of, without
from isarstep.prover.arithmetic.roots import rational_roots
from isarstep.prover.values.domains import COMPLEX, INT, NAT, RAT, REAL, number_term, short_enough

MOST_EQUATIONS = 24
# How Isabelle finds such a value.
SOLVED = (
    "(linarith | (simp add: field_simps power2_eq_square power3_eq_cube; fail) | algebra"
    " | (auto simp add: complex_eq_iff))"
)
Equation = Row[frozenset[str]]


class Equations:
    """Given equations as polynomials that are 0, by the names of the facts by which each is one."""

    def __init__(self, facts: Sequence[Named], signature: Signature) -> None:
        self.rows: dict[Typ, list[Equation]] = {}
        self.sums: list[tuple[Polynomial, int, str]] = []  # of natural numbers, each at most so large
        for fact in facts:
            formula = hol.dest_trueprop(fact.prop)
            if formula is not None and first_argument_type(formula) == NAT:
                self._note_sum(fact.name, formula, signature)
            sides = None if formula is None else hol.dest_binary(hol.EQ, formula)
            typ = None if formula is None else first_argument_type(formula)
            if sides is None or typ not in (NAT, INT, RAT, REAL, COMPLEX):
                continue
            rings = Normaliser(signature)
            try:
                apart = rings.assume_nonzero(facts, typ)
                row = rings.difference(*sides, typ)
            except (TooLarge, RecursionError):
                continue
            if row:
                names = frozenset({fact.name, *(apart if rings.divided else ())})
                self.rows.setdefault(typ, []).append((row, {names: Fraction(1)}))

    def _note_sum(self, name: str, formula: Term, signature: Signature) -> None:
        """`s = c`, `s ≤ c` and `s < c`."""
        relation, sides = applied_constant(formula)
        number = number_of(sides[1]) if relation in (hol.EQ, LESS_EQ, LESS) and len(sides) == 2 else None
        if number is None:
            return
        with suppress(TooLarge, RecursionError):
            found = Normaliser(signature).polynomial(sides[0], NAT)
            total = number - (relation == LESS) - found.pop((), Fraction(0))
            if total >= 0:
                self.sums.append((found, int(total), name))

    def values(self) -> Iterator[tuple[Free, Term, frozenset[str]]]:
        """Variables with the numeral that they are, and the names of the facts that say so."""
        for typ, rows in self.rows.items():
            linear = [row for row in rows if all(map(_is_variable, row[0]))]
            for _, (row, factors) in eliminated(linear[:MOST_EQUATIONS]):
                if len(row.keys() - {()}) != 1:
                    continue
                ((monomial, factor),) = ((m, c) for m, c in row.items() if m != ())
                value = -row.get((), Fraction(0)) / factor
                variable = monomial[0][0]
                whole = typ in (RAT, REAL, COMPLEX) or (value.denominator == 1 and (typ == INT or value >= 0))
                if whole and isinstance(variable, Free) and short_enough(value):
                    yield variable, number_term(value, typ), _names(factors)

    def upper_bounds(self) -> Iterator[tuple[Free, int, int, frozenset[str]]]:
        """Natural numbers with a power of them and a number that it is at most, as a part of a known sum."""
        for parts, total, name in self.sums:
            for monomial, factor in parts.items():
                match monomial:
                    case ((Free() as variable, power),) if 0 < power <= 3:
                        yield variable, power, int(total / factor), frozenset({name})

    def roots(self) -> Iterator[tuple[Free, list[Fraction], frozenset[str]]]:
        """Variables with all numbers that they can be by one equation, or by two after one variable is eliminated."""
        for typ, rows in self.rows.items():
            among = [*rows, *islice(_one_less(rows), MOST_EQUATIONS)]
            for row, factors in among:
                found = rational_roots(row, typ)
                if found is not None:
                    yield *found, _names(factors)


def _names(factors: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*factors)


def _one_less(rows: Sequence[Equation]) -> Iterator[Equation]:
    """Pairs of equations without a variable that stands alone in both."""
    for one, other in combinations(rows, 2):
        for monomial in one[0]:
            if monomial == () or monomial not in other[0] or not _is_variable(monomial):
                continue
            atom = monomial[0][0]
            if not any(atom == each for row, _ in (one, other) for m in row if m != monomial for each, _ in m):
                yield without(one, monomial, other)


def _is_variable(monomial: object) -> bool:
    """1, or a variable to the power of one."""
    if not isinstance(monomial, tuple) or len(monomial) > 1:
        return False
    return not monomial or (isinstance(monomial[0][0], Free) and monomial[0][1] == 1)
