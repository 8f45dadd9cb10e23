"""Interpreted arithmetic on nat, int and real, constant by constant, each with exactly Isabelle's meaning.

`int` and `real` are the provers' own integers and reals. `nat` stays a sort of its own with a bijection onto the
integers >= 0 (`nat2int`, `int2nat`), so no quantifier or function needs a guard. Where meanings differ, Isabelle's
is spelled out: x / 0 = 0, x div 0 = 0, x mod 0 = x, division rounds down, subtraction of naturals stops at 0. Other
constants stay symbols.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from isarstep.isabelle.syntax.grammar.patterns import value_of_digits
from isarstep.isabelle.terms.terms import Typ, Type
from isarstep.prover.encode import formula as f
from isarstep.prover.encode.formula import (
    INT,
    REAL,
    Arith,
    Base,
    Eq,
    Formula,
    Ite,
    Number,
    Sym,
    ap,
    conjunction,
    existential,
    implication,
    universal,
)
from isarstep.prover.encode.lowering import Arguments, Closure, Definition, Lowering, Value, argument_types

NAT_TYPE, INT_TYPE, REAL_TYPE = "Nat.nat", "Int.int", "Real.real"
NAT = Base(NAT_TYPE)
NAT2INT = Sym("$nat2int", f.Fun(NAT, INT))
INT2NAT = Sym("$int2nat", f.Fun(INT, NAT))
LARGEST_POWER = 6


def arithmetic_definition(name: str, typ: Typ) -> Definition | None:
    """The meaning of a constant at nat, int or real; None where it is not interpreted."""
    types, result = argument_types(typ)
    names = tuple(t.name if isinstance(t, Type) else "" for t in (*types, result))
    at, build = OPERATIONS.get(name, (frozenset(), None))
    return Definition(len(types), lambda low, args: build(low, args, names)) if build and names in at else None


def _view(low: Lowering, value: Value, type_name: str) -> Formula:
    """A number as an integer or real term; a natural as the integer it stands for."""
    return nat_view(low, low.lower(value)) if type_name == NAT_TYPE else low.lower(value)


def nat_view(low: Lowering, term: Formula) -> Formula:
    if isinstance(term, f.Ap) and term.fun == INT2NAT:
        return term.arg  # only ever built around terms that cannot be negative
    if isinstance(term, Ite):
        return Ite(term.cond, nat_view(low, term.then), nat_view(low, term.other))
    _nat_axioms(low)
    return ap(NAT2INT, term)


def to_nat(low: Lowering, term: Formula) -> Formula:
    if isinstance(term, f.Ap) and term.fun == NAT2INT:
        return term.arg
    _nat_axioms(low)
    return ap(INT2NAT, term)


def _nat_axioms(low: Lowering) -> None:
    if "nat" in low.axioms:
        return
    n, i = low.fresh(NAT), low.fresh(INT)
    as_int = ap(NAT2INT, n)
    onto = implication(Arith("<=", (Number(0, INT), i)), Eq(ap(NAT2INT, ap(INT2NAT, i)), i))
    low.axioms["nat"] = conjunction(
        universal(n, conjunction(Arith("<=", (Number(0, INT), as_int)), Eq(ap(INT2NAT, as_int), n))), universal(i, onto)
    )


def _zero(like: Formula) -> Number:
    sort = f.sort_of(like)
    assert isinstance(sort, Base)
    return Number(0, sort)


def _minus(names: tuple[str, ...], v: list[Formula]) -> Formula:
    less = Arith("-", (v[0], v[1]))
    return Ite(Arith("<=", (v[1], v[0])), less, _zero(v[0])) if names[0] == NAT_TYPE else less


def _divide(names: tuple[str, ...], v: list[Formula]) -> Formula:
    x, y = v
    if names[0] == REAL_TYPE:
        return _guarded(y, Arith("/", (x, y)), Number(0, REAL))
    return _guarded(y, _floor_division(names[0], x, y), Number(0, INT))


def _floor_division(type_name: str, x: Formula, y: Formula) -> Formula:
    """Rounding down, for y other than 0. The provers' `div` rounds down for positive divisors only."""
    if type_name == NAT_TYPE or (isinstance(y, Number) and y.value > 0):
        return Arith("div", (x, y))
    negated = Arith("div", (Arith("neg", (x,)), Arith("neg", (y,))))
    return Ite(Arith("<", (Number(0, INT), y)), Arith("div", (x, y)), negated)


