"""Attention over short packed segments on a GPU, forward and backward, in Triton.

A program takes a tile of consecutive rows, whatever segments they belong to, and goes over the one range of keys that
any of them may see. So segments of thirty tokens fill a tile together, where a kernel that takes one segment at a time
leaves most of it empty. Which keys a query sees is an interval, and both its ends grow with the query (`Spans`).
Shapes: T queries, S keys, H heads, C channels; M and N rows of a tile of queries and of keys.
"""

from __future__ import annotations

# mypy: disable-error-code="no-untyped-def, untyped-decorator, import-not-found, import-untyped"
from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor

from isarstep.benchmark.arrays.inputs import Segments

LOG2_E = 1.4426950408889634


class Tile(NamedTuple):
    """How a kernel is cut: rows of its own tile, rows it reads at a time, warps, stages of the pipeline."""

    own: int
    other: int
    warps: int
    stages: int


# The best of a search on an H200.
FORWARD = Tile(64, 32, 4, 3)
BACKWARD_QUERIES = Tile(64, 64, 4, 2)
BACKWARD_KEYS = Tile(64, 32, 4, 3)


class Spans(NamedTuple):
    """Query t sees the keys `first_key[t]:end_key[t]`; key s is seen by the queries `first_query[s]:end_query[s]`."""

    first_key_T: Tensor
    end_key_T: Tensor
    first_query_S: Tensor
    end_query_S: Tensor


def spans_of(queries: Segments, keys: Segments, count_T: int, count_S: int, causal: bool) -> Spans:
    place_T = torch.arange(count_T, dtype=torch.int32, device=queries.starts.device)
    owner_T = torch.searchsorted(queries.starts, place_T, right=True) - 1
    if causal:
        first_T, end_T = queries.starts[owner_T], queries.starts[owner_T + 1]
        return Spans(first_T, place_T + 1, place_T, end_T)
    if keys is queries:
        first_T, end_T = queries.starts[owner_T], queries.starts[owner_T + 1]
        return Spans(first_T, end_T, first_T, end_T)
    place_S = torch.arange(count_S, dtype=torch.int32, device=keys.starts.device)
    owner_S = torch.searchsorted(keys.starts, place_S, right=True) - 1
    return Spans(keys.starts[owner_T], keys.starts[owner_T + 1], queries.starts[owner_S], queries.starts[owner_S + 1])


@triton.jit
def tile_of(base, rows_M, inside_M, row_stride, head, C: tl.constexpr):
    channels_C = tl.arange(0, C)
    places = rows_M.to(tl.int64)[:, None] * row_stride + head * C + channels_C[None, :]
    return tl.load(base + places, mask=inside_M[:, None], other=0.0)


@triton.jit
def put_tile(base, x, rows_M, inside_M, row_stride, head, C: tl.constexpr):
    channels_C = tl.arange(0, C)
    places = rows_M.to(tl.int64)[:, None] * row_stride + head * C + channels_C[None, :]
    tl.store(base + places, x.to(base.dtype.element_ty), mask=inside_M[:, None])


@triton.jit
def forward_kernel(
    q, k, v, out, lse, first_key, end_key, T, q_stride, kv_stride, out_stride, scale,
    C: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
):  # fmt: skip
    begin = tl.program_id(0) * M
    head = tl.program_id(1)
    rows_M = begin + tl.arange(0, M)
    inside_M = rows_M < T
    first_M = tl.load(first_key + rows_M, mask=inside_M, other=0)
    end_M = tl.load(end_key + rows_M, mask=inside_M, other=0)
    key_begin = tl.load(first_key + begin)
    key_end = tl.load(end_key + tl.minimum(begin + M, T) - 1)
    q_MC = tile_of(q, rows_M, inside_M, q_stride, head, C)
    highest_M = tl.full([M], -1e30, tl.float32)
    total_M = tl.zeros([M], tl.float32)
    sum_MC = tl.zeros([M, C], tl.float32)
    for at in range(key_begin, key_end, N):
        keys_N = at + tl.arange(0, N)
        inside_N = keys_N < key_end
        k_NC = tile_of(k, keys_N, inside_N, kv_stride, head, C)
        v_NC = tile_of(v, keys_N, inside_N, kv_stride, head, C)
        scores_MN = tl.dot(q_MC, tl.trans(k_NC), input_precision="ieee") * scale
        seen_MN = (keys_N[None, :] >= first_M[:, None]) & (keys_N[None, :] < end_M[:, None])
        # Not -inf: a row whose keys come later would meet inf - inf; what it gathers until then is multiplied by 0.
        scores_MN = tl.where(seen_MN, scores_MN, -1e30)
        higher_M = tl.maximum(highest_M, tl.max(scores_MN, 1))
        weights_MN = tl.exp2(scores_MN - higher_M[:, None])
        fade_M = tl.exp2(highest_M - higher_M)
        total_M = total_M * fade_M + tl.sum(weights_MN, 1)
        sum_MC = sum_MC * fade_M[:, None]
        sum_MC = tl.dot(weights_MN.to(v_NC.dtype), v_NC, sum_MC, input_precision="ieee")
        highest_M = higher_M
    put_tile(out, sum_MC / total_M[:, None], rows_M, inside_M, out_stride, head, C)
    tl.store(lse + head * T + rows_M, highest_M + tl.log2(total_M), mask=inside_M)


