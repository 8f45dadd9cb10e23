"""`locale` and `context`: what is fixed and assumed inside, and what their constants and facts are outside."""

from __future__ import annotations

import re
from collections.abc import Mapping

from isarstep.isabelle.syntax.grammar.symbols import from_isabelle, to_isabelle
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.normal_forms import TooLargeError
from isarstep.isabelle.terms.terms import (
    Free,
    TFree,
    TVar,
    Typ,
    Type,
    frees,
    funs,
    list_comb,
    strip_comb,
    substitute_types,
)
from isarstep.isabelle.terms.type_text import type_variables
from isarstep.isabelle.terms.types import map_type, match_type
from isarstep.isabelle.theory.environment.declarations import MOST_ARGUMENTS, OPEN, new_names, open_type, target_of
from isarstep.isabelle.theory.environment.file_environment import OwnContext, TokenReader
from isarstep.isabelle.theory.environment.library_targets import find_target
from isarstep.isabelle.theory.environment.locale_tables import Locale, OwnFact, numbered_names
from isarstep.isabelle.theory.environment.stated import StatedProps, exported, stated_props
from isarstep.isabelle.theory.locales.locale_expressions import IMPORTED
from isarstep.isabelle.theory.locales.locale_parents import import_locales, note_notation
from isarstep.isabelle.theory.text.mixfix import mixfix_rows
from isarstep.isabelle.theory.text.source import OuterCommand, SourceToken
from isarstep.isabelle.theory.text.statements import NotRead, read_together, type_letters, type_names

STATEMENT_PARTS = ("assumes", "defines", "notes", "shows", "obtains", "includes", "constrains")
MOST_NESTED = 100  # contexts
_PARTS = ("fixes", "assumes", "defines", "notes", "constrains", "includes", "begin", "for")


def locale(context: OwnContext, reader: TokenReader) -> None:
    """`locale a = b x + c for x + fixes ... assumes ... begin`."""
    if context.target is not None:
        raise reader.refused("a locale inside a context is not read")
    name = reader.name()
    made = Locale(f"{context.theory}.{to_isabelle(name.text)}")
    if reader.accept("=") and not reader.is_keyword(*_PARTS):
        import_locales(context, reader, made, _PARTS[:-1])
    begins = _elements(context, reader, made)
    _declare_predicate(context, made, name)
    try:
        made.refresh()
    except TooLargeError as error:  # of instances of instances
        raise NotRead(context.source, name.start, str(error)) from None
    context.locales[name.text] = made
    if begins:
        context.enter(made)


def _declare_predicate(context: OwnContext, made: Locale, name: SourceToken) -> None:
    """It is about those parameters that something is assumed of; without assumptions there is none."""
    if made.assumes_of is None:
        context.unread.names[to_isabelle(name.text)] = (
            f"the predicate of a locale at {context.source.where(name.start)}"
        )
        return
    mentioned = {*made.assumes_of, *(node.name for term in made.assumed for node in frees(term))}
    used = [parameter for parameter in made.parameters if parameter in mentioned]
    made.assumes_of = tuple(used)
    if made.assumed or used:
        predicate = context.declare_constant(made.name, funs([made.parameters[each] for each in used], hol.BOOL))
        made.predicate = hol.trueprop(list_comb(predicate, [Free(each) for each in used]))


def context_block(context: OwnContext, reader: TokenReader) -> None:
    """`context locale begin`, `context fixes ... assumes ... begin`."""
    if reader.accept("begin"):
        reader.end()
        if _depth(context.target) >= MOST_NESTED:
            raise reader.refused(f"a context inside {MOST_NESTED} others is not read")
        context.enter(_inner(context))
        return
    if context.target is not None and not reader.is_keyword(*_PARTS):
        raise reader.refused("a locale inside a context is not read")
    if context.target is not None and context.target.class_type is not None:
        raise reader.refused("a context that fixes or assumes something inside a class is not read")
    if not reader.is_keyword(*_PARTS):
        name = reader.name()
        known = find_target(context, name.text, name.start)
        reader.expect("begin")
        reader.end()
        context.enter(known)
        return
    made = _inner(context)
    if not _elements(context, reader, made):
        raise reader.refused("expected begin")
    context.enter(made)


def _depth(target: Locale | None) -> int:
    depth = 0
    while target is not None:
        target, depth = target.outer, depth + 1
    return depth


