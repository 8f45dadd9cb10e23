"""A statement whose types fit only with declared coercions: they are put in, as Isabelle does, and shown."""

from __future__ import annotations

from collections.abc import Sequence

from isarstep.isabelle.inference.annotations import only_marks_typed, without_marks
from isarstep.isabelle.inference.coercions import infer_with_coercions
from isarstep.isabelle.inference.infer import Context, TypingError, infer_context
from isarstep.isabelle.syntax.reading.reader import Statement
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import Term, erase, untyped


def coerced_statement(
    statement: Statement, before: Sequence[Term], signature: Signature, context: Context
) -> tuple[Statement, Context] | None:
    """The statement with coercions, after others that were typed before, and the types of all variables; None where
    there are none that fit, or where the others would need some, too."""
    try:
        typing = infer_with_coercions([*before, statement.marked], signature, context)
    except TypingError:
        return None
    *others, last = typing.propositions
    if [erase(without_marks(term)) for term in others] != [erase(without_marks(term)) for term in before]:
        return None
    made = Statement(untyped(without_marks(last)), only_marks_typed(last))
    try:
        return made, infer_context([*before, made.marked], signature, context)
    except TypingError:
        return None
