"""Asking provers: one contained process a query, several strategies beside each other. The first proof in the order of
the attempts wins, as far as those before it are short; the rest is killed.

A proof counts only when the prover says so plainly and exits cleanly; anything else is a time-out or unknown. `sat`
refutes nothing here, because a problem holds only some of what is known.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import selectors
import signal
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from isarstep.prover.atp.derivation import inputs_of_proof
from isarstep.prover.atp.presence import E_ARGUMENTS, Presence, prover_presence
from isarstep.prover.atp.processes import LOST, ProverProcess, ProverProcesses
from isarstep.prover.encode.formula import Entailment
from isarstep.prover.encode.smt import encode_smt
from isarstep.prover.encode.tf0 import encode_tf0
from isarstep.prover.outcomes.verdict import Gap, Proved, TimedOut, Unknown

Encoding = Literal["smt", "tf0"]
ENCODERS: dict[Encoding, Callable[[Entailment], tuple[str, dict[str, str]]]] = {
    "smt": encode_smt,
    "tf0": encode_tf0,
}
OUTPUT_LIMIT = 4 << 20
ANSWERS = 2  # of what is kept: answers of 1 could be those of provers that somebody had killed
# It has searched all of its space, or found a model: it was asked, and there is no proof.
GAVE_UP = "the prover gave up"
KILLED = "the prover was killed"
NEARLY = 0.9  # of its processor time a prover has used when its limit ends it: timers count in ticks
PULSE = 0.2  # seconds between two looks whether the answer is still wanted
SHORT = 1.0  # seconds of an attempt that is waited for when a later one has a proof
PATIENCE = 30  # how many times the limit on the clock a prover gets whose processor time others use


@dataclass(frozen=True, slots=True)
class Strategy:
    """One way to ask: which prover, what it is given. An empty argv is cvc5's wheel with `options`."""

    name: str
    encoding: Encoding
    arithmetic: bool
    unfold: bool
    argv: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()

    @property
    def prover(self) -> str:
        return self.argv[0] if self.argv else "cvc5"


NONLINEAR = (("nl-cov", "true"),)  # cylindrical coverings: without them even 2ab ≤ a² + b² is out of reach
CVC5 = Strategy("cvc5", "smt", arithmetic=True, unfold=True, options=NONLINEAR)
E = Strategy("E", "tf0", arithmetic=False, unfold=True, argv=E_ARGUMENTS)
# For arithmetic without quantifiers.
GROUND = (
    Strategy("cvc5-ground", "smt", arithmetic=True, unfold=True, options=NONLINEAR),
    Strategy("cvc5-planes", "smt", arithmetic=True, unfold=True, options=(("nl-ext-tplanes", "true"),)),
)
LINEAR = Strategy("cvc5-linear", "smt", arithmetic=True, unfold=True)  # over monomials
USUAL = (CVC5, E)  # each prover as it is asked when nothing else is known


@dataclass(frozen=True, slots=True)
class ProverLimits:
    seconds: float = 2.0  # processor time of one attempt, at most
    memory: int = 2 << 30  # bytes of address space
    width: int = 1  # attempts that run at the same time

    def of(self, attempt: Attempt) -> float:
        """Processor time of this one."""
        return min(attempt.seconds, self.seconds)

    def wall(self, attempt: Attempt) -> float:
        """On the clock, for a prover that sleeps."""
        return 8 * self.of(attempt) + 2


@dataclass(frozen=True, slots=True)
class Broken(Unknown):
    """A prover was killed, broke or could not be started: not its own word."""


NOTHING_TRIED = Unknown("no prover is installed")


