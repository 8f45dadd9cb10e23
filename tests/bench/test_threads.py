"""A benchmark that several threads read at a time."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from isarstep.bench.layout import PROOFS
from isarstep.bench.store import Benchmark, RowGroups


class Reader:
    """Arrow's reader, which notices a second thread inside it."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._inside = threading.Lock()
        self.metadata = file.metadata
        self.disturbed = False

    def read_row_group(self, *arguments: Any, **options: Any) -> Any:
        if not self._inside.acquire(blocking=False):
            self.disturbed = True
            return self._file.read_row_group(*arguments, **options)
        try:
            time.sleep(0.01)  # long enough for the others to come
            return self._file.read_row_group(*arguments, **options)
        finally:
            self._inside.release()


def test_a_file_is_read_by_one_thread_at_a_time() -> None:
    groups = RowGroups(Benchmark().paths(PROOFS))
    [(path, file)] = groups._files
    reader = Reader(file)
    groups._files = [(path, reader)]  # type: ignore[list-item]
    numbers = list(range(min(8, len(groups.starts) - 1))) * 2
    assert len(set(numbers)) > 1
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(groups.group, numbers))
    assert sum(batch.num_rows for batch in found) > 0
    assert not reader.disturbed
