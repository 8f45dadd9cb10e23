"""What every model reads and writes: sequences laid end to end, with an index array that says where each begins.

Nothing is padded. For HAT the hierarchy is one more such index array. Shapes: N sequences, S source and U target
tokens.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Segments:
    """Sequence i of a packed row is `starts[i]:starts[i + 1]`. No sequence is longer than `longest`."""

    starts: Tensor  # int32, N + 1
    longest: int

    @property
    def count(self) -> int:
        return int(self.starts.shape[0]) - 1

    def lengths(self) -> Tensor:
        return self.starts[1:] - self.starts[:-1]

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
    """Packed rows as an N x longest x D block, zeros in the empty cells, and which cells are real."""
    index_NL, valid_NL = segments.grid()
    return x_SD[index_NL] * valid_NL[..., None].to(x_SD.dtype), valid_NL


def unpad(x_NLD: Tensor, segments: Segments, total: int) -> Tensor:
    """The inverse of `pad`, where the segments cover all `total` rows."""
    place_S = torch.arange(total, dtype=torch.int32, device=x_NLD.device)
    owner_S = torch.searchsorted(segments.starts[1:], place_S, right=True)
    # Not by the mask of real cells: a GPU would have to be asked how many there are.
    return x_NLD[owner_S, place_S - segments.starts[owner_S]]
