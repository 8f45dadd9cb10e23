"""Requests under way, those that wait for one of them to end, and the turns of those that were refused.

A request that is refused is promised a place at the time of its `Retry-After`, and is recognised when it comes again.
Places that become free are kept for promised requests; new ones stand behind them. The time is when enough of the
requests under way will probably have ended, by how long the last answers took.
"""

from __future__ import annotations

import asyncio
import math
import time
from bisect import bisect, insort
from collections import deque
from dataclasses import dataclass
from operator import itemgetter
from statistics import fmean

LONGEST_WAIT = 300.0  # seconds that somebody is sent away for
WAITING_ROOM = 256  # requests that may arrive or wait for a place; more are refused at once
PROMISES = 1024  # at once; further requests are refused with a time, and without a promise
KEPT = 0.25  # of the usual time of a request, how long before its time a place is kept for a promised one
GRACE = 2.0  # seconds that a place is kept for a promised request that comes late
EARLY = 0.5  # seconds before its time that a promised request may come
KNOWN_TIMES = 32  # how many of the last answers tell how long a request takes
UNKNOWN_TIME = 20.0  # seconds of a request before the first answer: the default budget
MEMORY = 0.9  # how much of the share of promises that were taken up is that of earlier ones


@dataclass
class Load:
    running: int = 0
    requests: int = 0
    refused: int = 0
    stopping: bool = False


class NoPlaceError(Exception):
    """All places are taken or promised; `wait` is the number of seconds until there will be one."""

    def __init__(self, wait: int) -> None:
        super().__init__(wait)
        self.wait = wait


class Places:
    """As many requests compute something at once as there are places."""

    def __init__(self, places: int, patience: float, load: Load) -> None:
        self.places, self.patience, self.load = places, patience, load
        self.arriving = 0  # requests whose bodies are being read
        self._times: deque[float] = deque(maxlen=KNOWN_TIMES)  # seconds of the last answers
        self._began: list[float] = []  # when each request under way took its place
        self._promised: list[tuple[float, bytes]] = []  # times and requests, earliest first
        self._taken_up = 1.0  # share of the promises, lately: clients may give up, or come with another request
        self._returned: deque[asyncio.Future[float]] = deque()  # promised ones that have come and wait
        self._new: deque[asyncio.Future[float]] = deque()  # others that wait

    @property
    def crowded(self) -> bool:
        return self.arriving + len(self._returned) + len(self._new) >= WAITING_ROOM

    async def enter(self, request: bytes) -> float:
        """Take a place, those with a promise first, then in order; the answer is for `leave`. NoPlaceError."""
        promised = self._redeem(request)
        if self._has_place(promised=promised):
            return self._take()
        if self.crowded:
            raise self._refusal(request, promised=promised)
        place: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        queue = self._returned if promised else self._new
        queue.append(place)
        try:
            return await asyncio.wait_for(place, self.patience)
        except TimeoutError:
            if place.done() and not place.cancelled():  # it was given at the same moment
                return place.result()
        finally:
            if place in queue:
                queue.remove(place)
        if self._has_place(promised=promised):  # a promised one did not come
            return self._take()
        raise self._refusal(request, promised=promised)

    def leave(self, began: float, *, answered: bool) -> None:
        """Give the place to the next one. A refusal says nothing of how long others will stay."""
        if answered:
            self._times.append(time.monotonic() - began)
        self._began.remove(began)
        self.load.running -= 1
        for queue, promised in ((self._returned, True), (self._new, False)):
            while queue and self._has_place(promised=promised):
                place = queue.popleft()
                if not place.done():
                    place.set_result(self._take())

    def seconds_until_free(self, ahead: int) -> int:
        """When there will be a place for one more, behind so many."""
        return min(int(LONGEST_WAIT), max(1, math.ceil(self._seconds_until_ended(ahead + 1 - self._free))))

    def promise(self, request: bytes, wait: int) -> None:
        """Keep a place for a request that was refused, when it comes again in so many seconds."""
        if self.promises < PROMISES:
            insort(self._promised, (time.monotonic() + wait, request))

    @property
    def promises(self) -> int:
        return len(self._promised)

    @property
    def _free(self) -> int:
        return self.places - self.load.running

    @property
    def _usual(self) -> float:
        return fmean(self._times) if self._times else UNKNOWN_TIME

    def _has_place(self, *, promised: bool) -> bool:
        """A new request gets no place that a promised one will come for soon."""
        return self._free > (0 if promised else self._kept())

    def _take(self) -> float:
        self.load.running += 1
        began = time.monotonic()
        self._began.append(began)
        return began

    def _kept(self) -> int:
        self._forget()
        soon = bisect(self._promised, time.monotonic() + KEPT * self._usual, key=itemgetter(0))
        return len(self._returned) + round(self._taken_up * soon)

    def _forget(self) -> None:
        """Promises that were not taken up."""
        while self._promised and self._promised[0][0] + GRACE < time.monotonic():
            del self._promised[0]
            self._taken_up *= MEMORY

    def _redeem(self, request: bytes) -> bool:
        """Has it a promise, and is it time? Then the promise is taken up."""
        self._forget()
        now = time.monotonic() + EARLY
        for number, (when, whose) in enumerate(self._promised):
            if when > now:
                break
            if whose == request:
                del self._promised[number]
                self._taken_up = MEMORY * self._taken_up + (1 - MEMORY)
                return True
        return False

    def _refusal(self, request: bytes, *, promised: bool) -> NoPlaceError:
        """With a new promise: behind all others, or, where the last one was not kept, before them."""
        wait = self.seconds_until_free(len(self._returned) + (0 if promised else self.promises))
        self.promise(request, wait)
        return NoPlaceError(wait)

    def _seconds_until_ended(self, number: int) -> float:
        """Until so many requests have probably ended. Each that is under way ends after one of the last times that is
        longer than it takes already, each as likely; one that is over the longest lasts as long again beyond that."""
        if number <= 0:
            return 0.0
        now, times = time.monotonic(), self._times or (UNKNOWN_TIME,)
        rounds, number = divmod(number - 1, self.places)
        ends: list[tuple[float, float]] = []
        for began in self._began:
            age = now - began
            left = [seconds - age for seconds in times if seconds > age] or [age - max(times)]
            ends += [(seconds, 1 / len(left)) for seconds in left]
        ended = 1e-9
        for seconds, share in sorted(ends):
            ended += share
            if ended >= number + 1:
                return rounds * self._usual + seconds
        return (rounds + 1) * self._usual
