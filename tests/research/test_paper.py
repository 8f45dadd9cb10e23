"""The small twin of the experiment that makes the paper's tables, from a benchmark to the report."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.score.small import make_benchmark

EXPERIMENTS = Path(__file__).parents[2] / "research" / "experiments"


@pytest.fixture(autouse=True)
def _small_threads_and_few_probes(monkeypatch: pytest.MonkeyPatch) -> None:
    from isarstep.score.analysis.probes import probes

    torch.set_num_threads(1)
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    few = probes()[:3]
    for place in ("score.analysis.keeping", "score.report.inside"):
        monkeypatch.setattr(f"isarstep.{place}.probes", lambda: few)


ABSENT = ("pyarrow", "sacrebleu", "zstandard", "rich", "typer", "matplotlib")  # where rows are trained


def run_elsewhere(line: list[str], work: Path) -> None:
    """A line on a machine with torch, numpy and safetensors."""
    without = work / "without"
    without.mkdir()
    lines = ["import sys", *(f"sys.modules[{package!r}] = None" for package in ABSENT)]
    (without / "sitecustomize.py").write_text("\n".join(lines))
    search = os.pathsep.join(path for path in (str(without), os.environ.get("PYTHONPATH")) if path)
    place = {**os.environ, "PYTHONPATH": search, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(EXPERIMENTS / "paper.py"), *line]
    done = subprocess.run(command, cwd=work, env=place, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_the_twin_runs_to_its_end_with_a_row_from_elsewhere_and_goes_on_where_it_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import paper

    benchmark = make_benchmark(tmp_path / "benchmark", test=2, validation=2, unseen=2)
    runs, out, back = tmp_path / "runs", tmp_path / "out", tmp_path / "back"
    assert paper.main(["arrays", str(benchmark), str(tmp_path / "arrays.npz")]) == 0
    line = ["row", "hat-f5", str(tmp_path / "arrays.npz"), str(back), "--scale", "twin", "--commit", "c0de"]
    run_elsewhere(line, tmp_path)
    assert paper.main(["take", str(back), str(runs)]) == 0
    assert {path.name for path in back.iterdir()} == {"run.tar.xz", "model.safetensors"}
    trained = json.loads((runs / "hat-f5" / "config.json").read_text())
    assert (trained["input"], trained["training"]["recipe"]["tokens"]) == ("+F.5", 6000)
    assert trained["training"]["epochs"] > 0
    assert json.loads((runs / "hat-f5" / "made.json").read_text())["commit"] == "c0de"

    line = ["all", str(benchmark), str(runs), str(out), "--scale", "twin", "--device", "cpu"]
    stages: list[str] = []
    real = paper.isarstep

    def stopped(arguments: list[str]) -> int:
        stages.append(arguments[0])
        return 1 if arguments[0] == "check" else real(arguments)

    monkeypatch.setattr(paper, "isarstep", stopped)
    assert paper.main(line) == 1
    assert "stopped at: isarstep check" in capsys.readouterr().err
    assert stages == ["train", "keep", "check"]

    def watched(arguments: list[str]) -> int:
        stages.append(arguments[0])
        return real(arguments)

    stages.clear()
    monkeypatch.setattr(paper, "isarstep", watched)
    assert paper.main(line) == 0
    assert stages == ["check"] * 3 + ["baseline"] * 8 + ["report"]
    scores = json.loads((out / "scores.json").read_text())
    baselines = {"copy", "frequent", "neighbour", "rule"}
    assert {system["run"] for system in scores["systems"]} == {"rnnsearch-base", "hat-f5", *baselines}
    assert all(system["verdicts"] for system in scores["systems"] if system["run"] not in baselines)
    assert scores["references"]
    made = written_by_report(out)

    # All but lists, verdicts and what lies with them goes, the runs themselves too: the same report comes back.
    for name in made:
        (out / name).unlink()
    shutil.rmtree(runs)
    stages.clear()
    assert paper.main(["report", str(benchmark), str(out / "runs"), str(out), "--scale", "twin"]) == 0
    assert stages == ["report"]
    assert written_by_report(out) == made


def written_by_report(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in out.iterdir() if path.is_file() and path.suffix != ".parquet"}


@pytest.mark.slow
def test_lists_of_a_split_beside_the_benchmark_are_made_elsewhere(tmp_path: Path) -> None:
    from isarstep.benchmark.arrays.files import load_dataset, save_dataset
    from isarstep.benchmark.store.store import Benchmark

    whole = load_dataset("embedded-fresh")
    short = np.argsort(whole.split("fresh").source_lengths("base"))[:2]
    save_dataset(replace(whole, splits={"fresh": whole.split("fresh").take(short)}), tmp_path / "two.npz")
    run_elsewhere(["lists", "embedded", str(tmp_path / "two.npz"), str(tmp_path / "out")], tmp_path)
    for beam in (5, 10):
        about = json.loads((tmp_path / "out" / f"fresh.beam{beam}.meta.json").read_text())
        assert (about["benchmark"], about["split"], about["beam"]) == (Benchmark("embedded-fresh").hash, "fresh", beam)
        lists = [json.loads(line) for line in (tmp_path / "out" / f"fresh.beam{beam}.jsonl").read_text().splitlines()]
        assert [len(each["predictions"]) for each in lists] == [beam, beam]


def test_the_papers_scale_has_every_row_once() -> None:
    import paper_rows

    scale = paper_rows.SCALES["paper"]
    names = [row.name for row in scale.rows]
    assert len(names) == len(set(names)) == 10
    assert {"rnnsearch-base", "convs2s-f5", "transformer-base", "hat-base", "hat-nocat", "hat-seed1"} <= set(names)
    assert "categories = false" in paper_rows.recipe_of(paper_rows.Row("hat", categories=False), scale)
    assert "minutes = 8.5" in paper_rows.recipe_of(paper_rows.Row("hat"), scale, 8.5)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [(["row", "hut", "arrays.npz", "out"], "hut: no such row"), (["take", "nowhere", "runs"], "holds no run.tar.xz")],
)
def test_what_is_not_there_is_named(line: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    import paper

    assert paper.main(line) == 2
    assert complaint in capsys.readouterr().err
