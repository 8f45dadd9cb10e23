"""fairseq's `fconv_iwslt_de_en` written a second time, from its description: weight-normalised gated convolutions as
products with three shifted rows, a padded batch, single precision. Shares no code with `isarstep.model.nets.convs2s`.

Tied: one table for source, target and output, as in the rows of this project. Otherwise fairseq's default: a table for
the source, one for the target, and an output layer of its own with weight normalisation and bias.
"""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from isarstep.model.nets.config import ModelConfig
from isarstep.model.nets.convs2s import ConvS2S

CHANNELS, READING, WRITING, WIDTH, PLACES = 256, 4, 3, 3, 1024


class Rows(torch.autograd.Function):
    """Rows of a table. The gradient is added up in place: autograd's own sorts, which no recorded step can."""

    @staticmethod
    def forward(ctx: Any, table: Tensor, numbers: Tensor) -> Tensor:
        ctx.save_for_backward(numbers)
        ctx.shape = table.shape
        return table[numbers]

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        (numbers,) = ctx.saved_tensors
        total = gradient.new_zeros(ctx.shape)
        return total.index_add_(0, numbers.flatten(), gradient.flatten(0, -2)), None


class Smaller(torch.autograd.Function):
    """The same value, its gradient times a factor."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, factor: float) -> Tensor:
        ctx.factor = factor
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        return gradient * ctx.factor, None


class Product(nn.Module):
    """x W + b with W = g v / |v| for each column. A convolution is one over a window of rows laid side by side."""

    def __init__(self, inputs: int, outputs: int, variance: float) -> None:
        super().__init__()
        self.v = nn.Parameter(torch.randn(inputs, outputs) * math.sqrt(variance / inputs))
        self.g = nn.Parameter(self.v.detach().norm(dim=0))
        self.b = nn.Parameter(torch.zeros(outputs))

    def weight(self) -> Tensor:
        return self.v * (self.g / self.v.square().sum(0).sqrt())

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.weight() + self.b


def gated(layer: Product, x: Tensor, left: int) -> Tensor:
    """A convolution of width 3 over the second axis, `left` places of which lie before, and its gate."""
    length = x.shape[1]
    wide = F.pad(x, (0, 0, left, WIDTH - 1 - left))
    value, gate = layer(torch.cat([wide[:, at : at + length] for at in range(WIDTH)], -1)).chunk(2, -1)
    return value * gate.sigmoid()


class FConv(nn.Module):
    def __init__(self, vocabulary: int, channels: int = CHANNELS, dropout: float = 0.2, tied: bool = False) -> None:
        super().__init__()
        self.dropout, self.tied = dropout, tied
        kept = 1 - dropout

        def table(rows: int) -> nn.Parameter:
            return nn.Parameter(torch.randn(rows, channels) * 0.1)

        self.source_tokens = table(vocabulary)
        if not tied:
            self.target_tokens = table(vocabulary)
            self.output = Product(channels, vocabulary, kept)
        self.source_places, self.target_places = table(PLACES), table(PLACES)
        self.encoder_in, self.encoder_out = Product(channels, channels, kept), Product(channels, channels, 1)
        self.decoder_in, self.decoder_out = Product(channels, channels, kept), Product(channels, channels, 1)
        self.encoder, self.decoder = (
            nn.ModuleList(Product(WIDTH * channels, 2 * channels, 4 * kept) for _ in range(count))
            for count in (READING, WRITING)
        )
        self.queries, self.read = (
            nn.ModuleList(Product(channels, channels, 1) for _ in range(WRITING)) for _ in range(2)
        )

    def drop(self, x: Tensor) -> Tensor:
        return F.dropout(x, self.dropout, self.training)

    def embed(self, tokens: Tensor, table: Tensor, places: Tensor) -> Tensor:
        length = tokens.shape[1]
        if length > PLACES:  # what is further right shares the last one
            places = torch.cat([places, places[-1:].expand(length - PLACES, -1)])
        return self.drop(Rows.apply(table, tokens) + places[:length])  # type: ignore[no-untyped-call]

    def forward(self, source: Tensor, is_source: Tensor, target: Tensor) -> Tensor:
        """Logits, B x U x V, from B x L tokens, which of them are real, and B x U tokens that are read back."""
        root = math.sqrt(0.5)
        real = is_source[..., None]
        begin = self.embed(source, self.source_tokens, self.source_places)
        x = self.encoder_in(begin)
        for layer in self.encoder:
            x = (x + gated(layer, self.drop(x * real), WIDTH // 2)) * root
        keys = Smaller.apply(self.encoder_out(x) * real, 1 / (2 * WRITING))  # type: ignore[no-untyped-call]
        values = (keys + begin) * root
        spread = is_source.sum(1).to(values.dtype).sqrt()[:, None, None]
        hidden = torch.zeros_like(is_source, dtype=values.dtype).masked_fill(~is_source, -torch.inf)[:, None]

        begun = self.embed(target, self.source_tokens if self.tied else self.target_tokens, self.target_places)
        y = self.decoder_in(begun)
        for layer, query, read in zip(self.decoder, self.queries, self.read, strict=True):
            h = gated(layer, self.drop(y), WIDTH - 1)
            scores = (query(h) + begun) * root @ keys.transpose(1, 2) + hidden
            found = read(scores.softmax(-1) @ values * spread)
            y = (y + (h + found) * root) * root
        y = self.drop(self.decoder_out(y))
        return y @ self.source_tokens.T if self.tied else self.output(y)


class SearchedFConv(ConvS2S):
    """An FConv's weights in this project's own ConvS2S, which the search knows."""

    def __init__(self, config: ModelConfig, model: FConv) -> None:
        super().__init__(config)
        self.load_state_dict(weights_of(model))
        self.separate = not model.tied
        if self.separate:
            self.target_embedding = nn.Parameter(model.target_tokens.detach().clone())
            self.output = nn.Parameter(model.output.weight().detach().T.contiguous())
            self.output_bias = nn.Parameter(model.output.b.detach().clone())

    def embed(self, tokens: Tensor, positions: Tensor, places: nn.Module) -> Tensor:
        if not self.separate or places is self.source_places:
            return super().embed(tokens, positions, places)
        return self.drop(self.target_embedding[tokens] + places(positions.clamp(max=PLACES - 1)))

    def logits(self, hidden: Tensor) -> Tensor:
        return F.linear(hidden, self.output, self.output_bias) if self.separate else super().logits(hidden)


def weights_of(model: FConv) -> dict[str, Tensor]:
    """Under the names and in the shapes of ConvS2S; of an FConv that is not tied without what ConvS2S has no place
    for."""
    found = {
        "embedding.weight": model.source_tokens,
        "source_places.weight": model.source_places,
        "target_places.weight": model.target_places,
    }
    for name, layer in pairs(model):
        is_window = len(layer.v) != len(model.encoder_in.v)
        rows = layer.v.T  # outputs x inputs
        if is_window:  # outputs x (places, channels) there, outputs x channels x places here
            rows = rows.unflatten(1, (WIDTH, -1)).transpose(1, 2)
        found[f"{name}.bias"] = layer.b
        found[f"{name}.parametrizations.weight.original0"] = layer.g.view(-1, *[1] * (rows.ndim - 1))
        found[f"{name}.parametrizations.weight.original1"] = rows
    return {name: tensor.detach().clone() for name, tensor in found.items()}


def pairs(model: FConv) -> list[tuple[str, Product]]:
    """Each normalised layer with the name of its counterpart."""
    found = [(name, getattr(model, name)) for name in ("encoder_in", "encoder_out", "decoder_in", "decoder_out")]
    found += [(f"encoder.{at}", layer) for at, layer in enumerate(model.encoder)]
    found += [(f"decoder.{at}", layer) for at, layer in enumerate(model.decoder)]
    found += [(f"attention.{at}.into", layer) for at, layer in enumerate(model.queries)]
    found += [(f"attention.{at}.outof", layer) for at, layer in enumerate(model.read)]
    return found
