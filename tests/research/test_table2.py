"""First answers of several lists judged together, each list with its own verdicts afterwards."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.prover.small_benchmark import write_small_benchmark

EXPERIMENTS = Path(__file__).parents[2] / "research" / "experiments"
NONSENSE = "CONST HOL.Trueprop $ ( CONST HOL.eq"


@pytest.fixture
def table2(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    import table2

    monkeypatch.setattr(table2, "presences", list)  # whatever is installed may judge a test
    return table2


def write_list(path: Path, answers: dict[str, str]) -> Path:
    path.parent.mkdir(parents=True)
    lines = [{"id": key, "predictions": [{"tokens": answer, "score": -1.0}]} for key, answer in answers.items()]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_each_list_gets_the_verdicts_on_its_own_answers(table2, tmp_path: Path, capsys) -> None:
    folder = tmp_path / "benchmark"
    made = write_small_benchmark(folder)
    right = write_list(tmp_path / "right" / "test.beam5.jsonl", {e.id: e.f1 for e in made})
    wrong = write_list(tmp_path / "wrong" / "test.beam5.jsonl", {e.id: NONSENSE for e in made})
    at = ["--benchmark", str(folder)]
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    assert table2.main(["gather", str(first), str(right), str(wrong), "--wrong", *at]) == 0
    assert table2.main(["gather", str(second), str(right), str(wrong), "--beside", str(first), *at]) == 0
    said = capsys.readouterr().out
    assert said.count(f"{len(made)} different answers to {len(made)} examples") == 2

    assert table2.main(["check", str(first), "--jobs", "1", *at]) == 0
    assert table2.main(["deal", str(first), str(wrong), *at]) == 0
    assert table2.main(["deal", str(first), str(right), *at]) == 2
    assert f"{len(made)} of its first answers are not judged" in capsys.readouterr().err
    assert table2.main(["check", str(second), "--beside", str(first), "--jobs", "1", *at]) == 0
    assert table2.main(["deal", str(first), str(right), str(wrong), "--beside", str(second), *at]) == 0
    for path, correct in ((right, True), (wrong, False)):
        table = pq.read_table(path.with_name("test.beam5.verdicts.parquet"))
        assert b"checker" in table.schema.metadata
        judged = [row for row in table.to_pylist() if row["verdict"] != "unsupported"]
        assert judged
        assert {row["correct"] for row in judged} == {correct}
        assert [row["rank"] for row in judged] == [0] * len(judged)
