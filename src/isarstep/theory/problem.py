"""What somebody asks: facts, a goal and what else is known, in notation or tokens, under their own names.

`Reader.read` turns a `Problem` into a `Task`: the normalised example that models and provers understand, and the way
back to the user's names. Every mistake is a `ProblemError` that says in which proposition it is, and where.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from isarstep.bench.example import Example
from isarstep.bench.worlds import World
from isarstep.errors import UserError
from isarstep.logic.exactly import write_exactly
from isarstep.logic.infer import Context, TypingError, infer_context
from isarstep.logic.names import Names
from isarstep.logic.normalise import normalise, restore, variable_order
from isarstep.logic.printing import ShownNames, to_unicode
from isarstep.logic.reader import Statement
from isarstep.logic.readerror import ReadError
from isarstep.logic.reading import Spans, read_marked
from isarstep.logic.said import bound_names, typed_as_said, with_bound_names, without_marks
from isarstep.logic.signature import Constant, Signature
from isarstep.logic.terms import Free, Term, TFree, TVar, Typ, Type, constants, subterms
from isarstep.logic.tokens import TokenError, decode, encode, encode_line
from isarstep.logic.typestrings import format_type, parse_type, show_type
from isarstep.theory.own_types import AS_VARIABLE, marked_with, with_one_type
from isarstep.theory.typetext import type_of_text

Form = Literal["notation", "tokens"]
FIELDS = ("facts", "goal", "others", "extra", "hints")  # in the order in which variables are numbered
ADDED = ("extra", "hints")  # to the problem itself
ABOVE = ("statement", "earlier")  # read beside it by models with the input +context

MOST_TOKENS = 1_000  # of a problem; the model was trained on at most 800

_NUMBERED = re.compile(r"<X(0|[1-9][0-9]{0,8})>")


class ProblemError(UserError):
    """A mistake in one proposition. Positions count characters from 0, or tokens where tokens were given."""

    def __init__(
        self, code: str, message: str, field: str | None = None, position: int | None = None, end: int | None = None
    ) -> None:
        super().__init__(f"{field}: {message}" if field else message)
        self.code = code
        self.message = message
        self.field = field
        self.position = position
        self.end = end


@dataclass(frozen=True)
class Problem:
    """`extra` are steps accepted before: facts to derive the next one from, and to use for the goal. `statement` and
    `earlier`, the nearest first, are the theorem's and the facts above the gap, for models that read them."""

    goal: str | None = None
    facts: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    form: Form = "notation"
    fixed: tuple[str, ...] = ()
    types: Mapping[str, str] = field(default_factory=dict)
    imports: tuple[str, ...] = ()  # the theories in which it stands; none: `theory/standing.py` finds one
    constants: Mapping[str, str] = field(default_factory=dict)  # of the asker's own, with their types
    own: Signature | None = None  # what the asker's theory declares, where it is known as a whole
    statement: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()

    def lines(self) -> Iterator[tuple[str, str]]:
        """(field such as `facts[0]`, text) of every proposition."""
        for name in FIELDS:
            value = getattr(self, name)
            if name == "goal":
                if value is not None:
                    yield name, value
            else:
                for place, text in enumerate(value):
                    yield f"{name}[{place}]", text

    def with_nothing_at(self, where: str) -> Problem:
        """That line says only what is true, and the others stay where they are."""
        nothing = "True" if self.form == "notation" else "CONST HOL.Trueprop $ CONST HOL.True"
        name = where.split("[")[0]
        if name == "goal":
            return replace(self, goal=nothing)
        lines = [nothing if f"{name}[{place}]" == where else text for place, text in enumerate(getattr(self, name))]
        changed: dict[str, Any] = {name: tuple(lines)}
        return replace(self, **changed)


