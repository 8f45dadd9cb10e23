"""Propositions for people where no signature is at hand: on a terminal as Unicode, in a notebook as LaTeX.

Notation is that of the package's own table; a constant without one is shown by the end of its name that tells it from
the others beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from isarstep.isabelle.syntax.grammar.symbols import from_isabelle
from isarstep.isabelle.syntax.writing.names import Names
from isarstep.isabelle.syntax.writing.printing import to_latex, to_unicode
from isarstep.isabelle.terms.terms import Term, constants
from isarstep.isabelle.terms.tokens import TokenError, decode


def names_beside(terms: Iterable[Term], variables: Mapping[str, str] | None = None) -> Names:
    """Names for some terms; variables are shown as people called them, where that can be written."""
    names = Names(dict.fromkeys(const.name for term in terms for const in constants(term)))
    return names.with_fitting({variable: from_isabelle(called) for variable, called in (variables or {}).items()})


def latex_of(term: Term) -> str:
    """One proposition in math mode, for a notebook."""
    return f"${to_latex(term, names_beside([term]))}$"


class ReadableLines:
    """Some lines of tokens that belong together; one that is no term is shown as it is."""

    def __init__(self, lines: Iterable[str], variables: Mapping[str, str]) -> None:
        self._terms: dict[str, Term] = {}
        for line in lines:
            try:
                self._terms[line] = decode(line)
            except TokenError:
                continue
        self._names = names_beside(self._terms.values(), variables)

    def text(self, line: str) -> str:
        return to_unicode(self._terms[line], self._names) if line in self._terms else line

    def latex(self, line: str) -> str:
        return f"${to_latex(self._terms[line], self._names)}$" if line in self._terms else f"`{line}`"
