"""The GPU's own kernels agree with the plain paths: on a GPU, or else in Triton's interpreter, where Triton is there."""

import os

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from tests.model.data.segments import segments_of
from tests.model.nets.plain_attention import attend_naively

from isarstep.benchmark.arrays.inputs import Segments
from isarstep.model.nets.attention import attend_few
from isarstep.model.nets.layers import hashed_dropout

if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"  # before Triton is imported
pytest.importorskip("triton", reason="Triton is not installed: kernels for a GPU cannot be tried, even interpreted")
if not torch.cuda.is_available() and np.lib.NumpyVersion(np.__version__) >= "2.4.0":
    # Triton 3.6 reads the ends of its loops from arrays of one element, as numbers.
    pytest.skip("Triton's interpreter wants NumPy 2.3, and there is no GPU", allow_module_level=True)

from isarstep.model.nets import additive_scores, fused_layers, packed_attention, step_kernels

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def assert_close(one: torch.Tensor, other: torch.Tensor) -> None:
    torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-5)


# Shorter and longer than a tile, one alone, and an empty one at the end, as filling leaves them.
LENGTHS = [3, 70, 1, 30, 25, 130, 9, 0]
OTHERS = [40, 1, 66, 7, 100, 3, 50, 0]


def segments(lengths: list[int]) -> Segments:
    made = segments_of(lengths)
    return Segments(made.starts.to(DEVICE), made.longest)


@pytest.mark.parametrize("causal", [False, True])
def test_packed_self_attention_agrees_with_the_formula(causal: bool) -> None:
    torch.manual_seed(0)
    rows, count = segments(LENGTHS), sum(LENGTHS)
    qkv = torch.randn(count, 3, 2, 64, device=DEVICE, requires_grad=True)
    spans = packed_attention.spans_of(rows, rows, count, count, causal)
    fast, _ = packed_attention.attend_self(qkv, *spans)
    q, k, v = qkv.unbind(1)
    plain = attend_naively(q, k, v, rows, rows, causal)
    assert_close(fast, plain)
    weights = torch.randn_like(fast)
    (ours,) = torch.autograd.grad((fast * weights).sum(), qkv)
    (theirs,) = torch.autograd.grad((plain * weights).sum(), qkv)
    assert_close(ours, theirs)


def test_packed_cross_attention_agrees_with_the_formula() -> None:
    torch.manual_seed(1)
    targets, sources = segments(LENGTHS), segments(OTHERS)
    q = torch.randn(sum(LENGTHS), 2, 64, device=DEVICE, requires_grad=True)
    kv = torch.randn(sum(OTHERS), 2, 2, 64, device=DEVICE, requires_grad=True)
    spans = packed_attention.spans_of(targets, sources, sum(LENGTHS), sum(OTHERS), causal=False)
    fast, _ = packed_attention.attend_cross(q, kv, *spans)
    k, v = kv.unbind(1)
    plain = attend_naively(q, k, v, targets, sources, False)
    assert_close(fast, plain)
    weights = torch.randn_like(fast)
    ours = torch.autograd.grad((fast * weights).sum(), (q, kv))
    theirs = torch.autograd.grad((plain * weights).sum(), (q, kv))
    for one, other in zip(ours, theirs, strict=True):
        assert_close(one, other)


