"""Typed facts in little space: tokens, plus the types that cannot be computed from them.

Bottom-up, the type of every subterm follows from those of its variables and binders and from the signature, except
where a constant has type variables that its arguments do not show (`0`, `[]`, `UNIV`). So a fact's `types` are, in the
order of its tokens: for each variable at its first occurrence its type, for each `ABS` the type of what it binds, and
for each such constant its own type.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from graphlib import TopologicalSorter

from isarstep.common.errors import UserError
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import (
    Abs,
    App,
    Bound,
    Const,
    Free,
    MaybeTyp,
    Term,
    Typ,
    Type,
    Var,
    strip_comb,
    strip_fun,
)
from isarstep.isabelle.terms.type_text import type_variables
from isarstep.isabelle.terms.types import applied_type, instantiate_type, match_type

FACTS = "facts"  # the table of a benchmark with the facts of the library


def occurrences(term: Term) -> list[tuple[Const | Free | Var | Abs, int]]:
    """In the order of the tokens: constants with the number of their arguments, abstractions, variables once each."""
    found: list[tuple[Const | Free | Var | Abs, int]] = []
    seen: set[tuple[str, int]] = set()
    todo: list[Term] = [term]
    while todo:
        node = todo.pop()
        arguments = 0
        while type(node) is App:
            # The function's tokens stand before the argument's.
            todo.append(node.arg)
            node = node.fun
            arguments += 1
        if type(node) is Const:
            found.append((node, arguments))
        elif type(node) is Abs:
            found.append((node, 0))
            todo.append(node.body)
        elif type(node) is Free or type(node) is Var:
            key = (node.name, node.index if type(node) is Var else -1)
            if key not in seen:
                seen.add(key)
                found.append((node, 0))
    return found


class SlotNumbers:
    """Slots of many terms as numbers. Leaves of one graph are shared objects, so what each gives is asked once."""

    def __init__(self, type_number: Callable[[Typ], int]) -> None:
        self._type_number = type_number
        self.deciders: dict[tuple[str, int], int] = {}  # (constant, arguments) -> number
        self._known: dict[tuple[int, int], tuple[int, int]] = {}

    def of(self, term: Term) -> tuple[list[int], list[int]]:
        """Types, and for each the number of what decides about it, -1 where it is recorded always."""
        known = self._known
        types: list[int] = []
        deciders: list[int] = []
        for node, arguments in occurrences(term):
            slot = known.get((id(node), arguments))
            if slot is None:
                decider = -1
                if type(node) is Const:
                    decider = self.deciders.setdefault((node.name, arguments), len(self.deciders))
                slot = known[id(node), arguments] = self._type_number(_typed(node.type)), decider
            types.append(slot[0])
            deciders.append(slot[1])
        return types, deciders


def _typed(typ: MaybeTyp) -> Typ:
    if typ is None:
        raise UserError("a fact of the fact base has no types")
    return typ


@lru_cache(1 << 16)  # facts ask about the same constants all the time
def shows_its_type(general: Typ, arguments: int) -> bool:
    """Do the types of this many arguments determine the type of a constant?"""
    shown = {variable for typ in strip_fun(general)[0][:arguments] for variable in type_variables(typ)}
    rest = applied_type(general, arguments)
    # An argument beyond the most general type is typed by a variable of it, which nothing before has shown.
    return rest is not None and shown.issuperset(type_variables(rest))


def typed(erased: Term, types: Sequence[Typ], general: Callable[[str], Typ | None]) -> Term:
    """Put the types of its slots back into a term without types."""
    given = iter(types)
    variables: dict[tuple[str, int], Typ] = {}
    done: list[tuple[Term, Typ | None]] = []  # typed subterm and its type; None: a constant that waits for arguments
    binders: list[Typ] = []
    todo: list[tuple[str, Term, int]] = [("visit", erased, 0)]
    while todo:
        what, node, arguments = todo.pop()
        if what == "abs":
            body, body_type = done.pop()
            bound = binders.pop()
            done.append((Abs("", bound, body), Type("fun", (bound, _known(body_type)))))
        elif what == "app":
            # All arguments of the spine are typed: constants at its head get theirs from them.
            spine = [done.pop() for _ in range(arguments)][::-1]
            head, head_type = done.pop()
            if head_type is None:
                assert type(head) is Const
                head_type = _instance(general, head.name, [_known(t) for _, t in spine])
                head = Const(head.name, head_type)
            for argument, _ in spine:
                assert type(head_type) is Type
                head, head_type = App(head, argument), head_type.args[1]
            done.append((head, head_type))
        elif type(node) is App:
            head, operands = strip_comb(node)
            todo.append(("app", node, len(operands)))
            todo.extend(("visit", term, 0) for term in reversed(operands))
            todo.append(("visit", head, len(operands)))
        elif type(node) is Abs:
            binders.append(next(given))
            todo.append(("abs", node, 0))
            todo.append(("visit", node.body, 0))
        elif type(node) is Bound:
            done.append((node, binders[-1 - node.index]))
        elif type(node) is Const:
            most_general = general(node.name)
            if most_general is None or not shows_its_type(most_general, arguments):
                own = next(given)
                done.append((Const(node.name, own), own))
            elif arguments:
                done.append((node, None))
            else:
                done.append((Const(node.name, most_general), most_general))
        elif type(node) is Free or type(node) is Var:
            key = (node.name, node.index if type(node) is Var else -1)
            known = variables.get(key)
            if known is None:
                known = variables[key] = next(given)
            made: Term = Free(node.name, known) if type(node) is Free else Var(node.name, key[1], known)
            done.append((made, known))
    return done[0][0]


def _known(typ: Typ | None) -> Typ:
    assert typ is not None
    return typ


def _instance(general: Callable[[str], Typ | None], name: str, arguments: Sequence[Typ]) -> Typ:
    """The type of a constant whose arguments have these types."""
    most_general = _known(general(name))
    found: dict[Typ, Typ] = {}
    if not all(match_type(*pair, found) for pair in zip(strip_fun(most_general)[0], arguments, strict=False)):
        raise UserError("a constant's type is not an instance of its most general type")
    return instantiate_type(most_general, found)


def type_of_constant(signature: Signature) -> Callable[[str], Typ | None]:
    def general(name: str) -> Typ | None:
        constant = signature.constants.get(name)
        return None if constant is None else constant.type

    return general


def theory_order(parents: Mapping[str, Sequence[str]]) -> list[str]:
    """Theories so that each follows its parents; among those that could come next the first by name."""
    sorter = TopologicalSorter({name: [p for p in above if p in parents] for name, above in parents.items()})
    sorter.prepare()
    ready = sorted(sorter.get_ready())
    order: list[str] = []
    while ready:
        order.append(heapq.heappop(ready))
        sorter.done(order[-1])
        for child in sorter.get_ready():
            heapq.heappush(ready, child)
    return order
