"""One service over the shipped model for all tests of tools."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from isarstep.apps.mcp.tools.workshop import Workshop
from isarstep.apps.service.service import Service


@pytest.fixture(scope="session")
def workshop(service_with_facts: Service) -> Iterator[Workshop]:
    made = Workshop(lambda: service_with_facts)
    yield made
    asyncio.run(made.facts())  # a thread inside Arrow while the interpreter goes away ends the process with an abort


@pytest.fixture(scope="session")
def loop() -> Iterator[asyncio.Runner]:
    """One event loop for all calls, as in a server."""
    with asyncio.Runner() as runner:
        yield runner
