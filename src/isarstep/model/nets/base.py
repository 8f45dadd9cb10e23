"""What training and decoding may ask of any model.

Training calls `forward`; decoding calls `encode` and `start` once per batch and `step` once per token.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import lru_cache
from typing import Any

import torch.nn.functional as F
from torch import Tensor, nn

from isarstep.benchmark.arrays.corpus import Corpus
from isarstep.benchmark.arrays.inputs import Source, Target
from isarstep.benchmark.arrays.measures import Layout
from isarstep.model.data.batches import Packer
from isarstep.model.data.tensors import Tensors
from isarstep.model.nets.config import ModelConfig


class RowsState:
    """What a model remembers between two steps, a row for each sentence: what it has read, and what hypotheses carry
    on."""

    def __init__(self, read: tuple[Tensor, ...], carried: list[Tensor]) -> None:
        self.read, self.carried = read, carried
        self.length = 0  # tokens written

    def keep(self, rows: Tensor) -> None:
        self.read = tuple(each[rows] for each in self.read)
        self.carried = [each[rows] for each in self.carried]


class Seq2Seq(nn.Module, ABC):
    """A model of p(target | propositions and their categories) with one token table for input and output."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config

    @property
    @abstractmethod
    def token_table(self) -> Tensor:
        """V x D, shared by source, target and output."""

    @property
    def arrays(self) -> Tensors:
        """What a search over this model works with: tensors, where its weights lie."""
        return tensors_on(self.token_table.device)

    def packer(self, corpus: Corpus) -> Packer:
        """What gives this model examples of a corpus to read."""
        layout = Layout(self.config.hierarchical, self.config.input)
        return Packer(corpus, layout, self.token_table.device)

    @abstractmethod
    def encode(self, source: Source) -> Tensor:
        """Packed representations of the source's tokens."""

    @abstractmethod
    def forward(self, source: Source, target: Target) -> Tensor:
        """Packed hidden states, one for each token to be written; `logits` turns them into scores."""

    @abstractmethod
    def start(self, source: Source, beams: int) -> Any:
        """Encode, and prepare everything that decoding needs once per sentence: a state for K hypotheses of each of B
        sentences, whose `keep(rows)` forgets all other sentences."""

    @abstractmethod
    def step(self, state: Any, tokens_BK: Tensor, parents_BK: Tensor) -> Tensor:
        """Hidden states after one more token. Hypothesis k continues what was hypothesis `parents[k]` a step ago. There
        may be fewer hypotheses than a step ago, or more, but never more than a search starts with."""

    def drop(self, x: Tensor) -> Tensor:
        return F.dropout(x, self.config.dropout, self.training)

    def logits(self, hidden: Tensor) -> Tensor:
        return F.linear(hidden, self.token_table)


tensors_on = lru_cache(maxsize=16)(Tensors)
