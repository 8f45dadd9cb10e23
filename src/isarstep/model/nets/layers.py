"""Layers that the attention models share, in two styles: the paper's (post-norm, sinusoids, ReLU, biases) and a
modern one (pre-norm RMSNorm, rotary positions, normalised queries and keys, SwiGLU, no biases).

Each layer has two paths that compute the same thing: `forward` over packed sequences, and `step` for one more token
of K hypotheses of B sentences. Shapes: T, S, U packed tokens; D width; H heads; C channels of a head; M past slots.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from isarstep.benchmark.arrays.inputs import Segments
from isarstep.model.nets.attention import HAS_TRITON, attend_few, attend_packed, attend_packed_memory
from isarstep.model.nets.config import ModelConfig, Style

Rotation = tuple[Tensor, Tensor] | None


def sinusoids(positions: Tensor, width: int) -> Tensor:
    """Vaswani et al. (2017), sines in the first half of the channels and cosines in the second."""
    rates = 10000.0 ** (-torch.arange(0, width, 2, device=positions.device, dtype=torch.float32) / width)
    angles = positions[..., None].float() * rates
    return torch.cat([angles.sin(), angles.cos()], -1)


def rotation(positions: Tensor, config: ModelConfig) -> Rotation:
    """Cosines and sines that turn queries and keys by their position; None in the paper's style."""
    if config.style == "paper":
        return None
    channels = config.dimensions.width // config.dimensions.heads
    rates = 10000.0 ** (-torch.arange(0, channels, 2, device=positions.device, dtype=torch.float32) / channels)
    angles = positions[..., None, None].float() * rates
    return angles.cos(), angles.sin()


def rotate(x: Tensor, turn: Rotation) -> Tensor:
    if turn is None:
        return x
    cos, sin = turn
    first, second = x.float().chunk(2, -1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], -1).to(x.dtype)


def norm(config: ModelConfig) -> nn.Module:
    width = config.dimensions.width
    return nn.LayerNorm(width) if config.style == "paper" else nn.RMSNorm(width, eps=1e-6)


def linear(inputs: int, outputs: int, style: Style) -> nn.Linear:
    return nn.Linear(inputs, outputs, bias=style == "paper")


def drop(x: Tensor, share: float, training: bool) -> Tensor:
    """Dropout. On a GPU a generator's numbers cost more than all the rest of a residual connection, and keeping them
    for the backward pass costs memory: there a hash of an element's place and one random number decides, each time
    anew."""
    if not training or not share:
        return x
    if not x.is_cuda:
        return F.dropout(x, share)
    return hashed_dropout(x, share, random_pair(x.device))


def random_pair(device: torch.device) -> Tensor:
    return torch.randint(-(2**31), 2**31 - 1, (2,), dtype=torch.int32, device=device)


def hashed_dropout(x: Tensor, share: float, seeds_2: Tensor) -> Tensor:
    h = torch.arange(x.numel(), dtype=torch.int32, device=x.device) ^ seeds_2[0]
    # Two rounds of a multiplicative hash (constants of Wellons' lowbias32), logical shifts by masking.
    h = (h ^ ((h >> 16) & 0xFFFF)) * 0x7FEB352D
    h = (h ^ ((h >> 15) & 0x1FFFF)) + seeds_2[1]
    h = h * -2073254261
    h = h ^ ((h >> 16) & 0xFFFF)
    kept = (h & 0xFFFFFF) >= int(share * 2**24)
    return torch.where(kept.view(x.shape), x * (1 / (1 - share)), 0)


def takes_fused(x: Tensor) -> bool:
    return HAS_TRITON and x.is_cuda and x.dtype == torch.bfloat16 and x.ndim == 2 and torch.is_grad_enabled()


def half_stream(x: Tensor, config: ModelConfig) -> Tensor:
    """What enters the first layer: half precision where products are, and every layer ends with a norm."""
    if config.style == "paper" and x.is_cuda and torch.is_autocast_enabled("cuda"):
        return x.to(torch.get_autocast_dtype("cuda"))
    return x


