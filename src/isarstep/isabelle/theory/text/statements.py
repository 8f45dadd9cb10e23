"""Quoted texts of a theory file as typed terms, read together as Isabelle does: one type for each variable in all.

Nothing is guessed here: names mean what the context says, type variables that are written stay variables, and whatever
cannot be read is refused with its place in the file.
"""

from __future__ import annotations

from collections.abc import Collection, ItemsView, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, islice, product
from types import MappingProxyType

from isarstep.common.errors import UserError
from isarstep.isabelle.inference.annotations import without_marks
from isarstep.isabelle.inference.coercions import infer_with_coercions
from isarstep.isabelle.inference.infer import CONSTRAINT, IN_TEXT, PROP, TypingError
from isarstep.isabelle.syntax.grammar.folding import canonical
from isarstep.isabelle.syntax.grammar.inner_tokens import InnerTokens
from isarstep.isabelle.syntax.grammar.language import Language
from isarstep.isabelle.syntax.grammar.parser import parse_trees
from isarstep.isabelle.syntax.grammar.productions import TYPE
from isarstep.isabelle.syntax.grammar.symbols import normal, original_place, to_isabelle
from isarstep.isabelle.syntax.reading.advice import explained
from isarstep.isabelle.syntax.reading.translation import Translator
from isarstep.isabelle.terms.normal_forms import MOST_PARTS, TooLargeError, beta_normal, refuse_growth
from isarstep.isabelle.terms.read_error import ReadError
from isarstep.isabelle.terms.terms import (
    App,
    Const,
    Free,
    Sort,
    Term,
    TFree,
    TVar,
    Typ,
    Var,
    erase,
    frees,
    fun,
    rebuild,
    substitute,
    substitute_types,
    subterms,
)
from isarstep.isabelle.terms.type_text import type_variables
from isarstep.isabelle.terms.types import map_type, schematic_type, types_in
from isarstep.isabelle.terms.variables import rename_frees
from isarstep.isabelle.theory.text.class_types import improved
from isarstep.isabelle.theory.text.source import SourceToken, TheorySource

OF_CLASS = "~class"  # no variable: keeps the name of a class's type
ANY_SORT: Sort = ("HOL.type",)
MOST_WAYS = 64  # in which several ambiguous texts are read together


class NotRead(UserError):
    """A text of the file that is not read, with its place."""

    def __init__(self, source: TheorySource, place: int, what: str) -> None:
        super().__init__(f"{source.where(place)}: {what}")
        self.place, self.what = place, what


@dataclass
class Unread:
    """Names and symbols of what could not be read, each with why: a text that mentions one is refused."""

    names: dict[str, str] = field(default_factory=dict)
    symbols: dict[str, str] = field(default_factory=dict)

    def mentioned(
        self, tokens: InnerTokens, known: Collection[str] = (), local: Collection[str] = ()
    ) -> tuple[int, str] | None:
        """The first such name in a text, as its place and why; constants of the context hide all others."""
        for kind, text, start in zip(tokens.kinds, tokens.texts, tokens.starts, strict=True):
            if kind == "name" and text not in known:
                name = to_isabelle(text)
                if f"local.{name}" in local:
                    continue
                why = self.names.get(name) or self.names.get(name.rpartition(".")[2]) or self.symbols.get(text)
            else:
                why = self.symbols.get(text) if kind == "delimiter" else None
            if why is not None:
                return start, f"{text!r} is of {why}"
        return None


@dataclass
class Scope:
    """What a text of the file may speak of."""

    source: TheorySource
    language: Language
    unread: Unread
    fixed: dict[str, Typ] = field(default_factory=dict)  # a TVar: its type is not known yet
    sorts: dict[str, Sort] = field(default_factory=dict)  # of type variables that are fixed
    bound: dict[str, Term] = field(default_factory=dict)  # ?thesis, ?x, ..., with marks for their types
    pattern: bool = False  # may a text have variables that stand for nothing yet?
    goals: dict[str, Term] = field(default_factory=dict)  # ?thesis and ?case as formulas
    new: dict[str, str] = field(default_factory=dict)  # constants that are being declared, and how the text calls them
    structures: tuple[str, ...] = ()  # variables of the statement that notation with an index means by itself
    class_type: TFree | None = None  # inside a class: what its operations are about unless something says otherwise

    def knows_notation(self, name: str) -> bool:
        """Is there notation for a variable of this name?"""
        rows = self.language.notations[-1].get("productions", ())
        return any(row[2] == f"\\<^fixed>{name}" for row in rows)

    def inner(self) -> Scope:
        """One that grows by itself."""
        return replace(self, fixed=dict(self.fixed), sorts=dict(self.sorts), bound=dict(self.bound), pattern=False)


