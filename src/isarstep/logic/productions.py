"""The grammar of a context, from the productions that were mined, arranged for the parser.

All nonterminals whose trees are terms (logic, any, prop, ...) are one here, `term`: what Isabelle keeps apart by them,
types keep apart afterwards. Pure's own grammar is not mined; it is short and written in `parsing`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from isarstep.logic.symbols import from_isabelle

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
    """A place inside productions that begin alike: how they may go on, which are complete here."""

    __slots__ = ("ends", "highest", "places", "words")

    def __init__(self) -> None:
        self.words: dict[str, Node] = {}
        self.places: list[tuple[str, int, Node]] = []
        self.ends: list[tuple[str, int]] = []  # head and priority
        self.highest = -1  # of the priorities of all that can end from here

    def add(self, production: Production, done: int) -> None:
        """Enter a production from its symbol number `done` on."""
        node = self
        for symbol in production.symbols[done:]:
            node.highest = max(node.highest, production.priority)
            node = node._next(symbol)
        node.highest = max(node.highest, production.priority)
        end = (production.head, production.priority)
        if end not in node.ends:
            node.ends.append(end)

    def _next(self, symbol: Symbol) -> Node:
        if isinstance(symbol, str):
            return self.words.setdefault(symbol, Node())
        nonterminal, low = symbol
        for known, known_low, node in self.places:
            if known == nonterminal and known_low == low:
                return node
        self.places.append((nonterminal, low, Node()))
        return self.places[-1][2]


@dataclass(slots=True)
class NonterminalRules:
    """The productions of one nonterminal."""

    starts: Node = field(default_factory=Node)
    # By the delimiter behind a first argument of the same nonterminal: the priority that this argument needs.
    continues: dict[str, list[tuple[int, Node]]] = field(default_factory=dict)
    joined: list[tuple[int, Node]] = field(default_factory=list)  # two arguments with nothing between them


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

    def __init__(self, productions: Iterable[Production]) -> None:
        self.rules: dict[str, NonterminalRules] = {}
        self.delimiters: set[str] = set()
        for production in productions:
            self._add(production)

    def _add(self, production: Production) -> None:
        symbols = production.symbols
        self.delimiters.update(symbol for symbol in symbols if type(symbol) is str)
        rules = self.rules.setdefault(production.nonterminal, NonterminalRules())
        first = symbols[0]
        if isinstance(first, str) or first[0] != production.nonterminal:
            if first[0] not in _LITERALS or len(symbols) > 1:
                rules.starts.add(production, 0)
        elif len(symbols) == 1:
            return  # Trueprop and chains from a term to a term: types say where they belong
        elif isinstance(symbols[1], str):
            _at(rules.continues.setdefault(symbols[1], []), first[1]).add(production, 2)
        else:
            _at(rules.joined, first[1]).add(production, 1)


def _at(nodes: list[tuple[int, Node]], low: int) -> Node:
    for known, node in nodes:
        if known == low:
            return node
    nodes.append((low, Node()))
    return nodes[-1][1]
