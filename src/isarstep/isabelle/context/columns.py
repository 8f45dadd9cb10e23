"""Arrow's columns as numpy arrays and strings, by way of their buffers: what Arrow itself offers for it (`to_numpy`,
`take`, `pa.array`) imports its functions and pandas, where that is installed, and takes longer for that than for a
context's facts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, overload

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pyarrow as pa

Value = TypeVar("Value")


def numbers_of(column: pa.Array) -> npt.NDArray[Any]:
    """Integers, none of which is missing; nothing is copied."""
    assert not column.null_count
    whole = np.frombuffer(column.buffers()[1], f"i{column.type.bit_width // 8}")
    return whole[column.offset : column.offset + len(column)]


def one_array(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """A column in one piece."""
    import pyarrow as pa

    if not isinstance(column, pa.ChunkedArray):
        return column
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def strings_at(column: pa.Array, places: npt.NDArray[np.int64]) -> list[str]:
    """Some of many strings."""
    _, offsets, data = column.buffers()
    if offsets is None:  # there is no string at all
        return [""] * len(places)
    ends = np.frombuffer(offsets, "i8" if str(column.type).startswith("large_") else "i4")[column.offset :]
    text = memoryview(data if data is not None else b"")
    return [str(text[a:b], "utf-8") for a, b in zip(ends[places].tolist(), ends[places + 1].tolist(), strict=True)]


def with_column(table: pa.Table, name: str, column: Any) -> pa.Table:
    """A table with another column in the place of that of this name."""
    return table.set_column(table.schema.get_field_index(name), name, column)


class ColumnValues(Sequence[Value], Generic[Value]):
    """The values of a column one by one; it is read when one is asked for."""

    def __init__(self, read: Callable[[], pa.Array]) -> None:
        self._read = read

    @cached_property
    def _values(self) -> pa.Array:
        return self._read()

    def __len__(self) -> int:
        return len(self._values)

    @overload
    def __getitem__(self, place: int) -> Value: ...
    @overload
    def __getitem__(self, place: slice) -> list[Value]: ...
    def __getitem__(self, place: int | slice) -> Value | list[Value]:
        found = self._values[place]
        return cast("Value | list[Value]", found.to_pylist() if isinstance(place, slice) else found.as_py())

    def __iter__(self) -> Iterator[Value]:
        return iter(self._values.to_pylist())


class Repeated(Sequence[str]):
    """Strings of which few are different: those few in order of first occurrence, and for each place which one."""

    def __init__(self, different: Sequence[str], which: npt.NDArray[np.int64]) -> None:
        self.different, self.which = different, which

    @staticmethod
    def of_chunks(chunks: Iterable[pa.DictionaryArray]) -> Repeated:
        """Of a column that was read as dictionaries."""
        numbers: dict[str, int] = {}
        parts = [np.zeros(0, np.int64)]
        for chunk in chunks:
            own = [numbers.setdefault(value, len(numbers)) for value in chunk.dictionary.to_pylist()]
            parts.append(np.array(own, np.int64)[numbers_of(chunk.indices)])
        return Repeated(list(numbers), np.concatenate(parts)).only(slice(None))

    def only(self, places: slice | npt.NDArray[Any]) -> Repeated:
        """The strings at some places."""
        which = self.which[places]
        first = first_places(which, len(self.different))
        order = np.argsort(first, kind="stable")[: int((first < len(which)).sum())]
        rank = np.zeros(len(self.different), np.int64)
        rank[order] = np.arange(len(order))
        return Repeated([self.different[n] for n in order.tolist()], rank[which])

    @cached_property
    def first(self) -> npt.NDArray[np.int64]:
        """Where each occurs first."""
        return first_places(self.which, len(self.different))

    def __len__(self) -> int:
        return len(self.which)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self.different[n] for n in self.which[place].tolist()]
        return self.different[int(self.which[place])]

    def __iter__(self) -> Iterator[str]:
        return iter(self[:])

    @cached_property
    def _by_string(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """All places by string, and where those of each begin."""
        counts = np.bincount(self.which, minlength=len(self.different))
        return np.argsort(self.which, kind="stable"), np.concatenate([[0], np.cumsum(counts)])

    def places(self, number: int) -> npt.NDArray[np.int64]:
        """Where one of the different strings stands."""
        order, starts = self._by_string
        return order[starts[number] : starts[number + 1]]


def first_places(which: npt.NDArray[np.int64], count: int) -> npt.NDArray[np.int64]:
    """Where each number below the count occurs first; after the end, where it does not."""
    first = np.full(count, len(which), np.int64)
    first[which[::-1]] = np.arange(len(which) - 1, -1, -1)  # backwards, so that the first one stays
    return first
