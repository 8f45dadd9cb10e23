"""Which simp rules a world has: what its theories declare, less what they take away. A benchmark of version 1 does not
know them, and then nothing is rewritten.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from isarstep.bench.worlds import World
from isarstep.check.facts import FactBase
from isarstep.check.monomorphise import LOGICAL, Named
from isarstep.check.rewriting import Rewrite, rewrites_of
from isarstep.errors import UserError
from isarstep.logic.abbreviations import expand
from isarstep.logic.terms import Term, constants
from isarstep.logic.tokens import decode

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


class _Declarations(Mapping[str, Sequence[Declaration]]):
    """Those of each theory, made when somebody asks for them."""

    def __init__(self, rows: Mapping[str, Sequence[int]], made: Callable[[int], Declaration]) -> None:
        self._rows = rows
        self._of = lru_cache(maxsize=None)(lambda theory: [made(row) for row in rows[theory]])

    def __getitem__(self, theory: str) -> Sequence[Declaration]:
        return self._of(theory)

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


class SimpRules:
    """The rules of all theories; `stated` makes the typed proposition of a row."""

    def __init__(
        self,
        declared: Mapping[str, Sequence[Declaration]],
        stated: Callable[[Declaration], Named | None],
        meaning: Callable[[str], frozenset[str]] = lambda name: frozenset({name}),
        read: Callable[[frozenset[str] | None], None] = lambda _theories: None,
    ) -> None:
        self._declared, self._read = declared, read
        self._constants = lru_cache(maxsize=None)(lambda text: _constants(text, meaning))

        def rewrites(declaration: Declaration) -> tuple[Rewrite, ...]:
            named = stated(declaration)
            return () if named is None else tuple(rewrites_of(named))

        def left(declaration: Declaration) -> tuple[str, frozenset[str]] | None:
            # To see what a rule is about takes no types, which take long, but abbreviations hide it.
            prop = decode(declaration.text)
            if any(meaning(name) != {name} for name in names_in(prop)):
                rules: Iterable[Rewrite] = self._rewrites(declaration)
            else:
                rules = rewrites_of(Named("", prop))
            return next(((rule.head, names_in(rule.left)) for rule in rules), None)

        self._added = lru_cache(maxsize=4)(self._added_in)  # examples come theory by theory
        self._rewrites = lru_cache(maxsize=50_000)(rewrites)
        self._left = lru_cache(maxsize=50_000)(left)

    def near(
        self, world: World, usable: Callable[[int | None, str], bool], about: Iterable[str]
    ) -> Mapping[str, Sequence[Declaration]]:
        """The rules of a world that can be applied to terms of these constants, or to what such rules make of them, by
        the head of their left side. `usable` may refuse a fact of a theory."""
        known = BASIC | LOGICAL | set(about)
        found: dict[str, list[Declaration]] = {}
        done: set[int] = set()
        for _ in range(ROUNDS):
            more: set[str] = set()
            for theory, each in self._added(world.theories):
                mentioned = self._constants(each.text)
                if each.row in done or len(mentioned - known) > MOST_NEW or not usable(each.fact, theory):
                    continue
                left = self._left(each)
                if left is not None and left[1] <= known:
                    done.add(each.row)
                    more |= mentioned
                    found.setdefault(left[0], []).append(each)
            known |= more
        return found

    def _added_in(self, theories: frozenset[str] | None) -> Sequence[tuple[str, Declaration]]:
        """What these theories declare and do not take away, with the theory that does."""
        self._read(theories)
        here = [theory for theory in self._declared if theories is not None and theory in theories]
        taken = {each.fact for theory in here for each in self._declared[theory] if each.kind == TAKEN}
        return [
            (theory, each)
            for theory in here
            for each in self._declared[theory]
            if each.kind == ADDED and (each.fact is None or each.fact not in taken)
        ]

    def rewrites(self, declarations: Iterable[Declaration]) -> Iterator[Rewrite]:
        """The rules themselves, typed."""
        return (rule for each in declarations for rule in self._rewrites(each))

    @staticmethod
    def of_benchmark(benchmark: Any, facts: FactBase) -> SimpRules | None:
        """None where the benchmark has no rules."""
        from isarstep.bench.facts import type_of_constant, typed
        from isarstep.bench.layout import RULES, files_of
        from isarstep.logic.typestrings import parse_type

        if not files_of(benchmark.manifest, RULES):
            return None
        table = benchmark.table(RULES)
        kinds, theories = table["kind"].to_pylist(), table["theory"].to_pylist()
        numbers, own, types = (table[name].to_pylist() for name in ("fact", "proposition", "types"))
        general = type_of_constant(benchmark.signature)
        rows: dict[str, list[int]] = {}
        for row, kind in enumerate(kinds):
            if kind in (ADDED, TAKEN) and (numbers[row] is not None or own[row] is not None):
                rows.setdefault(theories[row], []).append(row)

        def declaration(row: int) -> Declaration:
            text = facts.texts[numbers[row]] if own[row] is None else benchmark.propositions[own[row]]
            return Declaration(kinds[row], numbers[row], text, row)

        def stated(declaration: Declaration) -> Named | None:
            row = declaration.row
            if own[row] is None:
                assert declaration.fact is not None
                return facts.fact(declaration.fact)
            name = f"a rule of {theories[row]}" if declaration.fact is None else facts.name(declaration.fact)
            try:
                known = [parse_type(benchmark.types[number]) for number in types[row]]
                return Named(name, expand(typed(decode(declaration.text), known, general), benchmark.signature))
            except (UserError, StopIteration, AssertionError):
                return None  # a rule that cannot be read says nothing

        return SimpRules(_Declarations(rows, declaration), stated, facts.meaning, facts.read)


@lru_cache(maxsize=50_000)
def names_in(term: Term) -> frozenset[str]:
    return frozenset(constant.name for constant in constants(term))


def _constants(text: str, meaning: Callable[[str], frozenset[str]]) -> frozenset[str]:
    """As a problem has them, where abbreviations are unfolded."""
    return frozenset().union(*map(meaning, _CONSTANT.findall(text)))
