"""Attention as the formula is written: what every faster path must agree with."""

from __future__ import annotations

import torch
from torch import Tensor

from isarstep.benchmark.arrays.inputs import Segments


def attend_naively(
    q_THC: Tensor, k_SHC: Tensor, v_SHC: Tensor, queries: Segments, keys: Segments, causal: bool
) -> Tensor:
    """One segment after the other, as the formula is written."""
    out_THC = torch.zeros_like(q_THC)
    query_starts, key_starts = queries.starts.tolist(), keys.starts.tolist()
    for i in range(queries.count):
        q = q_THC[query_starts[i] : query_starts[i + 1]]
        k = k_SHC[key_starts[i] : key_starts[i + 1]]
        v = v_SHC[key_starts[i] : key_starts[i + 1]]
        scores_HLM = torch.einsum("lhc,mhc->hlm", q, k) / q.shape[-1] ** 0.5
        if causal:
            scores_HLM = scores_HLM.masked_fill(torch.ones_like(scores_HLM, dtype=torch.bool).triu(1), -torch.inf)
        out_THC[query_starts[i] : query_starts[i + 1]] = torch.einsum("hlm,mhc->lhc", scores_HLM.softmax(-1), v)
    return out_THC