def _modulo(names: tuple[str, ...], v: list[Formula]) -> Formula:
    x, y = v
    if names[0] == NAT_TYPE or (isinstance(y, Number) and y.value > 0):
        return _guarded(y, Arith("mod", (x, y)), x)
    return _guarded(y, Arith("-", (x, Arith("*", (y, _floor_division(names[0], x, y))))), x)


def _guarded(divisor: Formula, value: Formula, at_zero: Formula) -> Formula:
    if isinstance(divisor, Number):
        return value if divisor.value else at_zero
    return Ite(Eq(divisor, _zero(divisor)), at_zero, value)


def _abs(_: tuple[str, ...], v: list[Formula]) -> Formula:
    return Ite(Arith("<", (v[0], _zero(v[0]))), Arith("neg", (v[0],)), v[0])


def _numeral(low: Lowering, args: Arguments, names: tuple[str, ...]) -> Formula:
    value = value_of_digits(args[0].term) if isinstance(args[0], Closure) else None
    if value is None:
        symbol = f.Sym(f"$numeral : {names[-1]}", f.Fun(low.sort(Type("Num.num")), low.sort(Type(names[-1]))))
        return ap(symbol, low.lower(args[0]))
    if names[-1] == NAT_TYPE:
        return to_nat(low, Number(value, INT))
    return Number(value, INT if names[-1] == INT_TYPE else REAL)


def _power(low: Lowering, args: Arguments, names: tuple[str, ...]) -> Formula:
    base = _view(low, args[0], names[0])
    exponent = nat_view(low, low.lower(args[1]))
    if isinstance(exponent, Number) and 0 <= exponent.value <= LARGEST_POWER:
        sort = f.sort_of(base)
        assert isinstance(sort, Base)
        value: Formula = Number(1, sort) if exponent.value == 0 else base
        for _ in range(exponent.value - 1):
            value = Arith("*", (value, base))
        return to_nat(low, value) if names[-1] == NAT_TYPE else value
    symbol = f.Sym(f"$power : {names[0]}", f.Fun(low.sort(Type(names[0])), f.Fun(NAT, low.sort(Type(names[0])))))
    return ap(symbol, low.lower(args[0]), low.lower(args[1]))


def _divides(low: Lowering, args: Arguments, names: tuple[str, ...]) -> Formula:
    divisor, number = _view(low, args[0], names[0]), _view(low, args[1], names[1])
    if isinstance(divisor, Number) and divisor.value > 0:
        return Eq(Arith("mod", (number, divisor)), Number(0, INT))
    factor = low.fresh(INT if names[0] == INT_TYPE else NAT)
    seen = factor if names[0] == INT_TYPE else nat_view(low, factor)
    return existential(factor, Eq(number, Arith("*", (divisor, seen))))


def _same(*names: str, result: str | None = None, arity: int = 2) -> frozenset[tuple[str, ...]]:
    return frozenset(((name,) * arity) + ((result or name),) for name in names)


ALL = (NAT_TYPE, INT_TYPE, REAL_TYPE)
BOOL_NAME = "HOL.bool"


# An operation at the listed types: of arguments, then of the result.
Operation: TypeAlias = tuple[frozenset[tuple[str, ...]], Callable[[Lowering, Arguments, tuple[str, ...]], Formula]]


def _on_numbers(
    at: frozenset[tuple[str, ...]], compute: Callable[[tuple[str, ...], list[Formula]], Formula]
) -> Operation:
    """Naturals come and go as integers >= 0."""

    def build(low: Lowering, args: Arguments, names: tuple[str, ...]) -> Formula:
        value = compute(names, [_view(low, arg, name) for arg, name in zip(args, names[:-1], strict=True)])
        return to_nat(low, value) if names[-1] == NAT_TYPE else value

    return at, build


def _constant(value: int) -> Operation:
    return _on_numbers(_same(*ALL, arity=0), lambda names, _: Number(value, REAL if names[-1] == REAL_TYPE else INT))


def _convert(names: tuple[str, ...], v: list[Formula]) -> Formula:
    if names[-1] != REAL_TYPE:
        return v[0]
    return Number(v[0].value, REAL) if isinstance(v[0], Number) else Arith("to_real", (v[0],))


