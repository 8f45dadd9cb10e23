"""Whole numbers between known bounds: all values are gone through, and what is known is asked of each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from isarstep.logic import hol
from isarstep.logic.hol import BALL, LESS, LESS_EQ, MEMBER, PLUS, POWER, TIMES, UMINUS
from isarstep.logic.terms import (
    Abs,
    Const,
    Free,
    Term,
    Typ,
    Type,
    abstract,
    frees,
    fun,
    funs,
    list_comb,
    loose,
    strip_comb,
)
from isarstep.prove.domains import BOOL, INT, NAT, Undetermined, number_term
from isarstep.prove.executable import Machine
from isarstep.prove.rings import number_of

MOST_VALUES = 2_000  # of one variable
MOST_TUPLES = 8_000  # of values of several
MOST_VARIABLES = 4


@dataclass(frozen=True, slots=True)
class Bounds:
    """A variable is one of low, ..., high by the formulas at these places."""

    variable: Free
    low: int
    high: int
    places: tuple[int, ...]

    @property
    def interval(self) -> Term:
        typ = self.variable.type
        assert typ is not None
        ends = [number_term(Fraction(each), typ) for each in (self.low, self.high)]
        of_type = funs((typ, typ), _sets(typ))
        return list_comb(Const("Set_Interval.ord_class.atLeastAtMost", of_type), ends)

    @property
    def membership(self) -> Term:
        typ = self.variable.type
        assert typ is not None
        return list_comb(Const(MEMBER, funs((typ, _sets(typ)), BOOL)), (self.variable, self.interval))


def bounds(formulas: Sequence[Term]) -> list[Bounds]:
    """Of natural numbers and integers that formulas compare with numerals."""
    low: dict[Free, tuple[int, tuple[int, ...]]] = {}
    high: dict[Free, tuple[int, tuple[int, ...]]] = {}
    for place, formula in enumerate(formulas):
        head, arguments = strip_comb(formula)
        if type(head) is not Const or head.name not in (LESS, LESS_EQ) or len(arguments) != 2:
            continue
        strict = int(head.name == LESS)
        left, right = arguments
        for variable, other, above in ((left, right, True), (right, left, False)):
            number = _whole(other)
            if type(variable) is not Free or variable.type not in (NAT, INT) or number is None:
                continue
            if above and (variable not in high or number - strict < high[variable][0]):
                high[variable] = number - strict, (place,)
            if not above and (variable not in low or number + strict > low[variable][0]):
                low[variable] = number + strict, (place,)
    found = []
    for variable, (most, by) in high.items():
        least, also = low.get(variable, (0, ()) if variable.type == NAT else (None, ()))
        if least is not None and 0 <= most - least < MOST_VALUES:
            found.append(Bounds(variable, least, most, tuple(dict.fromkeys((*also, *by)))))
    return found


def powers_below(formula: Term, most: Mapping[Free, int]) -> Iterator[tuple[Free, int, int]]:
    """Natural numbers x with k > 1 and c, where an equation says that x ^ k is a sum of products of bounded ones,
    and so less than c ^ k."""
    sides = hol.dest_binary(hol.EQ, formula)
    for power, total in (sides, sides[::-1]) if sides is not None else ():
        head, arguments = strip_comb(power)
        if type(head) is not Const or head.name != POWER or len(arguments) != 2 or type(arguments[0]) is not Free:
            continue
        exponent, value = number_of(arguments[1]), _at_most(total, most)
        if arguments[0].type == NAT and exponent is not None and 1 < exponent < 5 and value is not None:
            root = 1
            while root**exponent <= value and root < MOST_VALUES:
                root += 1
            yield arguments[0], exponent, root


def _at_most(term: Term, most: Mapping[Free, int]) -> int | None:
    """The largest value of a sum of products of natural numbers."""
    number = number_of(term)
    if number is not None or type(term) is Free:
        return number if number is not None else most.get(term)  # type: ignore[arg-type]
    for name, made in ((PLUS, int.__add__), (TIMES, int.__mul__)):
        sides = hol.dest_binary(name, term)
        values = [_at_most(each, most) for each in sides] if sides is not None else []
        if len(values) == 2 and values[0] is not None and values[1] is not None:
            return made(values[0], values[1])
    return None


def _sets(of: Typ) -> Typ:
    return Type("Set.set", (of,))


def _whole(term: Term) -> int | None:
    head, arguments = strip_comb(term)
    if type(head) is Const and head.name == UMINUS and len(arguments) == 1:
        inner = number_of(arguments[0])
        return None if inner is None else -inner
    return number_of(term)


def satisfying(
    machine: Machine, within: Sequence[Bounds], known: Sequence[Term], goal: Term | None = None
) -> Iterator[tuple[int, ...]]:
    """Values of the variables that make all known formulas true, and the goal false where one is given. Raises
    Undetermined where a formula has no value."""
    if len(within) > MOST_VARIABLES or math.prod(each.high - each.low + 1 for each in within) > MOST_TUPLES:
        raise Undetermined
    codes = []
    for formula in known if goal is None else (*known, goal):
        for each in reversed(within):
            formula = abstract(formula, each.variable)
        codes.append(machine.code(formula))
    for values in product(*(range(each.low, each.high + 1) for each in within)):
        environment: object = ()
        for value in reversed(values):
            environment = (value, environment)
        if all(machine.evaluate(code, environment) for code in codes[: len(known)]) and not (
            goal is not None and machine.evaluate(codes[-1], environment)
        ):
            yield values


def computable(machine: Machine, within: Sequence[Bounds], formula: Term) -> bool:
    """Has a formula a value where the variables are as small as can be?"""
    for each in reversed(within):
        formula = abstract(formula, each.variable)
    environment: object = ()
    for each in reversed(within):
        environment = (each.low, environment)
    try:
        machine.evaluate(machine.code(formula), environment)
    except Undetermined:
        return False
    return True


def about(formula: Term, variables: set[Free]) -> bool:
    """Does a formula speak of these variables alone, and of some of them?"""
    inside = set(frees(formula))
    return bool(inside) and inside <= variables and not loose(formula)


def for_all_within(within: Sequence[Bounds], known: Sequence[Term], goal: Term) -> Term:
    """`∀x∈{low..high}. ... known ⟶ ... ⟶ goal`."""
    for formula in reversed(known):
        goal = hol.implies(formula, goal, typed=True)
    for name, each in reversed([*zip("klmn", within, strict=False)]):
        typ = each.variable.type
        assert typ is not None
        ball = Const(BALL, funs((_sets(typ), fun(typ, BOOL)), BOOL))
        goal = list_comb(ball, (each.interval, Abs(name, typ, abstract(goal, each.variable))))
    return goal