@dataclass(frozen=True)
class Task:
    """A problem that has been read. `example` is in normal form; its F.1 is the reference where there is one."""

    example: Example
    context: Context  # types of the variables; what the problem leaves open is a fixed type variable
    order: tuple[str, ...]  # the user's names by number; empty: variables were numbered already
    names: Names  # shows the user's names
    world: World
    has_reference: bool = False
    bound: dict[Term, str] = field(default_factory=dict)  # how the asker calls the variables of functions
    said: dict[str, Term] = field(default_factory=dict)  # statements whose text names types that tokens do not have

    @property
    def scored(self) -> bool:
        """An example of the benchmark: it stands at its own place, and may use only what comes before it."""
        return bool(self.example.theory)

    def term(self, tokens: str) -> Term:
        """A normalised proposition, under the user's names."""
        said = self.said.get(tokens)
        named = with_bound_names(decode(tokens), self.bound) if said is None else without_marks(said)
        return restore(named, self.order)

    def typed(self, tokens: str) -> Term:
        """A normalised proposition with the types that it has in this task. Raises TypingError."""
        term = self.said.get(tokens) or with_bound_names(decode(tokens), self.bound)
        return typed_as_said(term, self.world.signature, self.context)

    def note(self, statement: Statement, where: str) -> None:
        """Keep what was said in a statement beyond its tokens."""
        term = normalise(statement.term, self.order)
        for function, name in bound_names([term]).items():
            self.bound.setdefault(function, name)
        pins = term if statement.pinned is None else normalise(statement.pinned, self.order)
        if self.said.setdefault(encode_line(term), pins) != pins:
            message = "another statement differs from this one only in types inside, which cannot be told apart here"
            raise ProblemError("type", message, where)

    def normal(self, term: Term) -> str:
        """The tokens of a proposition under the user's names, normalised."""
        return encode_line(normalise(term, self.order))

    def text(self, tokens: str) -> str:
        """As people write it, with types inside where the asker said them and nothing else does."""
        term = self.term(tokens)
        if self.world.language is not None and (pins := self.said.get(tokens)) is not None and pins != decode(tokens):
            with suppress(UserError):
                return write_exactly(self.typed(tokens), self.world.language, names=self.shown_names())
        return to_unicode(term, self.names)

    def shown_names(self) -> Mapping[str, str]:
        """How the variables of normalised propositions are called."""
        names = ShownNames(self.names)
        return {f"<X{place}>": name for place, name in enumerate(self.order)} if self.order else names

    def types(self) -> dict[str, str]:
        """The types of the variables, for people."""
        return {name: show_type(typ) for name, typ in self.shown_context().items()}

    def shown_context(self) -> Context:
        """The types under the names that people see."""
        places = {f"<X{place}>": name for place, name in enumerate(self.order)}
        return {self.names.free(places.get(name, name)): typ for name, typ in self.context.items()}

    def general(self) -> list[General]:
        return open_types(self.shown_context(), self.world.signature)


def own_signature(problem: Problem, signature: Signature) -> Signature | None:
    """What the asker declares beside all that is known; None: nothing. Programs, which write tokens, may tell all
    constants that they mention, and types that nobody here knows."""
    if not problem.constants:
        return problem.own
    constants = []
    for name, text in problem.constants.items():
        if name in signature.constants:
            if problem.form == "tokens":
                continue
            raise ProblemError("invalid", "there is a constant of this name; take another", f"constants.{name}")
        try:
            typ = parse_type(text) if problem.form == "tokens" else type_of_text(text, signature)
        except UserError as error:
            raise ProblemError("type", str(error), f"constants.{name}") from None
        constants.append(Constant(name, any_type(of_some_sort(typ))))
    types = Signature.build(constants).types
    # Whatever its constructor, a type of HOL is of its one class.
    of_hol = (
        (name, "HOL.type", [("HOL.type",)] * count) for name, count in types.items() if name not in signature.types
    )
    return Signature.build(constants, arities=of_hol)


def any_type(typ: Typ) -> Typ:
    """Of a constant for all types: variables in its type stand for any."""
    if isinstance(typ, Type):
        return Type(typ.name, tuple(map(any_type, typ.args)))
    return TVar(typ.name, 0, typ.sort) if isinstance(typ, TFree) else typ


USUAL_TYPES = {"nat": Type("Nat.nat"), "int": Type("Int.int"), "real": Type("Real.real")}


@dataclass(frozen=True)
class General:
    """Variables of one open type, and the usual types that it may have been meant to be."""

    variables: tuple[str, ...]
    type: TFree
    readings: tuple[str, ...]

    def __str__(self) -> str:
        shown, first = show_type(self.type), self.variables[0]
        classes = ", ".join(name.rpartition(".")[2] for name in self.type.sort)
        offers = " or ".join(f"'{first} :: {typ}'" for typ in self.readings)
        return f"{', '.join(self.variables)} :: {shown} of any type with {classes}; if numbers are meant, say {offers}"


def open_types(types: Context, signature: Signature) -> list[General]:
    """Types that a problem leaves open though not everything has them: what is proved of one is proved of all that
    belong to its classes, and the asker may have meant numbers."""
    variables: dict[TFree, list[str]] = {}
    for name, typ in types.items():
        if isinstance(typ, TFree) and set(typ.sort) - {"HOL.type"}:
            variables.setdefault(typ, []).append(name)
    found = []
    for typ, names in variables.items():
        readings = tuple(text for text, usual in USUAL_TYPES.items() if signature.of_sort(usual, typ.sort))
        if readings:
            found.append(General(tuple(names), typ, readings))
    return found


