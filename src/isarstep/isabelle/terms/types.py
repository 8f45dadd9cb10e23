"""Walks over types: variables replaced or matched, the types inside a term, the type of one.

Every walk is a loop, and a part that stands in many places of a type is made once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from isarstep.isabelle.terms.terms import (
    Abs,
    Bound,
    MaybeTyp,
    Term,
    TFree,
    TVar,
    Typ,
    Type,
    strip_comb,
    strip_fun,
    subterms,
)


def map_type(typ: Typ, change: Callable[[TFree | TVar], Typ]) -> Typ:
    """The type with something in the place of each of its variables; `change` sees them from left to right."""
    made: dict[Typ, Typ] = {}
    todo = [typ]
    while todo:
        node = todo[-1]
        if node not in made and type(node) is Type:
            missing = [argument for argument in node.args if argument not in made]
            if missing:
                todo.extend(reversed(missing))
                continue
            arguments = tuple([made[argument] for argument in node.args])
            made[node] = node if arguments == node.args else Type(node.name, arguments)
        elif node not in made and type(node) is not Type:
            made[node] = change(node)
        todo.pop()
    return made[typ]


def instantiate_type(typ: Typ, replacement: Mapping[Typ, Typ]) -> Typ:
    """Replace type variables."""
    return map_type(typ, lambda variable: replacement.get(variable, variable))


def fixed_type(typ: Typ) -> Typ:
    """With its schematic variables fixed."""
    return map_type(typ, lambda variable: TFree(variable.name, variable.sort))


def schematic_type(typ: Typ, fixed: Collection[str] = ()) -> Typ:
    """With its fixed variables, but for those of these names, schematic."""
    return map_type(typ, lambda v: TVar(v.name, 0, v.sort) if type(v) is TFree and v.name not in fixed else v)


def match_type(pattern: MaybeTyp, typ: MaybeTyp, found: dict[Typ, Typ]) -> bool:
    """Is a type one that a general one becomes? `found` gets what its variables stand for."""
    if pattern is None or typ is None:
        return False
    todo = [(pattern, typ)]
    while todo:
        general, special = todo.pop()
        if type(general) is not Type:
            if found.setdefault(general, special) != special:
                return False
        elif type(special) is Type and general.name == special.name and len(general.args) == len(special.args):
            todo.extend(zip(general.args, special.args, strict=True))
        else:
            return False
    return True


def parts_of_type(typ: Typ) -> Iterator[Typ]:
    """The type itself and all types inside it."""
    todo = [typ]
    while todo:
        yield (node := todo.pop())
        todo += node.args if type(node) is Type else ()


def types_in(term: Term) -> Iterator[Typ]:
    """The types of constants, variables and abstractions from left to right, an abstraction's before its body's."""
    for node in subterms(term):
        typ = getattr(node, "type", None)
        if typ is not None:
            yield typ


def applied_type(typ: MaybeTyp, arguments: int) -> Typ | None:
    """The type of a function that has got so many arguments; None where it is none."""
    for _ in range(arguments):
        typ = typ.args[1] if type(typ) is Type and typ.name == "fun" else None
    return typ


def type_of(term: Term, binders: tuple[Typ, ...] = ()) -> Typ | None:
    """The type of a typed term under these binders, the innermost first; None where it is not known."""
    head, arguments = strip_comb(term)
    if type(head) is Abs:
        body = type_of(head.body, (head.type, *binders)) if head.type is not None else None
        typ: MaybeTyp = None if body is None or head.type is None else Type("fun", (head.type, body))
    elif type(head) is Bound:
        typ = binders[head.index] if head.index < len(binders) else None
    else:
        typ = getattr(head, "type", None)
    return applied_type(typ, len(arguments))


def first_argument_type(term: Term) -> Typ | None:
    """Of the function at the head of a term: of `a = b` the type of a; None where the head is no function."""
    typ = getattr(strip_comb(term)[0], "type", None)
    arguments = [] if typ is None else strip_fun(typ)[0]
    return arguments[0] if arguments else None
