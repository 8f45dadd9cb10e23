"""`isarstep fill`: every `sorry` of a theory file gets a proof, or keeps the best open sketch as a comment."""

from __future__ import annotations

import difflib
import re
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from isarstep.common.cancellation import DeadlineError, working_until
from isarstep.common.errors import UserError
from isarstep.common.files import writable_target, write_whole
from isarstep.isabelle.syntax.grammar.symbols import normal, to_isabelle
from isarstep.isabelle.syntax.reading.reader import read_formula
from isarstep.isabelle.syntax.reading.typed_writer import write_typed
from isarstep.isabelle.terms.hol import dest_trueprop, trueprop
from isarstep.isabelle.terms.terms import App, Free, Term, erase, frees, rebuilt
from isarstep.isabelle.theory.document import SorryGap, TheoryDocument
from isarstep.isabelle.theory.environment.file_environment import OwnContext
from isarstep.isabelle.theory.environment.locale_tables import OwnFact
from isarstep.isabelle.theory.proofs.proof_block import ProofState, type_of_term
from isarstep.prover.check.prover_session import crash
from isarstep.prover.isar.method_text import suggested_method
from isarstep.prover.isar.sketch import Sketch, exact_text, shown_lines
from isarstep.prover.outcomes.verdict import Proved
from isarstep.prover.values.counterexamples import with_fractions

if TYPE_CHECKING:
    from isarstep.apps.engine import Engine
    from isarstep.benchmark.problems.task import Task

READING_SECONDS = 60  # for the declarations of the file before a gap, which are read once
SUGGESTED = "(* suggested: proved by provers, not yet by Isabelle *)"
Sketched = Callable[["Task", float], Sketch]  # the search, with the seconds that are left for it


@dataclass(frozen=True)
class FilledGap:
    """A `sorry` and what takes its place: a proof, a comment behind it, or nothing and why."""

    gap: SorryGap
    proof: str = ""
    comment: str = ""
    why: str = ""
    crashed: bool = False  # an internal error ended the search

    @property
    def text(self) -> str:
        if self.proof:
            return f"{self.proof} {SUGGESTED}"
        return f"sorry {self.comment}" if self.comment else "sorry"


@dataclass(frozen=True)
class FilledTheory:
    """A theory file as it was and as it may be: nothing is written before `write`."""

    path: Path
    before: str
    asked: int  # gaps that were to be filled; one who is interrupted has looked at fewer
    gaps: tuple[FilledGap, ...]

    @property
    def text(self) -> str:
        """The file with proofs and comments in their places."""
        text = self.before
        for each in sorted(self.gaps, key=lambda each: each.gap.start, reverse=True):
            text = text[: each.gap.start] + each.text + text[each.gap.end :]
        return text

    @property
    def proved(self) -> int:
        """How many gaps have a proof."""
        return sum(bool(gap.proof) for gap in self.gaps)

    def as_json(self) -> dict[str, object]:
        gaps = [
            {"line": each.gap.line, "proof": each.proof, "comment": each.comment, "why": each.why} for each in self.gaps
        ]
        return {"file": str(self.path), "asked": self.asked, "proved": self.proved, "gaps": gaps, "diff": str(self)}

    def __str__(self) -> str:
        return difference(self.path, self.before, self.text)

    def write(self) -> None:
        """Change the file, whole or not at all; refused where somebody has changed it meanwhile."""
        if self.text != self.before:
            changes = [(each.gap.start, each.gap.end, each.text) for each in self.gaps]
            replace_file(self.path, self.before, changes)


def filled_gaps(
    document: TheoryDocument,
    engine: Engine,
    sketched: Sketched,
    gaps: Sequence[SorryGap],
    seconds: float = READING_SECONDS,
) -> Iterator[FilledGap]:
    """One after the other, each with this many seconds for its own proof and the search; a state that is not read is
    told and left as it is."""
    for gap in gaps:
        yield _filled(document, engine, sketched, gap, seconds)


