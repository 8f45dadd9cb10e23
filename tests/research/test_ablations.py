"""Several small runs in a row, with one line of validation scores each."""

import json
from pathlib import Path

import pytest
import torch
from tests.score.small import make_benchmark

EXPERIMENTS = Path(__file__).parents[2] / "research" / "experiments"


@pytest.mark.slow
def test_every_variant_leaves_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    import ablations
    import train_and_keep

    from isarstep.benchmark.arrays.files import load_dataset, save_dataset

    torch.set_num_threads(1)
    arrays, out = tmp_path / "arrays.npz", tmp_path / "out.jsonl"
    save_dataset(load_dataset(make_benchmark(tmp_path / "benchmark", test=4, validation=4)), arrays)
    monkeypatch.setattr(train_and_keep, "WELL_KNOWN", 2)
    common = "--size tiny --style modern --minutes 0.02 --batch 512 --looks 1"
    variants = ["plain=", "open=--numbers 4 --named 3 --number-constants 0.5 --weight-decay 0.3"]
    ablations.main([str(arrays), str(out), "--common", common, "--examples", "3", *variants])
    plain, opened = (json.loads(line) for line in out.read_text().splitlines())
    assert (plain["variant"], opened["variant"]) == ("plain", "open")
    assert opened["options"] == f"{common} {variants[1].partition('=')[2]}"
    assert opened["vocabulary"] < plain["vocabulary"]
    for line in (plain, opened):
        for found in (line, line["unheard"]):
            assert 0 <= found["top1"] <= found["top10"] <= 1
