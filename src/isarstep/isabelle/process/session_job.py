"""One mining job: the theories of a session, loaded one after the other in one ML process, each mined as soon as
it is loaded."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from isarstep.isabelle.process import release, yxml
from isarstep.isabelle.process.graph_store import Record, Store
from isarstep.isabelle.process.installation import Installation, Sessions, Theory
from isarstep.isabelle.process.ml_process import (
    Message,
    MLProcess,
    ProcessFailed,
    ProcessTimedOut,
    Start,
    starts_banned,
)

FOLDER = Path(__file__).parent
ML_FILES = (
    "Encode.ML",
    "Content.ML",
    "Notation.ML",
    "Rules.ML",
    "Class_View.ML",
    "Proof.ML",
    "Resolve.ML",
    "Miner.ML",
    "Driver.ML",
)  # in the order in which they build on each other, after the words of the release


@dataclass(frozen=True)
class MiningLimits:
    """Seconds after which a proof, a theory, a session is given up, and MB of ML heap for one process (0: no limit)."""

    proof: int = 300
    theory: int = 3600
    session: int = 6 * 3600
    memory_mb: int = 0


@dataclass(frozen=True)
class TheoryJob:
    theory: Theory
    hash: str
    mine: bool  # False: only loaded, because its graph is there already or somebody else makes it


@dataclass(frozen=True)
class SessionJob:
    session: str
    images: tuple[Path, ...]
    loaded: tuple[str, ...]
    sessions: tuple[str, ...]  # whose folders are needed
    theories: tuple[TheoryJob, ...]
    image: Path | None  # where to save what was loaded
    prove: bool  # run terminal proof steps, instead of trusting them
    limits: MiningLimits


@dataclass
class Outcome:
    """What came of a job, theory by theory."""

    records: list[Record] = field(default_factory=list)
    reason: str = ""  # why the job as a whole did not come to its end, empty when it did
    image_saved: bool = False
    cpu: float = 0.0
    elapsed: float = 0.0
    peak_memory: int = 0


Progress = Callable[[Record], None]

_encode_theory = yxml.pair(
    yxml.pair(yxml.string, yxml.string),
    yxml.pair(
        yxml.pair(yxml.string, yxml.string),
        yxml.pair(yxml.listing(yxml.string), yxml.listing(yxml.pair(yxml.string, yxml.string))),
    ),
)
_encode_job = yxml.pair(yxml.pair(yxml.string, yxml.string), yxml.pair(yxml.integer, yxml.listing(_encode_theory)))


def run_session(
    installation: Installation, sessions: Sessions, store: Store, job: SessionJob, progress: Progress
) -> Outcome:
    """Run the job, again while a theory kills the process: the culprit gets a second chance, then is left out."""
    outcome = Outcome()
    began = time.monotonic()
    blamed: set[str] = set()
    left_out: set[str] = set()
    while True:
        attempt = _Attempt(installation, sessions, store, job, progress, outcome, left_out)
        try:
            attempt.run(began)
            outcome.reason = ""
            break
        except ProcessFailed as error:
            outcome.reason = str(error)
            culprit = attempt.loading
            if culprit is None or time.monotonic() - began > job.limits.session:
                break
            if culprit in blamed or isinstance(error, ProcessTimedOut):
                left_out.add(culprit)
                attempt.give_up(culprit, str(error))
            blamed.add(culprit)
            done = attempt.mined
            theories = (replace(item, mine=item.mine and item.theory.name not in done) for item in job.theories)
            job = replace(job, theories=tuple(theories))
    if outcome.reason and not starts_banned():
        attempt.give_up_rest(outcome.reason)
    outcome.elapsed = time.monotonic() - began
    return outcome


class _Attempt:
    """One process for a job."""

    def __init__(
        self,
        installation: Installation,
        sessions: Sessions,
        store: Store,
        job: SessionJob,
        progress: Progress,
        outcome: Outcome,
        left_out: set[str],
    ) -> None:
        self.installation, self.sessions, self.store, self.job = installation, sessions, store, job
        self.progress, self.outcome, self.left_out = progress, outcome, left_out
        self.loading: str | None = None
        self.mined: set[str] = set()
        self._items = {item.theory.name: item for item in job.theories}
        self._notes: dict[str, Record] = {}
        self._no_solver: set[tuple[str, str]] = set()  # theories and lines of proofs that wanted one
        # A short hash of the ML files, kept with everything they produce.
        files = b"".join((FOLDER / name).read_bytes() for name in (*installation.release.words, *ML_FILES))
        self._version = hashlib.sha256(files).hexdigest()[:12]

    def record(self, record: Record) -> None:
        self.outcome.records.append(record)
        self.progress(record)

    def give_up(self, name: str, reason: str) -> None:
        session = self._items[name].theory.session
        self._done({"theory": name, "session": session, "reason": reason}, "failed")

    def give_up_rest(self, reason: str) -> None:
        """Theories that nobody came to count as failed."""
        told = {record["theory"] for record in self.outcome.records}
        for item in self.job.theories:
            if item.mine and item.theory.name not in told:
                self.give_up(item.theory.name, f"not reached: {reason}")

    def run(self, began: float) -> None:
        job = self.job
        start = Start(
            images=job.images,
            uses=tuple(FOLDER / name for name in ML_FILES),
            main="Isarstep_Driver.main ()",
            loaded=job.loaded,
            sessions=job.sessions,
            memory_mb=job.limits.memory_mb,
            options=() if job.prove else tuple(release.TRUST_OPTIONS.items()),
        )
        with MLProcess(self.installation, self.sessions, start) as process:
            try:
                self._session_end = began + job.limits.session
                process.deadline = self._session_end
                process.command("isarstep_session", self._request(process.folder))
                for message in process.messages():
                    self._handle(process, message)
                process.wait(self.job.limits.theory)
            finally:
                self.outcome.cpu += process.cpu
                self.outcome.peak_memory = max(self.outcome.peak_memory, process.peak_memory)
        if job.image is not None:
            _partial(job.image).replace(job.image)
            self.outcome.image_saved = True

    def _request(self, folder: Path) -> bytes:
        job = self.job
        theories = []
        for item in job.theories:
            theory = item.theory
            if theory.name in self.left_out:
                continue
            file = str(folder / f"{theory.name}.jsonl") if item.mine else ""
            decided = {"condition", "document"} | (set() if job.prove else set(release.TRUST_OPTIONS))
            options = [(name, value or "true") for name, value in theory.options if name not in decided]
            theories.append(((theory.name, theory.session), ((file, item.hash), (theory.imports, options))))
        image = str(_partial(job.image)) if job.image else ""
        return _encode_job(((job.session, image), (job.limits.proof, theories)))

    def _handle(self, process: MLProcess, message: Message) -> None:
        properties = message.properties
        if message.kind == "system" and b"protocol command failure" in b"".join(message.chunks):
            raise ProcessFailed("Driver.ML does not understand its job; was the package replaced while it ran?")
        if properties.get("function") != "isarstep":
            return
        event = properties["event"]
        if event in ("finished", "crashed"):
            if event == "crashed":
                raise ProcessFailed(_clean(properties["reason"]))
            self.loading = None
            process.deadline = None
            process.stop()
            return
        name = properties["theory"]
        item = self._items[name]
        note = self._notes.setdefault(name, {"theory": name, "session": item.theory.session})
        match event:
            case "loading":
                self.loading = name
                process.deadline = min(time.monotonic() + self.job.limits.theory, self._session_end)
            case "loaded":
                note.update({f"load_{key}": float(properties[key]) for key in ("cpu", "elapsed", "gc")})
                if not item.mine:
                    self._done(note, "loaded")
            case "failure":
                note.setdefault("failures", []).append(self._explained(name, _clean(properties["reason"])))
            case "no_solver":
                self._no_solver.add((name, properties["line"]))
            case "mined":
                note.update({f"mine_{key}": float(properties[key]) for key in ("cpu", "elapsed", "gc")})
                try:
                    note.update(self.store.add(item.theory.session, name, process.folder / f"{name}.jsonl"))
                except ValueError as error:  # the miner wrote something that is not a graph
                    note["reason"] = str(error)
                    self._done(note, "unmined")
                else:
                    self.mined.add(name)
                    self._done(note, "mined")
            case "unmined" | "failed":
                note["reason"] = _clean(properties["reason"])
                self._done(note, event)

    def _explained(self, theory: str, failure: str) -> str:
        """A failure with words for an exception that says nothing to people."""
        place, colon, rest = failure.partition(": ")
        if (theory, place.removeprefix("line ")) not in self._no_solver:
            return failure
        return f"{place}{colon}{rest.partition(':')[0]}: the proof calls `smt`, whose solver is not installed"

    def _done(self, note: Record, status: str) -> None:
        self.loading = None
        note["status"] = status
        note["miner"] = self._version
        note["proved"] = self.job.prove
        note["size"] = self._items[note["theory"]].theory.size
        self.record(note)


def _partial(image: Path) -> Path:
    return image.with_name(f".{image.name}.tmp")


def _clean(text: str) -> str:
    """An error message in one line without markup."""
    try:
        text = yxml.content(yxml.parse(text.encode()))
    except ValueError:
        text = text.replace("\x05", " ").replace("\x06", " ")
    return " ".join(text.split())
