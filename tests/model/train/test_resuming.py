"""A run that goes on is the same run; what a kill, a slip or a bad copy leaves behind is said in one line."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from tests.model.train.test_loop import dataset, tiny

from isarstep import cli
from isarstep.common.errors import UserError
from isarstep.common.files import one_writer
from isarstep.model.nets.checkpoint import load_model
from isarstep.model.train.loop import TrainingRun, ValidationPlan, train
from isarstep.model.train.recipe_files import paper, read_recipe
from isarstep.model.train.resuming import saved_run
from isarstep.model.train.run_log import Log
from isarstep.score.runs import RunFolder

RECIPE = paper(steps=2, batch=512)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    train(dataset(), tiny(), RECIPE, folder, device="cpu", validating=ValidationPlan(1, 4), quiet=True)
    return folder


def resume(folder: Path, config=None, recipe=RECIPE) -> None:
    watch = ValidationPlan(1, 4)
    train(dataset(), config or tiny(), recipe, folder, device="cpu", validating=watch, quiet=True, resume=True)


def test_the_run_says_how_it_was_begun(finished: Path) -> None:
    saved = saved_run(finished)
    assert saved is not None
    assert (saved.config, saved.recipe) == (tiny(), RECIPE)
    assert saved.running == {"looks": 1, "storage": "fp32"}
    assert saved_run(finished / "nothing") is None


def test_another_model_or_training_is_refused_in_words(finished: Path) -> None:
    with pytest.raises(UserError, match=r"begun otherwise \(style 'paper', now 'modern'\); leave these options out"):
        resume(finished, tiny(style="modern"))
    with pytest.raises(UserError, match=r"rate 1\.0, now 2\.0; seed 0, now 5"):
        resume(finished, recipe=replace(RECIPE, rate=2.0, seed=5))
    resume(finished, recipe=replace(RECIPE, steps=3))  # longer than planned is the same run


def test_what_is_not_said_is_as_it_was(finished: Path) -> None:
    saved = saved_run(finished)
    assert saved is not None
    default = replace(tiny(), kind="hat", size="base")
    assert saved.asked(default, recipe=None, kind=None, size=None, input=None) == tiny()
    assert saved.asked(default, recipe=None, kind=None, size="base", input=None).size == "base"
    other = read_recipe("modern")
    assert saved.recipe_again(other, None, None, None).training == saved.recipe
    assert saved.recipe_again(other, 9, None, None).training == replace(saved.recipe, steps=9)
    assert saved.recipe_again(other, None, None, None).run.looks == 1


def test_a_log_line_that_was_cut_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"step": 1, "loss": 2.0}\n{"step": 2, "loss": 1.5}\n{"step": 3, "lo')
    assert [line["step"] for line in RunFolder(tmp_path, {}).log()] == [1, 2]
    with Log(path, True, 2, quiet=True):
        pass
    assert [json.loads(line)["step"] for line in path.read_text().splitlines()] == [1, 2]
    path.write_text('{"step": 1}\nnonsense\n{"step": 3}\n')
    with pytest.raises(UserError, match=r"log\.jsonl:2: is not JSON; remove the line"):
        RunFolder(tmp_path, {}).log()


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("progress.json", "", "is not JSON"),
        ("progress.json", "[]", "the document is a list, expected an object"),
        ("progress.json", '{"step": 1', "is not JSON"),
        ("progress.json", '{"step": "1"}', "step is a string, expected a whole number"),
        ("progress.json", '{"step": 1.5}', "step is a number, expected a whole number"),
        ("progress.json", '{"seconds": null}', "seconds is null, expected a number"),
        ("progress.json", '{"seconds": NaN}', "seconds is not a finite number"),
        ("config.json", '{"training": []}', "training is a list, expected an object"),
        ("config.json", '{"training": {"recipe": {"steps": "x"}}}', "training.recipe.steps is a string"),
        ("config.json", '{"kind": "hat", "vocabulary": "x", "training": {"recipe": {}}}', "vocabulary is a string"),
    ],
)
def test_a_damaged_checkpoint_is_one_line(finished: Path, tmp_path: Path, name: str, content: str, said: str) -> None:
    shutil.copytree(finished / "last", tmp_path / "last")
    (tmp_path / "last" / name).write_text(content)
    with pytest.raises(UserError, match=said) as error:
        resume(tmp_path)
    assert name in str(error.value)


def test_one_process_trains_in_a_folder(tmp_path: Path) -> None:
    with one_writer(tmp_path), pytest.raises(UserError, match=f"{tmp_path.name}: process .* is writing here"):
        train(dataset(), tiny(), RECIPE, tmp_path, device="cpu", validating=ValidationPlan(1, 4), quiet=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("harm", ["cut", "changed", "missing"])
def test_a_shard_that_was_harmed_is_one_line(finished: Path, tmp_path: Path, harm: str) -> None:
    for path in finished.iterdir():
        if path.is_file():
            (tmp_path / path.name).write_bytes(path.read_bytes())
    load_model(tmp_path)
    shard = tmp_path / "model.safetensors"
    content = bytearray(shard.read_bytes())
    if harm == "cut":
        shard.write_bytes(content[: len(content) // 2])
    elif harm == "changed":
        content[-5] ^= 1
        shard.write_bytes(content)
    else:
        shard.unlink()
    with pytest.raises(UserError, match=r"model\.safetensors.*copy the folder again") as error:
        load_model(tmp_path)
    assert "\n" not in str(error.value)


def test_a_model_of_before_has_no_hashes(finished: Path, tmp_path: Path) -> None:
    for path in finished.iterdir():
        if path.is_file():
            (tmp_path / path.name).write_bytes(path.read_bytes())
    config = json.loads((tmp_path / "config.json").read_text())
    assert set(config.pop("shards")) == set(config.pop("checksums")) == {"model.safetensors"}
    (tmp_path / "config.json").write_text(json.dumps(config))
    load_model(tmp_path)
    shard = tmp_path / "model.safetensors"
    shard.write_bytes(shard.read_bytes()[:-9])
    with pytest.raises(UserError, match="cannot be read, it was cut off or changed"):
        load_model(tmp_path)


def stopped(*_: object) -> None:
    raise KeyboardInterrupt


def test_who_interrupts_before_the_first_checkpoint_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TrainingRun, "stop_if_lost", stopped)
    with pytest.raises(KeyboardInterrupt, match=r"before the first checkpoint .* holds nothing but the log"):
        train(dataset(), tiny(), RECIPE, tmp_path, device="cpu", validating=ValidationPlan(1, 4), quiet=True)


def test_after_a_checkpoint_its_step_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tell = TrainingRun.validate_and_keep

    def look(run: TrainingRun) -> None:
        tell(run)
        raise KeyboardInterrupt

    monkeypatch.setattr(TrainingRun, "validate_and_keep", look)
    with pytest.raises(KeyboardInterrupt, match=r"after step 2; .*last has step 2, and --resume goes on from there"):
        train(dataset(), tiny(), RECIPE, tmp_path, device="cpu", validating=ValidationPlan(1, 4), quiet=True)


def test_the_command_line_says_it(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt("interrupted after step 7: nothing is kept")

    monkeypatch.setattr("isarstep.benchmark.arrays.files.load_dataset", interrupted)
    assert cli.run(["train", "embedded", "nowhere", "--size", "tiny"]) == 130
    assert capsys.readouterr().err == "isarstep: interrupted after step 7: nothing is kept\n"
