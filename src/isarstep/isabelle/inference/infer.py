"""Type inference: Hindley-Milner with order-sorted unification, as Isabelle does it, on de Bruijn terms.

`well_formed` is what other rooms call: tokens in, a typed proposition or a reason out. `infer` types the propositions
of an example together: free variables have one type in all of them, schematic variables belong to their proposition.

Type variables of a context: a TFree is fixed, a TVar is not yet known and shared by all variables of the context.
What is still open in a result becomes a TFree, but a TVar in a proposition with schematic variables when no free
variable's type mentions it: a lemma may be used at any type, a local fact may not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import count
from typing import Any, cast

from isarstep.common.errors import UserError
from isarstep.common.memo import memo
from isarstep.isabelle.inference.unification import Algebra, Cell, Inner, Mismatch, Scheme, Unifier, find
from isarstep.isabelle.terms.normal_forms import MOST_TYPE_PARTS
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import Abs, App, Bound, Const, Free, Term, TFree, TVar, Typ, Type, Var, rebuild
from isarstep.isabelle.terms.tokens import decode, encode_line
from isarstep.isabelle.terms.type_text import show_type, type_variables
from isarstep.isabelle.terms.types import instantiate_type, map_type

Context = Mapping[str, Typ]

PROP = Type("prop")
CONSTRAINT = "_constrain"  # no constant: its argument must have the type that it carries; it goes when types are known
IN_TEXT = -1  # index of a type variable that somebody has written: its name alone identifies it in one inference
DUMMY = "dummy"  # name of the type variables for types that a text leaves out; they belong to their own term
_MAX_STEPS = 1_000_000  # of unification, in one inference
_MAX_SHARED = 200_000
MOST_LEVELS = 250  # of a type


class TypingError(UserError):
    """Why a proposition has no type. For a clash: the application, and the type wanted and found for its argument."""

    def __init__(
        self, reason: str, application: App | None = None, wanted: Typ | None = None, found: Typ | None = None
    ) -> None:
        super().__init__(reason)
        self.application = application
        self.wanted = wanted
        self.found = found


@dataclass(frozen=True, slots=True)
class Typing:
    """Typed propositions, in the order given, and the types of their free variables (and of the context)."""

    propositions: tuple[Term, ...]
    frees: dict[str, Typ] = field(hash=False)


class Judgement:
    """A typed proposition, or the reason why there is none. The typed term is made when it is first asked for."""

    def __init__(self, made: Callable[[], Term] | None, reason: str | None = None) -> None:
        self._made, self.reason = made, reason

    def __bool__(self) -> bool:
        return self._made is not None

    @cached_property
    def term(self) -> Term | None:
        return None if self._made is None else self._made()


def well_formed(tokens: str | Sequence[str] | Term, signature: Signature, context: Context | None = None) -> Judgement:
    """Is this a proposition? The tokens must be a term, closed, whose constants exist, of type prop in the context."""
    try:
        term = decode(tokens) if isinstance(tokens, str | Sequence) else tokens
        inference = Inference(signature, context or {})
        return Judgement(partial(inference.build, inference.check(term)))
    except UserError as error:
        return Judgement(None, str(error))


def infer(
    propositions: Sequence[Term],
    signature: Signature,
    context: Context | None = None,
    *,
    wanted: Typ | None = PROP,
    fixed: Iterable[TFree] = (),
) -> Typing:
    """Type terms together, each of the wanted type (None: any). Types that they already carry are ignored.

    `fixed` are type variables of the problem beside those of the context: a text that writes `'a` means the one of this
    name, and no type variable that stays open gets such a name.

    Raises TypingError. `isarstep.isabelle.inference.coercions.infer_with_coercions` also inserts what is left out
    between types.
    """
    inference = Inference(signature, context or {}, fixed)
    drafts = [inference.check(term, wanted) for term in propositions]
    return Typing(tuple(inference.build(draft) for draft in drafts), inference.free_types())


def infer_context(propositions: Sequence[Term], signature: Signature, context: Context | None = None) -> dict[str, Typ]:
    """The types that propositions give to their free variables; what stays open is a TVar, for `well_formed`."""
    inference = Inference(signature, context or {})
    for term in propositions:
        inference.check(term, PROP)
    return inference.free_types(schematic=True)


@dataclass(frozen=True, slots=True)
class Draft:
    """A term that has been walked: what each of its constants, variables and abstractions got, in order."""

    term: Term
    # (scheme, cells) for a constant, the type for a variable, None for a bound variable.
    leaves: list[Any] = field(hash=False)
    binders: list[Inner] = field(hash=False)
    schematic: bool


class Prepared:
    """What is kept for a signature between inferences: its algebra and the typed leaves and types made so far."""

    def __init__(self, signature: Signature) -> None:
        self.algebra = Algebra(signature)
        self.constants: dict[tuple[str, tuple[Typ, ...]], Const] = {}
        self.types: dict[Type, Type] = {}
        self.default_sort = ("HOL.type",) if "HOL.type" in signature.classes else ()


def prepare(signature: Signature) -> Prepared:
    """The tables of a signature, made when it is first asked about."""
    return memo(signature, Prepared)


class Inference:
    """One joint inference: `check` every term, then `build` what was checked."""

    def __init__(self, signature: Signature, context: Context, fixed: Iterable[TFree] = ()) -> None:
        self.prepared = prepare(signature)
        self.algebra = self.prepared.algebra
        self.unifier = Unifier(self.algebra, _MAX_STEPS)
        self.context = context
        self.frees: dict[str, Inner] = {}
        self._open: dict[Typ, Cell] = {}
        self._named = False
        self._names: dict[Cell, Typ] = {}
        variables = [*fixed, *(v for typ in context.values() for v in type_variables(typ))]
        self._reserved = {v.name for v in variables}
        self._fixed = {v.name: v for v in variables if type(v) is TFree}
        self._fresh = count()
        self._resolved: dict[int, Typ] = {}  # by identity, which is why the nodes are kept alive
        self._alive: list[Inner] = []

    def check(self, root: Term, wanted: Typ | None = PROP) -> Draft:
        """Walk a term, function before argument, and unify at every application."""
        algebra = self.algebra
        apply = self.apply
        frees = self.frees
        schematics: dict[tuple[str, int], Inner] = {}
        leaves: list[Any] = []
        closed_binders: list[Inner] = []
        binders: list[Inner] = []
        types: list[Inner] = []
        todo: list[Term | None] = [root]  # None: the node below it comes back, its parts are done
        found: Inner
        for variable in [v for v in self._open if v.name == DUMMY]:
            del self._open[variable]
        while todo:
            node = todo.pop()
            if type(node) is App:
                todo += (node, None, node.arg, node.fun)
            elif type(node) is Const:
                scheme = algebra.scheme(node.name)
                if scheme is None and node.name == CONSTRAINT and node.type is not None:
                    leaves.append(None)
                    types.append(self._given(node.type))
                    self._reserved.update(v.name for v in type_variables(node.type))
                    continue
                if scheme is None:
                    raise TypingError(f"constant {node.name[:120]} is not in the signature")
                found, cells = scheme.copy()
                leaves.append((scheme, cells))
                types.append(found)
            elif node is None:
                node = todo.pop()
                if type(node) is App:
                    argument = types.pop()
                    try:
                        types[-1] = apply(types[-1], argument)
                    except Mismatch as mismatch:
                        raise self._clash(node, types[-1], argument, str(mismatch)) from None
                else:
                    closed_binders.append(binders[-1])
                    types[-1] = ("fun", binders.pop(), types[-1])
            elif type(node) is Bound:
                if node.index >= len(binders):
                    raise TypingError(f"BOUND {node.index} has no abstraction that binds it")
                leaves.append(None)
                types.append(binders[-1 - node.index])
            elif type(node) is Free:
                found = frees.get(node.name) or self._new_free(node.name)
                leaves.append(found)
                types.append(found)
            elif type(node) is Var:
                key = (node.name, node.index)
                found = schematics.get(key) or schematics.setdefault(key, Cell(0))
                leaves.append(found)
                types.append(found)
            else:
                assert type(node) is Abs
                binders.append(Cell(0))
                todo += (node, None, node.body)
        if wanted is not None:
            self._demand(wanted, types[0], root)
        return Draft(root, leaves, closed_binders, bool(schematics))

    def _demand(self, wanted: Typ, found: Inner, root: Term) -> None:
        self._reserved.update(v.name for v in type_variables(wanted))
        try:
            self.unifier.unify(self.algebra.rigid(wanted), found)
        except Mismatch as mismatch:
            shown = show_type(self.resolve(found))
            reason = str(mismatch) or f"it has type {shown}, not {show_type(wanted)}"
            raise TypingError(f"{_shorten(root)}: {reason}", None, wanted, self.resolve(found)) from None

    def apply(self, function: Inner, argument: Inner) -> Inner:
        """The type of an application."""
        while type(function) is Cell and function.ref is not None:
            function = function.ref
        if type(function) is Cell:
            result = Cell(0)
            self.unifier.unify(function, ("fun", argument, result))
            return result
        if function[0] != "fun":
            raise Mismatch
        if function[1] is not argument:
            self.unifier.unify(function[1], argument)
        return cast(Inner, function[2])

    def build(self, draft: Draft) -> Term:
        """The typed term of a draft; to be called when all terms have been checked."""
        self._name_free_types()
        leaves = iter(draft.leaves)
        binders = iter(draft.binders)
        schematic = draft.schematic
        resolve = self.resolve
        shared = self.prepared.constants

        def leaf(node: Term, _depth: int) -> Term:
            entry = next(leaves)
            if type(node) is Const:
                if entry is None:
                    return node
                scheme, cells = entry
                arguments = tuple([resolve(cell, schematic) for cell in cells])
                known = shared.get((node.name, arguments))
                return known if known is not None else self._constant(scheme, arguments)
            if type(node) is Free:
                return Free(node.name, resolve(entry, schematic))
            if type(node) is Var:
                return Var(node.name, node.index, resolve(entry, schematic))
            return node

        return rebuild(draft.term, leaf, lambda old, body: Abs(old.name, resolve(next(binders), schematic), body))

    def free_types(self, *, schematic: bool = False) -> dict[str, Typ]:
        """The types of the free variables and of the context."""
        if schematic:
            self._names.update(dict(self._written()))
        else:
            self._name_free_types()
        inferred = {name: self.resolve(found, schematic) for name, found in self.frees.items()}
        return {**self.context, **inferred}

    def resolve(self, root: Inner, schematic: bool = False) -> Typ:
        """The type as others know it, with names for what is still open."""
        root = find(root)
        if type(root) is Cell:
            return self._names.get(root) or self._name(root, schematic)
        outside = self.algebra.outside
        resolved = self._resolved
        known = outside.get(id(root)) or resolved.get(id(root))
        if known is not None:
            return known
        todo: list[tuple[Any, ...]] = [root]
        while todo:
            node = todo[-1]
            arguments: list[Typ] = []
            missing = len(todo)
            for part in node[1:]:
                inner = find(part)
                if type(inner) is Cell:
                    arguments.append(self._names.get(inner) or self._name(inner, schematic))
                    continue
                known = outside.get(id(inner)) or resolved.get(id(inner))
                if known is None:
                    todo.append(inner)
                else:
                    arguments.append(known)
            if len(todo) == missing:
                todo.pop()
                made = Type(node[0], tuple(arguments))
                refuse_large(made)
                resolved[id(node)] = self._share(made)
                self._alive.append(node)
        return resolved[id(root)]

    def _new_free(self, name: str) -> Inner:
        typ = self.context.get(name)
        found = Cell(0) if typ is None else self._given(typ)
        self.frees[name] = found
        return found

    def _given(self, typ: Typ) -> Inner:
        """A type of a mark or of the context. Raises TypingError where a written type variable cannot have its sort."""
        written = [v for v in type_variables(typ) if type(v) is TVar and v.index == IN_TEXT]
        if not written:
            return self.algebra.rigid(typ, self._open)
        meant: dict[Typ, Typ] = {v: self._fixed.get(v.name) or TVar(v.name, IN_TEXT) for v in written}
        found = self.algebra.rigid(map_type(typ, lambda v: meant.get(v, v)), self._open)
        for variable in written:
            try:
                self.unifier.constrain(
                    self.algebra.rigid(meant[variable], self._open), self.algebra.sort_number(variable.sort)
                )
            except Mismatch as mismatch:
                raise TypingError(f"{variable.name} is written with a sort that it does not have: {mismatch}") from None
        return found

    def _name_free_types(self) -> None:
        """Name what is open in the types of free variables: fixed, whatever proposition they stand in."""
        if not self._named:
            self._named = True
            for root, variable in self._written():
                self._names.setdefault(root, TFree(variable.name, variable.sort))
                self._reserved.add(variable.name)
            for found in self.frees.values():
                self.resolve(found)

    def _written(self) -> Iterator[tuple[Cell, TVar]]:
        """The type variables that somebody has written and that are still open, with their sorts."""
        for variable, cell in self._open.items():
            root = find(cell)
            if type(variable) is TVar and variable.index == IN_TEXT and type(root) is Cell:
                yield root, TVar(variable.name, IN_TEXT, self.algebra.sort(root.sort) or self.prepared.default_sort)

    def _name(self, cell: Cell, schematic: bool) -> Typ:
        name = _letters(next(self._fresh))
        while name in self._reserved:
            name = _letters(next(self._fresh))
        sort = self.algebra.sort(cell.sort) or self.prepared.default_sort
        typ = TVar(name, 0, sort) if schematic else TFree(name, sort)
        self._names[cell] = typ
        return typ

    def _share(self, typ: Type) -> Type:
        types = self.prepared.types
        if len(types) > _MAX_SHARED:
            types.clear()
        return types.setdefault(typ, typ)

    def _constant(self, scheme: Scheme, arguments: tuple[Typ, ...]) -> Const:
        shared = self.prepared.constants
        if len(shared) > _MAX_SHARED:
            shared.clear()
        declared = self.algebra.signature.constants[scheme.name].type
        instance = instantiate_type(declared, dict(zip(scheme.variables, arguments, strict=True)))
        made = shared[scheme.name, arguments] = Const(scheme.name, instance)
        return made

    def _clash(self, application: App, function: Inner, argument: Inner, why: str) -> TypingError:
        found = self.resolve(argument)
        place = f"in {_shorten(application.fun)} applied to {_shorten(application.arg)}: "
        function = find(function)
        if type(function) is tuple and function[0] == "fun":
            wanted = self.resolve(function[1])
            text = f"the function wants {show_type(wanted)}, the argument has type {show_type(found)}"
            return TypingError(place + text + (f"; {why}" if why else ""), application, wanted, found)
        text = why or f"the first has type {show_type(self.resolve(function))} and is no function"
        return TypingError(place + text + f"; the argument has type {show_type(found)}", application, None, found)


def refuse_large(typ: Typ) -> None:
    """Raises TypingError for a type that nobody could read, or write in a bounded time."""
    if type(typ) is not Type or typ.size <= MOST_LEVELS:
        return
    if typ.size > MOST_TYPE_PARTS:
        raise TypingError(f"a type of more than {MOST_TYPE_PARTS} parts would be needed")
    levels, parts = 0, [typ]
    while parts:
        levels, parts = levels + 1, [part for node in parts for part in node.args if type(part) is Type]
    if levels > MOST_LEVELS:
        raise TypingError(f"a type of more than {MOST_LEVELS} levels would be needed")


def _shorten(term: Term, limit: int = 120) -> str:
    line = encode_line(term)
    return f"`{line}`" if len(line) <= limit else f"`{line[: limit - 1]}…`"


def _letters(number: int) -> str:
    """'a, 'b, ..., 'z, 'aa, 'ab, ..."""
    out = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, 26)
        out = chr(97 + digit) + out
    return "'" + out
