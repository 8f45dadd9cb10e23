"""The small twin of the experiment that makes the paper's tables, from a benchmark to the report."""

import json
import re
import sys
from pathlib import Path

import pytest
import torch
from tests.evaluate.small import make_benchmark

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.fixture(autouse=True)
def _small_threads_and_few_probes(monkeypatch: pytest.MonkeyPatch) -> None:
    from isarstep.analyse.probes import probes

    torch.set_num_threads(1)
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    few = probes()[:3]
    monkeypatch.setattr("isarstep.analyse.keeping.probes", lambda: few)


def test_the_twin_runs_to_its_end_and_goes_on_where_it_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import paper

    benchmark = make_benchmark(tmp_path / "benchmark", test=4, validation=4)
    runs, out = tmp_path / "runs", tmp_path / "out"
    line = [str(benchmark), str(runs), str(out), "--scale", "twin", "--device", "cpu"]
    stages: list[str] = []

    def stopped_at_the_second_run(arguments: list[str]) -> int:
        stages.append(" ".join([arguments[0], Path(arguments[1]).name]))
        if arguments[0] == "keep" and "hat-f5" in arguments[1]:
            return 1
        return real(arguments)

    real = paper.isarstep
    monkeypatch.setattr(paper, "isarstep", stopped_at_the_second_run)
    assert paper.main(line) == 1
    assert "stopped at: isarstep keep" in capsys.readouterr().err
    assert [stage.split()[0] for stage in stages] == ["train", "keep", "check", "train", "keep"]

    def watched(arguments: list[str]) -> int:
        stages.append(arguments[0])
        return real(arguments)

    stages.clear()
    monkeypatch.setattr(paper, "isarstep", watched)
    assert paper.main(line) == 0
    assert stages == ["keep", "check", "report"]
    scores = json.loads((out / "scores.json").read_text())
    assert {system["run"] for system in scores["systems"]} == {"rnnsearch", "hat-f5"}
    table = (out / "LEADERBOARD.md").read_text()
    assert "isarstep train" in table
    assert "rnnsearch" in table
    assert (out / "report.html").is_file()
    assert sorted(path.name for path in (out / "runs").iterdir()) == ["hat-f5", "rnnsearch"]
    assert all(system["verdicts"] for system in scores["systems"])


def test_the_papers_scale_has_every_row_once(monkeypatch: pytest.MonkeyPatch) -> None:
    import paper

    names = [row.name for row in paper.SCALES["paper"].rows]
    assert len(names) == len(set(names)) == 10
    assert {"rnnsearch", "convs2s-f5", "transformer", "hat", "hat-f5", "hat-nocat", "hat-seed1"} <= set(names)
    assert "categories = false" in paper.recipe_of(paper.Row("hat", categories=False), paper.SCALES["paper"])
    sys.modules.pop("paper")


def test_the_page_on_the_paper_names_real_commands_and_judges_every_row() -> None:
    from isarstep.cli import commands

    page = (EXPERIMENTS.parent / "docs" / "paper.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`isarstep ([a-z]+)", page)) <= set(commands())
    rows = [line for line in page.splitlines() if line.startswith("| ") and not line.startswith("| paper |")]
    assert len(rows) > 30
    words = ("reproduced", "not reproduced", "different by design")
    assert [row for row in rows if not row.split(" | ")[-1].startswith(words) and "---" not in row] == []
