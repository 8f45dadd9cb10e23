"""What constants of HOL compute, at the types where they are built in: equality, functions, pairs and lists here,
numbers and sets beside. Where HOL leaves a value open (`hd []`, a list's element beyond its end) there is none.
"""

from __future__ import annotations

from isarstep.isabelle.terms.terms import Typ, fun, strip_fun
from isarstep.prover.values.domains import Undetermined, Value
from isarstep.prover.values.executable import BuiltIn, Computation, Machine, argument_type
from isarstep.prover.values.number_operations import (
    EXACT,
    NUMBERS,
    OPERATIONS_ON_NUMBERS,
    converted,
    either,
    limited,
    name_of_type,
    on,
    only,
    result_type,
)
from isarstep.prover.values.relation_operations import OPERATIONS_ON_RELATIONS, power_of_relation
from isarstep.prover.values.set_operations import OPERATIONS_ON_SETS, element_domain

LONGEST = 200  # list that is made


def _equality(machine: Machine, typ: Typ) -> Computation:
    if name_of_type(argument_type(typ)) == "prop":
        return Computation(2, lambda x, y: x == y)
    domain = machine.domain(argument_type(typ))
    return Computation(2, domain.equal)


def _update(machine: Machine, typ: Typ) -> Computation:
    domain = machine.domain(argument_type(argument_type(typ)))
    return Computation(4, lambda f, a, b, x: b if domain.equal(x, a) else f(x))


def _iterated(machine: Machine, typ: Typ) -> Computation | None:
    """`f ^^ n` of a function or a relation."""
    arguments, _ = strip_fun(typ)
    if len(arguments) == 2 and name_of_type(arguments[1]) == "Set.set":
        return power_of_relation(machine, typ)
    if len(arguments) != 3 or arguments[1] != fun(arguments[2], arguments[2]):
        return None

    def run(n: int, f: Value, x: Value) -> Value:
        for _ in machine.counted(range(n)):
            x = f(x)
        return x

    return Computation(3, run)


def _list_set(machine: Machine, typ: Typ) -> Computation:
    element = element_domain(machine, result_type(typ))
    return Computation(1, lambda xs: frozenset(map(element.normal, xs)))


def _list_distinct(machine: Machine, typ: Typ) -> Computation:
    lists = machine.domain(argument_type(typ))
    return Computation(1, lambda xs: len(set(lists.normal(xs))) == len(xs))


def _nth(xs: Value, n: int) -> Value:
    if not -len(xs) <= n < len(xs):
        raise Undetermined
    return xs[n]


OPERATIONS_OF_CONSTANTS: dict[str, BuiltIn] = {
    **OPERATIONS_ON_NUMBERS,
    **OPERATIONS_ON_SETS,
    **OPERATIONS_ON_RELATIONS,
    "HOL.True": only(lambda: True, 0),
    "HOL.False": only(lambda: False, 0),
    **dict.fromkeys(("HOL.eq", "Pure.eq", "HOL.equal_class.equal"), _equality),
    "Fun.id": only(lambda x: x, 1),
    "Fun.comp": only(lambda f, g, x: f(g(x)), 3),
    "Fun.fun_upd": _update,
    "Product_Type.Unity": only(lambda: (), 0),
    "Product_Type.Pair": only(lambda x, y: (x, y), 2),
    "Product_Type.prod.fst": only(lambda p: p[0], 1),
    "Product_Type.prod.snd": only(lambda p: p[1], 1),
    "Product_Type.prod.case_prod": only(lambda f, p: f(p[0])(p[1]), 2),
    "String.char.Char": only(lambda *bits: sum(1 << place for place, bit in enumerate(bits) if bit), 8),
    "List.list.Nil": only(lambda: (), 0),
    "List.list.Cons": only(lambda x, xs: (x, *xs), 2),
    "List.list.case_list": only(lambda f, g, xs: g(xs[0])(xs[1:]) if xs else f, 3),
    "List.append": only(lambda xs, ys: xs + ys, 2),
    "List.list.hd": only(lambda xs: _nth(xs, 0), 1),
    "List.list.tl": only(lambda xs: xs[1:], 1),
    "List.last": only(lambda xs: _nth(xs, -1), 1),
    "List.butlast": only(lambda xs: xs[:-1], 1),
    "List.rev": only(lambda xs: xs[::-1], 1),
    "List.list.map": only(lambda f, xs: tuple(f(x) for x in xs), 2),
    "List.filter": only(lambda f, xs: tuple(x for x in xs if f(x)), 2),
    "List.take": only(lambda n, xs: xs[:n], 2),
    "List.drop": only(lambda n, xs: xs[n:], 2),
    "List.nth": only(_nth, 2),
    "List.list_update": only(lambda xs, n, x: (*xs[:n], x, *xs[n + 1 :]) if n < len(xs) else xs, 3),
    "List.zip": only(lambda xs, ys: tuple(zip(xs, ys, strict=False)), 2),
    "List.concat": only(lambda xss: tuple(x for xs in xss for x in xs), 1),
    "List.replicate": only(lambda n, x: (x,) * limited(n, LONGEST), 2),
    "List.upt": only(lambda i, j: tuple(range(i, i + limited(j - i, LONGEST))), 2),
    "List.distinct": _list_distinct,
    "List.list.set": _list_set,
    "Nat.size_class.size": either(
        on(("List.list",), 1, len), on(("Nat.nat",), 1, lambda n: n), on(("String.char",), 1, lambda c: 0)
    ),
    "Nat.compow": _iterated,
    **{f"String.char.digit{place}": only(lambda c, place=place: bool(c >> place & 1), 1) for place in range(8)},
    "String.comm_semiring_1_class.of_char": converted(NUMBERS),
    "String.linordered_euclidean_semiring_bit_operations_class.char_of": on(EXACT, 1, lambda n: n % 256),
}
