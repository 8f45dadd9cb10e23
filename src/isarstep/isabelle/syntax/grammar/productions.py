"""The grammar of a context, from the productions that were mined, arranged for the parser.

All nonterminals whose trees are terms (logic, any, prop, ...) are one here, `term`: what Isabelle keeps apart by them,
types keep apart afterwards. Pure's own grammar is not mined; it is short and written in `parsing`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from isarstep.isabelle.syntax.grammar.symbols import from_isabelle

TERM, TYPE = "term", "type"
_LITERALS = {"num_const", "float_const", "str_position"}  # numbers and strings are terms by themselves, without a rule
_SAME = {"logic": TERM, "any": TERM, "prop": TERM, "prop'": TERM, "aprop": TERM}

Symbol: TypeAlias = "str | tuple[str, int]"  # a delimiter, or an argument: its nonterminal and least priority


@dataclass(frozen=True, slots=True)
class Production:
    nonterminal: str
    symbols: tuple[Symbol, ...]
    head: str  # "": a copy of the one argument
    priority: int


class Node:
    """A place inside productions that begin alike: how they may go on, which are complete here. The grammar that made
    it, told by its mark, may change it; another one makes a copy."""

    __slots__ = ("ends", "highest", "mark", "places", "words")

    def __init__(self, mark: object = None) -> None:
        self.mark = mark
        self.words: dict[str, Node] = {}
        self.places: dict[tuple[str, int], Node] = {}  # by nonterminal and least priority
        self.ends: list[tuple[str, int]] = []  # head and priority
        self.highest = -1  # of the priorities of all that can end from here

    def of(self, mark: object) -> Node:
        """The same, to be changed by this grammar."""
        if self.mark is mark:
            return self
        made = Node(mark)
        made.words, made.places, made.ends, made.highest = {**self.words}, {**self.places}, [*self.ends], self.highest
        return made

    def add(self, production: Production, done: int) -> None:
        """Enter a production from its symbol number `done` on."""
        node = self
        for symbol in production.symbols[done:]:
            node.highest = max(node.highest, production.priority)
            table: dict[Any, Node] = node.words if isinstance(symbol, str) else node.places
            node = _grown(table, symbol, self.mark)
        node.highest = max(node.highest, production.priority)
        end = (production.head, production.priority)
        if end not in node.ends:
            node.ends.append(end)


def _grown(table: dict[Any, Node], key: Any, mark: object) -> Node:
    """The node of this key, to be changed by the grammar of this mark."""
    there = table.get(key)
    table[key] = made = Node(mark) if there is None else there.of(mark)
    return made


@dataclass(slots=True)
class NonterminalRules:
    """The productions of one nonterminal."""

    starts: Node = field(default_factory=Node)
    # By the delimiter behind a first argument of the same nonterminal: the priority that this argument needs.
    continues: dict[str, dict[int, Node]] = field(default_factory=dict)
    joined: dict[int, Node] = field(default_factory=dict)  # two arguments with nothing between them

    def of(self, mark: object) -> NonterminalRules:
        """The same, to be changed by this grammar."""
        if self.starts.mark is mark:
            return self
        continues = {word: {**nodes} for word, nodes in self.continues.items()}
        return NonterminalRules(self.starts.of(mark), continues, {**self.joined})


def read_production(row: list[Any]) -> Production:
    """A row of docs/graphs.md; blanks are for printing only."""
    nonterminal, symbols, head, priority = row[:4]
    made: list[Symbol] = []
    for symbol in symbols:
        if type(symbol) is str:
            made.append(from_isabelle(symbol))
        elif type(symbol) is not int:
            made.append((_SAME.get(symbol[0], symbol[0]), max(symbol[1], 0)))
    return Production(_SAME.get(nonterminal, nonterminal), tuple(made), head, 1000 if priority < 0 else priority)


class Grammar:
    """Rules by nonterminal, and the delimiters that cut a text into tokens."""

    def __init__(self, productions: Iterable[Production], more_than: Grammar | None = None) -> None:
        """Of these productions and all of another grammar, with which it shares what is alike."""
        self.rules: dict[str, NonterminalRules] = {} if more_than is None else {**more_than.rules}
        self.delimiters: set[str] = set() if more_than is None else {*more_than.delimiters}
        self._mark = object()
        for production in productions:
            self._add(production)

    def _add(self, production: Production) -> None:
        symbols, mark = production.symbols, self._mark
        self.delimiters.update(symbol for symbol in symbols if type(symbol) is str)
        there = self.rules.get(production.nonterminal)
        rules = NonterminalRules(Node(mark)) if there is None else there.of(mark)
        self.rules[production.nonterminal] = rules
        first = symbols[0]
        if isinstance(first, str) or first[0] != production.nonterminal:
            if first[0] not in _LITERALS or len(symbols) > 1:
                rules.starts.add(production, 0)
        elif len(symbols) == 1:
            return  # Trueprop and chains from a term to a term: types say where they belong
        elif isinstance(symbols[1], str):
            _grown(rules.continues.setdefault(symbols[1], {}), first[1], mark).add(production, 2)
        else:
            _grown(rules.joined, first[1], mark).add(production, 1)
