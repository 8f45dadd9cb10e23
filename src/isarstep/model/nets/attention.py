"""Attention over packed sequences: the one seam between the fast kernel and its plain equivalents.

`attend` picks flash attention on a GPU in half precision, and a padded scaled-dot-product elsewhere; training on a GPU
has a kernel of our own for short segments (`packed_attention`), and so has a search (`step_kernels`).
"""

from __future__ import annotations

import inspect
from functools import cache
from importlib.util import find_spec

import torch
import torch.nn.functional as F
from torch import Tensor

from isarstep.benchmark.arrays.inputs import Segments

HAS_TRITON = find_spec("triton") is not None  # for kernels of our own on a GPU


def attend_packed(qkv_T3HC: Tensor, segments: Segments, causal: bool = False) -> Tensor:
    """Self-attention of each segment, from the projections as they come out of one product."""
    if not takes_packed(qkv_T3HC):
        q_THC, k_THC, v_THC = qkv_T3HC.unbind(1)
        return attend(q_THC, k_THC, v_THC, segments, segments, causal)
    from isarstep.model.nets.packed_attention import attend_self, spans_of

    count = qkv_T3HC.shape[0]
    out_THC: Tensor = attend_self(qkv_T3HC, *spans_of(segments, segments, count, count, causal))[0]
    return out_THC


def attend_packed_memory(q_THC: Tensor, kv_S2HC: Tensor, queries: Segments, keys: Segments) -> Tensor:
    """Attention of each query segment over the key segment of the same number, whose keys and values lie together."""
    if not takes_packed(q_THC):
        k_SHC, v_SHC = kv_S2HC.unbind(1)
        return attend(q_THC, k_SHC, v_SHC, queries, keys)
    from isarstep.model.nets.packed_attention import attend_cross, spans_of

    spans = spans_of(queries, keys, q_THC.shape[0], kv_S2HC.shape[0], causal=False)
    out_THC: Tensor = attend_cross(q_THC, kv_S2HC, *spans)[0]
    return out_THC


def takes_packed(x: Tensor) -> bool:
    return HAS_TRITON and x.is_cuda and x.dtype in (torch.bfloat16, torch.float16) and torch.is_grad_enabled()


def takes_step_kernels(x: Tensor) -> bool:
    return HAS_TRITON and x.is_cuda and x.dtype in (torch.bfloat16, torch.float16) and not torch.is_grad_enabled()


def attend(
    q_THC: Tensor, k_SHC: Tensor, v_SHC: Tensor, queries: Segments, keys: Segments, causal: bool = False
) -> Tensor:
    """Softmax attention of each query segment over the key segment of the same number."""
    fast = q_THC.is_cuda and q_THC.dtype in (torch.bfloat16, torch.float16)
    return (attend_flash if fast else attend_padded)(q_THC, k_SHC, v_SHC, queries, keys, causal)


def attend_flash(
    q_THC: Tensor, k_SHC: Tensor, v_SHC: Tensor, queries: Segments, keys: Segments, causal: bool
) -> Tensor:
    # Only here: it brings torch's compiler along, for which nobody on a CPU should wait.
    from torch.nn.attention.varlen import varlen_attn

    arguments = (q_THC, k_SHC, v_SHC, queries.starts, keys.starts, queries.longest, keys.longest)
    if _causal_is_a_flag():
        return varlen_attn(*arguments, is_causal=causal)  # type: ignore[call-arg, return-value]
    return varlen_attn(*arguments, window_size=(-1, 0) if causal else (-1, -1))  # type: ignore[return-value]


@cache
def _causal_is_a_flag() -> bool:
    """torch 2.11 spells causality `is_causal`, later versions as a window that ends at the query."""
    from torch.nn.attention.varlen import varlen_attn

    return "is_causal" in inspect.signature(varlen_attn).parameters


def attend_padded(
    q_THC: Tensor, k_SHC: Tensor, v_SHC: Tensor, queries: Segments, keys: Segments, causal: bool
) -> Tensor:
    query_index_NL, query_valid_NL = queries.grid()
    if keys is queries:
        key_index_NM, key_valid_NM = query_index_NL, query_valid_NL
    else:
        key_index_NM, key_valid_NM = keys.grid()
    # An empty segment may look at anything: nobody reads the result, and a softmax over nothing would be NaN.
    allowed = (key_valid_NM | ~key_valid_NM[:, :1])[:, None, None, :]
    if causal:
        square = torch.ones(queries.longest, keys.longest, dtype=torch.bool, device=q_THC.device).tril()
        allowed = allowed & square
    out_NHLC = F.scaled_dot_product_attention(
        q_THC[query_index_NL].transpose(1, 2),
        k_SHC[key_index_NM].transpose(1, 2),
        v_SHC[key_index_NM].transpose(1, 2),
        attn_mask=allowed,
    )
    return out_NHLC.transpose(1, 2)[query_valid_NL]


def attend_few(q_BHKC: Tensor, k_BHMC: Tensor, v_BHMC: Tensor, allowed: Tensor) -> Tensor:
    """A handful of queries over a growing past, for decoding; `allowed` broadcasts to B x H x K x M."""
    if not q_BHKC.is_cuda:
        return F.scaled_dot_product_attention(q_BHKC, k_BHMC, v_BHMC, attn_mask=allowed)
    if takes_step_kernels(q_BHKC):
        from isarstep.model.nets.step_kernels import attend_slots

        return attend_slots(q_BHKC, k_BHMC, v_BHMC, allowed)
    # On a GPU the fused kernel may plan anew for every length of the past, and there is one at every step.
    scores_BHKM = (q_BHKC * q_BHKC.shape[-1] ** -0.5) @ k_BHMC.mT
    return scores_BHKM.float().masked_fill(~allowed, -torch.inf).softmax(-1).to(v_BHMC.dtype) @ v_BHMC
