"""A step of a mined proof graph as a problem: what it was derived from, and what was derived from it."""

from __future__ import annotations

import re
from pathlib import Path

from isarstep.benchmark.extraction.edges import ProofReader
from isarstep.benchmark.extraction.extract import variable_types
from isarstep.benchmark.extraction.texts import Texts
from isarstep.benchmark.store.setting import holdings, statement_of
from isarstep.common.errors import UserError
from isarstep.isabelle.process.proof_graph import Graph, read_graph
from isarstep.isabelle.terms.signature import Constant, Signature
from isarstep.isabelle.terms.terms import Free, subterms
from isarstep.isabelle.terms.tokens import encode_line
from isarstep.isabelle.terms.type_text import format_type
from isarstep.isabelle.theory.problems.problem import Problem


def problem_of_step(path: Path, step: str) -> Problem:
    """The problem whose answer is the step `THEORY:PROOF:COMMAND`, towards the first fact that uses it."""
    parts = re.fullmatch(r"(.+):([0-9]+):([0-9]+)", step)
    if parts is None:
        raise UserError(
            f"{path}:{step}: write THEORY:PROOF:COMMAND after the graph, as `isarstep graph` and examples do"
        )
    graph = read_graph(path)
    if parts[1] != graph.theory:
        raise UserError(f"{path} is the graph of {graph.theory}, not of {parts[1]}")
    return problem_of_command(graph, int(parts[2]), int(parts[3]), step)


def signature_of_theory(graph: Graph) -> Signature:
    """What the graph's theory adds."""
    added = graph.signature
    constants = (Constant(c.name, c.type, c.abbreviates) for c in added.constants)
    return Signature.build(constants, added.types, added.classes, added.arities)


def problem_of_command(graph: Graph, ordinal: int, command: int, step: str) -> Problem:
    proof = next((proof for proof in graph.proofs if proof.ordinal == ordinal), None)
    if proof is None:
        raise UserError(f"{step}: the theory has no such proof")
    targets = [n for n, fact in enumerate(proof.facts) if proof.steps[fact.step].ordinal == command]
    reader = ProofReader(proof, Texts())
    holding = [each.fact for each in holdings(proof, reader.bookkeeping) if each.first <= command <= each.last]
    for number, fact in enumerate(proof.facts):
        if fact.kind == "calculation" or number in reader.merged:
            continue
        premises = reader.premises(number)
        target = next((n for n in targets if n in premises.facts), None)
        if target is None:
            continue
        own = reader.sources(target, proof.facts[target].prop)
        facts = [proof.facts[n].prop for n in own.facts]
        others = [proof.facts[n].prop for n in premises.facts if n != target]
        others += [graph.lemmas[n].prop for n in premises.lemmas]
        goal = reader.statement(number)
        above = (proof.facts[n].prop for n in reversed(holding))
        used = {node.name for prop in (goal, *facts, *others) for node in subterms(prop) if type(node) is Free}
        types = {name: format_type(typ) for name, typ in variable_types(proof).items() if name in used}
        return Problem(
            encode_line(goal),
            tuple(map(encode_line, facts)),
            tuple(map(encode_line, others)),
            tuple(encode_line(graph.lemmas[n].prop) for n in own.lemmas),
            form="tokens",
            fixed=tuple(proof.variables[n].name for n in proof.steps[reader.end(number)].fixed),
            types=types,
            own=signature_of_theory(graph),
            statement=tuple(encode_line(proof.facts[n].prop) for n in statement_of(proof)),
            earlier=tuple(encode_line(prop) for prop in above if prop != proof.facts[target].prop),
        )
    raise UserError(f"{step}: no fact of the proof uses what this command states")
