"""What Python does with memory, and when it had better not."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from isarstep.common.cancellation import undisturbed

if TYPE_CHECKING:
    shared_property = cached_property
else:

    class shared_property(cached_property):
        """A `cached_property` that threads may ask for at once: it is made once, and whole
        even where who asked first is out of time. Python's own had a lock up to 3.11."""

        def __init__(self, make):
            super().__init__(make)
            self._making = threading.RLock()

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            known = instance.__dict__
            if self.attrname not in known:
                with self._making:
                    if self.attrname not in known:
                        with undisturbed():
                            known[self.attrname] = self.func(instance)
            return known[self.attrname]


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
