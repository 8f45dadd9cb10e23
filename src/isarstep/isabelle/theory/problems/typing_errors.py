"""Where in a text a clash of types stands, and what it is in notation."""

from __future__ import annotations

from isarstep.isabelle.inference.annotations import without_marks
from isarstep.isabelle.inference.infer import TypingError
from isarstep.isabelle.syntax.reading.translation import Spans
from isarstep.isabelle.syntax.writing.names import Names
from isarstep.isabelle.syntax.writing.printing import to_unicode
from isarstep.isabelle.terms.terms import Term, subterms
from isarstep.isabelle.terms.type_text import show_type


def locate_clash(error: TypingError, root: Term, spans: Spans, length: int) -> tuple[int | None, int | None]:
    """The smallest piece of the text that contains the clash; nothing where tokens were read."""
    if not spans:
        return None, None
    known = {id(term): (begin, end) for term, begin, end in spans}
    if error.application is None:
        return 0, length
    if id(error.application.arg) in known:
        return known[id(error.application.arg)]
    if id(error.application) in known:
        return known[id(error.application)]
    best = (0, length)
    around = {id(node) for node in subterms(error.application)}
    for term, begin, end in spans:
        inside = any(node is error.application for node in subterms(term))
        if id(term) not in around and inside and end - begin < best[1] - best[0]:
            best = (begin, end)
    return best


def explain_clash(error: TypingError, names: Names) -> str:
    """In notation, not in tokens."""
    if error.application is None or error.found is None:
        return str(error)
    argument, function = (
        shorten(to_unicode(without_marks(part), names, prop=False))
        for part in (error.application.arg, error.application.fun)
    )
    if error.wanted is None:
        return f"{function} is no function, but is applied to {argument}"
    why = str(error).rpartition("; ")[2] if "; " in str(error) else ""
    clash = f"{argument} has type {show_type(error.found)}, expected is {show_type(error.wanted)}"
    return clash + (f" ({why})" if why else "")


def shorten(text: str, limit: int = 80) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
