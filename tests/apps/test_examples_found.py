"""Examples by the beginnings of their ids, and what may not stand beside one."""

from __future__ import annotations

from typing import Any

import pytest

from isarstep.apps.catalogue import Catalogue
from isarstep.apps.service import schema
from isarstep.apps.service.service import Service
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.isabelle.theory.problems.problem import ProblemError


def test_two_finders_disagree_on_an_ambiguous_beginning(benchmark: Benchmark) -> None:
    ids = sorted(benchmark.table("test", ["id"])["id"].to_pylist())
    for find in (benchmark.find, Catalogue(benchmark).find, benchmark.split("test").position):
        with pytest.raises(UserError, match=r"begins \d+ ids .*give more digits"):
            find(ids[0][:1])
    assert benchmark.find(ids[0])[1].id == Catalogue(benchmark).find(ids[0])[1].id == ids[0]
    long_enough = ids[0][:11]
    assert benchmark.find(long_enough)[1].id == Catalogue(benchmark).find(long_enough)[1].id == ids[0]
    with pytest.raises(UserError, match="no example"):
        benchmark.find("x" * 10_000)


@pytest.mark.parametrize(
    "given",
    [
        {"constants": {"c": "nat"}},
        {"statement": ["x = x"]},
        {"earlier": ["x = x"]},
        {"form": "tokens"},
        {"facts": ["x = x"]},
        {"goal": "x = x"},
    ],
)
def test_what_an_example_brings_is_accepted_and_ignored(given: dict[str, Any]) -> None:
    body = schema.ProposeBody.model_validate({"example": "012345678901", **given})
    with pytest.raises(ProblemError) as refused:
        Service.task(Service.__new__(Service), body)
    assert refused.value.field == next(iter(given))
