"""Types and terms of Isabelle/HOL: immutable, hashable, with de Bruijn indices for bound variables.

Two terms are equal when they are alpha-equal: the name of an abstraction is a printing hint and never compared.
A term read from tokens carries no types: its `type` fields are None. Every walk over a term is a loop, so depth has no limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

Sort: TypeAlias = tuple[str, ...]


class Type:
    """A type constructor applied to types, `Type("fun", (a, b))`."""

    __slots__ = ("_hash", "args", "name")
    __match_args__ = ("name", "args")

    def __init__(self, name: str, args: tuple[Typ, ...] = ()) -> None:
        self.name = name
        self.args = args
        self._hash = hash((name, args))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return (
            type(other) is Type
            and self._hash == other._hash
            and self.name == other.name
            and self.args == other.args
        )

    def __repr__(self) -> str:
        return f"Type({self.name!r}, {self.args!r})" if self.args else f"Type({self.name!r})"


class TFree:
    """A fixed type variable such as `'a`, with its sort (a sorted tuple of classes)."""

    __slots__ = ("_hash", "name", "sort")
    __match_args__ = ("name", "sort")

    def __init__(self, name: str, sort: Sort = ()) -> None:
        self.name = name
        self.sort = sort
        self._hash = hash((name, sort))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other) is TFree and self.name == other.name and self.sort == other.sort)

    def __repr__(self) -> str:
        return f"TFree({self.name!r}, {self.sort!r})"


class TVar:
    """A schematic type variable such as `?'a`, with index and sort."""

    __slots__ = ("_hash", "index", "name", "sort")
    __match_args__ = ("name", "index", "sort")

    def __init__(self, name: str, index: int = 0, sort: Sort = ()) -> None:
        self.name = name
        self.index = index
        self.sort = sort
        self._hash = hash((name, index, sort))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (
            type(other) is TVar and self.name == other.name and self.index == other.index and self.sort == other.sort
        )

    def __repr__(self) -> str:
        return f"TVar({self.name!r}, {self.index}, {self.sort!r})"


Typ: TypeAlias = Type | TFree | TVar
MaybeTyp: TypeAlias = Typ | None


class Const:
    """A constant of the signature, by its full name."""

    __slots__ = ("_hash", "name", "type")
    __match_args__ = ("name", "type")

    def __init__(self, name: str, type: MaybeTyp = None) -> None:
        self.name = name
        self.type = type
        self._hash = hash((1, name, type))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return same(self, other)

    def __repr__(self) -> str:
        return f"Const({self.name!r})" if self.type is None else f"Const({self.name!r}, {self.type!r})"


class Free:
    """A variable fixed in a context."""

    __slots__ = ("_hash", "name", "type")
    __match_args__ = ("name", "type")

    def __init__(self, name: str, type: MaybeTyp = None) -> None:
        self.name = name
        self.type = type
        self._hash = hash((2, name, type))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return same(self, other)

    def __repr__(self) -> str:
        return f"Free({self.name!r})" if self.type is None else f"Free({self.name!r}, {self.type!r})"


class Var:
    """A schematic variable of a lemma, `?x` with an index."""

    __slots__ = ("_hash", "index", "name", "type")
    __match_args__ = ("name", "index", "type")

    def __init__(self, name: str, index: int = 0, type: MaybeTyp = None) -> None:
        self.name = name
        self.index = index
        self.type = type
        self._hash = hash((3, name, index, type))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return same(self, other)

    def __repr__(self) -> str:
        return f"Var({self.name!r}, {self.index})" if self.type is None else f"Var({self.name!r}, {self.index}, {self.type!r})"


class Bound:
    """A bound variable: the number of abstractions between it and its binder."""

    __slots__ = ("_hash", "index")
    __match_args__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index
        self._hash = hash((4, index))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return same(self, other)

    def __repr__(self) -> str:
        return f"Bound({self.index})"


class Abs:
    """A function abstraction. The name is only a hint for printing."""

    __slots__ = ("_hash", "body", "name", "type")
    __match_args__ = ("name", "type", "body")

    def __init__(self, name: str, type: MaybeTyp, body: Term) -> None:
        self.name = name
        self.type = type
        self.body = body
        self._hash = hash((5, type, body._hash))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return same(self, other)

    def __repr__(self) -> str:
        return _repr(self)


class App:
    """An application of a function to one argument."""

    __slots__ = ("_hash", "arg", "fun")
    __match_args__ = ("fun", "arg")

    def __init__(self, fun: Term, arg: Term) -> None:
        self.fun = fun
        self.arg = arg
        self._hash = hash((fun._hash, arg._hash))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return same(self, other)

    def __repr__(self) -> str:
        return _repr(self)


Term: TypeAlias = Const | Free | Var | Bound | Abs | App


def same(left: object, right: object) -> bool:
    """Alpha-equality: everything counts except the names of abstractions."""
    todo: list[tuple[object, object]] = [(left, right)]
    while todo:
        a, b = todo.pop()
        if a is b:
            continue
        if type(a) is not type(b):
            return False
        if type(a) is App and type(b) is App:
            if a._hash != b._hash:
                return False
            todo.append((a.arg, b.arg))
            todo.append((a.fun, b.fun))
        elif type(a) is Abs and type(b) is Abs:
            if a._hash != b._hash or a.type != b.type:
                return False
            todo.append((a.body, b.body))
        elif type(a) is Const and type(b) is Const or type(a) is Free and type(b) is Free:
            if a.name != b.name or a.type != b.type:
                return False
        elif type(a) is Var and type(b) is Var:
            if a.name != b.name or a.index != b.index or a.type != b.type:
                return False
        elif type(a) is Bound and type(b) is Bound:
            if a.index != b.index:
                return False
        else:
            return False
    return True
