"""From typed propositions to what provers read: library facts instantiated, everything lowered, each strategy's text
made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

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


@lru_cache(maxsize=50_000)
def _lowered(prop: Term, arithmetic: bool, unfold: bool) -> tuple[f.Formula, tuple[tuple[str, f.Formula], ...]] | str:
    """A proposition in the provers' language and the axioms of its symbols, or why there is none.

    Both are closed, so that facts which many queries share are lowered once.
    """
    lowering = Lowering(definitions(arithmetic, unfold), arithmetic)
    try:
        return lowering.proposition(prop), tuple(lowering.axioms.items())
    except Unsupported as error:
        return str(error)


def state(premises: Sequence[Named], goal: Term, *, arithmetic: bool, unfold: bool) -> Problem:
    """The problem in the provers' language. A premise that cannot be stated is left out; a goal that cannot raises
    Unsupported.
    """
    conclusion = _lowered(goal, arithmetic, unfold)
    if isinstance(conclusion, str):
        raise Unsupported(conclusion)
    axioms = dict(conclusion[1])
    stated: dict[f.Formula, str] = {}
    for premise in premises:
        made = _lowered(premise.prop, arithmetic, unfold)
        if not isinstance(made, str) and made[0] != f.Truth(True):
            stated.setdefault(made[0], premise.name)
            axioms.update(made[1])
    return Problem(
        tuple((name, formula) for formula, name in stated.items()),
        tuple((f"definition of {key.lstrip('$')}", axiom) for key, axiom in axioms.items()),
        conclusion[0],
    )


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
