"""Instances of polymorphic library facts at the types that a problem mentions.

Each type variable is replaced only by a type that belongs to all classes of its sort: `linear` is never taken at a
type that is not a linear order. Rounds, instances and sizes of types are bounded, so this always ends; what is left
out can only lose proofs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from isarstep.common.cancellation import check_deadline
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import Const, Term, TFree, TVar, Typ, Type, constants, frees, substitute_types
from isarstep.isabelle.terms.type_text import type_variables
from isarstep.isabelle.terms.types import instantiate_type, types_in

ROUNDS = 3
INSTANCES_PER_FACT = 6
TRIES_PER_FACT = 2_000  # types that constants are matched with: a fact of many type variables has ways without end
LARGEST_TYPE = 32  # constructors and variables: a tuple of five sets of pairs has that many

# Constants that occur everywhere say nothing about which types matter.
LOGICAL = frozenset(
    {
        "HOL.eq", "HOL.All", "HOL.Ex", "HOL.Ex1", "HOL.Not", "HOL.conj", "HOL.disj",
        "HOL.implies", "HOL.True", "HOL.False", "HOL.If", "HOL.Let", "HOL.Trueprop",
        "Pure.all", "Pure.imp", "Pure.eq", "Pure.conjunction", "Pure.prop",
    }
)  # fmt: skip

Substitution = dict[Typ, Typ]


@dataclass(frozen=True, slots=True)
class Named:
    """A proposition with the name under which a verdict mentions it."""

    name: str
    prop: Term
    here: bool = False  # known to hold where the question is asked: it may speak of what is fixed there


def monomorphise(facts: Sequence[Named], problem: Iterable[Term], signature: Signature, limit: int) -> list[Named]:
    """At most `limit` instances of the facts, those of earlier facts and rounds first. Facts about fixed variables
    are left out.
    """
    seen: dict[str, dict[Typ, None]] = {}
    for prop in problem:
        _record(prop, seen)
    patterns = [_pattern(fact) for fact in facts]
    result: dict[tuple[int, tuple[Typ, ...]], Named] = {}
    for number, (fact, pattern) in enumerate(zip(facts, patterns, strict=True)):
        if pattern is not None and not pattern.variables:
            result[number, ()] = fact
            _record(fact.prop, seen)
    known: dict[int, list[int]] = {}  # for every fact, at how many types its constants stood when it was matched
    for _ in range(ROUNDS):
        before = len(result)
        found: list[Term] = []
        for number, (fact, pattern) in enumerate(zip(facts, patterns, strict=True)):
            if pattern is None or not pattern.constants:
                continue
            types_seen = [len(seen.get(c.name, ())) for c in pattern.constants]
            if known.get(number) == types_seen:
                continue
            known[number] = types_seen
            for types in _instances(pattern, seen, signature):
                if (number, types) not in result:
                    instance = _instance(fact, pattern.variables, types)
                    result[number, types] = instance
                    found.append(instance.prop)
            if len(result) >= limit:
                break
        for prop in found:
            _record(prop, seen)
        if len(result) == before or len(result) >= limit:
            break
    # Facts come in order of relevance: where the limit cuts, it cuts the least relevant.
    return [result[key] for key in sorted(result, key=lambda key: key[0])][:limit]


@dataclass(frozen=True, slots=True)
class _Pattern:
    """What matching needs of a fact: its type variables, and the constants whose types mention them."""

    variables: tuple[TVar, ...]
    constants: tuple[Const, ...]


def is_general(prop: Term) -> bool:
    """An exported theorem is closed and general; one that is not holds only under hypotheses that were lost."""
    return not frees(prop) and not any(isinstance(v, TFree) for v in term_type_variables(prop))


@lru_cache(maxsize=20_000)
def _pattern(fact: Named) -> _Pattern | None:
    """None where it holds only under hypotheses that were lost."""
    variables = tuple(dict.fromkeys(term_type_variables(fact.prop)))
    if not (fact.here or is_general(fact.prop)):
        return None
    open_constants = (c for c in constants(fact.prop) if c.name not in LOGICAL and c.type and _has_variable(c.type))
    return _Pattern(tuple(v for v in variables if isinstance(v, TVar)), tuple(open_constants))


@lru_cache(maxsize=50_000)
def _instance(fact: Named, variables: tuple[TVar, ...], types: tuple[Typ, ...]) -> Named:
    known: dict[Typ, Typ] = dict(zip(variables, types, strict=True))
    # A fact mentions few different types, each many times.
    return Named(fact.name, substitute_types(fact.prop, cache(lambda typ: instantiate_type(typ, known))))


@lru_cache(maxsize=50_000)
def _ground_constants(prop: Term) -> tuple[Const, ...]:
    return tuple(c for c in constants(prop) if c.type and not _has_variable(c.type))


def _record(prop: Term, seen: dict[str, dict[Typ, None]]) -> None:
    for const in _ground_constants(prop):
        assert const.type is not None
        seen.setdefault(const.name, {})[const.type] = None


def _instances(pattern: _Pattern, seen: dict[str, dict[Typ, None]], signature: Signature) -> list[tuple[Typ, ...]]:
    """Ways to give all type variables a value such that every bound constant's type is one that the problem has."""
    variables = pattern.variables
    usable = [c for c in pattern.constants if c.name in seen]
    usable.sort(key=lambda c: len(seen[c.name]))
    found: dict[tuple[Typ, ...], None] = {}
    tried = 0

    def extend(taken: Substitution, rest: list[Const]) -> None:
        check_deadline()
        nonlocal tried
        if len(found) >= INSTANCES_PER_FACT or tried >= TRIES_PER_FACT:
            return
        if len(taken) == len(variables):
            found[tuple(taken[v] for v in variables)] = None
            return
        while rest and rest[0].type is not None and all(v in taken for v in type_variables(rest[0].type)):
            rest = rest[1:]
        if not rest:
            return
        matched = False
        for typ in seen[rest[0].name]:
            tried += 1
            more = match_in_sorts(rest[0].type, typ, taken, signature)
            if more is not None:
                matched = True
                extend(more, rest[1:])
        if not matched:
            extend(taken, rest[1:])  # this constant would be at a new type; others may still fix the variables

    extend({}, usable)
    return list(found)


def match_in_sorts(pattern: Typ | None, typ: Typ, taken: Substitution, signature: Signature) -> Substitution | None:
    """The substitution extended so that pattern becomes typ, each variable at a type of its sort; None where there
    is none.
    """
    taken = dict(taken)
    todo: list[tuple[Typ | None, Typ]] = [(pattern, typ)]
    while todo:
        left, right = todo.pop()
        if isinstance(left, TVar):
            known = taken.get(left)
            if known is None:
                if (isinstance(right, Type) and right.size > LARGEST_TYPE) or not signature.of_sort(right, left.sort):
                    return None
                taken[left] = right
            elif known != right:
                return None
        elif isinstance(left, Type) and isinstance(right, Type):
            if left.name != right.name or len(left.args) != len(right.args):
                return None
            todo.extend(zip(left.args, right.args, strict=True))
        elif left != right:
            return None
    return taken


def term_type_variables(prop: Term) -> Iterator[TVar | TFree]:
    todo: list[Typ] = []
    for typ in types_in(prop):
        todo.append(typ)
        while todo:
            node = todo.pop()
            if type(node) is Type:
                todo += node.args
            else:
                yield node


def _has_variable(typ: Typ) -> bool:
    return any(isinstance(v, TVar) for v in type_variables(typ))
