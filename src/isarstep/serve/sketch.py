"""Chains of steps: best-first search over proposals, with provers closing the small gaps.

A sketch has one open goal at most. A proposal that provers derive from what is known becomes known; one from which
they derive the open goal becomes the open goal; one for which they do both closes the sketch.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from isarstep.check.verdict import Gap, Proved
from isarstep.logic.terms import Term
from isarstep.serve.engine import Step
from isarstep.serve.problem import Task
from isarstep.serve.proving import Proving

Search = Callable[[Task, int], list[Step]]

DIRECT = (1, 4)  # times the usual effort to prove the goal without any step
DIRECT_SHARE = 0.1  # of the seconds, after which nothing stronger is tried
STEP_COST = 1.0  # of a step beside its log probability: short proofs first


@dataclass(frozen=True)
class Plan:
    """Most new steps, beam of the proposals, seconds in all."""

    depth: int = 4
    beam: int = 5
    seconds: float = 20.0


@dataclass(frozen=True)
class Link:
    """One statement of a chain; the gap before it is what provers said about it."""

    tokens: str
    term: Term
    text: str
    gap: Gap | None = None

    @property
    def proved(self) -> bool:
        return isinstance(self.gap, Proved)


@dataclass(frozen=True)
class Sketch:
    """Statements in order, the goal last. Proved ones follow from the facts and what stands before them."""

    task: Task
    steps: tuple[Link, ...]
    cost: float
    tried: int
    seconds: float

    @property
    def open(self) -> list[int]:
        return [place for place, step in enumerate(self.steps) if not step.proved]

    @property
    def closed(self) -> bool:
        return not self.open

    def better_than(self, other: Sketch) -> bool:
        """Closed is best, some step is better than none, then what the model finds likely."""
        return self._rank() > other._rank()

    def _rank(self) -> tuple[bool, bool, float]:
        return self.closed, len(self.steps) > 1, -self.cost

    def isar(self) -> str:
        """A skeleton to copy: every `sorry` says what provers know about it."""
        example, text = self.task.example, self.task.text
        known = [text(line) for line in dict.fromkeys((*example.f2, *example.f4))]
        return isar_text(known, [(step.text, step.gap) for step in self.steps])


def isar_text(known: Sequence[str], steps: Sequence[tuple[str, Gap | None]]) -> str:
    """Known facts, then statements with what provers said about them; the last statement is the goal."""
    lines = ["lemma"]
    for place, fact in enumerate(known):
        lines.append(f'  {"assumes" if place == 0 else "    and"} "{fact}"')
    lines += [f'  shows "{steps[-1][0]}"', "proof -"]
    for place, (text, gap) in enumerate(steps):
        last = place == len(steps) - 1
        using = " ".join((["assms"] if known else []) + [f"s{n + 1}" for n in range(place)])
        statement = "show ?thesis" if last else f'have s{place + 1}: "{text}"'
        justification = f"using {using} sorry" if using else "sorry"
        lines += [f"  {statement}", f"    {justification}  (* {comment(gap)} *)"]
    return "\n".join([*lines, "qed"])


def comment(gap: Gap | None) -> str:
    if not isinstance(gap, Proved):
        return "open"
    lemmas = [name for name in gap.facts if name != "P" and not name.startswith("F.")]
    return f"proved by {gap.by}" + (f" with {', '.join(lemmas)}" if lemmas else "")


@dataclass(frozen=True)
class Node:
    """Steps known so far, and the goals: the first is open, each of the others follows from the one before."""

    known: tuple[Link, ...]
    goals: tuple[Link, ...]
    cost: float

    @property
    def depth(self) -> int:
        return len(self.known) + len(self.goals) - 1

    @property
    def key(self) -> tuple[frozenset[str], str]:
        return frozenset(link.tokens for link in self.known), self.goals[0].tokens


def sketches(task: Task, plan: Plan, search: Search, proving: Proving) -> Iterator[Sketch]:
    """The best sketch after every question to the provers; the last one is what was found."""
    example = task.example
    if example.f3 is None:
        return
    began = time.monotonic()
    tried = 0
    order = count()
    goal = Link(example.f3, task.term(example.f3), task.text(example.f3))

    def sketch(node: Node) -> Sketch:
        return Sketch(task, (*node.known, *node.goals), node.cost, tried, time.monotonic() - began)

    start = Node((), (goal,), 0.0)
    for times in DIRECT:
        direct = proving.direct(everything_known(task, start), times)
        best = sketch(Node((), (replace(goal, gap=direct),), 0.0))
        yield best
        if best.closed:
            return
        if time.monotonic() - began > DIRECT_SHARE * plan.seconds:
            break
    queue = [(start.cost, next(order), start)]
    seen = {start.key}
    while queue:
        _, _, node = heapq.heappop(queue)
        for step in search(narrowed(task, node), plan.beam):
            if time.monotonic() - began > plan.seconds:
                return
            if step.copy or not step.well_formed:
                continue
            tried += 1
            grown = yield from extended(task, node, step, proving, best)
            for new in grown:
                made = sketch(new)
                if made.better_than(best):
                    best = made
                if new.key not in seen and new.depth < plan.depth:
                    seen.add(new.key)
                    heapq.heappush(queue, (new.cost, next(order), new))
            yield replace(best, tried=tried, seconds=time.monotonic() - began)
            if best.closed:
                return


def extended(task: Task, node: Node, step: Step, proving: Proving, best: Sketch) -> Generator[Sketch, None, list[Node]]:
    """What a proposal makes of a node; the return value are the new nodes, the best of them closed if any is."""
    gaps: dict[str, Gap] = {}
    for side, gap in proving.gaps(everything_known(task, node), step.tokens):
        gaps[side] = gap
        if side == "first":
            yield best
    first, second = gaps["first"], gaps["second"]
    link = Link(step.tokens, step.term, step.text, first)
    cost = node.cost + STEP_COST - (step.score or 0.0)
    reached = (replace(node.goals[0], gap=second), *node.goals[1:])
    if isinstance(first, Proved) and isinstance(second, Proved):
        return [Node((*node.known, link), reached, cost)]
    if isinstance(first, Proved):
        return [Node((*node.known, link), node.goals, cost)]
    if isinstance(second, Proved):
        return [Node(node.known, (link, *reached), cost)]
    return []


def narrowed(task: Task, node: Node) -> Task:
    """What the model is asked: from facts and known steps towards the open goal."""
    more = tuple(link.tokens for link in node.known)
    example = task.example
    goal = node.goals[0].tokens
    asked = replace(example, f1="", f2=united(example.f2, more), f3=goal, f4=united(example.f4, more))
    return replace(task, example=asked, has_reference=False)


def everything_known(task: Task, node: Node) -> Task:
    """What provers are asked: everything known may be used on both sides of a step."""
    example = narrowed(task, node).example
    known = united(example.f2, example.f4)
    return replace(task, example=replace(example, f2=known, f4=known), has_reference=False)


def united(some: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*some, *more)))
