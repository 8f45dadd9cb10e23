"""Asking provers: one contained process a query, several strategies beside each other, the first proof wins and the
rest is killed.

A proof counts only when the prover says so plainly and exits cleanly; anything else is a time-out or unknown. `sat`
refutes nothing here, because a problem holds only some of what is known.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import selectors
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal, TypeAlias

from isarstep.prove.encode_smt import encode_smt
from isarstep.prove.encode_tf0 import encode_tf0
from isarstep.prove.encode_th0 import encode_th0
from isarstep.prove.formula import Entailment

Encoding = Literal["smt", "tf0", "th0"]
ENCODERS: dict[Encoding, Callable[[Entailment], tuple[str, dict[str, str]]]] = {
    "smt": encode_smt,
    "tf0": encode_tf0,
    "th0": encode_th0,
}
OUTPUT_LIMIT = 4 << 20
GAVE_UP = (
    "the prover gave up"  # it has searched all of its space, or found a model: it was asked, and there is no proof
)
PULSE = 0.2  # seconds between two looks whether the answer is still wanted
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


E_ARGUMENTS = ("eprover", "--auto", "--silent", "--proof-object=1", "--tstp-format")
NONLINEAR = (("nl-cov", "true"),)  # cylindrical coverings: without them even 2ab ≤ a² + b² is out of reach
CVC5 = Strategy("cvc5", "smt", arithmetic=True, unfold=True, options=NONLINEAR)
CVC5_ENUM = Strategy(
    "cvc5-enum", "smt", arithmetic=True, unfold=True, options=(*NONLINEAR, ("full-saturate-quant", "true"))
)
CVC5_PLAIN = Strategy("cvc5-plain", "smt", arithmetic=False, unfold=False)
E = Strategy("E", "tf0", arithmetic=False, unfold=True, argv=E_ARGUMENTS)
E_FOLDED = Strategy("E-folded", "tf0", arithmetic=False, unfold=False, argv=E_ARGUMENTS)
QUICK = (E, CVC5)  # quickest first; the others rarely prove what these two do not
STRATEGIES = (CVC5, E, CVC5_ENUM, E_FOLDED, CVC5_PLAIN)


@dataclass(frozen=True, slots=True)
class ProverLimits:
    seconds: float = 2.0  # processor time of one attempt, the longest ones
    memory: int = 2 << 30  # bytes of address space
    width: int = 1  # attempts that run at the same time

    @property
    def wall(self) -> float:
        """On the clock, for a prover that sleeps."""
        return 8 * self.seconds + 2


@dataclass(frozen=True, slots=True)
class ProofFound:
    """The prover derived the goal in so much processor time; `facts` are the names of what it used."""

    strategy: str
    seconds: float
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OutOfTime:
    seconds: float


@dataclass(frozen=True, slots=True)
class NoProof:
    why: str


ProverAnswer: TypeAlias = ProofFound | OutOfTime | NoProof
NOTHING_TRIED = NoProof("no prover is installed")


@dataclass(frozen=True, slots=True)
class Attempt:
    """A problem as one strategy's prover reads it, and the share of the time that it may take."""

    strategy: Strategy
    text: str
    labels: dict[str, str] = field(hash=False)
    share: float = 1.0

    def key(self, limits: ProverLimits) -> str:
        """Of all that an answer depends on. It names the facts that it used, so their names are among that."""
        settings = [self.strategy.argv, self.strategy.options, prover_version(self.strategy.prover)]
        document = json.dumps([settings, self.share * limits.seconds, limits.memory, self.text, self.labels])
        return hashlib.sha256(document.encode()).hexdigest()


@lru_cache
def prover_version(prover: str) -> str | None:
    """The version of an installed prover, None where it is missing."""
    if prover == "cvc5":
        try:
            return version("cvc5")
        except PackageNotFoundError:
            return None
    path = shutil.which(prover)
    if path is None:
        return None
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        return subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10).stdout.strip()
    return None


def available(strategies: Sequence[Strategy] = STRATEGIES) -> tuple[Strategy, ...]:
    """The strategies whose prover is installed."""
    return tuple(s for s in strategies if prover_version(s.prover) is not None)


def prover_names() -> str:
    """The installed provers with their versions, as tables name them."""
    versions = {s.prover: prover_version(s.prover) or "" for s in available()}
    # E says its own name, its version, and then more than a table can hold.
    return ", ".join(
        f"cvc5 {said}" if prover == "cvc5" else " ".join(said.split()[:2]) for prover, said in versions.items()
    )


