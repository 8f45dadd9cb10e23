"""Read a formula as people and theories write it, in the language of a context, with types.

Where the notation allows several readings, types decide; what is left open after that is an error that names them.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import product

from isarstep.common.errors import UserError
from isarstep.isabelle.inference.annotations import without_marks
from isarstep.isabelle.inference.coercions import infer_with_coercions
from isarstep.isabelle.inference.infer import IN_TEXT, PROP, TypingError
from isarstep.isabelle.syntax.grammar.folding import canonical
from isarstep.isabelle.syntax.grammar.hidden_arguments import MOST_ATTEMPTS, Hidden, longer
from isarstep.isabelle.syntax.grammar.language import Language
from isarstep.isabelle.syntax.grammar.parser import Tree, parse_trees
from isarstep.isabelle.syntax.grammar.productions import TYPE
from isarstep.isabelle.syntax.grammar.symbols import normal, original_place, without_quotes
from isarstep.isabelle.syntax.reading.advice import advised, explained
from isarstep.isabelle.syntax.reading.misreadings import LikelyMisreading, doubt
from isarstep.isabelle.syntax.reading.translation import Spans, Translator
from isarstep.isabelle.terms.read_error import NoStructure, ReadError
from isarstep.isabelle.terms.terms import Term, TFree, TVar, Typ, untyped
from isarstep.isabelle.terms.type_text import type_variables
from isarstep.isabelle.terms.types import instantiate_type


@dataclass(frozen=True, slots=True)
class Reading:
    """A typed term, and the types of its free variables."""

    term: Term
    frees: dict[str, Typ] = field(hash=False)

    def __str__(self) -> str:
        from isarstep.isabelle.syntax.writing.printing import to_unicode
        from isarstep.isabelle.syntax.writing.readable import names_beside

        return to_unicode(untyped(self.term), names_beside([self.term]))

    def _repr_markdown_(self) -> str:
        from isarstep.isabelle.syntax.writing.readable import latex_of

        return latex_of(untyped(self.term))


def read_formula(
    text: str,
    language: Language,
    context: Mapping[str, Typ] | None = None,
    *,
    bound: Mapping[str, Term] | None = None,
) -> Reading:
    """The proposition that the text stands for.

    `context` has the fixed variables with their types; what is in it is a variable even where a constant has its name.
    `bound` has what ?thesis, ?x or ... stand for.
    """
    reader = _Reader(language, context or {}, bound or {})
    written = without_quotes(normal(text))
    try:
        return reader.formula(written)
    except LikelyMisreading as error:
        raise _placed(error, text) from None
    except UserError as error:
        unlikely: LikelyMisreading | None = None
        for other in reader.ways_round(error):
            try:
                return other.formula(written)
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


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads in a language, where these variables are fixed and these terms are bound."""

    language: Language
    context: Mapping[str, Typ] = field(hash=False)
    bound: Mapping[str, Term] = field(hash=False)
    alternative: int = 0  # which of several constants of the same name is meant, counted from the last one

    def ways_round(self, error: UserError) -> Iterator[_Reader]:
        """Where a text cannot be read: notation that theories switch on for a while, that of a locale whose parameters
        are fixed, constants hidden by others."""
        yield replace(self, language=self.language.bundled)
        if not self.language.local:
            yield from (replace(self, language=inside) for inside in self.language.locales_of(self.context))
        if isinstance(error, TypingError):
            yield replace(self, alternative=1)
            yield replace(self, alternative=2)

    def formula(self, text: str) -> Reading:
        tokens = self.language.lexicon.scan(text)
        trees = parse_trees(self.language.grammar, tokens)
        found: dict[Term, Reading] = {}
        failure: UserError | None = None
        for tree in trees:
            try:
                reading = self._tree(tree)
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
        unlikely = doubt(text, tokens, reading.term, reading.frees, self.context, self.language)
        if unlikely is not None:
            raise unlikely
        return reading

    def _tree(self, tree: Tree) -> Reading:
        """The term of a tree.

        Where it wants a structure that nobody names, any fixed variable may be the one; where it has no type, its names
        may be those of a locale, though nobody has said that we are in one.
        """
        candidates: list[tuple[str, ...]] = [()]
        try:
            return self._typed(tree)
        except NoStructure as error:
            failure: UserError = error
            candidates = [(name,) for name in self.context]
        except TypingError as error:
            if not self.language.has_locales and not self.language.home:
                raise
            failure = error
            reading = self._with_hidden_arguments(tree, error) if self.language.home else None
            if reading is not None:
                return reading
        for structures in candidates:
            for locale_first in (False, True):
                with suppress(TypingError):
                    return replace(self, alternative=0)._typed(tree, structures, locale_first=locale_first)
        raise failure

    def _with_hidden_arguments(self, tree: Tree, failure: TypingError) -> Reading | None:
        """The reading in which constants of this theory take fixed variables that nobody writes; fewest of them
        first."""
        todo: list[tuple[dict[str, tuple[str, ...]], TypingError]] = [({}, failure)]
        attempts = 0
        while todo:
            known, error = todo.pop(0)
            for hidden in longer(error, known, self.language, self.context):
                attempts += 1
                if attempts > MOST_ATTEMPTS:
                    return None
                try:
                    return self._typed(tree, hidden=hidden)
                except TypingError as again:
                    todo.append((hidden, again))
        return None

    def _typed(
        self, tree: Tree, structures: tuple[str, ...] = (), *, locale_first: bool = False, hidden: Hidden | None = None
    ) -> Reading:
        translator = Translator(self.language, self.context, self.bound)
        translator.alternative, translator.locale_first = self.alternative, locale_first
        translator.hidden, translator.structures = hidden or {}, structures or translator.structures
        term = _translated(translator, tree)
        typing = infer_with_coercions([term], self.language.signature, self.context)
        made = typing.propositions[0]
        return Reading(without_marks(made) if translator.constrained else made, typing.frees)


def _translated(translator: Translator, tree: Tree, wanted: Typ | None = PROP) -> Term:
    make = translator.proposition if wanted == PROP else translator.term
    term = make(tree)
    if translator.sorts:  # a sort that is given once holds wherever its type variable stands
        if translator.spans is not None:
            translator.spans.clear()
        term = make(tree)
    return term


def _placed(error: ReadError, text: str) -> ReadError:
    """The error with its place in the text as it was given."""
    return type(error)(original_place(text, error.position), error.found, error.expected)


@dataclass(frozen=True, slots=True)
class Statement:
    """A text for itself: the term as mining would give it, untyped, and the term with the types that the text names."""

    term: Term
    marked: Term


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
            translator = Translator(here, fixed, spans=places if spans is not None else None)
            translator.alternative = alternative
            try:
                marked = _translated(translator, tree, wanted)
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
            return Statement(untyped(typed), marked)
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
