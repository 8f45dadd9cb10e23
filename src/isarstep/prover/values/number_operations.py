"""What the operations on numbers compute, with exactly Isabelle's meaning.

x / 0 = 0, x div 0 = 0, x mod 0 = x, division rounds down. Real and complex numbers are computed where they are
rational.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction

from isarstep.isabelle.terms.terms import Typ, Type, strip_fun
from isarstep.prover.values.domains import Gauss, PredicateSet, Undetermined, Value
from isarstep.prover.values.executable import BuiltIn, Computation, Machine

LARGEST_BITS = 40_000
FIELDS = ("Rat.rat", "Real.real", "Complex.complex")
NATURALS, INTEGERS = ("Nat.nat", "Code_Numeral.natural"), ("Int.int", "Code_Numeral.integer")
EXACT = (*NATURALS, *INTEGERS)
ORDERED = ("Nat.nat", "Int.int", "Rat.rat", "Real.real")  # and lattices, where the lesser one of two is their infimum
NUMBERS = (*EXACT, *FIELDS)
SAME_NUMBER = ("integer.integer_of_int", "integer.int_of_integer", "integer_of_nat", "integer_of_natural",
               "natural.nat_of_natural", "natural.natural_of_nat")  # fmt: skip


def name_of_type(typ: Typ) -> str:
    return typ.name if isinstance(typ, Type) else ""


def result_type(typ: Typ) -> Typ:
    return strip_fun(typ)[1]


def first_type(typ: Typ) -> Typ:
    arguments = strip_fun(typ)[0]
    return arguments[0] if arguments else typ


def _checked(value: Value) -> Value:
    if isinstance(value, int) and value.bit_length() > LARGEST_BITS:
        raise Undetermined
    if isinstance(value, Fraction) and value.numerator.bit_length() + value.denominator.bit_length() > LARGEST_BITS:
        raise Undetermined
    return value


def _gauss(value: Value) -> Gauss:
    return value if isinstance(value, Gauss) else Gauss(Fraction(value), Fraction(0))


def add_numbers(x: Value, y: Value) -> Value:
    if isinstance(x, Gauss):
        return Gauss(x.re + y.re, x.im + y.im)
    return _checked(x + y)


def multiply_numbers(x: Value, y: Value) -> Value:
    if isinstance(x, Gauss):
        return Gauss(_checked(x.re * y.re - x.im * y.im), _checked(x.re * y.im + x.im * y.re))
    return _checked(x * y)


def negated_number(x: Value) -> Value:
    return Gauss(-x.re, -x.im) if isinstance(x, Gauss) else -x


def _inverse(x: Value) -> Value:
    if isinstance(x, Gauss):
        norm = x.re * x.re + x.im * x.im
        return Gauss(x.re / norm, -x.im / norm) if norm else x
    return 1 / x if x else x


def as_number(typ: Typ) -> Callable[[int], Value]:
    """An integer as a number of a type."""
    match name_of_type(typ):
        case "Rat.rat" | "Real.real":
            return Fraction
        case "Complex.complex":
            return _gauss
        case name if name in (*EXACT, "Num.num"):
            return lambda value: value
    raise Undetermined


def _number(value: int) -> BuiltIn:
    def make(_: Machine, typ: Typ) -> Computation | None:
        made = as_number(typ)(value) if name_of_type(typ) in NUMBERS else None
        return None if made is None else Computation(0, lambda: made)

    return make


def on(names: Iterable[str], arity: int, run: Callable[..., Value], part: Callable[[Typ], Typ] = first_type) -> BuiltIn:
    """At types whose first argument, or whose result, has one of these names."""
    known = frozenset(names)

    def make(_: Machine, typ: Typ) -> Computation | None:
        return Computation(arity, run) if name_of_type(part(typ)) in known else None

    return make


def either(*ways: BuiltIn) -> BuiltIn:
    """The first one that is for the type."""

    def make(machine: Machine, typ: Typ) -> Computation | None:
        return next((found for way in ways if (found := way(machine, typ)) is not None), None)

    return make


def converted(targets: Iterable[str], sources: Iterable[str] | None = None) -> BuiltIn:
    """What is no fraction, or another number, as one of the result's type."""

    def make(_: Machine, typ: Typ) -> Computation | None:
        result = result_type(typ)
        fits = name_of_type(result) in targets and (sources is None or name_of_type(first_type(typ)) in sources)
        return Computation(1, as_number(result)) if fits else None

    return make


def limited(value: int, most: int) -> int:
    """The number, where no more is computed with a larger one."""
    if value > most:
        raise Undetermined
    return value


