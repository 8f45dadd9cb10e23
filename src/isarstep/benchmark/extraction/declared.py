"""What a theory declares and where: for each of its constants and instances, from which of its proofs on it exists.

A step sees no constant that its theory declares only later. Graphs of format 2 say how many proofs stand before a
declaration: proof number k sees what stands after at most k of them (`exact`). Those of format 1 do not; that a proof
mentions a constant says that it was there before, and of one that none mentions nothing is known.
"""

from __future__ import annotations

from typing import Any

from isarstep.benchmark.extraction.texts import Texts
from isarstep.isabelle.process.proof_graph import Graph


def declarations(graph: Graph, texts: Texts) -> dict[str, Any]:
    """What a theory's row in the signature's table says of it."""
    signature = graph.signature
    exact = all(constant.after is not None for constant in signature.constants)
    known = mentioned = first_proofs(graph, texts)
    if exact:
        # An abbreviation is folded in proofs that stand before it, too: whoever mentions a constant has it.
        known = {c.name: min(c.after or 0, mentioned.get(c.name, c.after or 0)) for c in signature.constants}
    # Of an instance that no command declares, as when parents are merged, nothing is said: it is there from the start.
    afters = signature.arities_after or [None] * len(signature.arities)
    arities = sorted(
        (f"{t} {c}", after or 0, [sorted(sort) for sort in sorts])
        for (t, c, sorts), after in zip(signature.arities, afters, strict=True)
    )
    return {
        "exact": exact,
        "constants": dict(sorted(known.items())),
        "arities": [arity for arity, _, _ in arities],
        "arities_after": [after for _, after, _ in arities],
        # Theories that give a type different instances of a class ask different things of its arguments.
        "arities_sorts": [sorts for _, _, sorts in arities],
    }


def first_proofs(graph: Graph, texts: Texts) -> dict[str, int]:
    """The ordinal of the first proof that mentions a constant, itself or in a lemma that it uses."""
    own = {constant.name for constant in graph.signature.constants}
    first: dict[str, int] = {}
    seen: set[int] = set()  # terms are shared inside a graph: each is looked at once
    for proof in sorted(graph.proofs, key=lambda proof: proof.ordinal):
        said = [fact.prop for fact in proof.facts]
        said += [graph.lemmas[use.lemma].prop for fact in proof.facts for use in fact.uses if use.lemma is not None]
        for term in said:
            if id(term) not in seen:
                seen.add(id(term))
                # Constants are the only words of a text with a dot outside of marks: no variable is mistaken for one.
                for name in own.intersection(texts.of(term).split(" ")):
                    first[name] = proof.ordinal
                    own.remove(name)
    return first