@triton.jit
def backward_queries_kernel(
    q, k, v, out, lse, d_out, d_q, delta, first_key, end_key, T, q_stride, kv_stride, out_stride, scale, softmax_scale,
    C: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
):  # fmt: skip
    begin = tl.program_id(0) * M
    head = tl.program_id(1)
    rows_M = begin + tl.arange(0, M)
    inside_M = rows_M < T
    first_M = tl.load(first_key + rows_M, mask=inside_M, other=0)
    end_M = tl.load(end_key + rows_M, mask=inside_M, other=0)
    key_begin = tl.load(first_key + begin)
    key_end = tl.load(end_key + tl.minimum(begin + M, T) - 1)
    q_MC = tile_of(q, rows_M, inside_M, q_stride, head, C)
    d_out_MC = tile_of(d_out, rows_M, inside_M, out_stride, head, C)
    out_MC = tile_of(out, rows_M, inside_M, out_stride, head, C)
    delta_M = tl.sum(d_out_MC.to(tl.float32) * out_MC.to(tl.float32), 1)
    tl.store(delta + head * T + rows_M, delta_M, mask=inside_M)
    lse_M = tl.load(lse + head * T + rows_M, mask=inside_M, other=0.0)
    sum_MC = tl.zeros([M, C], tl.float32)
    for at in range(key_begin, key_end, N):
        keys_N = at + tl.arange(0, N)
        inside_N = keys_N < key_end
        k_NC = tile_of(k, keys_N, inside_N, kv_stride, head, C)
        v_NC = tile_of(v, keys_N, inside_N, kv_stride, head, C)
        scores_MN = tl.dot(q_MC, tl.trans(k_NC), input_precision="ieee") * scale
        seen_MN = (keys_N[None, :] >= first_M[:, None]) & (keys_N[None, :] < end_M[:, None])
        weights_MN = tl.where(seen_MN, tl.exp2(scores_MN - lse_M[:, None]), 0.0)
        d_weights_MN = tl.dot(d_out_MC, tl.trans(v_NC), input_precision="ieee")
        d_scores_MN = weights_MN * (d_weights_MN - delta_M[:, None])
        sum_MC = tl.dot(d_scores_MN.to(k_NC.dtype), k_NC, sum_MC, input_precision="ieee")
    put_tile(d_q, sum_MC * softmax_scale, rows_M, inside_M, q_stride, head, C)


