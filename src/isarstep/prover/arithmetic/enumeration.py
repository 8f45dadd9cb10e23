"""Whole numbers between known bounds: all values are gone through, and what is known is asked of each."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.hol import BALL, LESS, LESS_EQ, MEMBER, PLUS, POWER, TIMES, UMINUS
from isarstep.isabelle.terms.terms import (
    Abs,
    Const,
    Free,
    Term,
    Typ,
    abstract,
    applied_constant,
    frees,
    fun,
    funs,
    list_comb,
    loose,
)
from isarstep.prover.arithmetic.rings import number_of
from isarstep.prover.values.domains import BOOL, INT, NAT, Undetermined, number_term
from isarstep.prover.values.executable import Machine, environment

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
    def type(self) -> Typ:
        assert self.variable.type is not None
        return self.variable.type

    @property
    def interval(self) -> Term:
        low, high = (number_term(Fraction(each), self.type) for each in (self.low, self.high))
        return hol.binary("Set_Interval.ord_class.atLeastAtMost", low, high, self.type, hol.set_type(self.type))

    @property
    def membership(self) -> Term:
        return list_comb(
            Const(MEMBER, funs((self.type, hol.set_type(self.type)), BOOL)), (self.variable, self.interval)
        )


def bounds(formulas: Sequence[Term]) -> list[Bounds]:
    """Of natural numbers and integers that formulas compare with numerals."""
    low: dict[Free, tuple[int, tuple[int, ...]]] = {}
    high: dict[Free, tuple[int, tuple[int, ...]]] = {}
    for place, formula in enumerate(formulas):
        name, arguments = applied_constant(formula)
        if name not in (LESS, LESS_EQ) or len(arguments) != 2:
            continue
        strict = int(name == LESS)
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
        match hol.dest_binary(POWER, power):
            case Free(type=of) as base, exponent_term if of == NAT:
                exponent, value = number_of(exponent_term), _at_most(total, most)
                if exponent is not None and 1 < exponent < 5 and value is not None:
                    larger = (n for n in range(1, MOST_VALUES) if n**exponent > value)
                    yield base, exponent, next(larger, MOST_VALUES)


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


def _whole(term: Term) -> int | None:
    name, arguments = applied_constant(term)
    number = number_of(arguments[0] if name == UMINUS else term)
    return -number if number is not None and name == UMINUS else number


def satisfying(
    machine: Machine,
    variables: Sequence[Free],
    values: Iterable[tuple[int, ...]],
    known: Iterable[Term],
    goal: Term | None = None,
) -> Iterator[tuple[int, ...]]:
    """Which values of the variables make all known formulas true, and the goal false where one is given. Raises
    Undetermined where a formula has no value."""
    codes = [machine.code_over(variables, formula) for formula in known]
    conclusion = None if goal is None else machine.code_over(variables, goal)
    for each in values:
        at = environment(each)
        holds = all(machine.evaluate(code, at) for code in codes)
        if holds and (conclusion is None or not machine.evaluate(conclusion, at)):
            yield each


def satisfying_within(
    machine: Machine, within: Sequence[Bounds], known: Iterable[Term], goal: Term | None = None
) -> Iterator[tuple[int, ...]]:
    """Of all values within bounds; Undetermined, too, where these are too many."""
    if len(within) > MOST_VARIABLES or math.prod(each.high - each.low + 1 for each in within) > MOST_TUPLES:
        raise Undetermined
    values = product(*(range(each.low, each.high + 1) for each in within))
    yield from satisfying(machine, [each.variable for each in within], values, known, goal)


def computable(machine: Machine, within: Sequence[Bounds], formula: Term) -> bool:
    """Has a formula a value where the variables are as small as can be?"""
    code = machine.code_over([each.variable for each in within], formula)
    try:
        machine.evaluate(code, environment(each.low for each in within))
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
        ball = Const(BALL, funs((hol.set_type(each.type), fun(each.type, BOOL)), BOOL))
        goal = list_comb(ball, (each.interval, Abs(name, each.type, abstract(goal, each.variable))))
    return goal
