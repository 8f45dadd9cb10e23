"""RNNSearch: a bidirectional LSTM reads, an LSTM with additive attention (Bahdanau et al., 2015) writes; two layers
each.

As in GNMT, the decoder's lower layer asks the attention and its upper layer reads the answer. The lower layer does
not see earlier answers, so that training runs over all target positions at once. Shapes: B sentences, L source and U
target places.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from isarstep.benchmark.arrays.corpus import ragged
from isarstep.benchmark.arrays.inputs import Segments, Source, Target
from isarstep.model.data.padding import Moved, pad, unpad
from isarstep.model.nets.attention import HAS_TRITON
from isarstep.model.nets.base import RowsState, Seq2Seq
from isarstep.model.nets.config import ModelConfig

CELLS_AT_ONCE = 1 << 26  # of the B x U x L x D block that additive attention goes through


def has_kernel(x: Tensor) -> bool:
    return HAS_TRITON and x.is_cuda


class AdditiveAttention(nn.Module):
    """softmax over the source of v . tanh(W query + U memory)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width)
        self.weight = nn.Parameter(torch.empty(width))
        nn.init.uniform_(self.weight, -(width**-0.5), width**-0.5)

    def forward(self, h_BUD: Tensor, keys_BLD: Tensor, memory_BLD: Tensor, valid_BL: Tensor) -> Tensor:
        q_BUD = self.query(h_BUD)
        rows = max(1, CELLS_AT_ONCE // keys_BLD.numel())
        # A block of B x U x L x D, larger than all weights together. A kernel never makes it; without one it is made
        # piece by piece, and again in the backward pass.
        if rows >= q_BUD.shape[1] or has_kernel(q_BUD):
            return self.read(q_BUD, keys_BLD, memory_BLD, valid_BL)
        pieces = (
            checkpoint(self.read, piece, keys_BLD, memory_BLD, valid_BL, use_reentrant=False)
            for piece in q_BUD.split(rows, 1)
        )
        return torch.cat(list(pieces), 1)

    def scores(self, q_BUD: Tensor, keys_BLD: Tensor) -> Tensor:
        if has_kernel(q_BUD):
            from isarstep.model.nets.additive_scores import additive_scores

            return additive_scores(q_BUD, keys_BLD, self.weight)
        return ((q_BUD[:, :, None] + keys_BLD[:, None]).tanh() * self.weight.to(q_BUD.dtype)).sum(-1)

    def read(self, q_BUD: Tensor, keys_BLD: Tensor, memory_BLD: Tensor, valid_BL: Tensor) -> Tensor:
        scores_BUL = self.scores(q_BUD, keys_BLD)
        weights_BUL = scores_BUL.masked_fill(~valid_BL[:, None], -torch.inf).softmax(-1).to(memory_BLD.dtype)
        return weights_BUL @ memory_BLD


class RNNSearch(Seq2Seq):
    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        width = config.dimensions.width
        self.embedding = nn.Embedding(config.vocabulary, width)
        self.encoder = nn.LSTM(width, width, 2, bidirectional=True, dropout=config.dropout, batch_first=True)
        self.join_directions = nn.Linear(2 * width, width)
        self.bridge = nn.Linear(width, 2 * width)
        self.lower = nn.LSTM(width, width, batch_first=True)
        self.attention = AdditiveAttention(width)
        self.upper = nn.LSTM(2 * width, width, batch_first=True)
        self.readout = nn.Linear(3 * width, width)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -0.1, 0.1)

    @property
    def token_table(self) -> Tensor:
        return self.embedding.weight

    def encode(self, source: Source) -> Tensor:
        sizes, order_S = by_place(source.examples)
        order_S = order_S.to(source.tokens_S.device, non_blocking=True)
        back_S = torch.empty_like(order_S).scatter_(0, order_S, torch.arange(len(order_S), device=order_S.device))
        moves = (lambda x_SD: x_SD[order_S], lambda x_SD: x_SD[back_S])
        x_SD = Moved.apply(self.drop(self.embedding(source.tokens_S)), *moves)  # type: ignore[no-untyped-call]
        h, _ = self.encoder(nn.utils.rnn.PackedSequence(x_SD, sizes))
        h_SD: Tensor = Moved.apply(h.data, *reversed(moves))  # type: ignore[no-untyped-call]
        return self.join_directions(h_SD)

    def begin(self, source: Source) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Memory, its attention keys, which cells are real, and the decoder's first states (B x 2D)."""
        memory_BLD, valid_BL = pad(self.encode(source), source.examples)
        mean_BD = memory_BLD.sum(1) / valid_BL.sum(1, keepdim=True).to(memory_BLD.dtype)
        return memory_BLD, self.attention.key(memory_BLD), valid_BL, self.bridge(mean_BD).tanh()

    def forward(self, source: Source, target: Target) -> Tensor:
        memory_BLD, keys_BLD, valid_BL, first = self.begin(source)
        first_lower, first_upper = first.chunk(2, -1)
        y_BUD, _ = pad(self.drop(self.embedding(target.inputs_U)), target.examples)
        h_BUD, _ = self.lower(y_BUD, lstm_start(first_lower))
        h_BUD = self.drop(h_BUD)
        context_BUD = self.attention(h_BUD, keys_BLD, memory_BLD, valid_BL)
        top_BUD, _ = self.upper(torch.cat([h_BUD, context_BUD], -1), lstm_start(first_upper))
        out_BUD = self.readout(torch.cat([self.drop(top_BUD), context_BUD, y_BUD], -1)).tanh()
        return unpad(self.drop(out_BUD), target.examples, len(target.inputs_U))

    def start(self, source: Source, beams: int) -> RowsState:
        memory_BLD, keys_BLD, valid_BL, first = self.begin(source)
        lower_BKD, upper_BKD = first[:, None].repeat(1, beams, 1).chunk(2, -1)
        zeros = torch.zeros_like(lower_BKD)
        return RowsState((keys_BLD, memory_BLD, valid_BL), [lower_BKD, zeros, upper_BKD, zeros])

    def step(self, state: RowsState, tokens_BK: Tensor, parents_BK: Tensor) -> Tensor:
        index_BKD = parents_BK[:, :, None].expand(-1, -1, state.carried[0].shape[-1])
        h1, c1, h2, c2 = (cell.gather(1, index_BKD) for cell in state.carried)
        y_BKD = self.embedding(tokens_BK)
        h1, c1 = one_step(self.lower, y_BKD, h1, c1)
        context_BKD = self.attention.read(self.attention.query(h1), *state.read)
        h2, c2 = one_step(self.upper, torch.cat([h1, context_BKD], -1), h2, c2)
        state.carried = [h1, c1, h2, c2]
        return self.readout(torch.cat([h2, context_BKD, y_BKD], -1)).tanh()


