"""Read the Unicode form back: a precedence parser driven by the table of notations.

`read(to_unicode(t))` is t, with types and names of bound variables erased.
Every mistake is a `ReadError` that points at the character. The parser runs on its own stack, and refuses
text whose reading would take longer than about a second.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeAlias

from isarstep.logic.grammar import FormGrammar, FormNode, grammar
from isarstep.logic.infer import PROP
from isarstep.logic.lexing import UPDATE, Tokens, scan
from isarstep.logic.names import Names, unquote
from isarstep.logic.notation import APPLY, ARGUMENT, Enumeration
from isarstep.logic.patterns import (
    MAX_BITS,
    MAX_PAIRS,
    TAKES_PROPOSITIONS,
    TRUEPROP,
    Match,
    abstraction_of,
    is_meta,
    numeral,
    term_of_pattern,
)
from isarstep.logic.printing import sections
from isarstep.logic.reader import Statement, read_statement
from isarstep.logic.readerror import ReadError
from isarstep.logic.symbols import from_isabelle, to_isabelle
from isarstep.logic.terms import Abs, App, Bound, Const, Free, Term, Var, substitute, subterms

_MAX_DIGITS = MAX_BITS * 3 // 10
_MAX_OPEN = 60_000  # rules under way at once: about 20,000 levels of nesting
_AN_EXPRESSION = "an expression"


class _Proposition:
    """`PROP t`: a proposition that is no Trueprop. It may stand only where a proposition may."""

    __slots__ = ("position", "term")

    def __init__(self, term: Term, position: int) -> None:
        self.term = term
        self.position = position


_Value: TypeAlias = Term | _Proposition
# Applications and abstractions with the piece of text that each was read from: first character, character behind it.
Spans: TypeAlias = list[tuple[Term, int, int]]
# A rule of the grammar: it yields the rules that it needs read first, and is sent what they read.
_Rule: TypeAlias = Generator[Any, Any, _Value]


def read(text: str, names: Names, *, prop: bool = True, spans: Spans | None = None) -> Term:
    """The term that the text stands for; with `prop` a proposition, otherwise any term.

    `spans` is filled with where subterms stand, for whoever finds a mistake in the term later.
    """
    if names.language is not None:
        return read_marked(text, names, prop=prop, spans=spans).term
    rules = grammar(names.table)
    tokens = scan(text, names.table, rules.binders)
    return _Reader(tokens, names, rules, text, spans).run(prop)


def read_marked(text: str, names: Names, *, prop: bool = True, spans: Spans | None = None) -> Statement:
    """The same, with the types that the text names, if there is a language that can read them."""
    if names.language is None:
        term = read(text, names, prop=prop, spans=spans)
        return Statement(term, term)
    fixed = {to_isabelle(name) for name in names.fixed}
    found = read_statement(text, names.language, fixed, wanted=PROP if prop else None, spans=spans)

    def own(leaf: Free | Var) -> Term | None:
        return names.variable(from_isabelle(leaf.name)) if type(leaf) is Free else None

    term, marked = substitute(found.term, own), substitute(found.marked, own)
    pins = None if found.pinned is None else substitute(found.pinned, own)
    if spans is not None and marked is not found.marked:
        pairs = zip(subterms(found.marked), subterms(marked), strict=True)
        now = {id(old): new for old, new in pairs}
        spans[:] = [(now.get(id(old), old), begin, end) for old, begin, end in spans]
    return Statement(term, marked, pins)


class _Reader:
    def __init__(self, tokens: Tokens, names: Names, rules: FormGrammar, text: str, spans: Spans | None) -> None:
        self.text = text
        self.spans = spans
        self.tokens = tokens
        self.kinds = tokens.kinds
        self.texts = tokens.texts
        self.names = names
        self.rules = rules
        self.sections = sections(names.table)
        self.tuple_constant = next((e.cons for e in names.table.enumerations if e.nil is None), None)
        self.position = 0
        self.depth = 0
        self.scope: dict[str, list[int]] = {}  # name -> depths of the binders that have it, innermost last
        self.leaves: dict[str, Term] = {}

    def run(self, prop: bool) -> Term:
        stack: list[_Rule] = [self.expression(0)]
        begins = [0]  # where each rule under way began
        value: Any = None
        while stack:
            try:
                wanted = stack[-1].send(value)
            except StopIteration as finished:
                value = finished.value
                stack.pop()
                self.note(value, begins.pop())
            else:
                if len(stack) > _MAX_OPEN:
                    raise self.error("less nesting")
                stack.append(wanted)
                begins.append(self.position)
                value = None
        if self.kinds[self.position] != "end":
            raise self.error("an operator, an argument or the end")
        return self.proposition(value) if prop else self.term(value)

    def note(self, value: _Value, begin: int) -> None:
        """Remember where a term stands, if anybody wants to know."""
        if self.spans is not None and type(value) in (App, Abs):
            end = self.tokens.starts[self.position]
            while self.text[end - 1].isspace():
                end -= 1
            self.spans.append((value, self.tokens.starts[begin], end))  # type: ignore[arg-type]

    def error(self, expected: str, position: int | None = None) -> ReadError:
        i = self.position if position is None else position
        found = None if self.kinds[i] == "end" else "(" if self.texts[i] == UPDATE else self.texts[i]
        return ReadError(self.tokens.starts[i], found, expected)

    def proposition(self, value: _Value) -> Term:
        if isinstance(value, _Proposition):
            return value.term
        return value if is_meta(value) else App(Const(TRUEPROP), value)

    def term(self, value: _Value) -> Term:
        if isinstance(value, _Proposition):
            raise self.error("PROP only where a whole proposition stands", value.position)
        return value

    def expect(self, word: str) -> None:
        if self.texts[self.position] != word or self.kinds[self.position] != "symbol":
            raise self.error(repr(word))
        self.position += 1

    def at(self, word: str) -> bool:
        return self.texts[self.position] == word and self.kinds[self.position] == "symbol"

    # Expressions

    def expression(self, precedence: int) -> _Rule:
        """What begins here and binds at least so tightly."""
        kinds, texts = self.kinds, self.texts
        begin = self.position
        left: _Value
        if kinds[self.position] != "symbol":
            left = self.leaf()
        else:
            node = self.rules.begins.get(texts[self.position])
            after = node.last_place() if node is not None else None
            if node is not None and after is not None:
                self.position += 1
                operand = yield self.expression(node.slot_precedence)
                left = App(after.plain, self.term(operand))  # type: ignore[arg-type]
            else:
                left = yield self.beginning()
        level = 1001  # of the operator that made `left`
        continues, arguments = self.rules.continues, self.rules.arguments
        while True:
            kind, text = kinds[self.position], texts[self.position]
            if kind == "end":
                return left
            if kind == "symbol":
                node = continues.get(text)
                if node is not None:
                    if node.precedence < precedence:
                        return left
                    if node.precedence == level and not node.repeats:
                        raise self.error("brackets: operators like this do not follow one another")
                    self.position += 1
                    after = node.last_place()
                    if after is not None:  # nothing but a right operand can follow: spare a rule
                        right = yield self.expression(node.slot_precedence)
                        left = App(App(after.plain, self.term(left)), self.term(right))  # type: ignore[arg-type]
                    else:
                        left = yield self.follow(node, [left], self.position - 1)
                    level = node.precedence
                    self.note(left, begin)
                    continue
                if text not in arguments:
                    return left
            if precedence > APPLY:
                return left
            function = self.term(left)
            if kind == "symbol":
                argument = yield self.beginning()
                left = App(function, self.term(argument))
            else:
                left = App(function, self.leaf())
            self.note(left, begin)
            level = APPLY

    def beginning(self) -> _Rule:
        """A bracket, a function, or a notation that begins with a word or symbol."""
        text = self.texts[self.position]
        if text == "(":
            return self.bracket()
        if text == "λ":
            return self.function()
        if text == "PROP":
            return self.marked()
        node = self.rules.begins.get(text)
        if node is None:
            raise self.error(_AN_EXPRESSION)
        self.position += 1
        return self.follow(node, [], self.position - 1)

    def leaf(self) -> Term:
        kind, text = self.kinds[self.position], self.texts[self.position]
        if kind == "name":
            depths = self.scope.get(text)
            if depths:
                self.position += 1
                return Bound(self.depth - depths[-1])
            term = self.leaves.get(text)
            if term is None:
                found = self.names.read(text, self.depth)
                if found is None:
                    choices = self.names.alternatives(text)
                    more = " ..." if len(choices) > 4 else ""
                    raise self.error(f"a longer name, one of {', '.join(choices[:4])}{more}")
                term = found
                if type(term) is not Bound:
                    self.leaves[text] = term
        elif kind == "number":
            if len(text) > _MAX_DIGITS:
                raise self.error(f"a number of at most {_MAX_DIGITS} digits")
            value = int(text)
            term = numeral(value) if value > 1 else Const("Groups.one_class.one" if value else "Groups.zero_class.zero")
        elif kind == "free":
            term = Free(unquote(text))
        elif kind == "constant":
            term = Const(unquote(text))
        elif kind == "schematic":
            if text[1] == "«":
                name, _, index = text[1:].rpartition("»")
                term = self.schematic(unquote(name + "»"), index[1:])
            else:
                name, _, index = text[1:].partition(".")
                term = self.schematic(name, index)
        else:
            raise self.error(_AN_EXPRESSION)
        self.position += 1
        return term

    def schematic(self, name: str, index: str) -> Term:
        if len(index) > 9:
            raise self.error("an index of at most 9 digits")
        return Var(name, int(index or "0"))

    def bracket(self) -> _Rule:
        opening = self.position
        self.position += 1
        closing = self.tokens.closing[opening]
        if closing == opening + 2 and self.kinds[self.position] == "symbol":
            constant = self.sections.get(self.texts[self.position])
            if constant is not None:
                self.position += 2
                return Const(constant)
        elements: list[_Value] = [(yield self.expression(0))]
        while self.at(",") and self.tuple_constant is not None:
            self.position += 1
            elements.append((yield self.expression(0)))
        if self.position != closing:
            raise self.error("an operator, an argument, ',' or ')'")
        self.position += 1
        if len(elements) == 1:
            return elements[0]
        assert self.tuple_constant is not None
        result = self.term(elements.pop())
        pair = Const(self.tuple_constant)
        for element in reversed(elements):
            result = App(App(pair, self.term(element)), result)
        return result

    def marked(self) -> _Rule:
        start = self.position
        self.position += 1
        value = yield self.expression(ARGUMENT)
        return _Proposition(self.term(value), start)

    # Binders

    def function(self) -> _Rule:
        self.position += 1
        groups = [self.variables()]
        while not self.at("."):
            groups.append(self.variables())
        self.position += 1
        for group in groups:
            self.enter(group)
        body = self.term((yield self.expression(10)))
        for group in reversed(groups):
            self.leave(group)
            body = abstraction_of(group, body)
        return body

    def variables(self) -> list[str | None]:
        """A variable or nested tuples of variables, in prefix order."""
        if self.kinds[self.position] == "name":
            name = self.texts[self.position]
            if "." in name or name[-1] in "₀₁₂₃₄₅₆₇₈₉":
                raise self.error("the name of a bound variable, with no full stop and no subscript")
            self.position += 1
            return [name]
        if not self.at("("):
            raise self.error("the name of a bound variable")
        # Tuples that are still open: the patterns of their components.
        open_tuples: list[list[list[str | None]]] = []
        start = self.position
        while True:
            if self.position > start + 4 * MAX_PAIRS:
                raise self.error(f"at most {MAX_PAIRS} variables in a tuple")
            if self.at("("):
                open_tuples.append([])
                self.position += 1
                continue
            if self.kinds[self.position] != "name":
                raise self.error("the name of a bound variable or '('")
            part = self.variables()
            while True:
                open_tuples[-1].append(part)
                if self.at(","):
                    self.position += 1
                    break
                if not self.at(")") or len(open_tuples[-1]) < 2:
                    raise self.error("',' or ')'" if len(open_tuples[-1]) > 1 else "','")
                self.position += 1
                components = open_tuples.pop()
                part = components.pop()
                while components:
                    part = [None, *components.pop(), *part]
                if not open_tuples:
                    return part

    def enter(self, variables: list[str | None], visible: bool = True) -> None:
        for name in variables:
            if name is not None:
                self.depth += 1
                if visible:
                    self.scope.setdefault(name, []).append(self.depth)

    def leave(self, variables: list[str | None], visible: bool = True) -> None:
        for name in variables:
            if name is not None:
                self.depth -= 1
                if visible:
                    self.scope[name].pop()

    def is_binder(self, node: FormNode, start: int) -> bool:
        """Where both variables and an expression may stand: are these variables, with a full stop of their own?"""
        if start not in self.tokens.dotted or node.binder is None:
            return False
        i = self.position
        if self.texts[i] == "(" and self.kinds[i] == "symbol":
            i = self.tokens.closing[i]
        elif self.kinds[i] != "name":
            return False
        return self.kinds[i + 1] == "symbol" and self.texts[i + 1] in node.binder.words

    # Notations

    def follow(self, node: FormNode, values: list[_Value], start: int) -> _Rule:
        """Go on inside a notation until it is complete."""
        bound: list[list[str | None]] = []
        first = len(values)
        enumeration: Enumeration | None = node.enumeration
        while True:
            symbol = self.kinds[self.position] == "symbol"
            text = self.texts[self.position]
            if symbol and text in node.words:
                enumeration = None
                self.position += 1
                node = node.words[text]
            elif enumeration is not None and symbol and text in (",", enumeration.brackets[1]):
                result: Term = yield self.elements(enumeration, values, text)
                return result
            elif node.binder is not None and (node.slot is None or self.is_binder(node, start)):
                enumeration = None
                bound.append(self.variables())
                while node.several and (self.kinds[self.position] == "name" or self.at("(")):
                    bound.append(self.variables())
                node = node.binder
            elif node.slot is not None:
                where = node.slot_where
                if where != "outside":
                    for group in bound:
                        self.enter(group, where == "scoped")
                value = yield self.expression(node.slot_precedence)
                if where != "outside":
                    for group in reversed(bound):
                        self.leave(group, where == "scoped")
                values.append(value)
                node = node.slot
            elif node.notation is not None:
                return self.complete(node, values, bound)
            else:
                wanted = sorted(map(repr, node.words))
                if enumeration is not None and len(values) > first:
                    wanted += ["','", repr(enumeration.brackets[1])]
                raise self.error(" or ".join(wanted))

    def elements(self, enumeration: Enumeration, values: list[_Value], text: str) -> _Rule:
        if not values and text == ",":
            raise self.error(f"{_AN_EXPRESSION} or {enumeration.brackets[1]!r}")
        while self.at(","):
            self.position += 1
            values.append((yield self.expression(0)))
        self.expect(enumeration.brackets[1])
        assert enumeration.nil is not None
        result: Term = Const(enumeration.nil)
        cons = Const(enumeration.cons)
        for value in reversed(values):
            result = App(App(cons, self.term(value)), result)
        return result

    def complete(self, node: FormNode, values: list[_Value], bound: list[list[str | None]]) -> Term:
        if node.plain is not None:
            result: Term = node.plain
            for value in values:
                result = App(result, self.term(value))
            return result
        notation = node.notation
        assert notation is not None
        found = Match(len(values))
        for index, value in zip(node.order, values, strict=True):
            if notation.constant in TAKES_PROPOSITIONS:
                found.holes[index] = self.proposition(value)
            else:
                found.holes[index] = self.term(value)
        if not bound:
            return term_of_pattern(notation.pattern, found)
        found.variables = bound.pop()
        result = term_of_pattern(notation.pattern, found)
        for variables in reversed(bound):  # `∀x y. P`: the pattern is a constant applied to an abstraction
            result = App(Const(notation.constant), abstraction_of(variables, result))
        return result
