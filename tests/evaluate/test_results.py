"""The committed report says what the committed predictions give, recomputed by code that shares nothing with ours."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.evaluate.recompute import recompute

from isarstep.data import benchmark_folder

RESULTS = Path(__file__).parent.parent.parent / "docs" / "results"
SCORES = RESULTS / "scores.json"


def numbers() -> Any:
    return json.loads(SCORES.read_text(encoding="utf-8"))


def test_the_report_is_about_the_embedded_benchmark() -> None:
    manifest = json.loads((benchmark_folder("embedded") / "manifest.json").read_text(encoding="utf-8"))
    assert numbers()["benchmark"] == manifest["hash"], "docs/results is about another benchmark: make the report again"


def test_committed_lists_give_the_committed_numbers() -> None:
    """Every run whose lists are there; at least one must be."""
    report = numbers()
    text = (RESULTS / "report.md").read_text(encoding="utf-8")
    checked = 0
    for row in report["systems"]:
        lists = RESULTS / "runs" / row["run"] / "predictions"
        tag = f".{row['tag']}" if row["tag"] else ""
        narrow, wide = (lists / f"{report['split']}.beam{beam}{tag}.jsonl.zst" for beam in (5, 10))
        if not narrow.is_file() and not wide.is_file():
            continue
        # A run that was decoded with one beam only has one list for all numbers.
        found = recompute(
            benchmark_folder("embedded"),
            report["split"],
            narrow if narrow.is_file() else wide,
            wide if wide.is_file() else narrow,
        )
        for name, value in found.items():
            assert row[name]["value"] == pytest.approx(value, abs=1e-6), (row["run"], name)
            # No table has BLEU under constraints.
            assert row["tag"] or f"{value:.1f} [" in text, (row["run"], name)
        checked += 1
    assert checked > 0
