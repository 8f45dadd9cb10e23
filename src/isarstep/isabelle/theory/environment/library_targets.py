"""Locales and classes of the library as targets: parameters, notation and constants that are known inside."""

from __future__ import annotations

from isarstep.isabelle.syntax.grammar.symbols import to_isabelle
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.terms import Const, Free, TFree, Typ, list_comb, strip_fun
from isarstep.isabelle.terms.tokens import decode
from isarstep.isabelle.terms.type_text import parse_type, type_variables
from isarstep.isabelle.terms.types import fixed_type
from isarstep.isabelle.theory.environment.file_environment import OwnContext
from isarstep.isabelle.theory.environment.locale_tables import Locale, OwnFact
from isarstep.isabelle.theory.text.statements import NotRead

_NOTATION = ("productions", "no_productions", "rules", "no_rules", "parse_rules")
CLASS_TYPE = "'a"


def find_target(context: OwnContext, name: str, place: int) -> Locale:
    """The locale or class that a name means here, of the file or of the library. Raises NotRead."""
    known = context.locales.get(name)
    if known is None:  # by its theory
        known = next((each for each in context.locales.values() if each.name == to_isabelle(name)), None)
    if known is None:
        known = _of_library(context, to_isabelle(name), place)
        context.locales[name] = known
    return known


def _of_library(context: OwnContext, name: str, place: int) -> Locale:
    if name in context.unread.names:
        raise NotRead(context.source, place, f"the locale or class {name!r} is not read")
    locales = [full for full in context.language._locales if _means(name, full)]
    classes = [full for full in context.signature.classes if _means(name, full) and context.theory_context.exists(full)]
    found = [*locales, *classes]
    if not found:
        raise NotRead(context.source, place, f"{name!r} is no locale that is known here")
    rank = context.language._rank
    if len(found) > 1 and rank is not None:  # the one declared last is meant
        last = max(map(rank, found))
        found = [full for full in found if rank(full) == last]
    if len(found) > 1:
        raise NotRead(context.source, place, f"{name!r} may be several locales")
    return _locale(context, found[0], place) if found[0] in locales else class_target(found[0])


def _means(name: str, full: str) -> bool:
    return full == name or full.endswith("." + name)


def class_target(full: str) -> Locale:
    """Inside a class: its type is fixed, its operations are constants."""
    own = TFree(CLASS_TYPE, (full,))
    return Locale(full, sorts={CLASS_TYPE: own.sort}, class_type=own)


def locale_of_class(context: OwnContext, full: str, place: int) -> Locale:
    """A class of the library as a locale: its operations are parameters without names. All that is known is that they
    have the properties of the class; what is defined in the class is not read there."""
    theory, _, base = full.rpartition(".")
    predicate = context.signature.constants.get(f"{theory}.class.{base}")
    if predicate is None:
        raise NotRead(context.source, place, "this class as a locale is not read")

    made = Locale(full)
    for number, typ in enumerate(strip_fun(predicate.type)[0]):
        made.parameters[f"operation{number}~"] = fixed_type(typ)
        _note_sorts(typ, made)
    arguments = [Free(name, typ) for name, typ in made.parameters.items()]
    head = Const(predicate.name, fixed_type(predicate.type))
    made.assumes_of = tuple(made.parameters)
    made.facts[f"assumption_{full}"] = (OwnFact("", hol.trueprop(list_comb(head, arguments), typed=True)),)
    above = {each.rpartition(".")[2] for each in (full, *context.signature.classes[full])}
    for name in context.signature.constants:
        inside, _, short = name.rpartition(".")
        if inside.endswith("_class") and inside.rpartition(".")[2].removesuffix("_class") in above:
            made.local[f"local.{short}"] = Const(f"{full}: {short}")  # no constant: whoever names it is refused
    return made


def _locale(context: OwnContext, full: str, place: int) -> Locale:
    made = Locale(full)
    for row in context.language._locales[full]:
        for name, typ in row.get("parameters", ()):
            made.parameters[name] = parse_type(typ)
        made.structures = tuple(dict.fromkeys((*made.structures, *row.get("structures", ()))))
        made.local.update({name: decode(term) for name, term in row.get("constants", ())})
        for field in _NOTATION:
            made.own_rows.setdefault(field, []).extend(row.get(field, ()))
    if not made.parameters and not made.local:
        raise NotRead(context.source, place, f"the parameters of {full} are not known")
    made.own_rows = {field: rows for field, rows in made.own_rows.items() if rows}
    for typ in made.parameters.values():
        _note_sorts(typ, made)
    predicate = context.signature.constants.get(full)
    if predicate is not None and len(strip_fun(predicate.type)[0]) != len(made.parameters):
        made.assumes_of = None
    elif predicate is not None:
        made.assumes_of = tuple(made.parameters)
        made.predicate = hol.trueprop(list_comb(Const(full), [Free(parameter) for parameter in made.parameters]))
    return made


def _note_sorts(typ: Typ, made: Locale) -> None:
    made.sorts.update((variable.name, variable.sort) for variable in type_variables(typ))
