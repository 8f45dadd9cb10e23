"""What one step of a beam search asks of a GPU besides matrix products, in Triton: one kernel for attention to the past
or to the source, and one that sums, masks and sorts a row of scores. Each replaces about eight that go through memory.
Shapes: B sentences, H heads, K hypotheses, M slots, C channels; R rows of V scores, F columns of a table of masks.
"""

from __future__ import annotations

# mypy: disable-error-code="no-untyped-def, untyped-decorator, import-not-found, import-untyped"
import torch
import triton
import triton.language as tl
from torch import Tensor

HYPOTHESES = 16  # of one program; the smallest tile that matrix units take
SLOTS = 64  # of the past, at a time


@triton.jit
def attention_kernel(
    q, k, v, allowed, out, K, M, H, q_B, q_H, q_K, kv_B, kv_H, kv_M, allowed_B, allowed_K, scale,
    C: tl.constexpr, Q: tl.constexpr, N: tl.constexpr,
):  # fmt: skip
    sentence = (tl.program_id(0) // H).to(tl.int64)
    head = tl.program_id(0) % H
    rows_Q = tl.program_id(1) * Q + tl.arange(0, Q)
    inside_Q = rows_Q < K
    channels_C = tl.arange(0, C)
    q_places = sentence * q_B + head * q_H + rows_Q[:, None] * q_K + channels_C[None, :]
    q_QC = tl.load(q + q_places, mask=inside_Q[:, None], other=0.0)
    kv_begin = sentence * kv_B + head * kv_H
    highest_Q = tl.full([Q], -1e30, tl.float32)
    total_Q = tl.zeros([Q], tl.float32)
    sum_QC = tl.zeros([Q, C], tl.float32)
    for at in range(0, M, N):
        slots_N = at + tl.arange(0, N)
        inside_N = slots_N < M
        places = kv_begin + slots_N[:, None] * kv_M + channels_C[None, :]
        k_NC = tl.load(k + places, mask=inside_N[:, None], other=0.0)
        v_NC = tl.load(v + places, mask=inside_N[:, None], other=0.0)
        seen_QN = tl.load(
            allowed + sentence * allowed_B + rows_Q[:, None] * allowed_K + slots_N[None, :],
            mask=inside_Q[:, None] & inside_N[None, :],
            other=0,
        )
        scores_QN = tl.dot(q_QC, tl.trans(k_NC), input_precision="ieee") * scale
        scores_QN = tl.where(seen_QN != 0, scores_QN, -1e30)  # not -inf: nothing may be seen yet
        higher_Q = tl.maximum(highest_Q, tl.max(scores_QN, 1))
        weights_QN = tl.exp2(scores_QN - higher_Q[:, None])
        fade_Q = tl.exp2(highest_Q - higher_Q)
        total_Q = total_Q * fade_Q + tl.sum(weights_QN, 1)
        sum_QC = tl.dot(weights_QN.to(v_NC.dtype), v_NC, sum_QC * fade_Q[:, None], input_precision="ieee")
        highest_Q = higher_Q
    out_places = ((sentence * K + rows_Q[:, None]) * H + head) * C + channels_C[None, :]
    tl.store(out + out_places, (sum_QC / total_Q[:, None]).to(out.dtype.element_ty), mask=inside_Q[:, None])


def attend_slots(q_BHKC: Tensor, k_BHMC: Tensor, v_BHMC: Tensor, allowed: Tensor) -> Tensor:
    """As `attention.attend_few`: `allowed` is B x 1 x K x M or B x 1 x 1 x M."""
    batch, heads, beams, channels = q_BHKC.shape
    slots = k_BHMC.shape[2]
    assert k_BHMC.stride() == v_BHMC.stride()
    assert q_BHKC.stride(3) == k_BHMC.stride(3) == allowed.stride(3) == 1
    out_BKHC = torch.empty(batch, beams, heads, channels, dtype=q_BHKC.dtype, device=q_BHKC.device)
    allowed_stride = allowed.stride(2) if allowed.shape[2] > 1 else 0
    attention_kernel[(batch * heads, triton.cdiv(beams, HYPOTHESES))](
        q_BHKC, k_BHMC, v_BHMC, allowed.view(torch.uint8), out_BKHC, beams, slots, heads, *q_BHKC.stride()[:3],
        *k_BHMC.stride()[:3], allowed.stride(0), allowed_stride, channels**-0.5 * 1.4426950408889634,
        channels, HYPOTHESES, SLOTS, num_warps=4, num_stages=2,
    )  # fmt: skip
    return out_BKHC.transpose(1, 2)


@triton.jit
def select_kernel(
    scores, forbidden, column, norm, values, tokens, V, F, wanted, row_stride,
    MASKED: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    places = tl.arange(0, BLOCK)
    inside = places < V
    x = tl.load(scores + row * row_stride + places, mask=inside, other=-float("inf")).to(tl.float32)
    highest = tl.max(x, 0)
    tl.store(norm + row, highest + tl.log(tl.sum(tl.exp(x - highest), 0)))
    if MASKED:
        columns = tl.load(column + places, mask=inside, other=0)
        bad = tl.load(forbidden + row * F + columns, mask=inside, other=1)
        x = tl.where(bad != 0, -float("inf"), x)
    for at in range(wanted):
        best, place = tl.max(x, 0, return_indices=True)
        tl.store(values + row * wanted + at, best)
        tl.store(tokens + row * wanted + at, place)
        x = tl.where(places == place, -float("inf"), x)


def select(
    scores_RV: Tensor, wanted: int, forbidden_RF: Tensor | None = None, column_V: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Of each row the logarithm of the sum of exponentials, the best scores that are not forbidden, and their places.

    What is forbidden is told by columns: place v by column `column_V[v]`.
    """
    rows, vocabulary = scores_RV.shape
    norm_R = torch.empty(rows, dtype=torch.float32, device=scores_RV.device)
    values_RQ = torch.empty(rows, wanted, dtype=torch.float32, device=scores_RV.device)
    tokens_RQ = torch.empty(rows, wanted, dtype=torch.long, device=scores_RV.device)
    masked = forbidden_RF is not None and column_V is not None
    forbidden = forbidden_RF.contiguous().view(torch.uint8) if forbidden_RF is not None else scores_RV
    block = triton.next_power_of_2(vocabulary)
    select_kernel[(rows,)](
        scores_RV, forbidden, column_V if masked else scores_RV, norm_R, values_RQ, tokens_RQ, vocabulary,
        forbidden.shape[1], wanted, scores_RV.stride(0), masked, block, num_warps=min(16, max(4, block // 1024)),
    )  # fmt: skip
    return norm_R, values_RQ, tokens_RQ
