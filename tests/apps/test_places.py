"""Places for requests, and the turns of those that were refused: crowds of clients in time that passes at once."""

import asyncio
import random
import selectors
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

import pytest

from isarstep.apps.admission import Load, NoPlaceError, Places

END = 300.0  # seconds of a simulation
WARMING = 40.0  # until then the server learns how long a request takes


class _Skipping(selectors.SelectSelector):
    """Time passes as soon as everybody waits for it."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        self.now += timeout or 0.0
        return super().select(0)


class Simulated(asyncio.SelectorEventLoop):
    """An event loop in which nobody waits."""

    def __init__(self) -> None:
        self.skipping = _Skipping()
        super().__init__(self.skipping)

    def time(self) -> float:
        return self.skipping.now


@pytest.fixture
def simulated(monkeypatch: pytest.MonkeyPatch) -> Callable[[Coroutine[Any, Any, None]], None]:
    """Runs a coroutine in time that passes at once."""

    def run(work: Coroutine[Any, Any, None]) -> None:
        loop = Simulated()
        monkeypatch.setattr("isarstep.apps.admission.time.monotonic", loop.time)
        try:
            loop.run_until_complete(work)
        finally:
            loop.close()

    return run


@dataclass
class Crowd:
    """Clients that ask again as soon as they have their answer, and come again when they are told to."""

    places: Places
    clients: int
    seconds: Callable[[], float]  # of a request
    patient: bool = True  # comes again with the same request
    answers: int = 0
    ratios: list[float] = field(default_factory=list)  # time until they are let in, in times of what they were told

    async def client(self, name: int, end: float) -> None:
        number, told, first = 0, 0, 0.0
        while self.now() < end:
            number += 1 if not told or not self.patient else 0
            try:
                began = await self.places.enter(f"{name} {number}".encode())
            except NoPlaceError as refusal:
                told, first = (told, first) if told else (refusal.wait, self.now())
                await asyncio.sleep(refusal.wait)
                continue
            self.let_in(told, first)
            told = 0
            await asyncio.sleep(self.seconds())
            self.answers += self.now() <= end
            self.places.leave(began, answered=True)
        if self.now() - first > 2 * told:
            self.let_in(told, first)  # never, in fact

    def let_in(self, told: int, first: float) -> None:
        if told and first > WARMING:
            self.ratios.append((self.now() - first) / told)

    @staticmethod
    def now() -> float:
        return asyncio.get_running_loop().time()

    async def ask(self, end: float) -> None:
        everybody: list[Awaitable[None]] = [self.client(name, end) for name in range(self.clients)]
        await asyncio.gather(*everybody)

    @property
    def right(self) -> float:
        return sum(ratio <= 2 for ratio in self.ratios) / len(self.ratios)


@pytest.mark.parametrize("clients", [64, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ["budget", "mixed", "any"])
def test_clients_that_ask_again_take_the_place_that_another_was_promised(
    clients: int, kind: str, simulated: Callable[[Coroutine[Any, Any, None]], None]
) -> None:
    drawn = random.Random(clients)
    seconds = {
        "budget": lambda: 20 + drawn.random() / 5,
        "mixed": lambda: 20.0 if drawn.random() < 0.7 else 20 * drawn.random(),
        "any": lambda: drawn.expovariate(1 / 8),
    }[kind]
    usual = {"budget": 20.1, "mixed": 17.0, "any": 8.0}[kind]
    crowd = Crowd(Places(32, 1.0, Load()), clients, seconds)
    simulated(crowd.ask(END))
    assert crowd.right >= 0.9
    assert crowd.answers / (END) >= 0.85 * 32 / usual


@pytest.mark.parametrize("clients", [64, pytest.param(200, marks=pytest.mark.slow)])
def test_places_stay_empty_for_clients_that_never_come_again(
    clients: int, simulated: Callable[[Coroutine[Any, Any, None]], None]
) -> None:
    crowd = Crowd(Places(32, 1.0, Load()), clients, lambda: 20.0, patient=False)
    simulated(crowd.ask(END))
    assert crowd.answers / (END) >= 0.85 * 32 / 20


def test_places_are_given_in_order_and_waiting_is_bounded(
    monkeypatch: pytest.MonkeyPatch, simulated: Callable[[Coroutine[Any, Any, None]], None]
) -> None:
    monkeypatch.setattr("isarstep.apps.admission.WAITING_ROOM", 2)
    load = Load()
    places = Places(1, 1000.0, load)
    entered: list[str] = []
    began: list[float] = []

    async def come(name: str) -> None:
        try:
            began.append(await places.enter(name.encode()))
            entered.append(name)
        except NoPlaceError:
            entered.append(f"not {name}")

    async def day() -> None:
        await come("first")
        others = [asyncio.ensure_future(come(name)) for name in ("second", "third", "fourth")]
        await asyncio.sleep(0.1)
        assert entered == ["first", "not fourth"]
        for _ in range(2):
            places.leave(began.pop(), answered=True)
            await asyncio.sleep(0.1)
            assert load.running == 1
        await asyncio.gather(*others)
        places.leave(began.pop(), answered=True)

    simulated(day())
    assert entered == ["first", "not fourth", "second", "third"]
    assert load.running == 0


async def refused(places: Places, *names: str) -> list[int]:
    """What each of them is told."""
    told = []
    for name in names:
        with pytest.raises(NoPlaceError) as refusal:
            await places.enter(name.encode())
        told.append(refusal.value.wait)
    return told


def test_who_is_refused_is_told_when_enough_of_those_under_way_will_have_ended(
    simulated: Callable[[Coroutine[Any, Any, None]], None],
) -> None:
    async def day() -> None:
        places = Places(4, 0.0, Load())
        began = [await places.enter(b"")]
        await asyncio.sleep(12)
        places.leave(began.pop(), answered=True)  # a request takes twelve seconds
        for _ in range(4):
            began.append(await places.enter(b""))
            await asyncio.sleep(3)
        places.leave(began.pop(0), answered=False)  # a refusal says nothing of that
        began.append(await places.enter(b""))
        assert await refused(places, "a", "b", "c", "d", "e", "f") == [3, 6, 9, 12, 15, 18]
        assert max(await refused(places, *(str(number) for number in range(200)))) == 300  # five minutes at most
        await asyncio.sleep(3)
        places.leave(began.pop(0), answered=True)
        assert await refused(places, "new") == [300]  # the place is kept
        began.append(await places.enter(b"a"))
        await asyncio.sleep(3.5)
        assert await refused(places, "b") == [1]  # the promise was not kept, so it is the first of all
        await asyncio.sleep(400)
        places.leave(began.pop(0), answered=True)
        began.append(await places.enter(b"new"))  # nobody has come for it

    simulated(day())


def test_quick_requests_are_worth_a_second(simulated: Callable[[Coroutine[Any, Any, None]], None]) -> None:
    async def day() -> None:
        places = Places(1, 0.0, Load())
        for _ in range(3):
            began = await places.enter(b"")
            await asyncio.sleep(0.01)
            places.leave(began, answered=True)
        await places.enter(b"")
        assert await refused(places, "a", "b") == [1, 1]

    simulated(day())


def test_promises_are_bounded(
    monkeypatch: pytest.MonkeyPatch, simulated: Callable[[Coroutine[Any, Any, None]], None]
) -> None:
    monkeypatch.setattr("isarstep.apps.admission.PROMISES", 2)

    async def day() -> None:
        places = Places(1, 0.0, Load())
        await places.enter(b"")
        await refused(places, "a", "b", "c")
        assert places.promises == 2

    simulated(day())