def _plain(op: f.ArithOp) -> Callable[[tuple[str, ...], list[Formula]], Formula]:
    return lambda names, v: Arith(op, tuple(v))


def _successor(_: tuple[str, ...], v: list[Formula]) -> Formula:
    return Number(v[0].value + 1, INT) if isinstance(v[0], Number) else Arith("+", (v[0], Number(1, INT)))


def _at_least_zero(_: tuple[str, ...], v: list[Formula]) -> Formula:
    return Ite(Arith("<=", (Number(0, INT), v[0])), v[0], Number(0, INT))


OPERATIONS: dict[str, Operation] = {
    "Groups.zero_class.zero": _constant(0),
    "Groups.one_class.one": _constant(1),
    "Nat.Suc": _on_numbers(frozenset({(NAT_TYPE, NAT_TYPE)}), _successor),
    "Groups.plus_class.plus": _on_numbers(_same(*ALL), _plain("+")),
    "Groups.times_class.times": _on_numbers(_same(*ALL), _plain("*")),
    "Groups.minus_class.minus": _on_numbers(_same(*ALL), _minus),
    "Groups.uminus_class.uminus": _on_numbers(_same(INT_TYPE, REAL_TYPE, arity=1), _plain("neg")),
    "Orderings.ord_class.less": _on_numbers(_same(*ALL, result=BOOL_NAME), _plain("<")),
    "Orderings.ord_class.less_eq": _on_numbers(_same(*ALL, result=BOOL_NAME), _plain("<=")),
    "HOL.eq": _on_numbers(_same(NAT_TYPE, result=BOOL_NAME), lambda names, v: Eq(v[0], v[1])),
    "Orderings.ord_class.min": _on_numbers(_same(*ALL), lambda names, v: Ite(Arith("<=", (v[0], v[1])), v[0], v[1])),
    "Orderings.ord_class.max": _on_numbers(_same(*ALL), lambda names, v: Ite(Arith("<=", (v[0], v[1])), v[1], v[0])),
    "Groups.abs_class.abs": _on_numbers(_same(INT_TYPE, REAL_TYPE, arity=1), _abs),
    "Real_Vector_Spaces.norm_class.norm": _on_numbers(_same(REAL_TYPE, arity=1), _abs),
    "Real_Vector_Spaces.dist_class.dist": _on_numbers(
        _same(REAL_TYPE), lambda names, v: _abs(names, [Arith("-", (v[0], v[1]))])
    ),
    "Real_Vector_Spaces.scaleR_class.scaleR": _on_numbers(_same(REAL_TYPE), _plain("*")),
    "Rings.divide_class.divide": _on_numbers(_same(*ALL), _divide),
    "Rings.modulo_class.modulo": _on_numbers(_same(NAT_TYPE, INT_TYPE), _modulo),
    "Cong.unique_euclidean_semiring_class.cong": _on_numbers(
        _same(NAT_TYPE, INT_TYPE, result=BOOL_NAME, arity=3),
        lambda names, v: Eq(_modulo(names, [v[0], v[2]]), _modulo(names, [v[1], v[2]])),
    ),
    "Fields.inverse_class.inverse": _on_numbers(
        _same(REAL_TYPE, arity=1), lambda names, v: _divide(names, [Number(1, REAL), v[0]])
    ),
    "Nat.semiring_1_class.of_nat": _on_numbers(frozenset((NAT_TYPE, n) for n in ALL), _convert),
    "Int.ring_1_class.of_int": _on_numbers(frozenset({(INT_TYPE, INT_TYPE), (INT_TYPE, REAL_TYPE)}), _convert),
    "Int.nat": _on_numbers(frozenset({(INT_TYPE, NAT_TYPE)}), _at_least_zero),
    "Archimedean_Field.floor_ceiling_class.floor": _on_numbers(frozenset({(REAL_TYPE, INT_TYPE)}), _plain("floor")),
    "Num.numeral_class.numeral": (frozenset(("Num.num", n) for n in ALL), _numeral),
    "Power.power_class.power": (frozenset((n, NAT_TYPE, n) for n in ALL), _power),
    "Rings.dvd_class.dvd": (_same(NAT_TYPE, INT_TYPE, result=BOOL_NAME), _divides),
}
