"""Packed rows as a padded block and back, for the models whose layers want one."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from isarstep.feed.inputs import Segments


def pad(x_SD: Tensor, segments: Segments) -> tuple[Tensor, Tensor]:
    """Packed rows as an N x longest x D block, zeros in the empty cells, and which cells are real. The segments cover
    all rows."""
    index_NL, valid_NL = segments.grid()
    x_NLD: Tensor = Pad.apply(x_SD, index_NL, valid_NL, *places_of(segments, len(x_SD)))  # type: ignore[no-untyped-call]
    return x_NLD, valid_NL


def unpad(x_NLD: Tensor, segments: Segments, total: int) -> Tensor:
    """The inverse of `pad`, where the segments cover all `total` rows."""
    x_SD: Tensor = Unpad.apply(x_NLD, *segments.grid(), *places_of(segments, total))  # type: ignore[no-untyped-call]
    return x_SD


def places_of(segments: Segments, total: int) -> tuple[Tensor, Tensor]:
    """Row and column of each packed row in the padded block."""
    place_S = torch.arange(total, dtype=torch.int32, device=segments.starts.device)
    owner_S = torch.searchsorted(segments.starts[1:], place_S, right=True)
    # Not by the mask of real cells: a GPU would have to be asked how many there are.
    return owner_S, place_S - segments.starts[owner_S]


class Pad(torch.autograd.Function):
    """Every packed row has one cell, so that the derivative of either direction is the other. Autograd's own would add
    up what comes from the empty cells, one after the other, in the row that they all point to."""

    @staticmethod
    def forward(ctx: Any, x_SD: Tensor, *places: Tensor) -> Tensor:
        ctx.save_for_backward(*places)
        return padded_rows(x_SD, *places[:2])

    @staticmethod
    def backward(ctx: Any, d_NLD: Tensor) -> tuple[Tensor | None, ...]:
        return d_NLD[ctx.saved_tensors[2:]], None, None, None, None


class Unpad(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x_NLD: Tensor, *places: Tensor) -> Tensor:
        ctx.save_for_backward(*places)
        return x_NLD[places[2:]]

    @staticmethod
    def backward(ctx: Any, d_SD: Tensor) -> tuple[Tensor | None, ...]:
        return padded_rows(d_SD, *ctx.saved_tensors[:2]), None, None, None, None


def padded_rows(x_SD: Tensor, index_NL: Tensor, valid_NL: Tensor) -> Tensor:
    return x_SD[index_NL] * valid_NL[..., None].to(x_SD.dtype)