@pytest.mark.parametrize(("places", "sources", "width"), [(40, 70, 24), (1, 64, 64), (33, 3, 72)])
def test_additive_scores_agree_with_the_formula(places: int, sources: int, width: int) -> None:
    torch.manual_seed(3)
    q = torch.randn(2, places, width, device=DEVICE, requires_grad=True)
    k = torch.randn(2, sources, width, device=DEVICE, requires_grad=True)
    w = torch.randn(width, device=DEVICE, requires_grad=True)
    fast = additive_scores.additive_scores(q, k, w)
    plain = ((q[:, :, None] + k[:, None]).tanh() * w).sum(-1)
    assert_close(fast, plain)
    weights = torch.randn_like(fast)
    ours = torch.autograd.grad((fast * weights).sum(), (q, k, w))
    theirs = torch.autograd.grad((plain * weights).sum(), (q, k, w))
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize(("beams", "slots"), [(10, 130), (1, 20), (20, 77)])
def test_attention_of_a_step_agrees_with_the_plain_one(beams: int, slots: int) -> None:
    torch.manual_seed(2)
    q = torch.randn(3, beams, 3, 2, 64, device=DEVICE)[:, :, 0].transpose(1, 2)
    k, v = (torch.randn(3, 2, slots + 30, 64, device=DEVICE)[:, :, :slots] for _ in range(2))
    allowed = torch.rand(3, 1, beams, slots, device=DEVICE) < 0.3
    allowed[..., 7] = True
    assert_close(step_kernels.attend_slots(q, k, v, allowed), attend_few(q, k, v, allowed))
    # Over the source: one mask for all hypotheses, and keys that lie by token.
    k, v = (torch.randn(3, slots, 2, 64, device=DEVICE).transpose(1, 2) for _ in range(2))
    allowed = allowed[:, :, :1]
    assert_close(step_kernels.attend_slots(q, k, v, allowed), attend_few(q, k, v, allowed))


def test_selection_agrees_with_topk() -> None:
    torch.manual_seed(3)
    scores = torch.randn(7, 3000, device=DEVICE)
    norm, best, places = step_kernels.select(scores, 20)
    assert_close(norm, scores.logsumexp(-1))
    expected = scores.topk(20)
    assert torch.equal(best, expected.values)
    assert torch.equal(places, expected.indices)

    column = torch.randint(0, 50, (3000,), device=DEVICE, dtype=torch.int32)
    forbidden = torch.rand(7, 50, device=DEVICE) < 0.5
    norm, best, places = step_kernels.select(scores, 20, forbidden, column)
    assert_close(norm, scores.logsumexp(-1))
    expected = scores.masked_fill(forbidden[:, column.long()], -torch.inf).topk(20)
    assert torch.equal(best, expected.values)
    assert torch.equal(places, expected.indices)


@pytest.mark.parametrize(("width", "share"), [(512, 0.1), (384, 0.1), (64, 0.0)])
def test_residual_norm_agrees_with_its_parts(width: int, share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fused_layers, "PROGRAMS", 3)  # so that each goes over several tiles of rows
    torch.manual_seed(4)
    x, y = (torch.randn(37, width, device=DEVICE, requires_grad=True) for _ in range(2))
    weight, bias = (torch.randn(width, device=DEVICE, requires_grad=True) for _ in range(2))
    seeds = torch.tensor([123456789, -987654321], dtype=torch.int32, device=DEVICE)
    fast = fused_layers.residual_norm(x, y, weight, bias, seeds, share, 1e-5)[0]
    dropped = hashed_dropout(y, share, seeds) if share else y
    plain = F.layer_norm(x + dropped, (width,), weight, bias, 1e-5)
    assert_close(fast, plain)
    weights = torch.randn_like(fast)
    ours = torch.autograd.grad((fast * weights).sum(), (x, y, weight, bias))
    theirs = torch.autograd.grad((plain * weights).sum(), (x, y, weight, bias))
    for one, other in zip(ours, theirs, strict=True):
        assert_close(one, other)


def test_linear_relu_agrees_with_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fused_layers, "PROGRAMS", 6)
    torch.manual_seed(5)
    x = torch.randn(37, 64, device=DEVICE, requires_grad=True)
    weight = torch.randn(1100, 64, device=DEVICE, requires_grad=True)
    bias = torch.randn(1100, device=DEVICE, requires_grad=True)
    fast, plain = fused_layers.linear_relu(x, weight, bias), F.relu(F.linear(x, weight, bias))
    assert_close(fast, plain)
    weights = torch.randn_like(fast)
    ours = torch.autograd.grad((fast * weights).sum(), (x, weight, bias))
    theirs = torch.autograd.grad((plain * weights).sum(), (x, weight, bias))
    for one, other in zip(ours, theirs, strict=True):
        assert_close(one, other)
