"""`locale b = a x y + p: c for x y + ...`: what a locale has from those that it rests on, under its own names."""

from __future__ import annotations

from dataclasses import replace

from isarstep.logic.terms import Free, frees
from isarstep.theory.declarations import MOST_ARGUMENTS, NewName
from isarstep.theory.locale_expressions import LocaleInstance, read_expression
from isarstep.theory.mixfix import mixfix_rows
from isarstep.theory.own_context import Locale, OwnContext, TokenReader
from isarstep.theory.statements import NotRead, type_names

_FIXED, _LOCAL = "\\<^fixed>", "\\<^const>local."


def import_locales(context: OwnContext, reader: TokenReader, made: Locale, parts: tuple[str, ...]) -> None:
    """Read what stands between `=` and the elements, and put it into the locale. Raises NotRead."""
    expression = read_expression(context, reader, context.scope(), *parts, implicit=True)
    if not reader.accept("+") and reader.here is not None and not reader.is_keyword(*parts):
        raise reader.refused("an import of a locale in this form is not read")
    made.parameters = dict(expression.parameters)
    for instance in expression.instances:
        add_instance(context, made, instance)
        made.rests_on = (*made.rests_on, instance.above.name, *instance.above.rests_on)
    for new in expression.fixed:
        _note_notation(context, made, new)


def _note_notation(context: OwnContext, made: Locale, new: NewName) -> None:
    if new.mixfix and new.mixfix[0].keyword("structure"):
        made.structures = (*made.structures, new.name)
    elif new.mixfix:
        rows = mixfix_rows(new.mixfix, context.source, new.name, MOST_ARGUMENTS, fixed=True)
        made.rows.setdefault("productions", []).extend(rows)


def add_instance(context: OwnContext, made: Locale, instance: LocaleInstance) -> None:
    """Facts, constants and notation of an instance, for a locale."""
    if instance.rewritten:
        raise NotRead(context.source, instance.token.start, "an instance of a locale with `rewrites` is not read")
    above = instance.above
    for name, facts in instance.facts():
        if name in made.facts and made.facts[name] != facts:  # the later hides the earlier, which still holds
            hidden = tuple(replace(fact, name="") for fact in made.facts[name])
            made.facts[f"assumption_{instance.token.start}_{name}"] = hidden
        made.facts[name] = facts
    for name, term in instance.constants():
        if name in made.local and made.local[name] != term:
            base = name.removeprefix("local.")
            context.unread.names[base] = f"two imports of a locale at {context.source.where(instance.token.start)}"
        made.local[name] = term
    kept = {name for name in above.parameters if name not in instance.given}
    made.structures = (
        *made.structures,
        *(each for each in above.structures if each in kept and each not in made.structures),
    )
    for field, rows in above.rows.items():
        for row in rows:
            own = _row(field, row, instance, kept)
            if own is not None and own not in made.rows.get(field, []):
                made.rows.setdefault(field, []).append(own)
    if above.assumes_of is None or made.assumes_of is None:
        made.assumes_of = None
        return
    about = [node.name for each in above.assumes_of for node in frees(instance.values[each])]
    made.assumes_of = tuple(dict.fromkeys((*made.assumes_of, *(each for each in about if each in made.parameters))))
    types = type_names(typ for name, typ in made.parameters.items() if name in made.assumes_of)
    if type_names(instance.typed(above.parameters[each]) for each in above.assumes_of) - types:
        made.assumes_of = None  # its predicate is about a type, too


def _row(field: str, row: list[object], instance: LocaleInstance, kept: set[str]) -> list[object] | None:
    """A row of the locale's notation at an instance; None where nobody can write it there: notation of a parameter
    goes with its name, that of a constant holds where it is about the same parameters."""
    if field != "productions":
        return row if not instance.prefix and len(kept) == len(instance.values) else None
    head = str(row[2])
    if head.startswith(_FIXED):
        return row if head.removeprefix(_FIXED) in kept else None
    if head.startswith(_LOCAL):
        name = head.removeprefix(_LOCAL)
        about = {node.name for node in frees(instance.above.local.get(f"local.{name}", Free("")))}
        same = all(isinstance(v := instance.values.get(each), Free) and v.name == each for each in about)
        prefix = f"{instance.prefix}." if instance.prefix and not instance.optional else ""
        return [*row[:2], f"{_LOCAL}{prefix}{name}", *row[3:]] if same else None
    return row
