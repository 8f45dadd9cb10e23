"""`locale b = a x y + c for x y + ...`: what a locale has from those that it rests on, under its own names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count

from isarstep.logic.symbols import to_isabelle
from isarstep.logic.terms import Free, Term, TFree, Typ, Type, Var, substitute, substitute_types
from isarstep.theory.declarations import MOST_ARGUMENTS, NewName, new_names
from isarstep.theory.library_targets import find_target
from isarstep.theory.mixfix import mixfix_rows
from isarstep.theory.outer import SourceToken
from isarstep.theory.own_context import Locale, OwnContext, TokenReader
from isarstep.theory.statements import NotRead

_FIXED = "\\<^fixed>"


@dataclass
class _Instance:
    """A locale and the names that its parameters get; None: their own."""

    token: SourceToken
    above: Locale
    names: dict[str, str]


def import_locales(
    context: OwnContext, reader: TokenReader, made: Locale, parts: tuple[str, ...], *, keep: bool = False
) -> None:
    """Read what stands between `=` and the elements, and put it into the locale. Types that nobody has written are new
    ones; with `keep`, a single one keeps its name, for elements that speak of it. Raises NotRead."""
    instances = [_instance(context, reader, parts)]
    while reader.accept("+") and not reader.is_keyword(*parts):
        instances.append(_instance(context, reader, parts))
    fixed = new_names(reader, context.scope(), "+", *parts) if reader.accept("for") else []
    if not reader.accept("+") and reader.here is not None and not reader.is_keyword(*parts):
        raise reader.refused("an import of a locale in this form is not read")
    for new in fixed:
        _note_notation(context, made, new)
    written = {token.text for token in reader.tokens if token.kind == "typevar"}
    texts = " ".join(token.text for token in reader.tokens if token.quoted)
    fresh: Iterator[str] = (name for name in _names() if name not in written and name not in texts)
    known = {new.name: new.type for new in fixed}
    if keep:
        own = {v for each in instances if each.names for t in each.above.parameters.values() for v in _variables(t)}
        if len(own) != 1:
            raise NotRead(
                context.source, instances[0].token.start, "types of an import that are not written are not read"
            )
        fresh = iter([next(iter(own)).name])
    for each in instances:
        strangers = [name for name in each.names.values() if name not in known]
        if strangers:
            raise NotRead(context.source, each.token.start, f"{strangers[0]!r} is not declared behind `for`")
        _add(context, made, each, known, fresh)
    order = {name: typ for name, typ in known.items() if typ is not None}
    if len(order) < len(known):
        raise NotRead(context.source, instances[0].token.start, "a parameter whose type is not known is not read")
    made.parameters = {**order, **made.parameters}


def _instance(context: OwnContext, reader: TokenReader, parts: tuple[str, ...]) -> _Instance:
    token = reader.name()
    if reader.is_keyword(":", "?", "!"):
        raise reader.refused("an import of a locale with a prefix is not read")
    above = find_target(context, token.text, token.start)
    if above.class_type is not None:
        raise NotRead(context.source, token.start, "a locale that rests on a class is not read")
    names: dict[str, str] = {}
    parameters = iter(above.parameters)
    while reader.here is not None and not reader.is_keyword("+", "for", *parts):
        given, parameter = reader.take(), next(parameters, None)
        name = to_isabelle(given.text.strip())
        if parameter is None or not (name == "_" or name.replace("'", "").replace("_", "").isalnum()):
            raise NotRead(context.source, given.start, "an import of a locale at a term is not read")
        if name != "_":
            names[parameter] = name
    return _Instance(token, above, names)


def _note_notation(context: OwnContext, made: Locale, new: NewName) -> None:
    if new.mixfix and new.mixfix[0].keyword("structure"):
        made.structures = (*made.structures, new.name)
    elif new.mixfix:
        rows = mixfix_rows(new.mixfix, context.source, new.name, MOST_ARGUMENTS, fixed=True)
        made.rows.setdefault("productions", []).extend(rows)


def _add(
    context: OwnContext, made: Locale, instance: _Instance, known: dict[str, Typ | None], fresh: Iterator[str]
) -> None:
    above, names = instance.above, instance.names
    types: dict[TFree, Typ] = {}
    for old, typ in above.parameters.items():
        new = names.get(old, old)
        given = known.get(new) or made.parameters.get(new)
        if given is not None and not _matches(typ, given, types, context):
            raise NotRead(context.source, instance.token.start, f"the type of {new!r} does not fit what it stands for")
    if names:  # types of what is named anew are this import's own
        for variable in [each for typ in above.parameters.values() for each in _variables(typ)]:
            if variable not in types:
                name = next(fresh, None)
                if name is None:
                    raise NotRead(context.source, instance.token.start, "types of two imports are not written")
                types[variable] = TFree(name, variable.sort)

    def typed(typ: Typ) -> Typ:
        if isinstance(typ, Type):
            return Type(typ.name, tuple(map(typed, typ.args))) if typ.args else typ
        return types.get(typ, typ) if isinstance(typ, TFree) else typ

    def renamed(term: Term) -> Term:
        def leaf(node: Free | Var) -> Term | None:
            return Free(names[node.name], node.type) if isinstance(node, Free) and node.name in names else None

        return substitute_types(substitute(term, leaf), typed)

    for old, typ in above.parameters.items():
        new = names.get(old, old)
        if new in known:
            known[new] = known[new] or typed(typ)
        made.parameters.setdefault(new, typed(typ))
    for name, facts in above.facts.items():
        own = tuple(replace(fact, prop=renamed(fact.prop)) for fact in facts)
        if name in made.facts and made.facts[name] != own:  # the later hides the earlier, which still holds
            hidden = tuple(replace(fact, name="") for fact in made.facts[name])
            made.facts[f"assumption_{instance.token.start}_{name}"] = hidden
        made.facts[name] = own
    for name, term in above.local.items():
        own_term = renamed(term)
        if name in made.local and made.local[name] != own_term:
            base = name.removeprefix("local.")
            context.unread.names[base] = f"two imports of a locale at {context.source.where(instance.token.start)}"
        made.local[name] = own_term
    made.structures = (*made.structures, *(each for each in above.structures if each not in names))
    for field, rows in above.rows.items():
        kept = [row for row in rows if not (field == "productions" and row[2].removeprefix(_FIXED) in names)]
        made.rows.setdefault(field, []).extend(row for row in kept if row not in made.rows.get(field, []))
    if above.assumes_of is None or made.assumes_of is None:
        made.assumes_of = None
    else:
        made.assumes_of = tuple(
            dict.fromkeys((*made.assumes_of, *(names.get(each, each) for each in above.assumes_of)))
        )


def _matches(general: Typ, given: Typ, found: dict[TFree, Typ], context: OwnContext) -> bool:
    if isinstance(general, TFree):
        if not context.signature.of_sort(given, general.sort):
            return False
        return found.setdefault(general, given) == given
    if isinstance(general, Type) and isinstance(given, Type) and general.name == given.name:
        return all(_matches(one, two, found, context) for one, two in zip(general.args, given.args, strict=True))
    return general == given


def _variables(typ: Typ) -> Iterator[TFree]:
    if isinstance(typ, Type):
        for part in typ.args:
            yield from _variables(part)
    elif isinstance(typ, TFree):
        yield typ


def _names() -> Iterator[str]:
    yield from (f"'{letter}" for letter in "pqrstuvwxyz")
    yield from (f"'p{number}" for number in count())
