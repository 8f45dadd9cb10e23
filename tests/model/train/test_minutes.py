"""Minutes are a promise, whatever validation costs; and processes of one run end together. Time passes here only when
steps are made and examples validated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.model.train.test_loop import dataset, tiny

from isarstep.benchmark.arrays.corpus import Corpus
from isarstep.model.train import loop
from isarstep.model.train.loop import TrainingRun, ValidationPlan, train
from isarstep.model.train.process_group import Processes
from isarstep.model.train.recipe_files import modern
from isarstep.model.train.validation import Validation


class Time:
    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Time:
    """A step takes ten seconds, a validated example takes four."""
    clock = Time()
    one_step = TrainingRun.one_step

    def step(self: TrainingRun, *arguments: Any) -> torch.Tensor:
        clock.now += 10
        return one_step(self, *arguments)

    def validate(_: object, corpus: Corpus, __: object) -> Validation:
        clock.now += 4 * len(corpus)
        return Validation(1.0, 2.0, 0.0)

    monkeypatch.setattr(loop, "time", clock)
    monkeypatch.setattr(TrainingRun, "one_step", step)
    monkeypatch.setattr(loop, "validate", validate)
    return clock


def test_two_minutes_become_seven_because_of_validation(tmp_path: Path, clock: Time) -> None:
    recipe = modern(minutes=10, batch=512, warmup=2)
    began = clock.now
    train(dataset(), tiny(), recipe, tmp_path, device="cpu", validating=ValidationPlan(20, 1000), quiet=True)
    assert clock.now - began <= 600
    assert clock.now - began >= 400
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert "validation_bleu" in lines[-1]  # a score at the end
    assert max(line["step"] for line in lines) > 20


def test_data_that_took_all_of_the_time(tmp_path: Path, clock: Time) -> None:
    """There is a model all the same, after one step."""
    recipe = modern(minutes=1, batch=512, warmup=2)
    late = clock.now - 3600
    train(dataset(), tiny(), recipe, tmp_path, device="cpu", validating=ValidationPlan(2, 8), quiet=True, began=late)
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert {line["step"] for line in lines} == {1}
    assert "validation_bleu" in lines[-1]


def test_processes_end_by_their_own_clocks_and_hang(
    tmp_path: Path, clock: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first process's clock says that a fifth is done at each step; ours says that all of it is."""
    told = iter([1, 0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    monkeypatch.setattr(Processes, "agree", lambda *_: next(told))
    recipe = modern(minutes=0.01, batch=512, warmup=2)
    train(dataset(), tiny(), recipe, tmp_path, device="cpu", validating=ValidationPlan(1, 8), quiet=True)
    assert next(told, None) is None
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert max(line["step"] for line in lines) == 5
