"""A theory file as a document: what it declares up to a place, and the state of the proof that stands there.

Other theory files of the folder that it imports are read first; everything else it imports is the library's. Whatever
is not read is noted with its place, and statements that mention it are refused.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path

from isarstep.common.cancellation import check_deadline
from isarstep.common.errors import UserError
from isarstep.isabelle.context.theory_contexts import PURE, TheoryContext, TheoryContexts
from isarstep.isabelle.syntax.grammar.symbols import to_isabelle
from isarstep.isabelle.theory.declarations.bare_constants import bare_constants, bare_type
from isarstep.isabelle.theory.declarations.datatypes import datatype
from isarstep.isabelle.theory.declarations.functions import give_equations, recursive_function, withhold_equations
from isarstep.isabelle.theory.declarations.inductive import inductive
from isarstep.isabelle.theory.declarations.records import record
from isarstep.isabelle.theory.declarations.syntax_rules import READERS as SYNTAX_READERS
from isarstep.isabelle.theory.declarations.typedefs import typedef
from isarstep.isabelle.theory.environment.cited import CitedNames
from isarstep.isabelle.theory.environment.declarations import READERS
from isarstep.isabelle.theory.environment.file_environment import OwnContext, TokenReader, declares_simp
from isarstep.isabelle.theory.environment.library_targets import find_target
from isarstep.isabelle.theory.environment.stated import ReadStatement, read_lemma
from isarstep.isabelle.theory.environment.unproved import is_finished, is_immediate, note_unproved, rests_on_sorry
from isarstep.isabelle.theory.locales.classes import declare_class, declare_instance
from isarstep.isabelle.theory.locales.locales import context_block, end_block, enter_notation, enter_target, locale
from isarstep.isabelle.theory.locales.sublocales import interpret_later, interpretation, sublocale
from isarstep.isabelle.theory.proofs.file_rules import note_rules
from isarstep.isabelle.theory.proofs.proof_block import ProofState, fact_of_lemma
from isarstep.isabelle.theory.proofs.proof_state import WITHOUT_STATEMENT, ProofWalk
from isarstep.isabelle.theory.text.source import (
    DIAGNOSTIC,
    HEADINGS,
    OPTIONAL,
    STATEMENTS,
    UNREAD_GOALS,
    OuterCommand,
    TheoryHeader,
    TheorySource,
    read_source,
    split_commands,
)
from isarstep.isabelle.theory.text.statements import NotRead
from isarstep.isabelle.theory.text.unread_symbols import IN_CODE, declared_names, made_beside, unread_symbols

_READERS = {
    **READERS,
    **SYNTAX_READERS,
    "datatype": datatype,
    "fun": recursive_function,
    "primrec": recursive_function,
    "function": recursive_function,
    "inductive": inductive,
    "inductive_set": inductive,
    "record": record,
}
_ENTERED = {"locale": locale, "context": context_block, "class": declare_class}  # perhaps up to an `end`
_PROVED = ("typedef", "sublocale", "interpretation", "global_interpretation")  # with a proof behind them
_OPENS = ("have", "show", "hence", "thus", "obtain", "consider", "interpret", "subgoal")
_ENDS = ("by", "qed", "done", "sorry", ".", "..", "\\<proof>")
_BLOCKS = ("instantiation", "overloading", "class", "bundle", "open_bundle", "experiment")
_SCOPED = ("private", "qualified")  # what they stand before has its short name up to the end of the block
KEEP_EACH = 128  # commands behind which a document in an editor keeps what it has read
MOST_KEPT = 24


@dataclass(frozen=True)
class SorryGap:
    """A `sorry` of the file: its characters and line."""

    start: int
    end: int
    line: int


@dataclass(frozen=True)
class ReadBefore:
    """What was read before a command of the file. Nobody changes it: who reads on has a copy."""

    at: int  # the number of the command
    context: OwnContext
    skipping: int


class TheoryDocument:
    """One theory file over the contexts of a benchmark. For many questions (`edited`) it keeps what it has read at some
    places, and takes from its earlier version all that stands before the first change."""

    def __init__(
        self,
        path: Path,
        theory_contexts: TheoryContexts,
        text: str | None = None,
        *,
        edited: bool = False,
        earlier: TheoryDocument | None = None,
    ) -> None:
        self.source = read_source(path) if text is None else TheorySource(text, path)
        self.header, self.commands = split_commands(self.source)
        self._files: list[tuple[TheorySource, TheoryHeader, list[OuterCommand]]] = []
        libraries = self._gather(self.source, self.header, (str(path),))
        try:
            self.theory_context: TheoryContext = theory_contexts.importing(dict.fromkeys(libraries))
        except UserError as error:
            raise UserError(f"{self.source.where(0)}: imports: {error}") from None
        self._kept: list[ReadBefore] | None = [] if edited else None
        # By the start of a statement: the number of the command behind its proof, and what is refused in the proof.
        self._refused: dict[int, tuple[int, tuple[str, ...]]] = {}
        self.changed = 0  # the first character that is not as in the earlier version
        if earlier is not None:
            self._take_from(earlier)

    def _take_from(self, earlier: TheoryDocument) -> None:
        self.changed = _first_difference(earlier.source.text, self.source.text)
        files = [source for source, _, _ in self._files] == [source for source, _, _ in earlier._files]
        if not files or (earlier.header, earlier.theory_context) != (self.header, self.theory_context):
            return
        self._kept = [kept for kept in earlier._kept or () if kept.at == 0 or self._stands(kept.at)]
        told = list(earlier._refused.items())  # somebody may be at work on it
        self._refused = {start: (end, refused) for start, (end, refused) in told if self._stands(end)}

    def _stands(self, at: int) -> bool:
        """Is everything before this command as in the earlier version, and the command's keyword, too?"""
        if at >= len(self.commands):
            return False
        return self.commands[at].start + len(self.commands[at].name) < self.changed

    def _gather(self, source: TheorySource, header: TheoryHeader, above: tuple[str, ...]) -> list[str]:
        """Imports that are the library's; files of the folder are put in order."""
        libraries: list[str] = []
        for name in header.imports:
            found = self._file(name, Path(source.path).parent)
            if found is None:
                short = name.rpartition("/")[2]
                if short != PURE:
                    libraries.append(short)
                continue
            if str(found) in above:
                raise UserError(f"{source.path}: imports: {found.name} imports itself")
            if any(other.path == str(found) for other, _, _ in self._files):
                continue
            known = found.stat()
            inner, its_header, its_commands = _file_of_folder(found, known.st_mtime_ns, known.st_size)
            libraries += self._gather(inner, its_header, (*above, str(found)))
            self._files.append((inner, its_header, its_commands))
        return libraries

    def _file(self, name: str, folder: Path) -> Path | None:
        if name.startswith(("~~", "$")):
            return None
        home = Path(self.source.path).parent
        places = [folder / f"{name}.thy", home / f"{name}.thy"]
        if "." in name and "/" not in name:  # session-qualified: ours where the folder has such a file
            places.append(home / f"{name.rpartition('.')[2]}.thy")
        return next((place for place in places if place.is_file()), None)

    # Reading

    def context_at(self, place: int) -> tuple[OwnContext, list[OuterCommand]]:
        """All that is declared before a place, and the commands of the proof in which it lies (none: it lies in no
        proof)."""
        reading, at = self._reading(place)
        proof = reading.until(self.commands, place, at, self._keep)
        return reading.context, proof

    def read_up_to(self, place: int) -> None:
        """Read the declarations before a place where the document keeps what it has read (`edited`), so that a state
        at this place costs only its own proof. Commands that were read stay read when the deadline passes."""
        if self._kept is not None:
            self.context_at(place)

    def _reading(self, place: int) -> tuple[_Reading, int]:
        """The reading that goes on nearest before a place, and the number of the command with which it does."""
        for kept in reversed(self._kept or ()):
            if kept.at == 0 or self.commands[kept.at].start <= place:
                return _Reading(kept.context.copy(self.source), kept.skipping), kept.at
        context = OwnContext(self.theory_context, self.header.name, self.source)
        for source, header, commands in self._files:
            context.source = source
            context.begin_theory(header.name)
            _Reading(context).until(commands, len(source.text) + 1)
            while context.target is not None:
                end_block(context)
        context.source = self.source
        context.begin_theory(self.header.name)
        return _Reading(context), 0

    def _keep(self, reading: _Reading, at: int, nearest: int = KEEP_EACH) -> None:
        """Keep what is read before a command, where nothing is kept of the commands shortly before it."""
        kept = self._kept
        if kept is None or any(at - nearest < each.at <= at for each in kept):
            return
        insort(kept, ReadBefore(at, reading.context.copy(self.source), reading.skipping), key=lambda each: each.at)
        if len(kept) > MOST_KEPT:
            gaps = [(later.at - each.at, place) for place, (each, later) in enumerate(pairwise(kept), 1)]
            del kept[min(gaps)[1]]

    @cached_property
    def _statements(self) -> list[tuple[int, int]]:
        """Commands outside of proofs: their numbers and those of the commands behind their proofs."""
        found, at = [], 0
        while at < len(self.commands):
            end = _proof_end(self.commands, at) if _has_proof(self.commands[at]) else at + 1
            found.append((at, end))
            at = end
        return found

    def stops(self) -> list[int]:
        """Places behind the first change at which reading may stop for a moment; the last one is the end."""
        starts = [command.start for command in self.commands[KEEP_EACH::KEEP_EACH]]
        return [*(start for start in starts if start > self.changed), len(self.source.text)]

    def refusals(self, place: int | None = None) -> list[str]:
        """Whatever is not read in the file, up to the statement at a place, each with its place."""
        last = len(self.source.text) if place is None else place
        rows = [row for row in self._statements if self.commands[row[0]].start <= last]
        new = [row for row in rows if self.commands[row[0]].start not in self._refused] or rows[-1:]
        reading, first = self._reading(self.commands[new[0][0]].start if new else 0)
        for at, end in rows:
            if at < first:
                continue
            check_deadline()
            self._keep(reading, at)
            command, proof = self.commands[at], self.commands[at + 1 : end]
            if command.start not in self._refused:
                self._refused[command.start] = (end, tuple(reading.refused_in(command, proof)))
            reading.read(command, proof)
        inside = [self._refused[self.commands[at].start][1] for at, _ in rows]
        return [*reading.context.notes, *(each for refused in inside for each in refused)]

    def state_at(self, line: int) -> ProofState:
        """The state at a line: that of the goal which is open behind its last command. Raises UserError."""
        end = self.source.line_end(line)
        commands = [command for command in self.commands if command.start < end]
        if not commands:
            raise UserError(f"{self.source.path}:{line}: no statement at this line or before it")
        return self.state_before(commands[-1].start, inclusive=True)

    def state_before(self, place: int, *, inclusive: bool = False) -> ProofState:
        """The state in which the command at a place begins; with `inclusive` behind it, unless it ends a proof."""
        context, proof = self.context_at(place)
        where = self.source.where(place)
        if not proof:
            raise UserError(f"{where}: no statement (lemma, have, show, ...) is open here")
        enter_target(context, context.reader(proof[0]))
        enter_notation(context, proof[0])
        walk = ProofWalk(context, proof[0])
        for command in proof[1:]:
            at = command.start >= place
            if command.start > place or (at and not (inclusive and command.name not in (*_ENDS, "oops"))):
                break
            walk.step(command)
        if not walk.goals:
            raise UserError(f"{where}: no statement (lemma, have, show, ...) is open here")
        files = [commands for _, _, commands in self._files]
        return replace(walk.state(), cited=CitedNames.above(place, proof[0].start, self.commands, files))

    def gaps(self) -> list[SorryGap]:
        """Every `sorry` of the file."""
        found = [command for command in self.commands if command.name == "sorry"]
        return [SorryGap(each.start, each.start + len("sorry"), self.source.line(each.start)) for each in found]