def _inner(context: OwnContext) -> Locale:
    """A context without a name; it has all that the one around it has."""
    outer = context.target
    if outer is None:
        return Locale("")
    made = Locale("", dict(outer.parameters), dict(outer.sorts), outer=outer, class_type=outer.class_type)
    made.facts.update(outer.facts)
    made.local.update(outer.local)
    made.structures, made.own_rows = outer.structures, outer.rows
    return made


def _elements(context: OwnContext, reader: TokenReader, made: Locale) -> bool:
    """Parameters and assumptions; True where a block begins behind them."""
    scope = context.scope()
    scope.fixed.update({name: _loosened(typ) for name, typ in made.parameters.items()})
    scope.sorts.update(made.sorts)
    imported = dict(made.parameters)
    rows: list[StatedProps] = []
    begins = False
    while reader.here is not None:
        if reader.accept("fixes"):
            for new in new_names(reader, scope, *_PARTS):
                scope.fixed[new.name] = new.type or open_type(new.name)
                made.parameters[new.name] = scope.fixed[new.name]
                note_notation(context, made, new)
        elif reader.accept("assumes"):
            rows += stated_props(reader, *_PARTS)
        elif not made.name and reader.accept("defines"):
            rows += [_defined(reader, made, row) for row in stated_props(reader, *_PARTS)]
        elif not made.name and reader.accept("notes"):  # attributes: no fact is new where nothing has a name
            _skip_notes(reader)
        elif reader.accept("begin"):
            begins = True
            reader.end()
        else:
            raise reader.refused(f"{reader.take().text!r} is not read here")
    texts = [text for row in rows for text in row.texts]
    if texts:
        with context.returning():
            context.enter(made)  # for its notation
            read = read_together(texts, scope)
        strangers = {name: typ for name, typ in read.frees.items() if name not in scope.fixed}
        for name in made.parameters:
            if name not in imported:
                made.parameters[name] = read.frees.get(name, made.parameters[name])
        _name_imported(made, imported, read.frees)
        made.sorts.update(read.sorts)
        terms = iter([exported(term, strangers, ()) for term in read.terms])  # they hold for all of these
        for row in rows:
            props = [next(terms) for _ in row.texts]
            facts = tuple(map(OwnFact, numbered_names(row.label, len(props)), props))
            made.facts[row.label or f"assumption_{row.texts[0].start}"] = facts
            made.assumed += props
    else:
        _name_imported(made, imported, {})
    for typ in made.parameters.values():
        for variable in _variables(typ):
            made.sorts.setdefault(*variable)
    if type_names(made.parameters.values()) - set(made.sorts):
        raise reader.refused("a parameter whose type is not known is not read")
    return begins


def _loosened(typ: Typ) -> Typ:
    """Types of imported locales that nobody has written may become any."""
    return map_type(typ, lambda v: TVar(v.name, OPEN, v.sort) if v.name.startswith(IMPORTED) else v)


def _name_imported(made: Locale, imported: Mapping[str, Typ], found: Mapping[str, Typ]) -> None:
    """Types of imported locales are what the elements behind the import made of them; others get letters that nobody
    has written, in order."""
    types: dict[str, Typ] = {}
    for name, typ in imported.items():
        matched: dict[Typ, Typ] = {}
        match_type(typ, found.get(name), matched)
        for variable, made_of in matched.items():
            if not isinstance(variable, Type) and variable.name.startswith(IMPORTED) and not isinstance(made_of, TVar):
                types.setdefault(variable.name, made_of)
    own = [typ for name, typ in made.parameters.items() if name not in imported]
    written = type_names([*own, *types.values(), *imported.values()])
    letters = (letter for letter in type_letters() if letter not in written)
    open_types = [pair for typ in imported.values() for pair in _variables(typ) if pair[0].startswith(IMPORTED)]
    for name, sort in open_types:
        if name not in types:
            types[name] = TFree(next(letters), sort)
    if not types:
        return

    def named(typ: Typ) -> Typ:
        return map_type(typ, lambda variable: types.get(variable.name, variable))

    made.parameters = {name: named(typ) for name, typ in made.parameters.items()}
    made.sorts = {name: sort for name, sort in made.sorts.items() if name not in types}
    for each in made.dependencies:
        each.values = {name: substitute_types(value, named) for name, value in each.values.items()}
        each.types = {name: named(typ) for name, typ in each.types.items()}
        each.renew()
    made.forget()


