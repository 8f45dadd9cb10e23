"""Coercive subtyping: where a `nat` stands and an `int` is wanted, insert the declared `of_nat`, as Isabelle does.

Plain inference is tried first. When it fails, the same walk is made again, and an argument of one basic type where
another is wanted is coerced at its place. Where that is not enough, every application only demands that its argument's
type can be coerced to the one wanted; what is left of these demands is between type variables and basic types, and a
variable gets the least basic type above its arguments that its sort allows. Only coercions between types without
arguments are used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from isarstep.logic.infer import PROP, Context, Inference, Typing, TypingError, infer
from isarstep.logic.signature import Signature
from isarstep.logic.terms import Abs, App, Term, Typ, Type
from isarstep.logic.unify import CIRCULAR, Cell, Inner, Mismatch, find


def infer_with_coercions(
    propositions: Sequence[Term], signature: Signature, context: Context | None = None, *, wanted: Typ | None = PROP
) -> Typing:
    """As `infer`, with declared coercions inserted where the types ask for them."""
    try:
        return infer(propositions, signature, context, wanted=wanted)
    except TypingError as plain:
        if CIRCULAR in str(plain):  # coercions are between types without arguments: no type gets another shape by them
            raise
        for way in (LocalInference, CoerciveInference):
            try:
                return _coerced(way(signature, context or {}), propositions, wanted)
            except (TypingError, Mismatch):
                continue
        raise plain from None


def _coerced(inference: LocalInference, propositions: Sequence[Term], wanted: Typ | None) -> Typing:
    drafts = []
    counts = [0]
    for term in propositions:
        drafts.append(inference.check(term, wanted))
        counts.append(inference.applications)
    inserted = inference.solve()
    terms = [
        _insert(inference.build(draft), {n - start: path for n, path in inserted.items() if start <= n < end})
        for draft, start, end in zip(drafts, counts, counts[1:], strict=False)
    ]
    return Typing(tuple(terms), inference.free_types())


class LocalInference(Inference):
    """Inference that coerces an argument at once where its type and the one wanted are known and differ."""

    def __init__(self, signature: Signature, context: Context) -> None:
        super().__init__(signature, context)
        self.applications = 0
        self.paths = _paths(signature)
        self.basic = {name for pair in self.paths for name in pair}
        self.inserted: dict[int, list[Term]] = {}

    def apply(self, function: Inner, argument: Inner) -> Inner:
        self.applications += 1
        function = find(function)
        if type(function) is tuple and function[0] == "fun":
            a, b = self._name_of(argument), self._name_of(function[1])
            if a is not None and b is not None and a != b:
                if (a, b) not in self.paths:
                    raise Mismatch
                self.inserted[self.applications - 1] = self.paths[a, b]
                return cast(Inner, function[2])
        return super().apply(function, argument)

    def solve(self) -> dict[int, list[Term]]:
        """The coercions to insert around the arguments of applications, innermost first."""
        return self.inserted

    def _name_of(self, node: Inner) -> str | None:
        """The name of a basic type, None for everything else."""
        node = find(node)
        return node[0] if type(node) is tuple and len(node) == 1 and node[0] in self.basic else None


class CoerciveInference(LocalInference):
    """Inference that only collects demands at applications; `solve` then decides the types."""

    def __init__(self, signature: Signature, context: Context) -> None:
        super().__init__(signature, context)
        self.demands: list[tuple[int, Inner, Inner]] = []  # number of the application, type found, type wanted

    def apply(self, function: Inner, argument: Inner) -> Inner:
        function = find(function)
        if type(function) is Cell:
            expected, result = Cell(0), Cell(0)
            self.unifier.unify(function, ("fun", expected, result))
            function = ("fun", expected, result)
        if function[0] != "fun":
            raise Mismatch
        self.demands.append((self.applications, argument, function[1]))
        self.applications += 1
        return cast(Inner, function[2])

    def solve(self) -> dict[int, list[Term]]:
        """Decide all types; return the coercions to insert around the arguments of applications, innermost first."""
        open_demands = self.demands
        while open_demands := self._simplify(open_demands):
            if not self._decide_one(open_demands):
                for _, found, wanted in open_demands:
                    self.unifier.unify(found, wanted)
        inserted = {}
        for number, found, wanted in self.demands:
            a, b = self._name_of(found), self._name_of(wanted)
            if a is not None and b is not None and a != b:
                inserted[number] = self.paths[a, b]
        return inserted

    def _simplify(self, demands: list[tuple[int, Inner, Inner]]) -> list[tuple[int, Inner, Inner]]:
        """Unify where no coercion is possible, until only demands between variables and basic types are left."""
        while True:
            left = []
            changed = False
            for demand in demands:
                found, wanted = find(demand[1]), find(demand[2])
                if found is wanted:
                    continue
                names = self._name_of(found), self._name_of(wanted)
                if names[0] is not None and names[1] is not None:
                    if names[0] != names[1] and names not in self.paths:
                        raise Mismatch
                elif all(type(t) is Cell or name is not None for t, name in zip((found, wanted), names, strict=True)):
                    left.append(demand)
                else:
                    self.unifier.unify(found, wanted)
                    changed = True
            demands = left
            if not changed:
                return demands

    def _decide_one(self, demands: list[tuple[int, Inner, Inner]]) -> bool:
        """Give one variable with a basic type below it (or else above it) its type; False when there is none."""
        below = self._bounds(demands, lower=True)
        above = self._bounds(demands, lower=False)
        for bounds, lower in ((below, True), (above, False)):
            for cell in bounds:
                fits = [
                    name
                    for name in sorted(self.basic)
                    if all(low == name or (low, name) in self.paths for low in below.get(cell, ()))
                    and all(high == name or (name, high) in self.paths for high in above.get(cell, ()))
                    and self.algebra.argument_sorts(name, cell.sort) is not None
                ]
                others = [other.sort for other in _connected(cell, demands, lower=lower)]
                of_all = [n for n in fits if all(self.algebra.argument_sorts(n, s) is not None for s in others)]
                fits = of_all or fits
                # The least of them when something pushes from below, the greatest when something pulls from above.
                best = [
                    name
                    for name in fits
                    if all(other == name or ((name, other) if lower else (other, name)) in self.paths for other in fits)
                ]
                if not best:
                    raise Mismatch
                self.unifier.unify(cell, self.algebra.rigid(Type(best[0])))
                return True
        return False

    def _bounds(self, demands: list[tuple[int, Inner, Inner]], *, lower: bool) -> dict[Cell, set[str]]:
        """Basic types that a variable must lie above (or below), through any chain of variables."""
        bounds: dict[Cell, set[str]] = {}
        changed = True
        while changed:
            changed = False
            for _, found, wanted in demands:
                source, target = (find(found), find(wanted)) if lower else (find(wanted), find(found))
                if type(target) is Cell:
                    name = self._name_of(source)
                    new = {name} if name is not None else bounds.get(cast(Cell, source), set())
                    known = bounds.setdefault(target, set()) if new else set()
                    if not new <= known:
                        known |= new
                        changed = True
        return bounds


def _connected(cell: Cell, demands: list[tuple[int, Inner, Inner]], *, lower: bool) -> list[Cell]:
    """The variables below a variable (or above it): what it becomes should be of their sorts, too, or `2 / 3 * n` would
    be a product of naturals."""
    found = [cell]
    for node in found:  # grows while it is walked
        for _, one, other in demands:
            source, target = (find(one), find(other)) if lower else (find(other), find(one))
            if target is node and type(source) is Cell and source not in found:
                found.append(source)
    return found[1:]


def _paths(signature: Signature) -> dict[tuple[str, str], list[Term]]:
    """Between each two basic types, the shortest chain of coercions; the first one declared wins."""
    steps: dict[str, list[tuple[str, Term]]] = {}
    for coercion in signature.coercions:
        match coercion.type:
            case Type("fun", (Type(source, ()), Type(target, ()))):
                try:
                    typed = infer([coercion.term], signature, wanted=coercion.type).propositions[0]
                except TypingError:  # of a theory whose constants or instances are not here
                    continue
                steps.setdefault(source, []).append((target, typed))
    paths: dict[tuple[str, str], list[Term]] = {}
    for start in steps:
        frontier: list[tuple[str, list[Term]]] = [(start, [])]
        for name, path in frontier:  # grows while it is walked: breadth first
            for target, term in steps.get(name, ()):
                if target != start and (start, target) not in paths:
                    paths[start, target] = [*path, term]
                    frontier.append((target, paths[start, target]))
    return paths


def _insert(term: Term, inserted: dict[int, list[Term]]) -> Term:
    """Wrap the arguments of numbered applications; numbers count as inference walks."""
    if not inserted:
        return term
    done: list[Term] = []
    number = 0
    todo: list[Any] = [term]
    while todo:
        node = todo.pop()
        if node is None:
            node = todo.pop()
            if type(node) is App:
                argument = done.pop()
                for coercion in inserted.get(number, ()):
                    argument = App(coercion, argument)
                done[-1] = App(done[-1], argument)
                number += 1
            else:
                done[-1] = Abs(node.name, node.type, done[-1])
        elif type(node) is App:
            todo += (node, None, node.arg, node.fun)
        elif type(node) is Abs:
            todo += (node, None, node.body)
        else:
            done.append(node)
    return done[0]
