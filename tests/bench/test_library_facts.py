"""Facts of the library by the names that theory files call them by."""

from typing import Any

import numpy as np
import pytest

from isarstep.bench import library_facts
from isarstep.bench.library_facts import LibraryFacts
from isarstep.bench.store import Benchmark


def test_many_names_end_alike_and_no_column_is_copied_for_each(
    benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`trans` took ten seconds: it stands in a hundred thousand names."""
    facts, searched = LibraryFacts(benchmark), []
    real = np.searchsorted

    def search(column: Any, values: Any, **options: Any) -> Any:
        searched.append((column.dtype, values.dtype))
        return real(column, values, **options)

    monkeypatch.setattr(library_facts.np, "searchsorted", search)
    ((name, _),) = facts.called("trans", frozenset({"HOL.HOL"}))
    assert name == "HOL.trans"
    assert facts.called("rans", None) == ()
    assert len(searched) == 2
    assert all(column == values for column, values in searched)