@dataclass(frozen=True, slots=True)
class Attempt:
    """A problem as one strategy's prover reads it, the time that it may take, and how many facts of the library are in
    it."""

    strategy: Strategy
    text: str
    labels: dict[str, str] = field(hash=False)
    seconds: float = math.inf  # of processor time
    offered: int = 0

    def key(self, limits: ProverLimits) -> str:
        """Of all that an answer depends on. It names the facts that it used, so their names are among that."""
        settings = [self.strategy.argv, self.strategy.options, prover_version(self.strategy.prover)]
        document = json.dumps([ANSWERS, settings, limits.of(self), limits.memory, self.text, self.labels])
        return hashlib.sha256(document.encode()).hexdigest()


def prover_version(prover: str) -> str | None:
    """The version of a prover that can be asked, None of one that is missing or broken."""
    return prover_presence(prover).version


def available(strategies: Sequence[Strategy] = USUAL) -> tuple[Strategy, ...]:
    """The strategies whose prover can be asked."""
    return tuple(s for s in strategies if prover_version(s.prover) is not None)


def presences() -> list[Presence]:
    """Of every prover: its version, or why it cannot be asked."""
    return [prover_presence(prover) for prover in dict.fromkeys(strategy.prover for strategy in USUAL)]


def installed() -> list[str]:
    """Provers that can be asked, with versions."""
    return [str(found) for found in presences() if found.version is not None]


def not_installed() -> list[str]:
    """Provers that cannot be asked, with reasons."""
    return [str(found) for found in presences() if found.version is None]


class Cache:
    """Answers by the hash of what was asked; a file that several processes may share, or memory only. All are forgotten
    when they have become more than `most`."""

    def __init__(self, path: Path | None = None, most: float = math.inf) -> None:
        self._most, self._count = most, 0
        self._connection = sqlite3.connect(path or ":memory:", timeout=60, isolation_level=None)
        if path is not None:
            self._connection.execute("pragma journal_mode=wal")
            self._connection.execute("pragma synchronous=off")
        self._connection.execute("create table if not exists answers (key text primary key, answer text)")

    def get(self, key: str) -> Gap | None:
        row = self._connection.execute("select answer from answers where key = ?", (key,)).fetchone()
        if row is None:
            return None
        kind, *rest = json.loads(row[0])
        if kind == "proof":
            return Proved(rest[0], rest[1], tuple(rest[2]), 0)
        return TimedOut(rest[0]) if kind == "time" else Unknown(rest[0])

    def put(self, key: str, answer: Gap) -> None:
        match answer:
            case Proved(strategy, seconds, facts):
                row: list[object] = ["proof", strategy, seconds, facts]
            case TimedOut(seconds):
                row = ["time", seconds]
            case Unknown(why):
                row = ["none", why]
        self._count += 1
        if self._count > self._most:
            self._connection.execute("delete from answers")
            self._count = 0
        self._connection.execute("insert or replace into answers values (?, ?)", (key, json.dumps(row)))

    def close(self) -> None:
        self._connection.close()


@dataclass(slots=True)
class _Running:
    number: int  # of the attempt among those of its question
    attempt: Attempt
    process: ProverProcess
    deadline: float
    again: bool = False  # it was killed once
    output: bytearray = field(default_factory=bytearray)


