"""A tiny model learns a synthetic task; interruption and more processes change nothing."""

import json
import os
import socket
import subprocess
import sys
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
import torch
from tests.waiting import until

from isarstep.benchmark.arrays.corpus import Corpus, Dataset, NumberedExample
from isarstep.benchmark.arrays.files import load_dataset
from isarstep.benchmark.store.special_tokens import SPECIALS
from isarstep.common.errors import UserError
from isarstep.model.data.constants import opened
from isarstep.model.nets import ModelConfig
from isarstep.model.nets.checkpoint import load_model
from isarstep.model.nets.config import Kind, Style
from isarstep.model.nets.folders import open_folder
from isarstep.model.train.loop import TrainingRun, ValidationPlan, train
from isarstep.model.train.loss import SmoothedLoss
from isarstep.model.train.process_group import Processes
from isarstep.model.train.recipe_files import RunRecipe, modern, paper
from isarstep.model.train.validation import Validation

VOCABULARY = (*SPECIALS, *(f"w{i}" for i in range(12)))


def swap_task(count: int, seed: int) -> Corpus:
    """The target is the consequence with its halves exchanged, then the shortest premise: order, category and
    copying."""
    rng = np.random.default_rng(seed)

    def proposition(low: int, high: int) -> list[int]:
        return rng.integers(9, len(VOCABULARY), rng.integers(low, high)).tolist()

    def example() -> NumberedExample:
        consequence, premise = proposition(2, 5), proposition(1, 3)
        half = len(consequence) // 2
        target = consequence[half:] + consequence[:half] + premise
        return NumberedExample([(3, consequence), (2, premise), (4, proposition(1, 3))], target)

    return Corpus.of_examples(example() for _ in range(count))


def dataset(count: int = 64) -> Dataset:
    return Dataset({"train": swap_task(count, 0), "validation": swap_task(min(count, 100), 1)}, VOCABULARY, "swap")


def tiny(kind: Kind = "hat", style: Style = "paper", dropout: float = 0.1) -> ModelConfig:
    return ModelConfig(kind, len(VOCABULARY), "tiny", style, dropout)


def losses(folder: Path) -> list[float]:
    lines = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    return [line["loss"] for line in lines if "loss" in line]