def _filled(document: TheoryDocument, engine: Engine, sketched: Sketched, gap: SorryGap, seconds: float) -> FilledGap:
    """One gap; an unexpected exception is reported of this gap alone."""
    allowed: float = READING_SECONDS
    try:
        with working_until(time.monotonic() + allowed):
            document.read_up_to(gap.start)
        allowed = seconds
        until = time.monotonic() + allowed
        with working_until(until):
            state = document.state_before(gap.start)
            task = with_facts_in_order(engine.read_state(state))
            left = until - time.monotonic()
        return filled_gap(gap, state, sketched(task, left))
    except UserError as error:
        return FilledGap(gap, why=str(error))
    except DeadlineError:
        return FilledGap(gap, why=f"what stands before it was not read within {allowed:g} seconds")
    except Exception as error:
        return FilledGap(gap, why=str(crash(error)), crashed=True)


def with_facts_in_order(task: Task) -> Task:
    """All facts where a proof names them by number."""
    example = task.example
    lines = tuple(dict.fromkeys((*example.f2, *example.f4)))
    return replace(task, example=replace(example, f2=lines, f4=()))


def filled_gap(gap: SorryGap, state: ProofState, sketch: Sketch) -> FilledGap:
    """What a search has found for a gap."""
    if sketch.contradiction is not None:  # in a proof by contradiction facts do contradict each other
        proof = _proof(state, sketch.task, sketch.contradiction)
        return FilledGap(gap, proof=proof) if proof is not None else FilledGap(gap, why=sketch.state)
    last = sketch.steps[-1]
    if sketch.closed and len(sketch.steps) == 1 and isinstance(last.gap, Proved):
        proof = _proof(state, sketch.task, last.gap)
        if proof is not None:
            return FilledGap(gap, proof=proof)
        return FilledGap(gap, comment=f"(* proved, but by facts without a name here: {last.gap} *)")
    chain = _chain(state, sketch) if sketch.closed and len(sketch.steps) > 1 else None
    if chain is not None:
        return FilledGap(gap, proof=chain)
    if len(sketch.steps) == 1:
        if sketch.crashed is not None:
            return FilledGap(gap, why=sketch.state, crashed=True)
        return FilledGap(gap, why="no step was found")
    shown = "; ".join(f'have "{step.text}" ({"proved" if step.proved else "open"})' for step in sketch.steps[:-1])
    goal = "proved" if last.proved else "open"
    return FilledGap(gap, comment=f"(* {sketch.state}: {normal(shown)}; then the goal ({goal}) *)")


def _proof(state: ProofState, task: Task, proved: Proved) -> str | None:
    """The method, where all that was used can be written at this place, or steps before it."""
    writer = _Writer(state, task)
    return writer.method(proved, state.goal, state.goals) or (writer.steps(proved) if proved.steps else None)


