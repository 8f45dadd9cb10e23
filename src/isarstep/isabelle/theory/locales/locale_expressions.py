"""Locale expressions: `a x "f y" + p: b z for x y z`, in `locale`, `interpretation`, `sublocale` and `interpret`.

The terms of an instance take the place of the locale's parameters; all instances are typed together. Types that nobody
has written get the names 'a, 'b, ... in the order of the parameters, as Isabelle does; those of an imported locale
without constants of its own may still become others by what stands behind the import.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isarstep.isabelle.inference.annotations import without_marks
from isarstep.isabelle.inference.infer import infer
from isarstep.isabelle.syntax.grammar.symbols import to_isabelle
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.terms import (
    Free,
    Term,
    TFree,
    TVar,
    Typ,
    Type,
    erase,
    frees,
    substitute_types,
)
from isarstep.isabelle.terms.type_text import type_variables
from isarstep.isabelle.terms.types import map_type, match_type, types_in
from isarstep.isabelle.theory.environment.declarations import OPEN, NewName, new_names, open_type, sides_of, types_of
from isarstep.isabelle.theory.environment.file_environment import OwnContext, TokenReader
from isarstep.isabelle.theory.environment.library_targets import find_target, locale_of_class
from isarstep.isabelle.theory.environment.locale_tables import LocaleInstance
from isarstep.isabelle.theory.text.source import SourceToken
from isarstep.isabelle.theory.text.statements import (
    NotRead,
    Scope,
    named_in_order,
    readings_of_text,
    type_letters,
    type_names,
)

IMPORTED = "'!"  # what type variables of imported locales begin with until the elements behind them are read
_STOPS = ("+", "for", "where", "rewrites", "defines")


@dataclass
class LocaleExpression:
    instances: list[LocaleInstance]
    fixed: list[NewName]  # behind `for`
    parameters: dict[str, Typ]  # those that keep their names, then those behind `for`


def read_expression(
    context: OwnContext, reader: TokenReader, scope: Scope, *ends: str, implicit: bool
) -> LocaleExpression:
    """Up to one of these keywords or the end; `implicit`: may parameters keep their names? Raises NotRead."""
    instances = [_instance(context, reader, ends)]
    while reader.is_keyword("+"):
        following = reader.ahead()
        if following is None or following.keyword(*ends):
            break
        reader.accept("+")
        instances.append(_instance(context, reader, ends))
    fixed = new_names(reader, scope, "+", "rewrites", "defines", *ends) if reader.accept("for") else []
    while reader.here is not None and not reader.is_keyword("+", "defines", *ends):
        instances[-1].rewritten = True
        reader.take()
    made = LocaleExpression(instances, fixed, {})
    _type(context, made, scope, implicit=implicit)
    return made


def _instance(context: OwnContext, reader: TokenReader, ends: Sequence[str]) -> LocaleInstance:
    prefix, optional = "", False
    token = reader.name()
    if reader.is_keyword(":", "?", "!"):
        prefix, optional = token.text, reader.accept("?")
        reader.accept("!")
        reader.expect(":")
        token = reader.name()
    above = find_target(context, token.text, token.start)
    of_class = above.class_type is not None
    if of_class:
        above = locale_of_class(context, above.name, token.start)
    made = LocaleInstance(token, above, ((prefix, optional),) if prefix else ())
    parameters = iter(above.parameters)
    while reader.here is not None and not reader.is_keyword(*_STOPS, *ends):
        given, parameter = reader.take(), next(parameters, None)
        if parameter is None or not (given.quoted or given.kind in ("name", "number")):
            raise NotRead(context.source, given.start, "an instance of a locale in this form is not read")
        if given.text != "_":
            made.given[parameter] = given
    if reader.accept("where"):
        while True:
            name = reader.name()
            reader.expect("=")
            if to_isabelle(name.text) not in above.parameters:
                raise NotRead(context.source, name.start, f"{name.text!r} is no parameter of the locale")
            made.given[to_isabelle(name.text)] = reader.take()
            if not reader.accept("and"):
                break
    if of_class and len(made.given) != len(above.parameters):
        raise NotRead(context.source, token.start, "a class as a locale is read where all its operations are given")
    if reader.accept("rewrites"):
        made.rewritten = True
        while reader.here is not None and not reader.is_keyword("+", "for", "defines", *ends):
            reader.take()
    return made


def _type(context: OwnContext, made: LocaleExpression, scope: Scope, *, implicit: bool) -> None:
    """Type all instances together, and put values and types into them."""
    inner = scope.inner()
    kept: dict[str, Typ] = {}
    for each in made.instances:
        for name in each.above.parameters:
            if name not in each.given:
                if not implicit:
                    raise NotRead(context.source, each.token.start, f"what stands for {name!r} is not said")
                kept[name] = open_type(name)
    if set(kept) & {new.name for new in made.fixed}:
        raise NotRead(context.source, made.instances[0].token.start, "a parameter is declared twice")
    inner.fixed.update(kept)
    inner.fixed.update(types_of(made.fixed))
    terms: list[Term] = []
    types = dict(inner.fixed)
    places: list[tuple[LocaleInstance, str, str]] = []
    for number, each in enumerate(made.instances):
        for name, typ in each.above.parameters.items():
            variable = f"~{number}~{name}"
            types[variable] = _apart(typ, number)
            value = _value(inner, each.given[name]) if name in each.given else Free(name)
            terms.append(hol.trueprop(hol.eq(Free(variable), value)))
            places.append((each, name, variable))
        strangers = [node.name for term in terms for node in frees(term) if node.name not in types]
        if strangers:
            raise NotRead(context.source, each.token.start, f"{strangers[0]!r} is not declared behind `for`")
    typing = infer(terms, context.signature, types)
    written = type_names([*scope.fixed.values(), *(new.type for new in made.fixed if new.type is not None)])
    written |= set(scope.sorts)
    values = [without_marks(sides[1]) for term in typing.propositions if (sides := sides_of(term)) is not None]
    still_open = implicit and not any(each.above.local for each in made.instances)
    letters = [f"{IMPORTED}{number}" for number in range(100)] if still_open else type_letters()
    of_variables = [node.type for value in values for node in frees(value) if node.type is not None]
    inside = [typ for value in values for typ in types_in(value)]
    open_names = (variable for typ in (*of_variables, *inside) for variable in type_variables(typ))
    names = named_in_order(open_names, written, letters)

    def named(typ: Typ) -> Typ:
        return map_type(typ, lambda variable: TFree(names.get(variable.name, variable.name), variable.sort))

    for (each, name, variable), value in zip(places, values, strict=True):
        each.values[name] = substitute_types(value, named)
        matched: dict[Typ, Typ] = {}
        match_type(each.above.parameters[name], named(typing.frees[variable]), matched)
        each.types.update({v.name: typ for v, typ in matched.items() if not isinstance(v, Type)})
    for each in made.instances:
        each.kept = frozenset(each.above.parameters.keys() - each.given.keys())
    made.parameters = {name: named(typing.frees[name]) for name in (*kept, *(new.name for new in made.fixed))}


def _value(scope: Scope, text: SourceToken) -> Term:
    readings = {erase(without_marks(each)): each for each in readings_of_text(text, scope)}
    if len(readings) != 1:
        raise NotRead(scope.source, text.inside, "it can be read in several ways; brackets or types would settle it")
    return next(iter(readings.values()))


def _apart(typ: Typ, number: int) -> Typ:
    return map_type(typ, lambda variable: TVar(f"{variable.name}~{number}", OPEN, variable.sort))
