"""Threads on which Python works for requests: what they do is ended when its time is over, when its client goes away,
or when the server stops."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from isarstep.common.cancellation import Piece

T = TypeVar("T")

THREADS = 8  # more would only share one interpreter
PATIENCE = 2.0  # seconds in which work that is to end should have ended
AGAIN = 0.1  # seconds after which it is told again: somebody may have caught it


class Workers:
    """Threads that work for requests. They do not keep the process alive."""

    def __init__(self, threads: int = THREADS) -> None:
        self._pieces: queue.SimpleQueue[Piece] = queue.SimpleQueue()
        self.running: set[Piece] = set()
        for number in range(threads):
            threading.Thread(target=self._run, name=f"work {number}", daemon=True).start()

    def submit(self, work: Callable[[], Any]) -> Piece:
        piece = Piece(work)
        self._pieces.put(piece)
        return piece

    def _run(self) -> None:
        """Each piece has a thread of its own, for what is raised in it may arrive anywhere, even where it is caught:
        that thread may end, this one closes the piece in any case."""
        while True:
            piece = self._pieces.get()
            self.running.add(piece)
            thread = threading.Thread(target=piece.run, name=threading.current_thread().name, daemon=True)
            thread.start()
            thread.join()
            piece.end()
            self.running.discard(piece)

    def interrupt_all(self) -> None:
        for piece in list(self.running):
            piece.interrupt()

    async def within(self, seconds: float, work: Callable[..., T], *arguments: Any) -> T:
        """The result of some work; TimeoutError where it takes longer. It is ended then, and when whoever waits here is
        cancelled; until it has ended, for a while, this does not return: so long the request counts as under way."""
        piece = self.submit(lambda: work(*arguments))
        answer: asyncio.Future[T] = asyncio.wrap_future(piece.answer)
        answer.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # somebody has seen it
        try:
            return await asyncio.wait_for(asyncio.shield(answer), max(0.0, seconds))
        except (TimeoutError, asyncio.CancelledError):
            await asyncio.shield(self._end(piece))
            raise

    async def _end(self, piece: Piece) -> None:
        until = time.monotonic() + PATIENCE
        while not piece.answer.done() and time.monotonic() < until:
            piece.interrupt()
            await asyncio.sleep(AGAIN)
