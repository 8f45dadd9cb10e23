"""Closing one gap: calculation and rewriting first, then provers with the given premises and more library facts."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

from isarstep.benchmark.store.example import Example
from isarstep.isabelle.context.monomorphisation import Named
from isarstep.isabelle.context.theory_contexts import TheoryContexts
from isarstep.isabelle.terms.hol import trueprop
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import Term, constants
from isarstep.premises.available_facts import AvailableFacts, Order
from isarstep.premises.fact_base import Library
from isarstep.premises.typed_example import Typed
from isarstep.prover.arithmetic.calculation import calculated
from isarstep.prover.arithmetic.certificates import as_sum, with_certificates
from isarstep.prover.arithmetic.contradictions import by_contradiction
from isarstep.prover.arithmetic.ground_facts import NONLINEAR
from isarstep.prover.arithmetic.ground_problem import GroundProblem, ground_problem
from isarstep.prover.atp.derived_proof import derived_proof
from isarstep.prover.atp.fewest import with_fewest_facts
from isarstep.prover.atp.problems import DEFINITION, Query, attempt, ground_attempt, instantiated
from isarstep.prover.atp.provers import (
    GROUND,
    LINEAR,
    NOTHING_TRIED,
    Attempt,
    Provers,
    Strategy,
    available,
    not_installed,
)
from isarstep.prover.atp.schedule import Effort, Slice
from isarstep.prover.encode import formula
from isarstep.prover.encode.smt import encode_smt
from isarstep.prover.outcomes.verdict import Gap, Proved, Unknown
from isarstep.prover.rewrite.instances import fitting
from isarstep.prover.rewrite.rewriting import TRUE, Rewrite, Rewriter, other_way_round, rewrites_of
from isarstep.prover.rewrite.simp_rules import SimpRules

NOT_PROVED = Unknown("nothing was found with these facts")
GROUND_SHARE = 0.25  # of the time of a question, for what arithmetic alone proves
HINTS = 24  # of an example, that are tried before anything else


@dataclass(frozen=True, slots=True)
class OpenGap:
    """Does the goal follow from these premises, where an example stands?"""

    name: str
    example: Example
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
        return self.context.theory_context.signature


@dataclass(frozen=True, slots=True)
class Simplified:
    """A gap that calculation and rewriting do not close: the facts that are tried first, and what is left of the goal
    by which rules, those of them that are declared, and in which time."""

    problem: GroundProblem | None
    first: tuple[Named, ...]
    given_names: set[str] = field(hash=False)
    left: Term | None = None  # None: rewriting changes nothing
    rules: tuple[str, ...] = ()
    declared: tuple[str, ...] = ()
    seconds: float = 0.0

    def proof_from(self, proof: Proved, seconds: float) -> Proved:
        """A proof of the goal by one of what is left of it."""
        facts = tuple(dict.fromkeys((*self.rules, *proof.facts)))
        by = ", ".join(dict.fromkeys(("simp", proof.by)))  # steps of that proof are not about the goal itself
        return Proved(by, seconds + proof.seconds, facts, proof.library, declared=self.declared)


@dataclass(frozen=True, slots=True)
class TraceEntry:
    """One query as it was tried: with so many library facts, and what came of it. For `--explain`."""

    question: str
    query: Query
    gap: Gap


@dataclass(slots=True)
class GapCloser:
    """Closes gaps with some provers, facts and rules."""

    theory_contexts: TheoryContexts
    provers: Provers
    facts: Library | None = None
    effort: Effort = field(default_factory=Effort)
    trace: list[TraceEntry] | None = None
    simp: SimpRules | None = None  # None: nothing is rewritten
    instances: bool = True  # found by matching before search
    fewest: bool = False  # facts are left out of a proof that it does without

    @property
    def available(self) -> AvailableFacts:
        return AvailableFacts(self.facts)

    def gap(self, asked: OpenGap) -> Gap:
        """Calculate, rewrite, decide what is arithmetic; then ask provers with the given premises and what the example
        hints at, then with more and more library facts.
        """
        simpler = self.without_provers(asked)
        if isinstance(simpler, Proved):
            return simpler
        problem, first, given_names, left = simpler.problem, simpler.first, simpler.given_names, simpler.left
        by_arithmetic = None if problem is None else self._by_arithmetic(problem, asked.signature)
        if by_arithmetic is not None:
            return by_arithmetic
        if left is None:
            return self._scheduled(asked, first, given_names)
        alone = self._alone(asked.name, instantiated(asked.local, left, first, asked.signature))
        if isinstance(alone, Proved):
            return _counted(simpler.proof_from(alone, simpler.seconds), asked, given_names)
        if not asked.simplified:
            return self._scheduled(asked, first, given_names)
        answer = self._scheduled(replace(asked, goal=left), first, given_names)
        return simpler.proof_from(answer, 0.0) if isinstance(answer, Proved) else answer

    def without_provers(self, asked: OpenGap) -> Proved | Simplified:
        """What calculation and rewriting prove, or leave of the goal; no prover is asked."""
        by_calculation = calculated(asked.local, asked.goal, asked.signature)
        if by_calculation is not None and by_calculation.by != "algebra":
            return by_calculation
        problem = ground_problem(asked.local, asked.goal, asked.signature, self._by_name)
        if problem is not None:
            by_values = problem.by_values() or calculated(problem.named(), problem.goal, asked.signature)
            by_calculation = problem.explained(by_values) if by_values is not None else by_calculation
        if by_calculation is not None:
            return by_calculation
        first = (*asked.general, *self.available.named(asked.given))
        given_names = {fact.name for fact in first}
        if not self.effort.library:
            return Simplified(problem, first, given_names)
        first = (*first, *asked.stated, *self.available.named(asked.hints[:HINTS]))
        left, rules, declared, seconds = self.rewritten(asked, first)
        if left == TRUE:
            by_rules = Proved("simp", seconds, rules, len(rules), declared=declared)
            return _counted(by_rules, asked, given_names)
        if left is None:
            return Simplified(problem, first, given_names)
        goal = trueprop(left, typed=True)
        simpler = Simplified(problem, first, given_names, goal, rules, declared, seconds)
        by_calculation = calculated(asked.local, goal, asked.signature)
        if by_calculation is None:
            return simpler
        return _counted(simpler.proof_from(by_calculation, seconds), asked, given_names)

    def _by_arithmetic(self, problem: GroundProblem, signature: Signature) -> Proved | None:
        """From what the premises say without quantifiers, and nothing else."""
        query, seconds = Query(problem.named(), problem.goal), GROUND_SHARE * self.effort.seconds
        attempts: list[Attempt] = []
        plain = problem
        with_hints = with_certificates(problem, signature)
        if with_hints is not None:
            problem, linear = with_hints
            attempts += [Attempt(each, *encode_smt(linear), seconds) for each in available([LINEAR])]
        with suppress(formula.CannotEncode):
            attempts += [ground_attempt(query, strategy, seconds) for strategy in available(GROUND)]
        gap = self.provers.prove(attempts)
        if isinstance(gap, Proved) and gap.by == LINEAR.name:
            return as_sum(problem, gap, signature)
        if not isinstance(gap, Proved):
            return None
        explained = problem.explained(gap)
        if explained.method != NONLINEAR:
            return explained
        # Isabelle repeats sums of products, not what a prover did to find that there is a proof.
        return by_contradiction(plain, signature, partial(self._core, seconds=seconds)) or explained

    def _core(self, problem: formula.Entailment, seconds: float) -> Sequence[str] | None:
        """Which premises of a linear problem contradict each other."""
        answer = self.provers.prove([Attempt(each, *encode_smt(problem), seconds) for each in available([LINEAR])])
        return answer.facts if isinstance(answer, Proved) else None

    def _by_name(self, theory: str, name: str) -> Sequence[Named]:
        """Facts of HOL's own theories."""
        facts = self.facts if self.effort.library else None
        return () if facts is None else self.available.named(facts.statements(f"HOL.{theory}", f"{theory}.{name}"))

    def without_library(self, asked: OpenGap) -> Gap:
        """From the premises alone."""
        library = (*asked.general, *self.available.named(asked.given))
        return self._alone(asked.name, instantiated(asked.local, asked.goal, library, asked.signature))

    def query(self, asked: OpenGap, first: Sequence[Named], size: int, order: Order = "constants") -> Query:
        """The gap with these facts and so many of the library's."""
        known = (*asked.given, *asked.hints)
        more = self.available.relevant(asked.example, asked.context, asked.texts, size, known, order)
        named = (*first, *self.available.named(more))
        query = instantiated(asked.local, asked.goal, named, asked.signature, len(first) + size)
        if not self.instances:
            return query
        fits = fitting(named, asked.local, asked.goal, asked.signature)
        return replace(query, library=tuple(dict.fromkeys((*fits, *query.library))))

    def rewritten(
        self, asked: OpenGap, extra: Sequence[Named]
    ) -> tuple[Term | None, tuple[str, ...], tuple[str, ...], float]:
        """What rewriting leaves of the goal, with simp rules alone, then with what the example names beside them (None
        where it changes nothing), the rules that it used, those of them that are declared, and its time.
        """
        if self.simp is None or self.facts is None:
            return None, (), (), 0.0
        began = time.process_time()
        premises = asked.local
        rewriter = Rewriter((), asked.signature, self._simp_rules(asked, premises))
        left = rewriter.goal(premises, asked.goal)
        no_rules = {fact.name for fact in asked.context.own} - asked.context.own_simp
        added = [rule for fact in extra if fact.name not in no_rules for rule in rewrites_of(fact)]
        if left != TRUE and added:
            with_added = Rewriter(added, asked.signature, self._simp_rules(asked, (*premises, *extra)))
            further = with_added.goal(premises, asked.goal)
            rewriter, left = (with_added, further) if with_added.used else (rewriter, left)
        used = tuple(rewriter.used)
        return left if used or left == TRUE else None, used, rewriter.declared, time.process_time() - began

    def may_use(self, asked: OpenGap) -> Callable[[int | None, str], bool]:
        """For a score only rules from before the step, and no copy of what is to be shown."""
        if not asked.context.scored:
            return lambda _fact, _theory: True
        facts, example = self.facts, asked.example
        assert facts is not None
        before, copies = facts.before(example.theory, example.name), set(self.available.copies(example))

        def may(fact: int | None, theory: str) -> bool:
            return theory != example.theory if fact is None else fact < before and fact not in copies

        return may

    def _scheduled(self, asked: OpenGap, first: Sequence[Named], given: set[str]) -> Gap:
        """Provers with the facts that the schedule wants, one slice after the other."""
        queries: dict[tuple[int, Order], Query] = {}

        def with_facts(part: Slice) -> tuple[Query, int]:
            size = min(part.facts, self.effort.library) if self.facts is not None else 0
            key = size, part.order if size else "constants"
            if key not in queries:
                queries[key] = self.query(asked, first, *key)
            return queries[key], len({fact.name for fact in queries[key].library} - given)

        found = gap = self._asked(asked.name, self.effort.slices, with_facts)
        every = dict.fromkeys(fact for query in queries.values() for fact in query.library)
        if isinstance(gap, Proved) and self.fewest:
            gap = with_fewest_facts(self.provers, Query(asked.local, asked.goal, tuple(every)), gap)
            gap = self._by_rewriting(asked, tuple(every), gap) or self._derived(asked, tuple(every), gap)
        if isinstance(gap, Proved) and unused(gap, {fact.name for fact in every} - given):
            gap = replace(gap, library=0)
        if isinstance(gap, Proved) and gap.by != "simp":
            gap = replace(gap, reversed=self._reversed(asked, tuple(every), gap))
        if self.trace is not None:
            self.trace[:] = [replace(each, gap=gap) if each.gap is found else each for each in self.trace]
        return gap

    def _derived(self, asked: OpenGap, library: tuple[Named, ...], proof: Proved) -> Proved:
        """With the steps of a derivation, where there is one that can be said."""
        return replace(proof, derived=derived_proof(self.provers, Query(asked.local, asked.goal, library), proof))

    def _by_rewriting(self, asked: OpenGap, library: Sequence[Named], proof: Proved) -> Proved | None:
        """The same from the facts that a prover used, as `simp` would do it, where that is enough."""
        used = {name for fact in proof.facts for name in (fact, fact.rpartition("(")[0])}
        extra = [replace(fact, here=True) for fact in library if fact.name in used]
        if not extra or self.simp is None or self.facts is None or "?" in proof.facts:
            return None
        began = time.process_time()
        premises = tuple(premise for premise in asked.local if premise.name in used)
        rules = [rule for fact in extra for rule in rewrites_of(fact)]
        rewriter = Rewriter(rules, asked.signature, self._simp_rules(asked, (*premises, *extra)))
        if rewriter.goal(premises, asked.goal) != TRUE:
            return None
        seconds = time.process_time() - began
        return Proved("simp", seconds, tuple(rewriter.used), proof.library, declared=rewriter.declared)

    def _reversed(self, asked: OpenGap, library: Sequence[Named], proof: Proved) -> tuple[str, ...]:
        """Facts of a proof that declared simp rules, or other facts of it, say the other way round."""
        used = [replace(fact, here=True) for fact in library if fact.name in proof.facts]
        if not used or self.simp is None or self.facts is None:
            return ()
        return other_way_round(used, self._simp_rules(asked, (*asked.local, *used)))

    def _simp_rules(self, asked: OpenGap, about: Sequence[Named]) -> Callable[[str], Iterator[Rewrite]]:
        """The library's simp rules for a constant, as far as they are about the goal and these facts."""
        assert self.simp is not None
        simp, terms = self.simp, (asked.goal, *(each.prop for each in about))
        mentioned = {constant.name for term in terms for constant in constants(term)}
        declared = simp.near(asked.context.theory_context, self.may_use(asked), mentioned)
        return lambda head: simp.rewrites(declared.get(head, ()))

    def _alone(self, question: str, query: Query) -> Gap:
        """A query as it is, for a part of the time."""
        return self._asked(question, self.effort.without_library, lambda _: (query, 0))

    def _asked(
        self,
        question: str,
        slices: Callable[[Collection[str]], Iterator[Slice]],
        query_of: Callable[[Slice], tuple[Query, int]],
    ) -> Gap:
        reason, tried = "", dict[tuple[Strategy, str], float]()
        sent: list[tuple[Query, int]] = []

        def stated(parts: Iterator[Slice]) -> Iterator[Attempt]:
            nonlocal reason
            for part in parts:
                query, offered = query_of(part)
                try:
                    made = attempt(query, part.strategy, part.seconds, offered)
                except formula.CannotEncode as error:
                    reason = str(error)
                    continue
                key = made.strategy, made.text
                if tried.get(key, 0.0) < part.seconds:  # with as many facts as before there is nothing new to find
                    tried[key] = part.seconds
                    sent.append((query, offered))
                    yield made

        answer = self.provers.prove(stated(slices(())))
        if not isinstance(answer, Proved) and (broken := self.provers.broken):
            # The others then have all of the time.
            further = self.provers.prove(stated(slices(broken)))
            answer = answer if further == NOTHING_TRIED else further
        gap = Unknown(reason or nobody()) if answer == NOTHING_TRIED else answer
        if self.trace is not None:
            for query, offered in dict.fromkeys(sent):
                proved_here = isinstance(gap, Proved) and gap.library == offered
                self.trace.append(TraceEntry(question, query, gap if proved_here else NOT_PROVED))
        return gap


def nobody() -> str:
    """Why no prover was asked."""
    missing = "; ".join(not_installed())
    return "no prover is installed" + (f" that works ({missing})" if missing else "")


def unused(gap: Gap, premises: set[str]) -> bool:
    """Was it proved without any of these? Local facts are named by their field: `F.2(1)`."""
    if not isinstance(gap, Proved) or "?" in gap.facts:
        return False
    return not any(name in premises or name.rpartition("(")[0] in premises for name in gap.facts)


def _counted(proof: Proved, asked: OpenGap, given_names: Collection[str]) -> Proved:
    """With the number of library facts that it needs."""
    known = {*given_names, *(premise.name for premise in asked.local)}
    needed = {name for name in proof.facts if name not in known and not name.startswith(DEFINITION)}
    return replace(proof, library=len(needed))
