"""A server, started once; and an index of facts, made once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from tests.apps.process import Running, running

if TYPE_CHECKING:
    from isarstep.apps.engine import Engine
    from isarstep.apps.service.service import Service
    from isarstep.benchmark.store.fact_search import FactSearch


@pytest.fixture(scope="session")
def server() -> Iterator[Running]:
    with running() as found:
        yield found


@pytest.fixture(scope="session")
def fact_search(engine: Engine) -> FactSearch:
    """Its index takes seconds to make: services over the shipped benchmark share it."""
    from isarstep.benchmark.store.fact_search import FactSearch

    found = FactSearch(engine.benchmark)
    found.index()
    return found


@pytest.fixture(scope="session")
def service_with_facts(engine: Engine, fact_search: FactSearch) -> Iterator[Service]:
    from isarstep.apps.service.service import Service

    made = Service(engine, 4)
    made.fact_search = fact_search
    yield made
    made.close()
