"""What the endpoints do: problems read, searches shared, gaps tried in turn, all within each request's budget."""

from __future__ import annotations

import asyncio
import math
import re
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, TypeVar

from isarstep.apps.batching import Batcher
from isarstep.apps.engine import WIDE, Engine
from isarstep.apps.events import Event as EngineEvent
from isarstep.apps.events import GoalJudged, OutcomeFound, Proposal, StepsAdded, TooLateError
from isarstep.apps.interruptible import Workers
from isarstep.apps.prover_queue import Finished, Job, ProverQueue
from isarstep.apps.service import answer_fields, schema
from isarstep.apps.service.attention_view import attention_of
from isarstep.apps.service.wording import understood
from isarstep.benchmark.problems.task import Task, opened_goal
from isarstep.benchmark.store.fact_search import FactSearch, SearchWord
from isarstep.common.errors import UserError
from isarstep.common.memory import shared_property
from isarstep.isabelle.context.theory_contexts import USUAL
from isarstep.isabelle.terms.hol import strip_pure_imp
from isarstep.isabelle.terms.terms import Term
from isarstep.isabelle.theory.problems.open_types import open_types
from isarstep.isabelle.theory.problems.pasted import problem_of_theory_text
from isarstep.isabelle.theory.problems.problem import FIELDS, Problem, ProblemError
from isarstep.prover.atp.provers import installed, not_installed
from isarstep.prover.check.prover_session import Limits, Proving
from isarstep.prover.isar.sketch import Sketch, Stated, exact_text, holds_at_all_types, isar_text, theory_file
from isarstep.prover.outcomes.goal_verdict import GoalVerdict
from isarstep.prover.outcomes.step import Step
from isarstep.prover.outcomes.verdict import AUTHORITY, Proved
from isarstep.prover.search.proof_search import Plan, sketches

_IDENTIFIER = re.compile(r"[0-9A-Fa-f]{6,}")  # of an example, or its beginning

# What a problem says of itself, and an example of a benchmark knows.
BROUGHT = ("facts", "goal", "others", "hints", "fixed", "types", "imports", "constants", "statement", "earlier")

FEW = 32  # library facts, where provers are asked only so that all is loaded
READING = 10.0  # seconds for requests that have no budget of their own
LEAST = 0.5  # seconds for reading, however late it is: what is understood can be answered with what there is

T = TypeVar("T")
Json = dict[str, Any]
Event = tuple[str, Json]


class OutOfTimeError(UserError):
    """The budget ended before there was anything to answer; in `wait` seconds it would probably do."""

    def __init__(self, message: str, wait: float) -> None:
        super().__init__(message)
        self.wait = max(1, math.ceil(wait))


class BusyError(OutOfTimeError):
    """The budget would end before there is anything to answer, by what waits already: nothing was begun."""


class Clock:
    """The budget of one request."""

    def __init__(self, seconds: float) -> None:
        self.began = time.monotonic()
        self.seconds = seconds

    @property
    def passed(self) -> float:
        return time.monotonic() - self.began

    @property
    def left(self) -> float:
        return self.seconds - self.passed

    @property
    def deadline(self) -> float:
        """The end of the budget on the monotonic clock."""
        return time.monotonic() + self.left


@dataclass(eq=False)
class ProposalState(Proposal):
    """A proposal of a request: which constants the model has never seen, and how long the search took."""

    unknown: list[str] = field(default_factory=list)
    search: float = 0.0


