"""Locales of a theory file, and their instances: a locale has what the locales have that it rests on.

It rests on those that it imports and on those that `sublocale` says it to be an instance of. They are visited as
Isabelle does: those below first, in the order of their declaration, each locale at the same terms once. What such a one
declares later is known in all locales that rest on it.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from isarstep.common.cancellation import check_deadline
from isarstep.common.errors import UserError
from isarstep.isabelle.terms.normal_forms import beta_normal, refuse_growth
from isarstep.isabelle.terms.terms import Free, Sort, Term, TFree, Typ, Var, frees, substitute, substitute_types
from isarstep.isabelle.terms.types import map_type
from isarstep.isabelle.theory.text.source import SourceToken
from isarstep.isabelle.theory.text.statements import with_type_marks

MOST_INSTANCES = 120  # on which a locale rests: they double where each locale is two instances of another one
MOST_BELOW = 120  # Isabelle's bound, too: a locale that is its own instance at ever larger terms has no end
NAMELESS = "assumption_"  # what keys of facts without names begin with
_FIXED, _LOCAL = "\\<^fixed>", "\\<^const>local."


@dataclass(frozen=True)
class OwnFact:
    """A fact of the file, or of a proof in it. `unproved`: it rests on `sorry`, which Isabelle would accept as well."""

    name: str
    prop: Term
    simp: bool = False
    unproved: bool = False
    library: bool = False  # of the library, and named in the text


Facts = dict[str, tuple[OwnFact, ...]]
Rows = dict[str, list[Any]]


@dataclass
class Locale:
    """A target of declarations: what is fixed and assumed in it."""

    name: str
    parameters: dict[str, Typ] = field(default_factory=dict)
    sorts: dict[str, Sort] = field(default_factory=dict)
    # Its own, and behind them those of the locales that it rests on.
    facts: ChainMap[str, tuple[OwnFact, ...]] = field(default_factory=lambda: ChainMap({}, {}))
    local: ChainMap[str, Term] = field(default_factory=lambda: ChainMap({}, {}))  # constants, applied to parameters
    assumed: list[Term] = field(default_factory=list)
    predicate: Term | None = None  # that the parameters are such
    assumes_of: tuple[str, ...] | None = ()  # parameters that are assumed something of; None: not known
    structures: tuple[str, ...] = ()  # parameters that notation with an index means by itself
    own_rows: Rows = field(default_factory=dict)  # notation inside
    rows_below: Rows = field(default_factory=dict)
    outer: Locale | None = None  # of a context inside another: the one around it
    defined: tuple[str, ...] = ()  # parameters that stand for something else, by `defines`
    class_type: TFree | None = None  # of a class: the type that its operations are about
    dependencies: list[LocaleInstance] = field(default_factory=list)
    version: int = 0  # changes with what it declares itself
    scoped: tuple[str, ...] = ()  # names that end with the block
    clashes: tuple[str, ...] = ()  # constants of the same name that it has from several
    _below: list[LocaleInstance] | None = None  # all instances that it rests on, in order

    def copy(self) -> Locale:
        made = replace(self, parameters=dict(self.parameters), sorts=dict(self.sorts))
        made.facts = ChainMap(*(dict(each) for each in self.facts.maps))
        made.local = ChainMap(*(dict(each) for each in self.local.maps))
        made.assumed, made.dependencies = list(self.assumed), list(self.dependencies)
        made.own_rows = {field: list(rows) for field, rows in self.own_rows.items()}
        made.rows_below = {field: list(rows) for field, rows in self.rows_below.items()}
        made.outer = self.outer.copy() if self.outer is not None else None
        return made

    @property
    def around(self) -> Locale:
        """The locale or class in which a context lies; the outermost context where it lies in none."""
        return self if self.name or self.outer is None else self.outer.around

    @property
    def rows(self) -> Rows:
        """All notation that is known inside."""
        fields = dict.fromkeys((*self.rows_below, *self.own_rows))
        return {each: [*self.rows_below.get(each, ()), *self.own_rows.get(each, ())] for each in fields}

    @property
    def below(self) -> list[LocaleInstance]:
        if self._below is None:
            self._below = activated(self.dependencies, self)
        return self._below

    def rests_on(self, other: Locale) -> bool:
        """Is it this one, or one of those that it is known to rest on?"""
        return self is other or any(each.above is other for each in self._below or ())

    def forget(self) -> None:
        """What it rests on is another."""
        self._below = None

    def refresh(self) -> None:
        """Know what those have by now that it rests on. Raises UserError where they have no end."""
        if not self.dependencies:
            return
        stale = self._below is None
        for each in self.below:
            stale = each.refresh() or stale
        if stale:
            self._gather()

    def _gather(self) -> None:
        facts: Facts = {}
        local: dict[str, Term] = {}
        rows: Rows = {}
        clashes = []
        for number, instance in enumerate(self.below):
            for name, made in instance.facts:
                if name in facts and facts[name] != made:  # the later hides the earlier, which still holds
                    facts[f"{NAMELESS}{number}_{name}"] = _nameless(facts[name])
                facts[name] = made
            for name, term in instance.constants:
                if local.get(name, term) != term or self.local.maps[0].get(name, term) != term:
                    clashes.append(name.removeprefix("local."))
                local[name] = term
            for of, row in instance.rows:
                if row not in rows.setdefault(of, []):
                    rows[of].append(row)
        for name, own in self.facts.maps[0].items():
            if name in facts and facts[name] != own:
                facts[f"{NAMELESS}{name}"] = _nameless(facts[name])
        self.facts.maps[1], self.local.maps[1], self.rows_below = facts, local, rows
        self.clashes = tuple(clashes)


@dataclass
class LocaleInstance:
    """A locale with terms in the place of its parameters."""

    token: SourceToken
    above: Locale
    prefixes: tuple[tuple[str, bool], ...] = ()  # outermost first; may it be left out?
    given: dict[str, SourceToken] = field(default_factory=dict)  # texts of parameters; the others keep their names
    rewritten: bool = False
    values: dict[str, Term] = field(default_factory=dict)  # typed
    types: dict[str, Typ] = field(default_factory=dict)  # of the locale's type variables
    kept: frozenset[str] = frozenset()  # parameters that keep their names
    unproved: bool = False  # that it is one rests on `sorry`
    # What the locale declares itself, at this instance.
    facts: list[tuple[str, tuple[OwnFact, ...]]] = field(default_factory=list)
    constants: list[tuple[str, Term]] = field(default_factory=list)
    rows: list[tuple[str, list[object]]] = field(default_factory=list)
    _seen: int = -1

    @property
    def identity(self) -> tuple[object, ...]:
        return self.above.name, *(self.values[name] for name in self.above.parameters)

    def typed(self, typ: Typ) -> Typ:
        return map_type(typ, lambda v: self.types.get(v.name, v) if isinstance(v, TFree) else v)

    def instance(self, term: Term) -> Term:
        """A typed term of the locale at this instance. Raises TooLargeError: instances of instances can double."""
        plain = substitute_types(term, self.typed)
        made = substitute(plain, lambda leaf: self.values.get(leaf.name) if type(leaf) is Free else None)
        return beta_normal(refuse_growth(made))

    def after(self, inner: LocaleInstance) -> LocaleInstance:
        """An instance inside the locale, seen through this one."""
        return LocaleInstance(
            self.token,
            inner.above,
            (*self.prefixes, *inner.prefixes),
            values={name: self.instance(value) for name, value in inner.values.items()},
            types={name: self.typed(typ) for name, typ in inner.types.items()},
            kept=inner.kept & self.kept,
            unproved=self.unproved or inner.unproved,
        )

    def refresh(self) -> bool:
        """True where the locale has declared something since."""
        if self._seen == self.above.version:
            return False
        self._seen = self.above.version  # first: two locales may rest on each other
        self.above.refresh()  # its notation may be for constants of others
        self.facts = [pair for name, facts in self.above.facts.maps[0].items() for pair in self._facts(name, facts)]
        self.constants = [
            (f"local.{known}", self._constant(term))
            for name, term in self.above.local.maps[0].items()
            for known in self.names(name.removeprefix("local."))
        ]
        rows = ((of, self._row(of, row)) for of, rows in self.above.own_rows.items() for row in rows)
        self.rows = [(of, row) for of, row in rows if row is not None]
        return True

    def renew(self) -> None:
        """Its terms are others."""
        self._seen = -1

    def names(self, name: str) -> list[str]:
        """Under which a name of the locale is known."""
        found = [name]
        for prefix, optional in reversed(self.prefixes):
            found = [*(found if optional else ()), *(f"{prefix}.{each}" for each in found)]
        return found

    def _facts(self, name: str, facts: Sequence[OwnFact]) -> Iterable[tuple[str, tuple[OwnFact, ...]]]:
        made = tuple(
            replace(fact, prop=self.instance(fact.prop), unproved=fact.unproved or self.unproved) for fact in facts
        )
        for known in self.names(name):
            if name.startswith(NAMELESS):
                made = _nameless(made)
            elif self.prefixes:
                names = numbered_names(known, len(made))
                made = tuple(replace(fact, name=each) for fact, each in zip(made, names, strict=True))
            yield known, made

    def _constant(self, term: Term) -> Term:
        """What a constant of the locale stands for, which has no types."""

        def put(leaf: Free | Var) -> Term | None:
            value = self.values.get(leaf.name) if isinstance(leaf, Free) else None
            return None if value is None else Free(value.name) if isinstance(value, Free) else with_type_marks(value)

        return substitute(term, put)

    def _row(self, of: str, row: list[object]) -> list[object] | None:
        """A row of the locale's notation; None where nobody can write it here: notation of a parameter goes with its
        name, that of a constant holds where it is about the same parameters."""
        if of != "productions":
            return row if not self.prefixes and len(self.kept) == len(self.values) else None
        head = str(row[2])
        if head.startswith(_FIXED):
            return row if head.removeprefix(_FIXED) in self.kept else None
        if head.startswith(_LOCAL):
            name = head.removeprefix(_LOCAL)
            about = {node.name for node in frees(self.above.local.get(f"local.{name}", Free("")))}
            same = all(isinstance(v := self.values.get(each), Free) and v.name == each for each in about)
            prefix = "".join(f"{each}." for each, optional in self.prefixes if not optional)
            return [*row[:2], f"{_LOCAL}{prefix}{name}", *row[3:]] if same else None
        return row


def activated(instances: Iterable[LocaleInstance], inside: Locale | None = None) -> list[LocaleInstance]:
    """These instances and all that they rest on, each once, those below first."""
    found: list[LocaleInstance] = []
    seen: set[tuple[object, ...]] = set()
    if inside is not None:
        seen.add((inside.name, *(Free(name, typ) for name, typ in inside.parameters.items())))

    def visit(instance: LocaleInstance, depth: int) -> None:
        check_deadline()
        if depth > MOST_BELOW:
            raise UserError("a locale that is an instance of itself at ever larger terms is not read")
        if instance.identity in seen:
            return
        seen.add(instance.identity)
        if len(seen) > MOST_INSTANCES:
            raise UserError(f"unsupported: a locale that rests on more than {MOST_INSTANCES} instances of locales")
        for inner in instance.above.dependencies:
            visit(instance.after(inner), depth + 1)
        found.append(instance)

    for each in instances:
        visit(each, 0)
    return found


def numbered_names(name: str, count: int) -> list[str]:
    """Of so many facts under one name: `a`, or `a(1)`, `a(2)`, ...; of those without a name none."""
    return [name] * count if count == 1 or not name else [f"{name}({n})" for n in range(1, count + 1)]


def _nameless(facts: Iterable[OwnFact]) -> tuple[OwnFact, ...]:
    return tuple(replace(fact, name="") for fact in facts)
