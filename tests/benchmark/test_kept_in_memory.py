"""What users ask for is not kept for ever."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from isarstep.benchmark.store.store import MOST_GROUPS, RowGroups
from isarstep.isabelle.context.theory_contexts import MOST_LANGUAGES, TheoryContexts
from isarstep.isabelle.terms.signature import Signature


def test_every_pair_of_imports_is_kept() -> None:
    theories = [f"T{number}" for number in range(20)]
    theory_contexts = TheoryContexts(
        Signature.build(()), dict.fromkeys(theories, ()), notation=lambda: {name: {} for name in theories}
    )
    seen = [theory_contexts.importing(pair) for pair in combinations(theories, 2)]
    for theory_context in seen:
        assert theory_context.language is not None
    assert len(seen) > 3 * MOST_LANGUAGES
    assert sum("language" in vars(theory_context) for theory_context in seen) <= MOST_LANGUAGES
    again = seen[0].language
    assert again is not None
    assert again is seen[0].language  # those in use are
    kept = {id(theory_contexts.importing(pair)) for pair in combinations(theories, 2)} & set(map(id, seen))
    assert len(kept) <= MOST_LANGUAGES


def test_every_row_group_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    pq.write_table(pa.table({"x": list(range(100))}), path, row_group_size=1)
    rows = RowGroups([path])
    for number in range(100):
        batch, place = rows.locate(number)
        assert batch.column("x")[place].as_py() == number
    assert len(rows._groups) <= MOST_GROUPS
    small = RowGroups([path], most=2)
    assert [small.locate(n)[0].column("x")[0].as_py() for n in (5, 6, 7, 5)] == [5, 6, 7, 5]
    assert len(small._groups) == 2
