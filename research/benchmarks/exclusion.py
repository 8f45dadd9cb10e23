"""Why a proposition could not be written under the constraints: each of them in plain words, over a whole proposition.

Used to count the references that a constraint excludes, and to test the fast constraints against.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from isarstep.benchmark.store.special_tokens import SPECIALS, UNK
from isarstep.common.errors import UserError
from isarstep.isabelle.context.theory_contexts import Exists
from isarstep.isabelle.inference.infer import Context, well_formed
from isarstep.isabelle.inference.partial_inference import Kind, Unfinished
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import constants, frees, loose, schematics
from isarstep.isabelle.terms.tokens import decode, encode
from isarstep.model.decode.constraints import kind_of


def grammar_objection(tokens: Sequence[str], variables: Collection[str]) -> str | None:
    """The tokens must be those of a closed term over the example's variables, its schematic variables numbered."""
    if SPECIALS[UNK] in tokens:
        return "a token that is not in the vocabulary"
    try:
        term = decode(tokens)
    except UserError:
        return "not a term"
    if encode(term) != list(tokens):
        return "brackets that are not needed"
    if loose(term):
        return "a bound variable without an abstraction"
    if any(kind_of(constant.name) != Kind.CONSTANT for constant in constants(term)):
        return "a constant with the name of a variable, a number or a word of the encoding"
    names = [variable.name for variable in frees(term)]
    if any(not re.fullmatch(r"<X\d+>", name) for name in names):
        return "a free variable without a number"
    if not set(names) <= set(variables):
        return "a variable that is neither fixed nor in the source"
    numbers = [re.fullmatch(r"<V(\d+)>", variable.name) for variable in schematics(term)]
    if [number and int(number[1]) for number in numbers] != list(range(len(numbers))):
        return "schematic variables in another order"
    return None


def types_objection(tokens: Sequence[str], signature: Signature, context: Context, exists: Exists) -> str | None:
    """The tokens must be those of a well-typed proposition in the context, of constants that can be known there."""
    if not all(exists(token) for token in tokens if kind_of(token) == Kind.CONSTANT):
        return "a constant that neither a theory above, an earlier proof nor the source mentions"
    judgement = well_formed(tokens, signature, context)
    return None if judgement else judgement.reason


def dropped_prefix(tokens: Sequence[str], signature: Signature, context: Context) -> Sequence[str] | None:
    """The first prefix of a proposition that the types constraint would take for a dead end; None: it never would."""
    state: Unfinished | None = Unfinished.nothing(signature, context)
    for end, token in enumerate(tokens, 1):
        state = state.followed_by(token, kind_of(token)) if state is not None else None
        if state is None:
            return tokens[:end]
    assert state is not None
    return None if state.complete() else tokens
