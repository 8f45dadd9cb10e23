"""What Python does with memory, and when it had better not."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collection() -> Iterator[None]:
    """For many objects, nearly all of them kept: looking for garbage would take most of the time. Who leaves circles
    behind collects them afterwards."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
