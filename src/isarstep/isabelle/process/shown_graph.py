"""A proof graph for people: the proof indented as it was written, each fact with its statement and what it rests on."""

from __future__ import annotations

from isarstep.isabelle.process.proof_graph import Graph, Proof, Use
from isarstep.isabelle.syntax.writing.names import Names
from isarstep.isabelle.syntax.writing.printing import to_unicode
from isarstep.isabelle.terms.terms import constants


def show_proof(graph: Graph, proof: Proof) -> str:
    """All steps that state something, with their facts; `f3` is fact 3 of the proof, counted from 0."""
    names = Names(dict.fromkeys(constant.name for fact in proof.facts for constant in constants(fact.prop)))
    facts_of: dict[int, list[int]] = {}
    for number, fact in enumerate(proof.facts):
        facts_of.setdefault(fact.step, []).append(number)
    state = "" if proof.complete else "  (not complete)"
    lines = [f"{proof.command} {proof.name or ''}  [{graph.theory}, line {proof.line}]{state}"]
    if proof.variables:
        shown = ", ".join(variable.name for variable in proof.variables)
        lines.append(f"  variables {shown}")
    for number, step in enumerate(proof.steps):
        indent = "  " * (step.depth + 1)
        case = f" ({step.case})" if step.case else ""
        if number:
            lines.append(f"{indent}{step.command}{case}")
        for index in facts_of.get(number, ()):
            fact = proof.facts[index]
            name = f" {fact.name}" if fact.name else ""
            lines.append(f"{indent}  f{index} {fact.kind}{name}: {to_unicode(fact.prop, names)}")
            edges: dict[str, list[str]] = {}  # those of one kind in one line
            for use in fact.uses:
                edges.setdefault(use.how, []).append(_target(graph, use))
            lines += [f"{indent}    <- {how}: {', '.join(targets)}" for how, targets in edges.items()]
    lines += [f"  unresolved: {text}" for text in proof.unresolved]
    return "\n".join(lines) + "\n"


def _target(graph: Graph, use: Use) -> str:
    if use.fact is not None:
        return f"f{use.fact}"
    if use.lemma is not None:
        lemma = graph.lemmas[use.lemma]
        return f"{lemma.name}({lemma.index})" if lemma.index else lemma.name
    return f"{use.collection} (collection)"
