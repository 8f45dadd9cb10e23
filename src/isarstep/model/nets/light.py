"""HAT in the modern style over plain numpy: what a search on a CPU runs, so that nobody who only proposes needs torch.

It computes what `isarstep.model.nets.hat` does, from the same folders. Shapes: B sentences, K hypotheses, S packed
tokens of the source, T rows of either; D width, N outputs, X blocks, H heads, C channels of a head, M slots of the
past, V tokens.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from isarstep.benchmark.arrays.backend import NUMPY, Array
from isarstep.benchmark.arrays.corpus import Corpus
from isarstep.benchmark.arrays.inputs import Segments, Source
from isarstep.benchmark.arrays.measures import Layout
from isarstep.model.data.packing import HostPacker
from isarstep.model.nets.config import ModelConfig
from isarstep.model.nets.folders import ModelFolder, read_shards, refuse_changed_shards, refuse_unfitting

Floats = npt.NDArray[np.float32]
Longs = npt.NDArray[np.int64]
Rotation = tuple[Floats, Floats]
KeysValues = tuple[Floats, Floats]

EPSILON = np.float32(1e-6)


def is_light(folder: ModelFolder) -> bool:
    """Whether a model can do without torch."""
    config = folder.config
    return config.kind == "hat" and config.style == "modern" and folder.storage != "bf16"


def load_light(folder: ModelFolder) -> LightHAT:
    refuse_changed_shards(folder.path, folder.shards)
    return LightHAT(folder.config, read_shards(folder.path, "model", "np"), folder.path)


class Weights:
    """Weights by name, as they are stored: in int8 every row of a matrix has its own scale."""

    TOGETHER = 1 << 22  # numbers of matrices for which memory is asked at once: it comes in few large pages

    def __init__(self, stored: dict[str, Any]) -> None:
        self.stored = stored
        self.asked: set[str] = set()
        self.room = np.empty(0, np.float32)

    def rows(self, name: str) -> Callable[[Longs], Floats]:
        """Looks up rows of a matrix, which stays small."""
        matrix, scale = self._parts(name)
        if scale is None:
            return lambda chosen: matrix[chosen]
        return lambda chosen: matrix[chosen] * scale[chosen]

    def matrix(self, name: str) -> Matrix:
        """To be multiplied with many rows."""
        matrix, scale = self._parts(name + ".weight")
        return Matrix(np.multiply(matrix, 1 if scale is None else scale, out=self._space(matrix.shape)))

    def blocks(self, name: str) -> Blocks:
        """To be multiplied with a few rows."""
        matrix, scale = self._parts(name + ".weight")
        outputs = len(matrix)
        if short := -outputs % Blocks.WIDTH:
            matrix = np.pad(matrix, ((0, short), (0, 0)))
            scale = None if scale is None else np.pad(scale, ((0, short), (0, 0)))
        turned_XDN = matrix.reshape(-1, Blocks.WIDTH, matrix.shape[1]).swapaxes(1, 2)
        scale_X1N = 1 if scale is None else scale.reshape(-1, 1, Blocks.WIDTH)
        return Blocks(np.multiply(turned_XDN, scale_X1N, out=self._space(turned_XDN.shape)), outputs)

    def vector(self, name: str) -> Floats:
        return self._parts(name + ".weight")[0]

    def _space(self, shape: tuple[int, ...]) -> Floats:
        count = math.prod(shape)
        if count > len(self.room):
            self.room = np.empty(max(count, self.TOGETHER), np.float32)
        space, self.room = self.room[:count], self.room[count:]
        return space.reshape(shape)

    def _parts(self, name: str) -> tuple[Any, Floats | None]:
        self.asked.add(name)
        if name not in self.stored:
            return np.zeros((1, 1), np.float32), None  # it is told that it is missing when all have been asked for
        return self.stored[name], self.stored.get(name + ":scale")


class Matrix:
    """A linear layer."""

    def __init__(self, weight_ND: Floats) -> None:
        self.weight_ND = weight_ND

    def __call__(self, x_TD: Floats) -> Floats:
        return x_TD @ self.weight_ND.T


class Blocks:
    """The same in blocks of a few outputs. OpenBLAS copies a large matrix into an order of its own whenever it is
    multiplied; a product of a million multiplications or less it computes at once, and with the rows of one beam that
    is twice as fast."""

    WIDTH = 64

    def __init__(self, weight_XDN: Floats, outputs: int) -> None:
        self.weight_XDN, self.outputs = weight_XDN, outputs

    def __call__(self, x_TD: Floats) -> Floats:
        y_TXN = np.empty((len(x_TD), len(self.weight_XDN), self.WIDTH), np.float32)
        np.matmul(x_TD, self.weight_XDN, out=y_TXN.swapaxes(0, 1))
        return y_TXN.reshape(len(x_TD), -1)[:, : self.outputs]


Linear = Matrix | Blocks


class LightAttention:
    def __init__(self, weights: Weights, name: str, config: ModelConfig, out: Linear) -> None:
        self.heads = config.dimensions.heads
        self.channels = config.dimensions.width // self.heads
        self.out = out
        # Powers of two, so that nothing is lost by scaling here.
        self.query_norm = weights.vector(f"{name}.unit.query_norm") * np.float32(self.channels**-0.5)
        self.key_norm = weights.vector(f"{name}.unit.key_norm")

    def split(self, x_TX: Floats, parts: int) -> Floats:
        """Projections as they come out of one product."""
        return x_TX.reshape(len(x_TX), parts, self.heads, self.channels)


class LightSelfAttention(LightAttention):
    def __init__(self, weights: Weights, name: str, config: ModelConfig, linear: Callable[[str], Linear]) -> None:
        super().__init__(weights, name, config, linear(f"{name}.out"))
        self.inputs = linear(f"{name}.queries_keys_values")
        self.norms_21C = np.stack([self.query_norm, self.key_norm])[:, None]

    def project(self, x_TD: Floats, turn: Rotation) -> tuple[Floats, Floats, Floats]:
        x_TPHC = self.split(self.inputs(x_TD), 3)
        turned_TPHC = rotated(normed(x_TPHC[:, :2], self.norms_21C), turn)
        return turned_TPHC[:, 0], turned_TPHC[:, 1], x_TPHC[:, 2]

    def over(self, x_SD: Floats, segments: Segments, turn: Rotation) -> Floats:
        """Of each segment to itself."""
        q_HSC, k_HSC, v_HSC = (part.swapaxes(0, 1) for part in self.project(x_SD, turn))
        out_SHC = np.empty((len(x_SD), self.heads, self.channels), np.float32)
        starts = segments.starts.tolist()
        for begin, end in pairwise(starts):
            here = slice(begin, end)
            out_SHC[here] = attended(q_HSC[:, here], k_HSC[:, here], v_HSC[:, here]).swapaxes(0, 1)
        return self.out(out_SHC.reshape(len(x_SD), -1))

    def step(self, x_TD: Floats, past: Past, turn: Rotation) -> Floats:
        q_BHKC, k_BHKC, v_BHKC = (by_sentence(part, past.state.beams) for part in self.project(x_TD, turn))
        keys_BHMC, values_BHMC = past.with_more(k_BHKC, v_BHKC)
        return self.out(heads_joined(attended(q_BHKC, keys_BHMC, values_BHMC, past.state.hidden_BKM[:, None])))


class LightCrossAttention(LightAttention):
    def __init__(self, weights: Weights, name: str, config: ModelConfig) -> None:
        super().__init__(weights, name, config, weights.blocks(f"{name}.out"))
        self.queries = weights.blocks(f"{name}.queries")
        self.keys_values = weights.matrix(f"{name}.keys_values")

    def memory(self, memory_SD: Floats, examples: Segments) -> KeysValues:
        """Keys and values of each sentence, B x H x longest x C; what is behind its end is never looked at."""
        k_SHC, v_SHC = self.split(self.keys_values(memory_SD), 2).swapaxes(0, 1)
        batch, longest = examples.count, examples.longest
        # Keys lie as a product with queries reads them.
        keys_BHSC = np.zeros((batch, self.heads, self.channels, longest), np.float32).swapaxes(2, 3)
        values_BHSC = np.zeros((batch, self.heads, longest, self.channels), np.float32)
        starts = examples.starts.tolist()
        for row, (begin, end) in enumerate(pairwise(starts)):
            keys_BHSC[row, :, : end - begin] = normed(k_SHC[begin:end], self.key_norm).swapaxes(0, 1)
            values_BHSC[row, :, : end - begin] = v_SHC[begin:end].swapaxes(0, 1)
        return keys_BHSC, values_BHSC

    def step(self, x_TD: Floats, memory: KeysValues, hidden: Floats | None, beams: int) -> Floats:
        q_THC = self.split(self.queries(x_TD), 1)[:, 0]
        q_BHKC = by_sentence(normed(q_THC, self.query_norm), beams)
        return self.out(heads_joined(attended(q_BHKC, *memory, hidden)))


class LightFeedForward:
    def __init__(self, name: str, linear: Callable[[str], Linear]) -> None:
        self.inner, self.outer = linear(f"{name}.inner"), linear(f"{name}.outer")

    def __call__(self, x_TD: Floats) -> Floats:
        both = self.inner(x_TD)
        gate, h = both[:, : both.shape[1] // 2], both[:, both.shape[1] // 2 :]
        x = np.negative(gate)
        np.exp(x, out=x)
        x += 1
        np.divide(gate, x, out=x)
        x *= h
        return self.outer(x)


class LightEncoderLayer:
    def __init__(self, weights: Weights, name: str, config: ModelConfig) -> None:
        self.attention = LightSelfAttention(weights, f"{name}.attention", config, weights.matrix)
        self.attention_norm = weights.vector(f"{name}.attention_residual.norm")
        self.feed_forward = LightFeedForward(f"{name}.feed_forward", weights.matrix)
        self.feed_forward_norm = weights.vector(f"{name}.feed_forward_residual.norm")

    def __call__(self, x_SD: Floats, segments: Segments, turn: Rotation) -> Floats:
        x_SD = x_SD + self.attention.over(normed(x_SD, self.attention_norm), segments, turn)
        x_SD += self.feed_forward(normed(x_SD, self.feed_forward_norm))
        return x_SD


class LightDecoderLayer:
    def __init__(self, weights: Weights, name: str, config: ModelConfig) -> None:
        self.attention = LightSelfAttention(weights, f"{name}.attention", config, weights.blocks)
        self.attention_norm = weights.vector(f"{name}.attention_residual.norm")
        self.cross = LightCrossAttention(weights, f"{name}.cross", config)
        self.cross_norm = weights.vector(f"{name}.cross_residual.norm")
        self.feed_forward = LightFeedForward(f"{name}.feed_forward", weights.blocks)
        self.feed_forward_norm = weights.vector(f"{name}.feed_forward_residual.norm")

    def step(self, x_TD: Floats, past: Past, memory: KeysValues, state: LightState, turn: Rotation) -> Floats:
        x_TD = x_TD + self.attention.step(normed(x_TD, self.attention_norm), past, turn)
        x_TD += self.cross.step(normed(x_TD, self.cross_norm), memory, state.hidden_B11S, state.beams)
        x_TD += self.feed_forward(normed(x_TD, self.feed_forward_norm))
        return x_TD


class LightHAT:
    """Read and write as `isarstep.model.nets.Seq2Seq` does, in fp32 on the CPU; it cannot be trained."""

    arrays = NUMPY

    def __init__(self, config: ModelConfig, stored: dict[str, Any], folder: Path) -> None:
        weights, size = Weights(stored), config.dimensions
        self.config = config
        self.width = np.float32(size.width**0.5)
        self.local_layers = size.local_layers
        self.token_rows, self.category_rows = weights.rows("embedding.weight"), weights.rows("categories")
        self.encoder = [LightEncoderLayer(weights, f"encoder.{i}", config) for i in range(size.encoder_layers)]
        self.decoder = [LightDecoderLayer(weights, f"decoder.{i}", config) for i in range(size.decoder_layers)]
        self.encoder_norm, self.decoder_norm = weights.vector("encoder_norm"), weights.vector("decoder_norm")
        self.output = weights.blocks("embedding")
        channels = size.width // size.heads
        self.rates = 10000.0 ** (-np.arange(0, channels, 2, dtype=np.float32) / np.float32(channels))
        refuse_unfitting(folder, weights.asked, {name for name in stored if not name.endswith(":scale")})

    def packer(self, corpus: Corpus) -> HostPacker:
        return HostPacker(corpus, Layout(self.config.hierarchical, self.config.input))

    def rotation(self, positions: Longs) -> Rotation:
        angles = positions[:, None, None, None].astype(np.float32) * self.rates.astype(np.float32)
        return np.cos(angles), np.sin(angles)

    def encode(self, source: Source) -> Floats:
        x_SD = self.token_rows(source.tokens_S) * self.width + self.category_rows(source.categories_S)
        turn = self.rotation(source.positions_S)
        for depth, layer in enumerate(self.encoder):
            x_SD = layer(x_SD, source.propositions if depth < self.local_layers else source.examples, turn)
        return normed(x_SD, self.encoder_norm)

    def start(self, source: Source, beams: int) -> LightState:
        memory_SD = self.encode(source)
        memories = [layer.cross.memory(memory_SD, source.examples) for layer in self.decoder]
        return LightState(memories, source.examples.lengths(), beams)

    def step(self, state: LightState, tokens_BK: Array, parents_BK: Array) -> Array:
        state.advance(parents_BK)
        x_TD = self.token_rows(tokens_BK.reshape(-1)) * self.width
        turn = self.rotation(np.array([state.length - 1]))
        for layer, past, memory in zip(self.decoder, state.pasts, state.memories, strict=True):
            x_TD = layer.step(x_TD, past, memory, state, turn)
        return normed(x_TD, self.decoder_norm).reshape(*tokens_BK.shape, -1)

    def logits(self, hidden: Array) -> Array:
        logits_TV = self.output(hidden.reshape(-1, hidden.shape[-1]))
        return logits_TV.reshape(*hidden.shape[:2], -1)


class Past:
    """One layer's keys and values of every token that was ever tried, see `TransformerState`."""

    FIRST_ROOM = 32

    def __init__(self, state: LightState, batch: int, heads: int, channels: int) -> None:
        self.state = state
        self.both_2BHMC = np.zeros((2, batch, heads, self.FIRST_ROOM * state.beams, channels), np.float32)

    def with_more(self, k_BHKC: Floats, v_BHKC: Floats) -> KeysValues:
        end = self.state.hidden_BKM.shape[2]
        room = self.both_2BHMC.shape[3]
        if end > room:
            self.both_2BHMC = np.pad(self.both_2BHMC, ((0, 0), (0, 0), (0, 0), (0, room), (0, 0)))
        self.both_2BHMC[0, :, :, end - k_BHKC.shape[2] : end] = k_BHKC
        self.both_2BHMC[1, :, :, end - k_BHKC.shape[2] : end] = v_BHKC
        keys_BHMC, values_BHMC = self.both_2BHMC[:, :, :, :end]
        return keys_BHMC, values_BHMC


