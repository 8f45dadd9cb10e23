"""The Transformer (Vaswani et al., 2017) over one labelled row of tokens, and the decoder that HAT shares."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from isarstep.benchmark.arrays.inputs import Source, Target
from isarstep.model.nets.base import Seq2Seq
from isarstep.model.nets.config import ModelConfig
from isarstep.model.nets.layers import (
    DecoderLayer,
    Embedding,
    EncoderLayer,
    KeysValues,
    drop,
    half_stream,
    initialise,
    norm,
    rotation,
)


class Transformer(Seq2Seq):
    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        size = config.dimensions
        self.embedding = Embedding(config)
        self.encoder = nn.ModuleList(EncoderLayer(config) for _ in range(size.encoder_layers))
        self.decoder = nn.ModuleList(DecoderLayer(config) for _ in range(size.decoder_layers))
        modern = config.style == "modern"  # pre-norm leaves the residual stream unnormalised
        self.encoder_norm = norm(config) if modern else nn.Identity()
        self.decoder_norm = norm(config) if modern else nn.Identity()
        initialise(self, config.style)

    @property
    def token_table(self) -> Tensor:
        return self.embedding.weight

    def embed_source(self, source: Source) -> Tensor:
        return self.enter(F.embedding(source.tokens_S, self.token_table), source.positions_S)

    def enter(self, x: Tensor, positions: Tensor, more: Tensor | None = None) -> Tensor:
        """From rows of the token table to what the first layer reads."""
        x = self.embedding.place(x, positions)
        if more is not None:
            x = x + more
        return drop(half_stream(x, self.config), self.config.dropout, self.training)

    def encode(self, source: Source) -> Tensor:
        x_SD = self.embed_source(source)
        turn = rotation(source.positions_S, self.config)
        # The paper's hierarchy: the first layers stay inside a proposition. A flat source has one segment per example.
        local = self.config.dimensions.local_layers if self.config.hierarchical else 0
        for depth, layer in enumerate(self.encoder):
            x_SD = layer(x_SD, source.propositions if depth < local else source.examples, turn)
        return self.encoder_norm(x_SD)

    def forward(self, source: Source, target: Target) -> Tensor:
        memory_SD = self.encode(source)
        x_UD = self.enter(F.embedding(target.inputs_U, self.token_table), target.positions_U)
        turn = rotation(target.positions_U, self.config)
        for layer in self.decoder:
            x_UD = layer(x_UD, memory_SD, target.examples, source.examples, turn)
        return self.decoder_norm(x_UD)

    def start(self, source: Source, beams: int) -> TransformerState:
        memory_SD = self.encode(source)
        index_BS, valid_BS = source.examples.grid()
        memories = []
        layer: DecoderLayer
        for layer in self.decoder:  # type: ignore[assignment]
            k_SHC, v_SHC = layer.cross.project_memory(memory_SD).unbind(1)
            memories.append(KeysValues(k_SHC[index_BS].transpose(1, 2), v_SHC[index_BS].transpose(1, 2)))
        return TransformerState(memories, valid_BS[:, None, None, :], beams)

    def step(self, state: TransformerState, tokens_BK: Tensor, parents_BK: Tensor) -> Tensor:
        state.advance(parents_BK)
        position = torch.full_like(tokens_BK, state.length - 1)
        x_BKD = self.embedding(tokens_BK, position)
        turn = rotation(position, self.config)
        slot, hypotheses = (state.length - 1) * state.beams, tokens_BK.shape[1]
        allowed_B1KM = state.ancestors_BKM[:, None, :hypotheses, : slot + hypotheses]
        layers: list[DecoderLayer] = list(self.decoder)  # type: ignore[arg-type]
        for layer, past, memory in zip(layers, state.past, state.memories, strict=True):
            x_BKD = layer.step(x_BKD, past, slot, allowed_B1KM, memory, state.readable_B11S, turn)
        return self.decoder_norm(x_BKD)


class TransformerState:
    """Keys and values of every token that was ever tried, and for each hypothesis which of them are its own past.

    The store only grows: reordering the beam rewrites the small table of ancestors and moves no key or value. A
    hypothesis attends to its own ancestors among the K slots of each step.
    """

    FIRST_ROOM = 32

    def __init__(self, memories: list[KeysValues], readable_B11S: Tensor, beams: int) -> None:
        self.memories = memories
        self.readable_B11S = readable_B11S
        self.beams = beams
        self.length = 0
        keys = memories[0].keys_BHMC
        batch, heads, _, channels = keys.shape
        room = self.FIRST_ROOM * beams
        self.past = [
            KeysValues(keys.new_zeros(batch, heads, room, channels), keys.new_zeros(batch, heads, room, channels))
            for _ in memories
        ]
        self.ancestors_BKM = torch.zeros(batch, beams, room, dtype=torch.bool, device=keys.device)
        self.own_KK = torch.eye(beams, dtype=torch.bool, device=keys.device)

    def advance(self, parents_BK: Tensor) -> None:
        slot, hypotheses = self.length * self.beams, parents_BK.shape[1]
        if slot == self.ancestors_BKM.shape[2]:
            self.ancestors_BKM = F.pad(self.ancestors_BKM, (0, slot))
            for past in self.past:
                past.keys_BHMC = F.pad(past.keys_BHMC, (0, 0, 0, slot))
                past.values_BHMC = F.pad(past.values_BHMC, (0, 0, 0, slot))
        if self.length:
            before = self.ancestors_BKM[:, :, :slot]
            before[:, :hypotheses] = before.gather(1, parents_BK[:, :, None].expand(-1, -1, slot))
        self.ancestors_BKM[:, :hypotheses, slot : slot + self.beams] = self.own_KK[:hypotheses]
        self.length += 1

    def keep(self, rows: Tensor) -> None:
        self.readable_B11S = self.readable_B11S[rows]
        # Sentences are sorted by length, so that those left may all be shorter than the block.
        longest = int(self.readable_B11S.sum(-1).max())
        self.readable_B11S = self.readable_B11S[..., :longest]
        for memory in self.memories:
            memory.keys_BHMC = memory.keys_BHMC[:, :, :longest][rows]
            memory.values_BHMC = memory.values_BHMC[:, :, :longest][rows]
        for past in self.past:
            past.keys_BHMC = past.keys_BHMC[rows]
            past.values_BHMC = past.values_BHMC[rows]
        self.ancestors_BKM = self.ancestors_BKM[rows]