def by_place(segments: Segments) -> tuple[Tensor, Tensor]:
    """All first tokens, longest sequence first, then all second ones, ...: how many each, and where they lie. In the
    host's memory, where recurrent kernels are planned."""
    lengths_N = segments.host_lengths().numpy().astype(np.int64)
    begins_N = np.cumsum(lengths_N) - lengths_N
    longest_first = np.argsort(-lengths_N, kind="stable")
    sorted_N = lengths_N[longest_first]
    place_S = ragged(np.zeros_like(sorted_N), sorted_N)
    order_S = ragged(begins_N[longest_first], sorted_N)[np.argsort(place_S.astype(np.int32), kind="stable")]
    return torch.from_numpy(np.bincount(place_S)), torch.from_numpy(order_S)


def lstm_start(hidden_BD: Tensor) -> tuple[Tensor, Tensor]:
    return hidden_BD[None].contiguous(), torch.zeros_like(hidden_BD)[None]


def one_step(lstm: nn.LSTM, x_BKD: Tensor, h_BKD: Tensor, c_BKD: Tensor) -> tuple[Tensor, Tensor]:
    batch, beams, width = h_BKD.shape
    start = (h_BKD.reshape(1, batch * beams, width), c_BKD.reshape(1, batch * beams, width))
    _, (h, c) = lstm(x_BKD.reshape(batch * beams, 1, -1), start)
    return h.view(batch, beams, width), c.view(batch, beams, width)
