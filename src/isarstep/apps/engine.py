"""The proposer: a problem in, ranked steps out. `propose(["x ≤ y"], "x < y + 1")` is all that most callers need.

An engine loads the model, the signature and the provers when they are first needed, and keeps them.
"""

from __future__ import annotations

import logging
import math
import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from isarstep.apps.events import Event, GoalJudged, OutcomeFound, Proposal, StepsAdded, TooLateError, Wider, Working
from isarstep.benchmark.arrays.inputs import FIELDS_READ, SELECTED, STATEMENT
from isarstep.benchmark.problems.chosen_context import chosen_context
from isarstep.benchmark.problems.problem_reader import Parsed, ProblemReader, ReadProposition
from isarstep.benchmark.problems.task import Task, with_goal_opened
from isarstep.benchmark.store.ids import CONSTANT
from isarstep.benchmark.store.startup_part import Partly
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.cancellation import check_deadline, undisturbed
from isarstep.common.errors import UserError
from isarstep.common.memory import shared_property
from isarstep.isabelle.inference.infer import well_formed
from isarstep.isabelle.inference.typed_lines import TypedLine
from isarstep.isabelle.syntax.writing.names import Names
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.normal_forms import TooLargeError, beta_eta_normal
from isarstep.isabelle.terms.tokens import decode
from isarstep.isabelle.theory.problems.constant_types import own_signature
from isarstep.isabelle.theory.problems.problem import Form, Problem, ProblemError
from isarstep.premises.available_facts import AvailableFacts
from isarstep.prover.outcomes.goal_verdict import NOTHING_KNOWN, GoalVerdict
from isarstep.prover.outcomes.novelty import KnownStatements, schematics_in_order, shown_by_a_value, without_repetition
from isarstep.prover.outcomes.step import MOST_BY_RULES, Step, Steps, further, in_turn, with_gap, with_rules
from isarstep.prover.outcomes.variants import Variants
from isarstep.prover.outcomes.verdict import Proved

if TYPE_CHECKING:
    from isarstep.apps.catalogue import Catalogue
    from isarstep.benchmark.arrays.corpus import Corpus
    from isarstep.benchmark.store.example import Example
    from isarstep.isabelle.context.theory_contexts import TheoryContext, TheoryContexts
    from isarstep.isabelle.terms.signature import Signature
    from isarstep.isabelle.theory.proofs.proof_block import ProofState
    from isarstep.model.decode.constraints import TermGrammar
    from isarstep.model.decode.predict import Predictor
    from isarstep.model.decode.variable_types import Known
    from isarstep.premises.fact_base import Library
    from isarstep.prover.check.prover_session import OfferedFacts, Proving
    from isarstep.prover.check.step_checker import NearStep

BEAM = 10
BRIEFLY = 6.0  # seconds in which provers try steps where nobody asks for more or less
WIDE = 32  # hypotheses for a problem where provers find no step among those of the usual beam
PAUSE = 0.05  # seconds after which others have their turn while a search is waited for
MARGIN = 10.0  # of log probability: what is so much less likely than the first is nothing to wait for
LONGEST_DENSE = 110  # dense tokens of a target that has 200 at most; beams that ramble end there
log = logging.getLogger(__name__)


