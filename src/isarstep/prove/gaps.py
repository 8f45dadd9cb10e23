"""Closing one gap: calculation and rewriting first, then provers with the given premises and more library facts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from isarstep.logic.hol import trueprop
from isarstep.logic.signature import Signature
from isarstep.logic.terms import Term, constants
from isarstep.prove import formula
from isarstep.prove.at_hand import AtHand, Order
from isarstep.prove.calculation import calculated
from isarstep.prove.instances import fitting
from isarstep.prove.monomorphise import Named
from isarstep.prove.problems import DEFINITION, Query, attempt, instantiated
from isarstep.prove.provers import (
    NOTHING_TRIED,
    QUICK,
    Attempt,
    NoProof,
    OutOfTime,
    ProofFound,
    ProverAnswer,
    Provers,
    Strategy,
    available,
    presences,
)
from isarstep.prove.rewriting import TRUE, Rewrite, Rewriter, rewrites_of
from isarstep.prove.simprules import SimpRules
from isarstep.prove.typed import ExampleToCheck, Typed
from isarstep.prove.verdict import NOT_ASKED, Gap, Proved, TimedOut, Unknown

SHARE_WITHOUT_LIBRARY = 0.5
FEW = 64  # library facts
HINTS = 24  # of an example, that are tried before anything else


@dataclass(frozen=True, slots=True)
class Effort:
    """Numbers of library facts to try, one after the other, and the strategies for each; time limits are the
    provers'.
    """

    library: tuple[int, ...] = (0, 32, 128)
    strategies: tuple[Strategy, ...] = QUICK

    def share(self, size: int) -> float:
        """Of the time limit. What follows from the given premises alone does so quickly or not at all."""
        return 1.0 if size or len(self.library) == 1 else SHARE_WITHOUT_LIBRARY

    def tried(self, size: int) -> tuple[Strategy, ...]:
        """The strategies for so many library facts: only saturation copes with many, where it can be asked."""
        here = available(self.strategies)
        if size <= FEW or self.strategies != QUICK:
            return here
        return here[:1]


@dataclass(frozen=True, slots=True)
class OpenGap:
    """Does the goal follow from these premises, where an example stands?"""

    name: str
    example: ExampleToCheck
    context: Typed
    premises: tuple[Named, ...]
    goal: Term
    texts: Sequence[str] = ()  # of the goal, then of what else says which facts may help
    hints: tuple[int, ...] = ()  # lemmas that the example names, by number
    stated: tuple[Named, ...] = ()  # and in the words of its context
    given: tuple[int, ...] = ()  # lemmas that are premises
    simplified: bool = False  # library facts are offered for what rewriting leaves of the goal

    @property
    def local(self) -> tuple[Named, ...]:
        """Premises at fixed types."""
        return tuple(premise for premise in self.premises if not premise.here)

    @property
    def general(self) -> tuple[Named, ...]:
        """Premises that hold at several types, facts of the asker's theory among them."""
        return (*(premise for premise in self.premises if premise.here), *self.context.own)

    @property
    def signature(self) -> Signature:
        return self.context.world.signature


@dataclass(frozen=True, slots=True)
class Asked:
    """One query as it was tried: with so many library facts, and what came of it. For `--explain`."""

    question: str
    query: Query
    gap: Gap


