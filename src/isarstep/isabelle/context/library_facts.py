"""Facts of the library by the names that theory files call them by, with typed propositions.

Isabelle lets people leave out the theory and the class of a fact's full name (`mult.assoc` for
`Groups.semigroup_mult_class.mult.assoc`); the locale of a fact must be named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from isarstep.common.errors import UserError
from isarstep.isabelle.context.columns import ColumnValues, Repeated, numbers_of
from isarstep.isabelle.context.fact_table import FACTS, type_of_constant, typed
from isarstep.isabelle.terms.terms import Term, Typ
from isarstep.isabelle.terms.tokens import decode
from isarstep.isabelle.terms.type_text import parse_type

if TYPE_CHECKING:
    import numpy.typing as npt

_CLASS = "_class"
_END = 8  # bytes of a name that are compared at once


class LibraryFacts:
    """The fact base, asked by name. Nothing is read before somebody asks."""

    def __init__(self, benchmark: Any) -> None:
        self._benchmark = benchmark
        self._general = type_of_constant(benchmark.signature)
        self._types: ColumnValues[Any] = ColumnValues(lambda: benchmark.column(FACTS, "types"))
        self._indices: ColumnValues[int] = ColumnValues(lambda: benchmark.column(FACTS, "index"))
        self._type: Callable[[int], Typ] = lru_cache(maxsize=None)(lambda number: parse_type(benchmark.types[number]))
        self._numbers = lru_cache(maxsize=1024)(self._called)

    def called(self, name: str, theories: frozenset[str] | None) -> tuple[tuple[str, Term], ...]:
        """Full names and propositions of the theorem that is called so where these theories are imported; none where no
        one theorem is meant for sure, or where one of its propositions cannot be read."""
        places = [place for place in self._numbers(name) if theories is None or self._theories[place] in theories]
        meant = {(self._theories[place], self._name(place)) for place in places}
        if len(meant) != 1:
            return ()
        return self._made(tuple(places))

    def numbers(self, names: Iterable[str], theories: frozenset[str] | None) -> Mapping[str, Sequence[int]]:
        """The facts of these theories that are called by one of these names, of very many."""
        wanted: dict[int, set[int]] = {}  # ends of names, by their length
        for name in names:
            end = f".{name}".encode()[-_END:]
            wanted.setdefault(len(end), set()).add(int.from_bytes(end, "big"))
        found: dict[str, list[int]] = {}
        known = {*names}
        for length, some in wanted.items():
            ends = self._ends & np.uint64(2 ** (8 * length) - 1)
            for place in np.flatnonzero(np.isin(ends, np.array(sorted(some), np.uint64))).tolist():
                if theories is None or self._theories[place] in theories:
                    for name in short_names(self._name(place)) & known:
                        found.setdefault(name, []).append(place)
        return {name: sorted({*places}) for name, places in found.items()}

    def in_some_locale(self, name: str, theories: frozenset[str] | None) -> bool:
        """Has a locale of these theories a fact that would be called so inside?"""
        known = {*self._numbers(name)}
        return any(
            theories is None or self._theories[place] in theories for place in self._ending(name) if place not in known
        )

    def _made(self, places: tuple[int, ...]) -> tuple[tuple[str, Term], ...]:
        made = []
        for place in places:
            try:
                erased = decode(self._benchmark.propositions[self._propositions[place]])
                term = typed(erased, [self._type(number) for number in self._types[place]], self._general)
            except (StopIteration, AssertionError, UserError):
                return ()
            index = self._indices[place]
            made.append((f"{self._name(place)}({index})" if index else self._name(place), term))
        return tuple(made)

    def _called(self, name: str) -> list[int]:
        return [place for place in self._ending(name) if name in short_names(self._name(place))]

    def _ending(self, name: str) -> list[int]:
        """Facts whose names end so. The names stay bytes: there are hundreds of thousands."""
        wanted, found, at = name.encode(), [], -1
        text, ends = self._names
        while (at := text.find(wanted, at + 1)) >= 0:
            found.append(at)
        starts = np.array(found, ends.dtype)  # of another type, all of `ends` would be copied
        places = np.searchsorted(ends, starts, side="right") - 1
        whole = starts + len(wanted) == ends[places + 1]
        return [
            int(place)
            for place, start in zip(places[whole], starts[whole], strict=True)
            if start == ends[place] or text[start - 1 : start] == b"."
        ]

    def _name(self, place: int) -> str:
        text, ends = self._names
        return text[ends[place] : ends[place + 1]].decode()

    @cached_property
    def _names(self) -> tuple[bytes, npt.NDArray[Any]]:
        """All names without anything between them, and where each begins."""
        column = self._benchmark.column(FACTS, "name")
        _, offsets, data = column.buffers()
        if offsets is None or data is None:
            return b"", np.zeros(1, np.int64)
        width = "i8" if str(column.type).startswith("large_") else "i4"
        ends = np.frombuffer(offsets, width)[column.offset : column.offset + len(column) + 1]
        return bytes(memoryview(data)[: int(ends[-1])]), ends

    @cached_property
    def _ends(self) -> npt.NDArray[np.uint64]:
        """The last bytes of each name as a number, a point before the name; of a shorter one, with 0 before them."""
        text, ends = self._names
        letters = np.frombuffer(text, np.uint8)
        found = np.zeros(len(ends) - 1, np.uint64)
        for back in range(_END, 0, -1):
            found[np.diff(ends) == back - 1] = ord(".")
            has = np.diff(ends) >= back
            found[has] = found[has] << np.uint64(8) | letters[ends[1:][has] - back].astype(np.uint64)
        return found

    @cached_property
    def _theories(self) -> Repeated:
        found: Repeated = self._benchmark.repeated(FACTS, "theory")
        return found

    @cached_property
    def _propositions(self) -> npt.NDArray[Any]:
        return numbers_of(self._benchmark.column(FACTS, "proposition"))


def short_names(full: str) -> set[str]:
    """How a fact may be called: its theory and the classes at the head of its name may be left out."""
    found, parts = {full}, full.split(".")
    rest = parts[1:]
    while rest:
        found.add(".".join(rest))
        if len(rest) == 1 or not rest[0].endswith(_CLASS):
            break
        rest = rest[1:]
    return found
