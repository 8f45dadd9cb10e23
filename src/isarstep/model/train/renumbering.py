"""Variables under other numbers: what `<X3>` is called says nothing, so each epoch may call it differently.

Numbers are exchanged among those that an example uses, alike in its source and its target. Shapes: N examples, M
variables that have a token.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from isarstep.benchmark.arrays.inputs import Segments
from isarstep.model.data.batches import Batch
from isarstep.model.data.constants import numbers_in


class Renumbering:
    def __init__(self, vocabulary: Sequence[str], share: float, device: torch.device) -> None:
        self.share, tokens = share, numbers_in(vocabulary, "X")
        self.tokens_M = torch.tensor(tokens, device=device)
        self.number_V = torch.full((len(vocabulary),), -1, device=device)
        self.number_V[self.tokens_M] = torch.arange(len(tokens), device=device)

    def apply(self, batch: Batch, seed: Sequence[int], spared: Tensor | None = None) -> Batch:
        """Equal seeds give equal numbers. Examples that are `spared` keep theirs. Filling segments hold no variable."""
        source, target = batch.source, batch.target
        count = source.examples.count
        device = source.tokens_S.device
        random = torch.Generator(device)
        random.manual_seed(int(np.random.SeedSequence(seed).generate_state(1)[0]))
        owner_S, owner_U = owners(source.examples, len(source.tokens_S)), owners(target.examples, len(target.inputs_U))
        used_N = torch.zeros(count, dtype=torch.long, device=device)
        for tokens, owner in ((source.tokens_S, owner_S), (target.inputs_U, owner_U)):
            used_N.scatter_reduce_(0, owner, self.number_V[tokens] + 1, "amax")
        keys_NM = torch.rand(count, len(self.tokens_M), generator=random, device=device)
        place_M = torch.arange(len(self.tokens_M), device=device)
        chosen_N = torch.rand(count, generator=random, device=device) < self.share
        if spared is not None:
            chosen_N[: len(spared)] &= ~spared
        # Beyond what is used, and in examples left alone, keys that keep the order.
        stays_NM = (place_M >= used_N[:, None]) | ~chosen_N[:, None]
        order_NM = torch.where(stays_NM, place_M + 1.0, keys_NM).argsort(1)

        def renamed(tokens: Tensor, owner: Tensor) -> Tensor:
            number = self.number_V[tokens.clamp(min=0)]
            other = self.tokens_M[order_NM[owner, number.clamp(min=0)]]
            return torch.where((number >= 0) & (tokens >= 0), other, tokens)

        return replace(
            batch,
            source=replace(source, tokens_S=renamed(source.tokens_S, owner_S)),
            target=replace(
                target, inputs_U=renamed(target.inputs_U, owner_U), outputs_U=renamed(target.outputs_U, owner_U)
            ),
        )


def owners(segments: Segments, total: int) -> Tensor:
    """Which example each token belongs to."""
    places = torch.arange(total, device=segments.starts.device, dtype=segments.starts.dtype)
    return (torch.searchsorted(segments.starts, places, right=True) - 1).clamp(0, segments.count - 1)
