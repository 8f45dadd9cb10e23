"""Packed rows as a padded block and back, for the models whose layers want one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from isarstep.benchmark.arrays.inputs import Segments

Move = Callable[[Tensor], Tensor]


class Moved(torch.autograd.Function):
    """Rows in other places, one place for each row, so that the derivative moves them back. Autograd's own would add up
    what comes to a row, one place after the other: for a block from all the empty cells that point to one row."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, there: Move, back: Move) -> Tensor:
        ctx.back = back
        return there(x)

    @staticmethod
    def backward(ctx: Any, d: Tensor) -> tuple[Tensor, None, None]:
        return ctx.back(d), None, None


def pad(x_SD: Tensor, segments: Segments) -> tuple[Tensor, Tensor]:
    """Packed rows as an N x longest x D block, zeros in the empty cells, and which cells are real. The segments cover
    all rows."""
    into_block, into_rows, valid_NL = block_moves(segments, len(x_SD))
    x_NLD: Tensor = Moved.apply(x_SD, into_block, into_rows)  # type: ignore[no-untyped-call]
    return x_NLD, valid_NL


def unpad(x_NLD: Tensor, segments: Segments, total: int) -> Tensor:
    """The inverse of `pad`, where the segments cover all `total` rows."""
    into_block, into_rows, _ = block_moves(segments, total)
    x_SD: Tensor = Moved.apply(x_NLD, into_rows, into_block)  # type: ignore[no-untyped-call]
    return x_SD


def block_moves(segments: Segments, total: int) -> tuple[Move, Move, Tensor]:
    """From packed rows into the padded block and back, and which cells of the block are real."""
    index_NL, valid_NL = segments.grid()
    place_S = torch.arange(total, dtype=torch.int32, device=segments.starts.device)
    owner_S = torch.searchsorted(segments.starts[1:], place_S, right=True)
    # Not by the mask of real cells: a GPU would have to be asked how many there are.
    inside_S = place_S - segments.starts[owner_S]
    return (
        lambda x_SD: x_SD[index_NL] * valid_NL[..., None].to(x_SD.dtype),
        lambda x_NLD: x_NLD[owner_S, inside_S],
        valid_NL,
    )