class Engine:
    """One model over one benchmark's signature and facts."""

    def __init__(self, model: str | Path = "embedded", benchmark: str | Path = "embedded") -> None:
        self.model_name = model
        self.benchmark = Benchmark(benchmark)
        self.lock = threading.Lock()  # one search at a time
        self.reader_in = lru_cache(maxsize=16)(self._reader_in)
        self._tasks: dict[str, Task] = {}

    @shared_property
    def catalogue(self) -> Catalogue:
        from isarstep.apps.catalogue import Catalogue

        return Catalogue(self.benchmark)

    @shared_property
    def signature(self) -> Signature:
        return self.benchmark.signature

    @property
    def theory_contexts(self) -> TheoryContexts:
        return self.benchmark.theory_contexts

    @shared_property
    def _uses(self) -> Mapping[str, int]:
        """How often training mentions each constant; read when the first is asked about."""
        benchmark = self.benchmark
        counts = cache(lambda: dict(zip(benchmark.vocabulary, benchmark.vocabulary_counts, strict=True)))
        return Partly({}, lambda _: False, counts)

    def _reader_in(self, theory_context: TheoryContext) -> ProblemReader:
        with undisturbed():
            return ProblemReader(
                theory_context,
                Names.of_signature(theory_context.signature, uses=self._uses, language=theory_context.language),
            )

    @property
    def names(self) -> Names:
        """Of all constants, wherever they are."""
        return self.reader_in(self.theory_contexts.everything).names

    @shared_property
    def predictor(self) -> Predictor:
        """Loaded by whom it is asked for first, this thread or the one that loads ahead."""
        # Threads that wait for each other by spinning take the cores from provers, and stand still when one has none.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        from isarstep.model.decode.predict import Predictor

        return Predictor(self.model_name)

    def load_ahead(self) -> None:
        """The model on another thread; the caller has a signature and a problem to read meanwhile."""

        def load() -> None:
            try:
                self.predictor  # noqa: B018
            except Exception:  # whoever needs the model loads it again, and gets the error
                log.info("the model could not be loaded ahead", exc_info=True)

        threading.Thread(target=load, name="load the model").start()

    def find_model(self) -> None:
        """Raises UserError where there is none, and loads nothing."""
        from isarstep.model.nets.folders import open_folder

        open_folder(Path(self.model_name))

    @shared_property
    def typed_grammar(self) -> TermGrammar:
        from isarstep.model.decode.typed_search import TypedGrammar

        return TypedGrammar(self.predictor.vocabulary, self._known_at, self.predictor.model.config.dense)

    def _known_at(self, corpus: Corpus, example: int) -> Known:
        task = self._tasks[corpus.ids[example]]
        return task.context, task.theory_context.known(task.example), task.theory_context.signature

    def proving(self, seconds: float = 0.3, library: int = 1024, width: int = 1) -> Proving:
        """Provers for one thread, so many at the same time."""
        from isarstep.prover.check.prover_session import Proving

        return Proving(self.benchmark, lambda: self._offered_facts, seconds, library, width)

    @shared_property
    def _offered_facts(self) -> OfferedFacts | None:
        """For all provers of this engine: whoever comes while they are loaded shares them."""
        if self._library is None:
            return None
        from isarstep.prover.check.prover_session import offered_facts

        return offered_facts(self.benchmark, self._library)

    @shared_property
    def _library(self) -> Library | None:
        """Where facts can be told apart by theory: all together may contradict each other."""
        if not self.benchmark.has_facts or not self.theory_contexts.parents:
            return None
        from isarstep.premises.fact_base import Library

        return Library.of_benchmark(self.benchmark)

    def load(self) -> None:
        """Load everything that a proposal needs."""
        self.signature  # noqa: B018
        self.typed_grammar  # noqa: B018

    def warm_up(self) -> None:
        """Load everything and propose once, so that the first who asks waits no longer than the others."""
        self.search([self.read(Problem(goal="x = x"))], 2)

    # From problems to tasks

    def reader_for(self, problem: Problem) -> ProblemReader:
        """The reader of the context in which the problem stands."""
        own = own_signature(problem, self.theory_contexts.everything.language) if problem.constants else problem.own
        if own is None:
            return self.reader_in(chosen_context(problem, self.theory_contexts, self.reader_in))
        # Where it stands is for the names of others to say.
        others = replace(problem, fixed=(*problem.fixed, *problem.constants))
        return self.reader_in(chosen_context(others, self.theory_contexts, self.reader_in).with_own(own))

    def read(self, problem: Problem) -> Task:
        """The task of a problem; premises of the goal become facts."""
        return with_goal_opened(self.reader_for(problem).read(problem))

    def read_state(self, state: ProofState) -> Task:
        """The task of a state of a theory file. Its goal is left as it is: what is proved has to fit into the file."""
        from isarstep.benchmark.problems.file_context import FileContext, task_of_state

        task = task_of_state(state, self.reader_in(FileContext(state.context)))
        return without_growth(task)

    def parse(self, problem: Problem) -> tuple[ProblemReader, Parsed]:
        """Every line for itself, in the context of those that have one: a line that no theory reads takes nothing from
        the others."""
        unread: dict[str, ProblemError] = {}
        readable = problem
        while True:
            try:
                reader = self.reader_for(readable)
                break
            except ProblemError as error:
                if error.field is None or error.field in unread or error.field not in dict(problem.lines()):
                    raise
                unread[error.field] = error
                readable = readable.with_nothing_at(error.field)
        parsed = reader.parse(readable)
        return reader, replace(
            parsed, readings=parsed.readings | {at: ReadProposition(None, error) for at, error in unread.items()}
        )

    def answer(self, task: Task, text: str, form: Form = "notation", where: str = "answer") -> str:
        """A proposition about a task as normalised tokens."""
        return self.reader_in(task.theory_context).answer(task, text, form, where)

    def example(self, identifier: str, extra: Problem | None = None) -> Task:
        """The task of a benchmark's example: its id, or the first digits of it."""
        _, example = self.catalogue.find(identifier)
        return self.reader_in(self.theory_contexts.at(example.theory)).of_example(example, extra)

    def unknown(self, task: Task) -> list[str]:
        """Constants of the problem that the model has never seen: it reads them under numbers, or,
        where its vocabulary is closed, all as the same token."""
        example = task.example
        lines = (*example.f2, example.f3 or "", *example.f4)
        names = dict.fromkeys(name for line in lines for name in CONSTANT.findall(line))
        known = frozenset(self.predictor.vocabulary)
        return [name for name in names if name not in known]

    # From tasks to steps

    def search(
        self, tasks: Sequence[Task], beam: int, margin: float = MARGIN, *, typed: bool = True
    ) -> list[list[Step]]:
        """Proposals for each task, all searched in one batch, in the learned order; `typed`: only what is well-typed is
        written. One thread at a time."""
        import numpy as np

        from isarstep.model.decode.hypotheses import SearchRules
        from isarstep.model.decode.ranking import learned_ranking

        examples = [replace(self.with_premises(task), id=str(number)) for number, task in enumerate(tasks)]
        corpus = self.predictor.corpus(examples)
        corpus = replace(corpus, variables=np.array([example.fixed for example in examples], np.int32))
        with self.lock:
            self._tasks.clear()
            self._tasks.update({str(number): task for number, task in enumerate(tasks)})
            longest = LONGEST_DENSE if self.predictor.model.config.dense else SearchRules().longest
            rules = SearchRules(beam, longest=longest, margin=margin)
            with one_thread():
                found = list(self.predictor.lines(corpus, rules, self.typed_grammar if typed else None))
        ranking = learned_ranking()
        answers = []
        for task, (_, proposals) in zip(tasks, found, strict=True):
            scores, given = dict(proposals), {line for _, line in task.example.source(hints=False)}
            order = [tokens for tokens, _ in ranking.ordered(proposals, given)]
            answers.append(self.steps(task, [(tokens, scores[tokens]) for tokens in order]))
        return answers

    def with_premises(self, task: Task) -> Example:
        """The task's example with what the model reads beside: what stands above the gap, and library facts."""
        read, example = FIELDS_READ[self.predictor.model.config.input], task.example
        if STATEMENT in read and example.proof_row is not None:
            from isarstep.benchmark.store.setting import with_setting

            example = with_setting(self.benchmark, example)
        if SELECTED not in read or self._library is None:
            return example
        facts = AvailableFacts(self._library).for_model(example, task.theory_context, scored=task.scored)
        return replace(example, premises=facts)

    def steps(self, task: Task, proposals: Iterable[tuple[str, float | None]]) -> list[Step]:
        """Proposals as steps: each once up to names that mean nothing, without conjuncts that are there twice,
        well-formed or with the reason why not."""
        example = task.example
        given = KnownStatements(line for line in (*example.f2, example.f3, *example.f4) if line)
        variants = Variants(example.f3, (*example.f2, *example.f4)) if example.f3 else ()
        reference = schematics_in_order(example.f1) if task.has_reference else None
        steps: dict[str, Step] = {}
        for tokens, score in proposals:
            written = schematics_in_order(tokens)
            key = None if written is None else without_repetition(written)
            if key is None or key in steps:
                continue
            check_deadline()
            judgement = well_formed(key, task.theory_context.signature, task.context)
            typed = key.term if isinstance(key, TypedLine) else judgement.term
            reason = judgement.reason and task.in_words(judgement.reason)
            restated = example.f3 is not None and given.restates(example.f3, key)
            steps[key] = Step(
                id=len(steps),
                tokens=key,
                term=task.term(key),
                text=task.text(key),
                score=score,
                reason=reason or growth(key),
                copy=key in given or restated or (hol.EX in key and shown_by_a_value(typed)),
                variant=key in variants,
                facts_given=bool(example.f2),
                reference=reference in (written, key) if task.has_reference else None,
            )
        return list(steps.values())

    def propose(self, task: Task, beam: int = BEAM, proving: Proving | None = None, seconds: float = math.inf) -> Steps:
        """Ranked steps, and with provers what `proposing` finds out about them and about the goal."""
        found = Proposal(task, self.search([task], beam)[0], most=None if proving is None else beam)
        if proving is not None:

            def wider() -> Future[list[Step]] | None:
                return _done(self.search([task], WIDE)[0])

            for _ in self.proposing(found, proving, wider, seconds):
                pass
        return Steps(found.order, found.goal)

    def proposing(self, found: Proposal, proving: Proving, wider: Wider, seconds: float = math.inf) -> Iterator[Event]:
        """What is found out about the goal, then about the model's steps and what is one rule of the library away, in
        turn; then, where none of these helps and the goal needs a step, about those of a wider beam. When provers have
        tried steps for so many seconds, no further one is tried."""
        yield from self._judging(found, proving)
        near = proving.one_rule_away(found.task, time.monotonic() + seconds)
        known = len(found.steps)
        found.steps = with_rules(found.steps, self.by_rules(found.task, near))
        if len(found.steps) > known:
            yield StepsAdded()
        until = time.monotonic() + seconds
        yield from self._trying(found, in_turn(found.steps), proving, until)
        helped = any(step.helps for step in found.steps)
        searched = found.most is not None and found.most >= WIDE
        if found.goal == NOTHING_KNOWN and not helped and not searched and time.monotonic() < until:
            answer = wider()
            if answer is not None:
                try:
                    while not wait([answer], PAUSE).done:
                        yield Working()
                finally:
                    answer.cancel()
                more = [] if isinstance(answer.exception(), TooLateError) else further(found.steps, answer.result())
                if more:
                    found.steps = found.steps + more
                    yield StepsAdded()
                    yield from self._trying(found, more, proving, until)
        yield from self._contradicting(found, proving)

    def checking(self, found: Proposal, proving: Proving) -> Iterator[Event]:
        """What is found out about the goal and about steps that somebody has written."""
        yield from self._judging(found, proving)
        yield from self._trying(found, found.steps, proving, math.inf)
        yield from self._contradicting(found, proving)

    def _judging(self, found: Proposal, proving: Proving) -> Iterator[Event]:
        found.goal = proving.goal_verdict(found.task)
        yield GoalJudged(found.goal)

    def _contradicting(self, found: Proposal, proving: Proving) -> Iterator[Event]:
        """Facts from which provers derive a step and not the goal may contradict each other all the same."""
        if found.goal == NOTHING_KNOWN and any(step.sides for step in found.steps):
            gap = proving.contradiction(found.task, proving.limits)
            if isinstance(gap, Proved):
                found.goal = GoalVerdict(contradiction=gap)
                yield GoalJudged(found.goal)

    def _trying(self, found: Proposal, steps: Sequence[Step], proving: Proving, until: float) -> Iterator[Event]:
        for place, side, gap in proving.verdicts(found.task, steps, until):
            number = steps[place].id
            found.steps[number] = with_gap(found.steps[number], side, gap)
            yield OutcomeFound(found.steps[number], side, gap)
        tried = [found.steps[step.id] for step in steps]
        for step in proving.labelled(found.task, [step for step in tried if step.follows]):
            found.steps[step.id] = step

    def by_rules(self, task: Task, near: Sequence[NearStep]) -> list[Step]:
        """The first statements that are one rule of the library away, as steps."""
        steps = (replace(self.steps(task, [(each.tokens, None)])[0], by_rule=each.way) for each in near)
        return list(
            islice((step for step in steps if step.well_formed and not step.copy and not step.variant), MOST_BY_RULES)
        )


