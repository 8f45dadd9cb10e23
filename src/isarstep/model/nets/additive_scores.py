"""Scores of additive attention on a GPU, forward and backward, in Triton: sum over channels of w tanh(q + k).

The block of B x U x L x D cells that the formula goes through is larger than all weights together and never made: a
program keeps a tile of U x L scores in registers and goes over the channels, for which queries and keys lie with their
channels outermost. Backward it keeps a tile of one side's gradients and goes over the places of the other side, once
for queries and once for keys: tanh is computed twice, but no sum goes across threads and nothing is added atomically.
With r = 1 / (1 + e^2x), tanh x = 1 - 2r and its derivative is 4r(1 - r).
Shapes: B sentences, U target and L source places, D channels.
"""

from __future__ import annotations

# mypy: disable-error-code="no-untyped-def, untyped-decorator, import-not-found, import-untyped"
from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

TILE_U, TILE_L, WARPS = 32, 64, 4
TILE_N, TILE_D = 32, 64  # backward
TWICE_LOG2_E = 2 * 1.4426950408889634  # e^2x = 2^(x times this)


@triton.jit
def scores_kernel(
    q_BDU, k_BDL, w_D, scores_BUL, U, L, twice, D: tl.constexpr, TILE_U: tl.constexpr, TILE_L: tl.constexpr
):
    sentence = tl.program_id(0).to(tl.int64)
    u = tl.program_id(1) * TILE_U + tl.arange(0, TILE_U)
    l = tl.program_id(2) * TILE_L + tl.arange(0, TILE_L)  # noqa: E741
    score = tl.zeros((TILE_U, TILE_L), tl.float32)
    for d in range(D):
        q = tl.load(q_BDU + (sentence * D + d) * U + u, mask=u < U, other=0).to(tl.float32) * twice
        k = tl.load(k_BDL + (sentence * D + d) * L + l, mask=l < L, other=0).to(tl.float32) * twice
        w = tl.load(w_D + d).to(tl.float32)
        r = 1 / (1 + tl.exp2(q[:, None] + k[None, :]))
        score += w - 2 * w * r
    inside = (u < U)[:, None] & (l < L)[None, :]
    tl.store(scores_BUL + (sentence * U + u)[:, None] * L + l[None, :], score, mask=inside)


@triton.jit
def score_gradients_kernel(
    a_BND, b_BMD, w_D, d_BMN, d_a_BND, d_w_PD, N, M, twice, D: tl.constexpr, TILE_N: tl.constexpr, TILE_D: tl.constexpr
):
    """What a tile of one side (N places: of queries, or of keys) gets back from all M places of the other."""
    sentence = tl.program_id(0).to(tl.int64)
    n = tl.program_id(1) * TILE_N + tl.arange(0, TILE_N)
    d = tl.program_id(2) * TILE_D + tl.arange(0, TILE_D)
    place = (sentence * N + n)[:, None] * D + d[None, :]
    inside = (n < N)[:, None] & (d < D)[None, :]
    a = tl.load(a_BND + place, mask=inside, other=0).to(tl.float32) * twice
    of_a = tl.zeros((TILE_N, TILE_D), tl.float32)
    of_w = tl.zeros((TILE_N, TILE_D), tl.float32)
    for m in range(M):
        b = tl.load(b_BMD + (sentence * M + m) * D + d, mask=d < D, other=0).to(tl.float32) * twice
        d_score = tl.load(d_BMN + (sentence * M + m) * N + n, mask=n < N, other=0).to(tl.float32)
        r = 1 / (1 + tl.exp2(a + b[None, :]))
        of_a += d_score[:, None] * (r * (1 - r))
        of_w += d_score[:, None] * (1 - 2 * r)
    w = tl.load(w_D + d, mask=d < D, other=0).to(tl.float32)
    tl.store(d_a_BND + place, of_a * (4 * w)[None, :], mask=inside)
    program = sentence * tl.num_programs(1) + tl.program_id(1)
    tl.store(d_w_PD + program * D + d, tl.sum(of_w, 0), mask=d < D)


@torch.library.custom_op("isarstep::additive_scores", mutates_args=())
def additive_scores(q_BUD: Tensor, k_BLD: Tensor, w_D: Tensor) -> Tensor:
    """B x U x D and B x L x D to B x U x L, in single precision."""
    scores_BUL = q_BUD.new_empty(*q_BUD.shape[:2], k_BLD.shape[1], dtype=torch.float32)
    q_BDU, k_BDL = q_BUD.transpose(1, 2).contiguous(), k_BLD.transpose(1, 2).contiguous()
    grid = (len(q_BUD), triton.cdiv(q_BUD.shape[1], TILE_U), triton.cdiv(k_BLD.shape[1], TILE_L))
    scores_kernel[grid](
        q_BDU, k_BDL, w_D, scores_BUL, *scores_BUL.shape[1:], TWICE_LOG2_E, len(w_D), TILE_U, TILE_L, num_warps=WARPS
    )
    return scores_BUL


@torch.library.custom_op("isarstep::additive_scores_backward", mutates_args=())
def additive_scores_backward(
    q_BUD: Tensor, k_BLD: Tensor, w_D: Tensor, d_scores_BUL: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    d_q_BUD, d_w_D = one_sides_gradients(q_BUD, k_BLD, w_D, d_scores_BUL.transpose(1, 2))
    d_k_BLD, _ = one_sides_gradients(k_BLD, q_BUD, w_D, d_scores_BUL)
    return d_q_BUD, d_k_BLD, d_w_D


def one_sides_gradients(a_BND: Tensor, b_BMD: Tensor, w_D: Tensor, d_BMN: Tensor) -> tuple[Tensor, Tensor]:
    """Of the first argument, and of the weights."""
    a_BND, b_BMD = a_BND.contiguous(), b_BMD.contiguous()
    (sentences, places, channels), others = a_BND.shape, b_BMD.shape[1]
    grid = (sentences, triton.cdiv(places, TILE_N), triton.cdiv(channels, TILE_D))
    d_a_BND = torch.empty_like(a_BND)
    d_w_PD = torch.empty(grid[0] * grid[1], channels, dtype=torch.float32, device=w_D.device)
    score_gradients_kernel[grid](
        a_BND, b_BMD, w_D, d_BMN.contiguous(), d_a_BND, d_w_PD,
        places, others, TWICE_LOG2_E, channels, TILE_N, TILE_D, num_warps=WARPS,
    )  # fmt: skip
    return d_a_BND, d_w_PD.sum(0).to(w_D.dtype)


@additive_scores.register_fake
def _(q_BUD: Tensor, k_BLD: Tensor, w_D: Tensor) -> Tensor:
    return q_BUD.new_empty(*q_BUD.shape[:2], k_BLD.shape[1], dtype=torch.float32)


@additive_scores_backward.register_fake
def _(q_BUD: Tensor, k_BLD: Tensor, w_D: Tensor, d_scores_BUL: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return q_BUD.new_empty(q_BUD.shape), k_BLD.new_empty(k_BLD.shape), w_D.new_empty(w_D.shape)


def keep_scored(ctx: Any, inputs: tuple[Tensor, ...], output: Tensor) -> None:
    ctx.save_for_backward(*inputs)


def scored_gradients(ctx: Any, d_scores_BUL: Tensor) -> tuple[Tensor, ...]:
    return additive_scores_backward(*ctx.saved_tensors, d_scores_BUL)


additive_scores.register_autograd(scored_gradients, setup_context=keep_scored)
