"""Scores of additive attention on a GPU, forward and backward, in Triton: sum over channels of w tanh(q + k).

The block of B x U x L x D cells that the formula goes through is larger than all weights together and never made: a
program keeps a tile of U x L scores in registers and goes over the channels, for which queries and keys lie with their
channels outermost. With r = 1 / (1 + e^2x), tanh x = 1 - 2r and its derivative is 4r(1 - r).
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
    q_BDU, k_BDL, w_D, d_scores_BUL, d_q_BDU, d_k_BDL, d_w_PD, U, L, twice,
    D: tl.constexpr, TILE_U: tl.constexpr, TILE_L: tl.constexpr,
):  # fmt: skip
    """A tile's part of every gradient; those of queries and keys are added up where they lie."""
    sentence = tl.program_id(0).to(tl.int64)
    program = (sentence * tl.num_programs(1) + tl.program_id(1)) * tl.num_programs(2) + tl.program_id(2)
    u = tl.program_id(1) * TILE_U + tl.arange(0, TILE_U)
    l = tl.program_id(2) * TILE_L + tl.arange(0, TILE_L)  # noqa: E741
    inside = (u < U)[:, None] & (l < L)[None, :]
    place = (sentence * U + u)[:, None] * L + l[None, :]
    d_score = tl.load(d_scores_BUL + place, mask=inside, other=0).to(tl.float32)
    for d in range(D):
        at_u, at_l = (sentence * D + d) * U + u, (sentence * D + d) * L + l
        q = tl.load(q_BDU + at_u, mask=u < U, other=0).to(tl.float32) * twice
        k = tl.load(k_BDL + at_l, mask=l < L, other=0).to(tl.float32) * twice
        w = tl.load(w_D + d).to(tl.float32)
        r = 1 / (1 + tl.exp2(q[:, None] + k[None, :]))
        part = d_score * (4 * w * r * (1 - r))
        tl.atomic_add(d_q_BDU + at_u, tl.sum(part, 1), mask=u < U, sem="relaxed")
        tl.atomic_add(d_k_BDL + at_l, tl.sum(part, 0), mask=l < L, sem="relaxed")
        tl.store(d_w_PD + program * D + d, tl.sum(tl.sum(d_score * (1 - 2 * r), 1), 0))


def tiles_of(q_BUD: Tensor, k_BLD: Tensor) -> tuple[int, int, int]:
    return q_BUD.shape[0], triton.cdiv(q_BUD.shape[1], TILE_U), triton.cdiv(k_BLD.shape[1], TILE_L)


@torch.library.custom_op("isarstep::additive_scores", mutates_args=())
def additive_scores(q_BUD: Tensor, k_BLD: Tensor, w_D: Tensor) -> Tensor:
    """B x U x D and B x L x D to B x U x L, in single precision."""
    scores_BUL = q_BUD.new_empty(*q_BUD.shape[:2], k_BLD.shape[1], dtype=torch.float32)
    q_BDU, k_BDL = q_BUD.transpose(1, 2).contiguous(), k_BLD.transpose(1, 2).contiguous()
    scores_kernel[tiles_of(q_BUD, k_BLD)](
        q_BDU, k_BDL, w_D, scores_BUL, *scores_BUL.shape[1:], TWICE_LOG2_E, len(w_D), TILE_U, TILE_L, num_warps=WARPS
    )
    return scores_BUL


@torch.library.custom_op("isarstep::additive_scores_backward", mutates_args=())
def additive_scores_backward(
    q_BUD: Tensor, k_BLD: Tensor, w_D: Tensor, d_scores_BUL: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    q_BDU, k_BDL = q_BUD.transpose(1, 2).contiguous(), k_BLD.transpose(1, 2).contiguous()
    d_q_BDU, d_k_BDL = (torch.zeros_like(x, dtype=torch.float32) for x in (q_BDU, k_BDL))
    grid = tiles_of(q_BUD, k_BLD)
    d_w_PD = torch.empty(grid[0] * grid[1] * grid[2], len(w_D), dtype=torch.float32, device=w_D.device)
    score_gradients_kernel[grid](
        q_BDU, k_BDL, w_D, d_scores_BUL.contiguous(), d_q_BDU, d_k_BDL, d_w_PD,
        *d_scores_BUL.shape[1:], TWICE_LOG2_E, len(w_D), TILE_U, TILE_L, num_warps=WARPS,
    )  # fmt: skip
    d_q, d_k = (d.transpose(1, 2).to(x.dtype) for d, x in ((d_q_BDU, q_BUD), (d_k_BDL, k_BLD)))
    return d_q.contiguous(), d_k.contiguous(), d_w_PD.sum(0).to(w_D.dtype)


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
