"""Order-sorted unification, made for speed: type variables are mutable cells, everything else is a shared tuple.

Inside inference a type is a `Cell` (a variable that may be linked to a type, with the number of its sort) or a tuple
`(constructor, argument, ...)`; a fixed type variable is the tuple `(TFree,)`. Types without variables are made once for
a signature and shared, so that most comparisons end at `is`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias, final

from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import Sort, TFree, TVar, Typ, Type


@final
class Cell:
    """A type variable of one inference."""

    __slots__ = ("ref", "sort")

    def __init__(self, sort: int) -> None:
        self.ref: Inner | None = None
        self.sort = sort


_MOST_SCHEMES = 200_000
_LARGE = 256  # parts of a type from which on it pays to remember those that were looked at
Inner: TypeAlias = "Cell | tuple[Any, ...]"


CIRCULAR = "a type would have to contain itself"


class Mismatch(Exception):
    """Two types do not unify; the reason, without the place."""


class Scheme:
    """The most general type of a constant, ready to be copied: cells for its variables, then one tuple a step."""

    __slots__ = ("ground", "leaves", "name", "sorts", "steps", "variables")

    def __init__(self, name: str, typ: Typ, algebra: Algebra) -> None:
        self.name = name
        self.variables: list[TFree | TVar] = []
        places: dict[Typ, int] = {}
        for node in _post_order(typ):
            if type(node) is not Type and node not in places:
                places[node] = len(self.variables)
                self.variables.append(node)
        self.sorts = [algebra.sort_number(variable.sort) for variable in self.variables]
        self.leaves: list[Inner] = []  # the parts without variables
        self.steps: list[tuple[Any, ...]] = []  # (constructor, positions of its arguments)
        self.ground: Inner | None = algebra.rigid(typ) if not self.variables else None
        if self.variables:
            self._compile(typ, places, algebra)

    def _compile(self, typ: Typ, places: dict[Typ, int], algebra: Algebra) -> None:
        order = [node for node in _post_order(typ) if type(node) is Type]
        open_types: dict[Typ, bool] = {}
        for node in order:
            open_types[node] = any(type(a) is not Type or open_types[a] for a in node.args)
        for node in dict.fromkeys(a for n in order if open_types[n] for a in n.args if type(a) is Type):
            if not open_types[node]:
                places[node] = len(self.variables) + len(self.leaves)
                self.leaves.append(algebra.rigid(node))
        count = len(self.variables) + len(self.leaves)
        for node in order:
            if open_types[node] and node not in places:
                self.steps.append((node.name, *(places[a] for a in node.args)))
                places[node] = count
                count += 1

    def copy(self) -> tuple[Inner, list[Cell]]:
        """A fresh instance and its cells, in the order of `variables`."""
        if self.ground is not None:
            return self.ground, []
        cells = [Cell(sort) for sort in self.sorts]
        values: list[Inner] = [*cells, *self.leaves]
        for step in self.steps:
            if len(step) == 3:
                values.append((step[0], values[step[1]], values[step[2]]))
            else:
                values.append((step[0], *[values[place] for place in step[1:]]))
        return (values[-1] if self.steps else cells[0]), cells


def _post_order(typ: Typ) -> list[Typ]:
    """Arguments before what is made of them; first arguments first."""
    out: list[Typ] = []
    todo = [typ]
    while todo:
        node = todo.pop()
        out.append(node)
        if type(node) is Type:
            todo.extend(node.args)
    out.reverse()
    return out


class Algebra:
    """A signature prepared for unification: sorts are numbers, and each question about them is answered once."""

    def __init__(self, signature: Signature) -> None:
        self.signature = signature
        self._sorts: list[Sort] = [()]
        self._numbers: dict[Sort, int] = {(): 0}
        self._meets: dict[tuple[int, int], int] = {}
        self._arguments: dict[tuple[Any, int], tuple[int, ...] | None] = {}
        self._closed: dict[Typ, Inner] = {}
        self._fixed: dict[Typ, Inner] = {}  # with schematic variables, which somebody else may want as cells
        self.outside: dict[int, Typ] = {}  # by identity of the tuples in both
        self._schemes: dict[str, Scheme | None] = {}

    def sort_number(self, sort: Iterable[str]) -> int:
        minimal = self.signature.minimal(sort)
        number = self._numbers.get(minimal)
        if number is None:
            number = self._numbers[minimal] = len(self._sorts)
            self._sorts.append(minimal)
        return number

    def sort(self, number: int) -> Sort:
        return self._sorts[number]

    def meet(self, first: int, second: int) -> int:
        """The sort of the types that belong to both."""
        if first == second or not second:
            return first
        if not first:
            return second
        known = self._meets.get((first, second))
        if known is None:
            known = self.sort_number((*self._sorts[first], *self._sorts[second]))
            self._meets[first, second] = known
        return known

    def argument_sorts(self, constructor: Any, sort: int) -> tuple[int, ...] | None:
        """The sorts that a constructor's arguments need for its type to be of the sort; None: no arguments will do."""
        key = (constructor, sort)
        if key in self._arguments:
            return self._arguments[key]
        found: tuple[int, ...] | None
        if isinstance(constructor, str):
            sorts = self.signature.argument_sorts(constructor, self._sorts[sort])
            found = None if sorts is None else tuple(self.sort_number(s) for s in sorts)
        else:
            found = () if self.signature.subsort(constructor.sort, self._sorts[sort]) else None
        self._arguments[key] = found
        return found

    def scheme(self, name: str) -> Scheme | None:
        """The scheme of a constant; None when the signature has no such constant."""
        if name not in self._schemes:
            constant = self.signature.constants.get(name)
            self._schemes[name] = Scheme(name, constant.type, self) if constant else None
            if constant is None and len(self._schemes) > _MOST_SCHEMES:  # strangers' words are not kept for ever
                self._schemes = {n: s for n, s in self._schemes.items() if s is not None}
                return None
        return self._schemes[name]

    def rigid(self, typ: Typ, cells: dict[Typ, Cell] | None = None) -> Inner:
        """A type from outside. Its variables are fixed, except that TVars become the given cells when there are any."""
        known = self._closed.get(typ) or (self._fixed.get(typ) if cells is None else None)
        if known is not None:
            return known
        made: dict[Typ, Inner] = {}
        schematic: set[Typ] = set()
        for node in _post_order(typ):
            if node in made:
                continue
            if type(node) is TVar or (type(node) is Type and any(a in schematic for a in node.args)):
                schematic.add(node)
            kept = self._fixed if node in schematic else self._closed
            if node in schematic and cells is not None:
                if type(node) is Type:
                    made[node] = (node.name, *(made[a] for a in node.args))
                else:
                    made[node] = cells.setdefault(node, Cell(self.sort_number(node.sort)))
                continue
            inner = kept.get(node)
            if inner is None:
                inner = (node.name, *(made[a] for a in node.args)) if type(node) is Type else (node,)
                kept[node] = inner
                self.outside[id(inner)] = node
            made[node] = inner
        return made[typ]