def _done(steps: list[Step]) -> Future[list[Step]]:
    answer: Future[list[Step]] = Future()
    answer.set_result(steps)
    return answer


@contextmanager
def one_thread() -> Iterator[None]:
    """torch computes on one thread inside: a search is many small products, and a second thread takes off a tenth. The
    number is one of the whole process, whose other work keeps its own."""
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def growth(tokens: str) -> str | None:
    """Why a statement cannot be compared with others or handed to provers; None of most."""
    try:
        beta_eta_normal(decode(tokens))
    except TooLargeError as error:
        return str(error)
    return None


def without_growth(task: Task) -> Task:
    """Without facts that become too large. Raises UserError where the goal does."""
    example = task.example
    why = None if example.f3 is None else growth(example.f3)
    if why is not None:
        raise UserError(why)
    f2, f4 = (tuple(line for line in lines if growth(line) is None) for lines in (example.f2, example.f4))
    if (f2, f4) == (example.f2, example.f4):
        return task
    return replace(task, example=replace(example, f2=f2, f4=f4))


def seconds_of_checks(check: bool | None) -> float:
    """For how long provers try steps: briefly where nobody said anything, else until all are tried."""
    return BRIEFLY if check is None else math.inf


@cache
def default_engine() -> Engine:
    return Engine()
