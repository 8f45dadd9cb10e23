"""Facts of the asker's own theory that a question is about: those that share its constants, and what these lead to."""

from __future__ import annotations

from collections.abc import Iterable

from isarstep.common.errors import UserError
from isarstep.isabelle.context.monomorphisation import LOGICAL, Named
from isarstep.isabelle.context.theory_contexts import TheoryContext
from isarstep.isabelle.syntax.grammar.abbreviations import expand
from isarstep.isabelle.terms.terms import Term, constants

MOST = 96
ROUNDS = 3


def own_facts_about(theory_context: TheoryContext, terms: Iterable[Term]) -> tuple[tuple[Named, ...], frozenset[str]]:
    """Facts of the theory at all their types, and the names of those that are simp rules."""
    if not theory_context.own_facts:
        return (), frozenset()
    mentioned = {constant.name for term in terms for constant in constants(term)}
    waiting = [(fact, _about(fact[1])) for fact in theory_context.own_facts]
    chosen: dict[str, tuple[Term, bool]] = {}
    for _ in range(ROUNDS):
        near = [(fact, about) for fact, about in waiting if _near(about, mentioned, theory_context)]
        waiting = [pair for pair in waiting if pair not in near]
        for (name, prop, simp), about in near:
            if len(chosen) < MOST:
                chosen[name] = (prop, simp)
                mentioned |= about
        if not near:
            break
    made = []
    for name, (prop, _) in chosen.items():
        try:
            made.append(Named(name, expand(prop, theory_context.signature), here=True))
        except UserError:
            continue
    return tuple(made), frozenset(name for name, (_, simp) in chosen.items() if simp)


def _about(prop: Term) -> frozenset[str]:
    return frozenset(constant.name for constant in constants(prop)) - LOGICAL


def _near(about: frozenset[str], mentioned: set[str], theory_context: TheoryContext) -> bool:
    """Does it speak of a constant of the theory that is mentioned, or of mentioned things alone?"""
    own = {name for name in about if not theory_context.of_library(name)}
    return bool(own & mentioned) if own else about <= mentioned
