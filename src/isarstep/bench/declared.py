"""What a theory declares and where: the first of its proofs that mentions each of its constants, and its instances.

A step sees no constant that its theory declares only later. Graphs do not say where a constant was declared; that a
proof mentions it says that it was there before.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from isarstep.logic.terms import Abs, App, Const, Term
from isarstep.mine.graph import Graph


def declarations(graph: Graph) -> dict[str, Any]:
    """What a theory's row in the signature's table says of it."""
    return {
        "constants": dict(sorted(first_proofs(graph).items())),
        "arities": sorted(f"{constructor} {class_}" for constructor, class_, _ in graph.signature.arities),
    }


def first_proofs(graph: Graph) -> dict[str, int]:
    """The ordinal of the first proof that mentions a constant, itself or in a lemma that it uses."""
    own = {constant.name for constant in graph.signature.constants}
    first: dict[str, int] = {}
    seen: set[int] = set()  # terms are shared inside a graph: each is looked at once
    for proof in sorted(graph.proofs, key=lambda proof: proof.ordinal):
        lemmas = {use.lemma for fact in proof.facts for use in fact.uses if use.lemma is not None}
        said = [*(fact.prop for fact in proof.facts), *(graph.lemmas[number].prop for number in sorted(lemmas))]
        for name in _new_constants(said, seen):
            if name in own:
                first.setdefault(name, proof.ordinal)
    return first


def _new_constants(terms: Iterable[Term], seen: set[int]) -> Iterable[str]:
    todo = list(terms)
    while todo:
        term = todo.pop()
        if id(term) in seen:
            continue
        seen.add(id(term))
        if type(term) is App:
            todo += (term.fun, term.arg)
        elif type(term) is Abs:
            todo.append(term.body)
        elif type(term) is Const:
            yield term.name
