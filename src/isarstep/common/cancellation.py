"""Work that can be ended from outside: an exception is raised inside its thread, which the interpreter does between two
instructions; a single long call into C is not ended by it.

It is no `Exception`, so that nobody who mends mistakes takes it for one. What is made for everybody (`undisturbed`) is
finished first: whoever asks next would begin it again.

Work has a deadline, too (`working_until`). Loops that can grow look whether it has passed (`check_deadline`), so that a
budget ends on every thread, also on one that nobody interrupts.
"""

from __future__ import annotations

import ctypes
import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class Unwanted(BaseException):
    """Nobody wants the answer any more."""


class DeadlineError(Exception):
    """The deadline of this work has passed. It says nothing about what was asked."""


class _OfThread(threading.local):
    piece: Piece | None = None
    until: float = math.inf  # on the monotonic clock


_of_thread = _OfThread()


@contextmanager
def working_until(until: float) -> Iterator[None]:
    """Inside, `check_deadline` raises DeadlineError when the monotonic clock is past `until`, or past the deadline
    that this thread has already."""
    before = _of_thread.until
    _of_thread.until = min(before, until)
    try:
        yield
    finally:
        _of_thread.until = before


def check_deadline() -> None:
    """Called by loops that can grow, on every turn or every few hundred cheap ones."""
    until = _of_thread.until
    if until < math.inf and time.monotonic() >= until:
        raise DeadlineError("out of time")


def raise_in(thread: int) -> None:
    """Raise `Unwanted` in a thread."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(Unwanted))


def let_arrive() -> None:
    """What was raised in this thread arrives here at the latest: the interpreter looks at every turn of a loop.

    Withdrawn instead, it would be looked for by all threads and for ever; Python 3.11, while somebody traces it, does
    nothing else."""
    for _ in range(2):
        pass


def surely(do: Callable[[], None]) -> None:
    """What was told a moment too late arrives here, where nothing may be left undone."""
    while True:
        try:
            do()
            return
        except Unwanted:
            continue


class Piece:
    """One piece of work."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self.work = work
        from concurrent.futures import Future

        self.answer: Future[Any] = Future()
        self._lock = threading.Lock()
        self._thread: int | None = None
        self._undisturbed = 0
        self._unwanted = False
        self._outcome: tuple[Any, BaseException | None] = None, Unwanted()

    def run(self) -> None:
        """On a thread that does nothing else; when it has ended, somebody calls `end`."""
        if not self.answer.set_running_or_notify_cancel():
            return
        _of_thread.piece = self
        try:
            with self._lock:
                self._thread = threading.get_ident()
            self._outcome = self.work(), None
        except BaseException as raised:
            self._outcome = None, raised
        surely(self._leave)

    def _leave(self) -> None:
        """Afterwards nothing is raised in this thread any more."""
        with self._lock:
            self._thread = None
        let_arrive()

    def end(self) -> None:
        """Tell the answer."""
        with self._lock:
            self._thread = None
        if not self.answer.done():
            result, error = self._outcome
            if error is None:
                self.answer.set_result(result)
            else:
                self.answer.set_exception(error)

    def interrupt(self) -> None:
        """End it, or see that it is never begun."""
        if self.answer.cancel():
            return
        with self._lock:
            self._unwanted = True
            if self._thread is not None and not self._undisturbed:
                raise_in(self._thread)

    def count_undisturbed(self, more: int) -> None:
        with self._lock:
            self._undisturbed += more
            if more < 0 and not self._undisturbed and self._unwanted:
                raise Unwanted


@contextmanager
def undisturbed() -> Iterator[None]:
    """Around what is made once for all: it is finished even if whoever asked first does not want it any more."""
    piece, until = _of_thread.piece, _of_thread.until
    _of_thread.until = math.inf
    if piece is not None:
        piece.count_undisturbed(1)
    try:
        yield
    finally:
        _of_thread.until = until
        if piece is not None:
            piece.count_undisturbed(-1)
