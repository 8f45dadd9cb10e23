"""What is made of an object when somebody first asks for it, and lives as long as the object does.

A `WeakKeyDictionary` keeps both for ever where what is made refers to what it was made of, and nearly all of it does.
"""

from __future__ import annotations

from collections.abc import Callable
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