class _Reading:
    """One walk over the commands of a file."""

    def __init__(self, context: OwnContext, skipping: int = 0) -> None:
        self.context = context
        self.skipping = skipping  # blocks that are not read, inside which nothing is

    def until(
        self,
        commands: Sequence[OuterCommand],
        place: int,
        at: int = 0,
        keep: Callable[[_Reading, int, int], None] = lambda *_: None,
    ) -> list[OuterCommand]:
        """Read what stands before the place, from a command on; the commands of the proof in which it lies."""
        while at < len(commands) and commands[at].start <= place:
            check_deadline()
            command = commands[at]
            end = at + 1
            keep(self, at, KEEP_EACH)
            if _has_proof(command):
                end = _proof_end(commands, at)
                inside = end == len(commands) or commands[end].start > place
                if inside and command.name in (*STATEMENTS, "notepad", *WITHOUT_STATEMENT):
                    if self.skipping:
                        where = self.context.source.where(command.start)
                        raise UserError(f"{where}: this statement stands in a block that is not read")
                    keep(self, at, 1)
                    return list(commands[at:end])
            if command.start == place and not _has_proof(command):
                break
            self.read(command, commands[at + 1 : end])
            if at and commands[at - 1].name in _SCOPED:
                self._scoped(command)
            at = end
        return []

    def read(self, command: OuterCommand, proof: Sequence[OuterCommand]) -> None:
        context, name = self.context, command.name
        if name == "named_theorems":
            context.named.update(token.text for token in command.tokens)
        if name in HEADINGS or name in DIAGNOSTIC or name in _SCOPED:
            return
        note_unproved(context, command, proof)
        if any(token.keyword("fundef_cong") for token in command.tokens):
            context.own_congruences = True
        for made in map(to_isabelle, made_beside(command)):
            context.unread.names[made] = f"`{name}` at {context.source.where(command.start)}"
        if self.skipping:
            self._skip(command)
        else:
            self._take(command, proof)

    def _take(self, command: OuterCommand, proof: Sequence[OuterCommand]) -> None:
        context, name = self.context, command.name
        try:
            if name == "end":
                if self.context.instantiating:
                    self.context.instantiating = False
                    if not self.context.instance_shown:
                        self.context.doubt_instances(self.context.before_instances)
                elif context.target is not None:
                    end_block(context)
            elif name in STATEMENTS:
                self._lemma(command, proof)
            elif name == "termination":
                self._termination(command, proof)
            elif name in _ENTERED:
                _ENTERED[name](context, context.reader(command))
            elif name in ("instantiation", "instance"):
                self._instance(command, proof)
            elif self.context.instantiating and name in ("definition", "fun", "primrec", "function", "lift_definition"):
                self._operation(command)
            elif name in _READERS:
                self._declaration(command, proof)
            elif name in _PROVED and not any(each.name == "oops" for each in proof):
                self._with_proof(command, proof)
            elif name != "notepad":
                self._unread(command, "is not read")
                self._bare(command)
            interpret_later(context, command.start)
        except UserError as error:
            if name in ("locale", "context"):
                self.skipping = 1 if any(token.keyword("begin") for token in command.tokens) else 0
            self._unread(command, str(error))
            self._bare(command)

    def refused_in(self, command: OuterCommand, proof: Sequence[OuterCommand]) -> list[str]:
        """What is not read in the proof of a statement that is."""
        if self.skipping or command.name not in STATEMENTS:
            return []
        try:
            with self.context.returning():
                enter_target(self.context, self.context.reader(command))
                enter_notation(self.context, command)
                walk = ProofWalk(self.context, command)
                for each in proof:
                    if not walk.step(each):
                        break
        except UserError:
            return []  # of the statement itself: reading it says so
        return walk.refused

    def _declaration(self, command: OuterCommand, proof: Sequence[OuterCommand]) -> None:
        if any(each.name == "oops" for each in proof):
            return
        with self.context.returning():
            _READERS[command.name](self.context, self._inside(command))
            if command.name == "function" and rests_on_sorry(self.context, command, proof):
                self.context.note(command.start, "its equations are left out: that they fit together is not proved")
                withhold_equations(self.context)

    def _with_proof(self, command: OuterCommand, proof: Sequence[OuterCommand]) -> None:
        context = self.context
        unproved = rests_on_sorry(context, command, proof)
        if command.name == "typedef":
            typedef(context, context.reader(command), unproved=unproved)
        else:
            read = sublocale if command.name == "sublocale" else interpretation
            read(context, context.reader(command), unproved=unproved, immediate=is_immediate(proof))

    def _inside(self, command: OuterCommand) -> TokenReader:
        """The command behind `(in locale)`, which is entered."""
        reader = self.context.reader(command)
        enter_target(self.context, reader)
        return reader

    def _instance(self, command: OuterCommand, proof: Sequence[OuterCommand]) -> None:
        """What is proved of the operations is not needed here, but for whether it is proved."""
        context = self.context
        if context.target is not None and command.name == "instantiation":
            raise NotRead(context.source, command.start, "an instantiation inside a context is not read")
        if any(each.name == "oops" for each in proof):
            return
        if not context.instantiating:
            context.before_instances = dict(context.arities)
        declare_instance(context, context.reader(command))
        context.instantiating = command.name == "instantiation" or context.instantiating
        if command.name == "instantiation":
            context.instance_shown = False
            return
        context.instance_shown = True
        if is_immediate(proof):  # by no rule of the file
            unproved = any(map(context.assumes_something, context.instances_since(context.before_instances)))
        else:
            unproved = not is_finished(proof) or rests_on_sorry(context, command, proof)
        if unproved:
            context.doubt_instances(context.before_instances)

    def _operation(self, command: OuterCommand) -> None:
        """What an operation of a class is at a type: no fact is made of it, and its name is that of nothing else."""
        context = self.context
        where = context.source.where(command.start)
        context.note(command.start, "what this operation is at the type is not read")
        for token in command.tokens:
            if token.keyword("where", "is") or token.quoted:
                return
            if token.kind == "name":
                context.unread.names[to_isabelle(token.text)] = f"an instantiation at {where}"
            if token.keyword("::", ":"):
                return

    def _scoped(self, command: OuterCommand) -> None:
        target = self.context.target
        if target is not None:
            names = declared_names(command, lambda name: self.context.language.types.resolve(name) is not None)
            target.scoped = (*target.scoped, *names)

    def _bare(self, command: OuterCommand) -> None:
        """Constants of which only the type is known."""
        with suppress(UserError), self.context.returning():
            reader = self._inside(command)
            if command.name in ("typedef", "quotient_type"):
                bare_type(self.context, reader)
            bare_constants(self.context, reader)

    def _lemma(self, command: OuterCommand, proof: Sequence[OuterCommand]) -> None:
        context = self.context
        if any(each.name == "oops" for each in proof):
            return
        unproved = rests_on_sorry(context, command, proof)
        with context.returning():
            enter_target(context, context.reader(command))
            with context.returning():
                enter_notation(context, command)
                statement = read_lemma(context.reader(command), context.scope())
            # A variable that nobody fixed and that does not look like one may be declared in ML.
            if context.unsure and any(len(name.rstrip("0123456789'")) > 2 for name in statement.new):
                raise NotRead(context.source, command.start, f"{context.unsure} may have declared what it mentions")
            self._add(statement, unproved)

    def _add(self, statement: ReadStatement, unproved: bool) -> None:
        context = self.context
        try:
            props = fact_of_lemma(statement)
        except ValueError:
            raise NotRead(context.source, statement.place, "what it says is no formula") from None
        simp = declares_simp(statement.attributes)
        name = statement.label
        note_rules(context, statement, unproved=unproved)
        if name or not any(row.label for row in statement.shows):
            context.add_facts(name or f"unnamed_{statement.place}", props, simp=simp, unproved=unproved)
        for row in statement.shows:
            if row.label:
                own = [prop for prop, goal in zip(props, statement.goals, strict=False) if goal in row.terms]
                context.add_facts(row.label, own, simp=declares_simp(row.attributes), unproved=unproved)

    def _termination(self, command: OuterCommand, proof: Sequence[OuterCommand]) -> None:
        context = self.context
        with context.returning():
            reader = self._inside(command)
            names = [token.text for token in reader.tokens[reader.at :] if token.kind == "name"]
            name = names[0] if names else next(reversed(context.waiting), "").rpartition(".")[2]
            if context.full_name(name) not in context.waiting:
                raise NotRead(context.source, command.start, "no function waits for its termination")
            if rests_on_sorry(context, command, proof) or any(each.name == "oops" for each in proof):
                context.note(command.start, f"the equations of {name} are left out: its termination is not proved")
            else:
                give_equations(context, name)

    def _skip(self, command: OuterCommand) -> None:
        """Inside a block that is not read: everything that is declared there is not read either."""
        if command.name in _BLOCKS or (command.name in ("context", "locale", "notepad") and _begins(command)):
            self.skipping += 1
        elif command.name == "end":
            self.skipping -= 1
        else:
            self._mark(command, "a block that is not read")

    def _unread(self, command: OuterCommand, why: str) -> None:
        context = self.context
        where = context.source.where(command.start)
        shown = why if why.startswith(context.source.path) else f"{where}: `{command.name}` {why}"
        context.notes.append(shown)
        if command.name in _BLOCKS and _begins(command):
            self.skipping += 1
        if command.name in IN_CODE or command.name in OPTIONAL:
            context.unsure = context.unsure or f"`{command.name}` at {where}"
        self._mark(command, f"`{command.name}` at {where}")
        if command.name in ("interpretation", "sublocale", "global_interpretation"):
            self._interpreted(command, f"`{command.name}` at {where}")

    def _interpreted(self, command: OuterCommand, why: str) -> None:
        """Constants that an interpretation without a prefix may bring, by names that would look like variables."""
        context = self.context
        for token, following in pairwise((*command.tokens, command.tokens[-1])):
            if token.kind != "name" or following.keyword(":"):
                continue
            try:
                target = find_target(context, token.text, token.start)
            except UserError:
                continue
            context.lose(target, why)

    def _mark(self, command: OuterCommand, why: str) -> None:
        """Names that a command may declare, and the symbols of its notation."""
        unread = self.context.unread
        if command.name in (*STATEMENTS, "lemmas", "termination", "declare"):
            return
        for name in declared_names(command, lambda name: self.context.language.types.resolve(name) is not None):
            unread.names[to_isabelle(name)] = why
        for word in list(unread_symbols(command, unread.symbols)):
            unread.symbols[word] = why