class Provers(AbstractContextManager["Provers"]):
    """Runs attempts through one launcher process. Close it, or use it as a context; its processes end with it in
    any case.
    """

    def __init__(self, limits: ProverLimits = ProverLimits(), cache: Cache | None = None) -> None:
        self.limits = limits
        self.cache = cache or Cache()
        self.wanted: Callable[[], bool] = lambda: True  # asked now and then; who says no gets a time-out soon
        self.until = math.inf  # on the clock: nothing is begun that may take longer, and what still runs is ended
        self.meanwhile: Callable[[], object] = lambda: None  # called once provers of a question are at work
        self.failures: dict[str, str] = {}  # of provers that were asked and did not answer: the last reason
        self.broken: set[str] = set()  # those that answered no attempt of the last question
        self._answered: set[str] = set()
        self._processes = ProverProcesses()
        self._selector: selectors.BaseSelector = selectors.DefaultSelector()
        self._running: dict[int, _Running] = {}  # by the pipe that each answers on

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._processes.close()

    def prove(self, attempts: Iterable[Attempt]) -> Gap:
        """The first proof, else a time-out if there was one, else why the first attempt gave up.

        Attempts are taken one by one, as they are needed.
        """
        left, usual = self.until - time.monotonic(), self.limits
        if left <= 0:
            return TimedOut(0.0)
        self.broken, self._answered = set(), set()
        self.limits = replace(usual, seconds=min(usual.seconds, left))
        try:
            answers = self._race(iter(attempts))
        except BaseException:
            self.close()  # whatever happened, nothing keeps running
            raise
        finally:
            self.limits = usual
        in_order = [answers[number] for number in sorted(answers)]
        for kind in (Proved, TimedOut):
            for answer in in_order:
                if isinstance(answer, kind):
                    return answer
        own = [answer for answer in in_order if not isinstance(answer, Broken)]
        return next(iter((*own, *in_order)), NOTHING_TRIED)

    def prove_anew(self, attempt: Attempt) -> Gap:
        """Whatever was answered before: answers that are kept have no derivation."""
        usual, self.cache = self.cache, Cache()
        try:
            return self.prove([attempt])
        finally:
            self.cache = usual

    def _race(self, attempts: Iterator[Attempt]) -> dict[int, Gap]:
        """Answers by the number of their attempt."""
        running, answers = self._running, dict[int, Gap]()
        more, told, count = True, False, 0
        try:
            while more or running:
                if not self.wanted() or time.monotonic() >= self.until:
                    return {**answers, count: TimedOut(0.0)}
                while more and len(running) < self.limits.width:
                    attempt = next(attempts, None)
                    if attempt is None:
                        more = False
                        break
                    known = self.cache.get(attempt.key(self.limits))
                    if known is None:
                        self._begin(count, attempt)
                    elif isinstance(known, Proved):
                        answers[count] = replace(known, library=attempt.offered)
                        more = False
                    else:
                        answers[count] = known
                    count += 1
                proved = min((n for n, answer in answers.items() if isinstance(answer, Proved)), default=None)
                if proved is not None:
                    self._end_all_but_earlier(proved)
                if not running:
                    continue
                if not told:
                    told = True
                    self.meanwhile()
                for run, answer in self._ended():
                    answers[run.number] = answer
                    more = more and not isinstance(answer, Proved)
            return answers
        finally:
            for run in list(running.values()):
                self._end(run)

    def _end_all_but_earlier(self, proved: int) -> None:
        """Once there is a proof only a short attempt from before it may go on: the same question then has the same
        answer, whoever is quicker this time."""
        now = time.monotonic()
        for run in list(self._running.values()):
            limit = self.limits.of(run.attempt)
            if run.number > proved or limit > SHORT or now > run.process.began + 2 * limit:
                self._end(run)

    def _ended(self) -> Iterator[tuple[_Running, Gap]]:
        """Read what provers say for a moment; those that are done, with their answers."""
        deadline = min(run.deadline for run in self._running.values())
        for key, _ in self._selector.select(min(PULSE, max(0.0, deadline - time.monotonic()))):
            run = self._running[key.fd]
            chunk = os.read(run.process.pipe, 1 << 16)
            run.output += chunk
            if chunk and len(run.output) <= OUTPUT_LIMIT:
                continue
            status, seconds = self._end(run)
            output, limit = run.output.decode(errors="replace"), self.limits.of(run.attempt)
            flooded = Unknown("the prover flooded its output")
            answer = flooded if chunk else read_answer(run.attempt, output, status, seconds, limit)
            if isinstance(answer, Broken) and answer.why.startswith(KILLED) and not run.again:
                self._begin(run.number, run.attempt, again=True)  # somebody else ended it
                continue
            yield run, self._remember(run.attempt, answer)
        now = time.monotonic()
        for run in [each for each in self._running.values() if now >= each.deadline]:
            wall = self.limits.wall(run.attempt)
            if now - run.process.began < PATIENCE * wall and _waits_for_processor(run.process.pid):
                run.deadline = now + wall
                continue
            self._end(run)
            yield run, TimedOut(self.limits.of(run.attempt))

    def _begin(self, number: int, attempt: Attempt, again: bool = False) -> None:
        strategy, limits = attempt.strategy, self.limits
        options, seconds = dict(strategy.options), limits.of(attempt)
        process = self._processes.start(strategy.argv, options, attempt.text, seconds, limits.memory)
        self._running[process.pipe] = _Running(number, attempt, process, process.began + limits.wall(attempt), again)
        self._selector.register(process.pipe, selectors.EVENT_READ)

    def _end(self, run: _Running) -> tuple[int, float]:
        self._selector.unregister(run.process.pipe)
        del self._running[run.process.pipe]
        return self._processes.stop(run.process)

    def _remember(self, attempt: Attempt, answer: Gap) -> Gap:
        """Only a prover's own word is kept: one that was killed or broke may prove it the next time."""
        if isinstance(answer, Broken):
            self.failures[attempt.strategy.prover] = answer.why
            self.broken |= {attempt.strategy.prover} - self._answered
        else:
            self._answered.add(attempt.strategy.prover)
            self.broken.discard(attempt.strategy.prover)
            self.cache.put(attempt.key(self.limits), answer)
        return answer