class Embedding(nn.Module):
    """The one token table, for source, target and output; `modern` leaves positions to the rotation."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.style = config.style
        self.width = config.dimensions.width
        self.weight = nn.Parameter(torch.empty(config.vocabulary, self.width))
        nn.init.normal_(self.weight, std=self.width**-0.5)

    def forward(self, tokens: Tensor, positions: Tensor) -> Tensor:
        return self.place(F.embedding(tokens, self.weight), positions)

    def place(self, x: Tensor, positions: Tensor) -> Tensor:
        x = x * self.width**0.5
        if self.style == "paper":
            x = x + sinusoids(positions, self.width).to(x.dtype)
        return x


class SelfAttention(nn.Module):
    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        width, self.heads = config.dimensions.width, config.dimensions.heads
        self.channels = width // self.heads
        self.queries_keys_values = linear(width, 3 * width, config.style)
        self.out = linear(width, width, config.style)
        self.unit = UnitLength(self.channels, config.style)

    def project(self, x: Tensor, turn: Rotation) -> Tensor:
        """Queries, keys and values of all heads in one block, ... x 3 x H x C."""
        qkv: Tensor = self.queries_keys_values(x).unflatten(-1, (3, self.heads, self.channels))
        if turn is None:
            return qkv
        q, k, v = qkv.unbind(-3)
        q, k = self.unit(q, k)
        return torch.stack([rotate(q, turn), rotate(k, turn), v], -3)

    def forward(self, x_TD: Tensor, segments: Segments, turn: Rotation, causal: bool) -> Tensor:
        return self.out(attend_packed(self.project(x_TD, turn), segments, causal).flatten(-2))

    def step(self, x_BKD: Tensor, past: KeysValues, slot: int, allowed_B1KM: Tensor, turn: Rotation) -> Tensor:
        q, k, v = self.project(x_BKD, turn).unbind(-3)
        beams = x_BKD.shape[1]
        past.keys_BHMC[:, :, slot : slot + beams] = k.transpose(1, 2)
        past.values_BHMC[:, :, slot : slot + beams] = v.transpose(1, 2)
        out = attend_few(
            q.transpose(1, 2),
            past.keys_BHMC[:, :, : slot + beams],
            past.values_BHMC[:, :, : slot + beams],
            allowed_B1KM,
        )
        return self.out(out.transpose(1, 2).flatten(-2))


class CrossAttention(nn.Module):
    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        width, self.heads = config.dimensions.width, config.dimensions.heads
        self.channels = width // self.heads
        self.queries = linear(width, width, config.style)
        self.keys_values = linear(width, 2 * width, config.style)
        self.out = linear(width, width, config.style)
        self.unit = UnitLength(self.channels, config.style)

    def project_memory(self, memory: Tensor) -> Tensor:
        """Keys and values of all heads in one block, S x 2 x H x C."""
        kv: Tensor = self.keys_values(memory).unflatten(-1, (2, self.heads, self.channels))
        if not self.unit.modern:
            return kv
        k, v = kv.unbind(-3)
        return torch.stack([self.unit.of_keys(k), v], -3)

    def forward(self, x_UD: Tensor, memory_SD: Tensor, targets: Segments, sources: Segments) -> Tensor:
        q = self.unit.of_queries(self.queries(x_UD).unflatten(-1, (self.heads, self.channels)))
        return self.out(attend_packed_memory(q, self.project_memory(memory_SD), targets, sources).flatten(-2))

    def step(self, x_BKD: Tensor, memory: KeysValues, allowed_B11S: Tensor) -> Tensor:
        # The K hypotheses of a sentence are K queries over one copy of its keys.
        q = self.unit.of_queries(self.queries(x_BKD).unflatten(-1, (self.heads, self.channels)))
        out = attend_few(q.transpose(1, 2), memory.keys_BHMC, memory.values_BHMC, allowed_B11S)
        return self.out(out.transpose(1, 2).flatten(-2))


class UnitLength(nn.Module):
    """Normalises queries and keys (modern style), which keeps attention stable at high learning rates."""

    def __init__(self, channels: int, style: Style) -> None:
        super().__init__()
        self.modern = style == "modern"
        self.query_norm = nn.RMSNorm(channels, eps=1e-6) if self.modern else nn.Identity()
        self.key_norm = nn.RMSNorm(channels, eps=1e-6) if self.modern else nn.Identity()

    def of_queries(self, q: Tensor) -> Tensor:
        return self.query_norm(q).to(q.dtype)

    def of_keys(self, k: Tensor) -> Tensor:
        return self.key_norm(k).to(k.dtype)

    def forward(self, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        return self.of_queries(q), self.of_keys(k)


class FeedForward(nn.Module):
    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        width, self.gated = config.dimensions.width, config.style == "modern"
        hidden = config.dimensions.filter
        if self.gated:
            hidden = (2 * hidden // 3 + 63) // 64 * 64  # three matrices with as many parameters as the paper's two
        self.inner = linear(width, 2 * hidden if self.gated else hidden, config.style)
        self.outer = linear(hidden, width, config.style)

    def forward(self, x: Tensor) -> Tensor:
        if not self.gated and takes_fused(x):
            return self.joined(x)
        h = self.inner(x)
        if self.gated:
            gate, h = h.chunk(2, -1)
            return self.outer(F.silu(gate) * h)
        return self.outer(F.relu(h))

    def joined(self, x: Tensor) -> Tensor:
        """The paper's, with the ReLU inside of the first product."""
        from isarstep.model.nets.fused_layers import linear_relu

        h: Tensor = linear_relu(x, self.inner.weight.to(x.dtype), self.inner.bias.to(x.dtype))
        y: Tensor = self.outer(h)
        return y


