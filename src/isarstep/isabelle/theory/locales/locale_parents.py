"""`locale b = a x y + p: c for x y + ...`: what a locale has from those that it rests on, under its own names."""

from __future__ import annotations

from isarstep.isabelle.terms.terms import frees
from isarstep.isabelle.theory.environment.declarations import MOST_ARGUMENTS, NewName
from isarstep.isabelle.theory.environment.file_environment import OwnContext, TokenReader
from isarstep.isabelle.theory.environment.locale_tables import Locale, LocaleInstance
from isarstep.isabelle.theory.locales.locale_expressions import read_expression
from isarstep.isabelle.theory.text.mixfix import mixfix_rows
from isarstep.isabelle.theory.text.statements import NotRead, type_names


def import_locales(context: OwnContext, reader: TokenReader, made: Locale, parts: tuple[str, ...]) -> None:
    """Read what stands between `=` and the elements, and put it into the locale. Raises NotRead."""
    expression = read_expression(context, reader, context.scope(), *parts, implicit=True)
    if not reader.accept("+") and reader.here is not None and not reader.is_keyword(*parts):
        raise reader.refused("an import of a locale in this form is not read")
    made.parameters = dict(expression.parameters)
    for instance in expression.instances:
        _import(context, made, instance)
    for new in expression.fixed:
        note_notation(context, made, new)


def note_notation(context: OwnContext, made: Locale, new: NewName) -> None:
    """Of a parameter of the locale."""
    if new.mixfix and new.mixfix[0].keyword("structure"):
        made.structures = (*made.structures, new.name)
    elif new.mixfix:
        rows = mixfix_rows(new.mixfix, context.source, new.name, MOST_ARGUMENTS, fixed=True)
        made.own_rows.setdefault("productions", []).extend(rows)


def _import(context: OwnContext, made: Locale, instance: LocaleInstance) -> None:
    depend_on(context, made, instance)
    above = instance.above
    structures = (each for each in above.structures if each in instance.kept and each not in made.structures)
    made.structures = (*made.structures, *structures)
    if above.assumes_of is None or made.assumes_of is None:
        made.assumes_of = None
        return
    about = [node.name for each in above.assumes_of for node in frees(instance.values[each])]
    made.assumes_of = tuple(dict.fromkeys((*made.assumes_of, *(each for each in about if each in made.parameters))))
    types = type_names(typ for name, typ in made.parameters.items() if name in made.assumes_of)
    if type_names(instance.typed(above.parameters[each]) for each in above.assumes_of) - types:
        made.assumes_of = None  # its predicate is about a type, too


def depend_on(context: OwnContext, made: Locale, instance: LocaleInstance) -> None:
    """From now on the locale has all that the instance has, and those that rest on the locale have it, too."""
    if instance.rewritten:
        raise NotRead(context.source, instance.token.start, "an instance of a locale with `rewrites` is not read")
    made.dependencies.append(instance)
    for each in (*context.locales.values(), context.interpreted, made):
        if each.rests_on(made):
            each.forget()
