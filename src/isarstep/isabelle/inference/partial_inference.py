"""The types of an unfinished proposition, one token after the other: what cannot be completed is found at once.

Hypotheses branch, so nothing is changed in place: a state shares all but what its last token added with the state it
came from, and the solution of its type equations is a small dictionary of its own. Inside, types are what
`isarstep.isabelle.inference.unification` calls inner types.
"""

from __future__ import annotations

from enum import IntEnum
from itertools import pairwise
from typing import Any, NamedTuple

from isarstep.isabelle.inference.infer import PROP, Context, prepare
from isarstep.isabelle.inference.unification import Algebra, Cell, Inner, Mismatch
from isarstep.isabelle.terms.signature import Signature

BUDGET = 20_000  # parts of types looked at for one token; types can grow exponentially with the term


class Kind(IntEnum):
    """Classes of tokens."""

    OTHER, END, CONST, FREE, VAR, BOUND, ABS, APPLY, OPEN, CLOSE, CONSTANT, VARIABLE, SCHEMATIC, INDEX = range(14)


ANNOUNCED: dict[int, str] = {Kind.CONSTANT: "CONST", Kind.VARIABLE: "FREE", Kind.SCHEMATIC: "VAR", Kind.INDEX: "BOUND"}

ARGUMENT = 3  # tokens of the shortest: `$ VAR <V0>`


class Solution:
    """What type variables stand for."""

    __slots__ = ("algebra", "bindings", "sorts")

    def __init__(self, algebra: Algebra, bindings: dict[Cell, Inner], sorts: dict[Cell, int]) -> None:
        self.algebra, self.bindings, self.sorts = algebra, bindings, sorts

    def copy(self) -> Solution:
        return Solution(self.algebra, self.bindings.copy(), self.sorts.copy())

    def find(self, node: Inner) -> Inner:
        bindings = self.bindings
        while type(node) is Cell:
            link = bindings.get(node)
            if link is None:
                return node
            node = link
        return node

    def sort(self, cell: Cell) -> int:
        return self.sorts.get(cell, cell.sort)

    def unify(self, left: Inner, right: Inner) -> None:
        """Make two types equal, or raise Mismatch."""
        todo: list[tuple[Inner, Inner]] = [(left, right)]
        budget = BUDGET
        while todo:
            a, b = todo.pop()
            a, b = self.find(a), self.find(b)
            if a is b:
                continue
            if type(b) is Cell:
                a, b = b, a
            if type(a) is Cell:
                if type(b) is Cell:
                    met = self.algebra.meet(self.sort(a), self.sort(b))
                    if met != self.sort(b):
                        self.sorts[b] = met
                else:
                    self.bindable(a, b)
                self.bindings[a] = b
                continue
            assert type(b) is not Cell  # as a is none
            budget -= len(a)
            if a[0] != b[0] or len(a) != len(b) or budget < 0:
                raise Mismatch
            todo += zip(a[1:], b[1:], strict=True)

    def bindable(self, cell: Cell, value: tuple[Any, ...]) -> None:
        """A variable is not part of what it stands for, and its sort goes down to the parts."""
        todo: list[tuple[Inner, int]] = [(value, self.sort(cell))]
        budget = BUDGET
        while todo:
            node, wanted = todo.pop()
            node = self.find(node)
            if node is cell:
                raise Mismatch
            if type(node) is Cell:
                met = self.algebra.meet(self.sort(node), wanted)
                if met != self.sort(node):
                    self.sorts[node] = met
                continue
            budget -= len(node)
            sorts = self.algebra.argument_sorts(node[0], wanted) if wanted else (0,) * (len(node) - 1)
            if sorts is None or len(sorts) != len(node) - 1 or budget < 0:
                raise Mismatch
            todo += zip(node[1:], sorts, strict=True)

    def arguments_until(self, function: Inner, wanted: Inner, least: int = 0) -> int | None:
        """How many more arguments a term of the one type needs to have the other; None: it never will."""
        goal = self.find(wanted)
        count = 0
        while True:
            function = self.find(function)
            if count >= least and self.unifiable(function, goal):
                return count
            if type(function) is Cell:
                # It may still become a function; if its sort does not let that have the right result, nothing will.
                argument, result = Cell(0), Cell(0)
                trial = self.copy()
                try:
                    trial.unify(function, ("fun", argument, result))
                except Mismatch:
                    return None
                return max(count + 1, least) if trial.unifiable(result, goal) else None
            if function[0] != "fun":
                return None
            function, count = function[2], count + 1

    def unifiable(self, found: Inner, goal: Inner) -> bool:
        if type(goal) is Cell and not self.sort(goal):
            return True  # but for a type that contains itself, which shows later
        if type(found) is not Cell and type(goal) is not Cell and found[0] != goal[0]:
            return False
        try:
            self.copy().unify(found, goal)
        except Mismatch:
            return False
        return True


