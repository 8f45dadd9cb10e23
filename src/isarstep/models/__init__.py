"""The paper's four models over token ids; they know nothing about Isabelle.

Torch is imported when one of its classes is asked for: the light model and what describes a model folder need none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isarstep.feed.inputs import Segments, Source, Target
from isarstep.models.config import ModelConfig

if TYPE_CHECKING:
    from isarstep.models.base import BeamState, Seq2Seq

__all__ = ["BeamState", "ModelConfig", "Segments", "Seq2Seq", "Source", "Target", "build_model"]


def __getattr__(name: str) -> Any:
    if name in ("BeamState", "Seq2Seq"):
        from isarstep.models import base

        return getattr(base, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def build_model(config: ModelConfig) -> Seq2Seq:
    """A fresh model with random weights."""
    from isarstep.models.convs2s import ConvS2S
    from isarstep.models.hat import HAT
    from isarstep.models.rnnsearch import RNNSearch
    from isarstep.models.transformer import Transformer

    match config.kind:
        case "rnnsearch":
            return RNNSearch(config)
        case "convs2s":
            return ConvS2S(config)
        case "transformer":
            return Transformer(config)
        case "hat":
            return HAT(config)
