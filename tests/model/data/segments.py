"""Segments of given lengths, one after the other."""

import torch

from isarstep.benchmark.arrays.inputs import Segments


def segments_of(lengths: list[int]) -> Segments:
    starts = torch.zeros(len(lengths) + 1, dtype=torch.int32)
    torch.cumsum(torch.tensor(lengths, dtype=torch.int32), 0, out=starts[1:])
    return Segments(starts, max(lengths, default=0))