class Group(NamedTuple):
    """A bracket that is open, or the whole. `whole` is its type, `wanted` that of what follows its abstractions."""

    whole: Inner
    wanted: Inner
    function: Inner | None = None  # type of the application so far, that of a bracket that is open in it included
    missing: int = 0  # arguments that it needs to have the type that is wanted
    binders: int = 0
    head: bool = False  # in head position: an abstraction, to be applied to something


def goal_of(groups: tuple[Group, ...]) -> Inner:
    """What the application of the innermost group is to become, in the end: in head position, what is wanted there."""
    at = len(groups) - 1
    while groups[at].head:
        at -= 1
    return groups[at].wanted


class Unfinished(NamedTuple):
    """A prefix of a proposition whose parts have types together."""

    signature: Signature
    words: tuple[str, ...]
    groups: tuple[Group, ...]
    scope: tuple[Inner, ...]  # types of the bound variables, outermost first
    names: dict[str, Inner]  # types of the free and the schematic variables
    solution: Solution

    @staticmethod
    def nothing(signature: Signature, context: Context) -> Unfinished:
        algebra = prepare(signature).algebra
        cells: dict[Any, Cell] = {}
        names = {name: algebra.rigid(typ, cells) for name, typ in context.items()}
        goal = algebra.rigid(PROP)
        return Unfinished(signature, (), (Group(goal, goal),), (), names, Solution(algebra, {}, {}))

    def followed_by(self, word: str, kind: int) -> Unfinished | None:
        """None: no proposition begins like this. The word must be one that the grammar allows here."""
        words = (*self.words, word)
        try:
            match kind:
                case Kind.CONST | Kind.FREE | Kind.VAR | Kind.BOUND:
                    return self._replace(words=words)
                case Kind.CONSTANT:
                    scheme = self.solution.algebra.scheme(word)
                    return None if scheme is None else self._leaf(words, scheme.copy()[0])
                case Kind.VARIABLE | Kind.SCHEMATIC:
                    return self._variable(words, word)
                case Kind.INDEX:
                    return self._leaf(words, self.scope[-1 - int(word)])
                case Kind.APPLY:
                    return self._apply(words)
                case Kind.OPEN:
                    return self._open(words)
                case Kind.ABS:
                    return self._abstract(words)
                case _:
                    return self._close(words)
        except Mismatch:
            return None

    def followed_densely(self, word: str, kind: int) -> Unfinished | None:
        """The same for a token before which others are implied, see `isarstep.benchmark.arrays.dense`."""
        state: Unfinished | None = self
        announcement = ANNOUNCED.get(kind)
        if (announcement or kind == Kind.OPEN) and self.groups[-1].function is not None:
            state = self.followed_by("$", Kind.APPLY)
        if announcement and state is not None:
            state = state._replace(words=(*state.words, announcement))
        return None if state is None else state.followed_by(word, kind)

    def complete(self) -> bool:
        """Whether it is a proposition as it stands."""
        group = self.groups[-1]
        if len(self.groups) > 1 or group.function is None:
            return False
        try:
            self.solution.copy().unify(group.function, group.wanted)
        except Mismatch:
            return False
        return True

    def need(self) -> int:
        """Tokens to the end of a proposition, `<EOS>` included: a fresh schematic variable may be any argument."""
        last = self.words[-1] if self.words else "("
        pending = 2 if last in ("$", "(", "ABS") else 1 if last in ANNOUNCED.values() else 0
        group = self.groups[-1]
        total = len(self.groups) + pending  # brackets and `<EOS>`
        if group.function is not None and not group.head:
            total += ARGUMENT * (max(0, group.missing - 1) if pending else group.missing)
        elif group.function is None and len(self.groups) > 1 and not group.binders:
            wanted = self.solution.find(group.wanted)
            function = type(wanted) is Cell or wanted[0] == "fun"
            total += 1 if last == "(" and function else ARGUMENT  # an abstraction, or an application
        for outer, inner in pairwise(self.groups):
            total += ARGUMENT * (max(1, inner.binders + inner.missing) if inner.head else outer.missing)
        return total

    def _variable(self, words: tuple[str, ...], name: str) -> Unfinished | None:
        known = self.names.get(name)
        if known is not None:
            return self._leaf(words, known)
        fresh = Cell(0)
        return self._replace(names={**self.names, name: fresh})._leaf(words, fresh)

    def _leaf(self, words: tuple[str, ...], found: Inner) -> Unfinished | None:
        group = self.groups[-1]
        solution = self.solution
        if group.function is not None:
            solution = solution.copy()
            _, found = self._argument(solution, group.function, found)
        # In brackets stands no single name: what begins them must be applied to something.
        alone = group.function is None and not group.binders and len(self.groups) > 1
        missing = solution.arguments_until(found, goal_of(self.groups), int(alone))
        if missing is None:
            return None
        groups = (*self.groups[:-1], group._replace(function=found, missing=missing))
        return self._replace(words=words, groups=groups, solution=solution)

    @staticmethod
    def _argument(solution: Solution, function: Inner, argument: Inner | None = None) -> tuple[Inner, Inner]:
        """Argument and result of a function type, which becomes one where it is open; the argument as given."""
        function = solution.find(function)
        if type(function) is Cell:
            argument, result = argument or Cell(0), Cell(0)
            solution.unify(function, ("fun", argument, result))
            return argument, result
        if function[0] != "fun":
            raise Mismatch
        if argument is not None:
            solution.unify(function[1], argument)
        return function[1], function[2]

    def _apply(self, words: tuple[str, ...]) -> Unfinished | None:
        function = self.groups[-1].function
        assert function is not None
        function = self.solution.find(function)
        if type(function) is not Cell and function[0] != "fun":
            return None
        return self._replace(words=words)

    def _open(self, words: tuple[str, ...]) -> Unfinished | None:
        group = self.groups[-1]
        if group.function is None:  # in head position anything may stand
            anything = Cell(0)
            return self._replace(words=words, groups=(*self.groups, Group(anything, anything, head=True)))
        solution = self.solution.copy()
        argument, result = self._argument(solution, group.function)
        missing = solution.arguments_until(result, goal_of(self.groups))
        if missing is None:
            return None
        groups = (*self.groups[:-1], group._replace(function=result, missing=missing), Group(argument, argument))
        return self._replace(words=words, groups=groups, solution=solution)

    def _abstract(self, words: tuple[str, ...]) -> Unfinished:
        group = self.groups[-1]
        solution = self.solution.copy()
        bound, body = self._argument(solution, group.wanted)
        groups = (*self.groups[:-1], group._replace(wanted=body, binders=group.binders + 1))
        return self._replace(words=words, groups=groups, scope=(*self.scope, bound), solution=solution)

    def _close(self, words: tuple[str, ...]) -> Unfinished | None:
        closed, around = self.groups[-1], self.groups[-2]
        assert closed.function is not None
        solution = self.solution.copy()
        solution.unify(closed.function, closed.wanted)
        function = closed.whole if around.function is None else around.function
        missing = solution.arguments_until(function, goal_of(self.groups[:-1]))
        if missing is None:
            return None
        groups = (*self.groups[:-2], around._replace(function=function, missing=missing))
        scope = self.scope[: len(self.scope) - closed.binders]
        return self._replace(words=words, groups=groups, scope=scope, solution=solution)