class Cache:
    """Answers by the hash of what was asked; a file that several processes may share, or memory only."""

    def __init__(self, path: Path | None = None) -> None:
        self._connection = sqlite3.connect(path or ":memory:", timeout=60, isolation_level=None)
        if path is not None:
            self._connection.execute("pragma journal_mode=wal")
            self._connection.execute("pragma synchronous=off")
        self._connection.execute("create table if not exists answers (key text primary key, answer text)")

    def get(self, key: str) -> ProverAnswer | None:
        row = self._connection.execute("select answer from answers where key = ?", (key,)).fetchone()
        if row is None:
            return None
        kind, *rest = json.loads(row[0])
        if kind == "proof":
            return ProofFound(rest[0], rest[1], tuple(rest[2]))
        return OutOfTime(rest[0]) if kind == "time" else NoProof(rest[0])

    def put(self, key: str, answer: ProverAnswer) -> None:
        match answer:
            case ProofFound(strategy, seconds, facts):
                row: list[object] = ["proof", strategy, seconds, facts]
            case OutOfTime(seconds):
                row = ["time", seconds]
            case NoProof(why):
                row = ["none", why]
        self._connection.execute("insert or replace into answers values (?, ?)", (key, json.dumps(row)))

    def close(self) -> None:
        self._connection.close()


@dataclass(slots=True)
class _Running:
    attempt: Attempt
    pid: int
    pipe: int
    began: float
    deadline: float
    output: bytearray


class Provers:
    """Runs attempts through one launcher process. Close it, or use it as a context; its processes end with it in
    any case.
    """

    def __init__(self, limits: ProverLimits = ProverLimits(), cache: Cache | None = None) -> None:
        self.limits = limits
        self.cache = cache or Cache()
        self.wanted: Callable[[], bool] = lambda: True  # asked now and then; who says no gets a time-out soon
        self.meanwhile: Callable[[], object] = lambda: None  # called once provers of a question are at work
        self._launcher: subprocess.Popen[bytes] | None = None
        self._channel: socket.socket | None = None
        self._buffer = b""

    def __enter__(self) -> Provers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        if self._launcher is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._launcher.wait(timeout=10)
            self._launcher.kill()
            self._launcher.wait()
            self._launcher = None
        self._buffer = b""

    def prove(self, attempts: Iterable[Attempt]) -> ProverAnswer:
        """The first proof, else a time-out if there was one, else why the first attempt gave up.

        Attempts are taken one by one, as they are needed.
        """
        try:
            answers = self._race(iter(attempts))
        except BaseException:
            self.close()  # whatever happened, nothing keeps running
            raise
        for kind in (ProofFound, OutOfTime):
            for answer in answers:
                if isinstance(answer, kind):
                    return answer
        return answers[0] if answers else NOTHING_TRIED

    def _race(self, attempts: Iterator[Attempt]) -> list[ProverAnswer]:
        running: dict[int, _Running] = {}
        answers: list[ProverAnswer] = []
        selector = selectors.DefaultSelector()
        more, told = True, False
        try:
            while more or running:
                if not self.wanted():
                    return [*answers, OutOfTime(0.0)]
                while more and len(running) < self.limits.width:
                    attempt = next(attempts, None)
                    if attempt is None:
                        more = False
                        break
                    started = self.cache.get(attempt.key(self.limits)) or self._start(attempt)
                    if isinstance(started, _Running):
                        running[started.pipe] = started
                        selector.register(started.pipe, selectors.EVENT_READ)
                        continue
                    answers.append(started)
                    if isinstance(started, ProofFound):
                        return answers
                if not running:
                    continue
                if not told:
                    told = True
                    self.meanwhile()
                deadline = min(r.deadline for r in running.values())
                for key, _ in selector.select(min(PULSE, max(0.0, deadline - time.monotonic()))):
                    run = running[key.fd]
                    chunk = os.read(run.pipe, 1 << 16)
                    run.output += chunk
                    if chunk and len(run.output) <= OUTPUT_LIMIT:
                        continue
                    answer = self._finish(run, selector, running, flooded=bool(chunk))
                    answers.append(answer)
                    if isinstance(answer, ProofFound):
                        return answers
                now = time.monotonic()
                for run in [r for r in running.values() if now >= r.deadline]:
                    if now - run.began < PATIENCE * self.limits.wall and _waits_for_processor(run.pid):
                        run.deadline = now + self.limits.wall
                        continue
                    self._end(run, selector, running)
                    answers.append(self._remember(run, OutOfTime(self.limits.seconds)))
            return answers
        finally:
            for run in list(running.values()):
                self._end(run, selector, running)
            selector.close()

    def _start(self, attempt: Attempt) -> _Running:
        strategy = attempt.strategy
        source = _problem_file(attempt.text)
        read_end, write_end = os.pipe()
        try:
            message = {
                "start": 0,
                "argv": strategy.argv,
                "options": dict(strategy.options),
                "cpu": attempt.share * self.limits.seconds,
                "memory": self.limits.memory,
            }
            began = time.monotonic()
            pid = int(self._ask(message, [source, write_end])["pid"])
        except BaseException:
            os.close(read_end)
            raise
        finally:
            os.close(source)
            os.close(write_end)
        return _Running(attempt, pid, read_end, began, began + self.limits.wall, bytearray())

    def _end(self, run: _Running, selector: selectors.BaseSelector, running: dict[int, _Running]) -> tuple[int, float]:
        selector.unregister(run.pipe)
        del running[run.pipe]
        os.close(run.pipe)
        reply = self._ask({"stop": run.pid}, [])
        return int(reply["status"]), reply["cpu"]

    def _finish(
        self, run: _Running, selector: selectors.BaseSelector, running: dict[int, _Running], flooded: bool
    ) -> ProverAnswer:
        status, seconds = self._end(run, selector, running)
        if flooded:
            answer: ProverAnswer = NoProof("the prover flooded its output")
        else:
            answer = read_answer(run.attempt, run.output.decode(errors="replace"), status, seconds)
        return self._remember(run, answer)

    def _remember(self, run: _Running, answer: ProverAnswer) -> ProverAnswer:
        self.cache.put(run.attempt.key(self.limits), answer)
        return answer

    def _ask(self, message: dict[str, object], descriptors: list[int]) -> dict[str, float]:
        for _ in range(2):
            try:
                channel = self._connect()
                socket.send_fds(channel, [json.dumps(message).encode() + b"\n"], descriptors)
                while b"\n" not in self._buffer:
                    data = channel.recv(65536)
                    if not data:
                        raise ConnectionError("the launcher ended")
                    self._buffer += data
                line, self._buffer = self._buffer.split(b"\n", 1)
                reply: dict[str, float] = json.loads(line)
                return reply
            except ConnectionError:
                self.close()
                if "stop" in message:
                    return {"status": -1, "cpu": 0.0}  # its processes ended with it
        raise RuntimeError("the process that starts provers does not run")

    def _connect(self) -> socket.socket:
        if self._channel is None:
            ours, theirs = socket.socketpair()
            # Without site packages' start-up files; only what the launcher needs is on its path.
            program = str(Path(__file__).with_name("launcher.py"))
            path = f"import sys, runpy; sys.path.append({sysconfig.get_path('platlib')!r})"
            command = [sys.executable, "-I", "-S", "-c", f"{path}; runpy.run_path({program!r}, run_name='__main__')"]
            self._launcher = subprocess.Popen(command, stdin=theirs.fileno(), start_new_session=True)
            theirs.close()
            self._channel = ours
        return self._channel


