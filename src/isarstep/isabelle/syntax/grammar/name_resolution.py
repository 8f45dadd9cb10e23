"""Short names resolved as Isabelle's name spaces do: which constant `length` or `list.map` means in a context.

A full name has parts that may be left out (all but the last, unless a locale or `qualified` says otherwise); the last
part alone may be hidden. Of several that fit, the one declared last is meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

Rank: TypeAlias = Callable[[str], int]  # where in the order of theories a name was declared


def accesses(name: str, optional: str) -> list[str]:
    """All names by which `name` may be called; `optional` has 1 for every part that may be left out."""
    if name.startswith("Pure."):  # `eq`, `all` and `imp` are free for others
        return [name]
    parts = name.split(".")
    if len(optional) != len(parts):
        optional = "1" * (len(parts) - 1) + "0"
    found: dict[str, None] = {}
    for kept in range(len(parts) + 1):  # parts kept at the beginning, or at the end, whatever they are
        for must in (range(kept), range(len(parts) - kept, len(parts))):
            shown = [part for i, part in enumerate(parts) if i in must or optional[i] == "0"]
            if shown:
                found.setdefault(".".join(shown))
    return sorted(found, key=len)


def _one_slip(left: str, right: str) -> bool:
    """Do they differ by at most one letter, or by two neighbours that changed places?"""
    i = 0
    while i < min(len(left), len(right)) and left[i] == right[i]:
        i += 1
    left, right = left[i:], right[i:]
    if left[:2] == right[1::-1] and left[2:] == right[2:]:
        return True
    return left[1:] == right[1:] or left[1:] == right or left == right[1:]


class NameSpace:
    """Full names in the order of declaration, and what is special about some of them.

    Where a signature has names in another order, `rank` tells those of later theories from those of earlier ones."""

    def __init__(self, names: Iterable[str], rank: Rank | None = None) -> None:
        self.rank = rank
        self._by_end: dict[str, tuple[str, ...]] = {}
        self._order: dict[str, int] = {}
        self.optional: dict[str, str] = {}
        self.hidden: dict[str, bool] = {}  # names that need more than their last part (True), or no name does (False)
        self.half_hidden: set[str] = set()  # of these, those that the theory in which one is hides at its end, or half
        self._aliases: dict[str, list[tuple[str, str]]] = {}
        self._known: dict[str, str | None] = {}
        self._short: dict[str, str] = {}
        for name in names:
            self.declare(name)

    def copy(self) -> NameSpace:
        """The same names; what is declared in one is not in the other."""
        made = NameSpace((), self.rank)
        made._by_end = dict(self._by_end)
        made._order, made.optional, made.hidden = dict(self._order), dict(self.optional), dict(self.hidden)
        made.half_hidden, made._aliases = set(self.half_hidden), dict(self._aliases)
        return made

    def declare(self, name: str) -> None:
        self._order[name] = len(self._order)
        end = name.rpartition(".")[2]
        self._by_end[end] = (*self._by_end.get(end, ()), name)

    def forget(self, names: Iterable[str]) -> None:
        """Leave these out."""
        gone = {name for name in names if name in self._order}
        for end in {name.rpartition(".")[2] for name in gone}:
            self._by_end[end] = tuple(name for name in self._by_end[end] if name not in gone)
        self._known.clear()
        self._short.clear()

    def alias(self, name: str, alias: str, optional: str) -> None:
        self._aliases.setdefault(alias.rpartition(".")[2], []).append((name, alias))
        self.optional.setdefault(alias, optional)

    def resolve(self, text: str, alternative: int = 0) -> str | None:
        """The full name that is meant; `instead` of it, one that was declared so many before, where there is one."""
        if alternative:
            others = self.candidates(text)
            return others[min(alternative, len(others) - 1)] if others else self.resolve(text)
        if text not in self._known:
            self._known[text] = self._resolve(text)
        return self._known[text]

    def candidates(self, text: str) -> list[str]:
        """All that may be called so, hidden ones too, last declared first."""
        end = text.rpartition(".")[2]
        named = [n for n in self._by_end.get(end, ()) if text in accesses(n, self.optional.get(n, ""))]
        return sorted(named, key=self._when, reverse=True)

    def _resolve(self, text: str) -> str | None:
        end = text.rpartition(".")[2]
        found = [name for name in self._by_end.get(end, ()) if self._may_be_called(name, text)]
        if not found:
            found = [name for name in self._by_end.get(end, ()) if name in self.half_hidden and "." not in text]
        if not found:
            aliases = self._aliases.get(end, ())
            called = [name for name, alias in aliases if text in accesses(alias, self.optional[alias])]
            return called[-1] if called else None
        if text in found:  # a full name means itself
            return text
        return max(found, key=self._when)

    def _shared(self, text: str, name: str) -> bool:
        """May another name of the same theory be called so, and nothing says which of them was declared last?"""
        if self.rank is None or text == name:
            return False
        ends = self._by_end.get(text.rpartition(".")[2], ())
        rank = self.rank(name)
        return any(n != name and self.rank(n) == rank and self._may_be_called(n, text) for n in ends)

    def _when(self, name: str) -> tuple[int, int]:
        return self.rank(name) if self.rank is not None else 0, self._order[name]

    def _may_be_called(self, name: str, text: str) -> bool:
        hidden = self.hidden.get(name)
        if hidden is False or (hidden and "." not in text):
            return False
        return text == name or text in accesses(name, self.optional.get(name, ""))

    def like(self, text: str) -> str | None:
        """A name of the same letters but for upper and lower case, or but for one slip; None for words with digits."""
        if not text.isalpha():
            return None
        ends = [end for end in self._by_end if end.isalpha() and abs(len(end) - len(text)) <= 1]
        alike = [end for end in ends if _one_slip(end.lower(), text.lower())]
        return next((end for end in alike if end != text and self.resolve(end) is not None), None)

    def shortest(self, name: str) -> str:
        """The shortest name that means this one here; the full name where nothing does."""
        known = self._short.get(name)
        if known is None:
            calls = accesses(name, self.optional.get(name, ""))
            if name in self.half_hidden:  # who reads it may be behind the end of the theory
                calls = [text for text in calls if "." in text]
            known = next((text for text in calls if self.resolve(text) == name and not self._shared(text, name)), name)
            self._short[name] = known
        return known
