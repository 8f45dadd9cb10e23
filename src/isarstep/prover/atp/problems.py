"""From typed propositions to what provers read: library facts instantiated, everything lowered, each strategy's text
made.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from isarstep.isabelle.context.monomorphisation import Named, monomorphise
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import Term
from isarstep.prover.atp.provers import ENCODERS, Attempt, Strategy
from isarstep.prover.encode import formula as f
from isarstep.prover.encode.definitions import definitions
from isarstep.prover.encode.formula import CannotEncode, Entailment
from isarstep.prover.encode.ground import ground
from isarstep.prover.encode.lowering import Lowering

# Instances a library fact may become on average; more would drown the prover.
INSTANCES = 2
LARGEST = 50_000  # parts of a proposition; provers that are given more do nothing but read
DEFINITION = "definition of "  # how the names of axioms begin that belong to a problem's symbols


@dataclass(frozen=True, slots=True)
class Query:
    """Do these local premises, with these instances of library facts, entail the goal? Terms are typed, without
    abbreviations and without type variables that could still be replaced.
    """

    premises: tuple[Named, ...]
    goal: Term
    library: tuple[Named, ...] = ()


def instantiated(
    premises: tuple[Named, ...], goal: Term, library: Sequence[Named], signature: Signature, size: int | None = None
) -> Query:
    """The query with the library facts at its types; of those that have instances, at most `size`."""
    if not library:
        return Query(premises, goal)
    size = len(library) if size is None else size
    terms = [goal, *(p.prop for p in premises)]
    offered: set[str] = set()
    chosen: dict[Term, Named] = {}
    for instance in monomorphise(library, terms, signature, 16 + INSTANCES * size):
        # The same theorem often has several names; the first, most relevant one stays.
        if instance.prop not in chosen and (len(offered) < size or instance.name in offered):
            chosen[instance.prop] = instance
            offered.add(instance.name)
    return Query(premises, goal, tuple(chosen.values()))


@lru_cache(maxsize=50_000)
def _lowered(prop: Term, arithmetic: bool, unfold: bool) -> tuple[f.Formula, tuple[tuple[str, f.Formula], ...]] | str:
    """A proposition in the provers' language and the axioms of its symbols, or why there is none.

    Both are closed, so that facts which many queries share are lowered once.
    """
    lowering = Lowering(definitions(arithmetic, unfold), arithmetic)
    try:
        made = lowering.proposition(prop)
        if f.written_size(made) > LARGEST:
            return "too large when it is written out"
        return made, tuple(lowering.axioms.items())
    except CannotEncode as error:
        return str(error)


def state(premises: Sequence[Named], goal: Term, *, arithmetic: bool, unfold: bool) -> Entailment:
    """The problem in the provers' language. A premise that cannot be stated is left out; a goal that cannot raises
    CannotEncode.
    """
    conclusion = _lowered(goal, arithmetic, unfold)
    if isinstance(conclusion, str):
        raise CannotEncode(conclusion)
    axioms = dict(conclusion[1])
    stated: dict[Term, tuple[str, f.Formula]] = {}
    for premise in premises:
        made = _lowered(premise.prop, arithmetic, unfold)
        if premise.prop not in stated and not isinstance(made, str) and made[0] != f.Truth(True):
            stated[premise.prop] = (premise.name, made[0])
            axioms.update(made[1])
    return Entailment(
        tuple(stated.values()),
        tuple((f"{DEFINITION}{key.lstrip('$')}", axiom) for key, axiom in axioms.items()),
        conclusion[0],
    )


def attempt(query: Query, strategy: Strategy, seconds: float = math.inf, offered: int = 0) -> Attempt:
    """The query as a strategy's prover reads it. Raises CannotEncode where it cannot be stated."""
    try:
        premises = (*query.premises, *query.library)
        problem = state(premises, query.goal, arithmetic=strategy.arithmetic, unfold=strategy.unfold)
        return Attempt(strategy, *ENCODERS[strategy.encoding](problem), seconds, offered)
    except RecursionError:
        raise CannotEncode("nested too deeply") from None


def ground_attempt(query: Query, strategy: Strategy, seconds: float = math.inf) -> Attempt:
    """What the query says without quantifiers. Raises CannotEncode where that is nothing."""
    problem = state(query.premises, query.goal, arithmetic=True, unfold=True)
    without_quantifiers = ground(problem)
    if without_quantifiers is None:
        raise CannotEncode("no arithmetic without quantifiers")
    return Attempt(strategy, *ENCODERS[strategy.encoding](without_quantifiers), seconds)
