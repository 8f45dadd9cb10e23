"""A server, started once; and an index of facts, made once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from tests.serve.process import Running, running

if TYPE_CHECKING:
    from isarstep.bench.fact_search import FactSearch
    from isarstep.serve.engine import Engine
    from isarstep.serve.service import Service


@pytest.fixture(scope="session")
def server() -> Iterator[Running]:
    with running() as found:
        yield found


@pytest.fixture(scope="session")
def fact_search(engine: Engine) -> FactSearch:
    """Its index takes seconds to make: services over the shipped benchmark share it."""
    from isarstep.bench.fact_search import FactSearch

    found = FactSearch(engine.benchmark)
    found.index()
    return found


@pytest.fixture(scope="session")
def service_with_facts(engine: Engine, fact_search: FactSearch) -> Iterator[Service]:
    from isarstep.serve.service import Service

    made = Service(engine, 4)
    made.fact_search = fact_search
    yield made
    made.close()
