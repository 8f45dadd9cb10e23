"""Which simp rules a context has: what its theories declare, less what they take away. A benchmark of version 1 does
not know them, and then nothing is rewritten.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from isarstep.common.errors import UserError
from isarstep.isabelle.context.columns import ColumnValues
from isarstep.isabelle.context.monomorphisation import LOGICAL, Named
from isarstep.isabelle.context.theory_contexts import TheoryContext
from isarstep.isabelle.syntax.grammar.abbreviations import expand, unfolded
from isarstep.isabelle.terms.terms import Const, Term, subterms
from isarstep.isabelle.terms.tokens import decode
from isarstep.premises.fact_base import Library
from isarstep.prover.rewrite.rewriting import Rewrite, rewrites_of, rule_said

ADDED, TAKEN = "simp", "no simp"
# Rules may lead to these though a problem does not mention them.
BASIC = frozenset(
    {
        "Groups.zero_class.zero", "Groups.one_class.one", "Groups.plus_class.plus", "Groups.minus_class.minus",
        "Groups.times_class.times", "Orderings.ord_class.less", "Orderings.ord_class.less_eq", "Nat.Suc",
        "Set.empty", "Set.member", "Set.insert", "Orderings.bot_class.bot",
        "List.list.Nil", "Num.numeral_class.numeral", "Num.num.One",
    }
)  # fmt: skip
EQUATIONS = ".simps"  # how packages call the equations of a function
ROUNDS = 2
MOST_NEW = 1  # constants that a rule may bring
_CONSTANT = re.compile(r"CONST (\S+)")


@dataclass(frozen=True, slots=True)
class Declaration:
    """One row: a fact of the fact base (or a proposition of its own) becomes a rule, or is none any more."""

    kind: str
    fact: int | None
    text: str  # tokens
    row: int


class SimpRules:
    """The rules of all theories, from the rows that say so."""

    def __init__(self, rows: RuleRows) -> None:
        self._rows = rows
        self._known: dict[str, Sequence[Declaration]] = {}  # of the theories that were asked about
        self._constants = lru_cache(maxsize=None)(self._constants_of)
        self._added = lru_cache(maxsize=4)(self._added_in)  # examples come theory by theory
        self._rewrites = lru_cache(maxsize=50_000)(self._rewrites_of)
        self._about = lru_cache(maxsize=50_000)(self._about_of)
        self._left = lru_cache(maxsize=50_000)(self._left_of)

    def _constants_of(self, text: str) -> frozenset[str]:
        """As a problem has them, where abbreviations are unfolded."""
        return frozenset().union(*map(self._rows.meaning, _CONSTANT.findall(text)))

    def _abbreviated(self, declaration: Declaration) -> bool:
        return any(self._rows.meaning(name) != {name} for name in _CONSTANT.findall(declaration.text))

    def _rewrites_of(self, declaration: Declaration) -> tuple[Rewrite, ...]:
        named = self._rows.stated(declaration)
        return () if named is None else tuple(rewrites_of(named))

    def _about_of(self, declaration: Declaration) -> frozenset[str] | None:
        """To see what a rule is about takes no types, which take long."""
        prop = decode(declaration.text)
        if self._abbreviated(declaration):
            try:
                prop = self._rows.unfolded(prop)
            except UserError:
                return None
        return next((names_in(rule.left) for rule in rule_said(Named("", prop))), None)

    def _left_of(self, declaration: Declaration) -> tuple[str, frozenset[str]] | None:
        """Nor to see whether it can be applied, where no abbreviation hides it."""
        hidden = self._abbreviated(declaration)
        rules = self._rewrites(declaration) if hidden else rewrites_of(Named("", decode(declaration.text)))
        return next(((rule.head, names_in(rule.left)) for rule in rules), None)

    def near(
        self, theory_context: TheoryContext, usable: Callable[[int | None, str], bool], about: Iterable[str]
    ) -> Mapping[str, Sequence[Declaration]]:
        """The rules of a context that can be applied to terms of these constants, or to what such rules make of them,
        by the head of their left side. `usable` may refuse a fact of a theory."""
        known = BASIC | LOGICAL | set(about)
        found: dict[str, list[Declaration]] = {}
        done: set[int] = set()
        for _ in range(ROUNDS):
            more: set[str] = set()
            for theory, each in self._added(theory_context.theories):
                mentioned = self._constants(each.text)
                if each.row in done or len(mentioned - known) > MOST_NEW:
                    continue
                names = self._about(each)
                left = self._left(each) if names is not None and names <= known else None
                # Asked last: a rule's fact is looked up in a table, which takes longest.
                if left is not None and left[1] <= known and usable(each.fact, theory):
                    done.add(each.row)
                    more |= mentioned
                    found.setdefault(left[0], []).append(each)
            known |= more
        return found

    def _added_in(self, theories: frozenset[str] | None) -> Sequence[tuple[str, Declaration]]:
        """What these theories declare and do not take away, with the theory that does."""
        here = [theory for theory in self._rows.all_theories if theories is not None and theory in theories]
        unread = [theory for theory in here if theory not in self._known]  # together they take less time
        self._known.update(zip(unread, self._rows.declared(unread), strict=True))
        taken = {each.fact for theory in here for each in self._known[theory] if each.kind == TAKEN}
        return [
            (theory, each)
            for theory in here
            for each in self._known[theory]
            if each.kind == ADDED and (each.fact is None or each.fact not in taken)
        ]

    def rewrites(self, declarations: Iterable[Declaration]) -> Iterator[Rewrite]:
        """The rules themselves, typed."""
        return (rule for each in declarations for rule in self._rewrites(each))

    @staticmethod
    def of_benchmark(benchmark: Any, facts: Library) -> SimpRules | None:
        """None where the benchmark has no rules."""
        from isarstep.benchmark.store.layout import RULES, files_of

        return SimpRules(RuleRows(benchmark, facts)) if files_of(benchmark.manifest, RULES) else None


class RuleRows:
    """Rows of a benchmark's table of rules, and behind them the equations of functions: their packages declare them,
    which mined tables do not tell."""

    def __init__(self, benchmark: Any, facts: Library) -> None:
        from isarstep.benchmark.store.layout import RULES
        from isarstep.isabelle.context.fact_table import FACTS, type_of_constant

        self._benchmark, self._facts, self.meaning = benchmark, facts, facts.meaning
        table = benchmark.table(RULES, ["fact", "proposition"])
        self._numbers, self._own = (table[name].to_pylist() for name in ("fact", "proposition"))
        self._kinds, self._theories = (benchmark.repeated(RULES, name) for name in ("kind", "theory"))
        self._types: ColumnValues[list[int]] = ColumnValues(lambda: benchmark.column(RULES, "types"))
        self._stated_by: ColumnValues[int] = ColumnValues(lambda: benchmark.column(FACTS, "proposition"))
        self._general = type_of_constant(benchmark.signature)
        kinds = [n for n, kind in enumerate(self._kinds.different) if kind in (ADDED, TAKEN)]
        said = [a is not None or b is not None for a, b in zip(self._numbers, self._own, strict=True)]
        self._chosen = np.flatnonzero(np.isin(self._kinds.which, kinds) & np.array(said, np.bool_))
        self._by_theory = self._theories.only(self._chosen)
        self._places = {theory: place for place, theory in enumerate(self._by_theory.different)}
        self._listed = {self._numbers[row] for row in self._chosen.tolist()}
        self.all_theories = [*dict.fromkeys((*self._places, *benchmark.repeated(FACTS, "theory").different))]

    def unfolded(self, term: Term) -> Term:
        return unfolded(term, self._benchmark.signature)

    def declared(self, theories: Sequence[str]) -> list[list[Declaration]]:
        """Of each theory. The tokens are read together: a file is unpacked in large pieces."""
        of_each = [[*self._rows(theory), *self._equations(theory)] for theory in theories]
        every = [row for one in of_each for row in one]
        apart = [row for row in every if self._said_by(row) is not None]
        if len(apart) < len(every):
            self._facts.read(frozenset(theories))
        said = self._benchmark.propositions.lines([self._said_by(row) for row in apart])
        texts = dict(zip(apart, said, strict=True))
        made = [[self._declaration(row, texts.get(row)) for row in one] for one in of_each]
        return [[each for each in one if each.row < len(self._own) or self._by_patterns(each)] for one in made]

    def stated(self, declaration: Declaration) -> Named | None:
        from isarstep.isabelle.context.fact_table import typed
        from isarstep.isabelle.terms.type_text import parse_type

        row, benchmark = declaration.row, self._benchmark
        if row >= len(self._own) or self._own[row] is None:
            assert declaration.fact is not None
            return self._facts.fact(declaration.fact)
        unnamed = f"a rule of {self._theories[row]}"
        name = unnamed if declaration.fact is None else self._facts.name(declaration.fact)
        try:
            known = [parse_type(benchmark.types[number]) for number in self._types[row]]
            return Named(name, expand(typed(decode(declaration.text), known, self._general), benchmark.signature))
        except (UserError, StopIteration, AssertionError):
            return None  # a rule that cannot be read says nothing

    def _rows(self, theory: str) -> list[int]:
        place = self._places.get(theory)
        found: list[int] = [] if place is None else self._chosen[self._by_theory.places(place)].tolist()
        return found

    def _equations(self, theory: str) -> list[int]:
        """Those without names of their own: `List.take.take_Cons` would be in the table if it were still a rule."""
        facts = self._facts
        names = {fact: facts.theorem(fact) for fact in facts.of_theory(theory).tolist()}
        found = [fact for fact, name in names.items() if name.endswith(EQUATIONS) and fact not in self._listed]
        functions = {names[fact].removesuffix(EQUATIONS) for fact in found}
        labelled = {
            (function, self._stated_by[fact])
            for fact, name in names.items()
            if (function := name.rpartition(".")[0]) in functions and not name.endswith(EQUATIONS)
        }
        named = {fact for fact in found if (names[fact].removesuffix(EQUATIONS), self._stated_by[fact]) in labelled}
        return [len(self._own) + fact for fact in found if fact not in named]

    def _declaration(self, row: int, text: str | None) -> Declaration:
        behind = row - len(self._own)
        kind, fact = (ADDED, behind) if behind >= 0 else (self._kinds[row], self._numbers[row])
        return Declaration(kind, fact, text or self._facts.texts[fact], row)

    def _said_by(self, row: int) -> int | None:
        number: int | None = self._own[row] if row < len(self._own) else self._stated_by[row - len(self._own)]
        return number

    def _by_patterns(self, equation: Declaration) -> bool:
        assert equation.fact is not None
        return has_patterns(equation.text, self._facts.theorem(equation.fact).removesuffix(EQUATIONS))


def has_patterns(equation: str, function: str) -> bool:
    """Is it an equation of the function at something that is no variable?"""
    before, _, left = equation.partition(f"CONST HOL.eq $ ( CONST {function} $ ")
    if before != "CONST HOL.Trueprop $ ( ":
        return False
    depth = 1
    for word in left.split():
        depth += (word == "(") - (word == ")")
        if word == "CONST" or depth == 0:
            return depth > 0
    return False


def names_in(term: Term) -> frozenset[str]:
    return frozenset([node.name for node in subterms(term) if type(node) is Const])
