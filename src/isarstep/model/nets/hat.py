"""HAT, the paper's hierarchical transformer: local layers build each proposition's representation, global ones relate
them.

The embedding of a token is the sum of its token's, its position's inside its proposition, and its proposition's
category's. Propositions carry no order. Beyond the Transformer it has only the table of categories.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from isarstep.benchmark.arrays.inputs import Input, Source
from isarstep.model.nets.config import ModelConfig
from isarstep.model.nets.transformer import Transformer

CATEGORIES = 4  # F.2, F.3, F.4, F.5
# And the theorem's statement and facts from before the target, and selected library facts.
MORE_CATEGORIES: dict[Input, int] = {"+context": 6, "+premises": 7}


class HAT(Transformer):
    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        count = MORE_CATEGORIES.get(config.input, CATEGORIES)
        self.categories = nn.Parameter(torch.zeros(count, config.dimensions.width))
        if config.categories:
            nn.init.normal_(self.categories)
        else:
            self.categories.requires_grad_(False)

    def embed_source(self, source: Source) -> Tensor:
        rows_SD = F.embedding(source.tokens_S, self.token_table)
        return self.enter(rows_SD, source.positions_S, F.embedding(source.categories_S, self.categories))