def test_constants_that_were_never_seen_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tiny model learns the task on known constants of which some are under numbers, and is asked with others: only
    their places can tell."""
    monkeypatch.setattr("isarstep.model.train.constant_numbers.COMMON", 0)
    strange = tuple(f"v{i}" for i in range(12))
    splits = dict(dataset(3_000).splits)
    validation = splits["validation"]
    splits["validation"] = replace(validation, tokens=validation.tokens + len(strange))
    data = opened(Dataset(splits, VOCABULARY, "swap", strange), 8)
    config = replace(tiny(style="modern", dropout=0.0), vocabulary=len(data.vocabulary))
    recipe = modern(steps=200, batch=512, warmup=20, rate=1.2e-2, smoothing=0.0, number_constants=1.0)
    plan = ValidationPlan(looks=1, examples=100)
    train(data, config, recipe, tmp_path, device="cpu", validating=plan, quiet=True)
    last = json.loads((tmp_path / "log.jsonl").read_text().splitlines()[-1])
    assert last["top1"] >= 0.9
    assert last["validation_bleu"] > 95


def test_further_training_keeps_the_vocabulary_of_an_open_model(tmp_path: Path) -> None:
    recipe, watch = modern(steps=2, batch=512, warmup=1, number_constants=0.5), ValidationPlan(1, 4)
    data = opened(dataset(), 4)
    config = replace(tiny(style="modern"), vocabulary=len(data.vocabulary))
    first = train(data, config, recipe, tmp_path / "a", device="cpu", validating=watch, quiet=True)
    fresh = Dataset(dataset().splits, (*VOCABULARY[:-1], "mine"), "mine")
    under = RunRecipe().data(fresh, tmp_path / "a")
    assert under.vocabulary == data.vocabulary
    assert under.outside == ("mine",)
    again = replace(recipe, steps=1, rate=0.0)
    second = train(
        under, config, again, tmp_path / "b", device="cpu", start_from=tmp_path / "a", validating=watch, quiet=True
    )
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True))
    before, after = (open_folder(tmp_path / name).about.training for name in "ab")
    assert after["before"] == before


@pytest.mark.parametrize("style", [pytest.param("paper", marks=pytest.mark.slow), "modern"])
def test_a_resumed_run_is_the_same_run(tmp_path: Path, style: Style, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = (paper if style == "paper" else modern)(steps=6, batch=512, accumulate=2, warmup=3)
    config, watch = tiny(style=style), ValidationPlan(looks=3, examples=4)
    monkeypatch.setattr("isarstep.model.train.loop.LOG_EVERY", 1)
    whole = train(dataset(), config, recipe, tmp_path / "whole", device="cpu", validating=watch, quiet=True)

    def killed(*_: object) -> None:
        if (tmp_path / "parts" / "last" / "progress.json").exists():
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("isarstep.model.train.loop.TrainingRun.stop_if_lost", killed)
        with pytest.raises(KeyboardInterrupt):
            train(dataset(), config, recipe, tmp_path / "parts", device="cpu", validating=watch, quiet=True)
    with pytest.raises(UserError, match="holds a run already"):
        train(dataset(), config, recipe, tmp_path / "parts", device="cpu", validating=watch, quiet=True)
    parts = train(
        dataset(), config, recipe, tmp_path / "parts", device="cpu", validating=watch, quiet=True, resume=True
    )
    assert losses(tmp_path / "whole") == losses(tmp_path / "parts")
    assert all(torch.equal(a, b) for a, b in zip(whole.parameters(), parts.parameters(), strict=True))


def test_another_benchmark_cannot_be_resumed(tmp_path: Path) -> None:
    recipe = paper(steps=2, batch=512)
    train(dataset(), tiny(), recipe, tmp_path, device="cpu", validating=ValidationPlan(1, 4), quiet=True)
    other = Dataset(dataset().splits, VOCABULARY, "other")
    with pytest.raises(UserError, match="trained on other data"):
        train(other, tiny(), recipe, tmp_path, device="cpu", quiet=True, resume=True)


def test_a_loss_that_is_not_a_number_stops_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isarstep.model.train.loop.LOG_EVERY", 1)
    with pytest.raises(UserError, match="a lower rate in the recipe"):
        train(dataset(), tiny(), paper(steps=60, batch=512, rate=1e30, warmup=1), tmp_path, device="cpu", quiet=True)


class Clock:
    """Half a second passes whenever somebody looks."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        self.now += 0.5
        return self.now


def test_a_wall_clock_budget_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isarstep.model.train.loop.time", Clock())
    recipe = modern(minutes=0.5, batch=512, warmup=2)
    train(dataset(), tiny(), recipe, tmp_path, device="cpu", validating=ValidationPlan(1, 4), quiet=True)
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert 27 <= lines[-1]["seconds"] <= 30  # and a step and the last validation are within it
    rates = [line["rate"] for line in lines if "rate" in line]
    assert rates[-1] < 0.5 * max(rates)


def training_run(style: Style, folder: Path) -> TrainingRun:
    recipe = (paper if style == "paper" else modern)(steps=3, batch=512, warmup=2)
    group = Processes(0, 1, torch.device("cpu"))
    return TrainingRun(dataset(), tiny(style=style), recipe, folder, group, ValidationPlan(3, 4), "fp32")


class NormNoted:
    """In place of an optimiser: the length of the gradient that it gets."""

    param_groups: ClassVar[list[dict[str, float]]] = []

    def __init__(self, model: torch.nn.Module) -> None:
        self.model = model
        self.norm = 0.0

    def step(self) -> None:
        self.norm = float(
            torch.nn.utils.get_total_norm([p.grad for p in self.model.parameters() if p.grad is not None])
        )

    def zero_grad(self, set_to_none: bool) -> None:
        pass


