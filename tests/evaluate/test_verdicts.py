"""Verdicts are counted as the paper's tables count them."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from isarstep.errors import UserError
from isarstep.evaluate.verdicts import COLUMNS, read_verdicts


def verdict(example: str, rank: int = 1, kind: str = "well-formed", **cells: object) -> dict[str, object]:
    return dict.fromkeys(COLUMNS) | {"example": example, "rank": rank, "verdict": kind} | cells


def test_only_first_answers_of_supported_examples_count(tmp_path: Path) -> None:
    rows = [
        verdict("a", 2, exact=True, correct=True, strict_correct=True, gap_class_paper="large"),
        verdict("a", 1, exact=False, correct=False, strict_correct=False, direct_paper_result="timeout"),
        verdict("b", 1, exact=True, correct=True, strict_correct=True, gap_class="small", gap_class_paper="just right",
                direct_paper_result="timeout", improves_automation=True, strictly_improves_automation=False),
        verdict("c", 1, correct=True, strict_correct=False, direct_paper_result="proved"),
        verdict("d", 1, "ill-formed", correct=False, strict_correct=False),
        verdict("e", 1, "unsupported"),
    ]  # fmt: skip
    path = tmp_path / "v.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path)
    found = read_verdicts(path)
    assert (found.checked, found.unsupported) == (4, 1)
    assert found.well_formed.value == pytest.approx(75)
    assert (found.correct.value, found.strict_correct.value) == (50, 25)
    assert (found.unprovable, found.improved, found.strictly_improved) == (2, 1, 0)
    assert dict(found.gaps_paper) == {"just right": 1}
    assert dict(found.gaps) == {"small": 1}


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "v.parquet").write_text("no")
    with pytest.raises(UserError, match="not verdicts"):
        read_verdicts(tmp_path / "v.parquet")
