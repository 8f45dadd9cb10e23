"""A benchmark that several threads read at a time."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.waiting import until

from isarstep.benchmark.store.layout import PROOFS
from isarstep.benchmark.store.store import Benchmark, RowGroups


class Reader:
    """Arrow's reader, which keeps whoever comes in until the test lets go."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self.metadata = file.metadata
        self.inside: list[int] = []
        self.go = threading.Event()

    def read_row_group(self, number: int, **options: Any) -> Any:
        self.inside.append(number)
        self.go.wait()
        return self._file.read_row_group(number, **options)


class Door:
    """A lock that knows who has come to it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.came = 0

    def __enter__(self) -> None:
        self.came += 1
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def test_a_file_is_read_by_one_thread_at_a_time() -> None:
    groups = RowGroups(Benchmark().paths(PROOFS))
    assert len(groups.starts) > 2
    [(path, file)] = groups._files
    reader, door = Reader(file), Door()
    groups._files, groups._reading = [(path, reader)], door  # type: ignore[list-item, assignment]
    with ThreadPoolExecutor(2) as pool:
        found = [pool.submit(groups.group, 0)]
        assert until(lambda: reader.inside)
        found.append(pool.submit(groups.group, 1))
        assert until(lambda: door.came == 2 or len(reader.inside) == 2)
        at_once = list(reader.inside)
        reader.go.set()
        assert all(each.result().num_rows for each in found)
    assert (at_once, reader.inside) == ([0], [0, 1])