def of_some_sort(typ: Typ) -> Typ:
    """Whoever writes 'a means a type of HOL."""
    if isinstance(typ, Type):
        return Type(typ.name, tuple(map(of_some_sort, typ.args)))
    if typ.sort:
        return typ
    anything = ("HOL.type",)
    return TFree(typ.name, anything) if isinstance(typ, TFree) else TVar(typ.name, typ.index, anything)


def fixed_types(context: Context) -> Context:
    """With type variables that are not yet known fixed: from now on they stand for any type, but always the same."""

    def fixed(typ: Typ) -> Typ:
        if isinstance(typ, Type):
            return Type(typ.name, tuple(map(fixed, typ.args)))
        return TFree(typ.name, typ.sort) if isinstance(typ, TVar) else typ

    return {name: fixed(typ) for name, typ in context.items()}


@dataclass(frozen=True)
class ReadProposition:
    """One proposition as it was read, or what is wrong with it."""

    statement: Statement | None
    error: ProblemError | None = None

    @property
    def term(self) -> Term | None:
        return None if self.statement is None else self.statement.term


@dataclass(frozen=True)
class Parsed:
    """All propositions of a problem, by field, and their joint typing as far as it goes."""

    readings: dict[str, ReadProposition]
    context: Context
    names: Names
    own: Context = field(default_factory=dict)  # types of the asker's constants that could have had several

    def shown_context(self) -> Context:
        return {self.names.free(name): typ for name, typ in self.context.items()}

    def text(self, statement: Statement) -> str:
        """As people write it, with types inside where it says them and nothing else does."""
        language = self.names.language
        if statement.pinned is not None and language is not None:
            with suppress(UserError):
                typed = typed_as_said(statement.pinned, language.signature, self.context)
                return write_exactly(typed, language, names=ShownNames(self.names))
        return to_unicode(statement.term, self.names)

    def types(self) -> dict[str, str]:
        return {name: show_type(typ) for name, typ in self.shown_context().items()}

    @property
    def error(self) -> ProblemError | None:
        return next((reading.error for reading in self.readings.values() if reading.error), None)