class Unifier:
    """One inference's unification, with a budget: types can grow exponentially with the term, and then it gives up."""

    __slots__ = ("_budget", "algebra")

    def __init__(self, algebra: Algebra, budget: int) -> None:
        self.algebra = algebra
        self._budget = budget

    def unify(self, left: Inner, right: Inner) -> None:
        todo: list[Inner] = [left, right]
        while todo:
            b = todo.pop()
            a = todo.pop()
            while type(a) is Cell and a.ref is not None:
                a = a.ref
            while type(b) is Cell and b.ref is not None:
                b = b.ref
            if a is b:
                continue
            if type(a) is Cell:
                if type(b) is Cell:
                    b.sort = self.algebra.meet(a.sort, b.sort)
                    a.ref = b
                else:
                    self._bind(a, b)
            elif type(b) is Cell:
                self._bind(b, a)
            else:
                if a[0] != b[0] or len(a) != len(b):
                    raise Mismatch
                self._spend(len(a))
                for i in range(len(a) - 1, 0, -1):
                    todo.append(a[i])
                    todo.append(b[i])

    def _bind(self, cell: Cell, value: Inner) -> None:
        """Link a variable to a type made by a constructor: it must not contain itself, and sorts go down."""
        sort = cell.sort
        todo: list[Inner] = [value]
        spent = 0
        seen: set[int] = set()  # what a large type shares is looked at once
        while todo:
            node = todo.pop()
            while type(node) is Cell and node.ref is not None:
                node = node.ref
            if node is cell:
                raise Mismatch(CIRCULAR)
            if type(node) is not Cell and len(node) > 1:
                if spent > _LARGE:
                    if id(node) in seen:
                        continue
                    seen.add(id(node))
                spent += len(node)
                if spent > self._budget:
                    break
                todo.extend(node[1:])
        self._spend(spent)
        if sort:
            self.constrain(value, sort)
        cell.ref = value

    def constrain(self, value: Inner, sort: int) -> None:
        """Make a type belong to a sort."""
        todo: list[tuple[Inner, int]] = [(value, sort)]
        seen: set[tuple[int, int]] = set()
        spent = 0
        while todo:
            node, wanted = todo.pop()
            while type(node) is Cell and node.ref is not None:
                node = node.ref
            spent += 1
            if spent > _LARGE:
                if (id(node), wanted) in seen:
                    continue
                seen.add((id(node), wanted))
            if type(node) is Cell:
                node.sort = self.algebra.meet(node.sort, wanted)
            elif wanted:
                self._spend(1)
                sorts = self.algebra.argument_sorts(node[0], wanted)
                if sorts is None or len(sorts) != len(node) - 1:
                    shown = node[0].rpartition(".")[2] if isinstance(node[0], str) else node[0].name
                    classes = ", ".join(self.algebra.sort(wanted))
                    raise Mismatch(f"type {shown} does not belong to {classes}")
                todo.extend(zip(node[1:], sorts, strict=True))

    def _spend(self, amount: int) -> None:
        self._budget -= amount
        if self._budget < 0:
            raise Mismatch("the types in this proposition grow beyond all bounds")


def find(node: Inner) -> Inner:
    """Follow links."""
    while type(node) is Cell and node.ref is not None:
        node = node.ref
    return node
