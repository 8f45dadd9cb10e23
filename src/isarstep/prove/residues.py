"""Remainders: a formula that speaks of its variables only through remainders by numerals is decided by finitely many
values.

A polynomial modulo d depends on the remainders of its variables by d. A power with a variable as exponent modulo d is
periodic in it from some place on: with the period of Carmichael's function, from the number of binary digits of d on.
So each variable needs as many values as a common period has, and those before it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

from isarstep.logic import hol
from isarstep.logic.hol import DVD
from isarstep.logic.terms import Free, Term, applied_constant, loose, strip_comb
from isarstep.logic.types import first_argument_type, type_of
from isarstep.prove.domains import INT, NAT, Undetermined
from isarstep.prove.enumeration import satisfying
from isarstep.prove.executable import BuiltInOnly, Machine
from isarstep.prove.monomorphise import Named
from isarstep.prove.operations import OPERATIONS_OF_CONSTANTS
from isarstep.prove.rings import number_of

LARGEST_MODULUS = 5_000
MOST_VALUES = 3_000
CONNECTIVES = ("HOL.conj", "HOL.disj", "HOL.implies", "HOL.Not")
COMPARED = (hol.EQ, hol.LESS, hol.LESS_EQ)
CONG = "Cong.unique_euclidean_semiring_class.cong"


class NotPeriodic(Exception):
    """A term depends on more of its variables than remainders."""


def by_residues(premises: Sequence[Named], goal: Term) -> tuple[str, ...] | None:
    """The names of the premises that are needed, where the goal follows by remainders; None where it does not."""
    formula = hol.as_formula(goal)
    if formula is None or loose(formula):
        return None
    try:
        wanted = _Periodic(formula)
    except NotPeriodic:
        return None
    if not wanted.moduli:
        return None
    given: list[tuple[str, _Periodic]] = []
    for premise in premises:
        said = None if premise.here else hol.as_formula(premise.prop)
        try:
            if said is not None and not loose(said):
                given.append((premise.name, _Periodic(said)))
        except NotPeriodic:
            continue
    given = [(name, each) for name, each in given if each.variables & wanted.variables]
    for used in ((), given) if given else ((),):
        if _holds([each for _, each in used], wanted):
            return tuple(name for name, _ in used)
    return None


def _holds(given: Sequence[_Periodic], wanted: _Periodic) -> bool:
    """Does the formula hold wherever the given ones do?"""
    every = (*given, wanted)
    modulus = math.lcm(*(d for each in every for d in each.moduli))
    if modulus > LARGEST_MODULUS:
        return False
    exponents = {variable for each in every for variable in each.exponents}
    variables = sorted({v for each in every for v in each.variables}, key=lambda v: v.name)
    period = math.lcm(modulus, carmichael(modulus))
    ranges = [range(period + modulus.bit_length()) if v in exponents else range(modulus) for v in variables]
    if math.prod(map(len, ranges)) > MOST_VALUES:
        return False
    machine = Machine(BuiltInOnly(), OPERATIONS_OF_CONSTANTS)
    try:
        found = satisfying(machine, variables, product(*ranges), [each.formula for each in given], wanted.formula)
        return not any(True for _ in found)
    except Undetermined:
        return False


def carmichael(modulus: int) -> int:
    """A number n > 0 with a ^ n = 1 modulo it for all a that are prime to it."""
    found, rest, prime = 1, modulus, 2
    while rest > 1:
        power = 1
        while rest % prime == 0:
            rest //= prime
            power *= prime
        if power > 1:
            found = math.lcm(found, power // prime * (prime - 1))
        prime = prime + 1 if prime * prime <= rest else max(prime + 1, rest)
    return found


class _Periodic:
    """A formula with its variables and moduli. Raises NotPeriodic."""

    def __init__(self, formula: Term) -> None:
        self.formula = formula
        self.moduli: set[int] = set()
        self.variables: set[Free] = set()
        self.exponents: set[Free] = set()
        self._truth(formula)

    def _truth(self, formula: Term) -> None:
        name, arguments = applied_constant(formula)
        whole = first_argument_type(formula) in (NAT, INT)
        if name in CONNECTIVES:
            for each in arguments:
                self._truth(each)
        elif name in COMPARED and len(arguments) == 2 and whole:
            for each in arguments:
                self._value(each)
        elif name == DVD and len(arguments) == 2 and whole:
            self._modulus(arguments[0])
            self._polynomial(arguments[1])
        elif name == CONG and len(arguments) == 3 and whole:
            self._modulus(arguments[2])
            self._polynomial(arguments[0])
            self._polynomial(arguments[1])
        else:
            raise NotPeriodic

    def _modulus(self, term: Term) -> None:
        number = number_of(term)
        if not number:
            raise NotPeriodic
        self.moduli.add(number)

    def _value(self, term: Term) -> None:
        """A term whose own value is periodic: remainders, numerals, and what is computed from them."""
        match applied_constant(term):
            case hol.MODULO, [number, modulus]:
                self._modulus(modulus)
                self._polynomial(number)
            case hol.PLUS | hol.TIMES | hol.MINUS | hol.UMINUS | "Nat.Suc", parts:
                for each in parts:
                    self._value(each)
            case hol.POWER, [base, exponent] if number_of(exponent) is not None:
                self._value(base)
            case _:
                if number_of(term) is None:
                    raise NotPeriodic

    def _polynomial(self, term: Term) -> None:
        """A term whose remainders are periodic."""
        head, arguments = strip_comb(term)
        if type(head) is Free and not arguments and head.type in (NAT, INT):
            self.variables.add(head)
            return
        match applied_constant(term):
            case hol.PLUS | hol.TIMES | "Nat.Suc", parts:
                for each in parts:
                    self._polynomial(each)
            case hol.MINUS | hol.UMINUS, parts if first_argument_type(head) == INT:
                for each in parts:
                    self._polynomial(each)
            case "Nat.semiring_1_class.of_nat" | "Int.ring_1_class.of_int", [inner] if type_of(term) in (NAT, INT):
                self._polynomial(inner)
            case hol.POWER, [base, exponent]:
                self._polynomial(base)
                self._exponent(exponent)
            case _:
                self._value(term)

    def _exponent(self, term: Term) -> None:
        """A sum of variables, each with a positive numeral as factor, and numerals."""
        head, arguments = strip_comb(term)
        if type(head) is Free and not arguments and head.type == NAT:
            self.variables.add(head)
            self.exponents.add(head)
            return
        match applied_constant(term):
            case hol.PLUS | "Nat.Suc", parts:
                for each in parts:
                    self._exponent(each)
            case hol.TIMES, [left, right] if number_of(left):
                self._exponent(right)
            case hol.TIMES, [left, right] if number_of(right):
                self._exponent(left)
            case _:
                if number_of(term) is None:
                    raise NotPeriodic
