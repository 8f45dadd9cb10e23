"""Coercive subtyping: where a `nat` stands and an `int` is wanted, insert the declared `of_nat`, as Isabelle does.

Plain inference is tried first. When it fails, the same walk is made again, and an argument of one basic type where
another is wanted is coerced at its place; so is a function, at its argument and at its value: in `∀k::nat. x = k + k`
the body makes `k` a real number, and it is coerced where it is bound. Where that is not enough, every application only
demands that its argument's type can be coerced to the one wanted; what is left of these demands is between type
variables and basic types, and a variable gets the least basic type above its arguments that its sort allows. Where
Isabelle maps a coercion over a list or a pair, the statement is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import cast

from isarstep.isabelle.inference.infer import PROP, Context, Inference, Typing, TypingError, infer
from isarstep.isabelle.inference.unification import CIRCULAR, Cell, Inner, Mismatch, find
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import Abs, App, Bound, Term, Typ, Type, increase, instantiate, rebuilt
from isarstep.isabelle.terms.type_text import show_type

MAPPED = ("List.list", "Product_Type.prod")  # as the library declares; functions are read


class MapNeeded(TypingError):
    """Isabelle maps a coercion over the elements of an argument here; another term is not what was said."""


@dataclass(frozen=True)
class Inserted:
    """What is put around an argument of an application, innermost first; for a function also around its own argument,
    which then has a type of its own."""

    outer: Sequence[Term]
    inner: Sequence[Term] = ()
    domain: Typ | None = None

    def around(self, term: Term) -> Term:
        if self.domain is None:
            return _wrapped(term, self.outer)
        lifted, argument = increase(term, 1), _wrapped(Bound(0), self.inner)
        if type(lifted) is Abs:
            return Abs(lifted.name, self.domain, _wrapped(instantiate(lifted.body, argument), self.outer))
        return Abs("x", self.domain, _wrapped(App(lifted, argument), self.outer))


def _wrapped(term: Term, coercions: Sequence[Term]) -> Term:
    for coercion in coercions:
        term = App(coercion, term)
    return term


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
            except MapNeeded:
                raise
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
        _insert(inference.build(draft), {n - start: each for n, each in inserted.items() if start <= n < end})
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
        self.inserted: dict[int, Inserted] = {}

    def apply(self, function: Inner, argument: Inner) -> Inner:
        self.applications += 1
        function = find(function)
        if type(function) is tuple and function[0] == "fun":
            made = self._coercion(find(argument), find(function[1]))
            if made is not None:
                self.inserted[self.applications - 1] = made
                return cast(Inner, function[2])
        return super().apply(function, argument)

    def _coercion(self, found: Inner, wanted: Inner) -> Inserted | None:
        """What makes one type the other; None where no coercion does."""
        if self._differ(found, wanted):
            return Inserted(self._path(found, wanted))
        if not (type(found) is tuple and type(wanted) is tuple and found[0] == wanted[0]):
            return None
        if found[0] in MAPPED:
            differing = [pair for pair in zip(found[1:], wanted[1:], strict=True) if self._differ(*pair)]
            if differing and all(self._path(*pair) for pair in differing):
                shown = (show_type(self.resolve(each)) for each in (found, wanted))
                raise MapNeeded("no coercion is read from {} to {}".format(*shown))
        if found[0] != "fun":
            return None
        inner, outer = self._differ(wanted[1], found[1]), self._differ(found[2], wanted[2])
        name = self._name_of(wanted[1])
        if name is None or not (inner or outer):
            return None
        if not inner:
            self.unifier.unify(found[1], wanted[1])
        if not outer:
            self.unifier.unify(found[2], wanted[2])
        return Inserted(
            self._path(found[2], wanted[2]) if outer else (),
            self._path(wanted[1], found[1]) if inner else (),
            Type(name),
        )

    def _differ(self, one: Inner, other: Inner) -> bool:
        """Are these two basic types?"""
        names = self._name_of(one), self._name_of(other)
        return None not in names and names[0] != names[1]

    def _path(self, source: Inner, target: Inner) -> list[Term]:
        path = self.paths.get((self._name_of(source) or "", self._name_of(target) or ""))
        if path is None:
            raise Mismatch
        return path

    def solve(self) -> dict[int, Inserted]:
        """What to insert around the arguments of applications."""
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

    def solve(self) -> dict[int, Inserted]:
        """Decide all types; return what to insert around the arguments of applications."""
        open_demands = self.demands
        while open_demands := self._simplify(open_demands):
            if not self._decide_one(open_demands):
                for _, found, wanted in open_demands:
                    self.unifier.unify(found, wanted)
        inserted = {}
        for number, found, wanted in self.demands:
            if self._differ(found, wanted):
                inserted[number] = Inserted(self._path(found, wanted))
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


def _insert(term: Term, inserted: dict[int, Inserted]) -> Term:
    """Wrap the arguments of numbered applications; numbers count as inference walks."""
    numbers = count()

    def wrapped(node: Term) -> Term:
        made = inserted.get(next(numbers)) if type(node) is App else None
        return node if made is None or type(node) is not App else App(node.fun, made.around(node.arg))

    return rebuilt(term, upwards=wrapped) if inserted else term
