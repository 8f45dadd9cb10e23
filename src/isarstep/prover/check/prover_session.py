"""Provers at the service of proposals: both sides of a step, one gap at a time.

A `Proving` belongs to the thread that made it. Limits may change from one question to the next.
"""

from __future__ import annotations

import logging
import math
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import NamedTuple, TypeAlias, TypeVar

from isarstep.benchmark.problems.task import Task
from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.cancellation import DeadlineError, check_deadline, working_until
from isarstep.common.errors import UserError
from isarstep.isabelle.context.theory_contexts import TheoryContext
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.tokens import encode_line
from isarstep.premises.declared_rules import DeclaredRules
from isarstep.premises.fact_base import Library
from isarstep.prover.atp.provers import Cache, ProverLimits, Provers, installed, not_installed
from isarstep.prover.atp.schedule import Effort
from isarstep.prover.check.step_checker import Checker, NearStep
from isarstep.prover.outcomes.goal_verdict import NOTHING_KNOWN, GoalVerdict
from isarstep.prover.outcomes.likeness import TRUE
from isarstep.prover.outcomes.step import Side, Step, with_gap
from isarstep.prover.outcomes.variants import sorted_text
from isarstep.prover.outcomes.verdict import Crashed, Gap, Proved, Refuted, TimedOut, Unknown
from isarstep.prover.rewrite.simp_rules import SimpRules
from isarstep.prover.values.counterexamples import Counterexamples

LOG = logging.getLogger(__name__)
QUICK = 1 / 3  # of the usual seconds: what follows easily follows at once, and most proposals do not
IN_ALL = 4  # times the seconds of an attempt: of a question, all provers together
MEMORY = 2 << 30
FALSEHOOD = encode_line(hol.trueprop(hol.apply("HOL.False")))
MOST_ANSWERS = 20_000  # that are remembered; a server runs for a long time
REFUTATION = 0.5  # of the seconds of an attempt, for values that refute a statement
TRUE_FORM = sorted_text(TRUE)
FALSE_STEP = Unknown("not asked: the step is false")


T = TypeVar("T")
Answer: TypeAlias = tuple[Gap, frozenset[str]]  # what provers say, and which of all that is known they used


class Limits(NamedTuple):
    """Processor time of an attempt, and the most library facts offered. Nothing is tried after `until` on the monotonic
    clock; `meanwhile` is called when provers are at work. `fewest`: facts are left out that a proof does without."""

    seconds: float
    library: int
    until: float = math.inf
    meanwhile: Callable[[], object] = lambda: None
    fewest: bool = False


class OfferedFacts(NamedTuple):
    """What provers may be offered besides premises. It is large, and one is enough for all who ask."""

    library: Library
    simp: SimpRules | None
    counterexamples: Counterexamples | None = None
    declared: DeclaredRules | None = None


def offered_facts(benchmark: Benchmark, library: Library) -> OfferedFacts:
    """Those of a benchmark."""
    simp, declared = SimpRules.of_benchmark(benchmark, library), DeclaredRules.of_benchmark(benchmark, library)
    return OfferedFacts(library, simp, Counterexamples(library), declared)


