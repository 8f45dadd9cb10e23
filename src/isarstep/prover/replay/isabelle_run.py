"""`isarstep check --isabelle IMAGES`: proposals become questions to a real Isabelle, its answers become verdicts.

One pass over a theory serves all its proposals; a theory whose questions are all answered is a finished part of the
table, so an interrupted run goes on with the next one.
"""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from types import FrameType

from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.common.files import write_whole
from isarstep.isabelle.inference.infer import well_formed
from isarstep.isabelle.process.images import Images
from isarstep.isabelle.process.installation import Sessions, find_installation
from isarstep.isabelle.process.ml_process import allow_starts, end_all
from isarstep.isabelle.syntax.grammar.abbreviations import expand
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import Term
from isarstep.isabelle.terms.tokens import decode
from isarstep.isabelle.terms.type_text import parse_type
from isarstep.premises.fact_base import Library
from isarstep.premises.witnesses import of_same_values, speaks_of, witnesses
from isarstep.prover.check.jobs import Run, Settings, Work, write_verdicts
from isarstep.prover.outcomes.likeness import likeness
from isarstep.prover.outcomes.verdict import (
    NOT_ASKED,
    Background,
    Gap,
    IllFormed,
    Likeness,
    Proved,
    Refuted,
    TimedOut,
    Unknown,
    Unsupported,
    Verdict,
    WellFormed,
    row,
)
from isarstep.prover.replay.isabelle_questions import (
    Answer,
    Inquiry,
    Isabelle,
    IsabelleLimits,
    Premise,
    Question,
    prover_versions,
    with_provers,
)

FALSEHOOD = "CONST HOL.Trueprop $ CONST HOL.False"
LOCAL = re.compile(r"F\d+")  # how Check.ML calls premises without a name in the library

Names = Mapping[str, tuple[str, ...]]  # of library facts, by their tokens


@dataclass(frozen=True, slots=True)
class IsabelleSettings(Settings):
    """Those of the embedded backend, marked, so that neither goes on with a run of the other."""

    backend: str = "isabelle"


def open_isabelle(images: Path | None, directories: Sequence[Path] = ()) -> Isabelle:
    """The installation with its provers, and images: those that Isabelle built, and those in a folder of the miner.

    Any release will do: without images that it has made nothing can be asked.
    """
    if images is not None and (images / "src" / "Pure").is_dir():
        raise UserError(f"{images} is an Isabelle: set ISABELLE_HOME to it, and give a folder of images instead")
    installation = with_provers(find_installation(any_release=True))
    sessions = Sessions(installation, directories)
    folder = images or installation.heap_folders[0]
    if not folder.is_dir():
        raise UserError(f"no images at {folder}: there is no such folder")
    return Isabelle(installation, sessions, Images(installation, sessions, folder.resolve()))


def fact_names(benchmark: Benchmark, examples: Sequence[Example]) -> Names:
    """Under which names the library knows propositions of these examples."""
    if not benchmark.has_facts:
        return {}
    library, found = Library.of_benchmark(benchmark), dict[str, tuple[str, ...]]()
    wanted = {line for example in examples for line in (*example.f4, *example.f5)}
    library.read(None)
    for number in range(len(library)):
        if (text := library.texts[number]) in wanted:
            found[text] = (*found.get(text, ()), library.name(number))
    return found


