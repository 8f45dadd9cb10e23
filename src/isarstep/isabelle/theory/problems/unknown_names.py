"""Names that a context does not know: which of them may be variables, and what is asked about the others.

Whoever fixes a name, or gives its type, has a variable. Without that, a letter with digits or primes behind it (x, f',
P₁) is one, and so is a name of at most three letters (xs, eps) that is applied to nothing, as mathematicians write.
Any other name that is not known is a question: it may be misspelt, or a constant of a theory that is not imported.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from isarstep.isabelle.context.theory_contexts import TheoryContext
from isarstep.isabelle.inference.infer import CONSTRAINT
from isarstep.isabelle.syntax.grammar.symbols import from_isabelle
from isarstep.isabelle.terms.terms import App, Const, Free, Term, subterms

_END = r"(?:[0-9'₀-₉]|⇩[A-Za-z0-9]+|_[A-Za-z0-9]{1,3})*"
_LETTER = re.compile(rf"[^\W\d_]{_END}")
_MOST_TOLD = 3  # theories
_SHORT = re.compile(rf"[^\W\d_]{{1,3}}{_END}")


def unknown_names(marked: Term, fixed: Collection[str]) -> Iterator[str]:
    """Free names of a statement as it was read that are no variables, in order; `fixed` has those that surely are."""
    nodes = list(subterms(marked))
    applications = [(node.fun, node.arg) for node in nodes if type(node) is App]
    marked_parts = (arg for head, arg in applications if type(head) is Const and head.name == CONSTRAINT)
    declared = {part.name for part in marked_parts if type(part) is Free} | set(fixed)
    applied = {head.name for head, _ in applications if type(head) is Free}
    for node in nodes:
        if type(node) is not Free or node.name in declared or node.name.startswith("<"):
            continue
        shown = from_isabelle(node.name)
        if not _LETTER.fullmatch(shown) and (node.name in applied or not _SHORT.fullmatch(shown)):
            yield shown


def annotated(text: str) -> set[str]:
    """Names that a text gives a type: `(x :: nat)`."""
    return set(re.findall(r"([^\W\d][\w']*)\s*::", text))


def question(name: str, theory_context: TheoryContext) -> str:
    """What is asked about a name that a context does not know."""
    theories = theory_context.elsewhere(name)
    says = f"{name} is not known in {theory_context.name}"
    if theories:
        shown = " or ".join(theories[:_MOST_TOLD]) + (" or ..." if len(theories) > _MOST_TOLD else "")
        return f"{says}; import {shown}? If it is a variable, fix it or give its type"
    meant = theory_context.language.constants.like(name)
    return f"{says}; " + (f"is {meant} meant? If" if meant else "if") + " it is a variable, fix it or give its type"
