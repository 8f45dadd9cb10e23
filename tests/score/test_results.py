"""The committed report says what the committed predictions give, recomputed by code that shares nothing with ours."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.score.recompute import answers, found_among, recompute

from isarstep.resources import BESIDE, benchmark_folder
from isarstep.score.report.leaderboard import leaderboard

RESULTS = Path(__file__).parent.parent.parent / "docs" / "results"
SCORES = RESULTS / "scores.json"


def numbers() -> Any:
    return json.loads(SCORES.read_text(encoding="utf-8"))


def kept_lists(row: dict[str, Any], split: str) -> list[Path]:
    """A system's answers on a split, the narrower beam first."""
    lists = RESULTS / "runs" / row["run"] / "predictions"
    tag = f".{row['tag']}" if row["tag"] else ""
    return [path for beam in (5, 10) if (path := lists / f"{split}.beam{beam}{tag}.jsonl.zst").is_file()]


def disagreements(row: dict[str, Any], report: dict[str, Any], text: str) -> list[str]:
    """What of a system's numbers its lists don't give, or the report does not show."""
    benchmark, lists = benchmark_folder("embedded"), kept_lists(row, report["split"])
    # A run that was decoded with one beam only has one list for all numbers.
    found = recompute(benchmark, report["split"], lists[0], lists[-1]) if lists else {}
    wrong = []
    for name, value in found.items():
        if row[name]["value"] != pytest.approx(value, abs=1e-6):
            wrong.append(f"{row['run']}: {name} is {value}, not {row[name]['value']}")
        # No table has BLEU under constraints.
        if not row["tag"] and f"{value:.1f} [" not in text:
            wrong.append(f"{row['run']}: {name} {value:.1f} is not in the report")
    for split in ("unseen", "unseen2", "fresh", "fresh2"):
        if split in row["parts"]:
            elsewhere = kept_lists(row, split)
            assert elsewhere, f"{row['run']}: its lists of {split} are not kept"
            top1 = found_among(benchmark_folder(BESIDE.get(split, "embedded")), split, answers(elsewhere[0]), 1)
            if row["parts"][split]["value"] != pytest.approx(top1, abs=1e-6):
                wrong.append(f"{row['run']}: top-1 on {split} is {top1}")
    return wrong


def test_the_report_is_about_the_embedded_benchmark() -> None:
    manifest = json.loads((benchmark_folder("embedded") / "manifest.json").read_text(encoding="utf-8"))
    assert numbers()["benchmark"] == manifest["hash"], "docs/results is about another benchmark: make the report again"


@pytest.mark.slow
def test_committed_lists_give_the_committed_numbers() -> None:
    report = numbers()
    text = (RESULTS / "report.md").read_text(encoding="utf-8")
    assert [line for row in report["systems"] for line in disagreements(row, report, text)] == []
    assert all(kept_lists(row, report["split"]) for row in report["systems"]), "a system without lists"


def test_a_changed_number_is_noticed() -> None:
    report = numbers()
    text = (RESULTS / "report.md").read_text(encoding="utf-8")
    row = report["systems"][-1]
    row["top10"]["value"] += 0.02
    assert [line.partition(" is ")[0] for line in disagreements(row, report, text)] == [f"{row['run']}: top10"]


def test_the_leaderboard_is_made_from_the_committed_numbers() -> None:
    found = numbers()
    proofs = json.loads((RESULTS / "proofs.json").read_text(encoding="utf-8"))
    table = leaderboard(found, proofs)
    assert (RESULTS / "LEADERBOARD.md").read_text(encoding="utf-8") == table
    assert all(f"| {row['statements']} | {row['many']} |" in table for row in proofs)
    assert all(f"| {row['system']} |" in table for row in found["systems"])
    best = max(found["systems"], key=lambda row: row["top1"]["value"])
    assert table.index(f"| {best['system']} |") == min(table.index(f"| {row['system']} |") for row in found["systems"])