def inquiry(example: Example, proposals: Sequence[str], names: Names) -> Inquiry:
    """All questions about an example and its proposals; each is asked only when an answer can matter.

    They are those of the embedded backend: what a step introduces need only exist.
    """
    assert example.f3 is not None

    def premises(*lines: str) -> tuple[Premise, ...]:
        return tuple(Premise(line, names.get(line, ())) for line in lines)

    f2, f3, f4 = example.f2, example.f3, example.f4
    new = witnesses(example.target_command, example.introduced)
    if any(speaks_of(decode(line), new) for line in f2):
        new = frozenset()  # what F.2 speaks of is there already
    same_values = tuple(line for line in f4 if not names.get(line) and of_same_values(decode(line), new))
    first = tuple(sorted(new))
    last = tuple(sorted(witnesses(example.consequence_command, example.introduced_after)))
    asked = [Question("consequence", "type", f3)]
    ranks = range(len(proposals))
    for rank, proposal in enumerate(proposals):
        asked += [
            Question(f"{rank} type", "type", proposal, condition="consequence"),
            Question(f"{rank} first", "prove", proposal, premises(*f2), f"{rank} type", first, same_values),
            Question(f"{rank} second", "prove", f3, premises(proposal, *f4), f"{rank} type", last),
            Question(f"{rank} trivial", "methods", proposal, (), f"{rank} first", first, same_values),
        ]
    typed = "|".join(f"{rank} type" for rank in ranks)
    closed = "|".join(f"{rank} {gap}" for rank in ranks for gap in ("first", "second"))
    asked += [
        Question("direct", "prove", f3, premises(*f2, *f4), typed, last),
        Question("direct_paper", "prove", f3, premises(*f2), "direct", last),
        Question("f2_contradictory", "methods", FALSEHOOD, premises(*f2), closed),
        Question("f4_contradictory", "methods", FALSEHOOD, premises(*f4), closed),
    ]
    return Inquiry(example, tuple(asked))


def gap_of_isabelle(answer: Answer) -> Gap:
    match answer.answer:
        case "proved":
            library = sum(LOCAL.fullmatch(name) is None for name in answer.facts)
            return Proved(answer.by, answer.seconds, answer.facts, library)
        case "refuted":
            return Refuted(answer.by, answer.why)
        case "timeout":
            return TimedOut(answer.seconds)
        case "skipped":
            return NOT_ASKED
        case _:
            return Unknown(answer.why)


def verdicts(
    example: Example, proposals: Sequence[str], answers: Mapping[str, Answer], signature: Signature
) -> list[Verdict]:
    """The verdicts on the proposals for one example."""
    consequence = answers["consequence"]
    result: list[Verdict] = []
    direct = gap_of_isabelle(answers["direct"])
    # What does not follow from F.2 and F.4 is not tried from F.2 alone.
    paper = gap_of_isabelle(answers["direct_paper"]) if isinstance(direct, Proved) else direct
    contradictions = (gap_of_isabelle(answers[f"{field}_contradictory"]) for field in ("f2", "f4"))
    background = Background(example.target_kind, direct, paper, *contradictions)
    for rank, proposal in enumerate(proposals):
        typed = answers[f"{rank} type"]
        if consequence.answer != "typed":
            why = f"the consequence does not type in its context: {consequence.why}"
            result.append(Unsupported(example.id, rank, why if consequence.answer == "ill" else consequence.why))
        elif typed.answer == "ill":
            result.append(IllFormed(example.id, rank, example.target_kind, typed.why))
        elif typed.answer != "typed":
            result.append(Unsupported(example.id, rank, typed.why))
        else:
            first, second, trivial = (
                gap_of_isabelle(answers[f"{rank} {gap}"]) for gap in ("first", "second", "trivial")
            )
            same = _likeness(example, proposal, signature)
            result.append(WellFormed(example.id, rank, same, first, second, trivial, background))
    return result


def _likeness(example: Example, proposal: str, signature: Signature) -> Likeness:
    context = {name: parse_type(text) for name, text in example.types.items()}

    def typed(text: str) -> Term | None:
        term = well_formed(text, signature, context).term
        return None if term is None else expand(term, signature)

    left, right = typed(proposal), typed(example.f1)
    source = [*example.f2, example.f3 or "", *example.f4, *example.f5]
    if left is None or right is None:  # types that only Isabelle knows
        exact = proposal.split() == example.f1.split()
        return Likeness(exact, exact, exact, any(proposal in text for text in source))
    return likeness(proposal, left, example.f1, right, source)


