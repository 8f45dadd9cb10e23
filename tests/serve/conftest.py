"""A server, started once; examples are picked from the shipped benchmark, whatever it is."""

from collections.abc import Iterator

import pytest
from tests.serve.process import Running, running

from isarstep.bench.example import Example
from isarstep.serve.engine import Engine


@pytest.fixture(scope="session")
def example(engine: Engine) -> Example:
    """A short example of the test split with facts, a goal and a step as target."""
    for candidate in engine.catalogue.split("test"):
        short = (
            sum(len(text.split()) for text in (candidate.f1, *candidate.f2, candidate.f3 or "", *candidate.f4)) < 120
        )
        if short and candidate.f2 and candidate.f4 and candidate.f3 and candidate.target_kind == "step":
            return candidate
    raise AssertionError("the benchmark has no short example")


@pytest.fixture(scope="session")
def server() -> Iterator[Running]:
    with running() as found:
        yield found
