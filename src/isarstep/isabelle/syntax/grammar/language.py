"""The language of a context: everything that reading and printing need to know about a theory and its ancestors.

It is made from the notation that was mined from these theories (docs/graphs.md) and their merged signature.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cache, cached_property
from types import MappingProxyType
from typing import Any

from isarstep.common.errors import UserError
from isarstep.common.memo import forget_memo
from isarstep.isabelle.syntax.grammar.bundles import PRODUCTIONS
from isarstep.isabelle.syntax.grammar.case_expressions import order_constructors
from isarstep.isabelle.syntax.grammar.inner_tokens import Lexicon
from isarstep.isabelle.syntax.grammar.name_resolution import NameSpace, Rank
from isarstep.isabelle.syntax.grammar.parser import PURE
from isarstep.isabelle.syntax.grammar.productions import Grammar, Production, read_production
from isarstep.isabelle.terms.signature import Signature, abbreviations_of, from_zstandard
from isarstep.isabelle.terms.terms import Abs, Free, Term, Typ, Type, applied_constant, frees, strip_fun
from isarstep.isabelle.terms.tokens import decode
from isarstep.isabelle.terms.type_text import parse_type

Rows = Mapping[str, Any]
_MOST_LOCALES = 6  # that are tried where nobody says which one it is
# What a datatype defines beside its constructors.
_NO_CONSTRUCTOR = ("case_", "rec_", "map_", "rel_", "pred_", "set", "size_", "corec_", "ctor_", "dtor_", "Abs_", "Rep_")
# Datatypes that were made from types with constructors of other names.
_REPRESENTED = {
    "Nat.nat": [("Groups.zero_class.zero", 0), ("Nat.Suc", 1)],
    "Product_Type.prod": [("Product_Type.Pair", 2)],
    "Extended_Nat.enat": [("Extended_Nat.enat", 1), ("Extended_Nat.infinity_class.infinity", 0)],
}
# Constructors that are constants of classes, and another one of the same datatype.
_OF_CLASSES = {"Groups.zero_class.zero": "Nat.Suc", "Extended_Nat.infinity_class.infinity": "Extended_Nat.enat"}
Tree = Any  # a rule's side: a name, ?x, or a list
Rule = tuple[Tree, Tree]


def leaves(side: Tree) -> Iterator[str]:
    """Names and variables of a rule's side."""
    if isinstance(side, str):
        yield side
    else:
        for part in side:
            yield from leaves(part)


@cache
def usual_notation() -> dict[str, Rows]:
    """The notation of Complex_Main by theory, ancestors first: for contexts of which no notation was mined."""
    from importlib.resources import files

    raw = files("isarstep.resources").joinpath("complex-main-notation.json.zst").read_bytes()
    return dict(json.loads(from_zstandard(raw)))


def _tupled(tree: Tree) -> Tree:
    return tuple(_tupled(part) for part in tree) if isinstance(tree, list) else tree


def leading_variables(arguments: Sequence[Term]) -> int:
    return next((i for i, argument in enumerate(arguments) if type(argument) is not Free), len(arguments))


