"""Commands that no room's own tests run: through the command line, with the embedded benchmark and model."""

import json
from pathlib import Path

import pytest

from isarstep.cli import run
from isarstep.resources import model_folder

ROOT = Path(__file__).parent.parent


def test_graph_prints_a_proof_with_its_edges(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["graph", str(ROOT / "tests" / "isabelle" / "process" / "graphs" / "Sqrt_Two.jsonl.zst")]) == 0
    printed = capsys.readouterr().out
    assert "have" in printed
    assert "even" in printed


def test_predict_then_report_on_the_embedded_model(tmp_path: Path) -> None:
    folder = tmp_path / "hat"
    folder.mkdir()
    for path in model_folder("embedded").iterdir():
        (folder / path.name).symlink_to(path)
    for beam in ("5", "10"):
        assert run(["predict", str(folder), "embedded", "--limit", "2", "--beam", beam, "--device", "cpu"]) == 0
    rows = [json.loads(line) for line in (folder / "predictions" / "test.beam10.jsonl").read_text().splitlines()]
    assert [len(row["predictions"]) for row in rows] == [10, 10]
    assert run(["report", str(folder), "--out", str(tmp_path / "out"), "--limit", "2"]) == 0
    assert "<table" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_probe_and_attention(tmp_path: Path) -> None:
    answers = tmp_path / "probes.jsonl"
    assert run(["probe", "embedded", "--beam", "2", "--out", str(answers)]) == 0
    assert len(answers.read_text(encoding="utf-8").splitlines()) > 20
    maps = tmp_path / "attention.safetensors"
    assert run(["attention", "embedded", "member-subset", "--out", str(maps)]) == 0
    assert maps.stat().st_size > 0


def test_neighbours_of_a_constant(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["neighbours", "embedded", "borel_measurable", "--count", "5"]) == 0
    assert "borel_measurable" in capsys.readouterr().out


def test_a_folder_that_is_no_model_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["predict", str(tmp_path), "embedded"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
