"""A parser for the grammar of a context: all readings of a text, as syntax trees.

A tree is a leaf or a tuple of a head and its arguments, as Isabelle's are; a leaf is a constant of the syntax (`str`)
or a `Token` of the text. Every place is read once for each priority asked of it, and only what may follow is kept, so
ordinary formulas take a few steps a token.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from isarstep.isabelle.syntax.grammar.inner_tokens import InnerTokens
from isarstep.isabelle.syntax.grammar.productions import TERM, TYPE, Grammar, Node, NonterminalRules, Production
from isarstep.isabelle.terms.read_error import ReadError

_CONST = "\\<^const>"
MAX_PRIORITY = 1000
APPLICATION = 999
_MAX_READINGS = 24  # of one piece of text; beyond, nobody could choose
_MAX_AGENDA = 5000  # pieces of text that begin at one place


class Token(str):
    """A name, a variable, a number or a string of the text, with its kind and the character where it stands."""

    __slots__ = ("kind", "start")
    kind: str
    start: int


def token(kind: str, text: str, start: int = -1) -> Token:
    made = Token(text)
    made.kind = kind
    made.start = start
    return made


Tree: TypeAlias = Any  # a `Token`, a `str`, or a tuple of a head and trees
Result: TypeAlias = tuple[int, Tree, int]  # the token behind it, the tree, its priority
Arguments: TypeAlias = tuple[Any, Tree]  # those before (None: it is the first), and the last argument


def _pure() -> list[Production]:
    """Pure's grammar, but for names, applications, variables of binders and types, which the parser knows."""
    rows: list[tuple[str, list[str | tuple[str, int]], str, int]] = []
    for implies in ("⟹", "==>"):
        rows.append((TERM, [(TERM, 2), implies, (TERM, 1)], _CONST + "Pure.imp", 1))
        for opening, closing in (("⟦", "⟧"), ("[|", "|]")):
            rows.append((TERM, [opening, ("asms", 0), closing, implies, (TERM, 1)], "_bigimpl", 1))
    rows += [(TERM, [(TERM, 3), symbol, (TERM, 3)], _CONST + "Pure.eq", 2) for symbol in ("≡", "==")]
    rows += [(TERM, [symbol, ("pttrns", 0), ".", (TERM, 3)], "_lambda", 3) for symbol in ("λ", "%")]
    rows += [(TERM, [symbol, ("idts", 0), ".", (TERM, 0)], "\\<^binder>Pure.all", 0) for symbol in ("⋀", "!!")]
    rows += [
        (TERM, [(TERM, 3), "&&&", (TERM, 2)], _CONST + "Pure.conjunction", 2),
        (TERM, [(TERM, 4), "::", (TYPE, 0)], "_constrain", 3),
        (TERM, ["(", (TERM, 0), ")"], "", MAX_PRIORITY),
        (TERM, ["_"], "_dummy", MAX_PRIORITY),
        (TERM, ["…"], "_DDDOT", MAX_PRIORITY),
        (TERM, ["..."], "_DDDOT", MAX_PRIORITY),
        (TERM, ["PROP", (TERM, APPLICATION)], "_aprop", APPLICATION),
        (TERM, ["TYPE", "(", (TYPE, 0), ")"], "_TYPE", MAX_PRIORITY),
        (TERM, ["CONST", ("id", 0)], "_const", MAX_PRIORITY),
        ("asms", [(TERM, 0), ";", ("asms", 0)], "_asms", 0),
        ("asms", [(TERM, 0)], "_asm", 0),
        ("args", [(TERM, 0), ",", ("args", 0)], "_args", MAX_PRIORITY),
        ("args", [(TERM, 0)], "", MAX_PRIORITY),
        ("idt", ["_"], "_idtdummy", MAX_PRIORITY),
        ("idt", ["(", ("idt", 0), ")"], "", MAX_PRIORITY),
        ("pttrn", ["(", ("pttrn", 0), ")"], "", MAX_PRIORITY),
        (TYPE, ["(", (TYPE, 0), ")"], "", MAX_PRIORITY),
        (TYPE, ["_"], "_dummy", MAX_PRIORITY),
        (TYPE, ["[", ("types", 0), "]", "⇒", (TYPE, 0)], "_bracket", 0),
        (TYPE, ["(", (TYPE, 0), ",", ("types", 0), ")", ("id", 0)], "_tappl", MAX_PRIORITY),
        (TYPE, [(TYPE, 1), "⇒", (TYPE, 0)], "\\<^type>fun", 0),
        (TYPE, [(TYPE, 1), "=>", (TYPE, 0)], "\\<^type>fun", 0),
        ("types", [(TYPE, 0), ",", ("types", 0)], "_types", MAX_PRIORITY),
        ("types", [(TYPE, 0)], "", MAX_PRIORITY),
        ("sort", ["{}"], "_topsort", MAX_PRIORITY),
        ("sort", ["{", ("classes", 0), "}"], "_sort", MAX_PRIORITY),
        ("classes", [("id", 0), ",", ("classes", 0)], "_classes", MAX_PRIORITY),
        ("classes", [("id", 0)], "", MAX_PRIORITY),
        ("index", ["⇩", (TERM, MAX_PRIORITY)], "_index", MAX_PRIORITY),
        ("index", ["⇘", (TERM, 0), "⇙"], "_index", MAX_PRIORITY),
    ]
    return [Production(n, tuple(symbols), head, priority) for n, symbols, head, priority in rows]


