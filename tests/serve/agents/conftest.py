"""One service over the shipped model for all tests of tools."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from isarstep.serve.agents.workshop import Workshop
from isarstep.serve.engine import Engine
from isarstep.serve.service import Service


@pytest.fixture(scope="session")
def workshop(engine: Engine) -> Iterator[Workshop]:
    made = Workshop(lambda: Service(engine, 4))
    yield made
    asyncio.run(made.facts())  # a thread inside Arrow while the interpreter goes away ends the process with an abort
    asyncio.run(made.service()).close()


@pytest.fixture(scope="session")
def loop() -> Iterator[asyncio.Runner]:
    """One event loop for all calls, as in a server."""
    with asyncio.Runner() as runner:
        yield runner
