"""What rests on `sorry`: lemmas by their names, also those that are not read, and all that automation may have used.

Isabelle accepts a proof by something that is not proved; here it proves nothing. Names are compared by their last part:
`foo`, `local.foo`, `a.foo` of a locale and `i.foo` of an instance are one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from isarstep.theory.outer import DECLARATIONS, STATEMENTS, UNREAD_GOALS, OuterCommand
from isarstep.theory.own_context import OwnContext
from isarstep.theory.unread_symbols import IN_CODE

_SORRY = ("sorry", "\\<proof>")
_NAME = re.compile(r"[^\W\d][\w'.]*")
_NAMING = ("lemmas", "declare")  # facts, and nothing else
_INSTANCES = ("interpretation", "global_interpretation", "sublocale")
_BY_INSTANCES = ("unfold_locales", "intro_locales", "standard")  # methods that take what is known to be an instance
_USING = ("notes", "monos", "rewrites")  # facts behind it are used


def rests_on_sorry(context: OwnContext, command: OuterCommand, proof: Sequence[OuterCommand]) -> bool:
    """Is something in the proof of a command, or something that is named there, not proved?"""
    if context.hidden_by_sorry or any(each.name in _SORRY for each in proof):
        return True
    if context.unproved_instances and context.locale_attributes:
        return True  # rules of the locale are those of automation
    names = set(_names((command, *proof) if _names_facts(command) else proof))
    if command.name in STATEMENTS and context.unproved_instances and not names.isdisjoint(_BY_INSTANCES):
        return True
    return any(each.rpartition(".")[2] in context.unproved for each in names) or _instance_named(context, names)


def _instance_named(context: OwnContext, names: set[str]) -> bool:
    """Is one of them a fact of an instance that rests on `sorry`?"""
    if not context.unproved_instances:
        return False
    ends = tuple(f".{name.removeprefix('local.')}" for name in names)
    tables = [context.facts, *([context.target.facts] if context.target is not None else [])]
    return any(
        f".{full}".endswith(ends) and any(fact.unproved for fact in facts)
        for table in tables
        for full, facts in table.items()
    )


def note_unproved(context: OwnContext, command: OuterCommand, proof: Sequence[OuterCommand]) -> None:
    """Keep what a command leaves behind that rests on `sorry`."""
    attributes = any(token.keyword("[") for token in command.tokens)
    if attributes and (context.target is not None or any(token.keyword("in", "=") for token in command.tokens)):
        context.locale_attributes = True
    if command.name == "default_sort":  # of type variables that are written without one: facts would say too much
        context.hidden_by_sorry = True
    if command.name == "notepad" or any(each.name == "oops" for each in proof):
        return
    if not rests_on_sorry(context, command, proof):
        return
    if command.name in STATEMENTS:
        pairs = pairwise(command.tokens)
        labels = [t.text for t, sign in pairs if sign.keyword(":", "[") and t.kind in ("name", "string")]
        context.unproved |= {each.rpartition(".")[2] for each in labels}
    elif command.name == "lemmas":
        context.unproved |= {each.rpartition(".")[2] for each in _names((command,))}
    if command.name in _INSTANCES:
        context.unproved_instances = True
    elif command.name not in (*STATEMENTS, "lemmas") or attributes:
        context.hidden_by_sorry = True


def _names_facts(command: OuterCommand) -> bool:
    """May it use facts that it names outside of a proof? What it declares may have the name of a lemma elsewhere."""
    if command.name in (*DECLARATIONS, *STATEMENTS, *UNREAD_GOALS, "class"):
        return command.name in _NAMING or any(token.keyword(*_USING) for token in command.tokens)
    return True


def _names(commands: Iterable[OuterCommand]) -> Iterator[str]:
    """Whatever may be the name of a fact; in ML, every word."""
    for command in commands:
        code = command.name in (*IN_CODE, "ML_prf") or any(token.text.endswith("tactic") for token in command.tokens)
        for token in command.tokens:
            words = _NAME.findall(token.text) if code else [token.text] if _NAME.fullmatch(token.text) else ()
            yield from words