class Language:
    """Notation, rules and names of the theories in `notations`, ancestors first."""

    def __init__(
        self,
        notations: Iterable[Rows],
        signature: Signature,
        abbreviations: Iterable[str] | None = None,
        rank: Rank | None = None,
        more_than: Language | None = None,
    ) -> None:
        """The last of `notations` is the theory in which one is; `abbreviations` saves looking for them; `rank` tells
        when names were declared, where the signature does not have them in that order; `more_than` is a language whose
        notations are the first ones."""
        self.notations = tuple(notations)
        self._more_than = more_than
        self.here: Rows = self.notations[-1] if self.notations else {}
        self.signature = signature
        self._abbreviations = abbreviations
        self._rank = rank
        self._datatypes: dict[str, tuple[str, list[tuple[str, int]]]] = {}
        self._inside: dict[str, Language] = {}
        self.guesses_locales = True  # may a name be one of a locale, though nobody has said that we are in one?
        # Fields in their order, by what their names begin with, where it is known.
        self.records: dict[str, list[str]] = {}

    @cached_property
    def imported(self) -> Language:
        """As a theory that imports these ones has it, before it declares anything: its own notation and that of the
        locale in which one is are the last two rows."""
        made = Language([*self.notations, {}, {}], self.signature, self.abbreviations, self._rank, self)
        made._datatypes, made.records = self._datatypes, self.records
        if self._rank is not None:  # types of theories that are not imported
            made.types.forget([name for name in self.signature.types if "." in name and self._rank(name) < 0])
        return made

    def copy(self, signature: Signature, here: Rows, inside: Rows) -> Language:
        """The same over a copy of the signature and of the last two rows: those of the theory in which one is, and of
        the locale."""
        made = copy(self)
        made.signature, made.here, made.notations = signature, here, (*self.notations[:-2], here, inside)
        made._datatypes, made._inside, made.records = dict(self._datatypes), {}, dict(self.records)
        for name in ("bundled", "classes", "constants", "grammar", "imported", "productions", "types"):
            made.__dict__.pop(name, None)
        forget_memo(made)
        made.productions, made.grammar = list(self.productions), Grammar((), self.grammar)
        made.constants, made.types = self.constants.copy(), self.types.copy()
        return made

    def rank_by(self, rank: Rank) -> None:
        """Tell by this when names were declared."""
        self._rank = self.constants.rank = self.types.rank = rank

    def _gathered(self, *fields: str) -> dict[Any, None]:
        """Rows of the first field (and others that only add), less those that a later theory takes away."""
        found: dict[Any, None] = {}
        for rows in self.notations:
            for field in fields:
                for row in rows.get(field, ()):
                    key = _tupled(row)
                    found.pop(key, None)
                    found[key] = None
                for row in rows.get("no_" + field, ()):
                    found.pop(_tupled(row), None)
        return found

    @cached_property
    def productions(self) -> list[Production]:
        first = self._grown_from
        if first is not None:
            own = [read_production(row) for rows in self._own for row in rows.get("productions", ())]
            return [*first.productions, *dict.fromkeys(each for each in own if each not in first._all_productions)]
        added: dict[Production, None] = {}
        for rows in self.notations:
            for row in rows.get("productions", ()):
                added[read_production(row)] = None
            for row in rows.get("no_productions", ()):
                added.pop(read_production(row), None)
        return list(added)

    @cached_property
    def _all_productions(self) -> frozenset[Production]:
        return frozenset(self.productions)

    @cached_property
    def grammar(self) -> Grammar:
        first = self._grown_from
        if first is not None:
            return Grammar(self.productions[len(first.productions) :], first.grammar)
        return Grammar([*PURE, *self.productions])

    @property
    def _own(self) -> tuple[Rows, ...]:
        """What the language of which this one is more does not have."""
        return self.notations if self._more_than is None else self.notations[len(self._more_than.notations) :]

    @property
    def _grown_from(self) -> Language | None:
        """The language of which this one is more, unless something of its notation is taken away here."""
        return None if any(rows.get("no_productions") for rows in self._own) else self._more_than

    @cached_property
    def lexicon(self) -> Lexicon:
        return Lexicon(self.grammar.delimiters)

    @cached_property
    def judgment(self) -> str | None:
        """The constant that makes a formula a proposition."""
        for rows in self.notations:
            for nonterminal, symbols, head, *_ in rows.get("productions", ()):
                if nonterminal == "prop" and len(symbols) == 1:
                    return str(head).removeprefix("\\<^const>")
        return None

    @property
    def print_rules(self) -> Iterable[Rule]:
        """Rules from what a term is to what is written, in the order of declaration: (written, term)."""
        return self._gathered("rules", "print_rules")

    @cached_property
    def parse_rules(self) -> dict[str, list[Rule]]:
        """Rules by the head of what they read, later ones first."""
        found: dict[str, list[Rule]] = {}
        for left, right in reversed(self._gathered("rules", "parse_rules")):
            found.setdefault(left if isinstance(left, str) else left[0], []).append((left, right))
        return found

    def takes_propositions(self, name: str) -> bool:
        """Is the constant a connective of propositions, as `=simp=>` is?"""
        return name in self._connectives

    @cached_property
    def _connectives(self) -> frozenset[str]:
        """From the grammar: constants whose notation is a proposition made of propositions."""
        return frozenset(
            str(head).removeprefix("\\<^const>")
            for rows in self.notations
            for nonterminal, symbols, head, *_ in rows.get("productions", ())
            if nonterminal in ("prop", "prop'") and any(s[0] in ("prop", "prop'") for s in symbols if type(s) is list)
        )

    home = ""  # what the names of constants begin with that the theory in which one is declares
    # Of the locale in which one is: structures, first the one that operations mean by themselves, and constants.
    structures: tuple[str, ...] = ()
    local: Mapping[str, Term] = MappingProxyType({})

    def inside(self, locale: str) -> Language:
        """The language inside a locale; the same where nothing is known of it."""
        rows = self._locales.get(locale)
        if rows is None:
            return self
        known = self._inside.get(locale)
        if known is None:
            known = Language([*self.notations, *rows], self.signature, self.abbreviations, self._rank, self)
            known.here, known.home, known.records = self.here, self.home, self.records
            known.structures = tuple(dict.fromkeys(name for row in rows for name in row.get("structures", ())))
            known.local = {name: decode(term) for row in rows for name, term in row.get("constants", ())}
            known._elsewhere = self._elsewhere
            self._inside[locale] = known
        return known

    def locales_of(self, fixed: Collection[str]) -> list[Language]:
        """Languages of locales in which one may be: all their parameters are fixed; those with most of them first."""
        fitting: list[tuple[int, int, str]] = []
        for number, (name, rows) in enumerate(self._locales.items()):
            parameters = [parameter for row in rows for parameter, _ in row.get("parameters", ())]
            if parameters and all(parameter in fixed for parameter in parameters):
                fitting.append((len(parameters), number, name))
        return [self.inside(name) for _, _, name in sorted(fitting, reverse=True)[:_MOST_LOCALES]]

    @property
    def has_locales(self) -> bool:
        return bool(self._elsewhere)

    @cached_property
    def _locales(self) -> dict[str, list[Rows]]:
        found: dict[str, list[Rows]] = {}
        for rows in self.notations:
            for row in rows.get("locales", ()):
                found.setdefault(row["name"], []).append(row)
        return found

    @cached_property
    def _elsewhere(self) -> dict[str, list[str]]:
        """What constants of locales stand for, by local name; a locale has those of its ancestors, too."""
        found: dict[str, list[str]] = {}
        for rows in self.notations:
            for row in rows.get("locales", ()):
                for name, term in row.get("constants", ()):
                    found.setdefault(name, []).append(term)
        return found

    def local_meaning(self, text: str, fixed: Container[str]) -> Term | None:
        """What a name means in this locale, if it is a constant of it, or of an ancestor whose parameters are fixed."""
        name = f"local.{text}"
        known = self.local.get(name)
        if known is not None or not self.guesses_locales:
            return known
        for term in reversed(self._elsewhere.get(name, ())):
            made = decode(term)
            if all(free.name in fixed for free in frees(made)):
                return made
        return None

    def parameters_of(self, constant: str) -> int:
        """How many variables of its locale a constant takes before anything else."""
        return self._parameters.get(constant, 0)

    @cached_property
    def _parameters(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for terms in self._elsewhere.values():
            for text in terms:
                head: Term = decode(text)
                while type(head) is Abs:
                    head = head.body
                name, arguments = applied_constant(head)
                if name:
                    found[name] = leading_variables(arguments)
        return found

    @cached_property
    def abbreviations(self) -> frozenset[str]:
        known = self._abbreviations
        return frozenset(abbreviations_of(self.signature.constants) if known is None else known)

    @cached_property
    def bundled(self) -> Language:
        """With the notation that theories switch on for a while."""
        known = self.signature.constants
        rows = [row for row in PRODUCTIONS if row[2].removeprefix("\\<^const>") in known or row[2].startswith("_")]
        more = Language([*self.notations, {"productions": rows}], self.signature, self.abbreviations, self._rank, self)
        more.here, more.structures, more.local, more.home = self.here, self.structures, self.local, self.home
        more._elsewhere, more.records = self._elsewhere, self.records
        return more

    def datatype(self, constructor: str) -> tuple[str, list[tuple[str, int]]]:
        """The case constant of a datatype and its constructors with their numbers of arguments, by one constructor."""
        known = self._datatypes.get(constructor)
        if known is None:
            known = self._datatypes[constructor] = self._find_datatype(constructor)
        return known

    def _find_datatype(self, constructor: str) -> tuple[str, list[tuple[str, int]]]:
        constants = self.signature.constants
        constructor = _OF_CLASSES.get(constructor, constructor)
        result = strip_fun(constants[constructor].type)[1] if constructor in constants else None
        if type(result) is not Type:
            raise UserError(f"case: {constructor} is no constructor")
        name = result.name
        splitter = f"{name}.case_{name.rpartition('.')[2]}"
        if splitter not in constants:
            raise UserError(f"case: {name} has no case constant")
        if name in _REPRESENTED:
            return splitter, _REPRESENTED[name]
        branches = strip_fun(constants[splitter].type)[0]
        count = next(i for i, typ in enumerate(branches) if type(typ) is Type and typ.name == name)
        made = {}
        for constant in constants:
            base = constant[len(name) + 1 :]
            if constant.startswith(name + ".") and "." not in base and not base.startswith(_NO_CONSTRUCTOR):
                result = strip_fun(constants[constant].type)[1]
                if type(result) is Type and result.name == name:
                    made[constant] = constants[constant].type
        if len(made) > count:
            made = {constant: typ for constant, typ in made.items() if constant[len(name) + 1].isupper()}
        if len(made) != count:
            raise UserError(f"case: the constructors of {name} are not known")
        return splitter, order_constructors(branches[:count], made, name)

    @cached_property
    def constants(self) -> NameSpace:
        return self._space(self.signature.constants, "names", "aliases", "hidden")

    @cached_property
    def types(self) -> NameSpace:
        return self._space([*self.signature.types, *self.synonyms], "type_names", "type_aliases", "hidden_types")

    @cached_property
    def classes(self) -> NameSpace:
        return NameSpace(self.signature.classes, self._rank)

    def _space(self, names: Iterable[str], special: str, aliases: str, hidden: str) -> NameSpace:
        space = NameSpace(names, self._rank)
        for rows in self.notations:
            for name, optional, base in rows.get(special, ()):
                space.optional[name] = optional
                if not base:
                    space.hidden[name] = True
            for name, alias, optional in rows.get(aliases, ()):
                space.alias(name, alias, optional)
            if rows is not self.here:  # what a theory hides is mostly hidden at its end
                for name, is_open in rows.get(hidden, ()):
                    space.hidden[name] = bool(is_open)
        for name, optional, _ in self.here.get(special, ()):
            if "0" not in optional[:-1]:  # `qualified`, or hidden at the end
                space.half_hidden.add(name)
        space.half_hidden.update(name for name, _ in self.here.get(hidden, ()))
        return space

    @cached_property
    def synonyms(self) -> dict[str, tuple[tuple[str, ...], Typ]]:
        """Type synonyms: their variables and what they stand for."""
        return {
            name: (tuple(variables), parse_type(typ))
            for rows in self.notations
            for name, variables, typ in rows.get("synonyms", ())
        }
