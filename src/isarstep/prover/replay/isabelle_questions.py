"""A real Isabelle as judge: questions about proposals, answered in the context of their steps, theory by theory.

Theories are loaded as for mining, from the best image that does not hold them yet; Check.ML finds each proof and
answers, in the context in which its theorem was stated. What a question asks is up to the caller.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from isarstep.benchmark.store.example import Example
from isarstep.common.errors import UserError
from isarstep.isabelle.context.clashes import Renaming
from isarstep.isabelle.process import release, session_job, yxml
from isarstep.isabelle.process.images import Images
from isarstep.isabelle.process.installation import Installation, Sessions, Theory
from isarstep.isabelle.process.ml_process import Message, MLProcess, ProcessFailed, ProcessTimedOut, Start
from isarstep.isabelle.process.session_job import ML_FILES
from isarstep.isabelle.terms.terms import TFree, TVar, Typ
from isarstep.isabelle.terms.type_text import parse_type

_HERE = Path(__file__).parent
_MINER = session_job.FOLDER


@dataclass(frozen=True, slots=True)
class Premise:
    """A proposition as tokens; where one of the names is a fact in the context, that fact is meant."""

    tokens: str
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """Is the goal a proposition (effort `type`), or does it follow from the premises?

    `methods` tries Isabelle's proof methods for a second each, `replay` longer and with more options, `refute` looks
    for a counterexample, `sledgehammer` calls it after five methods, `prove` after all methods and quickcheck. About a
    theorem that is named: `stated` asks for it as its author stated it there, by all methods and then Sledgehammer;
    `text` runs the goal, Isar text that proves it as `printed`, in its place, within its seconds of processor time.
    """

    key: str
    effort: str
    goal: str
    premises: tuple[Premise, ...] = ()
    condition: str = ""  # keys of earlier questions of the example (a|b): one must have been answered well
    witnesses: tuple[str, ...] = ()  # variables for which it need not hold but for some values
    same_values: tuple[str, ...] = ()  # what else is said of the same values


@dataclass(frozen=True, slots=True)
class Answer:
    """`typed`, `ill`, `proved`, `refuted`, `timeout`, `unknown` or `skipped`, with what belongs to it."""

    answer: str
    by: str = ""
    seconds: float = 0.0
    facts: tuple[str, ...] = ()
    why: str = ""

    @property
    def good(self) -> bool:
        return self.answer in ("typed", "proved")


SKIPPED = Answer("skipped")


@dataclass(frozen=True, slots=True)
class Inquiry:
    """All questions about one example; one that is no part of a proof stands at the end of its theory. With `theorem`
    its proof is the one of the theorem of this name."""

    example: Example
    questions: tuple[Question, ...]
    theorem: str = ""


@dataclass(frozen=True)
class IsabelleLimits:
    """Seconds for a proof attempt by external provers, for a theory to load, and MB of ML heap (0: no limit)."""

    seconds: int = 30
    theory: int = 1200
    memory_mb: int = 6000
    prove: bool = False
    qualified: tuple[str, ...] = ()  # theories whose names begin with their session in the benchmark, not in Isabelle


# Where Isabelle's Sledgehammer looks for provers: variables, and programs.
_PROVERS = {
    "e": ("E_HOME", "eprover"),
    "cvc5": ("CVC5_SOLVER", "cvc5"),
    "z3": ("Z3_SOLVER", "z3"),
    "vampire": ("VAMPIRE_HOME", "vampire"),
    "zipperposition": ("ZIPPERPOSITION_HOME", "zipperposition"),
    "spass": ("SPASS_HOME", "SPASS"),
    "verit": ("ISABELLE_VERIT", "veriT"),
}
# Those that work in versions other than Isabelle's own. (Today's Z3 writes proofs that Isabelle cannot read, SPASS
# needs an option that only Isabelle's version has.)
_FROM_PATH = ("e", "cvc5")


def with_provers(installation: Installation) -> Installation:
    """The installation with provers from the PATH where it brings none of its own (bare sources)."""
    known = installation.environment
    found = []
    if not known.get("ISABELLE_TMP_PREFIX"):
        # Solvers' output lines with this prefix are ignored; without one, all of them.
        found.append(("ISABELLE_TMP_PREFIX", str(Path(tempfile.gettempdir()) / "isabelle-")))
    for variable, program in (_PROVERS[name] for name in _FROM_PATH):
        path = shutil.which(program)
        if path is not None and not known.get(variable):
            found.append((variable, str(Path(path).parent) if variable.endswith("_HOME") else path))
    return replace(installation, settings=(*installation.settings, *found))


def prover_versions(installation: Installation, names: str) -> str:
    """Names of provers, as the process reports them, with the versions that they print."""
    environment = installation.environment
    shown = []
    for name in filter(None, names.split(", ")):
        variable, program = _PROVERS.get(name, ("", ""))
        path = environment.get(variable, "")
        command = str(Path(path) / program) if variable.endswith("_HOME") else path
        version = ""
        if path:
            with suppress(OSError, subprocess.TimeoutExpired):
                output = subprocess.run([command, "--version"], capture_output=True, text=True, timeout=20).stdout
                version = next(iter(re.findall(r"\d+\.\d+(?:\.\d+)?", output)), "")
        shown.append(f"{name} {version}".strip())
    return ", ".join(shown)


Report = Callable[[str, str, Answer], None]  # example, key of the question, answer
Place = tuple[str, str]  # example and key of a question


def _encode_type(typ: Typ) -> bytes:
    """As `Term_XML.Decode.typ` wants it: a variant with its name as attribute."""
    sort = yxml.listing(yxml.string)
    if isinstance(typ, TFree):
        return yxml.element("1", [("0", typ.name)], sort(typ.sort))
    if isinstance(typ, TVar):
        name = [("0", typ.name)] + ([("1", str(typ.index))] if typ.index else [])
        return yxml.element("2", name, sort(typ.sort))
    return yxml.element("0", [("0", typ.name)], yxml.listing(_encode_type)(typ.args))


_encode_names = yxml.listing(yxml.string)
_encode_premises = yxml.listing(yxml.pair(_encode_names, yxml.string))
_encode_goal = yxml.pair(yxml.string, yxml.pair(_encode_names, _encode_names))
_encode_asked = yxml.pair(yxml.string, yxml.pair(_encode_premises, _encode_goal))
_encode_question = yxml.pair(yxml.pair(yxml.string, yxml.string), _encode_asked)
_encode_proof = yxml.pair(yxml.string, yxml.pair(yxml.string, yxml.integer))
_encode_steps = yxml.pair(yxml.listing(yxml.integer), yxml.integer)
_encode_types = yxml.listing(yxml.pair(yxml.string, _encode_type))
_encode_questions = yxml.pair(_encode_types, yxml.listing(_encode_question))
_encode_example = yxml.pair(_encode_proof, yxml.pair(_encode_steps, _encode_questions))
_encode_options = yxml.listing(yxml.pair(yxml.string, yxml.string))
_encode_theory = yxml.pair(yxml.string, yxml.pair(_encode_options, yxml.listing(_encode_example)))
_encode_limits = yxml.pair(yxml.string, yxml.integer)  # of the session, and of proofs
_encode_job = yxml.pair(_encode_limits, yxml.pair(_encode_limits, yxml.listing(_encode_theory)))


def _example_value(inquiry: Inquiry, own: Renaming) -> object:
    example = inquiry.example
    types = [(name, parse_type(own.undone(text))) for name, text in example.types.items()]
    questions = []
    for q in inquiry.questions:
        premises = [([own.undone(name) for name in p.names], own.undone(p.tokens)) for p in q.premises]
        text = q.goal if q.effort == "text" else own.undone(q.goal)
        goal = (text, (q.witnesses, [own.undone(line) for line in q.same_values]))
        questions.append(((q.key, q.effort), (q.condition, (premises, goal))))
    steps = (example.target_step, example.consequence_step)
    return ((example.id, (own.undone(inquiry.theorem), example.proof)), ((steps, example.fixed), (types, questions)))


@dataclass(frozen=True)
class Isabelle:
    """An installation with its sessions and the images that checking may start from."""

    installation: Installation
    sessions: Sessions
    images: Images

    def ask(
        self,
        session: str,
        inquiries: Iterable[Inquiry],
        settings: IsabelleLimits,
        report: Report,
        news: Callable[[str], None] = lambda _: None,
    ) -> str:
        """Answer all questions about examples of one session; returns the provers that were there, with versions.

        `news` is told what the process is doing: starting, loading a theory, answering a question.
        A question that kills the process or runs past all limits is answered `timeout` or `unknown`; the others go on.
        """
        waiting: dict[str, list[Inquiry]] = {}
        for inquiry in inquiries:
            waiting.setdefault(inquiry.example.theory, []).append(inquiry)
        provers = ""
        failures: dict[str, int] = {}
        answers: dict[Place, Answer] = {}

        def note(place: Place, answer: Answer) -> None:
            if place not in answers:
                answers[place] = answer
                report(*place, answer)

        while waiting:
            attempt = _Attempt(self, session, waiting, settings, note, news)
            try:
                attempt.run()
                for theory in waiting:
                    attempt.give_up(theory, "Isabelle gave no answer")  # has no effect on answered questions
            except ProcessFailed as error:
                attempt.blame(error, failures)
            finally:
                provers = attempt.versions or provers
            waiting = _open_questions(waiting, answers, note)
        return provers

    def plan(
        self, theories: Sequence[str], whole: Collection[str] = ()
    ) -> tuple[tuple[Path, ...], tuple[str, ...], list[Theory]]:
        """The images to start from, the theories they hold, and the theories to load; of `whole` ones only the end
        matters, and an image may hold them."""
        needed: dict[str, Theory] = {}
        for name in theories:
            self._collect(self.sessions.theory(name, "the benchmark"), needed)
        image = self.images.best(needed.values(), frozenset(theories) - frozenset(whole))
        loads = [theory for theory in needed.values() if theory.name not in image.theories or theory.name in whole]
        return image.files, tuple(sorted(image.theories)), loads

    def renaming(self, theory: Theory, qualified: Sequence[str]) -> Renaming:
        """From Isabelle's names in a theory to those of the benchmark."""
        above: dict[str, Theory] = {}
        self._collect(theory, above)
        return Renaming({name.rpartition(".")[2]: name for name in qualified if name in above})

    def _collect(self, theory: Theory, order: dict[str, Theory]) -> None:
        if theory.name in order:
            return
        for name in theory.imports:
            if name not in release.PURE_THEORIES:
                self._collect(self.sessions.theory(name, theory.name), order)
        order[theory.name] = theory


