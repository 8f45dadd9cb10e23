"""Values of variables that given equations have together, by elimination, where they are linear once products are
multiplied out and denominators that are not 0 are cleared; and equations of one variable alone, for `prove/roots.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from isarstep.logic import hol
from isarstep.logic.signature import Signature
from isarstep.logic.terms import Free, Term, Typ, Type, strip_comb, strip_fun
from isarstep.prove.domains import INT, NAT, RAT, REAL, number_term
from isarstep.prove.monomorphise import Named
from isarstep.prove.rings import Normaliser, Polynomial, TooLarge
from isarstep.prove.roots import rational_roots

MOST_EQUATIONS = 24
# How Isabelle finds such a value.
SOLVED = "(linarith | (simp add: field_simps power2_eq_square power3_eq_cube; fail) | algebra)"
Row = tuple[Polynomial, frozenset[str]]


class Equations:
    """Given equations as polynomials that are 0, each with the names of the facts by which it is one."""

    def __init__(self, facts: Sequence[Named], signature: Signature) -> None:
        self.rows: dict[Typ, list[Row]] = {}
        for fact in facts:
            formula = hol.dest_trueprop(fact.prop)
            sides = None if formula is None else hol.dest_binary(hol.EQ, formula)
            typ = None if formula is None else _type_of_sides(formula)
            if sides is None or typ not in (NAT, INT, RAT, REAL):
                continue
            rings = Normaliser(signature)
            try:
                apart = rings.assume_nonzero(facts, typ)
                row = rings.difference(*sides, typ)
            except (TooLarge, RecursionError):
                continue
            if row:
                names = frozenset({fact.name, *(apart if rings.divided else ())})
                self.rows.setdefault(typ, []).append((row, names))

    def values(self) -> Iterator[tuple[Free, Term, frozenset[str]]]:
        """Variables with the numeral that they are, and the names of the facts that say so."""
        for typ, rows in self.rows.items():
            linear = [row for row in rows if all(map(_is_variable, row[0]))]
            for row, names in _eliminated(linear[:MOST_EQUATIONS]):
                if len(row.keys() - {()}) != 1:
                    continue
                ((monomial, factor),) = ((m, c) for m, c in row.items() if m != ())
                value = -row.get((), Fraction(0)) / factor
                variable = monomial[0][0]
                whole = typ in (RAT, REAL) or (value.denominator == 1 and (typ == INT or value >= 0))
                if whole and isinstance(variable, Free):
                    yield variable, number_term(value, typ), names

    def upper_bounds(self) -> Iterator[tuple[Free, int, int, frozenset[str]]]:
        """Natural numbers with a power of them and a number that it is at most, as a part of a known sum."""
        for row, names in self.rows.get(NAT, ()):
            total = -row.get((), Fraction(0))
            parts = {m: c for m, c in row.items() if m != ()}
            if total < 0 or any(c < 0 for c in parts.values()):
                total, parts = -total, {m: -c for m, c in parts.items()}
            if total < 0 or any(c < 0 for c in parts.values()):
                continue
            for monomial, factor in parts.items():
                match monomial:
                    case ((Free() as variable, power),) if 0 < power <= 3:
                        yield variable, power, int(total / factor), names

    def roots(self) -> Iterator[tuple[Free, list[Fraction], frozenset[str]]]:
        """Variables with all numbers that they can be by one equation."""
        for typ, rows in self.rows.items():
            for row, names in rows:
                found = rational_roots(row, typ)
                if found is not None:
                    yield *found, names


def _type_of_sides(formula: Term) -> Typ | None:
    head, _ = strip_comb(formula)
    typ = getattr(head, "type", None)
    return strip_fun(typ)[0][0] if isinstance(typ, Type) and strip_fun(typ)[0] else None


def _is_variable(monomial: object) -> bool:
    """1, or a variable to the power of one."""
    if not isinstance(monomial, tuple) or len(monomial) > 1:
        return False
    return not monomial or (isinstance(monomial[0][0], Free) and monomial[0][1] == 1)


def _eliminated(rows: list[Row]) -> list[Row]:
    """Each row with a variable that no other row has; rows that say nothing are left out."""
    done: list[tuple[object, Row]] = []
    for row, names in rows:
        for pivot, (other, its) in done:
            row, names = _without(row, names, pivot, other, its)
        pivot = next((m for m in row if m != ()), None)
        if pivot is None:
            continue
        done = [(p, _without(r, n, pivot, row, names)) for p, (r, n) in done]
        done.append((pivot, (row, names)))
    return [row for _, row in done]


def _without(
    row: Polynomial, names: frozenset[str], pivot: object, other: Polynomial, its: frozenset[str]
) -> tuple[Polynomial, frozenset[str]]:
    factor = row.get(pivot, Fraction(0)) / other[pivot]  # type: ignore[call-overload, index]
    if not factor:
        return row, names
    made = {m: row.get(m, Fraction(0)) - factor * other.get(m, Fraction(0)) for m in {**row, **other}}
    return {m: c for m, c in made.items() if c}, names | its