class Service:
    """One engine and the threads around it."""

    def __init__(self, engine: Engine, largest_batch: int) -> None:
        self.engine = engine
        self.catalogue = engine.catalogue
        self.batcher = Batcher(engine, largest_batch)
        self.prover_queue = ProverQueue(engine)
        self.workers = Workers()

    def close(self) -> None:
        """Finish what was accepted."""
        self.prover_queue.close()  # first: a sketch that is not at its end still asks for searches
        self.batcher.close()

    async def computed(self, clock: Clock, work: Callable[..., T], *arguments: Any) -> T:
        """What Python works out for a request, ended with its budget."""
        try:
            return await self.workers.within(max(LEAST, clock.left), work, *arguments)
        except TimeoutError:
            message = f"not understood within {clock.seconds:g} s; ask for something smaller"
            raise OutOfTimeError(message, 1) from None
        except RecursionError:
            raise ProblemError("invalid", "a term or a type is nested too deeply; make it smaller") from None
        except MemoryError:
            raise ProblemError("invalid", "a term or a type is too large; make it smaller") from None

    # Reading

    def task(self, body: schema.ProblemBody) -> Task:
        if body.example is None:
            return self.engine.read(problem_of_body(body))
        given = [name for name in BROUGHT if getattr(body, name)]
        if given:
            raise ProblemError("invalid", f"an example brings its own {given[0]}; only extra goes with it", given[0])
        written = body.extra or isinstance(body, schema.CheckBody | schema.AttentionBody)
        if body.form != "notation" and not written:
            raise ProblemError("invalid", "nothing is written beside the example that could have this form", "form")
        _, example = self.catalogue.find(body.example)
        theory_context = self.engine.theory_contexts.at(example.theory)
        return self.engine.reader_in(theory_context).of_example(example, problem_of_body(body))

    def example(self, identifier: str) -> Json:
        split, example = self.catalogue.find(identifier)
        theory_context = self.engine.theory_contexts.at(example.theory)  # so that what is shown reads where it stands
        about = {"imports": list(theory_context.imports)}
        return answer_fields.example_shown(example, split, self.engine.reader_in(theory_context).names) | about

    def examples(self, query: str, split: str, limit: int, offset: int) -> Json:
        if _IDENTIFIER.fullmatch(query.strip()):  # its digits are no numbers
            words: tuple[SearchWord, ...] = (SearchWord(query.strip().lower()),)
        else:
            words, _ = understood(query, self.engine.reader_in(self.engine.theory_contexts.everything))
        total, entries = self.catalogue.search(words, split, limit, offset)
        names = self.engine.names
        rows = [
            {name: getattr(entry, name) for name in schema.ExampleHead.model_fields}
            | {"goal": "" if entry.goal is None else answer_fields.line(entry.goal, names)["text"], "size": entry.size}
            for entry in entries
        ]
        return {"total": total, "examples": rows}

    def facts(self, query: str, imports: Sequence[str], limit: int) -> Json:
        """Library facts, best first, and whether the context with these imports has them."""
        reader = self.engine.reader_for(Problem(imports=tuple(imports)))
        everywhere = self.engine.reader_in(self.engine.theory_contexts.everything)
        words, pattern = understood(query, reader, everywhere)
        theories = reader.theory_context.theories
        if not self.engine.benchmark.has_facts:
            return {"total": 0, "elsewhere": 0, "world": reader.theory_context.name, "facts": [], "constants": True}
        found = self.fact_search.ranked(words, pattern, theories, limit)
        rows = []
        for fact in found.facts:
            here = theories is None or fact.theory in theories
            names = (reader if here else everywhere).names
            rows.append(
                {"name": fact.name, "theory": fact.theory, "imported": here} | answer_fields.line(fact.tokens, names)
            )
        about = {"total": found.total, "elsewhere": found.elsewhere, "world": reader.theory_context.name}
        return about | {"facts": rows, "constants": self.fact_search.knows_constants}

    @shared_property
    def fact_search(self) -> FactSearch:
        return FactSearch(self.engine.benchmark)

    def theories(self, query: str, limit: int) -> Json:
        """Theories that a problem may stand in, those first whose own name begins so."""
        word = query.strip().lower()
        found = [name for name in self.engine.theory_contexts.parents if word in name.lower()]
        usual = (name != USUAL for name in found)
        own = (not name.rpartition(".")[2].lower().startswith(word) for name in found)
        ranked_names = sorted(zip(usual, own, map(len, found), found, strict=True))
        return {"total": len(found), "theories": [name for *_, name in ranked_names[:limit]]}

    def pasted(self, body: schema.PasteBody) -> Json:
        """The problem that a statement poses which stands in a theory."""
        try:
            problem = problem_of_theory_text(body.text)
        except UserError as error:
            raise ProblemError("syntax", str(error), "text") from None
        fields = {"facts": list(problem.facts), "goal": problem.goal, "fixed": list(problem.fixed)}
        return fields | {"types": dict(problem.types), "imports": list(problem.imports)}

    def load_ahead(self) -> None:
        """What the first who searches or asks provers would wait for, while nobody waits."""
        self.prover_queue.submit(Job(lambda _: iter(()), lambda _: None, 0.1, FEW))  # loads the provers' library

        def load() -> None:
            self.catalogue.search((SearchWord("x"),), "test", 1, 0)
            self.engine.names  # noqa: B018
            if self.engine.benchmark.has_facts:
                self.fact_search.index()
                self.facts("prime", (), 1)  # what words mean in all theories

        # Waited for at the end: a thread inside Arrow while the interpreter goes away ends the process with an abort.
        threading.Thread(target=load, name="search index").start()

    def load_library(self, told: Callable[[object], None]) -> None:
        """Let the provers' thread load its facts and their indexes, so that nobody's budget is spent on that; `told` is
        called when they are there."""
        task = self.engine.read(Problem(goal="x = y"))  # which no prover can close before it has seen the library

        def work(proving: Proving) -> Iterator[None]:
            proving.follows(task, task.example.f3 or "", (), Limits(0.1, FEW))
            yield

        self.prover_queue.submit(Job(work, told, 0.1, FEW))

    def read(self, body: schema.ProblemBody) -> Json:
        """Every proposition as it was read, or what is wrong with it."""
        if body.example is not None:
            task = self.task(body)
            return {"ok": True, "open": []} | context_fields(task) | example_fields(task)
        reader, parsed = self.engine.parse(problem_of_body(body))
        general = open_types(parsed.shown_context(), reader.signature)
        notes = [str(each) for each in general]
        fields: Json = {name: [] for name in FIELDS} | {"goal": None}
        for where, reading in parsed.readings.items():
            name = where.split("[")[0]
            if reading.statement is not None:
                made: Json = {"ok": True, "error": None} | answer_fields.proposition(
                    reading.statement.term, parsed.names
                )
                made["text"] = parsed.text(reading)
            else:
                assert reading.error is not None
                empty = dict.fromkeys(("text", "tokens", "latex", "mathml"))
                made = {"ok": False} | empty | answer_fields.error(reading.error)
            if name == "goal":
                fields["goal"] = made
            else:
                fields[name].append(made)
        about: Json = {
            "types": parsed.types(),
            "world": reader.theory_context.name,
            "authority": AUTHORITY,
            "notes": notes,
        }
        about |= {"open": [answer_fields.general(each) for each in general]}
        return about | {"ok": parsed.error is None} | fields

    def isar(self, body: schema.IsarBody) -> Json:
        """A proof as text: who proved what is the caller's word."""
        problem = problem_of_body(body)
        reader = self.engine.reader_for(problem)
        task = reader.read(problem)
        texts: dict[str, list[str]] = {name: [] for name in FIELDS}
        terms: dict[str, list[Term]] = {name: [] for name in FIELDS}
        general: list[str] = []
        for where, reading in reader.parse(problem).readings.items():
            assert reading.term is not None  # or it would not be a task
            field, tokens = where.split("[")[0], reader.line(reading, task.order)
            if field in ("facts", "others") and holds_at_all_types(task, tokens):
                general.append(task.text(tokens))
                continue
            term = reading.term
            if field == "goal":  # as it is opened where steps are proposed for it
                premises, tokens = opened_goal(tokens)
                texts["facts"] += (exact_text(task, premise) for premise in premises)
                term = strip_pure_imp(term)[1] if premises else term
            texts[field].append(exact_text(task, tokens))
            terms[field].append(term)
        known = dict.fromkeys((*texts["facts"], *texts["others"]))
        said = [None if one is None else Proved(one.by, 0.0, tuple(one.facts), 0) for one in body.proved]
        steps = [*zip(texts["extra"], terms["extra"], strict=True), *zip(texts["goal"], terms["goal"], strict=True)]
        said += [None] * (len(steps) - len(said))
        judged = [Stated(text, term, gap) for (text, term), gap in zip(steps, said, strict=False)]
        text = isar_text(list(known), judged, task.shown_context(), task.theory_context, general)
        # What the asker's own theory declares would be missing there.
        alone = bool(task.theory_context.imports) and not problem.constants and problem.own is None
        return {"isar": text, "theory": theory_file(text, task.theory_context.imports) if alone else None}

    # Proposing

    async def propose(self, body: schema.ProposeBody, clock: Clock) -> ProposalState:
        self._admit(body.beam, clock)  # before anything is read for it
        return await self.proposed(await self.computed(clock, self.task, body), body, clock)

    async def proposed(self, task: Task, body: schema.ProposeBody, clock: Clock) -> ProposalState:
        """The steps for a task that has been read."""
        self._admit(body.beam, clock)
        steps = await self._searched(task, body, body.beam, clock)
        most = min(body.beam, body.count)
        unknown = self.engine.unknown(task)
        return ProposalState(task, steps[:most], most=most, unknown=unknown, search=clock.passed)

    def _admit(self, beam: int, clock: Clock) -> None:
        """Better said at once than when the time is over."""
        if not self.batcher.has_room(beam, clock.left):
            wait = self.batcher.seconds_until(beam)
            message = f"an answer would take about {wait:.0f} s, and {clock.seconds:g} s were given"
            raise BusyError(message, self.batcher.turn(beam, clock.seconds))

    async def _searched(self, task: Task, body: schema.ProposeBody, beam: int, clock: Clock) -> list[Step]:
        answer = asyncio.wrap_future(self.batcher.submit(task, beam, deadline=clock.deadline))
        try:
            return await asyncio.wait_for(answer, max(0.0, clock.left))
        except (TimeoutError, TooLateError):
            message = f"no answer within {clock.seconds:g} s; the server is busy, or ask for less"
            raise OutOfTimeError(message, self.batcher.turn(beam, clock.seconds)) from None

    async def proposals(self, body: schema.CheckBody, clock: Clock) -> ProposalState:
        """The user's own proposals as steps."""

        def read() -> ProposalState:
            task = self.task(body)
            lines = [
                self.engine.answer(task, text, body.form, f"proposals[{place}]")
                for place, text in enumerate(body.proposals)
            ]
            steps = self.engine.steps(task, [(tokens, None) for tokens in lines])
            return ProposalState(task, steps, search=clock.passed)

        return await self.computed(clock, read)

    async def gaps(self, found: ProposalState, effort: schema.EffortBody, clock: Clock) -> AsyncGenerator[Event, None]:
        """The engine's events as they come, until all are there or the budget ends; closed earlier, the rest is not
        asked."""

        def wider() -> Future[list[Step]] | None:
            if not self.batcher.has_room(WIDE, clock.left):
                return None
            return self.batcher.submit(found.task, WIDE, deadline=clock.deadline)

        def work(proving: Proving) -> Iterator[EngineEvent]:
            if isinstance(effort, schema.ProposeBody):
                return self.engine.proposing(found, proving, wider)
            return self.engine.checking(found, proving)

        async with aclosing(self.job(work, effort, clock)) as events:
            async for event in events:
                match event:
                    case GoalJudged(goal):
                        yield "goal", answer_fields.goal(goal) | {"notes": goal.lines()}
                    case StepsAdded():
                        yield "steps", first_answer(found)
                    case OutcomeFound(step, side, gap):
                        about = {"gap": answer_fields.gap(gap), "sides": step.sides, "label": step.label}
                        yield "gap", {"id": step.id, "side": side} | about

    async def sketch(self, body: schema.SketchBody, task: Task, clock: Clock) -> AsyncGenerator[Event, None]:
        """Better and better sketches; the last event is `done`."""
        plan = Plan(body.depth, body.beam, body.seconds, body.prover_seconds, body.library)
        best: Sketch | None = None
        work = partial(sketches, task, plan, self.batcher.search_all)
        async with aclosing(self.job(work, body, clock)) as found:
            async for sketch in found:
                if best is None or sketch.better_than(best) or sketch.contradiction is not None:
                    best = sketch
                    yield "sketch", sketch_json(sketch)
                else:
                    texts = [best.steps[place].text for place in best.open]
                    yield "try", {"tried": sketch.tried, "open": texts, "seconds": round(clock.passed, 3)}
                last = sketch
        if best is None:
            message = f"nothing was found within {clock.seconds:g} s; the server is busy"
            raise OutOfTimeError(message, self.batcher.seconds_until(body.beam))
        yield "done", sketch_json(best) | {"tried": last.tried, "seconds": round(clock.passed, 3)}

    async def job(self, work: Any, effort: schema.EffortBody | Plan, clock: Clock) -> AsyncGenerator[Any, None]:
        """What a job on the provers' thread yields; it is cancelled when the budget ends or nobody listens."""
        loop = asyncio.get_running_loop()
        arriving: asyncio.Queue[Any] = asyncio.Queue()

        def tell(item: object) -> None:
            with suppress(RuntimeError):  # the loop was closed: nobody listens, and the provers are others' too
                loop.call_soon_threadsafe(arriving.put_nowait, item)

        job = Job(work, tell, effort.prover_seconds, effort.library)
        self.prover_queue.submit(job)
        try:
            while clock.left > 0:
                try:
                    item = await asyncio.wait_for(arriving.get(), clock.left)
                except TimeoutError:
                    return
                if isinstance(item, Finished):
                    return
                if isinstance(item, Exception):
                    raise item
                yield item
        finally:
            self.prover_queue.cancel(job)

    def attention(self, body: schema.AttentionBody) -> Json:
        task = self.task(body)
        answer = self.engine.answer(task, body.answer, body.form)
        return attention_of(self.engine, task, answer, body.layer, body.head)