@dataclass(frozen=True)
class Together:
    """Typed terms, the types of all variables, and the sorts of type variables that were written."""

    terms: tuple[Term, ...]
    frees: dict[str, Typ] = field(hash=False)
    sorts: dict[str, Sort] = field(hash=False)


def read_together(
    texts: Sequence[SourceToken], scope: Scope, wanted: Typ | None = PROP, *, apart: bool = False
) -> Together:
    """All texts with one type for each variable; with `apart`, for each that is fixed: the other variables of a text
    are its own. Raises NotRead."""
    sorts = dict(scope.sorts)
    readings = [_readings(text, scope, sorts, wanted) for text in texts]
    if sorts != scope.sorts:  # a sort that is written once holds wherever its variable stands
        readings = [_readings(text, scope, sorts, wanted) for text in texts]
    if apart:
        readings = [[_apart(t, scope, place) for t in reading] for place, reading in enumerate(readings)]
    failure: TypingError | None = None
    found: dict[tuple[Term, ...], Together] = {}
    types = scope.fixed if scope.class_type is None else {**scope.fixed, OF_CLASS: scope.class_type}
    for number, terms in enumerate(product(*readings)):
        if number == MOST_WAYS:
            break
        try:
            typing = infer_with_coercions(terms, scope.language.signature, types, wanted=wanted)
            if scope.class_type is not None:
                typing = improved(typing, scope.class_type, {*sorts, *type_names(types.values())}, scope.language)
        except TypingError as error:
            failure = failure or error
            continue
        made = tuple(without_marks(term) for term in typing.propositions)
        if scope.bound:  # ?P x, with a function for ?P
            made = tuple(beta_normal(term) for term in made)
        if apart:
            made = tuple(_as_written(term) for term in made)
        try:
            made = tuple(refuse_growth(canonical(term, scope.language)) for term in made)
        except TooLargeError as error:
            raise NotRead(scope.source, texts[0].inside, str(error)) from None
        variables = {name: typ for name, typ in typing.frees.items() if name != OF_CLASS}
        written = {*sorts, *type_names(types.values()), *types_inside(terms)}
        made, variables = _types_in_order(made, variables, written)
        found.setdefault(made, Together(made, variables, sorts))
    if not found:
        assert failure is not None
        raise _no_type(texts, readings, scope, wanted, failure)
    if len(found) > 1:
        raise NotRead(
            scope.source, texts[0].inside, "it can be read in several ways; brackets or types would settle it"
        )
    return next(iter(found.values()))


def _types_in_order(
    terms: tuple[Term, ...], variables: dict[str, Typ], written: Collection[str]
) -> tuple[tuple[Term, ...], dict[str, Typ]]:
    """Type variables that nobody has written are called 'a, 'b, ... in the order in which they stand in the terms, as
    Isabelle calls them: who writes 'a behind such a statement means the first one."""
    found = named_in_order(_fixed_in(typ for term in terms for typ in types_in(term)), written)
    if all(old == new for old, new in found.items()):
        return terms, variables
    found = named_in_order(_fixed_in(variables.values()), written, known=found)  # of variables that stand in no term

    def named(typ: Typ) -> Typ:
        return map_type(typ, lambda v: TFree(found.get(v.name, v.name), v.sort) if isinstance(v, TFree) else v)

    return tuple(substitute_types(term, named) for term in terms), {n: named(typ) for n, typ in variables.items()}


