"""QuestionArrays and facts of a selector on a device, and how both are embedded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from isarstep.benchmark.arrays.corpus import Corpus, Longs
from isarstep.model.data.batches import ragged_places
from isarstep.model.train.selector.model import BagTable, TwoTowers
from isarstep.premises.selector.premise_arrays import FactArrays
from isarstep.premises.selector.premise_questions import FOR_MODEL, MAIN, MOST_USED, PLACE, ROLES, QuestionArrays
from isarstep.premises.selector.word_bags import Bags, Words, bags_of, bags_of_names, joined_bags, word_table

AT_ONCE = 8192  # facts or questions that are embedded together where nothing is learned


class FactTensors:
    """Propositions as bags, then the names of theories, then those of facts."""

    def __init__(self, corpus: Corpus, words: tuple[str, ...], facts: FactArrays, device: torch.device) -> None:
        self.device, self.arrays = device, facts
        table: Words = word_table(words)
        propositions = bags_of(corpus.tokens, corpus.token_starts, table)
        theories = bags_of_names(facts.theories, len(table))
        named = Bags(facts.names.values + len(table), facts.names.starts)
        self.bags = BagTable.of(table, joined_bags(propositions, theories, named), device)
        self.first_theory = len(propositions)
        self.first_name = self.first_theory + len(facts.theories)
        self.proposition = self.there(facts.proposition)
        self.theory = self.there(facts.theory)
        self.sees = torch.from_numpy(facts.sees).to(device)
        self._weigh(propositions.take(facts.proposition), len(table))

    def __len__(self) -> int:
        return len(self.arrays)

    def there(self, array: npt.NDArray[Any]) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device, torch.long)

    def _weigh(self, bags: Bags, words: int) -> None:
        """Constants of facts as a sparse matrix of unit rows, each weighted by how rare it is."""
        values, counts = bags.values, bags.counts
        owner = np.repeat(np.arange(len(counts)), counts)
        is_word = values < words
        owner, values = owner[is_word], values[is_word]
        frequency = np.bincount(values, minlength=words)
        weight = np.log(max(len(counts), 1) / np.maximum(frequency, 1)) + 1e-3
        norm = np.sqrt(np.bincount(owner, weight[values] ** 2, len(counts)))
        self.weight = torch.from_numpy(weight).to(self.device, torch.float32)
        per_fact = np.bincount(owner, minlength=len(counts))
        self.word_begins = self.there(np.cumsum(per_fact) - per_fact)
        self.word_counts = self.there(per_fact)
        self.word_values = self.there(values)
        self.word_weights = torch.from_numpy(weight[values] / np.maximum(norm[owner], 1e-9)).to(
            self.device, torch.float32
        )

    def facts(self, towers: TwoTowers, rows: Tensor, chosen: Tensor, uses: Tensor) -> tuple[Tensor, Tensor]:
        """Embeddings of facts, and what they gain for themselves."""
        each = torch.arange(len(chosen), device=self.device)
        said = towers.pooled(rows, self.bags, self.proposition[chosen], each, len(chosen))
        named = towers.pooled(rows, self.bags, self.first_name + chosen, each, len(chosen))
        return towers.fact(said, named, uses)

    @torch.inference_mode()
    def all_facts(self, towers: TwoTowers, uses: Tensor) -> tuple[Tensor, Tensor]:
        rows = towers.rows(self.bags)
        every = torch.arange(len(self), device=self.device)
        parts = [self.facts(towers, rows, part, uses[part]) for part in torch.split(every, AT_ONCE)]
        return torch.cat([part[0] for part in parts]), torch.cat([part[1] for part in parts])


@dataclass(frozen=True, eq=False)
class AskedTensors:
    """QuestionArrays on a device."""

    propositions: Tensor
    roles: Tensor
    begins: Tensor
    counts: Tensor
    theory: Tensor
    before: Tensor
    for_model: Tensor  # 1: the question is the model's, 0: it is a prover's
    used: Tensor  # padded with -1
    own_uses: Tensor  # of `used`, how many of its uses are by the question's own theorem

    @staticmethod
    def of(questions: QuestionArrays, library: FactTensors, own_uses: Longs | None = None) -> AskedTensors:
        counts = np.minimum(np.diff(questions.used_starts), MOST_USED)
        place = np.arange(MOST_USED)
        there = place < counts[:, None]
        flat = np.where(there, questions.used_starts[:-1, None] + place, 0)
        used = np.full((len(questions), MOST_USED), -1, np.int64)
        own = np.zeros_like(used)
        used[there] = questions.used[flat[there]]
        if own_uses is not None:
            own[there] = own_uses[flat[there]]
        to = library.there
        return AskedTensors(
            to(questions.propositions), to(questions.roles), to(questions.starts[:-1]), to(np.diff(questions.starts)),
            to(questions.theory), to(questions.before), to(questions.kind == FOR_MODEL), to(used), to(own),
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.theory)

    def take(self, chosen: Tensor) -> AskedTensors:
        """Some of the questions over the same propositions."""
        whole = ("propositions", "roles")
        return AskedTensors(**{name: value if name in whole else value[chosen] for name, value in vars(self).items()})

    def pooled(self, towers: TwoTowers, rows: Tensor, library: FactTensors, chosen: Tensor) -> Tensor:
        """[question, role, width]; the theory's name is the last role."""
        many = len(chosen)
        counts = self.counts[chosen]
        places = ragged_places(self.begins[chosen], counts, int(counts.sum()))
        asker = torch.arange(many, device=chosen.device)
        bag = asker.repeat_interleave(counts) * ROLES + self.roles[places]
        said = towers.pooled(rows, library.bags, self.propositions[places], bag, many * ROLES)
        names = library.first_theory + self.theory[chosen]
        place = towers.pooled(rows, library.bags, names, asker, many)
        out = said.view(many, ROLES, -1).clone()
        out[:, PLACE] = place
        return out

    @torch.inference_mode()
    def all_embedded(self, towers: TwoTowers, library: FactTensors) -> Tensor:
        rows = towers.rows(library.bags)
        every = torch.arange(len(self), device=self.theory.device)
        parts = [towers.query(self.pooled(towers, rows, library, part)) for part in torch.split(every, AT_ONCE)]
        return torch.cat(parts) if parts else rows.new_zeros(0, 1)

    def constants(self, library: FactTensors, chosen: Tensor) -> Tensor:
        """Unit columns [word, question] of the constants of what is asked with, each weighted by how rare it is."""
        counts = self.counts[chosen]
        places = ragged_places(self.begins[chosen], counts, int(counts.sum()))
        asker = torch.arange(len(chosen), device=chosen.device).repeat_interleave(counts)
        main = torch.isin(self.roles[places], torch.tensor(MAIN, device=chosen.device))
        said, asker = self.propositions[places][main], asker[main]
        sizes = library.bags.counts[said]
        values = library.bags.values[ragged_places(library.bags.begins[said], sizes, int(sizes.sum()))].long()
        asker = asker.repeat_interleave(sizes)
        is_word = values < library.bags.words
        out = torch.zeros(library.bags.words, len(chosen), device=chosen.device)
        values, asker = values[is_word], asker[is_word]
        out[values, asker] = library.weight[values]
        return out / out.norm(dim=0).clamp(min=1e-9)
