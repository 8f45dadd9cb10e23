"""How much work a call is, counted in lines of Python that it executes: the same on every machine and every day.

What C code does inside a line is not seen; what loops over its input in Python is, and a second loop inside the first
is noticed long before it would be felt.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class TooMuchWork(BaseException):
    """Not an Exception, so that nothing that is tested can catch it."""


@contextmanager
def at_most(lines: int) -> Iterator[None]:
    """Stop what runs inside when it has executed more lines than that."""
    left = lines

    def on_line(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal left
        if event == "line":
            left -= 1
            if left < 0:
                sys.settrace(None)
                raise TooMuchWork(f"more than {lines:,} lines of Python")
        return on_line

    before = sys.gettrace()
    sys.settrace(on_line)
    try:
        yield
    finally:
        sys.settrace(before)
