"""`sublocale` inside a locale, or `sublocale a < b`: the locale has what the other one has, at the terms given for its
parameters. `interpretation` of a locale: the theory has it."""

from __future__ import annotations

from dataclasses import replace

from isarstep.common.errors import UserError
from isarstep.isabelle.inference.annotations import without_marks
from isarstep.isabelle.inference.infer import infer
from isarstep.isabelle.terms.terms import Term, erase, frees
from isarstep.isabelle.theory.environment.file_environment import OwnContext, TokenReader
from isarstep.isabelle.theory.environment.library_targets import find_target
from isarstep.isabelle.theory.environment.locale_tables import Locale, LocaleInstance, activated, numbered_names
from isarstep.isabelle.theory.locales.locale_expressions import read_expression
from isarstep.isabelle.theory.locales.locale_parents import depend_on
from isarstep.isabelle.theory.proofs.proof_block import type_of_term
from isarstep.isabelle.theory.text.statements import NotRead, generalised

_BELOW = ("<", "\\<subseteq>", "⊆")


def sublocale(context: OwnContext, reader: TokenReader, *, unproved: bool, immediate: bool) -> None:
    """Put facts and constants of the instances into the locale. Raises NotRead, and then nothing is changed."""
    following, before = reader.ahead(), context.target
    if following is not None and following.keyword(*_BELOW):
        if before is not None:
            raise reader.refused("`sublocale` of another locale inside a context is not read")
        name = reader.name()
        target = find_target(context, name.text, name.start)
        reader.take()
    elif before is None or not before.name or before.class_type is not None:
        raise reader.refused("`sublocale` is read for a locale")
    else:
        target = before
    if target.name.partition(".")[0] not in context._rank:
        raise NotRead(context.source, reader.start, "`sublocale` of a locale of the library is not read")
    context.enter(target)
    try:
        expression = read_expression(context, reader, context.scope(), implicit=False)
        reader.end()
        if expression.fixed:
            raise NotRead(context.source, reader.start, "`sublocale` with `for` is not read")
        unproved = unproved or (immediate and _is_new(expression.instances, target, context.interpreted))
        _depend(context, target, expression.instances, reader.start, unproved=unproved)
    finally:
        context.leave() if before is None else context.enter(before)


def _depend(
    context: OwnContext, target: Locale, instances: list[LocaleInstance], place: int, *, unproved: bool
) -> None:
    old = list(target.dependencies)
    clashes = {name: each.clashes for name, each in context.locales.items()}
    try:
        unproved = unproved or _known_by_sorry(instances, target, context.interpreted)
        context.unproved_instances |= unproved
        for instance in instances:
            instance.unproved = unproved
            depend_on(context, target, instance)
        for name, each in context.locales.items():
            each.refresh()
            if each.clashes != clashes[name]:
                raise NotRead(context.source, place, "`sublocale` that hides a name of a locale is not read")
        for instance in instances:
            if target.name in context.lost:
                context.lose(instance.above, context.lost[target.name])
    except UserError as error:
        target.dependencies = old
        for each in context.locales.values():
            if each.rests_on(target):
                each.forget()
        raise error if isinstance(error, NotRead) else NotRead(context.source, place, str(error)) from None


def interpretation(context: OwnContext, reader: TokenReader, *, unproved: bool, immediate: bool) -> None:
    """Constants of the locale at these terms are abbreviations, as Isabelle declares them. Raises NotRead."""
    if context.target is not None:
        raise reader.refused("an interpretation inside a context is not read")
    expression = read_expression(context, reader, context.scope(), implicit=False)
    reader.end()
    if expression.fixed or any(each.rewritten for each in expression.instances):
        raise NotRead(context.source, reader.start, "an interpretation with `for` or `rewrites` is not read")
    try:
        unproved = unproved or _known_by_sorry(expression.instances, context.interpreted)
        unproved = unproved or (immediate and _is_new(expression.instances, context.interpreted))
        context.unproved_instances |= unproved
        for instance in expression.instances:
            instance.unproved = unproved
        below = activated(expression.instances)
    except UserError as error:
        raise NotRead(context.source, reader.start, str(error)) from None
    if any(_has_notation_of_its_own(each.above) for each in below):
        raise NotRead(
            context.source, reader.start, "an interpretation of a locale with notation without parameters is not read"
        )
    old, known = context.interpreted, context.interpreted.copy()
    context.interpreted = known
    try:
        for instance in expression.instances:
            depend_on(context, known, instance)
        for name, term in _new_constants(context):
            _abbreviate(context, name, term, reader.start)
    except UserError:
        context.interpreted = old
        raise


def _known_by_sorry(instances: list[LocaleInstance], *known: Locale) -> bool:
    """May these have been shown by an instance that rests on `sorry`?"""
    unproved = {_at(each) for locale in known for each in locale.below if each.unproved}
    return any(_at(each) in unproved for each in activated(instances))


def _is_new(instances: list[LocaleInstance], *known: Locale) -> bool:
    """Is something assumed in one of these that is not known? A proof by what is known does not show it."""
    before = {_at(each) for locale in known for each in locale.below}
    return any(each.above.assumed and _at(each) not in before for each in activated(instances))


def _at(instance: LocaleInstance) -> tuple[object, ...]:
    name, *values = instance.identity
    return name, *(erase(value) for value in values if isinstance(value, Term))


def interpret_later(context: OwnContext, place: int) -> None:
    """What locales have declared since that the theory is an instance of."""
    with context.returning():
        for name, term in _new_constants(context):
            context.leave()
            try:
                _abbreviate(context, name, term, place)
            except UserError:
                base = name.partition(".")[2]
                context.unread.names[base] = f"an instance of a locale at {context.source.where(place)}"


def _new_constants(context: OwnContext) -> list[tuple[str, Term]]:
    """Those of locales that the theory is an instance of; their facts are noted here."""
    known = context.interpreted
    before, old = known.facts.maps[1], known.local.maps[1]
    known.refresh()
    for name, facts in known.facts.maps[1].items():
        if before.get(name) != facts:
            full = f"{context.theory}.{name}"
            named = zip(facts, numbered_names(full, len(facts)), strict=True)
            context.facts[full] = tuple(
                replace(fact, name=fact.name and each, prop=generalised(fact.prop)) for fact, each in named
            )
    new = ((name, term) for name, term in known.local.maps[1].items() if name not in old)
    return [(f"{context.theory}.{name.removeprefix('local.')}", term) for name, term in new]


def _has_notation_of_its_own(above: Locale) -> bool:
    """Of a constant that no parameter is in: other notation is not carried to other terms."""
    rows = above.own_rows.get("productions", [])
    named = [str(row[2]).removeprefix("\\<^const>") for row in rows if str(row[2]).startswith("\\<^const>local.")]
    return any(not frees(above.local[name]) for name in named if name in above.local)


def _abbreviate(context: OwnContext, full: str, term: Term, place: int) -> None:
    if full in context.constants:
        raise NotRead(context.source, place, f"{full} is declared twice")
    made = without_marks(infer([term], context.signature, wanted=None).propositions[0])
    context.declare_constant(full, type_of_term(made), made, printed=False)
    context.language.constants.optional[full] = f"1{'0' * full.count('.')}"  # its prefixes have to be written