PURE = _pure()
_NAMES = {"id", "longid", "id_position", "longid_position", "type_name", "class_name", "name_position"}
_NUMBERS = {"num_const", "num_position", "num_token", "num"}
_STRINGS = {"str_position", "str_token", "string_position", "string_token"}
_FLOATS = {"float_const", "float_position", "float_token"}
_WORDS = {"var": "schematic", "var_position": "schematic", "tid": "tid", "tid_position": "tid", "tvar": "tvar"}
_KINDS = {
    **dict.fromkeys(_NAMES, "name"), **dict.fromkeys(_NUMBERS, "number"), **dict.fromkeys(_STRINGS, "str"),
    **dict.fromkeys(_FLOATS, "float"), **_WORDS,
}  # fmt: skip
_LITERALS = {"number": "_Numeral", "float": "_Float", "str": "_String"}


def in_order(arguments: Arguments | None) -> list[Tree]:
    """The arguments, first to last."""
    found = []
    while arguments is not None:
        arguments, last = arguments
        found.append(last)
    return found[::-1]


def row_of(head: str, tree: Tree) -> list[Tree]:
    """The members of a row that is nested to the right."""
    found = []
    while type(tree) is tuple and tree[0] == head:
        found.append(tree[1])
        tree = tree[2]
    return [*found, tree]


def parse_trees(grammar: Grammar, tokens: InnerTokens, nonterminal: str = TERM) -> list[Tree]:
    """All trees of the whole text; an error that says how far it could be read when there are none."""
    parser = _Parser(grammar, tokens)
    try:
        found = parser.read(nonterminal, 0, 0)
    except RecursionError:
        raise ReadError(0, tokens.texts[0], "less nesting") from None
    last = len(tokens.kinds) - 1
    trees = [tree for end, tree, _ in found if end == last]
    if not trees:
        raise parser.error()
    return trees


def _limited(found: list[Result]) -> list[Result]:
    """At most so many readings of each piece of text."""
    counts: dict[int, int] = {}
    kept = []
    for result in found:
        counts[result[0]] = counts.get(result[0], 0) + 1
        if counts[result[0]] <= _MAX_READINGS:
            kept.append(result)
    return kept