def _power(_: Machine, typ: Typ) -> Computation | None:
    base = first_type(typ)
    if name_of_type(base) not in NUMBERS:
        return None
    one = as_number(base)(1)

    def run(x: Value, n: int) -> Value:
        if isinstance(x, int) and n * x.bit_length() <= LARGEST_BITS:
            return x**n
        made = one
        for _ in range(limited(n, 200)):
            made = multiply_numbers(made, x)
        return made

    return Computation(2, run)


# Integers


def _prime(n: int) -> bool:
    return n > 1 and all(n % d for d in range(2, math.isqrt(limited(n, 10**6)) + 1))


def _factorial(_: Machine, typ: Typ) -> Computation | None:
    if name_of_type(result_type(typ)) not in NUMBERS or name_of_type(first_type(typ)) != "Nat.nat":
        return None
    target = as_number(result_type(typ))
    return Computation(1, lambda n: target(math.factorial(limited(n, 100))))


def _square_root(x: Fraction) -> Fraction:
    """Where it is rational; odd as Isabelle's."""
    size = abs(x)
    top, bottom = math.isqrt(size.numerator), math.isqrt(size.denominator)
    if top * top != size.numerator or bottom * bottom != size.denominator:
        raise Undetermined
    return Fraction(top, bottom) * (-1 if x < 0 else 1)


def _modulus(x: Value) -> Value:
    return _square_root(x.re * x.re + x.im * x.im) if isinstance(x, Gauss) else abs(x)


def _known_at(argument: int, value: int) -> BuiltIn:
    """A function of real numbers of which one value is computed."""

    def run(x: Fraction) -> Fraction:
        if x != argument:
            raise Undetermined
        return Fraction(value)

    return on(("Real.real",), 1, run)


# Bits: integers have infinitely many, as Python's do


def _few_bits(n: int) -> int:
    return limited(n, LARGEST_BITS)


def _shifted(x: int, n: int) -> int:
    return int(_checked(x << _few_bits(n)))


def _signed_bits(n: int, x: int) -> int:
    """The lowest n bits, and one for the sign."""
    return (x & (1 << _few_bits(n)) - 1) - (x & 1 << n)


def _bits(run: Callable[[int, int], int]) -> BuiltIn:
    """Of whole numbers, after the number of a bit."""
    return on(EXACT, 2, run, result_type)


BITS, RING_BITS = "Bit_Operations.semiring_bit_operations_class", "Bit_Operations.ring_bit_operations_class"
OPERATIONS_ON_BITS: dict[str, BuiltIn] = {
    "Bit_Operations.semiring_bits_class.bit": on(EXACT, 2, lambda x, n: bool(x >> _few_bits(n) & 1)),
    f"{BITS}.and": on(EXACT, 2, lambda x, y: x & y),
    f"{BITS}.or": on(EXACT, 2, lambda x, y: x | y),
    f"{BITS}.xor": on(EXACT, 2, lambda x, y: x ^ y),
    f"{BITS}.mask": on(EXACT, 1, lambda n: _shifted(1, n) - 1, result_type),
    f"{BITS}.push_bit": _bits(lambda n, x: _shifted(x, n)),
    f"{BITS}.drop_bit": _bits(lambda n, x: x >> _few_bits(n)),
    f"{BITS}.take_bit": _bits(lambda n, x: x & (1 << _few_bits(n)) - 1),
    f"{BITS}.set_bit": _bits(lambda n, x: x | 1 << _few_bits(n)),
    f"{BITS}.unset_bit": _bits(lambda n, x: x & ~(1 << _few_bits(n))),
    f"{BITS}.flip_bit": _bits(lambda n, x: x ^ 1 << _few_bits(n)),
    f"{RING_BITS}.not": on(INTEGERS, 1, lambda x: ~x),
    f"{RING_BITS}.signed_take_bit": _bits(_signed_bits),
}


def only(value: Callable[..., Value], arity: int) -> BuiltIn:
    """The same at all types."""
    return lambda _machine, _typ: Computation(arity, value)


def _fractions(holds: Callable[[Fraction], bool]) -> BuiltIn:
    """An infinite set of numbers that have a property; at whole numbers it is not asked for."""

    def make(_: Machine, typ: Typ) -> Computation | None:
        element = typ.args[0] if isinstance(typ, Type) and typ.args else typ
        if name_of_type(element) not in FIELDS:
            return None
        made = PredicateSet(lambda x: x.im == 0 and holds(x.re) if isinstance(x, Gauss) else holds(x), infinite=True)
        return Computation(0, lambda: made)

    return make


