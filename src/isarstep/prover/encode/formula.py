"""The language between HOL and the provers: simply typed terms with named variables, built-in connectives and
arithmetic.

Every encoding prints this language and none looks at HOL again. There are no type variables left; bound variables
have numbers that are unique in a problem, so printing can never capture. All walks recurse: lowering bounds the
depth of what it builds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

_VARIABLE = re.compile(r"SortedVariable\(number=(\d+)")


class CannotEncode(Exception):
    """A proposition that the encodings cannot state; the reason is one line."""


@dataclass(frozen=True, slots=True)
class Base:
    """A non-empty set of which nothing else is known, or one of the three interpreted sorts below."""

    name: str


@dataclass(frozen=True, slots=True)
class Fun:
    argument: Sort
    result: Sort


Sort: TypeAlias = Base | Fun
BOOL, INT, REAL = Base("$bool"), Base("$int"), Base("$real")


@dataclass(frozen=True, slots=True)
class Sym:
    """An uninterpreted symbol. The name is unique for constant and type instance; encodings escape it."""

    name: str
    sort: Sort


@dataclass(frozen=True, slots=True)
class SortedVariable:
    number: int
    sort: Sort


@dataclass(frozen=True, slots=True)
class Ap:
    fun: Formula
    arg: Formula


@dataclass(frozen=True, slots=True)
class Lam:
    var: SortedVariable
    body: Formula


@dataclass(frozen=True, slots=True)
class Quant:
    kind: Literal["forall", "exists"]
    var: SortedVariable
    body: Formula


@dataclass(frozen=True, slots=True)
class Conn:
    op: Literal["not", "and", "or", "=>"]
    args: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Eq:
    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Ite:
    cond: Formula
    then: Formula
    other: Formula


@dataclass(frozen=True, slots=True)
class Truth:
    value: bool


@dataclass(frozen=True, slots=True)
class Number:
    value: int
    sort: Base  # INT or REAL


ArithOp = Literal["+", "-", "*", "/", "neg", "div", "mod", "<", "<=", "to_real", "floor"]


@dataclass(frozen=True, slots=True)
class Arith:
    """Interpreted arithmetic; `/`, `div` and `mod` only under a guard that their divisor is not zero (div, mod:
    positive).
    """

    op: ArithOp
    args: tuple[Formula, ...]


Formula: TypeAlias = Sym | SortedVariable | Ap | Lam | Quant | Conn | Eq | Ite | Truth | Number | Arith


def sort_of(term: Formula) -> Sort:
    match term:
        case Sym(_, sort) | SortedVariable(_, sort):
            return sort
        case Ap(fun, _):
            result = sort_of(fun)
            assert isinstance(result, Fun)
            return result.result
        case Lam(var, body):
            return Fun(var.sort, sort_of(body))
        case Quant() | Conn() | Eq() | Truth():
            return BOOL
        case Ite(_, then, _):
            return sort_of(then)
        case Number(_, sort):
            return sort
        case Arith(op, args):
            if op in ("<", "<="):
                return BOOL
            if op == "to_real":
                return REAL
            return INT if op == "floor" else sort_of(args[0])


def arguments_of(sort: Sort, count: int | None = None) -> tuple[list[Sort], Sort]:
    """The sorts of the first arguments of a function, or of all, and that of the result."""
    args: list[Sort] = []
    while isinstance(sort, Fun) and len(args) != count:
        args.append(sort.argument)
        sort = sort.result
    return args, sort


def spine(term: Formula) -> tuple[Formula, list[Formula]]:
    args: list[Formula] = []
    while isinstance(term, Ap):
        args.append(term.arg)
        term = term.fun
    args.reverse()
    return term, args


def binders(term: Lam | Quant) -> tuple[list[SortedVariable], Formula]:
    """The variables that binders of one kind bind around a body, the outermost first, and the body."""
    found: list[SortedVariable] = []
    body: Formula = term
    while type(body) is type(term) and getattr(body, "kind", "") == getattr(term, "kind", ""):
        found.append(body.var)
        body = body.body
    return found, body


def children(term: Formula) -> tuple[Formula, ...]:
    match term:
        case Ap(fun, arg):
            return (fun, arg)
        case Lam(_, body) | Quant(_, _, body):
            return (body,)
        case Conn(_, args) | Arith(_, args):
            return args
        case Eq(left, right):
            return (left, right)
        case Ite(cond, then, other):
            return (cond, then, other)
        case _:
            return ()


def with_children(term: Formula, change: Callable[[Formula], Formula]) -> Formula:
    """The same with other children."""
    match term:
        case Ap(fun, arg):
            return Ap(change(fun), change(arg))
        case Lam(var, body):
            return Lam(var, change(body))
        case Quant(kind, var, body):
            return Quant(kind, var, change(body))
        case Conn(op, args):
            return Conn(op, tuple(map(change, args)))
        case Arith(operation, args):
            return Arith(operation, tuple(map(change, args)))
        case Eq(left, right):
            return Eq(change(left), change(right))
        case Ite(cond, then, other):
            return Ite(change(cond), change(then), change(other))
        case _:
            return term


def written_size(term: Formula) -> int:
    """How many parts it has when it is written out. A part that stands in many places is looked at once: the size of
    `((x²)²)²` doubles with each square, which is a product."""
    sizes: dict[int, int] = {}

    def size(part: Formula) -> int:
        if id(part) not in sizes:
            sizes[id(part)] = 1 + sum(map(size, children(part)))
        return sizes[id(part)]

    return size(term)


def free_variables(term: Formula) -> list[SortedVariable]:
    """Variables without a binder in `term`, in order of first occurrence."""
    found: dict[SortedVariable, None] = {}

    def walk(part: Formula, bound: frozenset[SortedVariable]) -> None:
        if isinstance(part, SortedVariable):
            if part not in bound:
                found[part] = None
        elif isinstance(part, Lam | Quant):
            walk(part.body, bound | {part.var})
        else:
            for child in children(part):
                walk(child, bound)

    walk(term, frozenset())
    return list(found)


def text_without_names(term: Formula) -> str:
    """The same for formulas that differ in the names of variables alone; no two binders of a problem have one name."""
    numbers: dict[str, int] = {}
    return _VARIABLE.sub(lambda m: f"variable {numbers.setdefault(m[1], len(numbers))}", repr(term))


def conjunction(*parts: Formula) -> Formula:
    return _joined("and", parts, Truth(True))


def disjunction(*parts: Formula) -> Formula:
    return _joined("or", parts, Truth(False))


def _joined(op: Literal["and", "or"], parts: Sequence[Formula], neutral: Truth) -> Formula:
    kept = [part for part in parts if part != neutral]
    if Truth(not neutral.value) in kept:
        return Truth(not neutral.value)
    return neutral if not kept else kept[0] if len(kept) == 1 else Conn(op, tuple(kept))


def neg(part: Formula) -> Formula:
    if isinstance(part, Truth):
        return Truth(not part.value)
    if isinstance(part, Conn) and part.op == "not":
        return part.args[0]
    return Conn("not", (part,))


def implication(premise: Formula, conclusion: Formula) -> Formula:
    if premise == Truth(True) or conclusion == Truth(True):
        return conclusion
    return neg(premise) if conclusion == Truth(False) else Conn("=>", (premise, conclusion))


def universal(var: SortedVariable, body: Formula) -> Formula:
    # Every sort is non-empty, so a vacuous quantifier can go.
    return body if isinstance(body, Truth) else Quant("forall", var, body)


def universally(variables: Sequence[SortedVariable], body: Formula) -> Formula:
    for var in reversed(variables):
        body = universal(var, body)
    return body


def existential(var: SortedVariable, body: Formula) -> Formula:
    return body if isinstance(body, Truth) else Quant("exists", var, body)


def ap(fun: Formula, *args: Formula) -> Formula:
    for arg in args:
        fun = Ap(fun, arg)
    return fun


@dataclass(frozen=True, slots=True)
class Entailment:
    """Do the premises entail the goal? Names of premises come back in `facts used`; axioms hold in every model of
    HOL.
    """

    premises: tuple[tuple[str, Formula], ...]
    axioms: tuple[tuple[str, Formula], ...]
    goal: Formula
    logic: str = "HO_ALL"  # of SMT-LIB