class _Parser:
    def __init__(self, grammar: Grammar, tokens: InnerTokens) -> None:
        self.rules = grammar.rules
        self.kinds, self.texts, self.starts = tokens.kinds, tokens.texts, tokens.starts
        self.known: dict[tuple[str, int, int], list[Result]] = {}
        self.furthest = 0
        self.wanted: set[str] = set()

    def error(self) -> ReadError:
        found = self.texts[self.furthest] if self.kinds[self.furthest] != "end" else None
        words = sorted(word for word in self.wanted if word)
        expected = " or ".join(repr(word) for word in words) if 0 < len(words) < 6 else "an operator or the end"
        if "" in self.wanted:
            expected = "an expression"
        return ReadError(self.starts[self.furthest], found, expected)

    def miss(self, position: int, words: Iterable[str]) -> None:
        """Note how far some reading has come, and what it wanted there."""
        if position > self.furthest:
            self.furthest = position
            self.wanted = set(words)
        elif position == self.furthest:
            self.wanted.update(words)

    def read(self, nonterminal: str, low: int, position: int) -> list[Result]:
        """What of this nonterminal begins here, with at least this priority."""
        key = (nonterminal, low, position)
        found = self.known.get(key)
        if found is None:
            self.known[key] = []  # what begins with itself reads nothing
            kind = _KINDS.get(nonterminal)
            if kind is not None:
                found = self.word(kind, position)
            elif nonterminal in _SPECIAL:
                found = _SPECIAL[nonterminal](self, low, position)
            else:
                found = self.extend(nonterminal, low, self.begin(nonterminal, low, position))
            if len(found) > _MAX_READINGS:
                found = _limited(found)
            self.known[key] = found
        return found

    def word(self, kind: str, position: int) -> list[Result]:
        if self.kinds[position] != kind:
            return []
        return [(position + 1, token(kind, self.texts[position], self.starts[position]), MAX_PRIORITY)]

    def walk(self, node: Node, low: int, position: int, children: tuple[Tree, ...], found: list[Result]) -> None:
        """Whatever can be read from this place inside productions on, with at least this priority."""
        for head, priority in node.ends:
            if priority >= low:
                tree = (head, *children) if head and children else head or children[0]
                found.append((position, tree, priority))
        words = node.words
        if words:
            after = words.get(self.texts[position]) if self.kinds[position] == "delimiter" else None
            if after is None:
                if children and position >= self.furthest:
                    self.miss(position, words)
            elif after.highest >= low:
                self.walk(after, low, position + 1, children, found)
        for (nonterminal, least), after in node.places.items():
            if after.highest >= low:
                for end, tree, _ in self.read(nonterminal, least, position):
                    self.walk(after, low, end, (*children, tree), found)

    def begin(self, nonterminal: str, low: int, position: int) -> list[Result]:
        """What begins with a delimiter, or with something of another nonterminal."""
        found: list[Result] = []
        rules = self.rules.get(nonterminal)
        if rules is not None:
            self.walk(rules.starts, low, position, (), found)
        return found

    def extend(self, nonterminal: str, low: int, agenda: list[Result]) -> list[Result]:
        """Go on with operators behind what was read, as long as priorities allow."""
        rules = self.rules.get(nonterminal) or NonterminalRules()
        kinds, texts, continues, joined = self.kinds, self.texts, rules.continues, rules.joined
        found: list[Result] = []
        for result in agenda:  # grows on the way
            end, tree, priority = result
            if priority >= low:
                found.append(result)
            kind = kinds[end]
            if kind == "delimiter" and texts[end] in continues:
                for least, node in continues[texts[end]].items():
                    if priority >= least and node.highest >= low:
                        self.walk(node, low, end + 1, (tree,), agenda)
            for least, node in joined.items():
                if priority >= least and node.highest >= low:
                    self.walk(node, low, end, (tree,), agenda)
            if nonterminal == TERM:
                if priority == MAX_PRIORITY and low <= APPLICATION and kind != "end":
                    agenda += self.application(end, tree)
            elif nonterminal == TYPE and priority == MAX_PRIORITY and kind == "name":
                name = token("name", texts[end], self.starts[end])
                agenda.append((end + 1, ("_tapp", tree, name), MAX_PRIORITY))
            if len(agenda) > _MAX_AGENDA:
                raise ReadError(self.starts[end], texts[end] or None, "fewer operators, or more brackets")
        return found

    def application(self, position: int, function: Tree) -> list[Result]:
        """A function with as many arguments as follow; several readings of an argument are several applications."""
        made: list[tuple[int, Arguments | None]] = [(position, None)]
        done: list[Result] = []
        while made:
            following: list[tuple[int, Arguments | None]] = []
            for end, before in made:
                arguments = self.read(TERM, MAX_PRIORITY, end)
                following += [(after, (before, argument)) for after, argument, _ in arguments]
                if before is not None and not arguments:
                    done.append((end, ("_applC", function, *in_order(before)), APPLICATION))
            made = following[:_MAX_READINGS]
        return done

    # What Pure's own nonterminals read

    def term(self, low: int, position: int) -> list[Result]:
        kind = self.kinds[position]
        if kind == "delimiter":
            agenda = self.begin(TERM, low, position)
            if not agenda:
                self.want(low, position)
        elif kind in ("name", "schematic"):
            leaf = token(kind, self.texts[position], self.starts[position])
            agenda = [(position + 1, leaf, MAX_PRIORITY)]
            if self.rules[TERM].starts.places:  # notation that begins with a pattern
                agenda += self.begin(TERM, low, position)
        elif kind in _LITERALS:
            leaf = token(kind, self.texts[position], self.starts[position])
            agenda = [(position + 1, (_LITERALS[kind], leaf), MAX_PRIORITY)]
        else:
            self.want(low, position)
            return []
        return self.extend(TERM, low, agenda)

    def want(self, low: int, position: int) -> None:
        """An expression was wanted; an argument of a function only may stand there."""
        self.miss(position, () if low == MAX_PRIORITY else ("",))

    def variable(self, low: int, position: int) -> list[Result]:
        """A variable of a binder, with its type or without."""
        found = self.begin("idt", low, position)
        if self.kinds[position] == "name":
            found = [(position + 1, token("name", self.texts[position], self.starts[position]), MAX_PRIORITY), *found]
        typed = []
        for end, tree, _ in found:
            if self.texts[end] == "::" and self.kinds[end] == "delimiter" and low == 0:
                typed += [(after, ("_constrain", tree, typ), 0) for after, typ, _ in self.read(TYPE, 0, end + 1)]
        return typed + found

    def pattern(self, low: int, position: int) -> list[Result]:
        found = self.read("idt", low, position) + self.begin("pttrn", low, position)
        return list(dict.fromkeys(found))

    def several(self, one: str, head: str, low: int, position: int) -> list[Result]:
        """One or more, nested to the right; the longest row first. As in Pure, only the last one has a type without
        brackets: `f :: nat ⇒ nat set` is one variable."""
        found: list[Result] = []
        for end, tree, _ in self.read(one, max(low, 1), position):
            for after, rest, _ in self.read(one + "s", low, end):
                found.append((after, (head, tree, rest), MAX_PRIORITY))
        return found + self.read(one, low, position)

    def type(self, low: int, position: int) -> list[Result]:
        kind = self.kinds[position]
        agenda: list[Result] = []
        if kind == "delimiter":
            agenda = self.begin(TYPE, low, position)
        elif kind in ("name", "tid", "tvar"):
            leaf = token(kind, self.texts[position], self.starts[position])
            agenda = [(position + 1, leaf, MAX_PRIORITY)]
            if kind != "name" and self.texts[position + 1] == "::":
                sorts = self.read("sort", 0, position + 2)
                agenda = [(end, ("_ofsort", leaf, sort), MAX_PRIORITY) for end, sort, _ in sorts] + agenda
        else:
            self.miss(position, ("",))
        return self.extend(TYPE, low, agenda)

    def sort(self, low: int, position: int) -> list[Result]:
        if self.kinds[position] == "name":
            return self.word("name", position)
        return self.begin("sort", low, position)

    def structure(self, low: int, position: int) -> list[Result]:
        """The index of an operation, left out or given."""
        return [*self.begin("index", low, position), (position, ("_index", "_struct"), MAX_PRIORITY)]


_SPECIAL = {
    TERM: _Parser.term,
    TYPE: _Parser.type,
    "idt": _Parser.variable,
    "pttrn": _Parser.pattern,
    "idts": lambda parser, low, position: parser.several("idt", "_idts", low, position),
    "pttrns": lambda parser, low, position: parser.several("pttrn", "_pttrns", low, position),
    "sort": _Parser.sort,
    "index": _Parser.structure,
}
# Nonterminals that are known without any production of a theory.
NONTERMINALS = frozenset((*_SPECIAL, *_KINDS, "logic", "any", "prop", "args", "asms", "types", "classes"))
