"""Values of variables that given linear equations have together, by elimination."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from isarstep.logic import hol
from isarstep.logic.signature import Signature
from isarstep.logic.terms import Free, Term, Typ, Type, strip_comb, strip_fun
from isarstep.prove.domains import INT, NAT, RAT, REAL, number_term
from isarstep.prove.rings import Normaliser, Polynomial, TooLarge

MOST_EQUATIONS = 24
Row = tuple[Polynomial, frozenset[str]]


def linear_values(
    equations: Iterable[tuple[str, Term]], signature: Signature
) -> Iterator[tuple[Free, Term, frozenset[str]]]:
    """Variables with the numeral that they are, and the names of the equations that say so."""
    by_type: dict[Typ, list[Row]] = {}
    for name, formula in equations:
        sides, typ = hol.dest_binary(hol.EQ, formula), _type_of_sides(formula)
        if sides is None or typ not in (NAT, INT, RAT, REAL):
            continue
        try:
            row = Normaliser(signature).difference(*sides, typ)
        except (TooLarge, RecursionError):
            continue
        if row and all(map(_is_variable, row)):
            by_type.setdefault(typ, []).append((row, frozenset({name})))
    for typ, rows in by_type.items():
        for row, names in _eliminated(rows[:MOST_EQUATIONS]):
            if len(row.keys() - {()}) != 1:
                continue
            ((monomial, factor),) = ((m, c) for m, c in row.items() if m != ())
            value = -row.get((), Fraction(0)) / factor
            variable = monomial[0][0]
            whole = typ in (RAT, REAL) or (value.denominator == 1 and (typ == INT or value >= 0))
            if whole and isinstance(variable, Free):
                yield variable, number_term(value, typ), names


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