def _skip_notes(reader: TokenReader) -> None:
    """`notes a[simp] and b[intro]`."""
    while reader.here is not None and not reader.is_keyword(*_PARTS):
        if reader.is_keyword("="):
            raise reader.refused("facts that a context names are not read")
        reader.take()


def _defined(reader: TokenReader, made: Locale, row: StatedProps) -> StatedProps:
    """`defines f_def: "f x \\<equiv> t"`: inside, an assumption about a parameter."""
    text = row.texts[0].text.lstrip(" (")
    name = next((name for name in made.parameters if re.match(rf"{re.escape(from_isabelle(name))}(?![\w'])", text)), "")
    if len(row.texts) != 1 or not name or name in made.defined:
        raise reader.refused("a definition of one parameter is read")
    made.defined = (*made.defined, name)
    row.label = row.label or f"{name}_def"
    return row


def _variables(typ: Typ) -> list[tuple[str, tuple[str, ...]]]:
    return [(v.name, v.sort) for v in type_variables(typ) if v.name.startswith("'") and not v.name.endswith("~")]


def enter_target(context: OwnContext, reader: TokenReader) -> None:
    """Enter the locale of `lemma (in a)`, if the command names one."""
    name = target_of(reader)
    if name:
        context.enter(find_target(context, name, reader.start))


def enter_notation(context: OwnContext, command: OuterCommand) -> None:
    """For a statement that fixes variables with notation of their own: a context with that notation, which is the one
    around it otherwise."""
    rows: list[list[object]] = []
    section, group = "", list[SourceToken]()
    for token in (*command.tokens, SourceToken("symbol", "and", command.end, command.end, command.end)):
        if token.keyword("and", "fixes", "for", *STATEMENT_PARTS):
            opened = next((i for i, each in enumerate(group) if each.keyword("(")), 0)
            mixfix = group[opened:]
            if opened and not any(each.keyword("structure") for each in mixfix):
                typed = next((i for i, each in enumerate(group) if each.keyword("::")), opened)
                name = to_isabelle(group[typed - 1].text)
                rows += mixfix_rows(mixfix[1:-1], context.source, name, MOST_ARGUMENTS, fixed=True)
            group = []
            section = section if token.keyword("and") else token.text
        elif section in ("fixes", "for"):
            group.append(token)
    if not rows:
        return
    made = context.target.copy() if context.target is not None else Locale("")
    made.own_rows.setdefault("productions", []).extend(rows)
    context.enter(made)


def end_block(context: OwnContext) -> None:
    """`end`: facts of an unnamed context hold outside under what it assumed."""
    target = context.target
    assert target is not None
    outer = target.outer
    context.leave() if outer is None else context.enter(outer)
    for name in target.scoped:
        target.local.pop(f"local.{to_isabelle(name)}", None)
        context.unread.names[to_isabelle(name)] = "a private or qualified declaration"
    if target.name:
        return
    if target.defined:
        _forget(context, target, outer)
        return
    known = outer.parameters if outer is not None else {}
    own = {name: typ for name, typ in target.parameters.items() if name not in known}
    if outer is not None:
        for name, term in target.local.items():
            if name not in outer.local:
                head, arguments = strip_comb(term)
                kept = [each for each in arguments if not (isinstance(each, Free) and each.name in own)]
                outer.local[name] = list_comb(head, kept)
                outer.version += 1
        context.enter(outer)
    for name, facts in target.facts.items():
        if any(fact.prop in target.assumed for fact in facts) or (outer is not None and name in outer.facts):
            continue
        props = [exported(fact.prop, own, target.assumed) for fact in facts]
        simp = any(fact.simp for fact in facts)
        context.add_facts(name, props, simp=simp, unproved=any(fact.unproved for fact in facts))


def _forget(context: OwnContext, target: Locale, outer: Locale | None) -> None:
    """Outside, constants and facts have what its parameters stand for in their place, which is not read."""
    inside = outer.local if outer is not None else {}
    why = "a context with `defines`"
    for name in target.local:
        if name not in inside:
            context.unread.names[name.removeprefix("local.")] = why
    for name in target.facts:
        if outer is None or name not in outer.facts:
            context.unread.names[f"fact {name}"] = why