def _waits_for_processor(pid: int) -> bool:
    """Whether a process would run if the machine let it; its processor time is limited anyway."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] == "R"
    except OSError:
        return False


def read_answer(attempt: Attempt, output: str, status: int, seconds: float, limit: float = math.inf) -> Gap:
    """What a prover that ended said. Only a clean exit with a derivation from what it was given is a proof.

    `limit`: the processor time that it had. Who is ended by a signal before it was ended by somebody else.
    """
    name = attempt.strategy.name
    if attempt.strategy.encoding == "smt":
        lines = output.split("\n")
        core = next((line[7:].split() for line in lines if line.startswith("; core ")), None)
        if status == 0 and lines[0] == "unsat" and core is not None:
            return Proved(name, seconds, _used(attempt, core), attempt.offered)
        if status == 0 and lines[0].startswith(("sat", "unknown")):
            return Unknown(GAVE_UP)
    else:
        found = re.search(r"^[#%] SZS status (\w+)", output, re.MULTILINE)
        said = found.group(1) if found else ""
        if status == 0 and said in ("Theorem", "ContradictoryAxioms"):
            labels = inputs_of_proof(output, attempt.text)
            if labels is None:
                return Broken("the prover claims a theorem and shows no derivation of it from what it was given")
            return Proved(name, seconds, _used(attempt, labels), attempt.offered, derivation=output)
        if status >= 0 and said == "ResourceOut":
            return TimedOut(seconds)
        if status >= 0 and said in ("CounterSatisfiable", "Satisfiable", "GaveUp"):
            return Unknown(GAVE_UP)
    # Its own timer sends the first two; the last one ends who ignores them, and may come from anybody.
    if status in (-signal.SIGPROF, -signal.SIGXCPU) or (status == -signal.SIGKILL and seconds >= NEARLY * limit):
        return TimedOut(seconds)
    if status in (LOST, -signal.SIGKILL, -signal.SIGTERM, -signal.SIGHUP, -signal.SIGINT):
        return Broken(f"{KILLED} after {seconds:.1f} s")
    text = " ".join(output.split())
    return Broken(f"the prover failed with status {status}: {text[:200]}")


def _used(attempt: Attempt, labels: Sequence[str]) -> tuple[str, ...]:
    """Names of premises and axioms; the goal and what encodings add have none. `?`: the prover could not name it."""
    names = {**attempt.labels, "?": "?"}
    return tuple(dict.fromkeys(names[label] for label in labels if label in names))
