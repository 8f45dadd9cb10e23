"""Looking for a chain of steps: provers try the goal as it is; then the model proposes, and they close the small gaps.
Beside the model's proposals stand statements from which the goal follows by one fact of the library, or that follow so.

What provers derive from the facts is known from then on, for whatever goal. All proposals for a goal are assumed
together: if the goal does not follow even so, none of them leads there, and one question has answered for all; if it
does, the proof names those that it needs. What is needed and not derived becomes a goal of its own. Between proposals
provers try the open goals as they are, harder each time.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from dataclasses import dataclass, field, replace
from itertools import count

from isarstep.benchmark.problems.task import Task
from isarstep.isabelle.inference.infer import well_formed
from isarstep.isabelle.inference.typed_lines import TypedLine, like, term_of
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.normal_names import normalise
from isarstep.isabelle.terms.terms import Const, fun, list_comb
from isarstep.isabelle.terms.types import type_of
from isarstep.prover.check.prover_session import FALSEHOOD, IN_ALL, QUICK, Answer, Limits, Proving
from isarstep.prover.isar.sketch import Link, Sketch
from isarstep.prover.outcomes.novelty import KnownStatements, conjuncts
from isarstep.prover.outcomes.step import MOST_BY_RULES, Step
from isarstep.prover.outcomes.verdict import Crashed, Gap, Proved, Refuted

Search = Callable[[Task, int], Future[list[Step]]]

# Times the usual seconds, for goals as they are.
LADDER = (1, 3, 10, 30)
# Inductions of a goal that are tried after each rung; for the first ones provers get as much as on these rungs.
INDUCTIONS = 4
INDUCTION_LADDER = (1, 3)
ATTEMPTS = IN_ALL / 2 + 0.5  # of a question, in time limits of one attempt, where two provers work beside each other
DIRECT_FIRST = 0.6  # of the time, for the goal as it is: the model need not even be loaded
DIRECT_SHARE = 0.4  # of the time after that, for goals as they are
STEP_COST = 1.0  # of a step beside its log probability: short proofs first
RUNG_COST = 2.0  # of a harder attempt
PART_SCORE = -1.0  # of what the goal's own form proposes
RULE_SCORE = -3.0  # of what one rule of the library proposes
WIDER_COST = 3.0  # of asking the model once more, for twice as many proposals
MOST_BEAM = 20
TURN = 0.2  # seconds that it waits for the model before others have their turn


@dataclass(frozen=True)
class Plan:
    """Proposals on top of each other, beam of the proposals, seconds in all; processor time of an attempt, library
    facts offered."""

    depth: int = 4
    beam: int = 10
    seconds: float = 20.0
    prover_seconds: float = 0.3
    library: int = 1024

    @property
    def limits(self) -> Limits:
        return Limits(self.prover_seconds, self.library)


@dataclass(eq=False)
class Goal:
    """Something to be shown. `parent` follows from it by `gap`, with these lemmas."""

    link: Link
    cost: float = 0.0
    depth: int = 0
    parent: Goal | None = None
    gap: Gap | None = None
    uses: frozenset[str] = frozenset()
    rung: int = 0
    inductions: int = 0  # that may be tried before the next rung
    level: int = 0  # how often all of them have been tried
    answers: Iterator[Answer] | None = None  # to those that are being tried

    @property
    def priority(self) -> float:
        return self.cost + RUNG_COST * self.rung


@dataclass(frozen=True)
class SketchLemma:
    """Derived from the facts and other lemmas."""

    link: Link
    cost: float
    uses: frozenset[str]


@dataclass(order=True)
class OpenPlace:
    """Where the model is asked: from facts and lemmas towards a goal."""

    cost: float
    order: int
    goal: Goal = field(compare=False)
    lemmas: tuple[str, ...] = field(compare=False, default=())
    depth: int = field(compare=False, default=0)
    beam: int = field(compare=False, default=0)


def sketches(task: Task, plan: Plan, search: Search, proving: Proving) -> Iterator[Sketch]:
    """The best sketch after every question to the provers; the last one is what was found."""
    if task.example.f3 is not None:
        yield from Sketcher(task, plan, search, proving).run()


class Sketcher:
    """One search for a chain."""

    def __init__(self, task: Task, plan: Plan, search: Search, proving: Proving) -> None:
        assert task.example.f3 is not None
        self.task, self.plan, self.search, self.proving = task, plan, search, proving
        self.began = time.monotonic()
        self.steps_since: float | None = None  # when the model had its first turn
        self.direct_seconds = 0.0
        self.tried = 0
        self.root = Goal(self.link(task.example.f3))
        self.goals = {self.root.link.tokens: self.root}
        self.lemmas: dict[str, SketchLemma] = {}
        self.underived: set[str] = set()
        self.refuted: set[str] = set()
        self.said = KnownStatements((*task.example.f2, *task.example.f4, task.example.f3))
        self.best = self.sketch(self.root, None, frozenset())
        self._order = count()
        self._waiting: list[OpenPlace] = []
        self._asked: tuple[OpenPlace, Future[list[Step]]] | None = None
        self._answered: list[tuple[OpenPlace, list[Step]]] = []

    @property
    def passed(self) -> float:
        return time.monotonic() - self.began

    def run(self) -> Iterator[Sketch]:
        self.wait_for(self.root, 0.0)
        try:
            while self.passed < self.plan.seconds and not self.best.closed and self.best.refuted is None:
                goal = min(
                    (g for g in self.goals.values() if g.rung < len(LADDER)),
                    key=lambda goal: goal.priority,
                    default=None,
                )
                due = goal is not None and self.is_due(goal)
                if self.steps_since is None and not due:
                    self.steps_since, self.direct_seconds = self.passed, 0.0
                self.ask_ahead()
                if goal is not None and (due or (self._asked is None and not self._answered)):
                    yield from self.induct(goal) if goal.inductions else self.climb(goal)
                elif self._answered:
                    yield from self.expand(*self._answered.pop(0))
                elif self._asked is not None:
                    # In short turns, so that others are not kept waiting and nobody works for who has gone.
                    wait([self._asked[1]], min(TURN, max(0.0, self.plan.seconds - self.passed)))
                    if not self._asked[1].done():
                        yield self.now()
                else:
                    break
            if self.best.closed:
                self.best = self.with_fewest_facts()
                yield self.now()
            if self.best.closed and self.root.link.tokens != FALSEHOOD:
                yield self.suspected()
        finally:
            if self._asked is not None:
                self._asked[1].cancel()

    def suspected(self) -> Sketch:
        """From facts that contradict each other everything follows: a closed sketch says whether they were seen to."""
        until = max(self.began + self.plan.seconds, time.monotonic() + ATTEMPTS * self.plan.prover_seconds)
        gap = self.proving.contradiction(self.task, self.limits()._replace(until=until))
        if isinstance(gap, Proved):
            self.best = replace(self.best, contradiction=gap)
        return self.now()

    def with_fewest_facts(self) -> Sketch:
        """The same chain without statements that it can do without, and its steps from as few facts as provers find,
        in what time is left."""
        steps = self.without_needless()
        for place, step in enumerate(steps):
            known = tuple(before.tokens for before in steps[:place] if step.uses is None or before.tokens in step.uses)
            if isinstance(step.gap, Proved) and not step.gap.cases and step.gap.by != "simp":
                gap, uses = self.proving.follows(self.task, step.tokens, known, self.limits()._replace(fewest=True))
                if isinstance(gap, Proved) and (gap.derived or len(gap.facts) < len(step.gap.facts)):
                    steps[place] = replace(step, gap=gap, uses=uses & frozenset(known))
        return replace(self.best, steps=tuple(steps))

    def without_needless(self) -> list[Link]:
        """The steps of the best chain, each left out where those that used it are proved without it."""
        steps = list(self.best.steps)
        for needless in self.best.steps[:-1]:
            others = [step for step in steps if step.tokens != needless.tokens]
            for place, step in enumerate(others):
                if step.uses is not None and needless.tokens not in step.uses:
                    continue
                known = tuple(before.tokens for before in others[:place])
                gap, uses = self.proving.follows(self.task, step.tokens, known, self.limits(QUICK))
                if not isinstance(gap, Proved):
                    break
                others[place] = replace(step, gap=gap, uses=uses & frozenset(known))
            else:
                steps = others
        return steps

    def is_due(self, goal: Goal) -> bool:
        """Is there time to try a goal as it is, without taking it from steps?"""
        rungs = INDUCTION_LADDER[goal.level :] if goal.inductions else LADDER[goal.rung :]
        cost = ATTEMPTS * self.plan.prover_seconds * (rungs[0] if rungs else 0)
        if self.steps_since is None:
            return goal.rung == 0 or self.passed + cost <= DIRECT_FIRST * self.plan.seconds
        return self.direct_seconds + cost <= DIRECT_SHARE * (self.passed - self.steps_since)

    # The model

    def wait_for(self, goal: Goal, cost: float, lemmas: tuple[str, ...] = (), depth: int = 0, beam: int = 0) -> None:
        if depth < self.plan.depth:
            place = OpenPlace(cost, next(self._order), goal, lemmas, depth, beam or self.plan.beam)
            heapq.heappush(self._waiting, place)

    def ask_ahead(self) -> None:
        """Keep the model busy with the best place while provers work on what it has answered."""
        if self.steps_since is None:
            return
        if self._asked is not None and self._asked[1].done():
            place, answer = self._asked
            self._asked = None
            self._answered.append((place, answer.result()))
            self._answered.sort(key=lambda pair: pair[0])
        if self._asked is None and self._waiting and len(self._answered) < 2:
            place = heapq.heappop(self._waiting)
            self._asked = place, self.search(narrowed(self.task, place.goal, place.lemmas), place.beam)

    # Provers

    def climb(self, goal: Goal) -> Iterator[Sketch]:
        """Try a goal as it is, one rung harder than before."""
        times = LADDER[goal.rung]
        goal.rung += 1
        goal.inductions = INDUCTIONS
        began = time.monotonic()
        # One question is several attempts, with more library facts each time; all of them should fit.
        most = (self.plan.seconds - self.passed) / ATTEMPTS / self.plan.prover_seconds
        gap, uses = (self.simplified(goal.link.tokens) if goal.rung == 1 else None) or (None, frozenset())
        if not isinstance(gap, Proved):
            self.note(goal, gap)
            gap, uses = self.ask(goal.link.tokens, (), self.limits(min(times, most), self.ask_ahead))
        self.direct_seconds += time.monotonic() - began
        if isinstance(gap, Proved):
            self.offer(self.sketch(goal, gap, uses))
        else:
            self.note(goal, gap)
        yield self.now()

    def note(self, goal: Goal, gap: Gap | None) -> None:
        """What was said of the goal itself while there is no step to it. After an internal error only that it is false
        is news: `not proved` would hide the error."""
        alone = goal is self.root and len(self.best.steps) == 1
        if alone and gap is not None and (self.best.crashed is None or isinstance(gap, Refuted)):
            self.best = self.sketch(goal, gap, frozenset())

    def induct(self, goal: Goal) -> Iterator[Sketch]:
        """Try one more induction for a goal."""
        began = time.monotonic()
        if goal.answers is None and goal.level < len(INDUCTION_LADDER):
            times = INDUCTION_LADDER[goal.level]
            known = tuple(tokens for tokens in self.lemmas if tokens != goal.link.tokens)
            limits = self.limits(times, meanwhile=self.ask_ahead)
            goal.answers = self.proving.inductions(self.task, goal.link.tokens, known, limits)
        found = None if goal.answers is None else next(goal.answers, None)
        goal.inductions -= 1
        self.direct_seconds += time.monotonic() - began
        if found is None:
            goal.inductions = 0
            goal.level, goal.answers = goal.level + (goal.answers is not None), None
        elif isinstance(found[0], Proved):
            self.offer(self.sketch(goal, found[0], found[1] & frozenset(self.lemmas)))
        elif isinstance(found[0], Crashed):
            self.note(goal, found[0])
        yield self.now()

    def expand(self, place: OpenPlace, steps: list[Step]) -> Iterator[Sketch]:
        """Proposals for a goal: first those that it needs, then whatever follows from the facts."""
        goal = place.goal
        scores = self.candidates(place, steps)
        pool = list(scores)
        before = len(self.lemmas)
        while pool and self.passed < self.plan.seconds:
            gap, uses = self.ask(goal.link.tokens, tuple(pool), self.limits())
            yield self.now()
            if not isinstance(gap, Proved):
                break
            needed = [tokens for tokens in pool if tokens in uses]
            missing: list[str] = []
            for tokens in needed:
                if len(needed) == 1:
                    yield from self.refute(tokens)
                yield from self.derive(tokens, place.cost - scores[tokens])
                if tokens not in self.lemmas:
                    missing.append(tokens)
            if not missing:
                self.offer(self.sketch(goal, gap, uses))
                yield self.now()
                return
            if len(missing) == 1:
                self.open(missing[0], place, scores[missing[0]], gap, uses)
            pool = [tokens for tokens in pool if tokens not in missing]
        for tokens, score in scores.items():
            if self.passed < self.plan.seconds:
                yield from self.derive(tokens, place.cost - score)
        new = list(self.lemmas)[before:]
        if new:
            cost = place.cost + STEP_COST - max(scores.get(tokens, 0.0) for tokens in new)
            self.wait_for(goal, cost, (*place.lemmas, *new), place.depth + 1)
            for other in self.goals.values():
                other.rung = min(other.rung, 1)  # there is more to start from
            if goal is self.root:
                likely = sorted(self.lemmas, key=lambda tokens: self.lemmas[tokens].cost)[: self.plan.depth]
                self.offer(self.sketch(goal, None, frozenset(likely)))
        elif place.beam < MOST_BEAM:
            self.wait_for(goal, place.cost + WIDER_COST, place.lemmas, place.depth, min(MOST_BEAM, 2 * place.beam))

    def candidates(self, place: OpenPlace, steps: list[Step]) -> dict[str, float]:
        """Statements that say something new, with scores; the goal's own parts and what is one rule away among them."""
        found: dict[str, float] = {}
        for step in steps:
            if step.well_formed:
                for tokens in conjuncts(step.tokens):
                    if tokens not in self.said:
                        found.setdefault(tokens, step.score or 0.0)
        own = dict.fromkeys(parts(place.goal.link.tokens), PART_SCORE)
        if place.beam == self.plan.beam:  # otherwise they have been there
            near = self.proving.one_rule_away(narrowed(self.task, place.goal, place.lemmas), self.limits().until)
            own = dict.fromkeys((each.tokens for each in near[:MOST_BY_RULES]), RULE_SCORE) | own
        for tokens, score in own.items():
            judgement = well_formed(term_of(tokens), self.task.theory_context.signature, self.task.context)
            if judgement.reason is None and tokens not in self.said:
                found.setdefault(tokens, score)
        return found

    def derive(self, tokens: str, cost: float) -> Iterator[Sketch]:
        """Make a lemma of a statement that follows from what is known."""
        if tokens in self.lemmas or tokens in self.underived:
            return
        self.tried += 1
        gap, uses = self.ask(tokens, (), self.limits(QUICK))
        if isinstance(gap, Proved):
            self.lemmas[tokens] = SketchLemma(replace(self.link(tokens), gap=gap, uses=uses), cost, uses)
            self.said.add(tokens)
        else:
            self.underived.add(tokens)
            if isinstance(gap, Refuted):  # from the facts alone: a goal of its own would never be closed
                self.refuted.add(tokens)
        yield self.now()

    def refute(self, tokens: str) -> Iterator[Sketch]:
        """Everything follows from a statement that contradicts the facts, but it will never be derived."""
        if tokens not in self.underived and tokens not in self.lemmas:
            gap, _ = self.ask(FALSEHOOD, (tokens,), self.limits(QUICK)._replace(library=0))
            if isinstance(gap, Proved):
                self.tried += 1
                self.refuted.add(tokens)
                self.underived.add(tokens)
            yield self.now()

    def open(self, tokens: str, place: OpenPlace, score: float, gap: Gap, uses: frozenset[str]) -> None:
        """Make a goal of a statement from which a goal follows."""
        if tokens in self.goals or tokens in self.refuted or place.goal.depth == self.plan.depth:
            return
        cost = place.cost + STEP_COST - score
        goal = Goal(self.link(tokens), cost, place.goal.depth + 1, place.goal, gap, uses - {tokens})
        self.goals[tokens] = goal
        self.said.add(tokens)
        self.wait_for(goal, cost, place.lemmas, place.depth + 1)
        self.offer(self.sketch(goal, None, frozenset()))

    def simplified(self, goal: str) -> Answer | None:
        """What needs no prover, inductions among it; none where that does not close the goal."""
        known = tuple(tokens for tokens in self.lemmas if tokens != goal)
        return self.proving.simplified(self.task, goal, known, self.limits())

    def limits(self, times: float = 1, meanwhile: Callable[[], object] = lambda: None) -> Limits:
        """So many times the usual ones."""
        plan = self.plan
        return Limits(times * plan.prover_seconds, plan.library, self.began + plan.seconds, meanwhile)

    def ask(self, goal: str, assumed: tuple[str, ...], limits: Limits) -> Answer:
        """What provers say, and which of lemmas and assumed statements they used."""
        known = (*(tokens for tokens in self.lemmas if tokens != goal), *assumed)
        gap, used = self.proving.follows(self.task, goal, known, limits)
        return gap, used & frozenset(known)

    # Sketches

    def link(self, tokens: str) -> Link:
        return Link(tokens, self.task.term(tokens), self.task.text(tokens))

    def sketch(self, goal: Goal, gap: Gap | None, uses: frozenset[str]) -> Sketch:
        """The chain from a goal on, with the lemmas that it needs."""
        links = [replace(goal.link, gap=gap, uses=uses)]
        needed, cost = set(uses), goal.cost
        while goal.parent is not None:
            links.append(replace(goal.parent.link, gap=goal.gap, uses=goal.uses | {goal.link.tokens}))
            needed |= goal.uses
            goal = goal.parent
        chain = {link.tokens for link in links}
        lemmas: list[Link] = []
        for tokens, lemma in reversed(self.lemmas.items()):
            if tokens in needed and tokens not in chain:
                lemmas.insert(0, lemma.link)
                needed |= lemma.uses
                cost += lemma.cost
        return Sketch(self.task, (*lemmas, *links), cost, self.tried, self.passed)

    def offer(self, sketch: Sketch) -> None:
        if sketch.better_than(self.best):
            self.best = sketch

    def now(self) -> Sketch:
        return replace(self.best, tried=self.tried, seconds=self.passed)


def parts(tokens: str) -> list[str]:
    """Statements that make up a goal by its form: conjuncts, both directions of an equation in an order."""
    found = conjuncts(tokens)
    if len(found) > 1:
        return found
    formula = hol.dest_trueprop(term_of(tokens))
    sides = None if formula is None else hol.dest_binary(hol.EQ, formula)
    if sides is None:
        return []
    typ, typed = type_of(sides[0]), isinstance(tokens, TypedLine)
    at_most = Const(hol.LESS_EQ, fun(typ, fun(typ, hol.BOOL)) if typed and typ is not None else None)
    both = (list_comb(at_most, pair) for pair in (sides, sides[::-1]))
    return [like(tokens, normalise(hol.trueprop(each, typed=typed), ())) for each in both]


def narrowed(task: Task, goal: Goal, lemmas: tuple[str, ...]) -> Task:
    """What the model is asked: from facts and lemmas towards a goal."""
    example = task.example
    f2, f4 = (tuple(dict.fromkeys((*lines, *lemmas))) for lines in (example.f2, example.f4))
    return replace(task, example=replace(example, f1="", f2=f2, f3=goal.link.tokens, f4=f4), has_reference=False)
