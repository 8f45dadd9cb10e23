"""The context that a theory file makes: the library's, and on top of it what the file has declared so far.

It grows command by command. Names of the file hide those of the library, as Isabelle's name spaces have it: the last
declared is meant.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from typing import Any

from isarstep.common.errors import UserError
from isarstep.common.memo import forget_memo
from isarstep.isabelle.context.theory_contexts import TheoryContext
from isarstep.isabelle.syntax.grammar.language import Language
from isarstep.isabelle.syntax.grammar.productions import read_production
from isarstep.isabelle.syntax.grammar.symbols import from_isabelle, to_isabelle
from isarstep.isabelle.terms.signature import Constant, Signature
from isarstep.isabelle.terms.terms import Const, Free, Sort, Term, Typ, funs, list_comb
from isarstep.isabelle.terms.type_text import format_type
from isarstep.isabelle.terms.types import schematic_type
from isarstep.isabelle.theory.environment.locale_tables import Locale, OwnFact, numbered_names
from isarstep.isabelle.theory.text.mixfix import INDEXED, Row, indexed_rule, mixfix_rows
from isarstep.isabelle.theory.text.source import OuterCommand, SourceToken, TheorySource, split_at
from isarstep.isabelle.theory.text.statements import ANY_SORT, NotRead, Scope, Unread, generalised

SIZE = "Nat.size"  # every datatype is an instance of it


class OwnContext:
    """What a theory file has declared so far."""

    def __init__(self, theory_context: TheoryContext, theory: str, source: TheorySource) -> None:
        language = theory_context.language
        self.theory_context, self.theory, self.source = theory_context, theory, source
        self._rank: dict[str, int] = {}  # theories of files, in the order in which they are read
        self.constants: dict[str, Constant] = {}
        self.types: dict[str, int] = {}
        self.arities: dict[str, dict[str, tuple[Sort, ...]]] = {}
        self.classes: dict[str, frozenset[str]] = {}
        self.coerces = True  # are the library's coercions those of the file?
        self.signature = self._with_own()
        self.rows: dict[str, Any] = {"productions": [], "no_productions": [], "synonyms": []}
        self.inside: dict[str, Any] = {}  # notation of the locale in which one is
        self.language = self._over(language)
        self.nonterminals: set[str] = set()
        self.unread = Unread()
        self.facts: dict[str, tuple[OwnFact, ...]] = {}  # by full name, in the order of the file
        self.locales: dict[str, Locale] = {}
        self.target: Locale | None = None
        self.interpreted = Locale("")  # rests on what the theory is an instance of
        self.lost: dict[str, str] = {}  # locales of which an instance is not read, and why
        # Functions by the full name of their first one: the equations of each, which wait for a proof of termination.
        self.waiting: dict[str, list[tuple[str, list[Term]]]] = {}
        self.waiting_rules: dict[str, Any] = {}  # their induction rules
        self.own_congruences = False  # are there rules of the file for the conditions of calls?
        self.inductions: dict[str, Any] = {}  # induction rules of inductive predicates, by full name
        self.choices: dict[str, Any] = {}  # cases of lemmas that obtain something, by name
        self.bare: dict[str, str] = {}  # constants of which only the type is read, and where
        self.notes: list[str] = []  # what is not read, each with its place
        self.unsure = ""  # a declaration in ML may have made names that look like variables here
        self.instantiating = False  # in a block of `instantiation`
        self.instance_shown = False  # has that block its `instance`?
        self.assuming: set[str] = set()  # classes of the file with assumptions of their own
        self.before_instances: dict[str, dict[str, tuple[Sort, ...]]] = {}  # arities before that block
        self.doubted: frozenset[tuple[str, str]] = frozenset()  # types and classes: instances that rest on sorry
        self.unproved: frozenset[str] = frozenset()  # names of facts that rest on sorry, by their last parts
        self.named: set[str] = set()  # whatever may have got a name in the file
        self.named_in_locales: set[str] = set()  # and in its locales and contexts
        self.has_instances = False  # may the theory be an instance of a locale?
        self._in_library: dict[str, bool] = {}  # names of facts that were asked for
        self.unproved_instances = False  # does an instance of a locale rest on sorry?
        self.locale_attributes = False  # do facts of locales have attributes?
        self.hidden_by_sorry = False  # automation may have used a fact that rests on sorry

    def _with_own(self) -> Signature:
        """That of the library, and what the file declares on top of it."""
        base = self.theory_context.signature
        fields = ("constants", "types", "arities", "classes")
        own: dict[str, Any] = {name: ChainMap(getattr(self, name), getattr(base, name)) for name in fields}
        return replace(base, **own) if self.coerces else replace(base, **own, coercions=())

    def forget_coercions(self) -> None:
        """The file has coercions of its own: a text that needs some is not read."""
        self.coerces = False
        self.signature = self.language.signature = self._with_own()

    def _over(self, language: Language) -> Language:
        rank, made = language._rank, language.imported.copy(self.signature, self.rows, self.inside)
        made.guesses_locales = False
        if rank is not None:
            made.rank_by(lambda name: self._rank.get(name.partition(".")[0]) or rank(name))
        return made

    def copy(self, source: TheorySource) -> OwnContext:
        """The same at this place of a text that begins alike; what is declared in one is not in the other."""
        made = copy(self)
        made.source = source
        for name, value in vars(self).items():
            if isinstance(value, dict | list | set):
                setattr(made, name, value.copy())
        made.signature = made._with_own()
        made.rows = {name: list(rows) for name, rows in self.rows.items()}
        made.inside = {name: list(rows) for name, rows in self.inside.items()}
        made.language = self.language.copy(made.signature, made.rows, made.inside)
        made.unread = Unread(dict(self.unread.names), dict(self.unread.symbols))
        made.locales = {name: locale.copy() for name, locale in self.locales.items()}
        made.interpreted = self.interpreted.copy()
        copies = {id(locale): made.locales[name] for name, locale in self.locales.items()}
        for each in (*made.locales.values(), made.interpreted):
            each.dependencies = [replace(row, above=copies.get(id(row.above), row.above)) for row in each.dependencies]
            each.forget()
        if self.target is not None:
            inside = [name for name, locale in self.locales.items() if locale is self.target]
            made.target = made.locales[inside[0]] if inside else self.target.copy()
        return made

    def begin_theory(self, theory: str) -> None:
        """From now on names are declared in this theory."""
        if theory in self.theory_context.prefixes:
            raise UserError(f"{self.source.path}: {self.theory_context.name} has a theory called {theory} already")
        self.theory = theory
        self._rank.setdefault(theory, 1 + len(self.language.notations) + len(self._rank))

    def is_own(self, full: str) -> bool:
        """Is it a name of the file, or of one that it imports?"""
        return full.partition(".")[0] in self._rank

    def scope(self) -> Scope:
        """What a text at this place may speak of."""
        made = Scope(self.source, self.language, self.unread)
        if self.target is not None:
            made.fixed.update(self.target.parameters)
            made.sorts.update(self.target.sorts)
            made.class_type = self.target.class_type
        return made

    @property
    def in_locale(self) -> bool:
        """Is what is declared here known in a locale only?"""
        target = self.target
        return target is not None and target.class_type is None and bool(target.name or target.parameters)

    @property
    def parameters(self) -> Mapping[str, Typ]:
        """Of the locale in which one is."""
        return self.target.parameters if self.target is not None else {}

    def note(self, place: int, what: str) -> None:
        self.notes.append(f"{self.source.where(place)}: {what}")

    def reader(self, command: OuterCommand) -> TokenReader:
        return TokenReader(command.tokens, self.source, command.start, command.name)

    # Declarations

    def full_name(self, base: str) -> str:
        """Of a constant that is declared here."""
        inside = ""
        around = self.target.around if self.target is not None else None
        if around is not None and around.name:
            of_class = "_class" if around.class_type is not None else ""
            inside = f"{around.name.rpartition('.')[2]}{of_class}."
        return f"{self.theory}.{inside}{to_isabelle(base)}"

    def declare_type(self, base: str, arguments: int, classes: Iterable[str] = ()) -> str:
        name = f"{self.theory}.{to_isabelle(base)}"
        self.types[name] = arguments
        self.arities[name] = dict.fromkeys((*ANY_SORT, *classes), (ANY_SORT,) * arguments)
        self.language.types.declare(name)
        self.language.types._known.clear()
        self.read_again(base)
        return name

    def declare_class(self, base: str, above: Iterable[str]) -> str:
        name = f"{self.theory}.{to_isabelle(base)}"
        if name in self.classes:
            raise UserError(f"{name} is declared twice")
        direct = list(above)
        self.classes[name] = frozenset({*direct, *(up for each in direct for up in self.signature.classes[each])})
        self.read_again(base)
        return name

    def declare_instance(self, constructor: str, sorts: tuple[Sort, ...], classes: Iterable[str]) -> None:
        table = dict(self.signature.arities.get(constructor, {}))
        for each in classes:
            for name in (each, *self.signature.classes[each]):
                table.setdefault(name, sorts)
        self.arities[constructor] = table
        forget_memo(self.signature)

    def doubt_instances(self, before: Mapping[str, Mapping[str, tuple[Sort, ...]]]) -> None:
        """That types are of the classes which they are of since then is not proved."""
        self.doubted |= {
            (constructor, each)
            for constructor, table in self.arities.items()
            for each in table.keys() - self._arities_in(constructor, before)
        }

    def instances_since(self, before: Mapping[str, Mapping[str, tuple[Sort, ...]]]) -> set[str]:
        """The classes of which some type is since then."""
        return {each for name, table in self.arities.items() for each in table.keys() - self._arities_in(name, before)}

    def _arities_in(self, constructor: str, before: Mapping[str, Mapping[str, tuple[Sort, ...]]]) -> set[str]:
        return {*(before.get(constructor) or self.theory_context.signature.arities.get(constructor, {}))}

    def assumes_something(self, full: str) -> bool:
        """Has a class assumptions of its own? One of the library has a predicate then, which is not only that of the
        classes above it."""
        if self.is_own(full):
            return full in self.assuming
        constants = self.theory_context.signature.constants

        def predicate(name: str) -> str:
            theory, _, base = name.rpartition(".")
            return f"{theory}.class.{base}"

        if f"{predicate(full)}_axioms" in constants:
            return True
        above = self.signature.classes.get(full, frozenset())
        return predicate(full) in constants and not any(predicate(each) in constants for each in above)

    def proved_signature(self) -> Signature:
        """The signature without instances that rest on `sorry`: no law of a class holds by them."""
        if not self.doubted:
            return self.signature
        proved = {
            constructor: {each: sorts for each, sorts in table.items() if (constructor, each) not in self.doubted}
            for constructor, table in self.arities.items()
        }
        return replace(self.signature, arities={**self.theory_context.signature.arities, **proved})

    def declare_synonym(self, base: str, variables: Sequence[str], typ: Typ) -> None:
        name = f"{self.theory}.{to_isabelle(base)}"
        self.rows["synonyms"].append([name, list(variables), format_type(typ)])
        self.language.__dict__.pop("synonyms", None)
        self.language.types.declare(name)
        self.language.types._known.clear()
        self.read_again(base)

    def declare_constant(self, name: str, typ: Typ, stands_for: Term | None = None, *, printed: bool = True) -> Const:
        """A constant by its full name. One that exists already is refused, as Isabelle does. An abbreviation may be for
        input only."""
        if name in self.constants:
            raise UserError(f"{name} is declared twice")
        self.constants[name] = Constant(name, schematic_type(typ), stands_for)
        space = self.language.constants
        space.declare(name)
        if self.in_locale and name.count(".") == 2:
            space.optional[name] = "100"  # outside, its locale has to be named
        space._known.clear()
        space._short.clear()
        if stands_for is not None and printed:
            self.language._abbreviations = frozenset({*self.language.abbreviations, name})
            self.language.__dict__.pop("abbreviations", None)
            forget_memo(self.language)
        base = name.rpartition(".")[2]
        self.read_again(from_isabelle(base))
        if self.target is not None and self.target.around.name in self.lost:  # other contexts may have it, too
            self.unread.names[base] = self.lost[self.target.around.name]
        return Const(name)

    def lose(self, locale: Locale, why: str) -> None:
        """An instance of it is not read: its constants, also later ones, may be known anywhere without a prefix."""
        for each in (locale, *(instance.above for instance in locale.below)):
            self.lost.setdefault(each.name, why)
            for name in each.local:
                base = name.removeprefix("local.")
                if "." not in base:
                    self.unread.names.setdefault(base, why)

    def read_again(self, base: str) -> None:
        """What was not read under this name is hidden by what is."""
        self.unread.names.pop(to_isabelle(base), None)

    def declare_applied(
        self, base: str, typ: Typ, used: Sequence[str], stands_for: Term | None = None, *, printed: bool = True
    ) -> tuple[str, Term]:
        """A constant of the target that takes these of its parameters first: its full name, and what its name alone
        means inside."""
        whole = funs([self.parameters[each] for each in used], typ)
        made = self.declare_constant(self.full_name(base), whole, stands_for, printed=printed)
        name, applied = made.name, list_comb(made, [Free(parameter) for parameter in used])
        if self.target is not None:
            base = name.rpartition(".")[2]
            self.target.local[f"local.{base}"] = applied
            self.target.version += 1
            self.language.local = dict(self.target.local)
            rows = self.target.own_rows.get("productions", [])
            if any(row[2] == f"\\<^fixed>{base}" for row in rows):  # it was a variable while it was declared
                self.target.own_rows["productions"] = [
                    [*row[:2], f"\\<^const>local.{base}", *row[3:]] if row[2] == f"\\<^fixed>{base}" else row
                    for row in rows
                ]
                self._inside(self.target.rows)
        return name, applied

    def add_notation(self, rows: Iterable[Row]) -> None:
        """Notation, of the locale where one is in such a one."""
        for row in rows:
            self._add_row("productions", row)
            if str(row[2]).startswith(INDEXED):
                self._add_row("rules", indexed_rule(row))
                forget_memo(self.language)
            production = read_production(row)
            self.language.grammar._add(production)
            self.language.productions.append(production)
        self._notation_changed()

    def add_mixfix(self, mixfix: Sequence[SourceToken], name: str, arguments: int, kind: str = "logic") -> None:
        """The notation of a mixfix annotation, if there is one, of a constant or a type."""
        if mixfix:
            self.add_notation(mixfix_rows(mixfix, self.source, name, arguments, kind))

    def add_rules(self, rows: Iterable[tuple[str, Row]]) -> None:
        """What notation stands for: rules of the theory, each with the rows to which it belongs."""
        for where, row in rows:
            self.rows.setdefault(where, []).append(row)
        self._notation_changed()
        forget_memo(self.language)

    def _add_row(self, field: str, row: Row) -> None:
        if self.target is not None and self.in_locale:
            self.target.own_rows.setdefault(field, []).append(row)
            self.target.version += 1
            self.inside.setdefault(field, []).append(row)
        else:
            self.rows.setdefault(field, []).append(row)

    def remove_notation(self, heads: Iterable[str], shape: Sequence[Row] | None = None) -> None:
        """Take away what is written so; without a shape, all notation of these heads."""
        names = set(heads)
        gone = [p for p in self.language.productions if p.head in names]
        if shape is not None:
            wanted = [read_production(row).symbols for row in shape]
            gone = [p for p in gone if any(_words(p.symbols) == _words(other) for other in wanted)]
        kept = [p for p in self.language.productions if p not in gone]
        self.language.productions[:] = kept
        for rows in self.language.notations:
            removed = [row for row in rows.get("productions", ()) if read_production(row) in gone]
            self.rows["no_productions"].extend(removed)
        self.language.__dict__.pop("grammar", None)
        self._notation_changed()

    def _notation_changed(self) -> None:
        for name in ("lexicon", "parse_rules"):
            self.language.__dict__.pop(name, None)

    def enter(self, locale: Locale) -> None:
        locale.refresh()
        for each in locale.clashes:
            self.unread.names.setdefault(each, f"two instances of a locale in {locale.name}")
        self.target = locale
        self.language.local = {name: term for name, term in locale.local.items() if name[6:] not in locale.clashes}
        around = locale.around
        above = () if not around.name else (around.name, *(each.above.name for each in around.below))
        self.language.guesses_locales = not all(map(self.is_own, above))  # constants of those above a library's locale
        self.language.structures = locale.structures
        self._inside(locale.rows)

    @contextmanager
    def returning(self) -> Iterator[None]:
        """Whatever is entered inside, one is afterwards where one was before."""
        before = self.target
        try:
            yield
        finally:
            if self.target is not before:
                self.leave() if before is None else self.enter(before)

    def leave(self) -> None:
        self.target = None
        self.language.local, self.language.guesses_locales = {}, False
        self.language.structures = ()
        self._inside({})

    def _inside(self, rows: Mapping[str, list[Any]]) -> None:
        """Make this the notation of the locale in which one is."""
        if not rows and not self.inside:
            return
        self.inside.clear()
        self.inside.update({name: list(each) for name, each in rows.items()})
        for name in ("productions", "grammar", "lexicon", "parse_rules", "_connectives"):
            self.language.__dict__.pop(name, None)

    # Facts

    def add_facts(self, name: str, props: Sequence[Term], *, simp: bool = False, unproved: bool = False) -> None:
        """Propositions under one name, general in all their variables but those of the target."""
        target = self.target
        full = f"{self.theory}.{name}" if target is None or not target.name else f"{target.name}.{name}"
        fixed = target.parameters if target is not None else {}
        types = target.sorts if target is not None else {}
        general = (generalised(prop, fixed, types) for prop in props)
        names = numbered_names(full, len(props))
        made = tuple(OwnFact(each, prop, simp, unproved) for each, prop in zip(names, general, strict=True))
        if target is not None:
            target.facts[name] = made
            target.version += 1
        if target is None or (
            target.class_type is not None and target.outer is None
        ):  # those of a class hold for all types of it
            self.facts[full] = tuple(replace(fact, prop=generalised(fact.prop)) for fact in made)

    def find_facts(self, name: str) -> tuple[OwnFact, ...] | None:
        """The facts that a name means here, last declared first; None: there are none in the file."""
        if self.target is not None and name in self.target.facts:
            return self.target.facts[name]
        if name in self.facts:
            return self.facts[name]
        ends = [full for full in self.facts if full.endswith("." + name)]
        return self.facts[ends[-1]] if ends else None

    def has_fact(self, name: str) -> bool:
        """Has the file, or the locale in which one is, a fact of this name? Names of classes are not looked at."""
        inside = self.target is not None and name in self.target.facts
        return inside or any(f"{theory}.{name}" in self.facts for theory in self._rank)

    def in_library(self, name: str) -> bool:
        """May the library have a fact of this name, perhaps in a locale? Where its facts are not known, yes."""
        known = self._in_library.get(name)
        if known is None:
            library = self.theory_context
            known = not library.knows_facts or bool(library.numbers_of_facts([name])) or library.in_some_locale(name)
            self._in_library[name] = known
        return known

    def declare_simp(self, name: str, *, simp: bool) -> None:
        """`declare foo [simp]`."""
        tables = [self.facts] if self.target is None else [self.target.facts, self.facts]
        for table in tables:
            for full in [full for full in table if full == name or full.endswith("." + name)][-1:]:
                table[full] = tuple(replace(fact, simp=simp) for fact in table[full])
                if self.target is not None:
                    self.target.version += 1
                return


def _words(symbols: Sequence[Any]) -> tuple[str, ...]:
    return tuple(symbol if isinstance(symbol, str) else "" for symbol in symbols)


class TokenReader:
    """A cursor over the tokens of one command, with its keyword. What is left over at the end is an error."""

    def __init__(self, tokens: Sequence[SourceToken], source: TheorySource, start: int, command: str = "") -> None:
        self.tokens, self.source, self.at, self.start, self.command = tokens, source, 0, start, command

    @property
    def here(self) -> SourceToken | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    @property
    def place(self) -> int:
        return self.here.start if self.here is not None else self.tokens[-1].end if self.tokens else self.start

    def refused(self, what: str) -> NotRead:
        return NotRead(self.source, self.place, what)

    def is_keyword(self, *words: str) -> bool:
        return self.here is not None and self.here.keyword(*words)

    def accept(self, *words: str) -> bool:
        if self.is_keyword(*words):
            self.at += 1
            return True
        return False

    def expect(self, word: str) -> None:
        if not self.accept(word):
            raise self.refused(f"expected {word!r}, found {self.here.text[:40] if self.here else 'the end'!r}")

    def take(self, what: str = "more") -> SourceToken:
        if self.here is None:
            raise self.refused(f"expected {what}, found the end of the command")
        self.at += 1
        return self.tokens[self.at - 1]

    def ahead(self, count: int = 1) -> SourceToken | None:
        return self.tokens[self.at + count] if self.at + count < len(self.tokens) else None

    def name(self) -> SourceToken:
        token = self.take("a name")
        if token.kind not in ("name", "string", "open") or not token.text:
            self.at -= 1
            raise self.refused(f"expected a name, found {token.text[:40]!r}")
        return token

    def proposition(self) -> SourceToken:
        """A quoted text, or a single name that needs no quotes."""
        token = self.take("a proposition")
        if not token.quoted and token.kind not in ("name", "var", "number"):
            self.at -= 1
            raise self.refused(f"expected a proposition, found {token.text[:40]!r}")
        return token

    def type(self) -> SourceToken:
        token = self.take("a type")
        if not token.quoted and token.kind not in ("name", "typevar"):
            self.at -= 1
            raise self.refused(f"expected a type, found {token.text[:40]!r}")
        return token

    def bracket(self) -> list[SourceToken]:
        """The tokens inside the bracket that opens here."""
        opening = self.take("a bracket").text
        closing, depth, start = {"(": ")", "[": "]", "{": "}"}[opening], 1, self.at
        while depth:
            token = self.take(repr(closing))
            depth += token.keyword(opening) - token.keyword(closing)
        return list(self.tokens[start : self.at - 1])

    def option(self, *words: str) -> list[SourceToken]:
        """What stands inside a bracket that opens here, if it begins with one of these words."""
        first = self.ahead()
        return self.bracket() if self.is_keyword("(") and first is not None and first.keyword(*words) else []

    def mixfix(self) -> list[SourceToken]:
        """A mixfix annotation, if one stands here, without its brackets."""
        following = self.ahead()
        if not self.is_keyword("(") or following is None:
            return []
        if following.quoted or following.keyword("infix", "infixl", "infixr", "binder", "structure"):
            return self.bracket()
        return []

    def label(self) -> tuple[str, list[list[SourceToken]]]:
        """`name[attributes]:`, `name:` or `[attributes]:`, if one stands here; attributes one by one."""
        start = self.at
        name = ""
        if self.here is not None and not self.is_keyword("[", "(") and self.here.kind not in ("open", "var"):
            following = self.ahead()
            if following is None or not following.keyword(":", "["):
                return "", []
            name = self.take().text
        attributes: list[list[SourceToken]] = []
        if self.is_keyword("["):
            attributes = split_at(",", self.bracket())
        if not self.accept(":"):
            self.at = start
            return "", []
        return name, attributes

    def end(self) -> None:
        if self.here is not None:
            raise self.refused(f"{self.here.text[:40]!r} is not read here")


def declares_simp(attributes: Iterable[Sequence[SourceToken]]) -> bool:
    """Is one of these attributes `simp`?"""
    return any(a[0].text == "simp" and not (len(a) > 1 and a[1].text == "del") for a in attributes)