@triton.jit
def backward_keys_kernel(
    q, k, v, lse, d_out, d_k, d_v, delta, first_query, end_query, T, S, q_stride, kv_stride, out_stride, scale,
    softmax_scale, C: tl.constexpr, N: tl.constexpr, M: tl.constexpr,
):  # fmt: skip
    begin = tl.program_id(0) * N
    head = tl.program_id(1)
    keys_N = begin + tl.arange(0, N)
    inside_N = keys_N < S
    first_N = tl.load(first_query + keys_N, mask=inside_N, other=0)
    end_N = tl.load(end_query + keys_N, mask=inside_N, other=0)
    query_begin = tl.load(first_query + begin)
    query_end = tl.load(end_query + tl.minimum(begin + N, S) - 1)
    k_NC = tile_of(k, keys_N, inside_N, kv_stride, head, C)
    v_NC = tile_of(v, keys_N, inside_N, kv_stride, head, C)
    sum_k_NC = tl.zeros([N, C], tl.float32)
    sum_v_NC = tl.zeros([N, C], tl.float32)
    for at in range(query_begin, query_end, M):
        rows_M = at + tl.arange(0, M)
        inside_M = rows_M < query_end
        q_MC = tile_of(q, rows_M, inside_M, q_stride, head, C)
        d_out_MC = tile_of(d_out, rows_M, inside_M, out_stride, head, C)
        lse_M = tl.load(lse + head * T + rows_M, mask=inside_M, other=0.0)
        delta_M = tl.load(delta + head * T + rows_M, mask=inside_M, other=0.0)
        scores_NM = tl.dot(k_NC, tl.trans(q_MC), input_precision="ieee") * scale
        seen_NM = (rows_M[None, :] >= first_N[:, None]) & (rows_M[None, :] < end_N[:, None])
        weights_NM = tl.where(seen_NM, tl.exp2(scores_NM - lse_M[None, :]), 0.0)
        sum_v_NC = tl.dot(weights_NM.to(d_out_MC.dtype), d_out_MC, sum_v_NC, input_precision="ieee")
        d_weights_NM = tl.dot(v_NC, tl.trans(d_out_MC), input_precision="ieee")
        d_scores_NM = weights_NM * (d_weights_NM - delta_M[None, :])
        sum_k_NC = tl.dot(d_scores_NM.to(q_MC.dtype), q_MC, sum_k_NC, input_precision="ieee")
    put_tile(d_k, sum_k_NC * softmax_scale, keys_N, inside_N, kv_stride, head, C)
    put_tile(d_v, sum_v_NC, keys_N, inside_N, kv_stride, head, C)


def run_forward(
    q_THC: Tensor, k_SHC: Tensor, v_SHC: Tensor, first_key: Tensor, end_key: Tensor
) -> tuple[Tensor, Tensor]:
    count, heads, channels = q_THC.shape
    out = torch.empty(count, heads, channels, dtype=q_THC.dtype, device=q_THC.device)
    lse = torch.empty(heads, count, dtype=torch.float32, device=q_THC.device)
    tile = FORWARD
    forward_kernel[(triton.cdiv(count, tile.own), heads)](
        q_THC, k_SHC, v_SHC, out, lse, first_key, end_key, count, q_THC.stride(0), k_SHC.stride(0), out.stride(0),
        channels**-0.5 * LOG2_E, channels, tile.own, tile.other, num_warps=tile.warps, num_stages=tile.stages,
    )  # fmt: skip
    return out, lse


def run_backward(
    q: Tensor, k: Tensor, v: Tensor, out: Tensor, lse: Tensor, d_out: Tensor, spans: Spans,
    d_q: Tensor, d_k: Tensor, d_v: Tensor,
) -> None:  # fmt: skip
    count, heads, channels = q.shape
    keys = k.shape[0]
    delta = torch.empty_like(lse)
    scales = (channels**-0.5 * LOG2_E, channels**-0.5)
    strides = (q.stride(0), k.stride(0), out.stride(0))
    tile = BACKWARD_QUERIES
    backward_queries_kernel[(triton.cdiv(count, tile.own), heads)](
        q, k, v, out, lse, d_out, d_q, delta, spans.first_key_T, spans.end_key_T, count, *strides, *scales,
        channels, tile.own, tile.other, num_warps=tile.warps, num_stages=tile.stages,
    )  # fmt: skip
    tile = BACKWARD_KEYS
    backward_keys_kernel[(triton.cdiv(keys, tile.own), heads)](
        q, k, v, lse, d_out, d_k, d_v, delta, spans.first_query_S, spans.end_query_S, count, keys, *strides, *scales,
        channels, tile.own, tile.other, num_warps=tile.warps, num_stages=tile.stages,
    )  # fmt: skip


@torch.library.custom_op("isarstep::attend_self", mutates_args=())
def attend_self(
    qkv: Tensor, first_key: Tensor, end_key: Tensor, first_query: Tensor, end_query: Tensor
) -> tuple[Tensor, Tensor]:
    """T x 3 x H x C to T x H x C, and the logarithm (to base 2) of each softmax's sum."""
    q, k, v = qkv.contiguous().unbind(1)
    return run_forward(q, k, v, first_key, end_key)


