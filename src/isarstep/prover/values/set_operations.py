"""What the operations on sets, orders and lattices compute: differences, bounds, unions, intervals, sums over sets.

Subtraction of naturals stops at 0, the cardinality of an infinite set is 0 and so is a sum over it. `Max {}` has no
value.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial, reduce
from typing import cast

from isarstep.isabelle.terms.hol import BOOL, LESS, LESS_EQ, MINUS, UMINUS
from isarstep.isabelle.terms.terms import Typ, Type, funs, strip_fun
from isarstep.prover.encode.definitions import INTERVALS
from isarstep.prover.values.domains import (
    CoSet,
    Domain,
    PredicateSet,
    SetValues,
    Undetermined,
    Value,
    decided,
    is_member,
    subsets,
)
from isarstep.prover.values.executable import BuiltIn, Computation, Machine, argument_type, elements
from isarstep.prover.values.number_operations import (
    EXACT,
    FIELDS,
    INTEGERS,
    NATURALS,
    NUMBERS,
    ORDERED,
    add_numbers,
    as_number,
    either,
    first_type,
    multiply_numbers,
    name_of_type,
    negated_number,
    on,
    only,
    result_type,
)

SUP, INF = "Lattices.sup_class.sup", "Lattices.inf_class.inf"


def _of_sets(arity: int, run: Callable[[Machine, Typ], Callable[..., Value]]) -> BuiltIn:
    """At sets of a type."""

    def make(machine: Machine, typ: Typ) -> Computation | None:
        at = first_type(typ)
        return Computation(arity, run(machine, at)) if name_of_type(at) == "Set.set" else None

    return make


def _pointwise(name: str, arity: int) -> BuiltIn:
    """An operation on functions from that on their results."""

    def make(machine: Machine, typ: Typ) -> Computation | None:
        carrier = first_type(typ) if arity else typ
        if not isinstance(carrier, Type) or carrier.name != "fun":
            return None
        result = carrier.args[1]
        found = machine.operation(name, funs([result] * arity, result))
        if found is None or found.arity != arity:
            return None
        run = found.run
        return Computation(arity + 1, lambda *a: run(*(each(a[-1]) for each in a[:-1])))

    return make


def _less(strict: bool) -> BuiltIn:
    def order(below: Callable[[Value, Value], Value]) -> Callable[[Value, Value], Value]:
        return (lambda x, y: below(x, y) and not below(y, x)) if strict else below

    return either(
        on((*ORDERED, *EXACT, "Num.num"), 2, operator.lt if strict else operator.le),
        on(("HOL.bool",), 2, order(lambda x, y: y or not x)),
        _of_sets(2, lambda machine, at: order(subset(machine, at))),
        lambda machine, typ: _function_order(machine, first_type(typ), order),
    )


def _function_order(
    machine: Machine, at: Typ, order: Callable[[Callable[[Value, Value], Value]], Callable[[Value, Value], Value]]
) -> Computation | None:
    if not isinstance(at, Type) or at.name != "fun":
        return None
    domain, result = machine.domain(at.args[0]), at.args[1]
    found = machine.operation(LESS_EQ, funs((result, result), BOOL))
    if found is None or found.arity != 2:
        return None
    inner = found.run

    def below(x: Value, y: Value) -> bool:
        def holds(at: Value) -> Value:
            return inner(x(at), y(at))

        values = domain.every or domain.small(8)
        return decided((partial(holds, at) for at in machine.counted(values)), domain.every is not None, False)

    return Computation(2, order(below))


def _bound_of_all(top: bool) -> BuiltIn:
    def make(machine: Machine, typ: Typ) -> Computation | None:
        match name_of_type(typ):
            case "Set.set":
                empty: Value = frozenset()
                made = complement(machine, typ, empty) if top else empty
                return Computation(0, lambda: made)
            case "HOL.bool":
                return Computation(0, lambda: top)
            case "Nat.nat" if not top:
                return Computation(0, lambda: 0)
        return None

    return either(make, _pointwise("Orderings.top_class.top" if top else "Orderings.bot_class.bot", 0))


# SetValues


def complement(machine: Machine, typ: Typ, value: Value) -> Value:
    sets = machine.domain(typ)
    assert isinstance(sets, SetValues)
    if isinstance(value, CoSet):
        return value.missing
    if isinstance(value, PredicateSet):
        return PredicateSet(lambda each: not value.holds(each))
    if sets.element.every is not None:
        return frozenset(sets.element.every) - value
    if sets.element.infinite:
        return CoSet(value)
    return PredicateSet(lambda each: each not in value)


def intersection(left: Value, right: Value) -> Value:
    if isinstance(left, CoSet) and isinstance(right, CoSet):
        return CoSet(left.missing | right.missing)
    if isinstance(left, frozenset) or isinstance(right, frozenset):
        few, other = (left, right) if isinstance(left, frozenset) else (right, left)
        return few & other if isinstance(other, frozenset) else frozenset(e for e in few if is_member(e, other))
    return PredicateSet(lambda each: is_member(each, left) and is_member(each, right))


def union(machine: Machine, typ: Typ, left: Value, right: Value) -> Value:
    if isinstance(left, frozenset) and isinstance(right, frozenset):
        return left | right
    return complement(machine, typ, intersection(complement(machine, typ, left), complement(machine, typ, right)))


def subset(machine: Machine, typ: Typ) -> Callable[[Value, Value], bool]:
    sets = machine.domain(typ)
    assert isinstance(sets, SetValues)

    def below(left: Value, right: Value) -> bool:
        if isinstance(left, frozenset):
            return decided((partial(is_member, each, right) for each in left), True, False)
        if isinstance(left, CoSet) and isinstance(right, CoSet):
            return right.missing <= left.missing
        if isinstance(left, CoSet) and isinstance(right, frozenset):
            return False  # of an infinite type
        mentioned = (each for side in (left, right) for each in (side.missing if isinstance(side, CoSet) else ()))
        for each in (*sets.element.small(12), *mentioned):
            if is_member(each, left) and not is_member(each, right):
                return False
        raise Undetermined

    return below


def _is_finite(value: Value) -> bool:
    if isinstance(value, PredicateSet) and not value.infinite:
        raise Undetermined
    return isinstance(value, frozenset)


def finite_set(value: Value) -> frozenset[Value]:
    """The set; the empty one for an infinite set, for operations whose value there is that of the empty set."""
    return value if _is_finite(value) else frozenset()


def certainly_finite(value: Value) -> frozenset[Value]:
    if not isinstance(value, frozenset):
        raise Undetermined
    return value


def _insert(machine: Machine, typ: Typ) -> Computation:
    element, sets = machine.domain(argument_type(typ)), result_type(typ)
    return Computation(2, lambda x, of: union(machine, sets, of, frozenset([element.normal(x)])))


def _member(machine: Machine, typ: Typ) -> Computation:
    element = machine.domain(argument_type(typ))
    return Computation(2, lambda x, of: is_member(element.normal(x), of))


def _image(machine: Machine, typ: Typ) -> Computation:
    result = element_domain(machine, result_type(typ))
    return Computation(2, lambda f, of: frozenset(result.normal(f(each)) for each in certainly_finite(of)))


def element_domain(machine: Machine, typ: Typ) -> Domain:
    sets = machine.domain(typ)
    if not isinstance(sets, SetValues):
        raise Undetermined
    return sets.element


def _vimage(machine: Machine, typ: Typ) -> Computation:
    arguments, result = strip_fun(typ)
    element, target = element_domain(machine, result), element_domain(machine, arguments[1])

    def run(f: Value, of: Value) -> Value:
        if element.every is not None:
            return frozenset(each for each in element.every if is_member(target.normal(f(each)), of))
        return PredicateSet(lambda each: is_member(target.normal(f(each)), of))

    return Computation(2, run)


def _power_set(of: Value) -> Value:
    found = sorted(certainly_finite(of), key=repr)
    if len(found) > 6:
        raise Undetermined
    return frozenset(subsets(found))


def _fold_of(upper: bool) -> BuiltIn:
    """`⋃` and `⋂`; of a finite set of numbers the greatest or least one."""

    def make(machine: Machine, typ: Typ) -> Computation | None:
        at = cast(Type, typ).args[1]
        match name_of_type(at):
            case "Set.set":
                none: Value = frozenset()
                start = none if upper else complement(machine, at, none)
                combine = partial(union, machine, at) if upper else intersection
                return Computation(1, lambda of: reduce(combine, certainly_finite(of), start))
            case "HOL.bool":
                return Computation(1, lambda of: is_member(True, of) if upper else not is_member(False, of))
            case "fun":
                return _fold_of_functions(machine, at, upper)
            case name if name in ORDERED:
                return _folded(SUP if upper else INF, 0 if upper and name == "Nat.nat" else None)(machine, typ)
        return None

    return make


def _fold_of_functions(machine: Machine, at: Typ, upper: bool) -> Computation | None:
    """At each argument the bound of the values there."""
    result = cast(Type, at).args[1]
    values = machine.domain(result)
    name = "Complete_Lattices.Sup_class.Sup" if upper else "Complete_Lattices.Inf_class.Inf"
    found = machine.operation(name, Type("fun", (Type("Set.set", (result,)), result)))
    if found is None or not found.arity:
        return None

    def run(of: Value, x: Value, *rest: Value) -> Value:
        return found.run(frozenset(values.normal(f(x)) for f in certainly_finite(of)), *rest)

    return Computation(found.arity + 1, run)


def _folded(operation: str, of_none: Value = None) -> BuiltIn:
    """What an operation makes of the elements of a finite set; of none `of_none`, where that is given."""

    def make(machine: Machine, typ: Typ) -> Computation | None:
        at = cast(Type, typ).args[1]
        combine = machine.operation(operation, funs((at, at), at))
        if combine is None or combine.arity != 2:
            return None

        def run(of: Value) -> Value:
            found = certainly_finite(of)
            if not found and of_none is None:
                raise Undetermined
            return reduce(combine.run, found) if found else of_none

        return Computation(1, run)

    return make


def _injective(machine: Machine, typ: Typ) -> Computation:
    result = machine.domain(result_type(argument_type(typ)))

    def run(f: Value, of: Value) -> bool:
        values, whole = elements(of, element_domain(machine, strip_fun(typ)[0][1]))
        seen: dict[Value, Value] = {}
        for each in machine.counted(values):
            if seen.setdefault(result.normal(f(each)), each) != each:
                return False
        if not whole:
            raise Undetermined
        return True

    return Computation(2, run)


def _total(add: bool, *, of_list: bool) -> BuiltIn:
    """The sum or the product of a list of numbers, or over a set; over an infinite one they are 0 and 1."""
    combine = add_numbers if add else multiply_numbers

    def make(_: Machine, typ: Typ) -> Computation | None:
        at = result_type(typ)
        if name_of_type(at) not in NUMBERS:
            return None
        start = as_number(at)(0 if add else 1)
        if of_list:
            return Computation(1, lambda xs: reduce(combine, xs, start))
        return Computation(2, lambda f, of: reduce(combine, map(f, finite_set(of)), start))

    return make


LARGEST_INTERVAL = 5_000


def _interval(below: str, above: str) -> BuiltIn:
    """`below` and `above`: how the bounds relate to elements, as in `INTERVALS`."""

    def make(machine: Machine, typ: Typ) -> Computation | None:
        name = name_of_type(first_type(typ))
        if name not in ORDERED:
            return None

        def run(*bounds: Value) -> Value:
            low, high = (bounds[0] if below else None), (bounds[-1] if above else None)
            if low is None and name == "Nat.nat":
                low = 0
            if name in EXACT and low is not None and high is not None:
                first, last = low + (below == LESS), high - (above == LESS)
                if last - first > LARGEST_INTERVAL:
                    raise Undetermined
                return frozenset(range(first, last + 1))
            if low is not None and high is not None and (low > high or (low == high and LESS in (below, above))):
                return frozenset()
            if low is not None and low == high:
                return frozenset([low])
            return PredicateSet(
                lambda x: (
                    (low is None or (low < x if below == LESS else low <= x))
                    and (high is None or (x < high if above == LESS else x <= high))
                ),
                infinite=True,
            )

        return Computation(len(strip_fun(typ)[0]), run)

    return make


OPERATIONS_ON_SETS: dict[str, BuiltIn] = {
    "Set.empty": only(frozenset, 0),
    MINUS: either(
        on(NATURALS, 2, lambda x, y: max(0, x - y)),
        on(NUMBERS, 2, lambda x, y: add_numbers(x, negated_number(y))),
        on(("HOL.bool",), 2, lambda x, y: x and not y),
        _of_sets(2, lambda machine, at: lambda x, y: intersection(x, complement(machine, at, y))),
        _pointwise(MINUS, 2),
    ),
    UMINUS: either(
        on((*INTEGERS, *FIELDS), 1, negated_number),
        on(("HOL.bool",), 1, operator.not_),
        _of_sets(1, lambda machine, at: partial(complement, machine, at)),
        _pointwise(UMINUS, 1),
    ),
    LESS: _less(True),
    LESS_EQ: _less(False),
    INF: either(
        on(ORDERED, 2, min),
        on(("HOL.bool",), 2, lambda x, y: x and y),
        on(("Set.set",), 2, intersection),
        _pointwise(INF, 2),
    ),
    SUP: either(
        on(ORDERED, 2, max),
        on(("HOL.bool",), 2, lambda x, y: x or y),
        _of_sets(2, lambda machine, at: partial(union, machine, at)),
        _pointwise(SUP, 2),
    ),
    "Orderings.top_class.top": _bound_of_all(True),
    "Orderings.bot_class.bot": _bound_of_all(False),
    "Set.member": _member,
    "Set.insert": _insert,
    "Set.image": _image,
    "Set.vimage": _vimage,
    "Set.Pow": only(_power_set, 1),
    "Product_Type.Sigma": only(
        lambda first, rest: frozenset((x, y) for x in certainly_finite(first) for y in certainly_finite(rest(x))), 2
    ),
    "Finite_Set.finite": only(_is_finite, 1),
    "Finite_Set.card": only(lambda of: len(finite_set(of)), 1),
    "Complete_Lattices.Sup_class.Sup": _fold_of(True),
    "Complete_Lattices.Inf_class.Inf": _fold_of(False),
    "Lattices_Big.semilattice_sup_class.Sup_fin": _folded(SUP),
    "Lattices_Big.semilattice_inf_class.Inf_fin": _folded(INF),
    "Lattices_Big.linorder_class.Max": _folded("Orderings.ord_class.max"),
    "Lattices_Big.linorder_class.Min": _folded("Orderings.ord_class.min"),
    "Groups_Big.comm_monoid_add_class.sum": _total(True, of_list=False),
    "Groups_Big.comm_monoid_mult_class.prod": _total(False, of_list=False),
    "Groups_List.monoid_add_class.sum_list": _total(True, of_list=True),
    "Groups_List.monoid_mult_class.prod_list": _total(False, of_list=True),
    **{f"Set_Interval.ord_class.{name}": _interval(*relations) for name, relations in INTERVALS.items()},
    "Fun.inj_on": _injective,
}
