"""A proof from fewer facts: what it used is offered once more, without one after the other."""

from __future__ import annotations

from dataclasses import replace

from isarstep.prover.atp.problems import DEFINITION, Query, attempt
from isarstep.prover.atp.provers import Provers
from isarstep.prover.atp.schedule import strategies
from isarstep.prover.outcomes.verdict import Proved

TIMES = 3  # what the proof took, for each attempt
LEAST = 0.1  # seconds of an attempt
MOST = 16  # attempts


def with_fewest_facts(provers: Provers, query: Query, proof: Proved) -> Proved:
    """The same proof or one that uses fewer facts; library facts are left out before what is given."""
    strategy = next((each for each in strategies() if each.name == proof.by), None)
    if strategy is None or "?" in proof.facts:
        return proof
    local = {premise.name for premise in query.premises}
    asked: set[str] = set()
    for _ in range(MOST):
        named = [name for name in proof.facts if not name.startswith(DEFINITION) and name not in asked]
        without = next((name for name in sorted(named, key=lambda name: name in local)), None)
        if without is None:
            break
        asked.add(without)
        kept = set(proof.facts) - {without}
        premises = tuple(each for each in query.premises if each.name in kept)
        library = tuple(each for each in query.library if each.name in kept)
        smaller = attempt(Query(premises, query.goal, library), strategy, max(LEAST, TIMES * proof.seconds))
        answer = provers.prove([smaller])
        if isinstance(answer, Proved) and "?" not in answer.facts:
            proof = replace(proof, facts=answer.facts)
    return proof
