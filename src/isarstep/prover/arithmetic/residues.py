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

from isarstep.isabelle.context.monomorphisation import Named
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.hol import DVD, MINUS, MODULO, PLUS, POWER, TIMES, UMINUS
from isarstep.isabelle.terms.terms import Free, Term, applied_constant, loose
from isarstep.isabelle.terms.types import first_argument_type, type_of
from isarstep.prover.arithmetic.enumeration import satisfying
from isarstep.prover.arithmetic.rings import number_of
from isarstep.prover.values.domains import INT, NAT, Undetermined
from isarstep.prover.values.executable import BuiltInOnly, Machine
from isarstep.prover.values.operations import OPERATIONS_OF_CONSTANTS

LARGEST_MODULUS = 5_000
MOST_VALUES = 3_000
CONG = "Cong.unique_euclidean_semiring_class.cong"
SUC, OF_NUMBER = "Nat.Suc", ("Nat.semiring_1_class.of_nat", "Int.ring_1_class.of_int")
# What the arguments of constants must be: in formulas, in terms whose own value is periodic (remainders, numerals, and
# what is computed from them), in terms whose remainders are, and in exponents, which are sums of variables, each with a
# positive numeral as factor, and numerals.
PARTS: dict[str, dict[str, tuple[str, ...]]] = {
    "truth": {
        **dict.fromkeys((hol.CONJ, hol.DISJ, hol.IMPLIES), ("truth", "truth")), hol.NOT: ("truth",),
        **dict.fromkeys((hol.EQ, hol.LESS, hol.LESS_EQ), ("value", "value")), DVD: ("modulus", "polynomial"),
        CONG: ("polynomial", "polynomial", "modulus"),
    },
    "value": {
        **dict.fromkeys((PLUS, TIMES, MINUS), ("value", "value")), **dict.fromkeys((UMINUS, SUC), ("value",)),
        POWER: ("value", "numeral"), MODULO: ("polynomial", "modulus"),
    },
    "polynomial": {
        **dict.fromkeys((PLUS, TIMES, MINUS), ("polynomial", "polynomial")), POWER: ("polynomial", "exponent"),
        **dict.fromkeys((UMINUS, SUC, *OF_NUMBER), ("polynomial",)),
    },
    "exponent": {PLUS: ("exponent", "exponent"), SUC: ("exponent",)},
    "modulus": {}, "numeral": {},
}  # fmt: skip
VARIABLES = {kind: (NAT, INT) if kind == "polynomial" else (NAT,) if kind == "exponent" else () for kind in PARTS}


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
        self._read("truth", formula)

    def _read(self, kind: str, term: Term) -> None:
        name, arguments = applied_constant(term)
        parts, of, number = PARTS[kind].get(name, ()), first_argument_type(term), number_of(term)
        if kind == "truth" and "truth" not in parts and of not in (NAT, INT):
            parts = ()
        if kind == "polynomial" and name in (MINUS, UMINUS) and of != INT:
            parts = ()
        if kind == "polynomial" and name in OF_NUMBER and type_of(term) not in (NAT, INT):
            parts = ()
        if type(term) is Free and term.type in VARIABLES[kind]:
            self.variables.add(term)
            if kind == "exponent":
                self.exponents.add(term)
        elif parts and len(parts) == len(arguments):
            for part, argument in zip(parts, arguments, strict=True):
                self._read(part, argument)
        elif kind == "polynomial":
            self._read("value", term)
        elif kind == "exponent" and name == TIMES and any(map(number_of, arguments)):
            self._read("exponent", arguments[1 if number_of(arguments[0]) else 0])
        elif kind == "truth" or number is None or (kind == "modulus" and not number):
            raise NotPeriodic
        elif kind == "modulus":
            self.moduli.add(number)
