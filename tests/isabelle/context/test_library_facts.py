"""Facts of the library by the names that theory files call them by."""

from typing import Any

import numpy as np
import pytest

from isarstep.benchmark.store.store import Benchmark
from isarstep.isabelle.context import library_facts
from isarstep.isabelle.context.library_facts import LibraryFacts


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


def test_many_names_at_once_are_those_that_one_by_one_are_called(benchmark: Benchmark) -> None:
    """Short ones, names that others end in, classes that may be left out, and what nobody is called."""
    facts = LibraryFacts(benchmark)
    theories = frozenset({"HOL.HOL", "HOL.Groups", "HOL.List", "HOL.Nat", "HOL.Set"})
    names = ["trans", "refl", "ext", "mult.assoc", "add_assoc", "append_assoc", "List.append_assoc", "semigroup.assoc",
             "subsetI", "rev.simps", "x", "nobody_is_called_so", "assoc", "HOL.spec", "HOL.mp", "mult_class.mult.assoc", "sym"]  # fmt: skip
    found = facts.numbers(names, theories)
    for name in names:
        alone = [place for place in facts._called(name) if facts._theories[place] in theories]
        assert list(found.get(name, [])) == alone, name
    assert len(found) > 8
    assert len(facts.numbers(["trans"], None)["trans"]) > len(found["trans"])
