"""Something that takes a while and cannot say how far it is: a moving bar on a terminal; else a line when it begins,
one every half minute, and one when it is done."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

_PAUSE = 30.0


class Waiting:
    """A context manager around the work; `tick` is called now and then while it goes on."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._began = self._said = time.monotonic()
        self._bar: Progress | None = None

    def __enter__(self) -> Waiting:
        if sys.stderr.isatty():
            console = Console(stderr=True)
            columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
            self._bar = Progress(*columns, console=console, transient=True)
            self._bar.add_task(self._what, total=None)
            self._bar.start()
        else:
            self._say(self._what)
        return self

    def _say(self, text: str) -> None:
        self._said = time.monotonic()
        print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)

    def tick(self) -> None:
        if self._bar is None and time.monotonic() - self._said >= _PAUSE:
            self._say(f"{self._what}: {time.monotonic() - self._began:.0f} s so far")

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        elif kind is None:
            self._say(f"{self._what}: done in {time.monotonic() - self._began:.0f} s")