def problem_of_body(body: schema.ProblemBody) -> Problem:
    """What a problem and a request say is called the same."""
    said: Json = {each.name: getattr(body, each.name) for each in fields(Problem) if each.name != "own"}
    said |= {name: tuple(value) for name, value in said.items() if isinstance(value, list)}
    return Problem(**said)


def example_fields(task: Task) -> Json:
    example = task.example

    def readings(lines: Sequence[str]) -> list[Json]:
        return [{"ok": True, "error": None} | answer_fields.line(line, task.names) for line in lines]

    goal = readings([example.f3])[0] if example.f3 is not None else None
    fields = {"facts": readings(example.f2), "others": readings(example.f4), "hints": readings(example.f5)}
    return fields | {"goal": goal, "extra": []}


def context_fields(task: Task, goal: GoalVerdict | None = None) -> Json:
    """In which context the answer holds and for which types; notes on the goal itself come first."""
    notes = [*([] if goal is None else goal.lines()), *map(str, task.general())]
    return {"types": task.types(), "world": task.theory_context.name, "authority": AUTHORITY, "notes": notes}


def first_answer(found: ProposalState) -> Json:
    steps = [answer_fields.step(step, found.task) for step in found.steps]
    return {"steps": steps, "unknown": found.unknown} | context_fields(found.task, found.goal)


