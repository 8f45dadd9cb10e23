"""How far a long loop is: a bar on a terminal, else a plain line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

EVERY = 20.0  # seconds between plain lines


def with_progress(items: Iterable[T], total: int, what: str) -> Iterator[T]:
    """The items, as they come; nothing is shown of what takes less than a few seconds."""
    if sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import track

        yield from track(items, what, total=total, console=Console(stderr=True))
        return
    began = told = time.monotonic()
    for done, item in enumerate(items, 1):
        yield item
        now = time.monotonic()
        if now - told > EVERY:
            left = (now - began) / done * (total - done)
            print(f"{what}: {done:,} of {total:,}, {left / 60:.0f} min left", file=sys.stderr, flush=True)
            told = now
