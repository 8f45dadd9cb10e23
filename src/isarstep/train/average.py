"""A running average of the weights, which is often better than the last ones.

It is written as an optimiser, so that checkpoints keep it as they keep the state of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn


class Average(torch.optim.Optimizer):
    """`decay` is what of the average stays at each step; it begins as the plain mean of the steps so far."""

    def __init__(self, parameters: Iterable[nn.Parameter], decay: float) -> None:
        super().__init__(parameters, {"lr": 0.0, "decay": decay})

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> None:  # type: ignore[override]
        for group in self.param_groups:
            weights: list[Tensor] = group["params"]
            for weight in weights:
                if not self.state[weight]:
                    self.state[weight] = {"average": weight.detach().clone(), "steps": torch.zeros(())}
            steps = self.state[weights[0]]["steps"]
            part = max(1 - group["decay"], 1 / (float(steps) + 1))
            torch._foreach_lerp_([self.state[weight]["average"] for weight in weights], weights, part)
            for weight in weights:
                self.state[weight]["steps"] = steps + 1

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """The model with the averaged weights, for a while."""
        self._exchange()
        try:
            yield
        finally:
            self._exchange()

    @torch.no_grad()
    def _exchange(self) -> None:
        for weight, state in self.state.items():
            average: Tensor = state["average"]
            kept = weight.detach().clone()
            weight.copy_(average)
            average.copy_(kept)
