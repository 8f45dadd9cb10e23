"""Constants under numbers, on the device: those outside of the vocabulary always, known ones in some examples.

What a model meets in a new theory, a constant that it must read from its surroundings and write by its number, it
learns from constants that it could have known. The commonest keep their names: nobody is without them. Shapes: N
examples, W words, S source and U target tokens, M numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from isarstep.benchmark.store.special_tokens import UNK
from isarstep.model.data.batches import Batch
from isarstep.model.data.constants import is_constant, numbers_in
from isarstep.model.train.renumbering import owners

COMMON = 100  # constants that always keep their names; each of them is in more than one of a hundred examples


class ConstantNumbers:
    """`share` of the examples get some of their known constants under numbers: between none and all of them."""

    def __init__(self, vocabulary: Sequence[str], words: int, share: float, device: torch.device) -> None:
        self.share, self.words, self.known = share, words, len(vocabulary)
        numbers = numbers_in(vocabulary)
        constants = [place for place, token in enumerate(vocabulary) if is_constant(token) and place not in numbers]
        may_W = torch.zeros(words, dtype=torch.bool)
        may_W[constants[COMMON:]] = True  # a vocabulary is in order of frequency
        self.may_W, self.numbers_M = may_W.to(device), torch.tensor(numbers, device=device)

    def apply(self, batch: Batch, seed: Sequence[int]) -> Batch:
        """Equal seeds give equal choices. Numbers are given in the order of the source, as `read_by_model` does."""
        source, target = batch.source, batch.target
        tokens_S, count = source.tokens_S, source.examples.count
        size, device = len(tokens_S), tokens_S.device
        random = torch.Generator(device)
        random.manual_seed(int(np.random.SeedSequence([*seed, 1]).generate_state(1)[0]))
        owner_S, owner_U = owners(source.examples, size), owners(target.examples, len(target.inputs_U))
        place_S = torch.arange(size, device=device)
        # Where each example mentions each word first; a place behind the source: nowhere.
        first_NW = torch.full((count * self.words,), size, device=device)
        first_NW.scatter_reduce_(0, owner_S * self.words + tokens_S, place_S, "amin")
        first_S = first_NW[owner_S * self.words + tokens_S]
        rate_N = torch.rand(count, generator=random, device=device)
        rate_N = rate_N * (torch.rand(count, generator=random, device=device) < self.share)
        luck_S = torch.rand(size, generator=random, device=device)
        wanted_S = (tokens_S >= self.known) | (self.may_W[tokens_S] & (luck_S < rate_N[owner_S]))
        begins_S = (wanted_S & (first_S == place_S)).long()
        before_S = begins_S.cumsum(0) - begins_S
        rank_S = before_S - before_S[source.examples.starts[owner_S].long()]
        number_S = torch.where((begins_S > 0) & (rank_S < len(self.numbers_M)), rank_S, -1)
        number_S = torch.cat([number_S, number_S.new_full((1,), -1)])

        def numbered(tokens: Tensor, owner: Tensor) -> Tensor:
            number = number_S[first_NW[owner * self.words + tokens.clamp(min=0)]]
            named = torch.where(tokens >= self.known, UNK, tokens)
            return torch.where((number >= 0) & (tokens >= 0), self.numbers_M[number.clamp(min=0)], named)

        return replace(
            batch,
            source=replace(source, tokens_S=numbered(tokens_S, owner_S)),
            target=replace(
                target, inputs_U=numbered(target.inputs_U, owner_U), outputs_U=numbered(target.outputs_U, owner_U)
            ),
        )
