"""The selector of premises in torch: two towers over bags of rows, one for questions, one for facts.

`isarstep.premises.selector.network` computes the same over numpy. Shapes: B bags or questions, R roles, D width of a
row, H hidden, O width of an embedding, T entries of bags.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from isarstep.model.data.batches import ragged_places
from isarstep.premises.selector.network import HIDDEN, OUT, WIDTH
from isarstep.premises.selector.premise_questions import ROLES
from isarstep.premises.selector.word_bags import FIRST_PAIR, NAMES, ROWS, Bags, Words

LEFT_OUT = 0.1  # of the entries of bags, in training
# In training so many constants and pairs have a row of nothing but chance, and so many constants no parts: what new
# entries declare looks like that, and a fact is still found by what it shares with the question.
STRANGE = 0.3
WITHOUT_PARTS = 0.15


@dataclass(frozen=True, eq=False)
class BagTable:
    """Bags on a device, with the words that they speak of."""

    own: Tensor
    parts: Tensor
    part_starts: Tensor
    values: Tensor
    begins: Tensor
    counts: Tensor
    words: int

    @staticmethod
    def of(words: Words, bags: Bags, device: torch.device) -> BagTable:
        def there(array: npt.NDArray[np.integer], kind: torch.dtype) -> Tensor:
            return torch.from_numpy(np.ascontiguousarray(array)).to(device, kind)

        return BagTable(
            there(words.own, torch.long),
            there(words.parts, torch.long),
            there(words.part_starts[:-1], torch.long),
            there(bags.values, torch.int32),
            there(bags.starts[:-1], torch.long),
            there(bags.counts, torch.long),
            len(words),
        )


class TwoTowers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(ROWS, WIDTH) * 0.1)
        self.query_in = nn.Linear(ROLES * WIDTH, HIDDEN)
        self.query_out = nn.Linear(HIDDEN, OUT)
        self.fact_in = nn.Linear(2 * WIDTH + 1, HIDDEN)
        self.fact_out = nn.Linear(HIDDEN, OUT + 1)
        self.scale = nn.Parameter(torch.tensor(2.5))  # log of what multiplies the cosine of embeddings
        self.alpha = nn.Parameter(torch.tensor([6.0, 6.0]))  # what multiplies the cosine of constants: provers, model

    def rows(self, bags: BagTable) -> Tensor:
        """A vector for each word, by its name and its parts, then the rows themselves."""
        parts = F.embedding_bag(bags.parts, self.table, bags.part_starts, mode="sum")
        if not self.training:
            return torch.cat([self.table[bags.own] + parts, self.table])
        device = self.table.device

        def some(share: float, count: int) -> Tensor:
            return torch.rand(count, device=device) < share

        own = torch.where(some(STRANGE, bags.words), torch.randint(NAMES, (bags.words,), device=device), bags.own)
        words = self.table[own] + parts * ~some(WITHOUT_PARTS, bags.words)[:, None]
        rows = torch.arange(ROWS, device=device)
        pairs = rows >= FIRST_PAIR
        anywhere = torch.randint(FIRST_PAIR, ROWS, (ROWS,), device=device)
        return torch.cat([words, self.table[torch.where(pairs & some(STRANGE, ROWS), anywhere, rows)]])

    def pooled(self, rows: Tensor, bags: BagTable, chosen: Tensor, bag: Tensor, count: int) -> Tensor:
        """Sums of the chosen propositions over `count` bags; `bag` says in order which each belongs to."""
        sizes = bags.counts[chosen]
        total = int(sizes.sum())
        entries = bags.values[ragged_places(bags.begins[chosen], sizes, total)].long()
        in_bag = torch.zeros(count, dtype=torch.long, device=chosen.device).index_add_(0, bag, sizes)
        weights = None
        if self.training:
            weights = (torch.rand(total, device=chosen.device) >= LEFT_OUT).to(rows.dtype)
        sums = F.embedding_bag(entries, rows, in_bag.cumsum(0) - in_bag, mode="sum", per_sample_weights=weights)
        return sums / (1 + in_bag).to(rows.dtype).sqrt()[:, None]

    def query(self, pooled_BRD: Tensor) -> Tensor:
        return F.normalize(self.query_out(F.silu(self.query_in(pooled_BRD.flatten(1)))).float(), dim=-1)

    def fact(self, said_BD: Tensor, named_BD: Tensor, uses_B: Tensor) -> tuple[Tensor, Tensor]:
        """Embeddings and what each fact gains for itself."""
        x = torch.cat([said_BD, named_BD, uses_B[:, None].to(said_BD.dtype)], 1)
        y = self.fact_out(F.silu(self.fact_in(x))).float()
        return F.normalize(y[:, :OUT], dim=-1), y[:, OUT]
