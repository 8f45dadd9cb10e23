"""Verdicts within so many minutes: what was judged is a table, and the rest is judged later."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.prover.small_benchmark import write_small_benchmark

from isarstep.model.decode.predictions import write_predictions
from isarstep.prover.check import jobs


@pytest.fixture
def judging(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "research" / "experiments"))
    monkeypatch.setattr(jobs, "CHUNK", 1)
    import judging

    return judging


def test_what_was_judged_in_time_and_the_rest_later(
    judging: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = write_small_benchmark(tmp_path / "bench")
    lists, out = tmp_path / "lists.jsonl", tmp_path / "verdicts.parquet"
    write_predictions(lists, [(each.id, [(each.f1, -1.0), (made[0].f1, -2.0)]) for each in made[:3]], {})
    words = [str(lists), str(out), "--split", "test", "--benchmark", str(tmp_path / "bench"), "--top", "2"]
    judging.main([*words, "--seconds", "0.2", "--jobs", "1", "--minutes", "0"])
    assert json.loads(capsys.readouterr().out)["examples"] == 0
    assert pq.read_table(out).num_rows == 0
    judging.main([*words, "--seconds", "0.2", "--jobs", "1", "--minutes", "5"])
    found = json.loads(capsys.readouterr().out)
    assert (found["examples"], found["proposals"], found["exact"]) == (3, 6, 4)
    assert found["both sides"] >= 1
    rows = pq.read_table(out).to_pylist()
    assert [(row["example"], row["rank"]) for row in rows] == [(each.id, rank) for each in made[:3] for rank in (0, 1)]
    assert judging.both_sides(rows[0])
