"""The hash of a benchmark: of the content of everything in it that can change a score or a verdict.

Content is what a reader sees, whatever the compression and however a table is cut into files. So building again, harder
compressed or by a later Arrow, gives the same name.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa


class ColumnDigest:
    """Of one column, which may come in blocks."""

    def __init__(self) -> None:
        self._lengths, self._values, self._present = (hashlib.sha256() for _ in range(3))

    def update(self, array: pa.Array) -> None:
        import pyarrow as pa

        self._present.update(array.is_valid().to_numpy(zero_copy_only=False).tobytes())
        kind = array.type
        if pa.types.is_list(kind):
            self._lengths.update(np.diff(array.offsets.to_numpy()).astype("<i8").tobytes())
            array, kind = array.flatten(), kind.value_type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            texts = array.cast(pa.large_string())
            if len(texts):
                _, places, raw = texts.buffers()
                offsets = np.frombuffer(places, "<i8")[texts.offset : texts.offset + len(texts) + 1]
                self._lengths.update(np.diff(offsets).tobytes())
                self._values.update(b"" if raw is None else memoryview(raw)[offsets[0] : offsets[-1]])
        else:
            self._values.update(array.drop_null().to_numpy(zero_copy_only=False).astype("<i8").tobytes())

    def digest(self) -> bytes:
        return self._lengths.digest() + self._values.digest() + self._present.digest()


def table_digest(table: pa.Table) -> str:
    """Of a table: names of its columns and their content."""
    columns: dict[str, ColumnDigest] = {}
    for name in table.column_names:
        columns[name] = ColumnDigest()
        for chunk in table[name].chunks:
            columns[name].update(chunk)
    return columns_digest(columns)


def columns_digest(columns: Mapping[str, ColumnDigest]) -> str:
    whole = hashlib.sha256()
    for name, column in columns.items():
        whole.update(name.encode() + b"\n" + column.digest())
    return whole.hexdigest()


def document_digest(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def benchmark_hash(contents: Mapping[str, str]) -> str:
    """From the digests of all its parts."""
    return hashlib.sha256(json.dumps(dict(sorted(contents.items()))).encode()).hexdigest()