class LightState:
    """What is known of K hypotheses, of which there may be fewer at some steps, for each of B sentences. What must not
    be looked at has minus infinity."""

    FORGETS = 16  # after so many steps, each time

    def __init__(self, memories: list[KeysValues], lengths_B: Longs, beams: int) -> None:
        self.memories, self.lengths_B, self.beams = memories, lengths_B, beams
        self.length = 0
        batch, heads, _, channels = memories[0][0].shape
        self.hidden_B11S = self._behind_the_end()
        self.hidden_BKM = np.empty((batch, beams, 0), np.float32)
        self.own_KK = np.where(np.eye(beams, dtype=bool), np.float32(0), np.float32(-np.inf))
        self.pasts = [Past(self, batch, heads, channels) for _ in memories]

    def _behind_the_end(self) -> Floats | None:
        longest = int(self.lengths_B.max())
        if (self.lengths_B == longest).all():
            return None
        behind_BS = np.arange(longest) >= self.lengths_B[:, None]
        return np.where(behind_BS, np.float32(-np.inf), np.float32(0))[:, None, None]

    def advance(self, parents_BK: Longs) -> None:
        batch, self.beams = parents_BK.shape
        self.hidden_BKM = self.hidden_BKM[np.arange(batch)[:, None], parents_BK]
        if self.length and not self.length % self.FORGETS:
            self._forget()
        own_BKK = np.broadcast_to(self.own_KK[: self.beams, : self.beams], (batch, self.beams, self.beams))
        self.hidden_BKM = np.concatenate([self.hidden_BKM, own_BKK], 2)
        self.length += 1

    def _forget(self) -> None:
        """Most tokens that were tried are no hypothesis' past any more: what is left is moved together."""
        living_BM = (self.hidden_BKM == 0).any(1)
        most = int(living_BM.sum(1).max())
        chosen_BM = np.argsort(~living_BM, 1, kind="stable")[:, :most]
        self.hidden_BKM = np.take_along_axis(self.hidden_BKM, chosen_BM[:, None], 2)
        rows_B1 = np.arange(len(living_BM))[:, None]
        for past in self.pasts:
            # Indices around a slice bring their own axes to the front.
            past.both_2BHMC[:, :, :, :most] = past.both_2BHMC[:, rows_B1, :, chosen_BM].transpose(2, 0, 3, 1, 4)

    def keep(self, rows: Longs) -> None:
        self.lengths_B, self.hidden_BKM = self.lengths_B[rows], self.hidden_BKM[rows]
        self.hidden_B11S = self._behind_the_end()
        longest = int(self.lengths_B.max())
        self.memories = [(keys[rows, :, :longest], values[rows, :, :longest]) for keys, values in self.memories]
        for past in self.pasts:
            past.both_2BHMC = past.both_2BHMC[:, rows]


