"""What every model reads and writes: sequences laid end to end, with an index array that says where each begins.

Nothing is padded. For HAT the hierarchy is one more such index array. Shapes: N sequences, S source and U target
tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from isarstep.benchmark.arrays.backend import Array

Input = Literal["base", "+F.5", "+context", "+premises"]
STATEMENT, EARLIER = 6, 7  # fields behind F.5: the theorem's statement, and facts from before the target
SELECTED = 8  # library facts that a selector has chosen; F.5 is what authors used
CITED = 9  # library facts among F.4, in data for training: a model reads them as F.4 or not at all
FIELDS_READ: dict[Input, tuple[int, ...]] = {
    "base": (2, 3, 4),
    "+F.5": (2, 3, 4, 5),
    "+context": (2, 3, 4, STATEMENT, EARLIER),
    "+premises": (2, 3, 4, STATEMENT, EARLIER, SELECTED, CITED),  # whatever of it is known
}


@dataclass(frozen=True, eq=False)
class Segments:
    """Sequence i of a packed row is `starts[i]:starts[i + 1]`. No sequence is longer than `longest`."""

    starts: Array  # int32, N + 1
    longest: int
    known_lengths: Array | None = None  # in the host's memory, where whoever packed knew them

    @property
    def count(self) -> int:
        return int(self.starts.shape[0]) - 1

    def lengths(self) -> Array:
        return self.starts[1:] - self.starts[:-1]

    def host_lengths(self) -> Array:
        """For what only a host can plan. A GPU is asked, and waited for, only where nobody knows."""
        return self.lengths().cpu() if self.known_lengths is None else self.known_lengths

    def grid(self) -> tuple[Array, Array]:
        """Row numbers as an N x longest table, and which of its cells are real."""
        offsets = self.starts.new_ones(self.longest).cumsum(0) - 1
        index_NL = self.starts[:-1, None].long() + offsets
        valid_NL = offsets < self.lengths()[:, None]
        return index_NL.masked_fill(~valid_NL, 0), valid_NL


@dataclass(frozen=True, eq=False)
class Source:
    """The propositions of N examples. In a flat layout each example is one segment and `categories` is not read."""

    tokens_S: Array
    positions_S: Array  # restart with each proposition (hierarchical) or each example (flat)
    categories_S: Array  # 0..3 for F.2..F.5, 4 and 5 for what `+context` adds, 6 for selected facts
    examples: Segments
    propositions: Segments


@dataclass(frozen=True, eq=False)
class Target:
    """The target propositions of N examples, shifted: `<BOS> y` is read, `y <EOS>` is to be written."""

    inputs_U: Array
    outputs_U: Array  # -1 where nothing is to be learned
    positions_U: Array
    examples: Segments
