"""What built-in operations compute, beside their definitions in Isabelle."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from isarstep.isabelle.terms.terms import Typ, Type, fun, funs
from isarstep.prover.values.domains import BOOL, INT, NAT, REAL, Undetermined, Value
from isarstep.prover.values.executable import FINITE, BuiltInOnly, Machine
from isarstep.prover.values.operations import OPERATIONS_OF_CONSTANTS

BITS, RING_BITS = "Bit_Operations.semiring_bit_operations_class", "Bit_Operations.ring_bit_operations_class"
NATURAL, INTEGER = Type("Code_Numeral.natural"), Type("Code_Numeral.integer")
TWO, THREE = Type(f"{FINITE}2"), Type(f"{FINITE}3")


def computed(name: str, typ: Typ, *arguments: Value) -> Value:
    found = Machine(BuiltInOnly(), OPERATIONS_OF_CONSTANTS).operation(name, typ)
    assert found is not None
    return found.run(*arguments)


@pytest.mark.parametrize(("typ", "values"), [(NAT, range(20)), (INT, range(-20, 20)), (INTEGER, range(-9, 9))])
def test_bits_are_those_of_halves(typ: Type, values: range) -> None:
    of_number = funs((NAT, typ), typ)
    for x, n in product(values, range(6)):
        bit = x // 2**n % 2 == 1
        assert computed("Bit_Operations.semiring_bits_class.bit", funs((typ, NAT), BOOL), x, n) is bit
        assert computed(f"{BITS}.take_bit", of_number, n, x) == x % 2**n
        assert computed(f"{BITS}.drop_bit", of_number, n, x) == x // 2**n
        assert computed(f"{BITS}.push_bit", of_number, n, x) == x * 2**n
        assert computed(f"{BITS}.set_bit", of_number, n, x) == (x if bit else x + 2**n)
        assert computed(f"{BITS}.unset_bit", of_number, n, x) == (x - 2**n if bit else x)
        assert computed(f"{BITS}.flip_bit", of_number, n, x) == (x - 2**n if bit else x + 2**n)
        assert computed(f"{BITS}.mask", fun(NAT, typ), n) == 2**n - 1
        if typ != NAT:
            assert computed(f"{RING_BITS}.signed_take_bit", of_number, n, x) == x % 2**n - bit * 2**n
            assert computed(f"{RING_BITS}.not", fun(typ, typ), x) == -x - 1


def test_too_many_bits_are_not_computed() -> None:
    with pytest.raises(Undetermined):
        computed(f"{BITS}.push_bit", funs((NAT, NAT), NAT), 10**9, 1)


def test_numbers_of_code_are_like_those_that_they_stand_for() -> None:
    assert computed("Groups.minus_class.minus", funs((NATURAL, NATURAL), NATURAL), 2, 5) == 0
    assert computed("Groups.minus_class.minus", funs((INTEGER, INTEGER), INTEGER), 2, 5) == -3
    assert computed("Code_Numeral.nat_of_integer", fun(INTEGER, NAT), -3) == 0
    machine = Machine(BuiltInOnly(), OPERATIONS_OF_CONSTANTS)
    assert machine.domain(NATURAL).small(3) == [0, 1, 2]
    # They are no lattices, and nobody says what the infimum of two is.
    assert machine.operation("Lattices.inf_class.inf", funs((INTEGER, INTEGER), INTEGER)) is None


def test_whole_numbers_among_fractions() -> None:
    for name, found in (("Nat.semiring_1_class.Nats", (2,)), ("Int.ring_1_class.Ints", (-1, 2))):
        numbers = computed(name, Type("Set.set", (REAL,)))
        assert tuple(x for x in (-1, Fraction(1, 2), 2) if numbers.holds(Fraction(x))) == found
        assert numbers.infinite


def as_predicate(relation: frozenset[Value]) -> Value:
    return lambda x: lambda y: (x, y) in relation


def test_closures_of_sets_and_predicates_agree() -> None:
    pairs_of = Type("Set.set", (Type("Product_Type.prod", (THREE, THREE)),))
    predicate = funs((THREE, THREE), BOOL)
    every = list(product(range(3), repeat=2))
    for chosen in range(2**9):
        relation: frozenset[Value] = frozenset(pair for place, pair in enumerate(every) if chosen >> place & 1)

        holds = as_predicate(relation)
        for name in ("trancl", "rtrancl"):
            closure = computed(f"Transitive_Closure.{name}", fun(pairs_of, pairs_of), relation)
            of_predicate = f"Transitive_Closure.{name}p"
            assert closure == {p for p in every if computed(of_predicate, fun(predicate, predicate), holds, *p)}
            # The least one that contains the relation and is closed.
            assert relation <= closure
            assert all((x, z) in closure for x, y in closure for w, z in relation if y == w)
        power = computed("Nat.compow", funs((NAT, pairs_of), pairs_of), 2, relation)
        assert power == {(x, z) for x, y in relation for w, z in relation if y == w}
        assert computed("Nat.compow", funs((NAT, pairs_of), pairs_of), 0, relation) == {(x, x) for x in range(3)}
        found = computed("Wellfounded.acc", fun(pairs_of, Type("Set.set", (THREE,))), relation)
        cyclic = {x for x, y in computed("Transitive_Closure.trancl", fun(pairs_of, pairs_of), relation) if x == y}
        reaches = computed("Transitive_Closure.rtrancl", fun(pairs_of, pairs_of), relation)
        assert found == {x for x in range(3) if not any((y, x) in reaches for y in cyclic)}
        for x in range(3):
            assert computed("Wellfounded.accp", funs((predicate, THREE), BOOL), holds, x) == (x in found)


def test_a_closure_over_an_infinite_type_is_asked_element_by_element() -> None:
    pairs_of = Type("Set.set", (Type("Product_Type.prod", (NAT, NAT)),))
    found = computed("Transitive_Closure.rtrancl", fun(pairs_of, pairs_of), frozenset({(0, 1), (1, 2)}))
    assert [found.holds(pair) for pair in ((0, 2), (5, 5), (2, 0))] == [True, True, False]
    with pytest.raises(Undetermined):
        computed("Transitive_Closure.rtranclp", fun(funs((NAT, NAT), BOOL), funs((NAT, NAT), BOOL)),
                 lambda x: lambda y: y == x + 1, 0, 2)  # fmt: skip


def test_bounds_of_functions_are_taken_at_each_argument() -> None:
    functions = fun(TWO, BOOL)
    for name, expected in (("Sup", [True, True]), ("Inf", [False, False])):
        bound = f"Complete_Lattices.{name}_class.{name}"
        machine = Machine(BuiltInOnly(), OPERATIONS_OF_CONSTANTS)
        tables = [f for f in machine.domain(functions).small(4) if f(0) != f(1)]
        found = machine.operation(bound, fun(Type("Set.set", (functions,)), functions))
        assert found is not None
        assert [found.run(frozenset(tables), x) for x in (0, 1)] == expected
        assert found.run(frozenset(), 0) is (name == "Inf")


def test_functions_are_repeated_and_characters_have_eight_digits() -> None:
    assert computed("Nat.compow", funs((NAT, fun(NAT, NAT), NAT), NAT), 3, lambda x: 2 * x, 1) == 8
    char = Type("String.char")
    for code in (0, 97, 255):
        digits = [computed(f"String.char.digit{place}", fun(char, BOOL), code) for place in range(8)]
        assert computed("String.char.Char", funs([BOOL] * 8, char), *digits) == code


class Trees(BuiltInOnly):
    """A type that occurs in lists of itself."""

    def datatype(self, typ: Type) -> list[tuple[str, list[Typ]]] | None:
        return [("Leaf", [NAT]), ("Node", [NAT, Type("List.list", (typ,))])] if typ.name == "tree" else None


@pytest.mark.parametrize(
    "typ",
    [fun(NAT, NAT), fun(NAT, BOOL), fun(TWO, NAT), Type("Set.set", (NAT,)), Type("List.list", (NAT,)), Type("tree"),
     fun(NAT, Type("tree")), Type("Product_Type.prod", (NAT, fun(NAT, NAT))), REAL, Type("Complex.complex")],
)  # fmt: skip
def test_no_value_is_tried_twice(typ: Type) -> None:
    """A true `inj f` and a true `∃!x. P x` were refuted by one value that came twice."""
    domain = Machine(Trees(), OPERATIONS_OF_CONSTANTS).domain(typ)
    values = domain.small(12)
    assert len(values) == len({domain.normal(value) for value in values}) >= 6


def test_trees_have_branches() -> None:
    values = Machine(Trees(), OPERATIONS_OF_CONSTANTS).domain(Type("tree")).small(12)
    assert ("Leaf", 0) in values
    assert ("Node", 0, (("Leaf", 0),)) in values
