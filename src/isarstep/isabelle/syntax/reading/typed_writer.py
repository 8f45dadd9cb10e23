"""Write a typed proposition so that its text alone, with the types of its free variables, means exactly this term."""

from __future__ import annotations

from collections.abc import Mapping

from isarstep.common.errors import UserError
from isarstep.isabelle.inference.infer import infer
from isarstep.isabelle.inference.typed_lines import fixed_variables
from isarstep.isabelle.syntax.grammar.language import Language
from isarstep.isabelle.syntax.reading.reader import read_formula
from isarstep.isabelle.syntax.writing.writer import write_formula
from isarstep.isabelle.terms.terms import Term, erase, frees


def write_typed(
    term: Term, language: Language, *, names: Mapping[str, str] | None = None, beside_others: bool = False
) -> str:
    """A typed proposition as text that means it, given the types of its free variables; types inside where needed.

    `beside_others`: its type variables are those of other statements, so that those which no free variable's type
    mentions are written, too. Without that they are left out where the text alone gets the same names for them.
    """
    context = {free.name: free.type for free in frees(term) if free.type is not None}
    try:
        fixed = fixed_variables([term]) if beside_others else ()
        decided = infer([erase(term)], language.signature, context, fixed=fixed).propositions[0] == term
    except UserError:
        decided = False
    if decided:
        return write_formula(term, language, names=names)
    text = write_formula(term, language, names=names, typed=True)
    try:
        decided = names is not None or read_formula(text, language, context).term == term
    except UserError:
        decided = False
    return text if decided else write_formula(term, language, names=names, typed=True, functions=True)
