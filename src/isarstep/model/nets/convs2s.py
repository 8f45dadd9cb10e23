"""ConvS2S (Gehring et al., 2017) in the set-up `fconv_iwslt_de_en`: gated convolutions of width 3, four layers that
read and three that write, each of which attends to the source. Shapes: B sentences, L source and U target places, E
channels.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.parametrizations import weight_norm

from isarstep.benchmark.arrays.inputs import Source, Target
from isarstep.model.data.padding import pad, unpad
from isarstep.model.nets.base import RowsState, Seq2Seq
from isarstep.model.nets.config import ModelConfig

KERNEL = 3
ENCODER_LAYERS = 4
DECODER_LAYERS = 3
PLACES = 1024  # learned positions; what is further right shares the last one
HALF = math.sqrt(0.5)  # keeps the variance of a sum of two


def normed_linear(inputs: int, outputs: int) -> nn.Module:
    layer = nn.Linear(inputs, outputs)
    nn.init.normal_(layer.weight, std=math.sqrt(1 / inputs))
    nn.init.zeros_(layer.bias)
    return weight_norm(layer)


def normed_conv(channels: int, dropout: float, padding: int) -> nn.Module:
    layer = nn.Conv1d(channels, 2 * channels, KERNEL, padding=padding)
    nn.init.normal_(layer.weight, std=math.sqrt(4 * (1 - dropout) / (KERNEL * channels)))
    nn.init.zeros_(layer.bias)  # type: ignore[arg-type]
    return weight_norm(layer)


class ConvAttention(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.into = normed_linear(channels, channels)
        self.outof = normed_linear(channels, channels)

    def forward(self, x: Tensor, embedded: Tensor, keys_BLE: Tensor, values_BLE: Tensor, valid_BL: Tensor) -> Tensor:
        query = (self.into(x) + embedded) * HALF
        scores = (query @ keys_BLE.transpose(1, 2)).masked_fill(~valid_BL[:, None], -torch.inf)
        # The mean over m places has a variance of 1/m: scale it back.
        length_B11 = valid_BL.sum(-1)[:, None, None].to(x.dtype)
        read = scores.softmax(-1).to(values_BLE.dtype) @ values_BLE * length_B11.sqrt()
        return (self.outof(read) + x) * HALF


class ConvS2S(Seq2Seq):
    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        channels, drop = config.dimensions.width // 2, config.dropout
        self.embedding = nn.Embedding(config.vocabulary, channels)
        self.source_places = nn.Embedding(PLACES, channels)
        self.target_places = nn.Embedding(PLACES, channels)
        for table in (self.embedding, self.source_places, self.target_places):
            nn.init.normal_(table.weight, std=0.1)
        self.encoder_in = normed_linear(channels, channels)
        self.encoder = nn.ModuleList(normed_conv(channels, drop, KERNEL // 2) for _ in range(ENCODER_LAYERS))
        self.encoder_out = normed_linear(channels, channels)
        self.decoder_in = normed_linear(channels, channels)
        self.decoder = nn.ModuleList(normed_conv(channels, drop, 0) for _ in range(DECODER_LAYERS))
        self.attention = nn.ModuleList(ConvAttention(channels) for _ in range(DECODER_LAYERS))
        self.decoder_out = normed_linear(channels, channels)

    @property
    def token_table(self) -> Tensor:
        return self.embedding.weight

    def embed(self, tokens: Tensor, positions: Tensor, places: nn.Module) -> Tensor:
        return self.drop(self.embedding(tokens) + places(positions.clamp(max=PLACES - 1)))

    def encode_pair(self, source: Source) -> tuple[Tensor, Tensor, Tensor]:
        """Keys, values (keys with the embedding added) and which cells are real."""
        embedded_BLE, valid_BL = pad(
            self.embed(source.tokens_S, source.positions_S, self.source_places), source.examples
        )
        real_BL1 = valid_BL[..., None].to(embedded_BLE.dtype)
        x_BLE = self.encoder_in(embedded_BLE) * real_BL1
        for conv in self.encoder:
            h_BLE = F.glu(conv(self.drop(x_BLE).transpose(1, 2)), 1).transpose(1, 2)
            x_BLE = (x_BLE + h_BLE) * HALF * real_BL1
        keys_BLE = self.encoder_out(x_BLE)
        # The same value with a smaller gradient: every decoder layer sends one back to the encoder.
        share = 1 / (2 * DECODER_LAYERS)
        keys_BLE = keys_BLE * share + keys_BLE.detach() * (1 - share)
        return keys_BLE, (keys_BLE + embedded_BLE) * HALF, valid_BL

    def encode(self, source: Source) -> Tensor:
        return unpad(self.encode_pair(source)[1], source.examples, len(source.tokens_S))

    def forward(self, source: Source, target: Target) -> Tensor:
        keys_BLE, values_BLE, valid_BL = self.encode_pair(source)
        embedded_BUE, _ = pad(self.embed(target.inputs_U, target.positions_U, self.target_places), target.examples)
        x_BUE = self.decoder_in(embedded_BUE)
        for conv, attention in zip(self.decoder, self.attention, strict=True):
            h_BEU = F.pad(self.drop(x_BUE).transpose(1, 2), (KERNEL - 1, 0))
            h_BUE = F.glu(conv(h_BEU), 1).transpose(1, 2)
            x_BUE = (x_BUE + attention(h_BUE, embedded_BUE, keys_BLE, values_BLE, valid_BL)) * HALF
        return unpad(self.drop(self.decoder_out(x_BUE)), target.examples, len(target.inputs_U))

    def start(self, source: Source, beams: int) -> RowsState:
        """Hypotheses carry on the last inputs of each convolution."""
        read = self.encode_pair(source)
        batch, _, channels = read[0].shape
        return RowsState(read, [read[0].new_zeros(batch, beams, channels, KERNEL - 1) for _ in self.decoder])

    def step(self, state: RowsState, tokens_BK: Tensor, parents_BK: Tensor) -> Tensor:
        position = torch.full_like(tokens_BK, state.length)
        embedded_BKE = self.embed(tokens_BK, position, self.target_places)
        x_BKE = self.decoder_in(embedded_BKE)
        index = parents_BK[:, :, None, None].expand(-1, -1, x_BKE.shape[-1], KERNEL - 1)
        for depth, (conv, attention) in enumerate(zip(self.decoder, self.attention, strict=True)):
            window = torch.cat([state.carried[depth].gather(1, index), x_BKE[..., None]], -1)
            state.carried[depth] = window[..., 1:]
            h_BKE = F.glu(conv(window.flatten(0, 1)), 1).view_as(x_BKE)
            x_BKE = (x_BKE + attention(h_BKE, embedded_BKE, *state.read)) * HALF
        state.length += 1
        return self.decoder_out(x_BKE)
