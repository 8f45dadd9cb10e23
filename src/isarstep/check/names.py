"""Names for provers: from any text to letters, digits and underscores, injectively, so that two symbols never become
one.
"""

from __future__ import annotations


def escape(text: str) -> str:
    """ASCII letters and digits stay; `_` and `.` become `__` and `_o`; every other character becomes `_x<hex>_`."""
    parts = []
    for char in text:
        if char.isascii() and char.isalnum():
            parts.append(char)
        elif char == "_":
            parts.append("__")
        elif char == ".":
            parts.append("_o")
        else:
            parts.append(f"_x{ord(char):x}_")
    return "".join(parts)


def unescape(name: str) -> str:
    """The inverse of `escape`; raises ValueError for what `escape` never gives."""
    parts = []
    at = 0
    while at < len(name):
        if name[at] != "_":
            parts.append(name[at])
            at += 1
        elif name.startswith("__", at):
            parts.append("_")
            at += 2
        elif name.startswith("_o", at):
            parts.append(".")
            at += 2
        elif name.startswith("_x", at):
            end = name.index("_", at + 2)
            parts.append(chr(int(name[at + 2 : end], 16)))
            at = end + 1
        else:
            raise ValueError(f"not an escaped name: {name}")
    return "".join(parts)


class Namer:
    """Gives each key of a problem its own name: a letter for the kind, a number, and the escaped end of the key
    for people to read.
    """

    def __init__(self) -> None:
        self._names: dict[tuple[str, str], str] = {}

    def get(self, kind: str, key: str) -> tuple[str, bool]:
        """The name of a key, and whether it is new. Numbers make names differ even where the readable parts agree."""
        known = self._names.get((kind, key))
        if known is not None:
            return known, False
        word = key.partition(" : ")[0].removeprefix("free ").lstrip("($").split(" ")[0]
        hint = word.split("::")[0].rpartition(".")[2]
        name = self._names[kind, key] = f"{kind}{len(self._names)}_{escape(hint)[:40]}"
        return name, True
