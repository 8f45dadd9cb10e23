"""Constants whose declaration is read in part: name, type and notation are known, what defines them is not.

A statement about such a constant is read; no fact says anything about it.
"""

from __future__ import annotations

from isarstep.isabelle.terms.terms import strip_fun
from isarstep.isabelle.theory.environment.declarations import NewName, new_names, recursive_text, type_parameters
from isarstep.isabelle.theory.environment.file_environment import OwnContext, TokenReader
from isarstep.isabelle.theory.text.mixfix import mixfix_rows

BARE = (
    "definition", "fun", "primrec", "function", "inductive", "inductive_set", "coinductive", "coinductive_set",
    "lift_definition", "quotient_definition", "partial_function", "primcorec",
)  # fmt: skip
_ENDS = ("where", "is", "for", "monos", "parametric")


def bare_constants(context: OwnContext, reader: TokenReader) -> None:
    """Declare what the command names with a type; nothing where this cannot be said for sure. Raises UserError.

    Inside a locale a constant takes those parameters that its definition mentions, so that has to be read."""
    if reader.command not in BARE:
        return
    begin = reader.at
    if not context.parameters:
        while reader.is_keyword("(", "["):
            reader.bracket()
        new = new_names(reader, context.scope(), *_ENDS)
        if not new or not reader.is_keyword(*_ENDS):
            return
        if all(each.type is not None for each in new):
            for each in new:
                _declare(context, each)
            return
        reader.at = begin
    _by_reading(context, reader)


def _by_reading(context: OwnContext, reader: TokenReader) -> None:
    """What defines them says their types, and which parameters of the locale they take."""
    if reader.command not in ("fun", "primrec", "function", "inductive", "inductive_set"):
        return
    if reader.is_keyword("("):
        reader.bracket()
    text = recursive_text(context, reader)
    for each in () if text.strange else text.names:  # Isabelle would give them arguments for strange types
        full, _ = context.declare_applied(each.name, text.types[each.name], text.used)
        context.bare[full] = context.source.where(each.token.start)


def _declare(context: OwnContext, new: NewName) -> None:
    assert new.type is not None
    name = context.full_name(new.name)
    if name not in context.constants:
        context.declare_constant(name, new.type)
    if new.mixfix:
        rows = mixfix_rows(new.mixfix, context.source, name, len(strip_fun(new.type)[0]))
        known = context.rows["productions"]
        context.add_notation(row for row in rows if row not in known)
    context.bare[name] = context.source.where(new.token.start)


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
