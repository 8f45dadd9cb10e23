"""Match the patterns of notations against terms and build terms from them; abstractions over pairs; numerals.

Printer and reader meet here: what one recognises the other builds, so that neither can drift from the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from isarstep.isabelle.syntax.grammar.notation import RIGID
from isarstep.isabelle.terms.terms import Abs, App, Bound, Const, Term, Var

TRUEPROP = "HOL.Trueprop"
CASE_PROD = "Product_Type.prod.case_prod"
NUMERAL = "Num.numeral_class.numeral"
ONE, BIT0, BIT1 = "Num.num.One", "Num.num.Bit0", "Num.num.Bit1"
# These make propositions of two terms, or of a predicate; all but Pure.eq also take propositions.
_META_ARITY = {"Pure.imp": 2, "Pure.conjunction": 2, "Pure.eq": 2, "Pure.all": 1}
TAKES_PROPOSITIONS = frozenset({"Pure.imp", "Pure.conjunction", "Pure.all"})

MAX_BITS = 4000  # a longer numeral is written out constant by constant
MAX_PAIRS = 64  # a larger pattern of variables is written as nested functions
_MAX_SCAN = 100  # how much of a term is searched for a variable before giving up on a prettier form

# Variables of an abstraction in prefix order: a hint for the name, or None for a pair of what follows.
Variables: TypeAlias = Sequence[str | None]


def is_meta(term: Term) -> bool:
    """Is the term a proposition made by Pure, so that Trueprop does not stand in front of it?"""
    count = 0
    while type(term) is App and count < 3:
        term = term.fun
        count += 1
    return type(term) is Const and _META_ARITY.get(term.name) == count


def abstraction(term: Term) -> tuple[Variables, Term] | None:
    """The variables and the body of `λx. b`, `λ(x, y). b`, `λ((x, y), z). b`, ...; None for anything else."""
    if type(term) is Abs:
        return (term.name,), term.body
    variables: list[str | None] = []
    missing = 1
    while missing:
        if type(term) is Abs:
            variables.append(term.name)
            missing -= 1
            term = term.body
        elif (
            type(term) is App and type(term.fun) is Const and term.fun.name == CASE_PROD and len(variables) < MAX_PAIRS
        ):
            variables.append(None)
            missing += 1
            term = term.arg
        else:
            return None
    return variables, term


def shown_tuple(names: Sequence[str], variables: Variables) -> str:
    """Variables in prefix order as nested tuples; what is nested on the right needs no brackets of its own."""
    stack: list[str] = []
    remaining = list(names)
    for entry in reversed(variables):
        if entry is not None:
            stack.append(remaining.pop())
        else:
            left, right = stack.pop(), stack.pop()
            stack.append(f"({left}, {right[1:-1] if right.startswith('(') else right})")
    return stack[0]


def mentions(term: Term, index: int) -> bool:
    """Does the bound variable occur? A large term counts as mentioning it."""
    todo = [(term, index)]
    for _ in range(_MAX_SCAN):
        if not todo:
            return False
        node, depth = todo.pop()
        if type(node) is App:
            todo.append((node.fun, depth))
            todo.append((node.arg, depth))
        elif type(node) is Abs:
            todo.append((node.body, depth + 1))
        elif type(node) is Bound and node.index == depth:
            return True
    return True


class Match:
    """What stood in the holes (from 1), and the variables of the abstraction."""

    __slots__ = ("holes", "variables")

    def __init__(self, count: int) -> None:
        self.holes: list[Term] = [Bound(0)] * (count + 1)
        self.variables: Variables = ()


def match(pattern: Term, term: Term, found: Match) -> bool:
    """Match one argument of a notation's pattern. Patterns are small, so this may recurse."""
    if type(pattern) is Var:
        if pattern.name == RIGID and mentions(term, 0):
            return False
        found.holes[pattern.index] = term
        return True
    while type(pattern) is App:
        if type(term) is not App or not match(pattern.arg, term.arg, found):
            return False
        pattern, term = pattern.fun, term.fun
    if type(pattern) is Const:
        return type(term) is Const and term.name == pattern.name
    if type(pattern) is not Abs:
        return term == pattern
    if type(pattern.body) is Var:
        parts = abstraction(term)
        if parts is None:
            return False
        found.variables, found.holes[pattern.body.index] = parts
        return True
    if type(term) is not Abs:
        return False
    found.variables = (term.name,)
    return match(pattern.body, term.body, found)


def numeral_value(bits: Term) -> int | None:
    """The number that `Num.num` constructors write down; None for One (1 is another constant) and for other terms."""
    digits: list[str] = []
    while type(bits) is App and type(bits.fun) is Const and len(digits) < MAX_BITS:
        if bits.fun.name == BIT0:
            digits.append("0")
        elif bits.fun.name == BIT1:
            digits.append("1")
        else:
            return None
        bits = bits.arg
    if type(bits) is not Const or bits.name != ONE or not digits:
        return None
    return int("1" + "".join(reversed(digits)), 2)


def value_of_digits(digits: Term) -> int | None:
    """Return the number of a closed term of type `num`, also of One; None for other terms."""
    return 1 if type(digits) is Const and digits.name == ONE else numeral_value(digits)


def numeral(value: int) -> Term:
    """Undo `numeral_value`, for values from 2 on."""
    bits: Term = Const(ONE)
    for digit in bin(value)[3:]:
        bits = App(Const(BIT1 if digit == "1" else BIT0), bits)
    return App(Const(NUMERAL), bits)
