"""What closures of relations compute, relations as sets of pairs or as predicates, and which elements are well-founded.

A predicate is gone through where its type has few values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from isarstep.isabelle.terms.terms import Typ
from isarstep.prover.values.domains import Domain, PredicateSet, Undetermined, Value
from isarstep.prover.values.executable import BuiltIn, Computation, Machine, argument_type
from isarstep.prover.values.number_operations import only, result_type
from isarstep.prover.values.set_operations import certainly_finite, element_domain


def _transitive(pairs: Iterable[tuple[Value, Value]]) -> set[tuple[Value, Value]]:
    found = set(pairs)
    while True:
        more = {(x, z) for x, y in found for w, z in found if y == w} - found
        if not more:
            return found
        found |= more


def _reflexive_closure(machine: Machine, typ: Typ) -> Computation:
    values = machine.domain(argument_type(argument_type(argument_type(typ))))

    def run(of: Value) -> Value:
        found = _transitive(certainly_finite(of))
        if values.every is not None:
            return frozenset(found | {(x, x) for x in map(values.normal, values.every)})
        return PredicateSet(lambda pair: pair[0] == pair[1] or pair in found, infinite=values.infinite)

    return Computation(1, run)


def power_of_relation(machine: Machine, typ: Typ) -> Computation:
    """`R ^^ n` of a set of pairs."""
    values = machine.domain(argument_type(argument_type(result_type(typ))))

    def run(n: int, of: Value) -> Value:
        pairs = certainly_finite(of)
        found = {(x, x) for x in _every(values)}
        for _ in machine.counted(range(n)):
            found = {(x, z) for x, y in found for w, z in pairs if y == w}
        return frozenset(found)

    return Computation(2, run)


def _every(domain: Domain) -> list[Value]:
    if domain.every is None:
        raise Undetermined
    return [domain.normal(value) for value in domain.every]


def _reaches(reflexive: bool) -> BuiltIn:
    """The closure of a predicate."""

    def make(machine: Machine, typ: Typ) -> Computation:
        domain = machine.domain(argument_type(argument_type(typ)))

        def run(relation: Value, x: Value, y: Value) -> bool:
            if reflexive and domain.equal(x, y):
                return True
            values, seen, todo = _every(domain), set[Value](), [domain.normal(x)]
            while todo:
                step = relation(todo.pop())
                for each in machine.counted(values):
                    if each not in seen and step(each):
                        seen.add(each)
                        todo.append(each)
            return domain.normal(y) in seen

        return Computation(3, run)

    return make


def _accessible(machine: Machine, values: Iterable[Value], below: Callable[[Value, Value], Value]) -> set[Value]:
    """Elements from which every way down ends."""
    left, found = list(values), set[Value]()
    while True:
        more = {
            x for x in left if x not in found and not any(below(y, x) for y in machine.counted(left) if y not in found)
        }
        if not more:
            return found
        found |= more


def _accessible_by_predicate(machine: Machine, typ: Typ) -> Computation:
    domain = machine.domain(argument_type(argument_type(typ)))

    def run(relation: Value, x: Value) -> bool:
        return domain.normal(x) in _accessible(machine, _every(domain), lambda y, z: relation(y)(z))

    return Computation(2, run)


def _accessible_by_pairs(machine: Machine, typ: Typ) -> Computation:
    element = element_domain(machine, result_type(typ))

    def run(of: Value) -> Value:
        pairs = certainly_finite(of)
        return frozenset(_accessible(machine, _every(element), lambda y, z: (y, z) in pairs))

    return Computation(1, run)


OPERATIONS_ON_RELATIONS: dict[str, BuiltIn] = {
    "Transitive_Closure.trancl": only(lambda of: frozenset(_transitive(certainly_finite(of))), 1),
    "Transitive_Closure.rtrancl": _reflexive_closure,
    "Transitive_Closure.tranclp": _reaches(False),
    "Transitive_Closure.rtranclp": _reaches(True),
    "Wellfounded.acc": _accessible_by_pairs,
    "Wellfounded.accp": _accessible_by_predicate,
}