@dataclass
class _Attempt:
    """One process: loads the theories, hands in the questions, takes the answers."""

    isabelle: Isabelle
    session: str
    waiting: Mapping[str, list[Inquiry]]
    settings: IsabelleLimits
    answer: Callable[[Place, Answer], None]
    news: Callable[[str], None]
    left: int = 0  # theories to load
    asking: Place | None = None
    theory: str | None = None
    started: bool = False
    versions: str = ""

    def run(self) -> None:
        isabelle, settings = self.isabelle, self.settings
        whole = [
            theory
            for theory, asked in self.waiting.items()
            if all(each.example.proof < 0 and not each.theorem for each in asked)
        ]
        images, loaded, loads = isabelle.plan(list(self.waiting), whole)
        self.left = len(loads)
        self.news(f"starting Isabelle on {images[-1].name} for {self.session}")
        folders = {theory.session for theory in loads} | {self.session}
        for name in tuple(folders):
            folders |= set(isabelle.sessions.requirements(name))
        start = Start(
            images=images,
            uses=(*(_MINER / name for name in ML_FILES), _HERE / "Check.ML"),
            main="Isarstep_Driver.main ()",
            loaded=loaded,
            sessions=tuple(sorted(folders)),
            memory_mb=settings.memory_mb,
            options=tuple(release.TRUST_OPTIONS.items()),
        )
        with MLProcess(isabelle.installation, isabelle.sessions, start) as process:
            process.deadline = time.monotonic() + settings.theory
            process.command("isarstep_check", self._request(loads))
            for message in process.messages():
                self._handle(process, message)
            process.wait(60)

    def _request(self, loads: Sequence[Theory]) -> bytes:
        theories = []
        decided = {"condition", "document", *release.TRUST_OPTIONS}
        for theory in loads:
            options = [(name, value or "true") for name, value in theory.options if name not in decided]
            inquiries = self.waiting.get(theory.name, ())
            own = self.isabelle.renaming(theory, self.settings.qualified) if inquiries else Renaming({})
            examples = [_example_value(inquiry, own) for inquiry in inquiries]
            theories.append((theory.name, (options, examples)))
        prove = str(_HERE / "Prove.ML") if self.settings.prove else ""
        return _encode_job(((self.session, 300), ((prove, self.settings.seconds), theories)))  # type: ignore[arg-type]

    def _handle(self, process: MLProcess, message: Message) -> None:
        properties = message.properties
        if message.kind == "system" and b"protocol command failure" in b"".join(message.chunks):
            raise ProcessFailed("Check.ML does not understand its job")
        if properties.get("function") != "isarstep":
            return
        match properties["event"]:
            case "started":
                self.started = True
                self.versions = properties["versions"]
            case "loading":
                self.theory = properties["theory"]
                self.news(f"loading {self.theory}, {self.left} to load")
                self.left -= 1
                process.deadline = time.monotonic() + self.settings.theory
            case "asking":
                self.asking = (properties["example"], properties["key"])
                self.news(f"{self.theory}: {' '.join(self.asking)}")
                process.deadline = time.monotonic() + 12 * self.settings.seconds + 120
            case "answer":
                self._take(properties)
            case "checked":
                self.theory = None
            case "failed":
                self.give_up(properties["theory"], f"the theory does not load: {properties['reason']}")
            case "crashed":
                raise ProcessFailed(properties["reason"])
            case "finished":
                process.deadline = None
                process.stop()

    def _take(self, properties: Mapping[str, str]) -> None:
        facts = tuple(name for name in properties.get("facts", "").split("\n") if name)
        answer = Answer(
            properties["answer"],
            properties.get("by", ""),
            float(properties.get("seconds", "0").replace("~", "-")),
            facts,
            " ".join(properties.get("why", "").split()),
        )
        self.asking = None
        self.answer((properties["example"], properties["key"]), answer)

    def give_up(self, theory: str, why: str) -> None:
        for inquiry in self.waiting.get(theory, ()):
            for question in inquiry.questions:
                self.answer((inquiry.example.id, question.key), Answer("unknown", why=why))

    def blame(self, error: ProcessFailed, failures: dict[str, int]) -> None:
        """After the process ended before its time: the question it worked on gets no second chance, a theory one."""
        if not self.started:
            raise UserError(f"Isabelle does not start: {error}") from error
        if self.asking is not None:
            limit = isinstance(error, ProcessTimedOut)
            self.answer(self.asking, Answer("timeout" if limit else "unknown", why=str(error)))
            return
        theory = self.theory or ""
        failures[theory] = failures.get(theory, 0) + 1
        if failures[theory] > 1:
            for name in self.waiting:
                if name == theory or theory not in self.waiting:
                    self.give_up(name, str(error))


def _open_questions(
    waiting: Mapping[str, list[Inquiry]], answers: Mapping[Place, Answer], note: Callable[[Place, Answer], None]
) -> dict[str, list[Inquiry]]:
    """The questions without an answer; those whose conditions have failed meanwhile are skipped."""
    result: dict[str, list[Inquiry]] = {}
    for theory, inquiries in waiting.items():
        for inquiry in inquiries:
            identifier = inquiry.example.id
            kept: list[Question] = []
            for question in inquiry.questions:
                if (identifier, question.key) in answers:
                    continue
                keys = question.condition.split("|") if question.condition else []
                known = [answers[identifier, key] for key in keys if (identifier, key) in answers]
                if any(answer.good for answer in known):
                    kept.append(replace(question, condition=""))
                elif keys and len(known) == len(keys):
                    note((identifier, question.key), SKIPPED)
                else:
                    left = "|".join(key for key in keys if (identifier, key) not in answers)
                    kept.append(replace(question, condition=left))
            if kept:
                result.setdefault(theory, []).append(replace(inquiry, questions=tuple(kept)))
    return result
