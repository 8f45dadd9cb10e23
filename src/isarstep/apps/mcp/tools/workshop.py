"""Where tools work: the service that `isarstep serve` has too, loaded on a thread of its own while people say hello."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING

from isarstep.common.errors import UserError

if TYPE_CHECKING:
    from isarstep.apps.service.service import Service
    from isarstep.benchmark.store.fact_search import FactSearch


class NotLoadedError(UserError):
    """There is nothing to ask."""


class Workshop:
    """One service for all clients. `make` may take its time: it runs behind the first handshake."""

    def __init__(self, make: Callable[[], Service]) -> None:
        self._make = make
        self._service: Future[Service] = Future()
        self._library: Future[None] = Future()  # the facts that provers are offered
        self._finding = threading.Lock()
        threading.Thread(target=self._load, name="loading", daemon=True).start()

    def _load(self) -> None:
        try:
            self._service.set_result(self._make())
        except BaseException as error:  # whoever asks gets it
            self._service.set_exception(error)
            return

        def told(_: object) -> None:
            if not self._library.done():
                self._library.set_result(None)  # also after an error, which whoever asks next will see

        self._service.result().load_library(told)
        with suppress(UserError):  # whoever wants facts is told
            self._find_facts()

    async def service(self) -> Service:
        """The service, once it is there."""
        try:
            # Shielded: a client that gives up waiting must not end the loading for all.
            return await asyncio.shield(asyncio.wrap_future(self._service))
        except UserError as error:
            raise NotLoadedError(f"nothing could be loaded: {error}") from error

    async def with_provers(self) -> Service:
        """The service, once its provers have their library, too."""
        service = await self.service()
        await asyncio.shield(asyncio.wrap_future(self._library))
        return service

    async def facts(self) -> FactSearch:
        """The index of library facts, which is made after all else."""
        await self.service()
        try:
            return await asyncio.to_thread(self._find_facts)
        except UserError as error:
            raise NotLoadedError(f"there are no facts to search: {error}") from error

    def _find_facts(self) -> FactSearch:
        with self._finding:  # two who ask at once share it
            search = self._service.result().fact_search
            search.index()
            return search


def usual_workshop(model: str, benchmark: str) -> Workshop:
    def make() -> Service:
        from isarstep.apps.batching import LARGEST
        from isarstep.apps.engine import Engine
        from isarstep.apps.service.service import Service

        engine = Engine(model, benchmark)
        engine.warm_up()
        return Service(engine, LARGEST)

    return Workshop(make)
