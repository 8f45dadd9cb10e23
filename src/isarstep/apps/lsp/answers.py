"""Answers to an editor: the step is proposed, the goal proved, a written step checked. Texts are those that
`isarstep propose`, `fill` and `prove` print."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import aclosing
from functools import partial

from isarstep.apps.filling import filled_gap, with_facts_in_order
from isarstep.apps.lsp.places import SECONDS, AskedPlace, EditorAnswer
from isarstep.apps.service import schema
from isarstep.apps.service.printed import printed_step, printed_task
from isarstep.apps.service.service import Clock, ProposalState, Service
from isarstep.benchmark.problems.task import Task, with_goal_opened
from isarstep.common.errors import UserError
from isarstep.isabelle.terms.terms import frees
from isarstep.isabelle.theory.proofs.proof_block import ProofState
from isarstep.prover.check.prover_session import Proving
from isarstep.prover.isar.sketch import Sketch
from isarstep.prover.outcomes.verdict import Gap, Refuted
from isarstep.prover.search.proof_search import Plan, sketches

Report = Callable[[str], None]
Asking = Callable[[Service, AskedPlace, Clock, Report], Awaitable[EditorAnswer]]


async def proposed_steps(service: Service, place: AskedPlace, clock: Clock, report: Report) -> EditorAnswer:
    """Steps between the facts and the goal, those that provers accept on both sides first."""
    task = await service.computed(clock, lambda: with_goal_opened(service.engine.read_state(place.state())))
    effort = schema.ProposeBody.model_validate({"seconds": SECONDS, "check": True})
    found = await service.proposed(task, effort, clock)
    await _checked(service, found, effort, clock, report)
    steps = [printed_step(number, step, True) for number, step in enumerate(found.order, 1)]
    best = next((step for step in found.order if step.helps), None)
    gist = f"proved on both sides: {best.text}" if best else f"{len(steps)} steps, none that both proofs need"
    said = found.goal.lines()
    return EditorAnswer("\n".join([printed_task(task, found.unknown), "", *said, *steps]), " ".join([*said, gist]))


async def proved_gap(service: Service, place: AskedPlace, clock: Clock, report: Report) -> EditorAnswer:
    """A proof in place of the `sorry`, as `isarstep fill` writes it; without one, what `isarstep prove` prints."""

    def read() -> tuple[ProofState, Task]:
        state = place.state() if place.gap is None else place.document.state_before(place.gap.start)
        task = with_facts_in_order(service.engine.read_state(state))
        return state, with_goal_opened(task) if place.gap is None else task

    state, task = await service.computed(clock, read)
    plan = Plan(seconds=SECONDS)
    last: Sketch | None = None
    work = partial(sketches, task, plan, service.batcher.search_all)
    async with aclosing(service.job(work, plan, clock)) as found:
        async for last in found:
            report(f"{last.tried} proposals tried, {len(last.open)} open")
    if last is None:
        raise UserError(f"nothing was found within {clock.seconds:g} s")
    if place.gap is None:
        return EditorAnswer(last.isar(), last.state)
    filled = filled_gap(place.gap, state, last)
    if filled.why:
        return EditorAnswer(f"left open: {filled.why}", f"left open: {filled.why}")
    return EditorAnswer(filled.text, filled.proof or last.state, filled.text, place.gap)


async def checked_step(service: Service, place: AskedPlace, clock: Clock, report: Report) -> EditorAnswer:
    """Of a `have`: whether it follows from the facts, and the goal around it from it; else whether the goal follows."""
    if place.command.name not in ("have", "hence"):
        return await _check_goal(service, place, clock)

    def read() -> ProposalState:
        state = place.state()
        around = place.document.state_before(place.command.start)
        task = service.engine.read_state(around)
        own = {free.name for free in frees(state.goal)} - set(around.fixed)
        if own:
            raise UserError(f"{state.where}: it fixes {min(own)!r} by itself; ask where its proof stands")
        tokens = task.line(task.canonical(state.goal))
        return ProposalState(task, service.engine.steps(task, [(tokens, None)]))

    found = await service.computed(clock, read)
    await _checked(service, found, schema.EffortBody.model_validate({"seconds": SECONDS}), clock, report)
    step = found.steps[0]
    sides = {0: "neither side is proved", 1: "one side is proved", 2: "both sides are proved"}
    gist = "it is false" if step.false else sides[step.sides]
    said = found.goal.lines()
    text = "\n".join([printed_task(found.task), "", *said, printed_step(1, step, True)])
    return EditorAnswer(text, " ".join([*said, gist]))


async def _check_goal(service: Service, place: AskedPlace, clock: Clock) -> EditorAnswer:
    task = await service.computed(clock, lambda: service.engine.read_state(place.state()))
    plan = Plan()
    verdicts: list[Gap | Refuted | None] = []

    def work(proving: Proving) -> Iterator[Gap | Refuted | None]:
        yield proving.false_goal(task)
        yield proving.follows(task, task.example.f3 or "", (), plan.limits)[0]

    async with aclosing(service.job(work, plan, clock)) as found:
        async for verdict in found:
            verdicts.append(verdict)
            if isinstance(verdict, Refuted):
                break
    said = [f"facts ⊢ goal: {verdict}" for verdict in verdicts if verdict is not None]
    gist = said[0] if said else f"facts ⊢ goal: no answer within {clock.seconds:g} s"
    return EditorAnswer(f"{printed_task(task)}\n\n{gist}", gist)


async def _checked(
    service: Service, found: ProposalState, effort: schema.EffortBody, clock: Clock, report: Report
) -> None:
    async with aclosing(service.gaps(found, effort, clock)) as events:
        async for _ in events:
            proved = sum(step.sides == 2 for step in found.steps)
            report(f"{proved} of {len(found.steps)} proved on both sides")


ASKING: dict[str, Asking] = {
    "isarstep.propose": proposed_steps,
    "isarstep.prove": proved_gap,
    "isarstep.check": checked_step,
}
