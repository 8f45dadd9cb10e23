"""From typed propositions to what provers read: library facts instantiated, everything lowered, each strategy's text
made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isarstep.check import formula as f
from isarstep.check.definitions import definitions
from isarstep.check.formula import Problem, Unsupported
from isarstep.check.lower import Lowering
from isarstep.check.monomorphise import Named, monomorphise
from isarstep.check.provers import ENCODERS, Attempt, Strategy
from isarstep.logic.signature import Signature
from isarstep.logic.terms import Term

# Instances a library fact may become on average; more would drown the prover.
INSTANCES = 2


@dataclass(frozen=True, slots=True)
class Query:
    """Do these local premises, with these library facts, entail the goal? Terms are typed and without abbreviations."""

    premises: tuple[Named, ...]
    goal: Term
    library: tuple[Named, ...] = ()


def ground(query: Query, signature: Signature) -> tuple[Named, ...]:
    """The premises, then the library facts at the types of this query."""
    if not query.library:
        return query.premises
    terms = [query.goal, *(p.prop for p in query.premises)]
    limit = 16 + INSTANCES * len(query.library)
    return (*query.premises, *monomorphise(query.library, terms, signature, limit))


def state(premises: Sequence[Named], goal: Term, *, arithmetic: bool, unfold: bool) -> Problem:
    """The problem in the provers' language. A premise that cannot be stated is left out; a goal that cannot raises
    Unsupported.
    """
    lowering = Lowering(definitions(arithmetic, unfold), arithmetic)
    conclusion = lowering.proposition(goal)
    stated: dict[f.Formula, str] = {}
    for premise in premises:
        try:
            stated.setdefault(lowering.proposition(premise.prop), premise.name)
        except Unsupported:
            continue
    named = tuple((name, formula) for formula, name in stated.items() if formula != f.Truth(True))
    axioms = tuple((f"definition of {key.lstrip('$')}", axiom) for key, axiom in lowering.axioms.items())
    return Problem(named, axioms, conclusion)


def attempts(query: Query, signature: Signature, strategies: Sequence[Strategy]) -> list[Attempt]:
    """One attempt for every strategy that can state the goal. Raises Unsupported when none can."""
    premises = ground(query, signature)
    made: dict[tuple[bool, bool], Problem | Unsupported] = {}
    result: list[Attempt] = []
    reason: Unsupported | None = None
    for strategy in strategies:
        key = (strategy.arithmetic, strategy.unfold)
        try:
            if key not in made:
                try:
                    made[key] = state(premises, query.goal, arithmetic=key[0], unfold=key[1])
                except Unsupported as error:
                    made[key] = error
            problem = made[key]
            if isinstance(problem, Unsupported):
                raise problem
            text, labels = ENCODERS[strategy.encoding](problem)
            result.append(Attempt(strategy, text, labels))
        except Unsupported as error:
            reason = error
        except RecursionError:
            reason = Unsupported("nested too deeply")
    if not result:
        raise reason or Unsupported("no prover is installed")
    return result
