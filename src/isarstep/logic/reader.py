"""Read a formula as people and theories write it, in the language of a context, with types.

Where the notation allows several readings, types decide; what is left open after that is an error that names them.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import product

from isarstep.errors import UserError
from isarstep.logic.advice import advised, explained
from isarstep.logic.annotations import pinned, without_marks
from isarstep.logic.coercions import infer_with_coercions
from isarstep.logic.folding import canonical
from isarstep.logic.hidden import MOST_ATTEMPTS, Hidden, longer
from isarstep.logic.infer import IN_TEXT, PROP, TypingError
from isarstep.logic.language import Language
from isarstep.logic.misreadings import LikelyMisreading, doubt
from isarstep.logic.parsing import Tree, parse_trees
from isarstep.logic.productions import TYPE
from isarstep.logic.readerror import ReadError
from isarstep.logic.symbols import normal, original_place, without_quotes
from isarstep.logic.terms import Term, TFree, TVar, Typ, untyped
from isarstep.logic.translating import Spans, Translator
from isarstep.logic.types import instantiate_type
from isarstep.logic.typestrings import type_variables


@dataclass(frozen=True, slots=True)
class Reading:
    """A typed term, and the types of its free variables."""

    term: Term
    frees: dict[str, Typ]

    def __str__(self) -> str:
        from isarstep.logic.printing import to_unicode
        from isarstep.logic.readable import names_beside

        return to_unicode(untyped(self.term), names_beside([self.term]))

    def _repr_markdown_(self) -> str:
        from isarstep.logic.readable import latex_of

        return latex_of(untyped(self.term))


def read_formula(
    text: str,
    language: Language,
    context: Mapping[str, Typ] | None = None,
    *,
    wanted: Typ | None = PROP,
    bound: Mapping[str, Term] | None = None,
) -> Reading:
    """The proposition (or, with another or no wanted type, the term) that the text stands for.

    `context` has the fixed variables with their types; what is in it is a variable even where a constant has its name.
    `bound` has what ?thesis, ?x or ... stand for.
    """
    known = context or {}
    written = without_quotes(normal(text))
    try:
        return _read_formula(written, language, 0, known, wanted, bound or {})
    except LikelyMisreading as error:
        raise _placed(error, text) from None
    except UserError as error:
        unlikely: LikelyMisreading | None = None
        for more in _ways_round(error, language, known):
            try:
                return _read_formula(written, *more, known, wanted, bound or {})
            except LikelyMisreading as found:
                unlikely = unlikely or found
            except UserError:
                continue
        if unlikely is not None:
            raise _placed(unlikely, text) from None
        if isinstance(error, TypingError):
            raise explained(error, language) from None
        if isinstance(error, ReadError):
            raise _placed(advised(written, error), text) from None
        raise


def _ways_round(error: UserError, language: Language, context: Mapping[str, Typ]) -> Iterator[tuple[Language, int]]:
    """Where a text cannot be read: notation that theories switch on for a while, that of a locale whose parameters are
    fixed, constants hidden by others."""
    yield language.bundled, 0
    if not language.local:
        yield from ((inside, 0) for inside in language.locales_of(context))
    if isinstance(error, TypingError):
        yield language, 1
        yield language, 2


def _read_formula(
    text: str,
    language: Language,
    alternative: int,
    known: Mapping[str, Typ],
    wanted: Typ | None,
    bound: Mapping[str, Term],
) -> Reading:
    tokens = language.lexicon.scan(text)
    trees = parse_trees(language.grammar, tokens)
    found: dict[Term, Reading] = {}
    failure: UserError | None = None
    for tree in trees:
        try:
            reading = _read_tree(tree, language, alternative, known, wanted, bound)
            found.setdefault(reading.term, reading)
        except RecursionError:
            failure = failure or ReadError(0, text[:20], "less nesting")
        except UserError as error:
            if failure is None or (isinstance(failure, ReadError) and isinstance(error, TypingError)):
                failure = error
    if not found:
        assert failure is not None
        raise failure
    if len(found) > 1:
        raise UserError(f"{text!r} can be read in {len(found)} ways; brackets or types would settle it")
    reading = next(iter(found.values()))
    unlikely = doubt(text, tokens, reading.term, reading.frees, known, language)
    if unlikely is not None:
        raise unlikely
    return reading


def _placed(error: ReadError, text: str) -> ReadError:
    """The error with its place in the text as it was given."""
    return type(error)(original_place(text, error.position), error.found, error.expected)


@dataclass(frozen=True, slots=True)
class Statement:
    """A text for itself: the term as mining would give it, untyped, and the term with the types that the text names."""

    term: Term
    marked: Term
    pinned: Term | None = None  # the first with marks, where it names types that nothing else decides


def read_statement(
    text: str, language: Language, fixed: Container[str] = (), *, wanted: Typ | None = PROP, spans: Spans | None = None
) -> Statement:
    """Read a text whose variables have types that others decide. Positions in errors and `spans` count in the text.

    `spans` is filled with applications and abstractions of the marked term and the characters that they stand for.
    """
    written = without_quotes(normal(text))
    failure: UserError | None = None
    open_reading: tuple[Term, Spans] | None = None
    for here in (language, language.bundled):  # notation that theories switch on for a while must have types
        try:
            tokens = here.lexicon.scan(written)
            trees = parse_trees(here.grammar, tokens)
        except ReadError as error:
            failure = failure or error
            continue
        for alternative, tree in product((0, 1), trees):
            places: Spans = []
            try:
                marked, constrained = _translate(
                    tree, here, fixed, wanted, {}, places if spans is not None else None, alternative=alternative
                )
            except UserError as error:
                failure = failure or error
                continue
            except RecursionError:
                failure = failure or ReadError(0, written[:20], "less nesting")
                continue
            if open_reading is None and here is language:
                open_reading = marked, places
            try:
                typing = infer_with_coercions([marked], here.signature, wanted=wanted)
            except TypingError:
                continue
            unlikely = doubt(written, tokens, typing.propositions[0], typing.frees, fixed, here)
            if unlikely is not None:
                raise _placed(unlikely, text)
            _note(spans, places, text)
            typed = canonical(without_marks(typing.propositions[0]), language)
            return Statement(untyped(typed), marked, pinned(typed, here.signature) if constrained else None)
        if open_reading is not None:
            break
    if open_reading is None:
        assert failure is not None
        raise _placed(advised(written, failure), text) if isinstance(failure, ReadError) else failure
    _note(spans, open_reading[1], text)
    return Statement(untyped(without_marks(open_reading[0])), open_reading[0])


def _note(spans: Spans | None, places: Spans, text: str) -> None:
    if spans is not None:
        spans.extend((term, original_place(text, begin), original_place(text, end)) for term, begin, end in places)


def read_type(text: str, language: Language) -> Typ:
    """A type as people write it, such as `'a ⇒ nat list`."""
    trees = parse_trees(language.grammar, language.lexicon.scan(normal(text)), TYPE)
    typ = Translator(language).typ(trees[0])
    default = ("HOL.type",) if "HOL.type" in language.signature.classes else ()
    written: dict[Typ, Typ] = {
        v: TFree(v.name, v.sort or default) for v in type_variables(typ) if type(v) is TVar and v.index == IN_TEXT
    }
    return instantiate_type(typ, written)


def _read_tree(
    tree: Tree,
    language: Language,
    alternative: int,
    context: Mapping[str, Typ],
    wanted: Typ | None,
    bound: Mapping[str, Term],
) -> Reading:
    """The term of a tree.

    Where it wants a structure that nobody names, any fixed variable may be the one; where it has no type, its names may
    be those of a locale, though nobody has said that we are in one.
    """
    candidates: list[tuple[str, ...]] = [()]
    try:
        made = _translate(tree, language, context, wanted, bound, alternative=alternative)
        return _infer(*made, language, context, wanted)
    except (ReadError, TypingError) as error:
        failure: UserError = error
        if isinstance(error, ReadError):
            translator = Translator(language, context, bound)
            with suppress(ReadError):
                translator.proposition(tree)
            if not translator.wants_structure:
                raise
            candidates = [(name,) for name in context]
        elif not language.has_locales and not language.home:
            raise
    if isinstance(failure, TypingError) and language.home:
        reading = _with_hidden_arguments(tree, failure, language, alternative, context, wanted, bound)
        if reading is not None:
            return reading
    for structures in candidates:
        for locale_first in (False, True):
            made = _translate(tree, language, context, wanted, bound, None, structures, locale_first)
            try:
                return _infer(*made, language, context, wanted)
            except TypingError:
                continue
    raise failure


def _with_hidden_arguments(
    tree: Tree,
    failure: TypingError,
    language: Language,
    alternative: int,
    context: Mapping[str, Typ],
    wanted: Typ | None,
    bound: Mapping[str, Term],
) -> Reading | None:
    """The reading in which constants of this theory take fixed variables that nobody writes; fewest of them first."""
    todo: list[tuple[dict[str, tuple[str, ...]], TypingError]] = [({}, failure)]
    attempts = 0
    while todo:
        known, error = todo.pop(0)
        for hidden in longer(error, known, language, context):
            attempts += 1
            if attempts > MOST_ATTEMPTS:
                return None
            try:
                made = _translate(tree, language, context, wanted, bound, alternative=alternative, hidden=hidden)
                return _infer(*made, language, context, wanted)
            except TypingError as again:
                todo.append((hidden, again))
    return None


def _translate(
    tree: Tree,
    language: Language,
    fixed: Container[str],
    wanted: Typ | None,
    bound: Mapping[str, Term],
    spans: Spans | None = None,
    structures: tuple[str, ...] = (),
    locale_first: bool = False,
    alternative: int = 0,
    hidden: Hidden | None = None,
) -> tuple[Term, bool]:
    translator = Translator(language, fixed, bound, spans)
    translator.alternative = alternative
    translator.hidden = hidden or {}
    translator.structures = structures or translator.structures
    translator.locale_first = locale_first
    make = translator.proposition if wanted == PROP else translator.term
    term = make(tree)
    if translator.sorts:  # a sort that is given once holds wherever its type variable stands
        if spans is not None:
            spans.clear()
        again = Translator(language, fixed, bound, spans)
        again.sorts, again.structures = translator.sorts, translator.structures
        again.locale_first, again.alternative, again.hidden = locale_first, alternative, translator.hidden
        term = (again.proposition if wanted == PROP else again.term)(tree)
    return term, translator.constrained


def _infer(
    term: Term, constrained: bool, language: Language, context: Mapping[str, Typ], wanted: Typ | None
) -> Reading:
    typing = infer_with_coercions([term], language.signature, context, wanted=wanted)
    made = typing.propositions[0]
    return Reading(without_marks(made) if constrained else made, typing.frees)
