"""What threads share is made once, whatever Python's own `cached_property` does."""

from __future__ import annotations

import functools
import threading

import pytest

from isarstep.apps.catalogue import Catalogue
from isarstep.apps.engine import Engine
from isarstep.apps.service.service import Service
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.memory import shared_property


def test_two_threads_make_it_once() -> None:
    made: list[int] = []
    both, second = threading.Event(), threading.Event()

    class Owner:
        @shared_property
        def thing(self) -> object:
            made.append(1)
            both.set()
            second.wait(0.2)  # as long as another might need to come in between
            return object()

    owner = Owner()
    found: list[object] = []

    def ask() -> None:
        found.append(owner.thing)

    first, other = threading.Thread(target=ask), threading.Thread(target=ask)
    first.start()
    both.wait()
    other.start()
    first.join()
    other.join()
    assert made == [1]
    assert found[0] is found[1] is owner.thing


@pytest.mark.parametrize("owner", [Engine, Service, Catalogue, Benchmark])
def test_what_the_server_shares_relies_on_a_lock_that_python_took_away(owner: type) -> None:
    plain = [name for name, value in vars(owner).items() if type(value) is functools.cached_property]
    assert plain == []
