"""Ways to train the paper's flat Transformer, each different from the plain one in one thing only.

Two questions. Is something broken: the same model in single precision, launched kernel by kernel without a kernel of
our own, or as Hugging Face's Marian? And what does it lack: what HAT has (positions that start anew with each
proposition, layers that stay inside of one), other positions, other first weights?
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor, nn

from isarstep.benchmark.arrays.inputs import Segments, Source
from isarstep.benchmark.store.special_tokens import SEP
from isarstep.model.data.batches import Batch
from isarstep.model.nets import ModelConfig, layers
from isarstep.model.nets.base import Seq2Seq
from isarstep.model.nets.hat import HAT
from isarstep.model.nets.transformer import Transformer


class WithPropositions(Transformer):
    """Reads one labelled row, as the plain Transformer, and finds the propositions in it."""

    def __init__(self, config: ModelConfig, restarts: bool, stays_inside: bool) -> None:
        super().__init__(config)
        self.restarts, self.stays_inside = restarts, stays_inside

    def encode(self, source: Source) -> Tensor:
        begins_S = self.begins(source)
        if self.restarts:
            place_S = torch.arange(len(begins_S), device=begins_S.device)
            source = replace(source, positions_S=place_S - torch.where(begins_S, place_S, 0).cummax(0).values)
        if self.stays_inside:
            source = replace(source, propositions=segments_at(begins_S, source.examples))
        x_SD = self.embed_source(source)
        local = self.config.dimensions.local_layers if self.stays_inside else 0
        for depth, layer in enumerate(self.encoder):
            x_SD = layer(x_SD, source.propositions if depth < local else source.examples, None)
        return self.encoder_norm(x_SD)

    @staticmethod
    def begins(source: Source) -> Tensor:
        """Where a proposition begins: behind a separator, and where an example does."""
        begins_S = torch.zeros(len(source.tokens_S) + 1, dtype=torch.bool, device=source.tokens_S.device)
        begins_S[1:] = source.tokens_S == SEP
        return begins_S.index_fill(0, source.examples.starts.long(), True)[:-1]


def segments_at(begins_S: Tensor, examples: Segments) -> Segments:
    """As many segments as there can be, the last ones empty: a GPU need not be asked for their number."""
    most = len(begins_S) // 2 + examples.count  # a label and a token make the shortest proposition
    owner_S = begins_S.cumsum(0) - 1
    starts = torch.searchsorted(owner_S, torch.arange(most + 1, device=begins_S.device))
    return Segments(starts.int(), examples.longest)


class WithRotations(Transformer):
    """Queries and keys turned by their positions instead of sinusoids added to tokens."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        self.embedding.style = "modern"


def with_larger_projections(config: ModelConfig) -> Transformer:
    """Queries, keys and values begin as large as all other matrices."""
    model = Transformer(config)
    for name, module in model.named_modules():
        if name.rsplit(".", 1)[-1] in layers.ATTENTION_INPUTS:
            assert isinstance(module, nn.Linear)
            with torch.no_grad():
                module.weight.mul_(2**0.5)
    return model


def before_each_layer(config: ModelConfig) -> Transformer:
    """Norms before the layers instead of behind them."""
    model = Transformer(config)
    for module in model.modules():
        if isinstance(module, layers.Residual):
            module.before = True
    model.encoder_norm, model.decoder_norm = layers.norm(config), layers.norm(config)
    return model


@dataclass(frozen=True)
class Variant:
    says: str
    build: Callable[[ModelConfig], Seq2Seq] = Transformer
    kind: str = "transformer"
    patches: tuple[tuple[str, Any], ...] = ()
    compiled: bool = True  # and recorded

    @contextmanager
    def applied(self) -> Iterator[None]:
        with ExitStack() as stack:
            stack.enter_context(patch("isarstep.model.train.loop.build_model", self.build))
            for name, value in self.patches:
                stack.enter_context(patch(name, value))
            yield


def single_precision_pass(loss: nn.Module, batch: Batch, weight: float | Tensor, device: str) -> Tensor:
    smoothed, nll = loss(batch.source, batch.target)
    (smoothed * weight).backward()
    result: Tensor = nll
    return result


def rotation_in_any_style(positions: Tensor, config: ModelConfig) -> layers.Rotation:
    return layers.rotation(positions, replace(config, style="modern"))


def packed_in_any_precision(x: Tensor) -> bool:
    return x.is_cuda and torch.is_grad_enabled()


def never(x: Tensor, *_: Any) -> bool:
    return False


def stream_as_it_comes(x: Tensor, config: ModelConfig) -> Tensor:
    return x


IN_SINGLE_PRECISION = tuple(
    (f"isarstep.model.train.{module}.backward_pass", single_precision_pass) for module in ("loop", "example_replay")
)
NO_KERNELS = (("isarstep.model.nets.attention.takes_packed", never), ("isarstep.model.nets.layers.takes_fused", never))

VARIANTS: dict[str, Variant] = {
    "flat": Variant("the paper's Transformer as `isarstep train` trains it"),
    "hat": Variant("the paper's HAT", HAT, kind="hat"),
    "restart": Variant(
        "flat, positions start anew with each proposition", lambda config: WithPropositions(config, True, False)
    ),
    "inside": Variant(
        "flat, the first four layers stay inside a proposition", lambda config: WithPropositions(config, False, True)
    ),
    "rotary": Variant(
        "flat, rotary positions",
        WithRotations,
        patches=(("isarstep.model.nets.transformer.rotation", rotation_in_any_style),),
    ),
    "larger": Variant("flat, larger first queries, keys and values", with_larger_projections),
    "prenorm": Variant(
        "flat, norms before the layers",
        before_each_layer,
        patches=(("isarstep.model.nets.transformer.half_stream", stream_as_it_comes),),
    ),
    "single": Variant(
        "flat, all in single precision",
        patches=(*IN_SINGLE_PRECISION, ("isarstep.model.nets.attention.takes_packed", packed_in_any_precision)),
    ),
    "plain": Variant(
        "flat, single precision, no kernel of our own, nothing compiled or recorded",
        patches=(*IN_SINGLE_PRECISION, *NO_KERNELS),
        compiled=False,
    ),
    "launched": Variant("flat, steps not recorded and nothing compiled", compiled=False),
    "flash": Variant("flat, no kernel of our own", patches=NO_KERNELS),
}
