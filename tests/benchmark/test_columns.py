"""Arrow's columns by way of their buffers: what Arrow itself says of them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isarstep.isabelle.context.columns import ColumnValues, Repeated, numbers_of, strings_at

WORDS = st.lists(st.sampled_from(["", "a", "b", "HOL.Nat", "∀x. x ≤ y"]), max_size=12)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()], ids=str)
@given(words=WORDS, begin=st.integers(0, 5), order=st.randoms())
def test_strings_at_some_places(kind: pa.DataType, words: list[str], begin: int, order: object) -> None:
    column = pa.array(words, kind)[begin:]
    places = np.arange(len(column))[::-1].copy()
    assert strings_at(column, places) == column.to_pylist()[::-1]


@given(numbers=st.lists(st.integers(-5, 1 << 40)), begin=st.integers(0, 5))
def test_numbers(numbers: list[int], begin: int) -> None:
    assert numbers_of(pa.array(numbers, pa.int64())[begin:]).tolist() == numbers[begin:]
    small = [number % 1000 for number in numbers]
    assert numbers_of(pa.array(small, pa.int32())[begin:]).tolist() == small[begin:]


@given(parts=st.lists(WORDS, max_size=3), chosen=st.integers(1, 4))
def test_strings_of_which_few_are_different(parts: list[list[str]], chosen: int) -> None:
    words = [word for part in parts for word in part]
    chunks = [pa.array(part, pa.string()).dictionary_encode() for part in parts]
    for found in (Repeated.of_chunks(chunks), Repeated.of_chunks([pa.array(words, pa.string()).dictionary_encode()])):
        assert list(found) == words == [found[place] for place in range(len(found))]
        assert found.different == list(dict.fromkeys(words))
        assert found.first.tolist() == [words.index(word) for word in found.different]
        for number, word in enumerate(found.different):
            assert found.places(number).tolist() == [place for place, each in enumerate(words) if each == word]
        some = found.only(np.arange(len(words))[::chosen])
        assert list(some) == words[::chosen]
        assert some.different == list(dict.fromkeys(words[::chosen]))


def test_a_column_is_read_when_something_of_it_is_asked_for() -> None:
    read: list[int] = []

    def column() -> pa.Array:
        read.append(1)
        return pa.array([[1, 2], [], [3]])

    values: ColumnValues[list[int]] = ColumnValues(column)
    assert not read
    assert (values[0], values[1:], list(values), len(values)) == ([1, 2], [[], [3]], [[1, 2], [], [3]], 3)
    assert len(read) == 1
