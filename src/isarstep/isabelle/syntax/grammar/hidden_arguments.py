"""Arguments that nobody writes: a constant that was defined inside `context fixes x` takes x first, and inside that
context its name alone stands for it applied to x. Which variables these are nobody records; types tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from isarstep.isabelle.inference.infer import TypingError
from isarstep.isabelle.syntax.grammar.language import Language, leading_variables
from isarstep.isabelle.terms.terms import Abs, Const, Free, Term, Typ, list_comb, strip_comb, strip_fun, subterms
from isarstep.isabelle.terms.types import match_type

Hidden: TypeAlias = Mapping[str, tuple[str, ...]]  # constant -> variables that it takes after those of its locale
MOST_ATTEMPTS = 24


def with_hidden(term: Term, hidden: Hidden) -> Term:
    """What a name stands for, with hidden arguments behind the variables that its constant is already applied to.

    A function, which abbreviates something about such a constant, takes them itself.
    """
    if type(term) is Abs:
        names = [node.name for node in subterms(term) if type(node) is Const and node.name in hidden]
        return list_comb(term, [Free(name) for name in hidden[names[0]]]) if names else term
    head, arguments = strip_comb(term)
    if type(head) is not Const or head.name not in hidden:
        return term if not arguments else list_comb(head, [with_hidden(argument, hidden) for argument in arguments])
    count = leading_variables(arguments)
    more: list[Term] = [Free(name) for name in hidden[head.name]]
    return list_comb(head, [*arguments[:count], *more, *arguments[count:]])


def longer(
    error: TypingError, hidden: dict[str, tuple[str, ...]], language: Language, fixed: Mapping[str, Typ]
) -> Iterator[dict[str, tuple[str, ...]]]:
    """Ways to explain a clash by one more hidden argument of a constant of the theory in which one is."""
    if error.application is None or not language.home:
        return
    order, constants = list(fixed), language.signature.constants
    names = (node.name for node in subterms(error.application) if type(node) is Const)
    for name in dict.fromkeys(names):
        if not name.startswith(language.home + ".") or name not in constants:
            continue
        wanted = strip_fun(constants[name].type)[0]
        known = hidden.get(name, ())
        place = language.parameters_of(name) + len(known)
        if place >= len(wanted):
            continue
        for variable in order[order.index(known[-1]) + 1 if known else 0 :]:
            if match_type(wanted[place], fixed[variable], {}):
                yield {**hidden, name: (*known, variable)}