class TheoryRun(Run):
    """A table in the making whose parts are theories."""

    def __init__(self, out: Path, settings: IsabelleSettings, work: Sequence[Work], *, resume: bool) -> None:
        super().__init__(out, settings, work, resume=resume)
        benchmark = Benchmark(settings.benchmark)
        self.split = benchmark.split(settings.split)
        self.signature = benchmark.signature
        self.qualified = tuple(benchmark.manifest.get("qualified", ()))
        groups: dict[str, list[Work]] = {}
        for item in work:
            groups.setdefault(self.split[item.position].theory, []).append(item)
        self.theories = list(groups)
        self.chunks = [tuple(group) for group in groups.values()]
        missing = [self.split[item.position] for number in self.missing() for item in self.chunks[number]]
        self.names = fact_names(benchmark, missing)

    @property
    def provers(self) -> str:
        """Those that were there, with versions; a run that goes on remembers them."""
        note = self.parts / "provers"
        return note.read_text(encoding="utf-8") if note.exists() else "no external prover"


def run_isabelle(
    run: TheoryRun, isabelle: Isabelle, limits: IsabelleLimits, jobs: int, news: Callable[[str], None] = lambda _: None
) -> Iterator[int]:
    """Ask what is missing, sessions side by side; yields the number of verdicts of each finished theory.

    `news` is told what Isabelle is doing.
    """
    sessions: dict[str, list[int]] = {}
    for number in run.missing():
        sessions.setdefault(run.split[run.chunks[number][0].position].session, []).append(number)
    stop = threading.Event()

    def on_signal(number: int, frame: FrameType | None) -> None:
        stop.set()
        end_all()

    allow_starts()
    handlers = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        finished: SimpleQueue[int | None] = SimpleQueue()
        with ThreadPoolExecutor(jobs) as pool:
            futures = [
                pool.submit(_session, run, isabelle, limits, session, sessions[session], finished.put, news, stop)
                for session in sessions
            ]
            for future in futures:
                future.add_done_callback(lambda _: finished.put(None))
            left = len(futures)
            while left and not stop.is_set():
                count = finished.get()
                left -= count is None
                if count is not None:
                    yield count
            for future in futures:
                if not stop.is_set():
                    future.result()
    finally:
        end_all()
        allow_starts()  # nothing of this run is left that could start a process
        for number, handler in handlers.items():
            signal.signal(number, handler)
    if stop.is_set():
        raise UserError("stopped; run again with --resume to go on")


def _session(
    run: TheoryRun,
    isabelle: Isabelle,
    limits: IsabelleLimits,
    session: str,
    numbers: Sequence[int],
    finished: Callable[[int], None],
    news: Callable[[str], None],
    stop: threading.Event,
) -> None:
    """One session in one process, theory by theory."""
    inquiries: dict[str, Inquiry] = {}
    theory_of: dict[str, int] = {}
    waiting: dict[int, int] = {}  # answers that a theory still waits for
    for number in numbers:
        for item in run.chunks[number]:
            example = run.split[item.position]
            if example.f3 is not None:
                inquiries[example.id] = inquiry(example, item.proposals, run.names)
                theory_of[example.id] = number
                waiting[number] = waiting.get(number, 0) + len(inquiries[example.id].questions)
    answers: dict[str, dict[str, Answer]] = {identifier: {} for identifier in inquiries}

    def take(identifier: str, key: str, answer: Answer) -> None:
        answers[identifier][key] = answer
        number = theory_of[identifier]
        waiting[number] -= 1
        if waiting[number] == 0 and not stop.is_set():
            finished(_write(run, number, answers))

    for number in numbers:
        if number not in waiting:
            finished(_write(run, number, answers))
    provers = isabelle.ask(session, inquiries.values(), limits, take, news)
    if provers:
        write_whole(run.parts / "provers", prover_versions(isabelle.installation, provers))


def _write(run: TheoryRun, number: int, answers: Mapping[str, Mapping[str, Answer]]) -> int:
    rows = []
    for item in run.chunks[number]:
        example = run.split[item.position]
        if example.f3 is None:
            why = "nothing follows from the target (no F.3)"
            rows += [row(Unsupported(example.id, rank, why)) for rank in range(len(item.proposals))]
        else:
            rows += [row(v) for v in verdicts(example, item.proposals, answers[example.id], run.signature)]
    write_verdicts(run.part(number), rows)
    return len(rows)
