"""The name of a benchmark: a digest of its manifest, which holds the digests of the bytes of all its files.

So no byte of a file and no field of the manifest can change without the name: rules, counts, canary, licences, unseen
entries. Beside the name the manifest has `contents`, digests of what a reader of each table sees, whatever the
compression and however it is cut into files: by them two builds with different versions of Arrow are compared.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

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


def benchmark_name(manifest: Mapping[str, Any]) -> str:
    """From all that the manifest says but the name itself; the order of fields and blanks do not matter."""
    said = {key: value for key, value in manifest.items() if key != "hash"}
    return hashlib.sha256(json.dumps(said, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
