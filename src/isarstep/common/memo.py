"""What is made of an object when somebody first asks for it, and lives as long as the object does.

A `WeakKeyDictionary` keeps both for ever where what is made refers to what it was made of, and nearly all of it does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

Owner = TypeVar("Owner")
Made = TypeVar("Made")
_PLACE = "_memo"


class _Memo(dict[Any, Any]):
    def __reduce__(self) -> tuple[type[_Memo], tuple[()]]:
        """Not what is sent to another process, which makes its own."""
        return _Memo, ()


def memo(owner: Owner, make: Callable[[Owner], Made]) -> Made:
    """What `make` makes of the owner, the same each time."""
    kept = vars(owner).get(_PLACE)
    if kept is None:
        kept = vars(owner).setdefault(_PLACE, _Memo())
    if make not in kept:
        kept.setdefault(make, make(owner))
    made: Made = kept[make]
    return made


def forget_memo(owner: object) -> None:
    """Make it all anew: the owner has changed."""
    vars(owner).pop(_PLACE, None)


class MadeWhenAsked(Mapping[str, Made]):
    """By name what is made of a row when somebody first asks for it."""

    def __init__(self, rows: Mapping[str, Any]) -> None:
        self._rows, self._made = rows, dict[str, Made]()

    def make(self, name: str) -> Made:
        raise NotImplementedError

    def __getitem__(self, name: str) -> Made:
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = self.make(name)
        return made

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)
