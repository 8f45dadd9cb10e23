"""How a model is trained: the paper's recipe (THUMT base) and a modern one, as two sets of numbers.

A run ends after `minutes`, after so many `tokens`, or after `steps`; schedules that decay follow the part of it that is
done.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import nn

from isarstep.model.nets.config import Style
from isarstep.model.train.muon import Muon


@dataclass(frozen=True)
class Recipe:
    """Numbers that a run may change; the rest follows from `style`."""

    style: Style = "paper"
    steps: int = 100_000
    minutes: float | None = None  # a budget of wall-clock time instead of steps, compilation included
    tokens: int | None = None  # a budget of tokens, read and written, instead of steps
    batch: int = 32_768  # source tokens of one packed batch
    accumulate: int = 1  # batches of one step, over all processes
    warmup: int = 4_000
    rate: float = 1.0  # times the recipe's own learning rate
    smoothing: float = 0.1
    weight_decay: float = 0.0
    renumber: float = 0.0  # share of the examples of a batch whose variables are numbered in another order
    renumber_copies: bool = True  # also where that could make a held-out target of a training target
    number_constants: float = 0.0  # share of the examples of which known constants too are read under numbers
    leave_out: bool = False  # read some examples without context, without premises, without both
    seed: int = 0

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def rate_at(self, step: int, done: float, width: int) -> float:
        """The learning rate of a step (from 1), when a share `done` of the run is behind us."""
        if self.style == "paper":
            return float(self.rate * width**-0.5 * min(step**-0.5, step * self.warmup**-1.5))
        # Warm-up, plateau, then down to zero over the second half.
        return self.rate * min(1.0, step / self.warmup) * min(1.0, 2 * max(0.0, 1 - done))


def optimisers(model: nn.Module, recipe: Recipe) -> list[torch.optim.Optimizer]:
    """Adam for the paper; Muon for hidden matrices and AdamW for all else in the modern recipe."""
    parameters = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
    fused = all(p.is_cuda for _, p in parameters)
    if recipe.style == "paper":
        return [torch.optim.Adam([p for _, p in parameters], betas=(0.9, 0.98), eps=1e-9, fused=fused)]
    matrices = [p for name, p in parameters if p.ndim == 2 and "embedding" not in name and "categories" not in name]
    chosen = set(map(id, matrices))
    rest = [p for _, p in parameters if id(p) not in chosen]
    return [
        Muon(matrices, weight_decay=recipe.weight_decay),
        torch.optim.AdamW(rest, betas=(0.9, 0.95), eps=1e-10, weight_decay=0.0, fused=fused),
    ]
