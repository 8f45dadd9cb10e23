"""Constants whose declaration is read in part: name, type and notation are known, what defines them is not.

A statement about such a constant is read; no fact says anything about it.
"""

from __future__ import annotations

from isarstep.logic.terms import strip_fun
from isarstep.theory.declarations import NewName, new_names, recursive_text, type_parameters
from isarstep.theory.mixfix import mixfix_rows
from isarstep.theory.own_context import OwnContext, TokenReader

BARE = (
    "definition", "fun", "primrec", "function", "inductive", "inductive_set", "coinductive", "coinductive_set",
    "lift_definition", "quotient_definition", "partial_function", "primcorec",
)  # fmt: skip
_ENDS = ("where", "is", "for", "monos", "parametric")


def bare_constants(context: OwnContext, reader: TokenReader) -> list[str]:
    """Declare what the command names with a type; the names, none where this cannot be said for sure. Raises UserError.

    Inside a locale a constant takes those parameters that its definition mentions, so that has to be read."""
    if reader.command not in BARE:
        return []
    begin = reader.at
    if context.parameters:
        return _by_reading(context, reader)
    while reader.is_keyword("(", "["):
        reader.bracket()
    new = new_names(reader, context.scope(), *_ENDS)
    if not new or not reader.is_keyword(*_ENDS):
        return []
    if any(each.type is None for each in new):
        reader.at = begin
        return _by_reading(context, reader)
    return [_declare(context, each) for each in new]


def _by_reading(context: OwnContext, reader: TokenReader) -> list[str]:
    """What defines them says their types, and which parameters of the locale they take."""
    if reader.command not in ("fun", "primrec", "function", "inductive", "inductive_set"):
        return []
    if reader.is_keyword("("):
        reader.bracket()
    text = recursive_text(context, reader)
    if text.strange:
        return []  # Isabelle would give them arguments for these types
    made = []
    for each in text.names:
        full, _ = context.declare_applied(each.name, text.types[each.name], text.used)
        context.bare[full] = context.source.where(each.token.start)
        made.append(full)
    return made


def _declare(context: OwnContext, new: NewName) -> str:
    assert new.type is not None
    name = context.full_name(new.name)
    if name not in context.constants:
        context.declare_constant(name, new.type)
    if new.mixfix:
        rows = mixfix_rows(new.mixfix, context.source, name, len(strip_fun(new.type)[0]))
        known = context.rows["productions"]
        context.add_notation(row for row in rows if row not in known)
    context.bare[name] = context.source.where(new.token.start)
    return name


def bare_type(context: OwnContext, reader: TokenReader) -> None:
    """The type that `typedef` or `quotient_type` declares, without what connects it to the type that it is made of."""
    reader.option("overloaded")
    variables = type_parameters(reader)
    name = reader.name()
    mixfix = reader.mixfix()
    if context.parameters or not reader.is_keyword("="):
        return
    full = context.declare_type(name.text, len(variables))
    context.add_mixfix(mixfix, full, len(variables), "type")