@pytest.mark.parametrize("style", ["paper", "modern"])
def test_only_the_modern_recipe_cuts_long_gradients(style: Style, tmp_path: Path) -> None:
    run = training_run(style, tmp_path)
    noted = NormNoted(run.model)
    run.optimisers = [noted]  # type: ignore[list-item]
    data = next(run.stream.steps(0, 0))
    # As if a thousandth of the tokens had been written: the gradient of their mean is a thousand times as long.
    run.one_step(run.loss, replace(data, written=data.written / 1000), 1, 1e-3)  # type: ignore[arg-type]
    assert noted.norm == pytest.approx(1.0, rel=1e-3) if style == "modern" else noted.norm > 10


@pytest.mark.parametrize(
    ("bleus", "best"),
    [
        ((10.0, 30.0, 20.0), 2),
        pytest.param((10.0, 30.0, 30.0), 2, marks=pytest.mark.slow),
        pytest.param((1.0, 2.0, 3.0), 3, marks=pytest.mark.slow),
    ],
)
def test_the_best_model_is_kept_not_the_last(
    bleus: tuple[float, ...], best: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[list[torch.Tensor]] = []

    def seen(loss: SmoothedLoss, *_: object) -> Validation:
        looks.append([parameter.detach().clone() for parameter in loss.model.parameters()])
        return Validation(1.0, bleus[len(looks) - 1], 0.0)

    monkeypatch.setattr("isarstep.model.train.loop.validate", seen)
    recipe = modern(steps=3, batch=512, warmup=2)
    model = train(dataset(), tiny(), recipe, tmp_path, device="cpu", validating=ValidationPlan(3, 4), quiet=True)
    assert json.loads((tmp_path / "config.json").read_text())["training"]["best_step"] == best
    kept, _ = load_model(tmp_path)
    for found in (model, kept):
        assert all(torch.equal(a, b) for a, b in zip(found.parameters(), looks[best - 1], strict=True))


def test_a_budget_of_tokens_ends_the_run(tmp_path: Path) -> None:
    recipe = modern(tokens=4000, batch=512, warmup=2)
    train(dataset(), tiny(), recipe, tmp_path, device="cpu", validating=ValidationPlan(1, 4), quiet=True)
    tokens = [json.loads(line).get("tokens") for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    last = max(t for t in tokens if t)
    assert 4000 <= last < 4000 + 1200


@pytest.mark.slow
def test_the_loss_falls_on_embedded_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isarstep.model.train.loop.LOG_EVERY", 10)
    embedded = load_dataset(Path("embedded"))
    chosen = np.linspace(0, len(embedded.split("train")) - 1, 1000).astype(np.int64)
    part = Dataset(
        {
            "train": embedded.split("train").take(chosen).compacted(),
            "validation": embedded.split("validation").take(np.arange(4)).compacted(),
        },
        embedded.vocabulary,
        embedded.benchmark,
    )
    config = ModelConfig("hat", len(embedded.vocabulary), "tiny", "modern", 0.0, dense=True)
    recipe = modern(steps=40, batch=512, warmup=10, rate=1e-2, smoothing=0.0, renumber=0.5)
    train(part, config, recipe, tmp_path, device="cpu", validating=ValidationPlan(looks=1, examples=4), quiet=True)
    curve = losses(tmp_path)
    assert curve[-1] < 0.65 * curve[0]  # the untrained model's
    assert sorted(curve, reverse=True) == curve


def six_steps(folder: Path) -> None:
    recipe = paper(steps=6, batch=512, accumulate=2, warmup=5)
    train(dataset(), tiny(), recipe, folder, device="cpu", validating=ValidationPlan(1, 4), quiet=True)


WORKER = """
import sys
sys.path[:0] = {path!r}
import torch
torch.set_num_threads(1)
from pathlib import Path
import isarstep.model.train.loop
isarstep.model.train.loop.LOG_EVERY = 1
from isarstep.model.nets.config import SIZES
from conftest import SMALLEST
SIZES["tiny"] = SMALLEST
from test_loop import six_steps
six_steps(Path({folder!r}))
"""


@pytest.mark.slow
def test_two_processes_make_the_steps_of_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(folder: Path, **environment: str) -> subprocess.Popen[bytes]:
        script = WORKER.format(path=[str(Path(__file__).parent)], folder=str(folder))
        return subprocess.Popen([sys.executable, "-c", script], env=os.environ | environment)

    workers: list[subprocess.Popen[bytes]] = []
    with socket.socket() as held:
        # As long as we have the port nobody else is given it; the first worker may listen on it all the same.
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        port = str(held.getsockname()[1])
        group = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": "2", "GLOO_SOCKET_IFNAME": "lo"}
        try:
            workers += [start(tmp_path / "two", RANK=str(r), LOCAL_RANK=str(r), **group) for r in range(2)]
            # Whoever lost the other would wait for it long.
            until(lambda: any(worker.poll() for worker in workers) or all(worker.poll() == 0 for worker in workers))
            assert [worker.poll() for worker in workers] == [0, 0]
        finally:
            for worker in workers:
                worker.kill()
                worker.wait()
    monkeypatch.setattr("isarstep.model.train.loop.LOG_EVERY", 1)
    six_steps(tmp_path / "one")
    assert losses(tmp_path / "two") == pytest.approx(losses(tmp_path / "one"), abs=1e-5)
    assert len(losses(tmp_path / "one")) == 6


def test_pretrained_weights_are_taken_over_by_token_name(tmp_path: Path) -> None:
    recipe = paper(steps=2, batch=512)
    first = train(
        dataset(), tiny(), recipe, tmp_path / "first", device="cpu", validating=ValidationPlan(1, 4), quiet=True
    )
    turned = (*SPECIALS, *reversed(VOCABULARY[9:]), "new")
    other = Dataset(dataset().splits, turned, "swap")
    config = ModelConfig("hat", len(turned), "tiny")
    second = train(
        other,
        config,
        paper(steps=1, batch=512, rate=1e-9),
        tmp_path / "second",
        device="cpu",
        start_from=tmp_path / "first",
        validating=ValidationPlan(1, 4),
        quiet=True,
    )
    torch.testing.assert_close(first.token_table[9:], second.token_table[9:-1].flip(0), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("storage", [pytest.param("bf16", marks=pytest.mark.slow), "int8"])
def test_small_storage_keeps_the_weights_nearly(tmp_path: Path, storage: str) -> None:
    train(
        dataset(),
        tiny(),
        paper(steps=1, batch=512),
        tmp_path,
        device="cpu",
        validating=ValidationPlan(1, 4),
        storage=storage,
        quiet=True,
    )  # type: ignore[arg-type]
    small, about = load_model(tmp_path)
    full, _ = load_model(tmp_path / "best")
    assert about.vocabulary == VOCABULARY
    for ours, theirs in zip(small.parameters(), full.parameters(), strict=True):
        assert (ours - theirs).abs().max() <= 0.01 * theirs.abs().max()


@pytest.mark.slow
def test_gradients_that_are_magnified_on_the_way_make_the_same_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isarstep.model.train.loop.LOG_EVERY", 1)
    recipe, group = modern(steps=4, batch=512, accumulate=2, warmup=5), Processes(0, 1, torch.device("cpu"))
    for name, factor in (("plain", 1.0), ("magnified", 1024.0)):
        run = TrainingRun(dataset(), tiny("rnnsearch"), recipe, tmp_path / name, group, ValidationPlan(1, 4), "fp32")
        run.magnified = factor
        run.go(resume=False, start_from=None, quiet=True)
    assert len(losses(tmp_path / "plain")) == 4
    assert losses(tmp_path / "plain") == losses(tmp_path / "magnified")


@pytest.mark.slow
def test_a_flat_transformer_of_the_paper_learns_what_stands_where(tmp_path: Path) -> None:
    """All orders of four tokens, to be turned round: whoever knows what stands there and not where is right once."""
    orders = Corpus.of_examples(NumberedExample([(3, order)], order[::-1]) for order in permutations(range(9, 13)))
    data = Dataset({"train": orders, "validation": orders}, VOCABULARY, "orders")
    config, watching = tiny("transformer", dropout=0.0), ValidationPlan(1, len(orders))
    recipe = paper(steps=250, batch=512, warmup=60, rate=0.3, smoothing=0.0)
    train(data, config, recipe, tmp_path, device="cpu", validating=watching, quiet=True)
    last = json.loads((tmp_path / "log.jsonl").read_text().splitlines()[-1])
    assert last["top1"] >= 0.9