class Proving(AbstractContextManager["Proving"]):
    """Asks provers about tasks and steps."""

    def __init__(
        self,
        benchmark: Benchmark,
        offered: Callable[[], OfferedFacts | None],
        seconds: float = 0.3,
        library: int = 1024,
        width: int = 1,
    ) -> None:
        """`width` provers work on a question at the same time; what is offered is asked for when it is needed."""
        self._offered = offered
        self._library: Library | None = None
        self._counterexamples: Counterexamples | None = None
        self._declared: DeclaredRules | None = None
        self._width = width
        self._provers = Provers(ProverLimits(seconds, MEMORY, width), Cache(most=MOST_ANSWERS))
        self._checker = Checker(benchmark.theory_contexts, self._provers)
        self.limit(seconds, library)

    def limit(self, seconds: float, library: int) -> None:
        """Processor time of an attempt, and the most library facts offered."""
        self.limits = Limits(seconds, library)
        self._provers.limits = ProverLimits(IN_ALL * seconds, MEMORY, self._width)
        self._checker.effort = Effort(IN_ALL * seconds, library)
        if library and self._library is None and (offered := self._offered()) is not None:
            self._library, self._checker.simp, self._counterexamples, self._declared = offered
        # Without library facts lemmas among the premises are premises like others.
        self._checker.facts = self._library if library else None

    def work_while(self, wanted: Callable[[], bool]) -> None:
        """Stop, and end the prover that runs, when nobody wants the answer any more."""
        self._provers.wanted = wanted

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._provers.close()

    def asked(self) -> tuple[list[str], list[str]]:
        """Provers that are asked, with versions; and those that are not or that did not answer, with reasons."""
        failed = [f"{prover}: {why}" for prover, why in self._provers.failures.items()]
        return installed(), [*not_installed(), *failed]

    def forget(self) -> None:
        """All answers so far, so that the next question is asked in earnest."""
        self._provers.cache = Cache(most=MOST_ANSWERS)

    def verdicts(self, task: Task, steps: Sequence[Step], until: float = math.inf) -> Iterator[tuple[int, Side, Gap]]:
        """(number, side, gap) for well-formed steps, in the order of the list. Of what was not seen to follow from the
        facts it is asked, too, whether it contradicts them; of what a rule of the library alone proposes nothing more.
        No step is begun after `until` on the monotonic clock."""
        if task.example.f3 is None:
            return
        for number, step in enumerate(steps):
            if step.well_formed and time.monotonic() < until:
                follows = refuted = False
                for side, gap in self.gaps(task, step.tokens, until):
                    follows |= side == "first" and isinstance(gap, Proved)
                    yield number, side, gap
                    refuted |= side == "first" and isinstance(gap, Refuted)
                    if step.of_rule_alone and not follows:
                        break
                if not follows and not refuted and not step.copy and not step.of_rule_alone:
                    yield number, "against", self.against(task, step.tokens, until)

    def tried(self, task: Task, steps: Iterable[Step], until: float = math.inf) -> list[Step]:
        """The steps with all verdicts for which there was time."""
        known = list(steps)
        for number, side, gap in self.verdicts(task, known, until):
            known[number] = with_gap(known[number], side, gap)
        return known

    def gaps(self, task: Task, tokens: str, until: float = math.inf) -> Iterator[tuple[Side, Gap]]:
        """What provers say about both sides. What goes wrong with a side is said of it and of what comes after it."""
        left: list[Side] = ["first", "second"]
        try:
            for side, gap in _within(until, self._both(task, tokens)):
                left.remove(side)
                yield side, gap
        except DeadlineError:
            yield from ((side, TimedOut(self.limits.seconds)) for side in left)
        except UserError as error:
            yield from ((side, Unknown(str(error))) for side in left)
        except Exception as error:
            crashed = crash(error)
            yield from ((side, crashed) for side in left)

    def _both(self, task: Task, tokens: str) -> Iterator[tuple[Side, Gap]]:
        refuted = self._refuted(task, replace(with_all_facts(task), f1="", f3=tokens))
        if refuted is not None:  # provers need not see it
            yield "first", refuted
            yield "second", FALSE_STEP
            return
        yield from self._checker.gaps(with_all_facts(task), tokens, asked_context(task))

    def one_rule_away(self, task: Task, until: float = math.inf) -> list[NearStep]:
        """Statements from which the goal follows by one fact of the library, or that follow so from the facts, best
        first; of an example of the benchmark none."""
        theory_context = asked_context(task)
        if theory_context is None or task.example.f3 is None:
            return []
        try:
            with working_until(until):
                return self._checker.one_rule_away(task.example, theory_context, self._declared)
        except (UserError, DeadlineError):
            return []
        except Exception as error:
            crash(error)
            return []

    def labelled(self, task: Task, steps: Sequence[Step], until: float = math.inf) -> list[Step]:
        """The steps, marked where simplification makes True of them, or what it makes of the goal or a fact. Of an
        example of the benchmark nothing is marked."""
        theory_context, example = asked_context(task), task.example
        new = [step for step in steps if step.well_formed and not step.copy and not step.variant]
        if theory_context is None or example.f3 is None or not new:
            return list(steps)
        given = (example.f3, *example.f2, *example.f4)
        try:
            with working_until(until):
                lines = (*given, *(step.tokens for step in new))
                forms = self._checker.simplified_forms(example, lines, theory_context)
        except (UserError, DeadlineError):
            return list(steps)
        except Exception as error:
            crash(error)
            return list(steps)
        known, of_step = (
            {*forms[: len(given)]} - {None},
            dict(zip((step.id for step in new), forms[len(given) :], strict=True)),
        )
        return [
            replace(step, variant=step.variant or form in known, trivial=form == TRUE_FORM)
            for step, form in ((step, of_step.get(step.id)) for step in steps)
        ]

    def against(self, task: Task, tokens: str, until: float = math.inf) -> Gap:
        """Does a statement contradict the facts? Asked quickly: most do not."""
        seconds, library, *_ = self.limits
        try:
            return self.follows(task, FALSEHOOD, (tokens,), Limits(QUICK * seconds, library, until))[0]
        finally:
            self.limit(seconds, library)

    def contradiction(self, task: Task, limits: Limits) -> Gap:
        """Do the given facts contradict each other? Then everything follows from them, and a proof says nothing."""
        return self.follows(task, FALSEHOOD, (), limits)[0]

    def goal_verdict(self, task: Task) -> GoalVerdict:
        """What is to be known before any step: is the goal false, do the facts contradict each other, or does the goal
        follow from them as it is?"""
        goal, limits = task.example.f3, self.limits
        if goal is None:
            return NOTHING_KNOWN
        refuted = self.false_goal(task)
        if refuted is not None:
            return GoalVerdict(refuted)
        direct = self.follows(task, goal, (), limits)[0]
        if not isinstance(direct, Proved):
            return NOTHING_KNOWN
        # A proof of False is just that.
        contradiction = None if goal == FALSEHOOD else self.contradiction(task, limits)
        if isinstance(contradiction, Proved):
            return GoalVerdict(contradiction=contradiction)
        return GoalVerdict(direct=direct)

    def follows(self, task: Task, goal: str, known: Sequence[str], limits: Limits) -> Answer:
        """Does a statement follow from everything given and what else is known? And from which of all these."""
        asked = from_all(task, goal, known)
        try:
            with self._limited(task, limits):
                gap = self._refuted(task, asked) or self._checker.direct(asked, asked_context(task))
        except DeadlineError:
            return TimedOut(limits.seconds), frozenset()
        except UserError as error:
            return Unknown(str(error)), frozenset()
        except Exception as error:
            return crash(error), frozenset()
        return gap, used_lines(gap, asked)

    def simplified(self, task: Task, goal: str, known: Sequence[str], limits: Limits) -> Answer | None:
        """The same by calculation and rewriting alone, by an induction if need be; None where that proves nothing."""
        asked = from_all(task, goal, known)
        try:
            with self._limited(task, limits):
                gap = self._checker.simplified(asked, asked_context(task))
        except (UserError, DeadlineError):
            return None
        except Exception as error:
            return crash(error), frozenset()
        return None if gap is None else (shown_gap(gap, task), used_lines(gap, asked))

    def inductions(self, task: Task, goal: str, known: Sequence[str], limits: Limits) -> Iterator[Answer]:
        """The same by induction and case distinction: an answer for each that is tried. Other questions may be asked
        between two of them."""
        asked = from_all(task, goal, known)
        answers = self._checker.inductions(asked, asked_context(task))
        while True:
            try:
                with self._limited(task, limits):
                    gap = next(answers, None)
            except (UserError, DeadlineError):
                return
            except Exception as error:
                yield crash(error), frozenset()
                return
            if gap is None:
                return
            yield shown_gap(gap, task), used_lines(gap, asked)

    @contextmanager
    def _limited(self, task: Task, limits: Limits) -> Iterator[None]:
        self.limit(limits.seconds, limits.library)
        usual = self._provers.meanwhile
        self._provers.until, self._provers.meanwhile = limits.until, limits.meanwhile
        self._checker.fewest = limits.fewest
        try:
            with working_until(limits.until):
                yield
        finally:
            self._provers.until, self._provers.meanwhile, self._checker.fewest = math.inf, usual, False

    def false_goal(self, task: Task) -> Refuted | None:
        """Values under which the facts hold and the task's goal does not, where some are found."""
        try:
            return self._refuted(task, replace(task.example, f1="")) if task.example.f3 is not None else None
        except UserError:
            return None
        except Exception as error:
            crash(error)
            return None

    def _refuted(self, task: Task, asked: Example) -> Refuted | None:
        """Values under which the facts hold and the goal does not. An example of the benchmark is judged by provers
        alone. Raises UserError."""
        theory_context = asked_context(task)
        if theory_context is None or self._counterexamples is None:
            return None
        typed = self._checker.typed(asked, theory_context)
        premises = [fact.prop for fact in (*typed.f2, *typed.f4)]
        seconds = REFUTATION * self.limits.seconds
        return self._counterexamples.against(premises, typed.f3, theory_context, task.shown_names(), seconds)


