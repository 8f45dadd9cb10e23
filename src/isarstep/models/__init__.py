"""The paper's four models over token ids; they know nothing about Isabelle.

Torch is imported when a model is built: the light model and what describes a model folder need none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from isarstep.models.config import Kind, ModelConfig

if TYPE_CHECKING:
    from isarstep.models.base import Seq2Seq

__all__ = ["ModelConfig", "build_model"]


def build_model(config: ModelConfig) -> Seq2Seq:
    """A fresh model with random weights."""
    from isarstep.models.convs2s import ConvS2S
    from isarstep.models.hat import HAT
    from isarstep.models.rnnsearch import RNNSearch
    from isarstep.models.transformer import Transformer

    kinds: dict[Kind, type[Seq2Seq]] = {
        "rnnsearch": RNNSearch, "convs2s": ConvS2S, "transformer": Transformer, "hat": HAT
    }  # fmt: skip
    return kinds[config.kind](config)
