"""Conv2Conv beside a second implementation of fairseq's, and the runs of one change each, on a small benchmark."""

import json
import tarfile
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.score.small import make_benchmark

EXPERIMENTS = Path(__file__).parents[2] / "research" / "experiments"


@pytest.fixture
def conv2conv(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    torch.set_num_threads(1)
    import conv2conv

    return conv2conv


@pytest.fixture
def data(tmp_path: Path, conv2conv):
    from isarstep.benchmark.arrays.files import load_dataset

    return load_dataset(make_benchmark(tmp_path / "benchmark", test=4, validation=4))


def small_batch(conv2conv, data, count: int = 6):
    from isarstep.benchmark.arrays.dense import dense_dataset
    from isarstep.model.data.batches import Packer
    from isarstep.model.data.constants import closed

    dense = dense_dataset(closed(data))
    packer = Packer(dense.split("train"), conv2conv.LAYOUT, torch.device("cpu"))
    return dense, packer.assemble(np.arange(count))


def test_both_implementations_compute_the_same_logits_and_gradients(conv2conv, data) -> None:
    from fconv import FConv, pairs, weights_of

    from isarstep.model.nets.config import ModelConfig
    from isarstep.model.nets.convs2s import ConvS2S
    from isarstep.model.train.loss import SmoothedLoss

    dense, batch = small_batch(conv2conv, data)
    config = ModelConfig("convs2s", len(dense.vocabulary), "tiny", dropout=0.0, dense=True)
    torch.manual_seed(1)
    theirs = FConv(config.vocabulary, 32, 0.0, tied=True).double()
    with torch.no_grad():  # so that norms and directions are told apart
        for _, layer in pairs(theirs):
            layer.g.mul_(torch.rand_like(layer.g) + 0.5)
            layer.b.normal_(std=0.1)
    ours = ConvS2S(config).double()
    ours.load_state_dict(weights_of(theirs))

    hidden = ours(batch.source, batch.target)
    source, is_source, inputs, outputs = conv2conv.padded(batch)
    logits = theirs(source, is_source, inputs)
    assert source.shape[1] > is_source.sum(1).min()  # some rows are padded
    torch.testing.assert_close(logits[outputs >= 0], ours.logits(hidden), rtol=1e-9, atol=1e-9)

    smoothed, nll = SmoothedLoss(ours, 0.1)(batch.source, batch.target)
    loss, other, written = conv2conv.losses(logits, outputs, 0.1)
    assert int(written) == batch.written
    torch.testing.assert_close(torch.stack([loss, other]).float(), torch.stack([smoothed, nll]).float())
    smoothed.backward()
    loss.backward()
    gradients = dict(ours.named_parameters())
    with torch.no_grad():  # what stands in the place of a weight is its gradient
        for p in theirs.parameters():
            p.copy_(p.grad)
    for name, gradient in weights_of(theirs).items():
        near = 1e-5 * float(gradient.abs().max())  # our loss is computed in single precision
        torch.testing.assert_close(gradient, gradients[name].grad, rtol=1e-4, atol=near, msg=name)


def test_the_search_writes_what_an_untied_model_says(conv2conv, data) -> None:
    from fconv import FConv, SearchedFConv

    from isarstep.model.nets.config import ModelConfig

    dense, batch = small_batch(conv2conv, data)
    config = ModelConfig("convs2s", len(dense.vocabulary), "tiny", dropout=0.0, dense=True)
    model = FConv(config.vocabulary, 32, 0.0, tied=False)
    torch.nn.init.normal_(model.output.b)
    searched = SearchedFConv(config, model).eval()
    source, is_source, inputs, outputs = conv2conv.padded(batch)
    wanted = model(source, is_source, inputs)
    torch.testing.assert_close(
        searched.logits(searched(batch.source, batch.target)), wanted[outputs >= 0], atol=1e-4, rtol=1e-4
    )
    state = searched.start(batch.source, 1)
    first = torch.zeros(len(inputs), 1, dtype=torch.long)
    for at in range(3):
        found = searched.logits(searched.step(state, inputs[:, at : at + 1], first))
        torch.testing.assert_close(found[:, 0], wanted[:, at], atol=1e-4, rtol=1e-4)


def test_nesterov_is_fairseqs(conv2conv) -> None:
    """Its lines of `optim/nag.py`, one parameter at a time."""
    torch.manual_seed(0)
    p = torch.nn.Parameter(torch.randn(5))
    flat, rate = conv2conv.Flat(torch.nn.ParameterList([p])), torch.tensor(0.25)
    optimiser = conv2conv.Nesterov(flat, rate)
    value, momentum, before = p.detach().clone(), torch.zeros(5), 0.25
    for lr, size in ((0.25, 3.0), (0.25, 0.01), (0.025, 3.0), (0.025, 0.01)):
        gradient = torch.randn(5) * size
        flat.gradients.copy_(gradient)
        rate.fill_(lr)
        optimiser.step()
        clipped = gradient * min(1.0, 0.1 / (float(gradient.norm()) + 1e-6))
        value.add_(momentum, alpha=0.99 * 0.99 * lr / before).add_(clipped, alpha=-(1 + 0.99) * lr)
        momentum.mul_(0.99 * lr / before).add_(clipped, alpha=-lr)
        before = lr
        torch.testing.assert_close(p.detach(), value)


def test_adam_is_torchs(conv2conv) -> None:
    torch.manual_seed(0)
    p = torch.nn.Parameter(torch.randn(5))
    other = torch.nn.Parameter(p.detach().clone())
    flat, rate = conv2conv.Flat(torch.nn.ParameterList([p])), torch.tensor(0.0)
    ours, theirs = conv2conv.Adam(flat, rate), torch.optim.Adam([other], betas=(0.9, 0.98), eps=1e-9)
    for step in range(1, 6):
        flat.gradients.normal_()
        other.grad = flat.gradients.clone()
        theirs.param_groups[0]["lr"] = 1e-2 / step
        rate.fill_(1e-2 / step)
        ours.step()
        theirs.step()
        torch.testing.assert_close(p.detach(), other.detach())


def test_batches_hold_every_shape_and_no_example_twice(conv2conv) -> None:
    which = np.array([0, 1, 0, 1, 1, 0, 1, 1, 0])
    plan = conv2conv.epoch_plan(which, [2, 3], np.random.default_rng(0))
    assert sorted((shape, len(numbers)) for shape, numbers in plan) == [(0, 2), (0, 2), (1, 3)]
    assert all((which[numbers] == shape).all() for shape, numbers in plan)
    assert len({number for _, numbers in plan for number in numbers.tolist()}) == 7


@pytest.mark.slow
@pytest.mark.parametrize("name", ["updates", "nag", "untied"])
def test_a_variant_leaves_a_run_that_can_be_scored(conv2conv, data, tmp_path: Path, name: str, capsys) -> None:
    from isarstep.benchmark.arrays.files import save_dataset

    save_dataset(data, tmp_path / "arrays.npz")
    out = tmp_path / name
    line = ["train", name, str(tmp_path / "arrays.npz"), str(out), "--size", "tiny", "--steps", "6", "--minutes", "5"]
    assert conv2conv.main([*line, "--looks", "2", "--commit", "abc"]) == 0
    log = [json.loads(each) for each in (out / "log.jsonl").read_text().splitlines()]
    assert [each["step"] for each in log if "validation_loss" in each] == [3, 6]
    assert all(np.isfinite(each["loss"]) for each in log if "loss" in each)
    with tarfile.open(out / "run.tar.xz") as packed:
        names = packed.getnames()
    assert {"config.json", "made.json", "log.jsonl", "predictions/test.beam10.jsonl"} <= {*names}

    from isarstep.cli import run

    capsys.readouterr()
    assert run(["evaluate", str(out), "--benchmark", str(tmp_path / "benchmark"), "--split", "test"]) == 0
    assert name in capsys.readouterr().out


@pytest.mark.slow
def test_curves_of_both_begin_alike(conv2conv, data, tmp_path: Path) -> None:
    from isarstep.benchmark.arrays.files import save_dataset

    save_dataset(data, tmp_path / "arrays.npz")
    line = ["curves", str(tmp_path / "arrays.npz"), str(tmp_path / "out"), "--size", "tiny", "--steps", "5"]
    assert conv2conv.main([*line, "--batch", "512", "--minutes", "5"]) == 0
    rows = [json.loads(each) for each in (tmp_path / "out" / "curves.jsonl").read_text().splitlines()]
    assert [row["step"] for row in rows] == [1, 5]
    for row in rows:
        assert row["ours"] == pytest.approx(row["theirs"], abs=2e-3)
