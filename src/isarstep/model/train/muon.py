"""Muon (Jordan et al., 2024): momentum whose update is made orthogonal, for the matrices of hidden layers.

Matrices of one shape are stacked and orthogonalised together: a few large products instead of thousands of small ones.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

# Coefficients of Newton-Schulz iterations that push every singular value towards 1 (Jordan et al.).
A, B, C = 3.4445, -4.7750, 2.0315


def orthogonalise(g_NRC: Tensor, rounds: int = 5) -> Tensor:
    """The nearest (semi-)orthogonal matrices, roughly: singular values end up between 0.7 and 1.2."""
    x = g_NRC.bfloat16() if g_NRC.is_cuda else g_NRC
    tall = x.shape[-2] > x.shape[-1]
    if tall:
        x = x.mT
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(rounds):
        gram = x @ x.mT
        x = A * x + (B * gram + C * gram @ gram) @ x
    return x.mT if tall else x


class Muon(torch.optim.Optimizer):
    """Updates have the size of Adam's (Liu et al., 2025), so that both can share one learning rate."""

    def __init__(self, parameters: Iterable[Tensor], momentum: float = 0.95, weight_decay: float = 0.0) -> None:
        super().__init__(parameters, {"lr": 0.0, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> None:  # type: ignore[override]
        for group in self.param_groups:
            by_shape: dict[tuple[int, ...], list[Tensor]] = defaultdict(list)
            for parameter in group["params"]:
                if parameter.grad is not None:
                    by_shape[tuple(parameter.shape)].append(parameter)
            for shape, parameters in by_shape.items():
                self._update(parameters, shape, group)

    def _update(self, parameters: list[Tensor], shape: tuple[int, ...], group: dict[str, Any]) -> None:
        gradients = [p.grad for p in parameters if p.grad is not None]
        for parameter in parameters:
            if "momentum" not in self.state[parameter]:
                self.state[parameter]["momentum"] = torch.zeros_like(parameter)
        moments = [self.state[p]["momentum"] for p in parameters]
        torch._foreach_lerp_(moments, gradients, 1 - group["momentum"])
        nesterov = torch._foreach_lerp(gradients, moments, group["momentum"])
        update = orthogonalise(torch.stack(nesterov))
        size = 0.2 * max(shape) ** 0.5
        torch._foreach_mul_(parameters, 1 - group["lr"] * group["weight_decay"])
        torch._foreach_add_(parameters, list(update.to(parameters[0].dtype).unbind()), alpha=-group["lr"] * size)
