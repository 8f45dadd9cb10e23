"""How far a long loop or another program is: a bar on a terminal, else a plain line now and then."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress

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


class Watched:
    """Work that others do, and that is told of here: a context manager around it.

    Without a terminal: a line at the beginning, one now and then while there is news, one when all went well.
    """

    def __init__(self, what: str, total: int | None = None, done: int = 0) -> None:
        self._what, self._total, self._done = what, total, done
        self._doing = ""
        self._lock = threading.Lock()
        self._bar: Progress | None = None

    def __enter__(self) -> Watched:
        self._began = time.monotonic()
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                TimeElapsedColumn(),
                TextColumn("{task.fields[doing]}"),
            )
            self._bar = Progress(*columns, console=Console(stderr=True), transient=self._total is None)
            self._task = self._bar.add_task(self._what, total=self._total, completed=self._done, doing="")
            self._bar.start()
        else:
            self._say(self._what)
        return self

    def _say(self, text: str) -> None:
        self._told = time.monotonic()
        print(text, file=sys.stderr, flush=True)

    def news(self, doing: str = "", advance: int = 0) -> None:
        """Something happened: what is being done now, how many more are done. May be called by any thread."""
        with self._lock:
            self._done += advance
            self._doing = doing or self._doing
            if self._bar is not None:
                self._bar.update(self._task, completed=self._done, doing=self._doing)
            elif time.monotonic() - self._told > EVERY:
                done = [f"{self._done:,} of {self._total:,}"] if self._total is not None else []
                seconds = f"{time.monotonic() - self._began:.0f} s so far"
                self._say(f"{self._what}: {', '.join([*done, *filter(None, [self._doing]), seconds])}")

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        elif kind is None:
            self._say(f"{self._what}: done in {time.monotonic() - self._began:.0f} s")
