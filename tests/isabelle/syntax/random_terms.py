"""Random terms that exercise the notations; they are not typed, and the printer must not care.

Every constant of the table gets too few, enough and too many arguments, patterns are filled with anything, names are awkward.
"""

import random

from isarstep.isabelle.syntax.grammar.notation import Notation, NotationTable
from isarstep.isabelle.syntax.grammar.patterns import CASE_PROD, NUMERAL, TRUEPROP, Match, Variables, numeral
from isarstep.isabelle.terms.terms import (
    Abs,
    App,
    Bound,
    Const,
    Free,
    Term,
    Var,
    list_comb,
    schematics,
    strip_comb,
    subterms,
)

NAMES = [
    "x", "y", "i", "f", "A", "n", "<X0>", "<X12>", "<V0>", "<X01>", "x₀", "v₁", "b₀", "card", "Set.insert", "if", "in", "λ", "",
    "«a»", "‹b›", "a b", "x.y", "x'", "∀", "1", "PROP", "»", "?x", "Π", "α", "π", "\\<sigma>", "x\\<^sub>1", "a⇩1", ".", "..",
    "local.span", "Foo.bar", "(", "_", "x_", "x__", "lim", "has_sum", "O", "e\u0301", "\u00a0", "\n",
]  # fmt: skip
CONSTANTS = [
    TRUEPROP, NUMERAL, CASE_PROD, "Num.num.Bit0", "Num.num.Bit1", "Num.num.One", "Pure.imp", "Pure.all", "Pure.eq",
    "Pure.conjunction", "Groups.zero_class.zero", "Groups.one_class.one", "Nat.Suc", "local.span", "card", "Foo.card",
    "Finite_Set.card", "\\<odd>", "a b", "x", "x₀", "Set.image", "List.list.Nil", "Set.empty", "Product_Type.Pair",
]  # fmt: skip


class Maker:
    """Makes terms from one seed."""

    def __init__(self, seed: int, table: NotationTable) -> None:
        self.random = random.Random(seed)
        self.table = table
        self.chains = [(e.cons, e.nil) for e in table.enumerations]
        self.constants = CONSTANTS + sorted({notation.constant for notation in table.notations})

    def leaf(self, depth: int) -> Term:
        kind = self.random.randrange(10)
        if kind < 3 and depth:
            return Bound(self.random.randrange(depth))
        if kind < 5:
            return Const(self.random.choice(self.constants))
        if kind < 7:
            return Free(self.random.choice(NAMES))
        if kind < 8:
            return Var(self.random.choice(NAMES), self.random.choice([0, 0, 0, 3]))
        if kind < 9:
            return Free(f"<X{self.random.randrange(30)}>")
        return Bound(self.random.randrange(4)) if self.random.random() < 0.1 else Const("Groups.one_class.one")

    def term(self, size: int, depth: int = 0) -> Term:
        if size <= 1:
            return self.leaf(depth)
        kind = self.random.randrange(10)
        if kind == 0:
            return self.function(size - 1, depth)
        if kind == 1:
            return App(self.term(size // 2, depth), self.term(size // 2, depth))
        if kind == 2:
            return self.applied(Const(self.random.choice(self.constants)), self.random.randrange(4), size, depth)
        if kind == 3:
            return self.applied(self.leaf(depth), self.random.randrange(1, 3), size, depth)
        if kind == 4:
            return self.chain(size, depth)
        if kind == 5:
            if self.random.random() < 0.5:
                return numeral(self.random.randrange(2, 300))
            return App(Const(TRUEPROP), self.term(size - 1, depth))
        notation = self.random.choice(self.table.notations)
        return self.applied(self.fill(pattern_of(notation), size, depth), int(self.random.random() < 0.1), size, depth)

    def function(self, size: int, depth: int) -> Term:
        hint = self.random.choice(["", "x", "y", "card", "if", "n", "x₀", "\n"])
        if self.random.random() < 0.3:
            return App(Const(CASE_PROD), Abs(hint, None, self.function(size - 1, depth + 1)))
        return Abs(hint, None, self.term(size, depth + 1))

    def applied(self, head: Term, count: int, size: int, depth: int) -> Term:
        for _ in range(count):
            head = App(head, self.term(size // (count + 1), depth))
        return head

    def chain(self, size: int, depth: int) -> Term:
        cons, nil = self.random.choice(self.chains)
        count = self.random.randrange(4)
        rest = Const(nil) if nil and self.random.random() < 0.8 else self.leaf(depth)
        for _ in range(count):
            rest = App(App(Const(cons), self.term(size // (count + 1), depth)), rest)
        return rest

    def fill(self, pattern: Term, size: int, depth: int) -> Term:
        """The pattern with something in its holes; now and then what should be an abstraction is none."""
        found = Match(9)
        found.variables = [""]
        count = max(1, _holes(pattern))
        under = _under(pattern)
        if under and self.random.random() < 0.2 and all(_plain(arg) for arg in strip_comb(pattern)[1]):
            found.variables = [None, "", "y"]
            depth_inside = depth + 2
        else:
            depth_inside = depth + 1
        for index in range(1, count + 1):
            found.holes[index] = self.term((size - 1) // count, depth_inside if index in under else depth)
        return term_of_pattern(pattern, found)


def _holes(pattern: Term) -> int:
    return sum(isinstance(node, Var | Bound) for node in subterms(pattern))


def _plain(pattern: Term) -> bool:
    return not isinstance(pattern, Abs) or isinstance(pattern.body, Var)


def _under(pattern: Term) -> set[int]:
    return {node.index for part in subterms(pattern) if isinstance(part, Abs) for node in schematics(part)}


def pattern_of(notation: Notation) -> Term:
    return list_comb(Const(notation.constant), notation.args)


def term_of_pattern(pattern: Term, found: Match) -> Term:
    """The term that a pattern stands for."""
    if isinstance(pattern, Var):
        return found.holes[pattern.index]
    if isinstance(pattern, App):
        return App(term_of_pattern(pattern.fun, found), term_of_pattern(pattern.arg, found))
    if isinstance(pattern, Abs):
        return abstraction_of(found.variables, term_of_pattern(pattern.body, found))
    return pattern


def abstraction_of(variables: Variables, body: Term) -> Term:
    """Undo `abstraction`."""
    for entry in reversed(variables):
        body = App(Const(CASE_PROD), body) if entry is None else Abs(entry, None, body)
    return body
