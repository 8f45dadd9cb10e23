"""Systems on a task: the numbers, their signatures, the command, and what is refused."""

import json
from pathlib import Path

import pytest
from tests.score.recompute import recompute
from tests.score.small import TEST, write_predictions

from isarstep.cli import run
from isarstep.common.errors import UserError
from isarstep.score.headline import main_table, open_system, open_task
from isarstep.score.scores import compare, score


def test_scores_equal_an_independent_recomputation(benchmark: Path, runs: dict[str, Path]) -> None:
    task = open_task(benchmark)
    for folder in runs.values():
        ours = score(open_system(folder, task))
        files = (folder / "predictions/test.beam5.jsonl", folder / "predictions/test.beam10.jsonl")
        theirs = recompute(benchmark, "test", *files)
        assert ours.top1.value == pytest.approx(theirs["top1"])
        assert ours.top10.value == pytest.approx(theirs["top10"])
        assert ours.bleu.value == pytest.approx(theirs["bleu"])


def test_signatures_name_everything_that_matters(benchmark: Path, runs: dict[str, Path]) -> None:
    task = open_task(benchmark)
    found = score(open_system(runs["hat-f5"], task))
    assert found.narrow.beam == "5"
    assert found.wide.beam == "10"
    for part in (task.benchmark[:12], "split:test", f"examples:{TEST}", "input:+F.5", "beam:5", "length-rule:log p"):
        assert part in str(found.narrow)
    assert "well-formed:joint inference" in str(found.narrow)
    assert "version:" in str(found.narrow)


def test_a_strangers_file_scores_and_says_what_is_not_stated(benchmark: Path, tmp_path: Path) -> None:
    task = open_task(benchmark)
    path = tmp_path / "mine.txt"
    path.write_text("".join(f"{reference}\nFREE x\n" for reference in task.references))
    found = score(open_system(path, task))
    assert (found.top1.value, found.top10.value, found.bleu.value) == (100, 100, pytest.approx(100))
    assert found.narrow.beam == "not stated (2-best)"
    assert found.narrow.input == "not stated"


def test_references_are_well_formed_and_damaged_ones_are_not(benchmark: Path, tmp_path: Path) -> None:
    task = open_task(benchmark)
    whole, damaged = tmp_path / "whole.txt", tmp_path / "damaged.txt"
    whole.write_text("".join(f"{reference}\n" for reference in task.references))
    # The first one is whole: of a file in which nothing can be read no score is given.
    damaged.write_text("".join(f"{text}{' )' if n else ''}\n" for n, text in enumerate(task.references)))
    good, bad = score(open_system(whole, task)), score(open_system(damaged, task))
    assert good.well_formed is not None
    assert bad.well_formed is not None
    assert good.well_formed.value > 95
    assert bad.well_formed.value <= 100 / TEST
    assert bad.unreadable == TEST - 1
    assert (good.read, bad.read) == (100, pytest.approx(100 / TEST))


def test_only_ten_answers_count_however_many_there_are(benchmark: Path, tmp_path: Path) -> None:
    task = open_task(benchmark)
    path = tmp_path / "wide.jsonl"
    lists = [["FREE x"] * (9 + place % 2) + [reference] for place, reference in enumerate(task.references)]
    write_predictions(path, list(task.examples), lists, {})
    found = score(open_system(path, task))
    assert (found.top1.value, found.top10.value) == (0, 50)


def test_predictions_for_other_data_are_refused(benchmark: Path, tmp_path: Path) -> None:
    task = open_task(benchmark)
    path = tmp_path / "p.jsonl"
    for meta, complaint in (
        ({"benchmark": "0" * 64}, "made for benchmark"),
        ({"split": "validation"}, "made for split"),
    ):
        write_predictions(path, list(task.examples), [[r] for r in task.references], meta)
        with pytest.raises(UserError, match=complaint):
            open_system(path, task)
        path.write_text('{"id": "000000000000", "predictions": []}\n')  # nor are their ids those of this split
        with pytest.raises(UserError, match=complaint):
            open_system(path, task)


def test_a_limit_scores_the_first_examples_of_a_full_file(benchmark: Path, runs: dict[str, Path]) -> None:
    task = open_task(benchmark, limit=10)
    found = score(open_system(runs["hat"], task))
    assert found.narrow.examples == 10


def test_comparison_is_symmetric_and_sees_a_large_difference(benchmark: Path, runs: dict[str, Path]) -> None:
    task = open_task(benchmark)
    good, poor = open_system(runs["hat-f5"], task), open_system(runs["hat-plain"], task)
    assert compare(good, poor).top1 == pytest.approx(compare(poor, good).top1)
    assert compare(good, poor).top1 < 0.001
    assert compare(good, good).bleu == 1.0


def test_command_prints_a_table_and_json(
    benchmark: Path, runs: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["evaluate", str(runs["hat"]), str(runs["transformer"]), "--benchmark", str(benchmark)]
    assert run([*arguments, "--breakdowns"]) == 0
    text = capsys.readouterr().out
    for expected in ("top-1", "BLEU", "bench:", "Top-1 by length of the source", "What wrong first answers look like"):
        assert expected in text
    assert run([*arguments, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [system["system"] for system in document["systems"]] == ["hat", "transformer"]
    assert 0 <= document["comparisons"][0]["p"]["top1"] <= 1


def test_command_refuses_in_one_line(benchmark: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "short.txt").write_text("FREE x\n" * 7)
    assert run(["evaluate", str(tmp_path / "short.txt"), "--benchmark", str(benchmark)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "7 lines" in error


def test_the_main_table_of_a_part_of_a_split(benchmark: Path, runs: dict[str, Path]) -> None:
    table = main_table([score(open_system(runs["hat"], open_task(benchmark, limit=20)))])
    assert table.rows[0][0] == "hat"
    assert "20 examples" in table.title


def test_a_model_answers_before_it_is_scored(
    benchmark: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import torch

    from isarstep.benchmark.store.store import Benchmark
    from isarstep.model.nets import ModelConfig, build_model
    from isarstep.model.nets.checkpoint import About, write_model

    opened = Benchmark(benchmark)
    torch.set_num_threads(1)  # two threads that wait for each other are slow on a busy machine
    torch.manual_seed(0)
    model = build_model(ModelConfig("hat", len(opened.vocabulary), "tiny", input="+F.5")).eval()
    write_model(model, About(opened.hash, tuple(opened.vocabulary), {}), tmp_path)
    system = open_system(tmp_path, open_task(benchmark, limit=1))
    assert capsys.readouterr().out == ""  # a bar in the output would spoil --json
    assert min(system.narrow.width, system.wide.width) >= 1
    found = score(system)
    assert (found.narrow.beam, found.wide.beam, found.narrow.input) == ("5", "10", "+F.5")
    assert found.top1.value == 0