class _Writer:
    """Writes proofs with the names that facts have at a place."""

    def __init__(self, state: ProofState, task: Task) -> None:
        self.state, self.task = state, task
        self.own = {name: simp for name, _, simp in task.theory_context.own_facts}
        by_line: dict[str, OwnFact] = {}
        for fact in (*state.chained, *state.local):
            by_line.setdefault(_line(fact, task), fact)
        facts = [by_line[line] for line in task.example.f2]
        self.local = [(_written(fact, state), fact in state.chained) for fact in facts]

    def called(self, name: str) -> str | None:
        context = self.state.context
        if name in self.own:
            return None if "unnamed_" in name else _own_name(name, context)
        return _library_name(name, context)

    def method(self, proved: Proved, goal: Term, goals: int = 1) -> str | None:
        return suggested_method(proved, goal, self.local, self.own, self.called, goals)

    def step(self, proved: Proved, goal: Term, before: Sequence[str]) -> str | None:
        """The method for a step of a chain: nothing is chained to it, and of statements before it all are given where
        it used one."""
        count = len(self.local)
        given = [name for name in proved.facts if name.startswith("F.2(") and int(name[4:-1]) <= count]
        others = [name for name in proved.facts if not name.startswith("F.2(")]
        if len(given) + len(others) < len(proved.facts):
            given += [f"F.2({count + place})" for place in range(1, len(before) + 1)]
        local = [*((text, False) for text, _ in self.local), *((name, False) for name in before)]
        proof = replace(proved, facts=(*given, *others))
        return suggested_method(proof, goal, local, self.own, self.called)

    def steps(self, proved: Proved) -> str | None:
        """A proof by arithmetic with what it shows first."""
        state, names, lines = self.state, list[str](), ["proof -"]
        numbers = {name: text for name, text in ((f"F.2({n})", row[0]) for n, row in enumerate(self.local, 1)) if text}
        if state.goals != 1 or dest_trueprop(state.goal) is None or proved.opened is not None:
            return None
        texts: dict[Term, str] = {}
        for place, step in enumerate(proved.steps, 1):
            prop = with_fractions(trueprop(step.formula, typed=True))
            text = normal(
                write_typed(prop, self.task.theory_context.language, names=self.task.shown_names(), beside_others=True)
            )
            line = self.task.line(self.task.canonical(prop))
            if not set(step.premises) <= set(numbers) or not _reads_back(text, line, state, self.task):
                return None
            names.append(f"a{place}")
            texts[step.formula] = to_isabelle(text)
        lines += [f"  {line}" for line in shown_lines(proved.steps, "a", "", numbers, texts.__getitem__)]
        used = [name for name, step in zip(names, proved.steps, strict=True) if step.used]
        facts = proved.facts if proved.given is None else proved.given
        count = len(self.local)
        last = replace(proved, steps=(), facts=(*facts, *(f"F.2({count + 1})" for _ in used[:1])))
        method = self.step(last, state.goal, used)
        clash = {fact.name for fact in (*state.chained, *state.local)} & set(names)
        return None if method is None or clash else "\n".join([*lines, f"  show ?thesis {method}", "qed"])


def _chain(state: ProofState, sketch: Sketch) -> str | None:
    """All steps as an inner proof; None where something has no name or does not read back as what it is."""
    if state.goals != 1 or dest_trueprop(state.goal) is None:
        return None
    writer, names, lines = _Writer(state, sketch.task), list[str](), ["proof -"]
    taken = {fact.name for fact in (*state.chained, *state.local)}
    for place, step in enumerate(sketch.steps, 1):
        if not isinstance(step.gap, Proved) or step.gap.cases:
            return None
        method = writer.step(step.gap, step.term, names)
        text = normal(exact_text(sketch.task, step.tokens))
        if method is None or (place < len(sketch.steps) and not _reads_back(text, step.tokens, state, sketch.task)):
            return None
        names.append(next(name for name in (f"s{place}", f"step{place}", f"chain{place}") if name not in taken))
        said = "show ?thesis" if place == len(sketch.steps) else f'have {names[-1]}: "{to_isabelle(text)}"'
        lines.append(f"  {said} {method}")
    return "\n".join([*lines, "qed"])


def _reads_back(text: str, tokens: str, state: ProofState, task: Task) -> bool:
    try:
        found = read_formula(text, task.theory_context.language, state.fixed)
    except UserError:
        return False
    return task.line(task.canonical(found.term)) == tokens


def _own_name(name: str, context: OwnContext) -> str:
    """How a fact of the file is called: those of a class by their own names, inside it and outside."""
    parts = name.split(".", 2)
    if len(parts) == 3 and f"{parts[0]}.{parts[1]}" in context.signature.classes:
        return parts[2]
    return name.removeprefix(f"{context.theory}.")


def _library_name(name: str, context: OwnContext) -> str:
    """Inside a class its type has no sort: facts of the classes above it are other ones there, with short names."""
    above, _, base = name.partition(".")[2].partition("_class.")
    inside = context.target is not None and context.target.class_type is not None
    known = inside and any(each.rpartition(".")[2] == above for each in context.signature.classes)
    return base if known and base else context.theory_context.in_isabelle(name)