def _problem_file(text: str) -> int:
    """A descriptor to read the problem from; its file has no name, and no disk where the kernel can do without."""
    if hasattr(os, "memfd_create"):
        source = os.memfd_create("problem")
    else:
        with tempfile.TemporaryFile() as unnamed:
            source = os.dup(unnamed.fileno())
    try:
        with open(source, "wb", closefd=False) as file:
            file.write(text.encode())
        os.lseek(source, 0, os.SEEK_SET)
    except BaseException:
        os.close(source)
        raise
    return source


def _waits_for_processor(pid: int) -> bool:
    """Whether a process would run if the machine let it; its processor time is limited anyway."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] == "R"
    except OSError:
        return False


def read_answer(attempt: Attempt, output: str, status: int, seconds: float) -> ProverAnswer:
    """What a prover that ended said. Only a clean exit with the exact words of success is a proof."""
    name = attempt.strategy.name
    if attempt.strategy.encoding == "smt":
        lines = output.split("\n")
        if status == 0 and lines[0] == "unsat":
            core = next((line[7:].split() for line in lines if line.startswith("; core ")), [])
            return ProofFound(name, seconds, _used(attempt, core))
        if status == 0 and lines[0].startswith(("sat", "unknown")):
            return NoProof(GAVE_UP)
    else:
        found = re.search(r"^[#%] SZS status (\w+)", output, re.MULTILINE)
        said = found.group(1) if found else ""
        if status == 0 and said in ("Theorem", "ContradictoryAxioms"):
            labels = re.findall(r"file\('[^']*',\s*(\w+)\)", output)
            return ProofFound(name, seconds, _used(attempt, labels))
        if said == "ResourceOut":
            return OutOfTime(seconds)
        if said in ("CounterSatisfiable", "Satisfiable", "GaveUp"):
            return NoProof(GAVE_UP)
    if status in (-signal.SIGPROF, -signal.SIGXCPU, -signal.SIGKILL):
        return OutOfTime(seconds)
    text = " ".join(output.split())
    return NoProof(f"the prover failed with status {status}: {text[:200]}")


def _used(attempt: Attempt, labels: Sequence[str]) -> tuple[str, ...]:
    """Names of premises and axioms; the goal and what encodings add have none. `?`: the prover could not name it."""
    names = {**attempt.labels, "?": "?"}
    return tuple(dict.fromkeys(names[label] for label in labels if label in names))
