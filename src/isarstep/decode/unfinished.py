"""The types of an unfinished proposition, one token after the other: what cannot be completed is found at once.

Hypotheses branch, so nothing is changed in place: a state shares all but what its last token added with the state it
came from, and the solution of its type equations is a small dictionary of its own. Inside, types are what
`isarstep.logic.unify` calls inner types.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from isarstep.decode.constraints import Kind
from isarstep.logic.infer import PROP, Context, prepare
from isarstep.logic.signature import Signature
from isarstep.logic.unify import Algebra, Cell, Inner, Mismatch

BUDGET = 20_000  # parts of types looked at for one token; types can grow exponentially with the term

ANNOUNCED: dict[int, str] = {Kind.CONSTANT: "CONST", Kind.VARIABLE: "FREE", Kind.SCHEMATIC: "VAR", Kind.INDEX: "BOUND"}


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

    def may_become(self, function: Inner, wanted: Inner) -> bool:
        """Whether a term of the one type, given some more arguments, can have the other."""
        goal = self.find(wanted)
        if type(goal) is Cell and not self.sort(goal):
            return True
        while True:
            function = self.find(function)
            if type(function) is Cell:
                return True
            if type(goal) is Cell or function[0] == goal[0]:
                try:
                    self.copy().unify(function, goal)
                    return True
                except Mismatch:
                    pass
            if function[0] != "fun":
                return False
            function = function[2]


class Group(NamedTuple):
    """A bracket that is open, or the whole. `whole` is its type, `wanted` that of what follows its abstractions."""

    whole: Inner
    wanted: Inner
    function: Inner | None = None  # type of the application so far, as if a pending argument were there already
    binders: int = 0


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
        """The same for a token before which others are implied, see `isarstep.train.dense`."""
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
        if not solution.may_become(found, group.wanted):
            return None
        groups = (*self.groups[:-1], group._replace(function=found))
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

    def _open(self, words: tuple[str, ...]) -> Unfinished:
        group = self.groups[-1]
        if group.function is None:  # in head position anything may stand
            anything = Cell(0)
            return self._replace(words=words, groups=(*self.groups, Group(anything, anything)))
        solution = self.solution.copy()
        argument, result = self._argument(solution, group.function)
        groups = (*self.groups[:-1], group._replace(function=result), Group(argument, argument))
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
        if not solution.may_become(function, around.wanted):
            return None
        groups = (*self.groups[:-2], around._replace(function=function))
        scope = self.scope[: len(self.scope) - closed.binders]
        return self._replace(words=words, groups=groups, scope=scope, solution=solution)
