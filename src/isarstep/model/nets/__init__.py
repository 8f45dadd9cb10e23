"""The paper's four models over token ids; they know nothing about Isabelle.

Torch is imported when a model is built: the light model and what describes a model folder need none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from isarstep.model.nets.config import Kind, ModelConfig

if TYPE_CHECKING:
    from isarstep.model.nets.base import Seq2Seq

__all__ = ["ModelConfig", "build_model"]


def build_model(config: ModelConfig) -> Seq2Seq:
    """A fresh model with random weights."""
    from isarstep.model.nets.convs2s import ConvS2S
    from isarstep.model.nets.hat import HAT
    from isarstep.model.nets.rnnsearch import RNNSearch
    from isarstep.model.nets.transformer import Transformer

    kinds: dict[Kind, type[Seq2Seq]] = {
        "rnnsearch": RNNSearch, "convs2s": ConvS2S, "transformer": Transformer, "hat": HAT
    }  # fmt: skip
    return kinds[config.kind](config)
