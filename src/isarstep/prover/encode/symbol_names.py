"""Names for provers: from any text to letters, digits and underscores, injectively, so that two symbols never become
one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from hashlib import blake2b
from typing import Generic, TypeVar

from isarstep.prover.encode.formula import CannotEncode, Formula

_OTHERS = re.compile("[^A-Za-z0-9]")


def escape(text: str) -> str:
    """ASCII letters and digits stay; `_` and `.` become `__` and `_o`; every other character becomes `_x<hex>_`."""
    return _OTHERS.sub(lambda sign: {"_": "__", ".": "_o"}.get(sign[0], f"_x{ord(sign[0]):x}_"), text)


# Which key has which name, in this process: a name never stands for two.
_keys: dict[str, str] = {}


@lru_cache(maxsize=200_000)
def name_of(kind: str, key: str) -> str:
    """The name of a key: a letter for the kind, the end of the key for people to read, and a digest of the whole. It
    depends on nothing else, so what was printed for one problem serves the next.
    """
    word = key.partition(" : ")[0].removeprefix("free ").lstrip("($").split(" ")[0]
    hint = escape(word.split("::")[0].rpartition(".")[2])[:40]
    name = f"{kind}_{hint}_{blake2b(key.encode(), digest_size=7).hexdigest()}"
    if _keys.setdefault(name, key) != key:
        raise CannotEncode(f"the names of {key} and {_keys[name]} would be the same")
    return name


T = TypeVar("T")
MOST_KEPT = 100_000


class ByIdentity(Generic[T]):
    """What was made from an object, kept by its identity: formulas are large, and those of library facts come again
    and again as the same objects.
    """

    def __init__(self) -> None:
        self._made: dict[int, tuple[object, T]] = {}

    def get(self, thing: Formula, make: Callable[[Formula], T]) -> T:
        found = self._made.get(id(thing))
        if found is None:
            if len(self._made) >= MOST_KEPT:
                self._made.clear()
            found = self._made[id(thing)] = (thing, make(thing))  # keeps the object, so its identity stays its own
        return found[1]