OPERATIONS_ON_NUMBERS: dict[str, BuiltIn] = {
    **OPERATIONS_ON_BITS,
    "Groups.zero_class.zero": _number(0),
    "Groups.one_class.one": _number(1),
    "Num.numeral_class.numeral": converted(NUMBERS),
    "Num.num.One": only(lambda: 1, 0),
    "Num.num.Bit0": only(lambda n: 2 * n, 1),
    "Num.num.Bit1": only(lambda n: 2 * n + 1, 1),
    **dict.fromkeys(("Nat.Suc", "Code_Numeral.Suc"), only(lambda n: n + 1, 1)),
    "Groups.plus_class.plus": on((*NUMBERS, "Num.num"), 2, add_numbers),
    "Groups.times_class.times": on((*NUMBERS, "Num.num"), 2, multiply_numbers),
    "Rings.divide_class.divide": either(
        on(EXACT, 2, lambda x, y: x // y if y else 0),
        on(FIELDS, 2, lambda x, y: multiply_numbers(x, _inverse(y))),
    ),
    "Rings.modulo_class.modulo": on(EXACT, 2, lambda x, y: x % y if y else x),
    "Cong.unique_euclidean_semiring_class.cong": on(EXACT, 3, lambda x, y, m: x == y if m == 0 else (x - y) % m == 0),
    "Binomial.binomial": only(lambda n, k: math.comb(limited(n, 1_000), k), 2),
    "Rat.quotient_of": only(lambda x: (x.numerator, x.denominator), 1),
    "Fields.inverse_class.inverse": on(FIELDS, 1, _inverse),
    "Power.power_class.power": _power,
    "Orderings.ord_class.min": on((*ORDERED, *EXACT, "Num.num"), 2, min),
    "Orderings.ord_class.max": on((*ORDERED, *EXACT, "Num.num"), 2, max),
    "Groups.abs_class.abs": on((*INTEGERS, "Rat.rat", "Real.real"), 1, abs),
    "Groups.sgn_class.sgn": on((*INTEGERS, "Rat.rat", "Real.real"), 1, lambda x: type(x)((x > 0) - (x < 0))),
    "Real_Vector_Spaces.norm_class.norm": on(("Real.real", "Complex.complex"), 1, _modulus),
    "Real_Vector_Spaces.scaleR_class.scaleR": on(
        FIELDS[1:], 2, lambda x, y: multiply_numbers(_gauss(x) if isinstance(y, Gauss) else x, y), result_type
    ),
    "Nat.semiring_1_class.of_nat": converted(NUMBERS, NUMBERS),
    "Int.ring_1_class.of_int": converted(NUMBERS, NUMBERS),
    "Rat.field_char_0_class.of_rat": converted(NUMBERS, NUMBERS),
    "Real_Vector_Spaces.of_real": converted(FIELDS[1:]),
    "Nat.semiring_1_class.Nats": _fractions(lambda x: x.denominator == 1 and x >= 0),
    "Int.ring_1_class.Ints": _fractions(lambda x: x.denominator == 1),
    "Rat.field_char_0_class.Rats": _fractions(lambda x: True),
    **{f"Code_Numeral.{name}": only(lambda x: x, 1) for name in SAME_NUMBER},
    **dict.fromkeys(
        ("Int.nat", "Code_Numeral.nat_of_integer", "Code_Numeral.natural_of_integer"), only(lambda x: max(0, x), 1)
    ),
    "Archimedean_Field.floor_ceiling_class.floor": on(("Rat.rat", "Real.real"), 1, math.floor),
    "Archimedean_Field.ceiling": on(("Rat.rat", "Real.real"), 1, math.ceil),
    "Rings.dvd_class.dvd": either(
        on(EXACT, 2, lambda x, y: y % x == 0 if x else y == 0),
        on(FIELDS, 2, lambda x, y: x != negated_number(x) or y == x),
    ),
    "GCD.gcd_class.gcd": on(EXACT, 2, math.gcd),
    "GCD.gcd_class.lcm": on(EXACT, 2, math.lcm),
    "Rings.algebraic_semidom_class.coprime": on(EXACT, 2, lambda x, y: math.gcd(x, y) == 1),
    "Factorial_Ring.normalization_semidom_class.prime": on(EXACT, 1, _prime),
    "Factorial.semiring_char_0_class.fact": _factorial,
    "NthRoot.sqrt": on(("Real.real",), 1, _square_root),
    **dict.fromkeys(("Transcendental.exp", "Transcendental.cos"), _known_at(0, 1)),
    "Transcendental.ln_class.ln": _known_at(1, 0),
    "Transcendental.sin": _known_at(0, 0),
    "Complex.complex.Complex": only(Gauss, 2),
    "Complex.complex.Re": only(lambda z: z.re, 1),
    "Complex.complex.Im": only(lambda z: z.im, 1),
    "Complex.cnj": only(lambda z: Gauss(z.re, -z.im), 1),
    "Complex.imaginary_unit": only(lambda: Gauss(Fraction(0), Fraction(1)), 0),
}
