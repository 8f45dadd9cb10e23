"""`case t of ... ⇒ ... | ...` as Isabelle makes it of datatypes' case constants: pattern matching, column by column."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from isarstep.common.errors import UserError
from isarstep.isabelle.terms.terms import (
    Abs,
    App,
    Const,
    Free,
    Term,
    Typ,
    Type,
    abstract,
    list_comb,
    strip_comb,
    strip_fun,
    substitute,
)

# By a constructor: the case constant of its datatype, and all constructors with their numbers of arguments, in order.
Datatypes = Callable[[str], tuple[str, list[tuple[str, int]]]]
# Variables of patterns have names of their own until they are bound: a name of the text, this, a number.
MARK = "\x00"


@dataclass(frozen=True, slots=True)
class Clause:
    """Patterns (constructors and marked variables) and what they yield."""

    patterns: list[Term] = field(hash=False)
    body: Term


def is_variable(term: Term) -> bool:
    return type(term) is Free and MARK in term.name


def split_cases(
    subjects: list[Term], clauses: list[Clause], datatypes: Datatypes, fresh: Iterator[int] | None = None
) -> Term:
    """One term of case constants; the first clause that fits wins."""
    numbers = itertools.count() if fresh is None else fresh
    if not clauses:
        return Const("HOL.undefined")
    if not subjects:
        return clauses[0].body
    subject, rest = subjects[0], subjects[1:]
    if all(is_variable(clause.patterns[0]) for clause in clauses):
        return split_cases(rest, [_bind(clause, subject) for clause in clauses], datatypes, numbers)
    splitter, constructors = _datatype([clause.patterns[0] for clause in clauses], datatypes)
    branches: list[Term] = []
    for name, count in constructors:
        variables = _variables(name, count, clauses, numbers)
        whole = list_comb(Const(name), variables)
        narrowed: list[Clause] = []
        for clause in clauses:
            head, arguments = strip_comb(clause.patterns[0])
            if is_variable(clause.patterns[0]):
                bound = _bind(clause, whole)
                narrowed.append(Clause([*variables, *bound.patterns], bound.body))
            elif head == Const(name):
                narrowed.append(Clause([*arguments, *clause.patterns[1:]], clause.body))
        branch = split_cases([*variables, *rest], narrowed, datatypes, numbers)
        for variable in reversed(variables):
            branch = Abs(variable.name.partition(MARK)[0], None, abstract(branch, variable))
        branches.append(branch)
    return App(list_comb(Const(splitter), branches), subject)


def _datatype(patterns: list[Term], datatypes: Datatypes) -> tuple[str, list[tuple[str, int]]]:
    """The case constant and the constructors of a column; every pattern is one of them, with all its arguments."""
    found: tuple[str, list[tuple[str, int]]] | None = None
    for head, arguments in (strip_comb(pattern) for pattern in patterns if not is_variable(pattern)):
        if type(head) is not Const:
            raise UserError("case: a pattern must be a constructor or a variable")
        found = found or datatypes(head.name)
        if (head.name, len(arguments)) not in found[1]:
            name = head.name.rpartition(".")[2]
            raise UserError(f"case: {name} with {len(arguments)} arguments is no constructor beside the others")
    assert found is not None
    return found


def _bind(clause: Clause, value: Term) -> Clause:
    """Without the first pattern, a variable that now stands for the value."""
    variable = clause.patterns[0]
    body = substitute(clause.body, lambda leaf: value if leaf == variable else None)
    return Clause(clause.patterns[1:], body)


def _variables(name: str, count: int, clauses: list[Clause], numbers: Iterator[int]) -> list[Free]:
    """New variables for a constructor's arguments, called as in the first clause that has it."""
    called = ["a"] * count
    for clause in clauses:
        head, arguments = strip_comb(clause.patterns[0])
        if head == Const(name):
            called = [a.name.partition(MARK)[0] if type(a) is Free else "a" for a in arguments]
            break
    return [Free(f"{text}{MARK}{next(numbers)}.") for text in called]


def order_constructors(branches: list[Typ], constructors: dict[str, Typ], name: str) -> list[tuple[str, int]]:
    """The constructors in the order of the case constant's arguments, found by their types."""
    left = dict(constructors)
    ordered: list[tuple[str, int]] = []
    for branch in branches:
        wanted = [_shape(typ) for typ in strip_fun(branch)[0]]
        fitting = [c for c, typ in left.items() if [_shape(t) for t in strip_fun(typ)[0]] == wanted]
        if len(fitting) != 1:
            raise UserError(f"case: the order of the constructors of {name} is not known")
        ordered.append((fitting[0], len(wanted)))
        del left[fitting[0]]
    return ordered


def _shape(typ: Typ) -> str:
    """A type without the names of its variables."""
    if type(typ) is not Type:
        return typ.name  # datatypes call their parameters alike everywhere
    return f"{typ.name}({','.join(_shape(argument) for argument in typ.args)})"
