"""A report's own folder is enough to score its runs again: compressed lists give the numbers of scores.json."""

import json
from pathlib import Path

import pytest
import zstandard
from tests.score.recompute import recompute

from isarstep.cli import run
from isarstep.common.errors import UserError
from isarstep.model.decode.predictions import read_predictions
from isarstep.score.headline import open_system, open_task
from isarstep.score.scores import score


def text_of(path: Path) -> str:
    return zstandard.ZstdDecompressor().decompressobj().decompress(path.read_bytes()).decode()


def test_lists_survive_and_are_scored_alike(benchmark: Path, runs: dict[str, Path], tmp_path: Path) -> None:
    names = ["hat", "hat-f5", "hat-plain", "transformer"]
    arguments = ["report", *(str(runs[name]) for name in names), "--benchmark", str(benchmark), "--out", str(tmp_path)]
    assert run([*arguments, "--lists", "hat", "--lists", "hat-f5"]) == 0
    report = json.loads((tmp_path / "scores.json").read_text())
    # The paper's order of models, base inputs first.
    plain = [row["run"] for row in report["systems"] if not row["tag"]]
    assert plain == ["transformer", "hat", "hat-plain", "hat-f5"]
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == ["hat", "hat-f5"]
    task = open_task(benchmark)
    for row in report["systems"]:
        assert 0 < row["parts"]["new targets"]["examples"] <= report["examples"]
        assert 0 < row["parts"]["steps with F.2"]["examples"] < report["examples"]
        if row["run"] != "hat-f5":
            continue
        folder = tmp_path / "runs" / row["run"]
        lists = folder / "predictions"
        found = recompute(benchmark, "test", lists / "test.beam5.jsonl.zst", lists / "test.beam10.jsonl.zst")
        for name, value in found.items():
            assert row[name]["value"] == pytest.approx(value, abs=1e-9)
        assert score(open_system(folder, task)).top1.value == row["top1"]["value"]
        # No scores, and of the narrow beam the first answers: nothing else is reported.
        lines = (text_of(lists / f"test.beam{beam}.jsonl.zst") for beam in (5, 10))
        widths = [{len(json.loads(line)["predictions"]) for line in text.splitlines()} for text in lines]
        assert max(widths[0]) == 1
        assert max(widths[1]) > 1
        assert "score" not in text_of(lists / "test.beam10.jsonl.zst")
    # The folder's runs make the report again.
    again = tmp_path / "again"
    assert run(["report", str(tmp_path / "runs" / "hat"), "--benchmark", str(benchmark), "--out", str(again)]) == 0
    assert "not run" in (again / "report.md").read_text()


def test_a_run_that_is_not_there_is_named(
    benchmark: Path, runs: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["report", str(runs["hat"]), "--benchmark", str(benchmark), "--out", str(tmp_path / "r")]
    assert run([*arguments, "--lists", "hut"]) == 2
    assert "--lists hut" in capsys.readouterr().err
    assert not (tmp_path / "r").exists()


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl.zst"
    path.write_bytes(b"no zstd")
    with pytest.raises(UserError, match="not readable as zstd"):
        read_predictions(path, ["a"])
