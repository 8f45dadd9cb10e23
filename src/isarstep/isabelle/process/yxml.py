"""YXML and the XML encodings that Isabelle's ML process reads and writes (`XML.Encode`), in bytes.

A body is a list of trees; a tree is text or an element with a body. Encoders return YXML directly,
because nothing of ours needs the tree in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias, TypeVar

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")

X = b"\x05"
Y = b"\x06"

Encoder = Callable[[A], bytes]


Tree: TypeAlias = (
    "str | tuple[Tree, ...]"  # text, or the body of an element; names and attributes are markup that nobody reads
)


def element(name: str, attributes: Iterable[tuple[str, str]], body: bytes) -> bytes:
    head = b"".join(Y + f"{key}={value}".encode() for key, value in attributes)
    return X + Y + name.encode() + head + X + body + X + Y + X


def _node(body: bytes) -> bytes:
    return element(":", (), body)


def string(text: str) -> bytes:
    if "\x05" in text or "\x06" in text:
        raise ValueError("text with YXML control characters cannot be encoded")
    return text.encode()


def boolean(value: bool) -> bytes:
    return b"1" if value else b"0"


def integer(value: int) -> bytes:
    return str(value).encode()


def properties(items: Iterable[tuple[str, str]]) -> bytes:
    return element(":", items, b"")


def pair(first: Encoder[A], second: Encoder[B]) -> Encoder[tuple[A, B]]:
    return lambda value: _node(first(value[0])) + _node(second(value[1]))


def triple(first: Encoder[A], second: Encoder[B], third: Encoder[C]) -> Encoder[tuple[A, B, C]]:
    return lambda value: _node(first(value[0])) + _node(second(value[1])) + _node(third(value[2]))


def listing(item: Encoder[A]) -> Encoder[Sequence[A]]:
    return lambda values: b"".join(_node(item(value)) for value in values)


def option(item: Encoder[A]) -> Encoder[A | None]:
    return lambda value: b"" if value is None else _node(item(value))


def parse(source: bytes) -> tuple[Tree, ...]:
    """The body that YXML stands for."""
    stack: list[list[Tree]] = [[]]
    for chunk in source.split(X):
        if chunk == Y:
            body = tuple(stack.pop())
            if not stack:
                raise ValueError("malformed YXML: an element ends that never began")
            stack[-1].append(body)
        elif Y in chunk:
            before, name, *attributes = chunk.split(Y)
            if before or not name or any(field.find(b"=") < 1 for field in attributes):
                raise ValueError("malformed YXML: bad element")
            stack.append([])
        elif chunk:
            stack[-1].append(chunk.decode())
    if len(stack) != 1:
        raise ValueError("malformed YXML: an element does not end")
    return tuple(stack[0])


def content(body: Iterable[Tree]) -> str:
    """The text of a body without its markup."""
    parts: list[str] = []
    todo: list[Tree] = list(body)[::-1]
    while todo:
        tree = todo.pop()
        if isinstance(tree, str):
            parts.append(tree)
        else:
            todo.extend(reversed(tree))
    return "".join(parts)


def decode_list(body: tuple[Tree, ...]) -> list[tuple[Tree, ...]]:
    """The bodies of an encoded list (of an option: none or one)."""
    nodes = [tree for tree in body if not isinstance(tree, str)]
    if len(nodes) != len(body):
        raise ValueError("malformed XML data: text where nodes were expected")
    return nodes


def decode_pair(body: tuple[Tree, ...]) -> tuple[tuple[Tree, ...], tuple[Tree, ...]]:
    nodes = decode_list(body)
    if len(nodes) != 2:
        raise ValueError("malformed XML data: a pair was expected")
    return nodes[0], nodes[1]