def unfinished(steps: Sequence[Step]) -> bool:
    """Is there a gap that nobody has tried?"""
    return any(
        step.first is None or (step.second is None and (step.follows or not step.of_rule_alone))
        for step in steps
        if step.well_formed
    )


def last_answer(found: ProposalState, clock: Clock, asked: bool) -> Json:
    order = found.order
    missing = asked and unfinished(order)
    seconds = {"search": round(found.search, 3), "check": round(clock.passed - found.search, 3)}
    about = {"seconds": seconds, "finished": not missing} | answer_fields.goal(found.goal) | provers_asked(asked)
    return {"order": [step.id for step in order], "labels": {step.id: step.label for step in order}} | about


def whole_answer(found: ProposalState, clock: Clock, asked: bool) -> Json:
    last = last_answer(found, clock, asked)
    by_id = {step.id: step for step in found.steps}
    del last["labels"]  # the steps have them
    steps = [answer_fields.step(by_id[number], found.task) for number in last.pop("order")]
    return first_answer(found) | last | {"steps": steps}


def provers_asked(asked: bool = True) -> Json:
    """Who was asked, and who could not be."""
    return {"provers": installed() if asked else [], "not_asked": not_installed() if asked else []}


def sketch_json(sketch: Sketch) -> Json:
    steps = [
        answer_fields.proposition(step.term, sketch.task.names)
        | {
            "proved": step.proved,
            "by": None if step.gap is None else answer_fields.gap(step.gap),
            "goal": place == len(sketch.steps) - 1,
        }
        for place, step in enumerate(sketch.steps)
    ]
    return (
        {
            "closed": sketch.closed,
            "error": None if sketch.crashed is None else str(sketch.crashed),
            "contradiction": None if sketch.contradiction is None else answer_fields.gap(sketch.contradiction),
            "steps": steps,
            "open": sketch.open,
            "isar": sketch.isar(),
            "tried": sketch.tried,
            "seconds": round(sketch.seconds, 3),
        }
        | context_fields(sketch.task)
        | provers_asked()
    )