def type_letters() -> Iterator[str]:
    """Names that Isabelle invents for type variables, in order."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    yield from (f"'{letter}" for letter in letters)
    yield from (f"'a{letter}" for letter in letters)
    yield from (f"'b{number}" for number in count())


def named_in_order(
    variables: Iterable[TFree | TVar],
    written: Collection[str],
    letters: Iterable[str] | None = None,
    known: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, str]:
    """Names for the type variables that nobody has written."""
    found = dict(known)
    fresh = (name for name in letters or type_letters() if name not in written and name not in known.values())
    for variable in variables:
        if variable.name not in written and variable.name not in found:
            found[variable.name] = next(fresh)
    return found


def _fixed_in(types: Iterable[Typ]) -> Iterator[TFree]:
    return (variable for typ in types for variable in type_variables(typ) if isinstance(variable, TFree))


def _apart(term: Term, scope: Scope, place: int) -> Term:
    return rename_frees(term, {v.name: f"{v.name}~{place}" for v in frees(term) if v.name not in scope.fixed})


def _as_written(term: Term) -> Term:
    return rename_frees(term, {v.name: v.name.partition("~")[0] for v in frees(term)})


def _no_type(
    texts: Sequence[SourceToken], readings: list[list[Term]], scope: Scope, wanted: Typ | None, failure: TypingError
) -> NotRead:
    """The first text that has no type by itself, or that has none after those before it."""
    for upto in range(1, len(texts) + 1):
        try:
            terms = [reading[0] for reading in readings[:upto]]
            infer_with_coercions(terms, scope.language.signature, scope.fixed, wanted=wanted)
        except TypingError as error:
            return NotRead(scope.source, texts[upto - 1].inside, str(explained(error, scope.language)))
    return NotRead(scope.source, texts[0].inside, str(failure))


def _readings(text: SourceToken, scope: Scope, sorts: dict[str, Sort], wanted: Typ | None) -> list[Term]:
    """What the grammar makes of a text, with marks for the types that it names."""
    written = normal(text.text)
    try:
        tokens = scope.language.lexicon.scan(written)
        unread = scope.unread.mentioned(tokens, scope.fixed, scope.language.local)
        if unread is not None:
            place = text.inside + original_place(text.text, unread[0])
            raise NotRead(scope.source, place, f"{unread[1]}, which is not read")
        trees = parse_trees(scope.language.grammar, tokens)
    except ReadError as error:
        raise _at(scope.source, text, error) from None
    made: dict[Term, None] = {}
    failure: UserError | None = None
    new = scope.new
    for tree in trees:
        translator = Translator(scope.language, scope.fixed, scope.bound)
        translator.sorts = sorts
        translator.structures = (*translator.structures, *scope.structures)
        try:
            term = translator.proposition(tree) if wanted == PROP else translator.term(tree)
        except ReadError as error:
            failure = failure or error
            continue
        except TooLargeError as error:
            raise NotRead(scope.source, text.inside, str(error)) from None
        except RecursionError:
            failure = failure or ReadError(0, written[:20], "less nesting")
            continue
        if too_large(term):
            raise NotRead(scope.source, text.inside, f"a text of more than {MOST_PARTS} parts is not read")
        unbound = next((node for node in subterms(term) if isinstance(node, Var)), None)
        if unbound is not None and not scope.pattern:
            raise NotRead(scope.source, text.inside, f"nothing that is read says what ?{unbound.name} stands for")
        if new:
            term = rebuild(term, lambda n, _: Free(new[n.name]) if isinstance(n, Const) and n.name in new else n)
        made[substitute_types(term, lambda typ: with_written(typ, sorts))] = None
    if not made:
        assert isinstance(failure, ReadError)
        raise _at(scope.source, text, failure)
    if len(made) > 1:  # types decide, those of the text by itself first
        typed = [term for term in made if _has_type(term, scope, wanted)]
        return typed or list(made)
    return list(made)


def too_large(term: Term) -> bool:
    """Has a term more parts than anybody reads? Terms double where each of several names stands for two of another."""
    return next(islice(subterms(term), MOST_PARTS, None), None) is not None


def readings_of_pattern(text: SourceToken, scope: Scope, wanted: Typ | None) -> list[Term]:
    """A pattern as terms without types; its variables may stand for anything. Raises UserError."""
    inner = scope.inner()
    inner.pattern, inner.bound = True, {}
    return _readings(text, inner, dict(scope.sorts), wanted)


def readings_of_text(text: SourceToken, scope: Scope) -> list[Term]:
    """What the grammar makes of a term, with marks for the types that it names. Raises NotRead."""
    return _readings(text, scope, dict(scope.sorts), None)


def _has_type(term: Term, scope: Scope, wanted: Typ | None) -> bool:
    try:
        infer_with_coercions([term], scope.language.signature, scope.fixed, wanted=wanted)
    except TypingError:
        return False
    return True


def _at(source: TheorySource, text: SourceToken, error: ReadError) -> NotRead:
    place = text.inside + original_place(text.text, error.position)
    shown = "the end" if error.found is None else repr(error.found[:60])
    return NotRead(source, place, f"found {shown}, expected {error.expected}")


def with_written(typ: Typ, sorts: Mapping[str, Sort]) -> Typ:
    """Type variables that the text writes are fixed; what is not known yet stays open."""

    def fixed(variable: TFree | TVar) -> Typ:
        if isinstance(variable, TVar) and variable.index == IN_TEXT:
            return TFree(variable.name, variable.sort or sorts.get(variable.name) or ANY_SORT)
        return variable

    return map_type(typ, fixed)


def read_written_type(token: SourceToken, scope: Scope) -> Typ:
    """A type of the file; sorts that it names are added to those of the scope. Raises NotRead."""
    try:
        tokens = scope.language.lexicon.scan(normal(token.text).replace("=>", "⇒"))
        unread = scope.unread.mentioned(tokens)
        if unread is not None:
            raise NotRead(scope.source, token.inside + unread[0], f"{unread[1]}, which is not read")
        trees = parse_trees(scope.language.grammar, tokens, TYPE)
        translator = Translator(scope.language)
        translator.sorts = scope.sorts
        typ = translator.typ(trees[0])
        return with_written(translator.typ(trees[0]) if scope.sorts else typ, scope.sorts)
    except ReadError as error:
        raise _at(scope.source, token, error) from None
    except RecursionError:
        raise NotRead(scope.source, token.inside, "a type that is nested less deeply is expected") from None
    except UserError as error:
        if isinstance(error, NotRead):
            raise
        raise NotRead(scope.source, token.inside, str(error)) from None


def generalised(prop: Term, fixed: Collection[str] = (), fixed_types: Collection[str] = ()) -> Term:
    """The proposition for all values of its variables and type variables but these."""

    def variable(leaf: Free | Var) -> Term | None:
        return Var(leaf.name, 0, leaf.type) if isinstance(leaf, Free) and leaf.name not in fixed else None

    made: dict[Typ, Typ] = {}

    def schematic(typ: Typ) -> Typ:
        if typ not in made:
            made[typ] = schematic_type(typ, fixed_types)
        return made[typ]

    return substitute_types(substitute(prop, variable), schematic)


def type_names(types: Iterable[Typ]) -> set[str]:
    """Names of the type variables in types."""
    return {variable.name for typ in types for variable in type_variables(typ)}


def sorts_in(types: Iterable[Typ]) -> ItemsView[str, Sort]:
    """The type variables that are fixed in types, with their sorts."""
    return {v.name: v.sort for typ in types for v in type_variables(typ) if isinstance(v, TFree)}.items()


def types_inside(terms: Iterable[Term]) -> set[str]:
    """Names of the type variables in typed terms."""
    return type_names(typ for term in terms for typ in types_in(term))


def with_type_marks(term: Term) -> Term:
    """The term without types, with marks from which inference finds them again."""

    def leaf(node: Term, _depth: int) -> Term:
        plain = erase(node)
        typ = getattr(node, "type", None)
        if typ is None or not isinstance(node, Const):
            return plain
        return App(Const(CONSTRAINT, fun(typ, typ)), plain)

    return rebuild(term, leaf)