def _line(fact: OwnFact, task: Task) -> str:
    return task.line(task.canonical(fact.prop))


def _written(fact: OwnFact, state: ProofState) -> str:
    """By its name, else as it is said."""
    language = state.context.language
    if fact.name and "unnamed_" not in fact.name and not fact.name.startswith("assumption_"):
        if fact.name[0].isdecimal():  # of a case that has a number: Isabelle wants `"3.IH"(1)`
            base, bracket, index = fact.name.partition("(")
            return f'"{base}"{bracket}{index}'
        return _name_here(fact, state)
    if fact.prop in state.called:
        return state.called[fact.prop]
    said = _inside_locale(fact.prop, state)
    if said is None or any(node.name.endswith("__") for node in frees(said)):  # variables that nobody can name
        return ""
    try:
        return f"\\<open>{to_isabelle(normal(write_typed(said, language, beside_others=True)))}\\<close>"
    except UserError:
        return ""


def _name_here(fact: OwnFact, state: ProofState) -> str:
    """Inside a locale by the name that the fact has there: its full name is the one of the general fact outside."""
    target = state.context.target
    for key, facts in target.facts.items() if target is not None else ():
        for place, each in enumerate(facts, 1):
            if (each.name, each.prop) == (fact.name, fact.prop):
                return key if len(facts) == 1 else f"{key}({place})"
    return fact.name.removeprefix(f"{state.context.theory}.")


def _inside_locale(term: Term, state: ProofState) -> Term | None:
    """Constants of the locale under the names that they have inside it; None where a variable has such a name."""
    known = {made: name.removeprefix("local.") for name, made in state.context.language.local.items()}
    used = set()

    def change(node: Term) -> Term:
        name = known.get(erase(node)) if isinstance(node, App) else None
        if name is None:
            return node
        used.add(name)
        return Free(name, type_of_term(node))

    made = rebuilt(term, change)
    return None if used & state.fixed.keys() else made


def difference(path: Path, old: str, new: str) -> str:
    """As `diff -u` shows it."""
    lines = difflib.unified_diff(old.splitlines(True), new.splitlines(True), f"a/{path.name}", f"b/{path.name}")
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def refuse_unwritable(path: Path) -> None:
    """Raise UserError where `replace_file` would."""
    links = writable_target(path).stat().st_nlink if path.exists() else 1
    if links > 1:
        raise UserError(
            f"{path}: has {links} hard links, which a new file under one of its names would separate; "
            "leave --write away and apply the diff, or remove the other names"
        )


def replace_file(path: Path, old: str, changes: Sequence[tuple[int, int, str]]) -> None:
    """Replace pieces of a file, whole or not at all; refused where somebody has changed the file meanwhile.

    Args:
        path: The file; a symbolic link is followed.
        old: Its text as it was read, with a line feed at the end of each line.
        changes: Start and end of each piece in `old`, and what takes its place. Every line keeps its ending, and new
            lines have the ending of the line that they continue.
    """
    refuse_unwritable(path)
    now = path.read_bytes().decode("utf-8")
    if now.replace("\r\n", "\n") != old:
        raise UserError(f"{path}: it was changed meanwhile; run this again")
    write_whole(path, _changed(now, changes))


def _changed(now: str, changes: Sequence[tuple[int, int, str]]) -> str:
    """The text with its own line ends, whose changes are given by places in the one with line feeds alone."""
    ends = [found.start() - number for number, found in enumerate(re.finditer("\r\n", now))]
    pieces, done = list[str](), 0
    for start, end, text in sorted(changes):
        first, last = start + bisect_left(ends, start), end + bisect_left(ends, end)
        line_end = now.find("\n", last)
        if line_end < 0:
            line_end = now.rfind("\n", 0, last)
        windows = line_end > 0 and now[line_end - 1] == "\r"
        pieces += [now[done:first], text.replace("\n", "\r\n") if windows else text]
        done = last
    return "".join([*pieces, now[done:]])
