"""Parts of the paper's layers on a GPU, forward and backward, each in one trip through memory, in Triton: dropout,
residual connection and norm together; and the derivative of a ReLU with that of the bias before it.

What is dropped is decided by `layers.hashed_dropout`'s hash, so that nothing of it has to be kept. Shapes: T rows, D
columns; P programs of a backward pass, each of which leaves its own sum over rows.
"""

from __future__ import annotations

# mypy: disable-error-code="no-untyped-def, untyped-decorator, import-not-found, import-untyped"
from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

ROWS, WARPS = 4, 4  # rows that a program holds at a time
PROGRAMS = 1056  # of a backward pass: 8 for each of 132 multiprocessors
COLUMNS = 512  # of the ReLU's derivative, at a time


@triton.jit
def kept(rows_R, columns_D, D, seeds, threshold):
    first = tl.load(seeds).to(tl.uint32, bitcast=True)
    second = tl.load(seeds + 1).to(tl.uint32, bitcast=True)
    h = (rows_R[:, None] * D + columns_D[None, :]).to(tl.uint32) ^ first
    h = (h ^ (h >> 16)) * 0x7FEB352D
    h = (h ^ (h >> 15)) + second
    h = h * 0x846CA68B
    h = h ^ (h >> 16)
    return (h & 0xFFFFFF) >= threshold