def normed(x: Floats, weight: Floats) -> Floats:
    """RMSNorm over the last axis."""
    mean = np.einsum("...i,...i->...", x, x)[..., None] / np.float32(x.shape[-1])
    y: Floats = x * (weight / np.sqrt(mean + EPSILON))
    return y


def rotated(x_TPHC: Floats, turn: Rotation) -> Floats:
    cos, sin = turn
    middle = x_TPHC.shape[-1] // 2
    first, second = x_TPHC[..., :middle], x_TPHC[..., middle:]
    return np.concatenate([first * cos - second * sin, second * cos + first * sin], -1)


def attended(q: Floats, k: Floats, v: Floats, hidden: Floats | None = None) -> Floats:
    """Softmax attention over the last axes but one; queries are scaled already."""
    scores: Floats = q @ k.swapaxes(-1, -2)
    if hidden is not None:
        scores += hidden
    scores -= scores.max(-1, keepdims=True)
    np.exp(scores, out=scores)
    out: Floats = scores @ v
    out /= scores.sum(-1, keepdims=True)
    return out


def by_sentence(x_THC: Floats, beams: int) -> Floats:
    """B x H x K x C."""
    return x_THC.reshape(-1, beams, *x_THC.shape[1:]).swapaxes(1, 2)


def heads_joined(x_BHKC: Floats) -> Floats:
    """The heads beside each other again, T x D."""
    batch, heads, beams, channels = x_BHKC.shape
    return x_BHKC.swapaxes(1, 2).reshape(batch * beams, heads * channels)
