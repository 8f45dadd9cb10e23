"""How far something is that takes long: a bar on a terminal, else a plain line now and then; for all commands."""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress

T = TypeVar("T")

EVERY = 20.0  # seconds between plain lines
SILENT = 2.0  # seconds that a command may take without a word
LATELY = 180.0  # seconds over which the pace is measured
AT_ONCE = 1.0  # what is finished within so many seconds came together, and has taken as long together


class Pace:
    """How long the rest will take, judged by what was finished lately. What is finished first says nothing: it took as
    long as everything took that had to be loaded before, and all that came with it."""

    def __init__(self) -> None:
        self._marks: deque[tuple[float, float]] = deque()  # when how much was finished

    def finished(self, done: float, now: float) -> None:
        if self._marks and now - self._marks[-1][0] < AT_ONCE:
            now, _ = self._marks.pop()
        self._marks.append((now, done))
        while len(self._marks) > 2 and now - self._marks[1][0] > LATELY:
            self._marks.popleft()

    def seconds_for(self, left: float, now: float) -> float | None:
        """None as long as nobody can say."""
        if len(self._marks) < 2:
            return None
        (then, before), (_, done) = self._marks[0], self._marks[-1]
        return left * (now - then) / (done - before)


def time_said(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


class Watched:
    """Work that is told of here: a context manager around it.

    Without a terminal: a line at the beginning, one now and then while there is news, one when all went well.
    """

    def __init__(self, what: str, total: float | None = None, done: float = 0, percent: bool = False) -> None:
        """`percent`: counts mean nothing to people, their share does."""
        self._what, self._total, self._done, self._percent = what, total, done, percent
        self._doing = ""
        self._pace = Pace()
        self._lock = threading.RLock()
        self._bar: Progress | None = None

    def __enter__(self) -> Watched:
        self._began = time.monotonic()
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn

            what, state = (TextColumn(each, markup=False) for each in ("{task.description}", "{task.fields[state]}"))
            self._bar = Progress(what, BarColumn(), state, console=Console(stderr=True), transient=self._total is None)
            self._task = self._bar.add_task(self._what, total=self._total, state="")
            self._bar.update(self._task, completed=self._done)
            self._bar.start()
        else:
            self.say(self._what)
        self._told = self._began
        return self

    @property
    def on_terminal(self) -> bool:
        return self._bar is not None

    def say(self, text: str) -> None:
        """A line that stays."""
        if self._bar is not None:
            self._bar.console.print(text, markup=False, highlight=False)
        else:
            print(text, file=sys.stderr, flush=True)

    def advance(self, count: float) -> None:
        self.news(advance=count)

    def at(self, done: float, doing: str = "") -> None:
        self.news(doing, done - self._done)

    def news(self, doing: str = "", advance: float = 0) -> None:
        """Something happened: what is being done now, how much more is done. May be called by any thread."""
        with self._lock:
            now = time.monotonic()
            self._doing = doing or self._doing
            if advance > 0:
                self._done += advance
                self._pace.finished(self._done, now)
            if self._bar is not None:
                self._bar.update(self._task, completed=self._done, state=self._state(now))
            elif now - self._told > EVERY:
                self.say(f"{self._what}: {self._state(now)}")
                self._told = now

    def _state(self, now: float) -> str:
        said = []
        if self._total is not None:
            share = f"{100 * self._done / self._total if self._total else 100:.0f} %"
            said.append(share if self._percent else f"{self._done:,} of {self._total:,}")
        left = None if self._total is None else self._pace.seconds_for(self._total - self._done, now)
        said += [self._doing] if self._doing else []
        said.append(f"{time_said(now - self._began)} so far" if left is None else f"{time_said(left)} left")
        return ", ".join(said)

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        elif kind is None:
            self.say(f"{self._what}: done in {time_said(time.monotonic() - self._began)}")


def with_progress(items: Iterable[T], total: int, what: str) -> Iterator[T]:
    """The items, as they come."""
    with Watched(what, total) as watched:
        for item in items:
            yield item
            watched.advance(1)


@contextmanager
def told_when_long(what: str, wait: Callable[[threading.Event, float], bool] = threading.Event.wait) -> Iterator[None]:
    """Says what is being done when it has not ended within two seconds, and again now and then."""
    over = threading.Event()
    began = time.monotonic()

    def tell() -> None:
        pause = SILENT
        while not wait(over, pause):
            print(f"{what}: {time_said(time.monotonic() - began)} so far", file=sys.stderr, flush=True)
            pause = EVERY

    teller = threading.Thread(target=tell, name="progress", daemon=True)
    teller.start()
    try:
        yield
    finally:
        over.set()
        teller.join()
