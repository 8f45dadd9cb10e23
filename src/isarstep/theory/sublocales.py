"""`sublocale` inside a locale, or `sublocale a < b`: the locale has what the other one has, at the terms given for its
parameters. `interpretation` of a locale: the theory has it."""

from __future__ import annotations

from dataclasses import replace

from isarstep.logic import hol
from isarstep.logic.annotations import without_marks
from isarstep.logic.infer import infer
from isarstep.logic.terms import Free, Term, frees
from isarstep.theory.library_targets import find_target
from isarstep.theory.locale_expressions import LocaleInstance, read_expression
from isarstep.theory.locale_parents import add_instance
from isarstep.theory.outer import OuterCommand
from isarstep.theory.own_context import Locale, OwnContext, OwnFact, TokenReader
from isarstep.theory.statements import NotRead, generalised

_BELOW = ("<", "\\<subseteq>", "⊆")


def sublocale(context: OwnContext, command: OuterCommand, *, unproved: bool) -> None:
    """Put facts and constants of the instances into the locale. Raises NotRead, and then nothing is changed."""
    reader = TokenReader(command.tokens, context.source, command.start)
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
    _refuse_later(context, target, command)
    context.enter(target)
    try:
        expression = read_expression(context, reader, context.scope(), implicit=False)
        reader.end()
        if expression.fixed:
            raise NotRead(context.source, command.start, "`sublocale` with `for` is not read")
        made = target.copy()
        for instance in expression.instances:
            _add(context, made, instance, command, unproved=unproved)
        target.facts, target.local, target.rows = made.facts, made.local, made.rows
    finally:
        context.leave() if before is None else context.enter(before)


def interpretation(context: OwnContext, command: OuterCommand, *, unproved: bool) -> None:
    """Constants of the locale at these terms are abbreviations, as Isabelle declares them. Raises NotRead."""
    reader = TokenReader(command.tokens, context.source, command.start)
    if context.target is not None:
        raise reader.refused("an interpretation inside a context is not read")
    expression = read_expression(context, reader, context.scope(), implicit=False)
    reader.end()
    if expression.fixed or any(each.rewritten for each in expression.instances):
        raise NotRead(context.source, command.start, "an interpretation with `for` or `rewrites` is not read")
    if any(_has_notation_of_its_own(each.above) for each in expression.instances):
        raise NotRead(
            context.source, command.start, "an interpretation of a locale with notation without parameters is not read"
        )
    for instance in expression.instances:
        for name, term in instance.constants():
            _abbreviate(context, f"{context.theory}.{name.removeprefix('local.')}", term, command)
        for name, facts in instance.facts():
            full = f"{context.theory}.{name}"
            context.facts[full] = tuple(
                replace(fact, prop=generalised(fact.prop), unproved=fact.unproved or unproved)
                for fact in _named(full, facts)
            )


def _named(full: str, facts: tuple[OwnFact, ...]) -> list[OwnFact]:
    if len(facts) == 1:
        return [replace(facts[0], name=facts[0].name and full)]
    return [replace(each, name=each.name and f"{full}({n})") for n, each in enumerate(facts, 1)]


def _has_notation_of_its_own(above: Locale) -> bool:
    """Of a constant that no parameter is in: other notation is not carried to other terms."""
    rows = above.rows.get("productions", [])
    named = [str(row[2]).removeprefix("\\<^const>") for row in rows if str(row[2]).startswith("\\<^const>local.")]
    return any(not frees(above.local[name]) for name in named if name in above.local)


def _abbreviate(context: OwnContext, full: str, term: Term, command: OuterCommand) -> None:
    if full in context.constants:
        raise NotRead(context.source, command.start, f"{full} is declared twice")
    typing = infer([hol.trueprop(hol.eq(Free("~"), term))], context.signature, {})
    sides = hol.dest_binary(hol.EQ, hol.dest_trueprop(typing.propositions[0]) or term)
    assert sides is not None
    context.declare_constant(full, typing.frees["~"], without_marks(sides[1]), printed=False)
    if full.count(".") > 1:
        context.language.constants.optional[full] = "100"  # its prefix has to be written


def _refuse_later(context: OwnContext, target: Locale, command: OuterCommand) -> None:
    """Locales that rest on this one have all of it, too: those that were declared before do not know it here."""
    own = target.name.partition(".")[0] in context._rank
    if not own or any(target.name in each.rests_on for each in context.locales.values()):
        raise NotRead(context.source, command.start, "`sublocale` behind a locale that rests on it is not read")


def _add(context: OwnContext, made: Locale, instance: LocaleInstance, command: OuterCommand, *, unproved: bool) -> None:
    own = dict(made.facts), dict(made.local)
    add_instance(context, made, instance)
    if unproved:
        made.facts.update(
            {name: tuple(map(_unproved, facts)) for name, facts in made.facts.items() if own[0].get(name) != facts}
        )
    if any(name in made.local and made.local[name] != term for name, term in own[1].items()):
        raise NotRead(context.source, command.start, "`sublocale` that hides a name of the locale is not read")


def _unproved(fact: OwnFact) -> OwnFact:
    return replace(fact, unproved=True)
