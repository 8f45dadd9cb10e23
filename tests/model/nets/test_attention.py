"""The fast attention paths agree with the formula written out."""

import pytest
import torch
from tests.model.data.segments import segments_of
from tests.model.nets.plain_attention import attend_naively

from isarstep.benchmark.arrays.inputs import Segments
from isarstep.model.data.padding import pad, unpad
from isarstep.model.nets.attention import attend_flash, attend_padded


def random_case(seed: int, causal: bool, device: str = "cpu") -> tuple[torch.Tensor, ...]:
    generator = torch.Generator().manual_seed(seed)
    lengths = torch.randint(1, 40, (7,), generator=generator).tolist()
    other = lengths if causal else torch.randint(1, 60, (7,), generator=generator).tolist()
    q = torch.randn(sum(lengths), 4, 16, generator=generator)
    k = torch.randn(sum(other), 4, 16, generator=generator)
    v = torch.randn(sum(other), 4, 16, generator=generator)
    return q.to(device), k.to(device), v.to(device), segments_of(lengths), segments_of(other)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_padded_attention_agrees_with_the_formula(seed: int, causal: bool) -> None:
    case = random_case(seed, causal)
    torch.testing.assert_close(attend_padded(*case, causal), attend_naively(*case, causal), atol=1e-5, rtol=1e-5)


def test_an_empty_segment_leaves_gradients_finite() -> None:
    q, k, v = (torch.randn(5, 2, 8, requires_grad=True) for _ in range(3))
    segments = Segments(torch.tensor([0, 3, 3, 5], dtype=torch.int32), 3)
    attend_padded(q, k, v, segments, segments, causal=False).sum().backward()
    assert all(x.grad is not None and x.grad.isfinite().all() for x in (q, k, v))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="flash attention needs a GPU")
@pytest.mark.parametrize("causal", [False, True])
def test_flash_attention_agrees_with_the_formula(causal: bool) -> None:
    q, k, v, queries, keys = random_case(0, causal, "cuda")
    queries, keys = (Segments(s.starts.cuda(), s.longest) for s in (queries, keys))
    fast = attend_flash(q.bfloat16(), k.bfloat16(), v.bfloat16(), queries, keys, causal)
    plain = attend_naively(q, k, v, queries, keys, causal)
    assert (fast.float() - plain).norm() / plain.norm() < 1e-2


def test_pad_and_unpad_are_inverse() -> None:
    segments = segments_of([3, 1, 4])
    x = torch.randn(8, 5)
    padded, valid = pad(x, segments)
    assert padded.shape == (3, 4, 5)
    assert valid.sum() == 8
    torch.testing.assert_close(unpad(padded, segments, len(x)), x)


def test_what_pads_hands_back_the_gradient_of_real_cells_only() -> None:
    segments = segments_of([3, 1, 4])
    x_SD = torch.randn(8, 2, dtype=torch.double, requires_grad=True)
    weight_NLD = torch.randn(3, 4, 2, dtype=torch.double)
    (gradient,) = torch.autograd.grad((pad(x_SD, segments)[0] * weight_NLD).sum(), x_SD)
    rows = [weight_NLD[n, place] for n, length in enumerate([3, 1, 4]) for place in range(length)]
    torch.testing.assert_close(gradient, torch.stack(rows))
    block_NLD = torch.randn(3, 4, 2, dtype=torch.double, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: unpad(x, segments, 8), block_NLD)
    assert torch.autograd.gradcheck(lambda x: pad(x, segments)[0], x_SD)