@torch.library.custom_op("isarstep::attend_self_backward", mutates_args=())
def attend_self_backward(
    qkv: Tensor, out: Tensor, lse: Tensor, d_out: Tensor,
    first_key: Tensor, end_key: Tensor, first_query: Tensor, end_query: Tensor,
) -> Tensor:  # fmt: skip
    qkv = qkv.contiguous()
    d_qkv = torch.empty_like(qkv)
    spans = Spans(first_key, end_key, first_query, end_query)
    q, k, v = qkv.unbind(1)
    d_q, d_k, d_v = d_qkv.unbind(1)
    run_backward(q, k, v, out, lse, d_out.contiguous(), spans, d_q, d_k, d_v)
    return d_qkv


@torch.library.custom_op("isarstep::attend_cross", mutates_args=())
def attend_cross(
    q: Tensor, kv: Tensor, first_key: Tensor, end_key: Tensor, first_query: Tensor, end_query: Tensor
) -> tuple[Tensor, Tensor]:
    """T x H x C and S x 2 x H x C to T x H x C, and the logarithm (to base 2) of each softmax's sum."""
    k, v = kv.contiguous().unbind(1)
    return run_forward(q.contiguous(), k, v, first_key, end_key)


@torch.library.custom_op("isarstep::attend_cross_backward", mutates_args=())
def attend_cross_backward(
    q: Tensor, kv: Tensor, out: Tensor, lse: Tensor, d_out: Tensor,
    first_key: Tensor, end_key: Tensor, first_query: Tensor, end_query: Tensor,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    q, kv = q.contiguous(), kv.contiguous()
    d_q, d_kv = torch.empty_like(q), torch.empty_like(kv)
    spans = Spans(first_key, end_key, first_query, end_query)
    k, v = kv.unbind(1)
    d_k, d_v = d_kv.unbind(1)
    run_backward(q, k, v, out, lse, d_out.contiguous(), spans, d_q, d_k, d_v)
    return d_q, d_kv


def result_of(q: Tensor) -> tuple[Tensor, Tensor]:
    count, heads, channels = q.shape
    return q.new_empty(count, heads, channels), q.new_empty(heads, count, dtype=torch.float32)


@attend_self.register_fake
def _(qkv: Tensor, *spans: Tensor) -> tuple[Tensor, Tensor]:
    return result_of(qkv[:, 0])


@attend_cross.register_fake
def _(q: Tensor, kv: Tensor, *spans: Tensor) -> tuple[Tensor, Tensor]:
    return result_of(q)


@attend_self_backward.register_fake
def _(qkv: Tensor, *rest: Tensor) -> Tensor:
    return qkv.new_empty(qkv.shape)


@attend_cross_backward.register_fake
def _(q: Tensor, kv: Tensor, *rest: Tensor) -> tuple[Tensor, Tensor]:
    return q.new_empty(q.shape), kv.new_empty(kv.shape)


def keep_self(ctx: Any, inputs: tuple[Tensor, ...], output: tuple[Tensor, Tensor]) -> None:
    ctx.save_for_backward(inputs[0], *output, *inputs[1:])


def self_gradients(ctx: Any, d_out: Tensor, d_lse: Tensor) -> tuple[Tensor | None, ...]:
    qkv, out, lse, *spans = ctx.saved_tensors
    return attend_self_backward(qkv, out, lse, d_out, *spans), None, None, None, None


def keep_cross(ctx: Any, inputs: tuple[Tensor, ...], output: tuple[Tensor, Tensor]) -> None:
    ctx.save_for_backward(*inputs[:2], *output, *inputs[2:])


def cross_gradients(ctx: Any, d_out: Tensor, d_lse: Tensor) -> tuple[Tensor | None, ...]:
    q, kv, out, lse, *spans = ctx.saved_tensors
    return *attend_cross_backward(q, kv, out, lse, d_out, *spans), None, None, None, None


attend_self.register_autograd(self_gradients, setup_context=keep_self)
attend_cross.register_autograd(cross_gradients, setup_context=keep_cross)
