"""Read a text in which variables go by the names that they are shown under: x₀ for `<X0>`, or a user's own."""

from __future__ import annotations

from isarstep.isabelle.inference.infer import PROP
from isarstep.isabelle.syntax.grammar.language import Language
from isarstep.isabelle.syntax.grammar.symbols import from_isabelle, to_isabelle
from isarstep.isabelle.syntax.reading.reader import Statement, read_statement
from isarstep.isabelle.syntax.reading.translation import Spans
from isarstep.isabelle.syntax.writing.names import Names
from isarstep.isabelle.terms.terms import Free, Term, Var, substitute, subterms


def read_named(
    text: str, language: Language, names: Names, *, prop: bool = True, spans: Spans | None = None
) -> Statement:
    """The statement (or, without `prop`, the term) that the text is; `spans` is filled with where its parts stand."""
    fixed = {to_isabelle(name) for name in names.fixed}
    found = read_statement(text, language, fixed, wanted=PROP if prop else None, spans=spans)

    def own(leaf: Free | Var) -> Term | None:
        return names.variable(from_isabelle(leaf.name)) if type(leaf) is Free else None

    term, marked = substitute(found.term, own), substitute(found.marked, own)
    if spans is not None and marked is not found.marked:
        pairs = zip(subterms(found.marked), subterms(marked), strict=True)
        now = {id(old): new for old, new in pairs}
        spans[:] = [(now.get(id(old), old), begin, end) for old, begin, end in spans]
    return Statement(term, marked)
