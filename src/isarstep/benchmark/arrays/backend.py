"""What a search asks of arrays, over numpy; `isarstep.model.data.tensors` gives the same over torch.

The search and its constraints are written once, over what numpy and torch write alike (arithmetic, comparisons,
indices, `any`, `all`, `reshape`, `tolist`) and over these few operations. Which of both it is, the model says.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np

Array = Any  # of either kind: no type checker knows what both have in common, so tests run both


class Arrays:
    """Numpy's, in the host's memory."""

    name = "numpy"  # one for each place where arrays may lie
    kind = "cpu"
    gigabytes = 1  # of memory, where it is what limits a batch
    int32: Any = np.int32
    add: Any = staticmethod(np.add)
    maximum: Any = staticmethod(np.maximum)
    where: Any = staticmethod(np.where)

    @contextmanager
    def _searching(self) -> Iterator[None]:
        # A search is many small products: a second thread takes off a tenth where a core is idle, and makes them many
        # times slower where none is.
        before = blas_threads()
        blas_threads(1)
        try:
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # minus infinity is a usual score
                yield
        finally:
            blas_threads(before)

    def searching(self) -> AbstractContextManager[Any]:
        """Around a whole search."""
        return self._searching()

    def of(self, host: Any) -> Array:
        """What numpy or a list has, as an array here."""
        return np.asarray(host)

    def host(self, x: Array) -> np.ndarray[Any, Any]:
        """To be read only."""
        return x

    def full(self, shape: tuple[int, ...], value: float, dtype: Any = None) -> Array:
        """Of whole numbers, fractions or truth values, as the value is."""
        if dtype is None:
            dtype = np.float32 if isinstance(value, float) else None
        return np.full(shape, value, dtype)

    def arange(self, count: int) -> Array:
        return np.arange(count)

    def cat(self, parts: Sequence[Array], axis: int) -> Array:
        return np.concatenate(parts, axis)

    def stacked_lists(self, *parts: Array) -> Any:
        """Several arrays as nested lists, by one transfer."""
        return [part.tolist() for part in parts]

    def rows(self, x_BX: Array, places_BK: Array) -> Array:
        """x[b, places[b, k]] for all b and k, whatever axes follow."""
        return x_BX[np.arange(len(places_BK))[:, None], places_BK]

    def last(self, x_BKX: Array, places_BKQ: Array) -> Array:
        """x[b, k, places[b, k, q]] for all b, k and q."""
        batch, beams = places_BKQ.shape[:2]
        return x_BKX[np.arange(batch)[:, None, None], np.arange(beams)[:, None], places_BKQ]

    def topk(self, x: Array, count: int) -> tuple[Array, Array]:
        """The greatest of each row, greatest first, and where they are."""
        some: Any = x
        rest = some.shape[-1] - count
        places = _above_a_bound(some, count)
        if places is None and rest > 0 and count:
            places = np.argpartition(some, rest, -1)[..., rest:]
        elif places is None:
            places = self.descending(x)[..., :count]
        values = np.take_along_axis(some, places, -1)
        order = np.argsort(-values, -1, kind="stable")
        return np.take_along_axis(values, order, -1), np.take_along_axis(places, order, -1)

    def descending(self, x: Array) -> Array:
        """Where the elements of each row are, greatest first."""
        return np.argsort(-x, -1, kind="stable")

    def logsumexp(self, x: Array) -> Array:
        some: Any = x
        highest = some.max(-1, keepdims=True)
        return np.log(np.exp(some - highest).sum(-1)) + highest[..., 0]

    def true_places(self, x_B: Array) -> Array:
        return np.flatnonzero(x_B)


_BLOCK = 32


def _above_a_bound(x: Any, count: int) -> Any:
    """Where the greatest of each row are, by a bound that is quickly found: `count` groups have greatest elements that
    are above it. None where that does not leave out enough."""
    blocks = x.shape[-1] // _BLOCK
    if not 0 < 4 * count <= blocks:
        return None
    maxima = x[..., : blocks * _BLOCK].reshape(*x.shape[:-1], _BLOCK, blocks).max(-2)
    bound = np.partition(maxima, blocks - count, -1)[..., blocks - count]
    rows, places = np.divmod(np.flatnonzero(x >= bound[..., None]), x.shape[-1])
    counts = np.bincount(rows, minlength=bound.size).reshape(bound.shape)
    width = int(counts.max())
    if width > 4 * count:  # rows without any hope are equal everywhere
        return None
    found = np.zeros((*x.shape[:-1], width), np.int64)
    there = np.arange(width) < counts[..., None]
    found[there] = places
    values = np.where(there, np.take_along_axis(x, found, -1), -np.inf)
    return np.take_along_axis(found, np.argpartition(values, width - count, -1)[..., width - count :], -1)


NUMPY = Arrays()


def blas_threads(wanted: int | None = None) -> int | None:
    """How many threads numpy's products may use; None where numpy is not built with OpenBLAS, as its wheels are."""
    module = sys.modules.get("numpy._core._multiarray_umath")
    try:
        library = ctypes.CDLL(module.__file__ if module else None)
        if wanted is not None:
            library.scipy_openblas_set_num_threads64_(wanted)
        return int(library.scipy_openblas_get_num_threads64_())
    except (AttributeError, OSError, TypeError):
        return None