@lru_cache(maxsize=64)
def _file_of_folder(path: Path, changed: int, size: int) -> tuple[TheorySource, TheoryHeader, list[OuterCommand]]:
    """A file that others import; it is read again when it is another one."""
    source = read_source(path)
    return source, *split_commands(source)


def _first_difference(old: str, new: str) -> int:
    """How many characters two texts begin with that are the same."""
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _begins(command: OuterCommand) -> bool:
    return any(token.keyword("begin") for token in command.tokens)


def _has_proof(command: OuterCommand) -> bool:
    return command.name in (*STATEMENTS, *UNREAD_GOALS, "function", "termination", "notepad")


def _proof_end(commands: Sequence[OuterCommand], at: int) -> int:
    """The command behind a proof."""
    if commands[at].name == "notepad":
        end = next((i for i in range(at, len(commands)) if commands[i].name == "end"), len(commands) - 1)
        return end + 1
    goals, place = 1, at + 1
    while place < len(commands):
        name = commands[place].name
        if name == "oops":
            return place + 1
        if name in (*STATEMENTS, "definition", "end", "datatype", "fun", "section") and goals >= 1:
            return place  # the proof is not finished
        goals += (name in _OPENS) - (name in _ENDS)
        place += 1
        if goals == 0:
            return place
    return place
