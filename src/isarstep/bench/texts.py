"""Terms of a graph as text, quickly: each shared subterm is written once.

The text is what `encode_line` gives, with variables still under their names, between marks; `Template` cuts it there.
"""

from __future__ import annotations

from itertools import pairwise

from isarstep.logic.terms import Abs, App, Bound, Const, Free, Term, beta_eta_normal
from isarstep.logic.tokens import decode

_BEGIN, _END = "\x01", "\x02"


class Texts:
    """Text of terms by identity: for terms that stay alive as long as this table, like those of one graph."""

    def __init__(self) -> None:
        self._known: dict[int, str] = {}

    def of(self, root: Term) -> str:
        known = self._known
        todo = [root]
        while todo:
            node = todo[-1]
            key = id(node)
            if key in known:
                todo.pop()
                continue
            if type(node) is App:
                function, argument = known.get(id(node.fun)), known.get(id(node.arg))
                if function is None or argument is None:
                    if function is None:
                        todo.append(node.fun)
                    if argument is None:
                        todo.append(node.arg)
                    continue
                kind = type(node.arg)
                if kind is App or kind is Abs:
                    argument = f"( {argument} )"
                known[key] = f"( {function} ) $ {argument}" if type(node.fun) is Abs else f"{function} $ {argument}"
            elif type(node) is Abs:
                body = known.get(id(node.body))
                if body is None:
                    todo.append(node.body)
                    continue
                known[key] = "ABS " + body
            elif type(node) is Const:
                known[key] = "CONST " + node.name
            elif type(node) is Free:
                known[key] = f"FREE {_BEGIN}{node.name}{_END}"
            elif type(node) is Bound:
                known[key] = f"BOUND {node.index}"
            else:
                known[key] = f"VAR {_BEGIN}?{node.name}.{node.index}{_END}"
            todo.pop()
        return known[id(root)]


class Template:
    """A proposition as text with gaps where its free variables stand; schematic variables have their numbers."""

    __slots__ = ("names", "pieces", "rendered", "schematics", "slots")

    def __init__(self, text: str) -> None:
        first, *parts = text.split(_BEGIN)
        pieces = [first]
        slots: list[str] = []
        schematics: dict[str, str] = {}
        for part in parts:
            name, _, rest = part.partition(_END)
            if name[0] == "?":
                number = schematics.get(name)
                if number is None:
                    number = schematics[name] = f"<V{len(schematics)}>"
                pieces[-1] += number + rest
            else:
                slots.append(name)
                pieces.append(rest)
        self.pieces = pieces
        self.slots = slots
        self.names = tuple(dict.fromkeys(slots))
        self.schematics = tuple(schematics)
        self.rendered: dict[tuple[int, ...], int] = {}  # numbers of its variables -> proposition

    def text(self, numbers: dict[str, int]) -> str:
        if not self.slots:
            return self.pieces[0]
        out = [self.pieces[0]]
        for name, piece in zip(self.slots, self.pieces[1:], strict=True):
            out.append(f"<X{numbers[name]}>")
            out.append(piece)
        return "".join(out)


def alike(left: str, right: str) -> bool:
    """Do two lines of tokens differ by eta at most? Rules for cases and induction leave `ABS f $ BOUND 0` for `f`."""
    if left == right:
        return True
    if "ABS" not in left and "ABS" not in right:
        return False
    # Eta-expansion adds neither names nor changes their order: cheap to compare first.
    if _leaves(left) != _leaves(right):
        return False
    return beta_eta_normal(decode(left)) == beta_eta_normal(decode(right))


def _leaves(text: str) -> list[str]:
    words = text.split()
    return [name for word, name in pairwise(words) if word in ("CONST", "FREE", "VAR")]
