"""Verdicts are counted as the paper's tables count them, and tables say of how many examples."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from isarstep.benchmark.store.store import Benchmark
from isarstep.cli import run
from isarstep.common.errors import UserError
from isarstep.prover.check.jobs import write_verdicts
from isarstep.prover.outcomes.verdict import COLUMNS as WRITTEN
from isarstep.score.metrics import Score
from isarstep.score.report.verdicts import COLUMNS, Gaps, read_verdicts


def verdict(example: str, rank: int = 0, judged: str = "well-formed", **cells: object) -> dict[str, object]:
    return dict.fromkeys(WRITTEN) | {"example": example, "rank": rank, "verdict": judged} | cells


def homes(ids: str) -> dict[str, int]:
    return {name: place for place, name in enumerate(ids)}


def test_only_first_answers_of_supported_examples_count(tmp_path: Path) -> None:
    rows = [
        verdict("a", 1, exact=True, correct=True, strict_correct=True, gap_class_paper="large"),
        verdict("a", 0, exact=False, correct=False, strict_correct=False, direct_paper_result="timeout"),
        verdict("b", exact=True, correct=True, strict_correct=True, gap_class="small", gap_class_paper="just right",
                direct_paper_result="timeout", improves_automation=True, strictly_improves_automation=False),
        verdict("c", correct=True, strict_correct=False, direct_paper_result="proved"),
        verdict("d", 0, "ill-formed", correct=False, strict_correct=False),
        verdict("e", 0, "unsupported"),
        verdict("of another split", correct=True),
    ]  # fmt: skip
    path = tmp_path / "v.parquet"
    write_verdicts(path, rows, {"provers": "cvc5 1"})
    found = read_verdicts(path, homes("abcdef"))
    assert (found.all.checked, found.unsupported, found.examples) == (4, 1, 6)
    assert (found.share_checked, found.provers) == ("4 of 6", "cvc5 1")
    assert (found.all.well_formed, found.all.correct, found.all.strict_correct, found.all.exact) == (3, 2, 1, 1)
    assert found.all.correct_share == Score(50, pytest.approx(0), pytest.approx(100))
    assert (found.all.unprovable, found.all.improved, found.all.strictly_improved) == (2, 1, 0)
    assert (found.all.gaps_paper, found.all.gaps) == (Gaps(0, 1, 0), Gaps(1, 0, 0))


def test_gaps_are_counted_by_kind_of_target(tmp_path: Path) -> None:
    both = {"first_result": "proved", "second_result": "proved"}
    rows = [
        verdict("a", first_library=0, direct_result="proved", direct_paper_result="timeout", **both),
        verdict("b", first_library=19, direct_result="timeout", direct_paper_result="timeout", **both),
        verdict("c", first_result="timeout", second_result="proved"),
        verdict("d", first_result="unknown: no", second_result="proved", direct_result="proved"),
    ]
    kinds = ("step", "compound", "step", "assumption")
    path = tmp_path / "v.parquet"
    write_verdicts(path, [row | {"kind": kind} for row, kind in zip(rows, kinds, strict=True)])
    found = read_verdicts(path, homes("abcd"))
    steps = found.steps
    assert (steps.checked, steps.first, steps.first_given, steps.second, steps.bridged) == (3, 2, 1, 3, 2)
    assert (steps.direct, steps.direct_paper) == (1, 0)
    assert (found.assumptions.checked, found.assumptions.second, found.assumptions.direct) == (1, 1, 1)
    unasked = ("direct_result", "first_library")
    write_verdicts(path, [row | {"kind": "step"} | dict.fromkeys(unasked) for row in rows])
    steps = read_verdicts(path, homes("abcd")).steps
    assert (steps.first, steps.first_given, steps.direct) == (2, None, None)


def test_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "v.parquet"
    path.write_text("no")
    with pytest.raises(UserError, match="not verdicts"):
        read_verdicts(path, homes("a"))
    pq.write_table(pa.table({name: ["a"] for name in COLUMNS[:3]}), path)
    with pytest.raises(UserError, match="no column 'kind'"):
        read_verdicts(path, homes("a"))
    write_verdicts(path, [verdict("b")])
    with pytest.raises(UserError, match="other examples"):
        read_verdicts(path, homes("a"))


def test_a_report_shows_verdicts_with_their_number(benchmark: Path, runs: dict[str, Path], tmp_path: Path) -> None:
    ids = [example.id for example in Benchmark(benchmark).split("test")]
    beside = runs["hat"] / "predictions" / "test.beam5.verdicts.parquet"
    right = {"kind": "step", "exact": True, "correct": True, "strict_correct": True, "gap_class_paper": "just right"}
    write_verdicts(beside, [verdict(each, **right) for each in ids[:3]], {"provers": "cvc5 1"})
    kinds = ("step", "assumption", "step", "step")
    proved = {"first_result": "proved", "second_result": "proved", "first_library": 0}
    checked = [verdict(each, kind=kind, **proved) for each, kind in zip(ids, kinds, strict=False)]
    write_verdicts(tmp_path / "test.references.verdicts.parquet", checked, {"provers": "E 2"})
    try:
        assert run(["report", str(runs["hat"]), "--benchmark", str(benchmark), "--out", str(tmp_path)]) == 0
    finally:
        beside.unlink()
    markdown = (tmp_path / "report.md").read_text()
    rows = [line for line in markdown.splitlines() if f"| 3 of {len(ids)} |" in line]
    assert [line.count("|") for line in rows] == [8, 6, 7]  # correct, automation, gaps
    assert "| 100.0 [100.0, 100.0] | 100.0 | 3 | 0 | 0 |" in rows[0]
    assert "| 3 | 0 | 3 | 0 |" in rows[2]
    assert "2,243 (45.7 %) | 1,984 (40.4 %)" in markdown
    assert f"| E 2 | 4 of {len(ids)} | 4 (100.0 %) |" in markdown
    assert "| E 2: assumptions | 1 | 1 (100.0 %) |" in markdown
    assert "Provers: cvc5 1." in markdown
    numbers = json.loads((tmp_path / "scores.json").read_text())
    assert numbers["systems"][0]["verdicts"]["all"]["correct"] == 3
    assert numbers["references"][0]["steps"]["bridged"] == 3


def test_a_report_shows_verdicts_on_answers_under_constraints(
    benchmark: Path, runs: dict[str, Path], tmp_path: Path
) -> None:
    ids = [example.id for example in Benchmark(benchmark).split("test")]
    beside = next((runs["hat"] / "predictions").glob("test.beam5.*.jsonl"))
    tag = beside.name.split(".")[2]
    verdicts = beside.with_name(f"test.beam5.{tag}.verdicts.parquet")
    write_verdicts(verdicts, [verdict(each, kind="step", correct=True) for each in ids[:2]], {"provers": "cvc5 1"})
    try:
        assert run(["report", str(runs["hat"]), "--benchmark", str(benchmark), "--out", str(tmp_path)]) == 0
    finally:
        verdicts.unlink()
    markdown = (tmp_path / "report.md").read_text()
    assert f"| {runs['hat'].name} ({tag}), base | 2 of {len(ids)} |" in markdown
    assert f"| {runs['hat'].name}, base | not checked |" in markdown