class Residual(nn.Module):
    """`norm(x + f(x))` in the paper's style, `x + f(norm(x))` in the modern one."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.norm = norm(config)
        self.before = config.style == "modern"
        self.dropout = config.dropout

    def enter(self, x: Tensor) -> Tensor:
        return self.norm(x) if self.before else x

    def leave(self, x: Tensor, y: Tensor) -> Tensor:
        if not self.before and takes_fused(x):
            return self.joined(x, y)
        x = x + drop(y, self.dropout, self.training)
        return x if self.before else self.norm(x).to(x.dtype)

    def joined(self, x: Tensor, y: Tensor) -> Tensor:
        """The paper's, in one trip through memory."""
        from isarstep.model.nets.fused_layers import residual_norm

        share = self.dropout if self.training else 0.0
        layer: nn.LayerNorm = self.norm  # type: ignore[assignment]
        z: Tensor = residual_norm(x, y, layer.weight, layer.bias, random_pair(x.device), share, layer.eps)[0]
        return z


class EncoderLayer(nn.Module):
    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.attention, self.attention_residual = SelfAttention(config), Residual(config)
        self.feed_forward, self.feed_forward_residual = FeedForward(config), Residual(config)

    def forward(self, x_SD: Tensor, segments: Segments, turn: Rotation) -> Tensor:
        residual = self.attention_residual
        x_SD = residual.leave(x_SD, self.attention(residual.enter(x_SD), segments, turn, causal=False))
        residual = self.feed_forward_residual
        return residual.leave(x_SD, self.feed_forward(residual.enter(x_SD)))


@dataclass
class KeysValues:
    keys_BHMC: Tensor
    values_BHMC: Tensor


class DecoderLayer(nn.Module):
    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.attention, self.attention_residual = SelfAttention(config), Residual(config)
        self.cross, self.cross_residual = CrossAttention(config), Residual(config)
        self.feed_forward, self.feed_forward_residual = FeedForward(config), Residual(config)

    def forward(self, x_UD: Tensor, memory_SD: Tensor, targets: Segments, sources: Segments, turn: Rotation) -> Tensor:
        residual = self.attention_residual
        x_UD = residual.leave(x_UD, self.attention(residual.enter(x_UD), targets, turn, causal=True))
        residual = self.cross_residual
        x_UD = residual.leave(x_UD, self.cross(residual.enter(x_UD), memory_SD, targets, sources))
        residual = self.feed_forward_residual
        return residual.leave(x_UD, self.feed_forward(residual.enter(x_UD)))

    def step(
        self,
        x_BKD: Tensor,
        past: KeysValues,
        slot: int,
        allowed_B1KM: Tensor,
        memory: KeysValues,
        readable_B11S: Tensor,
        turn: Rotation,
    ) -> Tensor:
        residual = self.attention_residual
        x_BKD = residual.leave(x_BKD, self.attention.step(residual.enter(x_BKD), past, slot, allowed_B1KM, turn))
        residual = self.cross_residual
        x_BKD = residual.leave(x_BKD, self.cross.step(residual.enter(x_BKD), memory, readable_B11S))
        residual = self.feed_forward_residual
        return residual.leave(x_BKD, self.feed_forward(residual.enter(x_BKD)))


ATTENTION_INPUTS = {"queries_keys_values": 3, "keys_values": 2, "queries": 1}  # projections in one matrix


def initialise(module: nn.Module, style: Style) -> None:
    """Glorot for every matrix (each of a fused projection's parts on its own), zero for biases.

    In the paper's style queries, keys and values begin smaller by the root of two, as in the toolkit that the paper
    used: with norms behind the layers much depends on it (research/LOG.md). In the modern style the projections that
    write into the residual stream start at zero: each layer begins as the identity.
    """
    for name, child in module.named_modules():
        if isinstance(child, nn.Linear):
            last = name.rsplit(".", 1)[-1]
            gain = 2**-0.5 if style == "paper" and last in ATTENTION_INPUTS else 1.0
            for part in child.weight.chunk(ATTENTION_INPUTS.get(last, 1)):
                nn.init.xavier_uniform_(part, gain)
            if child.bias is not None:
                nn.init.zeros_(child.bias)
            if style == "modern" and last in ("out", "outer"):
                nn.init.zeros_(child.weight)
