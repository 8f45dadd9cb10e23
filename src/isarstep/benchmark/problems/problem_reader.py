"""Reads a `Problem` in one context and makes it a `Task`. Every mistake is a `ProblemError` that says in which
proposition it is, and where."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from isarstep.benchmark.problems.task import Task
from isarstep.benchmark.store.example import Example
from isarstep.common.errors import UserError
from isarstep.isabelle.context.theory_contexts import TheoryContext
from isarstep.isabelle.inference.annotations import without_marks
from isarstep.isabelle.inference.infer import Context, TypingError, infer, infer_context
from isarstep.isabelle.inference.typed_lines import TypedLine, fixed_variables, line_of
from isarstep.isabelle.syntax.grammar.folding import canonical
from isarstep.isabelle.syntax.grammar.language import Language
from isarstep.isabelle.syntax.reading.misreadings import LikelyMisreading
from isarstep.isabelle.syntax.reading.named_statements import read_named
from isarstep.isabelle.syntax.reading.reader import Statement
from isarstep.isabelle.syntax.reading.translation import Spans
from isarstep.isabelle.syntax.reading.typed_writer import write_typed
from isarstep.isabelle.syntax.writing.names import Names
from isarstep.isabelle.syntax.writing.printing import ShownNames, to_unicode
from isarstep.isabelle.terms.normal_forms import TooLargeError, beta_eta_normal
from isarstep.isabelle.terms.normal_names import normalise, variable_order
from isarstep.isabelle.terms.read_error import ReadError
from isarstep.isabelle.terms.terms import Free, Term, TFree, Typ, constants, subterms
from isarstep.isabelle.terms.tokens import TokenError, decode, encode, encode_line
from isarstep.isabelle.terms.type_text import format_type, parse_type, show_type, type_variables
from isarstep.isabelle.theory.problems.coerced import coerced_statement
from isarstep.isabelle.theory.problems.constant_types import AS_VARIABLE, marked_with, with_one_type
from isarstep.isabelle.theory.problems.open_types import fixed_types, of_some_sort, read_given_type
from isarstep.isabelle.theory.problems.problem import ABOVE, ADDED, Form, Problem, ProblemError
from isarstep.isabelle.theory.problems.typing_errors import explain_clash, locate_clash
from isarstep.isabelle.theory.problems.unknown_names import question, unknown_names

MOST_TOKENS = 1_000  # of a problem; the model was trained on at most 800

_NUMBERED = re.compile(r"<X(0|[1-9][0-9]{0,8})>")


@dataclass(frozen=True)
class ReadProposition:
    """One proposition as it was read, or what is wrong with it."""

    statement: Statement | None
    error: ProblemError | None = None
    typed: Term | None = None  # in the types of the whole problem; None where it is not typed

    @property
    def term(self) -> Term | None:
        """The typed term where there is one."""
        return self.typed if self.typed is not None or self.statement is None else self.statement.term


@dataclass(frozen=True)
class Parsed:
    """All propositions of a problem, by field, and their joint typing as far as it goes."""

    readings: dict[str, ReadProposition] = field(hash=False)
    context: Context = field(hash=False)
    names: Names
    language: Language
    own: Context = field(default_factory=dict, hash=False)  # types of the asker's constants that could have had several

    def shown_context(self) -> Context:
        return {self.names.free(name): typ for name, typ in self.context.items()}

    def text(self, reading: ReadProposition) -> str:
        """As people write it, with types inside where nothing else determines them."""
        assert reading.statement is not None
        if reading.typed is not None and isinstance(line_of(reading.typed, self.language.signature), TypedLine):
            with suppress(UserError):
                return write_typed(reading.typed, self.language, names=ShownNames(self.names))
        return to_unicode(reading.statement.term, self.names)

    def types(self) -> dict[str, str]:
        return {name: show_type(typ) for name, typ in self.shown_context().items()}

    @property
    def error(self) -> ProblemError | None:
        return next((reading.error for reading in self.readings.values() if reading.error), None)


class ProblemReader:
    """Reads problems in one context."""

    def __init__(self, theory_context: TheoryContext, names: Names | None = None) -> None:
        self.theory_context = theory_context
        self.signature = theory_context.signature
        self.names = names or Names.of_signature(self.signature, language=theory_context.language)

    def parse(self, problem: Problem) -> Parsed:
        """Every proposition for itself, and the types of all together; mistakes are collected, not raised."""
        names = self.with_fixed(problem)
        context = given = self.given_types(problem)
        readings: dict[str, ReadProposition] = {}
        typed: list[Term] = []
        own: Context = {}
        size = 0
        stated = False
        for where, text in problem.lines():
            if not stated and where.split("[")[0] in ADDED:
                # What is added to a problem has its types, and may not narrow them.
                context, own = self.settled(problem, typed, given, context)
                stated, given, typed = True, context, []
            try:
                statement, spans = self.proposition(text, problem.form, names, where)
                term, marked = statement.term, statement.marked
                if problem.form == "notation":
                    self.refuse_unknown(marked, {*problem.fixed, *problem.types}, where, text)
                size += len(encode(term))
                if size > MOST_TOKENS:
                    raise ProblemError(
                        "tokens", f"all propositions together have more than {MOST_TOKENS} tokens", where
                    )
                if problem.form == "notation" or all(c.name in self.signature.constants for c in constants(term)):
                    # All together: one after the other, variables of the same unknown type would drift apart.
                    try:
                        context = self.typed(marked, given, where, text, spans, typed)
                    except ProblemError:
                        coerced = coerced_statement(statement, typed, self.signature, given)
                        if coerced is None or problem.form != "notation":
                            raise
                        statement, context = coerced
                    typed.append(statement.marked)
                refuse_growth(statement.term, where)
                readings[where] = ReadProposition(statement)
            except ProblemError as error:
                readings[where] = ReadProposition(None, error)
        if not stated:
            context, own = self.settled(problem, typed, given, context)
        parsed = Parsed(readings, fixed_types(context), names, self.theory_context.language, own)
        return parsed if problem.form == "tokens" else self.with_types(parsed)

    def with_types(self, parsed: Parsed) -> Parsed:
        """All propositions in the types of the problem: first those that state it, then what is added to them."""
        readings, fixed = dict(parsed.readings), set[TFree]()
        for added in (False, True):
            chosen = {
                where: marked_with(parsed.own, reading.statement.marked)
                for where, reading in parsed.readings.items()
                if reading.statement is not None and (where.split("[")[0] in ADDED) == added
            }
            try:
                typed = self.typed_together([*chosen.values()], parsed.context, fixed)
            except TypingError:  # some proposition has no type, and its reading says so
                continue
            fixed |= fixed_variables(typed)
            readings |= {where: replace(readings[where], typed=t) for where, t in zip(chosen, typed, strict=True)}
        return replace(parsed, readings=readings)

    def typed_together(self, marked: Sequence[Term], context: Context, fixed: Collection[TFree]) -> list[Term]:
        """Propositions in a context of fixed types and type variables, as they would be mined. Raises TypingError."""
        typing = infer(marked, self.signature, context, fixed=fixed)
        return [canonical(without_marks(term), self.theory_context.language) for term in typing.propositions]

    def settled(
        self, problem: Problem, typed: Sequence[Term], given: Context, context: Context
    ) -> tuple[Context, Context]:
        """The types of variables once the problem is stated, and those of the asker's constants that could have had
        several. Programs know the types of what they ask about, and say with tokens less than they know."""
        found = with_one_type(tuple(problem.constants), typed, self.signature, given)
        if problem.form == "tokens" or found is None:
            return fixed_types(context), {}
        own, types = found
        both = fixed_types({**types, **{AS_VARIABLE + name: typ for name, typ in own.items()}})
        return {name: both[name] for name in types}, {name: both[AS_VARIABLE + name] for name in own}

    def read(self, problem: Problem) -> Task:
        """The task, or the first mistake."""
        if problem.goal is None:
            raise ProblemError("invalid", "a goal is needed", "goal")
        parsed = self.parse(problem)
        if parsed.error is not None:
            raise parsed.error
        terms = {where: reading.term for where, reading in parsed.readings.items() if reading.term is not None}
        found = {node.name for term in terms.values() for node in subterms(term) if type(node) is Free}
        numbered = all(_NUMBERED.fullmatch(name) for name in found) and not problem.fixed
        order = () if numbered else tuple(variable_order(terms.values(), problem.fixed))
        places = {name: f"<X{place}>" for place, name in enumerate(order)}
        context = {places.get(name, name): typ for name, typ in parsed.context.items()}

        def of(name: str) -> tuple[str, ...]:
            chosen = [reading for where, reading in parsed.readings.items() if where.split("[")[0] == name]
            return tuple(dict.fromkeys(self.line(reading, order) for reading in chosen))

        example = Example(
            id="",
            f1="",
            f2=distinct(of("facts") + of("extra")),
            f3=of("goal")[0],
            f4=distinct(of("others") + of("extra")),
            f5=of("hints"),
            types={places.get(name, name): format_type(typ) for name, typ in parsed.context.items() if name in found},
            fixed=len(problem.fixed) if problem.fixed else -1,
        )
        known = {*problem.fixed, *found}
        above = {name: self.above(getattr(problem, name), problem.form, parsed.names, known, order) for name in ABOVE}
        example = replace(example, statement=above["statement"], earlier=above["earlier"])
        task = Task(example, context, order, showing(parsed.names, order), self.theory_context)
        task.note_names(terms.values())
        return task

    def line(self, reading: ReadProposition, order: tuple[str, ...]) -> str:
        """The line of a proposition that was read."""
        if reading.typed is not None:
            return line_of(normalise(reading.typed, order), self.signature)
        assert reading.term is not None
        return encode_line(normalise(reading.term, order))

    def above(
        self, texts: Sequence[str], form: Form, names: Names, known: Collection[str], order: tuple[str, ...]
    ) -> tuple[str, ...]:
        """What stands above the gap, normalised, as far as it can be read and speaks of the problem's variables alone:
        nobody is asked to put right what may be left away."""
        found = []
        for text in texts:
            with suppress(ProblemError):
                term = self.proposition(text, form, names, "")[0].term
                if all(node.name in known for node in subterms(term) if type(node) is Free):
                    found.append(encode_line(normalise(term, order)))
        return distinct(tuple(found))

    def of_example(self, example: Example, extra: Problem | None = None) -> Task:
        """A benchmark's example, with accepted steps on top."""
        context: Context = {name: parse_type(text) for name, text in example.types.items()}
        lines = [*example.f2, *([] if example.f3 is None else [example.f3]), *example.f4]
        more: list[Statement] = []
        if extra is not None:
            for place, text in enumerate(extra.extra):
                where = f"extra[{place}]"
                statement, spans = self.proposition(text, extra.form, self.names, where)
                if extra.form == "notation":
                    self.refuse_unknown(statement.marked, (), where, text)
                context = self.typed(statement.marked, context, where, text, spans)
                more.append(statement)
        with suppress(UserError):  # otherwise what is recorded must do
            context = infer_context([decode(line) for line in lines], self.signature, context)
        context = fixed_types(context)
        known = {v for typ in context.values() for v in type_variables(typ) if isinstance(v, TFree)}
        readings = [
            ReadProposition(each, None, self.typed_together([each.marked], context, known)[0])
            if extra is not None and extra.form == "notation"
            else ReadProposition(each)
            for each in more
        ]
        steps = tuple(self.line(each, ()) for each in readings)
        f2, f4 = distinct(example.f2 + steps), distinct(example.f4 + steps)
        types = {**{name: format_type(typ) for name, typ in context.items()}, **example.types}
        grown = replace(example, f2=f2, f4=f4, types=types)
        task = Task(grown, context, (), self.names, self.theory_context, has_reference=True)
        task.note_names(statement.term for statement in more)
        return task

    def answer(self, task: Task, text: str, form: Form, where: str = "answer") -> str:
        """A proposition about a task that exists, as normalised tokens. It must be typed in the task's context, which
        keeps what it says beyond them."""
        statement, spans = self.proposition(text, form, task.names, where)
        term = statement.term
        frees = {node.name for node in subterms(term) if type(node) is Free}
        strangers = [name for name in sorted(frees - set(task.order)) if not _NUMBERED.fullmatch(name)]
        if strangers:
            raise ProblemError("type", f"{strangers[0]!r} is neither a constant nor a variable of the problem", where)
        places = {f"<X{place}>": name for place, name in enumerate(task.order)}
        context = {places.get(name, name): typ for name, typ in task.context.items()}
        self.typed(statement.marked, context, where, text, spans)
        refuse_growth(term, where)
        task.note_names([term])
        if form == "tokens":
            return encode_line(normalise(term, task.order))
        return task.line(self.typed_together([statement.marked], context, task.type_variables())[0])

    def with_fixed(self, problem: Problem) -> Names:
        """Names under which the user's fixed variables hide constants; variables that have a type are fixed, too."""
        if len(set(problem.fixed)) != len(problem.fixed):
            raise ProblemError("invalid", "a variable is named twice", "fixed")
        typed = (name for name in problem.types if name not in problem.fixed and self.names.variable(name) is None)
        for name in (*problem.fixed, *problem.types) if problem.form == "notation" else ():
            if name in self.names.words:
                where = "fixed" if name in problem.fixed else f"types.{name}"
                raise ProblemError("invalid", f"{name} is a word of the notation and cannot name a variable", where)
        try:
            return showing(self.names, (*problem.fixed, *(typed if problem.form == "notation" else ())))
        except UserError as error:
            raise ProblemError("invalid", str(error), "fixed") from None

    def given_types(self, problem: Problem) -> Context:
        """The types that came with the problem.

        Tokens may speak of types, and of constants, that somebody else has defined, such as the theory of an Isabelle
        user: nothing is known about those here, and propositions that mention such constants are not typed.
        """
        given: dict[str, Typ] = {}
        names = self.with_fixed(problem)
        for name, text in problem.types.items():
            try:
                typ = of_some_sort(read_given_type(text, self.theory_context.language))
                given[self.raw_name(name, problem.form, names)] = typ
            except UserError as error:
                if problem.form == "notation":
                    raise ProblemError("type", str(error), f"types.{name}") from None
        return given

    def raw_name(self, name: str, form: Form, names: Names) -> str:
        """In notation a numbered variable is called as it is shown: x₀."""
        leaf = names.variable(name) if form == "notation" else None
        return leaf.name if type(leaf) is Free else name

    def proposition(self, text: str, form: Form, names: Names, where: str) -> tuple[Statement, Spans]:
        """The statement, and where its parts stand."""
        spans: Spans = []
        try:
            if form == "tokens":
                term = decode(text, strict=False)
                return Statement(term, term), spans
            return read_named(text, self.theory_context.language, names, spans=spans), spans
        except (ReadError, TokenError) as error:
            found = len(error.found) if error.found and form == "notation" else 1
            message = str(error).split(": ", 1)[1]
            mistake = ProblemError("syntax", message, where, error.position, error.position + found)
            if isinstance(error, LikelyMisreading) and re.match(r"\w+ +[\w(]", text[error.position :]):
                mistake.unknown = (error.found or "",)  # perhaps no slip, but a function of another theory
            raise mistake from None

    def refuse_unknown(self, marked: Term, fixed: Collection[str], where: str, text: str) -> None:
        """A name that is not known here is a question, never a variable, unless it was fixed or looks like one."""
        unknown = tuple(dict.fromkeys(unknown_names(marked, fixed)))
        if unknown:
            found = re.search(rf"(?<![\w.]){re.escape(unknown[0])}(?![\w.])", text)
            begin, end = found.span() if found else (0, len(text))
            error = ProblemError("syntax", question(unknown[0], self.theory_context), where, begin, end)
            error.unknown = unknown
            raise error

    def typed(
        self, term: Term, context: Context, where: str, text: str, spans: Spans, before: Sequence[Term] = ()
    ) -> Context:
        """The context with what this proposition adds to it, after others that were typed before."""
        try:
            return infer_context([*before, term], self.signature, context)
        except TypingError as error:
            begin, end = locate_clash(error, term, spans, len(text))
            raise ProblemError("type", explain_clash(error, self.names), where, begin, end) from None


def showing(names: Names, variables: tuple[str, ...]) -> Names:
    """Names that show these variables as they are, where the notation can write them."""
    return names.with_fitting({name: name for name in variables})


def distinct(lines: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(lines))


def refuse_growth(term: Term, where: str) -> None:
    """Raises ProblemError for a statement that becomes too large when its functions are applied, which a few words can
    do: `(λf x. f (f x)) (λf x. f (f x)) ... g x = y`. Nobody could compare it with others or hand it to provers."""
    try:
        beta_eta_normal(term)
    except TooLargeError as error:
        raise ProblemError("unsupported", str(error).partition(": ")[2], where) from None
