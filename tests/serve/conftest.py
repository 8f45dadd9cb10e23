"""A server, started once."""

from collections.abc import Iterator

import pytest
from tests.serve.process import Running, running


@pytest.fixture(scope="session")
def server() -> Iterator[Running]:
    with running() as found:
        yield found