@triton.jit
def norm_forward_kernel(
    x, y, weight, bias, seeds, z, sums, mean, scale, T, D, threshold, growth, eps,
    DROPS: tl.constexpr, R: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    rows_R = tl.program_id(0) * R + tl.arange(0, R)
    columns_D = tl.arange(0, BLOCK)
    inside_R, inside_D = rows_R < T, columns_D < D
    places = rows_R.to(tl.int64)[:, None] * D + columns_D[None, :]
    inside = inside_R[:, None] & inside_D[None, :]
    y_RD = tl.load(y + places, mask=inside, other=0.0).to(tl.float32)
    if DROPS:
        y_RD = tl.where(kept(rows_R, columns_D, D, seeds, threshold), y_RD * growth, 0.0)
    s_RD = tl.load(x + places, mask=inside, other=0.0).to(tl.float32) + y_RD
    # The backward pass sees the rounded sum: take the norm of that one.
    s_RD = s_RD.to(sums.dtype.element_ty)
    tl.store(sums + places, s_RD, mask=inside)
    s_RD = s_RD.to(tl.float32)
    mean_R = tl.sum(s_RD, 1) / D
    apart_RD = tl.where(inside, s_RD - mean_R[:, None], 0.0)
    scale_R = tl.rsqrt(tl.sum(apart_RD * apart_RD, 1) / D + eps)
    weight_D = tl.load(weight + columns_D, mask=inside_D, other=0.0).to(tl.float32)
    bias_D = tl.load(bias + columns_D, mask=inside_D, other=0.0).to(tl.float32)
    z_RD = apart_RD * scale_R[:, None] * weight_D[None, :] + bias_D[None, :]
    tl.store(z + places, z_RD.to(z.dtype.element_ty), mask=inside)
    tl.store(mean + rows_R, mean_R, mask=inside_R)
    tl.store(scale + rows_R, scale_R, mask=inside_R)


@triton.jit
def norm_backward_kernel(
    d_z, sums, mean, scale, weight, seeds, d_x, d_y, partial, T, D, threshold, growth,
    DROPS: tl.constexpr, R: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    columns_D = tl.arange(0, BLOCK)
    inside_D = columns_D < D
    weight_D = tl.load(weight + columns_D, mask=inside_D, other=0.0).to(tl.float32)
    d_weight_RD = tl.zeros([R, BLOCK], tl.float32)
    d_bias_RD = tl.zeros([R, BLOCK], tl.float32)
    for begin in range(tl.program_id(0) * R, T, tl.num_programs(0) * R):
        rows_R = begin + tl.arange(0, R)
        inside_R = rows_R < T
        places = rows_R.to(tl.int64)[:, None] * D + columns_D[None, :]
        inside = inside_R[:, None] & inside_D[None, :]
        d_z_RD = tl.load(d_z + places, mask=inside, other=0.0).to(tl.float32)
        s_RD = tl.load(sums + places, mask=inside, other=0.0).to(tl.float32)
        mean_R = tl.load(mean + rows_R, mask=inside_R, other=0.0)
        scale_R = tl.load(scale + rows_R, mask=inside_R, other=0.0)
        unit_RD = tl.where(inside, (s_RD - mean_R[:, None]) * scale_R[:, None], 0.0)
        d_weight_RD += d_z_RD * unit_RD
        d_bias_RD += d_z_RD
        d_unit_RD = d_z_RD * weight_D[None, :]
        along_R = tl.sum(d_unit_RD * unit_RD, 1) / D
        shift_R = tl.sum(d_unit_RD, 1) / D
        d_s_RD = (d_unit_RD - shift_R[:, None] - unit_RD * along_R[:, None]) * scale_R[:, None]
        tl.store(d_x + places, d_s_RD.to(d_x.dtype.element_ty), mask=inside)
        if DROPS:
            d_s_RD = tl.where(kept(rows_R, columns_D, D, seeds, threshold), d_s_RD * growth, 0.0)
            tl.store(d_y + places, d_s_RD.to(d_y.dtype.element_ty), mask=inside)
    own = partial + tl.program_id(0) * 2 * D + columns_D
    tl.store(own, tl.sum(d_weight_RD, 0), mask=inside_D)
    tl.store(own + D, tl.sum(d_bias_RD, 0), mask=inside_D)


@triton.jit
def relu_backward_kernel(
    d_h, h, d_a, partial, T, D, R: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    columns_D = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside_D = columns_D < D
    sum_RD = tl.zeros([R, BLOCK], tl.float32)
    for begin in range(tl.program_id(0) * R, T, tl.num_programs(0) * R):
        rows_R = begin + tl.arange(0, R)
        places = rows_R.to(tl.int64)[:, None] * D + columns_D[None, :]
        inside = (rows_R < T)[:, None] & inside_D[None, :]
        h_RD = tl.load(h + places, mask=inside, other=0.0)
        d_RD = tl.load(d_h + places, mask=inside, other=0.0)
        d_RD = tl.where(h_RD > 0, d_RD, 0.0)
        tl.store(d_a + places, d_RD, mask=inside)
        sum_RD += d_RD.to(tl.float32)
    tl.store(partial + tl.program_id(0) * D + columns_D, tl.sum(sum_RD, 0), mask=inside_D)


def threshold_of(share: float) -> int:
    return int(share * 2**24)


@torch.library.custom_op("isarstep::residual_norm", mutates_args=())
def residual_norm(
    x: Tensor, y: Tensor, weight: Tensor, bias: Tensor, seeds: Tensor, share: float, eps: float
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """norm(x + dropout(y)); for the backward pass also the sum, its rows' means and one over their deviations."""
    x, y = x.contiguous(), y.contiguous()
    count, width = x.shape
    z, sums = torch.empty_like(x), torch.empty_like(x)
    mean = torch.empty(count, dtype=torch.float32, device=x.device)
    scale = torch.empty_like(mean)
    norm_forward_kernel[(triton.cdiv(count, ROWS),)](
        x, y, weight, bias, seeds, z, sums, mean, scale, count, width, threshold_of(share), 1 / (1 - share), eps,
        share > 0, ROWS, triton.next_power_of_2(width), num_warps=WARPS,
    )  # fmt: skip
    return z, sums, mean, scale


@torch.library.custom_op("isarstep::residual_norm_backward", mutates_args=())
def residual_norm_backward(
    d_z: Tensor, sums: Tensor, mean: Tensor, scale: Tensor, weight: Tensor, seeds: Tensor, share: float
) -> tuple[Tensor, Tensor, Tensor]:
    """The derivatives by x and by y, and 2 x D: those by weight and bias."""
    d_z = d_z.contiguous()
    count, width = sums.shape
    programs = min(PROGRAMS, triton.cdiv(count, ROWS))
    d_x, d_y = torch.empty_like(sums), torch.empty_like(sums)
    partial = torch.empty(programs, 2, width, dtype=torch.float32, device=sums.device)
    norm_backward_kernel[(programs,)](
        d_z, sums, mean, scale, weight, seeds, d_x, d_y, partial, count, width, threshold_of(share), 1 / (1 - share),
        share > 0, ROWS, triton.next_power_of_2(width), num_warps=WARPS,
    )  # fmt: skip
    if not share:
        d_y.copy_(d_x)
    return d_x, d_y, partial.sum(0)


@residual_norm.register_fake
def _(
    x: Tensor, y: Tensor, weight: Tensor, bias: Tensor, seeds: Tensor, share: float, eps: float
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    rows = x.new_empty(x.shape[0], dtype=torch.float32)
    return x.new_empty(x.shape), x.new_empty(x.shape), rows, rows.new_empty(rows.shape)


@residual_norm_backward.register_fake
def _(
    d_z: Tensor, sums: Tensor, mean: Tensor, scale: Tensor, weight: Tensor, seeds: Tensor, share: float
) -> tuple[Tensor, Tensor, Tensor]:
    shape = sums.shape
    return sums.new_empty(shape), sums.new_empty(shape), sums.new_empty(2, shape[1], dtype=torch.float32)


def keep_norm(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    _, _, weight, _, seeds, ctx.share, _ = inputs
    ctx.save_for_backward(*output[1:], weight, seeds)


def norm_gradients(ctx: Any, d_z: Tensor, *_: Tensor) -> tuple[Tensor | None, ...]:
    d_x, d_y, both = residual_norm_backward(d_z, *ctx.saved_tensors, ctx.share)
    d_weight, d_bias = both.unbind(0)
    return d_x, d_y, d_weight, d_bias, None, None, None


residual_norm.register_autograd(norm_gradients, setup_context=keep_norm)


@torch.library.custom_op("isarstep::linear_relu", mutates_args=())
def linear_relu(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """relu(x W' + b), the product's own last stage."""
    return torch._addmm_activation(bias, x, weight.t())


@torch.library.custom_op("isarstep::relu_backward", mutates_args=())
def relu_backward(d_h: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:
    """The derivative by what went into the ReLU, and its sum over rows."""
    d_h = d_h.contiguous()
    count, width = h.shape
    blocks = triton.cdiv(width, COLUMNS)
    programs = min(triton.cdiv(PROGRAMS, blocks), triton.cdiv(count, ROWS))
    d_a = torch.empty_like(h)
    partial = torch.empty(programs, width, dtype=torch.float32, device=h.device)
    relu_backward_kernel[(programs, blocks)](
        d_h, h, d_a, partial, count, width, ROWS, COLUMNS, num_warps=WARPS
    )  # fmt: skip
    return d_a, partial.sum(0).to(h.dtype)


@linear_relu.register_fake
def _(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return x.new_empty(x.shape[0], weight.shape[0])


@relu_backward.register_fake
def _(d_h: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:
    return h.new_empty(h.shape), h.new_empty(h.shape[1])


def keep_relu(ctx: Any, inputs: tuple[Tensor, ...], output: Tensor) -> None:
    ctx.save_for_backward(inputs[0], inputs[1], output)


def relu_gradients(ctx: Any, d_h: Tensor) -> tuple[Tensor, ...]:
    x, weight, h = ctx.saved_tensors
    d_a, d_bias = relu_backward(d_h, h)
    return d_a @ weight, d_a.t() @ x, d_bias


linear_relu.register_autograd(relu_gradients, setup_context=keep_relu)
