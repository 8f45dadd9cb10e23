"""What every model reads and writes: sequences laid end to end, with an index array that says where each begins.

Nothing is padded. For HAT the hierarchy is one more such index array. Shapes: N sequences, S source and U target
tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor


@dataclass(frozen=True)
class Segments:
    """Sequence i of a packed row is `starts[i]:starts[i + 1]`. No sequence is longer than `longest`."""

    starts: Tensor  # int32, N + 1
    longest: int
    known_lengths: Tensor | None = None  # in the host's memory, where whoever packed knew them

    @property
    def count(self) -> int:
        return int(self.starts.shape[0]) - 1

    def lengths(self) -> Tensor:
        return self.starts[1:] - self.starts[:-1]

    def host_lengths(self) -> Tensor:
        """For what only a host can plan. A GPU is asked, and waited for, only where nobody knows."""
        return self.lengths().cpu() if self.known_lengths is None else self.known_lengths

    def grid(self) -> tuple[Tensor, Tensor]:
        """Row numbers as an N x longest table, and which of its cells are real."""
        offsets = torch.arange(self.longest, device=self.starts.device)
        index_NL = self.starts[:-1, None].long() + offsets
        valid_NL = offsets < self.lengths()[:, None]
        return torch.where(valid_NL, index_NL, 0), valid_NL

    @staticmethod
    def of_lengths(lengths: list[int]) -> Segments:
        starts = torch.zeros(len(lengths) + 1, dtype=torch.int32)
        torch.cumsum(torch.tensor(lengths, dtype=torch.int32), 0, out=starts[1:])
        return Segments(starts, max(lengths, default=0))


@dataclass(frozen=True)
class Source:
    """The propositions of N examples. In a flat layout each example is one segment and `categories` is not read."""

    tokens_S: Tensor
    positions_S: Tensor  # restart with each proposition (hierarchical) or each example (flat)
    categories_S: Tensor  # 0..3 for F.2..F.5
    examples: Segments
    propositions: Segments


@dataclass(frozen=True)
class Target:
    """The target propositions of N examples, shifted: `<BOS> y` is read, `y <EOS>` is to be written."""

    inputs_U: Tensor
    outputs_U: Tensor  # -1 where nothing is to be learned
    positions_U: Tensor
    examples: Segments


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
