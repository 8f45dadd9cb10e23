"""When somebody who is sent away should come again: each is told a later time than the one before."""

from __future__ import annotations

import threading
import time

LONGEST_WAIT = 300.0  # seconds that somebody is sent away for


class Turns:
    """Times that were promised to those who were sent away."""

    def __init__(self) -> None:
        self._promised = 0.0  # until then, what becomes free is for those who were sent away before
        self._giving = threading.Lock()

    def next(self, earliest: float, between: float) -> float:
        """Seconds until one more has a turn: not before `earliest`, and `between` seconds behind the one before."""
        now = time.monotonic()
        with self._giving:
            self._promised = min(max(self._promised, now + earliest) + between, now + LONGEST_WAIT)
            return self._promised - now