def _within(until: float, items: Iterator[T]) -> Iterator[T]:
    """The same, each made before the deadline; DeadlineError."""
    while True:
        with working_until(until):
            check_deadline()
            item = next(items, None)
        if item is None:
            return
        yield item


def crash(error: Exception) -> Crashed:
    """What is said of a gap where an exception came that nobody expects; the log has where it came from."""
    said = " ".join(f"{type(error).__name__}: {error}".rstrip(": ").split())
    LOG.error("internal error: %s", said, exc_info=error)
    return Crashed(said)


def from_all(task: Task, goal: str, known: Sequence[str]) -> Example:
    """A goal from everything that is given and what else is known."""
    f2 = tuple(dict.fromkeys((*task.example.f2, *known)))
    f4 = tuple(line for line in task.example.f4 if line not in f2)
    return replace(task.example, f1="", f2=f2, f3=goal, f4=f4)


def used_lines(gap: Gap, asked: Example) -> frozenset[str]:
    """The facts that a proof needed; all where it used something that the prover could not name."""
    if not isinstance(gap, Proved):
        return frozenset()
    if "?" in gap.facts:
        return frozenset(asked.f2)
    return frozenset(line for place, line in enumerate(asked.f2, 1) if f"F.2({place})" in gap.facts)


def shown_gap(gap: Gap, task: Task) -> Gap:
    """With an induction's method under the names that its reader gave the variables."""
    if not isinstance(gap, Proved) or not gap.cases:
        return gap
    names = task.shown_names()
    by, method = (re.sub(r"<X\d+>", lambda x: names.get(x.group(), x.group()), text) for text in (gap.by, gap.method))
    return replace(gap, by=by, method=method)


def asked_context(task: Task) -> TheoryContext | None:
    """Where somebody asks about a proof of their own; an example is judged where it stands."""
    return None if task.scored else task.theory_context


def with_all_facts(task: Task) -> Example:
    """Whoever asks about a proof of their own has all facts at hand for the goal, however they sorted them. An example
    keeps the paper's rule: the goal from the step and F.4."""
    example = task.example
    if task.has_reference:
        return example
    return replace(example, f4=tuple(dict.fromkeys((*example.f2, *example.f4))))