@dataclass(frozen=True, slots=True)
class Closing:
    """Closes gaps with some provers, facts and rules."""

    provers: Provers
    at_hand: AtHand
    effort: Effort
    simp: SimpRules | None
    instances: bool
    trace: list[Asked] | None

    def gap(self, asked: OpenGap) -> Gap:
        """Rewrite, then try with the given premises and what the example hints at, then with more and more library
        facts.
        """
        by_calculation = calculated(asked.local, asked.goal, asked.signature)
        if by_calculation is not None:
            return by_calculation
        result: Gap = NOT_ASKED
        offered = -1
        rewritten: tuple[str, ...] = ()
        first = (*asked.general, *self.at_hand.named(asked.given))
        given_names = {fact.name for fact in first}
        if any(self.effort.library):
            first = (*first, *asked.stated, *self.at_hand.named(asked.hints[:HINTS]))
            by_rules, left, rules = self.rewritten(asked, first)
            if by_rules is not None:
                known = given_names | {premise.name for premise in asked.local}
                from_library = {n for n in by_rules.facts if n not in known and not n.startswith(DEFINITION)}
                return replace(by_rules, library=len(from_library))
            if asked.simplified and left is not None:
                asked, rewritten = replace(asked, goal=trueprop(left, typed=True)), rules
        for size in self.effort.library:
            if size and self.at_hand.facts is None:
                break
            query = self.query(asked, first, size)
            names = {fact.name for fact in query.library} - given_names
            if len(names) == offered:
                break
            offered = len(names)
            share = self.effort.share(size + len(asked.hints) + len(asked.stated))
            answer = self._ask(asked.name, query, offered, share)
            if isinstance(answer, Proved) and rewritten:
                return replace(answer, by=f"simp, {answer.by}", facts=tuple(dict.fromkeys((*rewritten, *answer.facts))))
            if isinstance(answer, Proved):
                return replace(answer, library=0) if unused(answer, names) else answer
            if not isinstance(result, TimedOut):
                result = answer
        return result

    def without_library(self, asked: OpenGap) -> Gap:
        """From the premises alone."""
        library = (*asked.general, *self.at_hand.named(asked.given))
        query = instantiated(asked.local, asked.goal, library, asked.signature)
        return self._ask(asked.name, query, 0, self.effort.share(0))

    def query(self, asked: OpenGap, first: Sequence[Named], size: int, order: Order = "constants") -> Query:
        """The gap with these facts and so many of the library's."""
        known = (*asked.given, *asked.hints)
        more = self.at_hand.relevant(asked.example, asked.context, asked.texts, size, known, order)
        return self._instantiated(asked, (*first, *self.at_hand.named(more)), len(first) + size)

    def _instantiated(self, asked: OpenGap, named: Sequence[Named], size: int) -> Query:
        query = instantiated(asked.local, asked.goal, named, asked.signature, size)
        if not self.instances:
            return query
        fits = fitting(named, asked.local, asked.goal, asked.signature)
        return replace(query, library=tuple(dict.fromkeys((*fits, *query.library))))

    def rewritten(self, asked: OpenGap, beside: Sequence[Named]) -> tuple[Proved | None, Term | None, tuple[str, ...]]:
        """What rewriting proves by itself, or provers once it has made the goal simpler: with simp rules alone, then
        with what the example names beside them. Else what it leaves of the goal, and the rules that it used.
        """
        if self.simp is None or self.at_hand.facts is None:
            return None, None, ()
        began = time.process_time()
        premises, world, may = asked.local, asked.context.world, self.may_use(asked)
        about = {c.name for term in (asked.goal, *(p.prop for p in premises)) for c in constants(term)}
        simp = self.simp

        def near(about: set[str]) -> Callable[[str], Iterator[Rewrite]]:
            declared = simp.near(world, may, about)
            return lambda head: simp.rewrites(declared.get(head, ()))

        rewriter = Rewriter((), asked.signature, near(about))
        left = rewriter.goal(premises, asked.goal)
        no_rules = {fact.name for fact in asked.context.own} - asked.context.own_simp
        added = [rule for fact in beside if fact.name not in no_rules for rule in rewrites_of(fact)]
        if left != TRUE and added:
            about |= {c.name for fact in beside for c in constants(fact.prop)}
            with_added = Rewriter(added, asked.signature, near(about))
            further = with_added.goal(premises, asked.goal)
            rewriter, left = (with_added, further) if with_added.used else (rewriter, left)
        seconds = time.process_time() - began
        used = tuple(rewriter.used)
        if left == TRUE:
            return Proved("simp", seconds, used, len(used)), None, used
        if left is None or not used:
            return None, None, ()
        query = instantiated(premises, trueprop(left, typed=True), beside, asked.signature)
        simpler = self._ask(asked.name, query, 0, self.effort.share(0))
        if not isinstance(simpler, Proved):
            return None, left, used
        facts = tuple(dict.fromkeys((*used, *simpler.facts)))
        return Proved(f"simp, {simpler.by}", seconds + simpler.seconds, facts, len(facts)), None, used

    def may_use(self, asked: OpenGap) -> Callable[[int | None, str], bool]:
        """For a score only rules from before the step, and no copy of what is to be shown."""
        if not asked.context.scored:
            return lambda _fact, _theory: True
        facts, example = self.at_hand.facts, asked.example
        assert facts is not None
        before, copies = facts.before(example.theory, example.name), set(self.at_hand.copies(example))

        def may(fact: int | None, theory: str) -> bool:
            return theory != example.theory if fact is None else fact < before and fact not in copies

        return may

    def _ask(self, question: str, query: Query, library: int, share: float) -> Gap:
        reason = ""

        def stated(strategies: Sequence[Strategy]) -> Iterator[Attempt]:
            nonlocal reason
            for strategy in strategies:
                try:
                    yield attempt(query, strategy, share)
                except formula.CannotEncode as error:
                    reason = str(error)

        strategies = self.effort.tried(library)
        answer = self.provers.prove(stated(strategies))
        if answer == NOTHING_TRIED or (isinstance(answer, NoProof) and not answer.own):
            # The prover for so many facts cannot be asked, after all, or broke: then the others are.
            others = [strategy for strategy in available(self.effort.strategies) if strategy not in strategies]
            further = self.provers.prove(stated(others))
            answer = answer if further == NOTHING_TRIED else further
        gap = (
            Unknown(reason or nobody(self.effort.strategies))
            if answer == NOTHING_TRIED
            else _gap_of_prover(answer, library)
        )
        if self.trace is not None:
            self.trace.append(Asked(question, query, gap))
        return gap


def nobody(strategies: Sequence[Strategy]) -> str:
    """Why no prover was asked."""
    missing = [str(presence) for presence in presences(strategies) if presence.version is None]
    return "no prover is installed" + (f" that works ({'; '.join(missing)})" if missing else "")


def unused(gap: Gap, premises: set[str]) -> bool:
    """Was it proved without any of these? Local facts are named by their field: `F.2(1)`."""
    if not isinstance(gap, Proved) or "?" in gap.facts:
        return False
    return not any(name in premises or name.rpartition("(")[0] in premises for name in gap.facts)


def _gap_of_prover(answer: ProverAnswer, library: int) -> Gap:
    match answer:
        case ProofFound(strategy, seconds, facts):
            return Proved(strategy, seconds, facts, library)
        case OutOfTime(seconds):
            return TimedOut(seconds)
        case _:
            return Unknown(answer.why)
