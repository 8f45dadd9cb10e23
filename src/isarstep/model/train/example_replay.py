"""Forward and backward pass of a step, one by one or as one CUDA graph.

Thousands of small launches keep the host busier than the GPU. Where all batches have one shape they are recorded once,
after a few ordinary steps, and then sent to the GPU in one piece: the next batch is copied into the place of the
recorded one, and the gradients appear in the place of the recorded ones.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor, nn

from isarstep.benchmark.arrays.inputs import Segments, Source, Target
from isarstep.model.data.batches import Batch

ORDINARY_STEPS = 3  # until everything is compiled and every library has its workspace


def backward_pass(loss: nn.Module, batch: Batch, weight: float | Tensor, device: str) -> Tensor:
    """Adds `weight` times the gradient of the smoothed loss; the sum of -log p over the tokens to be written."""
    # A cached cast of a weight would be recorded outside of the graph that needs it.
    with torch.autocast(device, torch.bfloat16, enabled=device == "cuda", cache_enabled=False):
        smoothed, nll = loss(batch.source, batch.target)
    (smoothed * weight).backward()
    result: Tensor = nll
    return result


class Replay:
    """Steps of one batch each. Gradients are there after a call; do not set them to None."""

    def __init__(self, loss: nn.Module) -> None:
        self.loss = loss
        self.calls = 0
        self.stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        self.graph: torch.cuda.CUDAGraph | None = None

    @property
    def recorded(self) -> bool:
        return self.graph is not None

    def __call__(self, batch: Batch, weight: float) -> Tensor:
        self.calls += 1
        if self.calls <= ORDINARY_STEPS:
            return self.ordinary(batch, weight)
        if self.graph is None:
            self.record(batch)
        assert self.graph is not None
        torch._foreach_copy_(self.inputs, tensors_of(batch))
        self.weight.fill_(weight)
        self.graph.replay()
        return self.nll.clone()

    def ordinary(self, batch: Batch, weight: float) -> Tensor:
        # On the stream that will be recorded, so that what is kept from step to step belongs to it.
        self.stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.stream):
            nll = backward_pass(self.loss, batch, weight, "cuda")
        torch.cuda.current_stream().wait_stream(self.stream)
        return nll

    def record(self, batch: Batch) -> None:
        self.inputs = [tensor.clone() for tensor in tensors_of(batch)]
        fixed = with_tensors(batch, self.inputs)
        self.weight = torch.zeros((), device=self.inputs[0].device)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph, stream=self.stream):
            self.nll = backward_pass(self.loss, fixed, self.weight, "cuda")


def tensors_of(batch: Batch) -> list[Tensor]:
    source, target = batch.source, batch.target
    return [
        source.tokens_S, source.positions_S, source.categories_S, source.examples.starts, source.propositions.starts,
        target.inputs_U, target.outputs_U, target.positions_U, target.examples.starts,
    ]  # fmt: skip


def with_tensors(batch: Batch, tensors: list[Tensor]) -> Batch:
    source, target = batch.source, batch.target
    tokens, positions, categories, examples, propositions, inputs, outputs, places, targets = tensors
    return replace(
        batch,
        source=Source(
            tokens,
            positions,
            categories,
            Segments(examples, source.examples.longest),
            Segments(propositions, source.propositions.longest),
        ),
        target=Target(inputs, outputs, places, Segments(targets, target.examples.longest)),
    )