class ProblemReader:
    """Reads problems in one world."""

    def __init__(self, world: World, names: Names | None = None) -> None:
        self.world = world
        self.signature = world.signature
        self.names = names or Names.of_signature(self.signature, language=world.language)

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
                size += len(encode(term))
                if size > MOST_TOKENS:
                    raise ProblemError(
                        "tokens", f"all propositions together have more than {MOST_TOKENS} tokens", where
                    )
                if problem.form == "notation" or all(c.name in self.signature.constants for c in constants(term)):
                    # All together: one after the other, variables of the same unknown type would drift apart.
                    context = self.typed(marked, given, where, text, spans, typed)
                    typed.append(marked)
                readings[where] = ReadProposition(statement)
            except ProblemError as error:
                readings[where] = ReadProposition(None, error)
        if not stated:
            context, own = self.settled(problem, typed, given, context)
        return Parsed(readings, fixed_types(context), names, own)

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
            chosen = [term for where, term in terms.items() if where.split("[")[0] == name]
            return tuple(dict.fromkeys(encode_line(normalise(term, order)) for term in chosen))

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
        task = Task(example, context, order, showing(parsed.names, order), self.world)
        for where, reading in parsed.readings.items():
            if reading.statement is not None:
                task.note(with_marks(reading.statement, parsed.own), where)
        return task

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
                context = self.typed(statement.marked, context, where, text, spans)
                more.append(statement)
        with suppress(UserError):  # otherwise what is recorded must do
            context = infer_context([decode(line) for line in lines], self.signature, context)
        context = fixed_types(context)
        steps = tuple(encode_line(normalise(statement.term, ())) for statement in more)
        f2, f4 = distinct(example.f2 + steps), distinct(example.f4 + steps)
        types = {**{name: format_type(typ) for name, typ in context.items()}, **example.types}
        grown = replace(example, f2=f2, f4=f4, types=types)
        task = Task(grown, context, (), self.names, self.world, has_reference=True)
        for place, statement in enumerate(more):
            task.note(statement, f"extra[{place}]")
        return task

    def answer(self, task: Task, text: str, form: Form, where: str = "answer") -> str:
        """A proposition about a task that exists, as normalised tokens. It must be typed in the task's context, which
        keeps what it says beyond them."""
        statement, spans = self.proposition(text, form, task.names, where)
        term = statement.term
        frees = {node.name for node in subterms(term) if type(node) is Free}
        unknown = sorted(frees - set(task.order)) if task.order else []
        strangers = [name for name in unknown if not _NUMBERED.fullmatch(name)]
        if not task.order:
            strangers = sorted(name for name in frees if not _NUMBERED.fullmatch(name))
        if strangers:
            raise ProblemError("type", f"{strangers[0]!r} is neither a constant nor a variable of the problem", where)
        places = {f"<X{place}>": name for place, name in enumerate(task.order)}
        context = {places.get(name, name): typ for name, typ in task.context.items()}
        self.typed(statement.marked, context, where, text, spans)
        task.note(statement, where)
        return task.normal(term)

    def with_fixed(self, problem: Problem) -> Names:
        """Names under which the user's fixed variables hide constants; variables that have a type are fixed, too."""
        if len(set(problem.fixed)) != len(problem.fixed):
            raise ProblemError("invalid", "a variable is named twice", "fixed")
        typed = (name for name in problem.types if name not in problem.fixed and type(self.names.read(name, 0)) is Free)
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
                given[self.raw_name(name, problem.form, names)] = of_some_sort(type_of_text(text, self.signature))
            except UserError as error:
                if problem.form == "notation":
                    raise ProblemError("type", str(error), f"types.{name}") from None
        return given

    def raw_name(self, name: str, form: Form, names: Names) -> str:
        """In notation a numbered variable is called as it is shown: x₀."""
        leaf = names.read(name, 0) if form == "notation" else None
        return leaf.name if type(leaf) is Free else name

    def proposition(self, text: str, form: Form, names: Names, where: str) -> tuple[Statement, Spans]:
        """The statement, and where its parts stand."""
        spans: Spans = []
        try:
            if form == "tokens":
                term = decode(text, strict=False)
                return Statement(term, term), spans
            return read_marked(text, names, spans=spans), spans
        except (ReadError, TokenError) as error:
            found = len(error.found) if error.found and form == "notation" else 1
            message = str(error).split(": ", 1)[1]
            raise ProblemError("syntax", message, where, error.position, error.position + found) from None

    def typed(
        self, term: Term, context: Context, where: str, text: str, spans: Spans, before: Sequence[Term] = ()
    ) -> Context:
        """The context with what this proposition adds to it, after others that were typed before."""
        try:
            return infer_context([*before, term], self.signature, context)
        except TypingError as error:
            begin, end = locate(error, term, spans, len(text))
            raise ProblemError("type", self.explain(error), where, begin, end) from None

    def explain(self, error: TypingError) -> str:
        """The clash in notation, not in tokens."""
        if error.application is None or error.found is None:
            return str(error)
        argument, function = (
            to_unicode(without_marks(part), self.names, prop=False)
            for part in (error.application.arg, error.application.fun)
        )
        if error.wanted is None:
            return f"{shorten(function)} is no function, but is applied to {shorten(argument)}"
        why = str(error).rpartition("; ")[2] if "; " in str(error) else ""
        clash = f"{shorten(argument)} has type {show_type(error.found)}, expected is {show_type(error.wanted)}"
        return clash + (f" ({why})" if why else "")


def showing(names: Names, variables: tuple[str, ...]) -> Names:
    """Names that show these variables as they are, where the notation can write them."""
    fitting: dict[str, str] = {}
    for name in variables:
        try:
            names.with_variables({name: name})
        except UserError:
            continue
        fitting[name] = name
    return names.with_variables(fitting) if fitting else names


def with_marks(statement: Statement, own: Context) -> Statement:
    """The statement with marks on the constants of the asker's own that have one type in the problem."""
    if not any(constant.name in own for constant in constants(statement.term)):
        return statement
    return replace(statement, pinned=marked_with(own, statement.pinned or statement.term))


def distinct(lines: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(lines))


def locate(error: TypingError, root: Term, spans: Spans, length: int) -> tuple[int | None, int | None]:
    """The smallest piece of the text that contains the clash; nothing where tokens were read."""
    if not spans:
        return None, None
    known = {id(term): (begin, end) for term, begin, end in spans}
    if error.application is None:
        return 0, length
    if id(error.application.arg) in known:
        return known[id(error.application.arg)]
    if id(error.application) in known:
        return known[id(error.application)]
    best = (0, length)
    around = {id(node) for node in subterms(error.application)}
    for term, begin, end in spans:
        inside = any(node is error.application for node in subterms(term))
        if id(term) not in around and inside and end - begin < best[1] - best[0]:
            best = (begin, end)
    return best


def shorten(text: str, limit: int = 80) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
