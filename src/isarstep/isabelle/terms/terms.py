"""Types and terms of Isabelle/HOL: immutable, hashable, with de Bruijn indices for bound variables.

Two terms are equal when they are alpha-equal: the name of an abstraction is a printing hint and never compared.
A term read from tokens carries no types: its `type` fields are None. Every walk is a loop, so depth has no limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TypeAlias, final

Sort: TypeAlias = tuple[str, ...]


class _Node:
    """What all types and terms share."""

    __slots__ = ()

    def __repr__(self) -> str:
        return _repr(self)


@final
class Type(_Node):
    """A type constructor applied to types, `Type("fun", (a, b))`."""

    __slots__ = ("_hash", "args", "name", "size")
    __match_args__ = ("name", "args")

    def __init__(self, name: str, args: tuple[Typ, ...] = ()) -> None:
        self.name: Final = name
        self.args: Final = args
        self.size: Final[int] = 1 + sum(part.size if type(part) is Type else 1 for part in args)  # written out
        self._hash: Final[int] = hash((name, args))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other) is Type and self._hash == other._hash and _same_type(self, other))


@final
class TFree(_Node):
    """A fixed type variable such as `'a`, with its sort (a sorted tuple of classes)."""

    __slots__ = ("_hash", "name", "sort")
    __match_args__ = ("name", "sort")

    def __init__(self, name: str, sort: Sort = ()) -> None:
        self.name: Final = name
        self.sort: Final = sort
        self._hash: Final[int] = hash((name, sort))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other) is TFree and self.name == other.name and self.sort == other.sort)


@final
class TVar(_Node):
    """A schematic type variable such as `?'a`, with index and sort."""

    __slots__ = ("_hash", "index", "name", "sort")
    __match_args__ = ("name", "index", "sort")

    def __init__(self, name: str, index: int = 0, sort: Sort = ()) -> None:
        self.name: Final = name
        self.index: Final = index
        self.sort: Final = sort
        self._hash: Final[int] = hash((name, index, sort))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (
            type(other) is TVar and self.name == other.name and self.index == other.index and self.sort == other.sort
        )


Typ: TypeAlias = Type | TFree | TVar
MaybeTyp: TypeAlias = Typ | None


class _Term(_Node):
    """What all terms share."""

    __slots__ = ("_hash",)
    _hash: int

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return same(self, other)


@final
class Const(_Term):
    """A constant of the signature, by its full name."""

    __slots__ = ("name", "type")
    __match_args__ = ("name", "type")

    def __init__(self, name: str, type: MaybeTyp = None) -> None:
        self.name: Final = name
        self.type: Final = type
        self._hash = hash((1, name, type))


@final
class Free(_Term):
    """A variable fixed in a context."""

    __slots__ = ("name", "type")
    __match_args__ = ("name", "type")

    def __init__(self, name: str, type: MaybeTyp = None) -> None:
        self.name: Final = name
        self.type: Final = type
        self._hash = hash((2, name, type))


@final
class Var(_Term):
    """A schematic variable of a lemma, `?x` with an index."""

    __slots__ = ("index", "name", "type")
    __match_args__ = ("name", "index", "type")

    def __init__(self, name: str, index: int = 0, type: MaybeTyp = None) -> None:
        self.name: Final = name
        self.index: Final = index
        self.type: Final = type
        self._hash = hash((3, name, index, type))


@final
class Bound(_Term):
    """A bound variable: the number of abstractions between it and its binder."""

    __slots__ = ("index",)
    __match_args__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index: Final = index
        self._hash = hash((4, index))


@final
class Abs(_Term):
    """A function abstraction. The name is only a hint for printing."""

    __slots__ = ("body", "name", "type")
    __match_args__ = ("name", "type", "body")

    def __init__(self, name: str, type: MaybeTyp, body: Term) -> None:
        self.name: Final = name
        self.type: Final = type
        self.body: Final = body
        self._hash = 0

    def __hash__(self) -> int:
        return self._hash or _hash(self)


@final
class App(_Term):
    """An application of a function to one argument."""

    __slots__ = ("arg", "fun")
    __match_args__ = ("fun", "arg")

    def __init__(self, fun: Term, arg: Term) -> None:
        self.fun: Final = fun
        self.arg: Final = arg
        self._hash = 0

    def __hash__(self) -> int:
        return self._hash or _hash(self)


Term: TypeAlias = Const | Free | Var | Bound | Abs | App


def same(left: object, right: object) -> bool:
    """Alpha-equality: everything counts except the names of abstractions."""
    todo: list[tuple[Any, Any]] = [(left, right)]
    while todo:
        a, b = todo.pop()
        if a is b:
            continue
        if type(a) is not type(b):
            return False
        if type(a) is App:
            if a._hash != b._hash and a._hash and b._hash:
                return False
            todo.append((a.arg, b.arg))
            todo.append((a.fun, b.fun))
        elif type(a) is Abs:
            if a.type != b.type or (a._hash != b._hash and a._hash and b._hash):
                return False
            todo.append((a.body, b.body))
        elif type(a) is Const or type(a) is Free:
            if a.name != b.name or a.type != b.type:
                return False
        elif type(a) is Var:
            if a.name != b.name or a.index != b.index or a.type != b.type:
                return False
        elif type(a) is Bound:
            if a.index != b.index:
                return False
        else:
            return False
    return True


def _hash(root: Abs | App) -> int:
    """Hash a term and remember it in every application and abstraction inside: most terms are never hashed at all, and
    a number in each would cost more memory than the term."""
    todo: list[Abs | App] = [root]
    while todo:
        node = todo[-1]
        parts = (node.fun, node.arg) if type(node) is App else (node.body,)
        missing = [part for part in parts if (type(part) is App or type(part) is Abs) and not part._hash]
        if missing:
            todo.extend(missing)
            continue
        todo.pop()
        if type(node) is App:
            node._hash = hash((node.fun._hash, node.arg._hash)) or 1
        else:
            node._hash = hash((5, node.type, node.body._hash)) or 1
    return root._hash


def _same_type(left: Type, right: Type) -> bool:
    todo: list[tuple[Typ, Typ]] = [(left, right)]
    while todo:
        a, b = todo.pop()
        if a is b:
            continue
        if type(a) is Type and type(b) is Type:
            if a._hash != b._hash or a.name != b.name or len(a.args) != len(b.args):
                return False
            todo.extend(zip(a.args, b.args, strict=True))
        elif a != b:
            return False
    return True


def _repr(root: object) -> str:
    """The constructor calls that make this object; a loop, as everything here."""
    out: list[str] = []
    todo: list[object] = [root]
    while todo:
        node = todo.pop()
        if type(node) is str:
            out.append(node)
        elif type(node) is App:
            todo.extend((")", node.arg, ", ", node.fun, "App("))
        elif type(node) is Abs:
            todo.extend((")", node.body, ", ", node.type, f"Abs({node.name!r}, "))
        elif type(node) is Type and node.args:
            todo.append("))" if len(node.args) > 1 else ",))")
            for position, argument in enumerate(reversed(node.args)):
                todo.extend((", ", argument) if position else (argument,))
            todo.append(f"Type({node.name!r}, (")
        elif type(node) is Type:
            out.append(f"Type({node.name!r})")
        elif isinstance(node, _Node):
            fields = (getattr(node, name) for name in vars(type(node))["__match_args__"])
            out.append(f"{type(node).__name__}({', '.join(repr(each) for each in fields if each is not None)})")
        else:
            out.append(repr(node))
    return "".join(out)


def fun(argument: Typ, result: Typ) -> Type:
    """The type `argument => result`."""
    return Type("fun", (argument, result))


def funs(arguments: Iterable[Typ], result: Typ) -> Typ:
    """The type `a1 => a2 => ... => result`."""
    for argument in reversed(tuple(arguments)):
        result = fun(argument, result)
    return result


def strip_fun(typ: Typ) -> tuple[list[Typ], Typ]:
    """The arguments and the result of a function type; undoes `funs`."""
    arguments = []
    while type(typ) is Type and typ.name == "fun" and len(typ.args) == 2:
        arguments.append(typ.args[0])
        typ = typ.args[1]
    return arguments, typ


def list_comb(head: Term, arguments: Iterable[Term]) -> Term:
    """`head $ a1 $ a2 ...`."""
    for argument in arguments:
        head = App(head, argument)
    return head


def strip_comb(term: Term) -> tuple[Term, list[Term]]:
    """The head and the arguments of an application; undoes `list_comb`."""
    arguments = []
    while type(term) is App:
        arguments.append(term.arg)
        term = term.fun
    arguments.reverse()
    return term, arguments


def applied_constant(term: Term) -> tuple[str, list[Term]]:
    """The name of the constant at the head, and the arguments; no name where another term is applied."""
    head, arguments = strip_comb(term)
    return head.name if type(head) is Const else "", arguments


def head_name(term: Term) -> str:
    """The name of the constant at the head; empty where it is another term."""
    return applied_constant(term)[0]


def subterms(term: Term) -> Iterator[Term]:
    """Every subterm, a function before its argument: leaves come in the order of their tokens."""
    todo = [term]
    while todo:
        node = todo.pop()
        yield node
        if type(node) is App:
            todo.append(node.arg)
            todo.append(node.fun)
        elif type(node) is Abs:
            todo.append(node.body)


def frees(term: Term) -> list[Free]:
    """The free variables, each once, in order of first occurrence."""
    return list(dict.fromkeys(node for node in subterms(term) if type(node) is Free))


def schematics(term: Term) -> list[Var]:
    """The schematic variables, each once, in order of first occurrence."""
    return list(dict.fromkeys(node for node in subterms(term) if type(node) is Var))


def constants(term: Term) -> list[Const]:
    """The constants, each once, in order of first occurrence."""
    return list(dict.fromkeys(node for node in subterms(term) if type(node) is Const))


def size(term: Term) -> int:
    """The number of leaves, abstractions and applications."""
    return sum(1 for _ in subterms(term))


def rebuild(
    term: Term,
    leaf: Callable[[Term, int], Term],
    binder: Callable[[Abs, Term], Term] | None = None,
) -> Term:
    """Leaves as `leaf(leaf, abstractions above it)`, abstractions as `binder(old, new body)`; what stays is shared."""
    done: list[Term] = []
    todo: list[tuple[Term, int]] = [(term, 0)]
    while todo:
        node, depth = todo.pop()
        if type(node) is App:
            if depth >= 0:
                todo.append((node, -1))
                todo.append((node.arg, depth))
                todo.append((node.fun, depth))
            else:
                argument = done.pop()
                function = done[-1]
                done[-1] = node if function is node.fun and argument is node.arg else App(function, argument)
        elif type(node) is Abs:
            if depth >= 0:
                todo.append((node, -1))
                todo.append((node.body, depth + 1))
            elif binder is not None:
                done[-1] = binder(node, done[-1])
            else:
                done[-1] = node if done[-1] is node.body else Abs(node.name, node.type, done[-1])
        else:
            done.append(leaf(node, depth))
    return done[0]


def _itself(node: Term) -> Term:
    return node


def rebuilt(term: Term, change: Callable[[Term], Term] = _itself, upwards: Callable[[Term], Term] = _itself) -> Term:
    """From the outside in: `change` makes something of every node, and goes on in what it has made. On the way back,
    `upwards` makes something of every leaf and every application, its parts first."""
    done: list[Term] = []
    todo: list[tuple[Term, bool]] = [(term, False)]
    while todo:
        node, ready = todo.pop()
        node = node if ready else change(node)
        if type(node) is App and ready:
            argument = done.pop()
            done[-1] = upwards(App(done[-1], argument))
        elif type(node) is Abs and ready:
            done[-1] = Abs(node.name, node.type, done[-1])
        elif type(node) is App or type(node) is Abs:
            todo.append((node, True))
            todo += ((node.arg, False), (node.fun, False)) if type(node) is App else ((node.body, False),)
        else:
            done.append(upwards(node))
    return done[0]


def _untyped(node: Term, _depth: int) -> Term:
    if type(node) is Const or type(node) is Free:
        return node if node.type is None else type(node)(node.name)
    if type(node) is Var:
        return node if node.type is None else Var(node.name, node.index)
    return node


def erase(term: Term) -> Term:
    """Without types and names of abstractions: exactly what tokens can say."""
    return rebuild(
        term,
        _untyped,
        lambda old, body: old if old.body is body and old.name == "" and old.type is None else Abs("", None, body),
    )


def untyped(term: Term) -> Term:
    """Without types. Names of abstractions stay, but for those that end in `_`, which nobody wrote."""
    return rebuild(term, _untyped, lambda old, body: Abs("" if old.name.endswith("_") else old.name, None, body))


def _pointing_outside(term: Term) -> Iterator[int]:
    """Of each bound variable that points outside the term: how many abstractions outside."""
    todo = [(term, 0)]
    while todo:
        node, depth = todo.pop()
        if type(node) is App:
            todo.append((node.arg, depth))
            todo.append((node.fun, depth))
        elif type(node) is Abs:
            todo.append((node.body, depth + 1))
        elif type(node) is Bound and node.index >= depth:
            yield node.index - depth


def loose(term: Term) -> bool:
    """Does some bound variable point outside the term?"""
    return next(_pointing_outside(term), None) is not None


def occurs_bound(term: Term, index: int) -> bool:
    """Does the bound variable that points exactly `index` abstractions outside occur in the term?"""
    return index in _pointing_outside(term)


def increase(term: Term, by: int) -> Term:
    """Add `by` to every loose bound variable, for moving a term under (or, when negative, out of) abstractions."""
    if by == 0:
        return term
    return rebuild(
        term, lambda leaf, depth: Bound(leaf.index + by) if type(leaf) is Bound and leaf.index >= depth else leaf
    )


def instantiate(body: Term, argument: Term) -> Term:
    """The body of an abstraction with its variable replaced: `(ABS body) $ argument` contracted once."""
    closed = not loose(argument)

    def leaf(node: Term, depth: int) -> Term:
        if type(node) is not Bound or node.index < depth:
            return node
        if node.index > depth:
            return Bound(node.index - 1)
        return argument if closed else increase(argument, depth)

    return rebuild(body, leaf)


def abstract(term: Term, variable: Free | Var) -> Term:
    """The body whose `instantiate` with the variable gives the term back."""

    def leaf(node: Term, depth: int) -> Term:
        if type(node) is Bound and node.index >= depth:
            return Bound(node.index + 1)
        return Bound(depth) if node == variable else node

    return rebuild(term, leaf)


def substitute(term: Term, replacement: Callable[[Free | Var], Term | None]) -> Term:
    """Replace free and schematic variables; None keeps one. Bound variables are never captured."""

    def leaf(node: Term, depth: int) -> Term:
        if type(node) is Free or type(node) is Var:
            new = replacement(node)
            if new is not None:
                return increase(new, depth) if depth and loose(new) else new
        return node

    return rebuild(term, leaf)


def substitute_types(term: Term, replacement: Callable[[Typ], Typ]) -> Term:
    """Apply a function to every type in the term."""

    def leaf(node: Term, _depth: int) -> Term:
        if type(node) is Const and node.type is not None:
            return Const(node.name, replacement(node.type))
        if type(node) is Free and node.type is not None:
            return Free(node.name, replacement(node.type))
        if type(node) is Var and node.type is not None:
            return Var(node.name, node.index, replacement(node.type))
        return node

    return rebuild(term, leaf, lambda old, body: Abs(old.name, old.type and replacement(old.type), body))
