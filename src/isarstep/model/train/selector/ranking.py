"""The facts in scope ranked for many questions on a device, theory by theory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from isarstep.model.data.batches import ragged_places
from isarstep.model.train.selector.data import AskedTensors, FactTensors
from isarstep.model.train.selector.model import TwoTowers
from isarstep.premises.selector.premise_questions import DEEPEST, QuestionArrays, recall_and_mrr

AT_ONCE = 512  # questions of one theory
NOWHERE = DEEPEST + 1


@dataclass(frozen=True, eq=False)
class Ranked:
    """For each question facts, best first; -1 where there are no more."""

    facts: Tensor
    constants: Tensor  # the cosine of the constants of each
    used_constants: Tensor  # and of the facts that were used


@torch.inference_mode()
def rank_all(
    towers: TwoTowers,
    library: FactTensors,
    asked: AskedTensors,
    uses: Tensor,
    count: int,
    learned: bool = True,
    added: Tensor | None = None,
) -> Ranked:
    """Not `learned`: by the cosine of constants alone. `added`: to the scores, a sparse row for each question."""
    was = towers.training
    towers.eval()
    device = library.device
    embedded, gains = library.all_facts(towers, uses)
    queries = asked.all_embedded(towers, library)
    half = torch.bfloat16 if device.type == "cuda" else torch.float32
    embedded, scale = embedded.to(half), towers.scale.exp()
    found = torch.full((len(asked), count), -1, dtype=torch.int32, device=device)
    cosines = torch.zeros(len(asked), count, device=device)
    of_used = torch.zeros(asked.used.shape, device=device)
    order = torch.argsort(asked.theory, stable=True)
    theories, sizes = torch.unique_consecutive(asked.theory[order], return_counts=True)
    begin = 0
    for theory, size in zip(theories.tolist(), sizes.tolist(), strict=True):
        scope = torch.nonzero(library.sees[theory][library.theory])[:, 0]
        matrix = _constants_of(library, scope)
        for part in torch.split(order[begin : begin + size], AT_ONCE) if len(scope) else ():
            cosine = (matrix @ asked.constants(library, part)).T
            score = cosine * towers.alpha[asked.for_model[part]][:, None]
            if learned:
                product = (queries[part].to(half) @ embedded[scope].T).float()
                score = score + product * scale + gains[scope]
            if added is not None:
                score = score + added.index_select(0, part).to_dense()[:, scope]
            score = score.masked_fill(scope[None] >= asked.before[part][:, None], -torch.inf)
            best, places = score.topk(min(count, len(scope)))
            width = places.shape[1]
            found[part, :width] = torch.where(best > -torch.inf, scope[places], -1).int()
            cosines[part, :width] = cosine.gather(1, places)
            at = torch.searchsorted(scope, asked.used[part].clamp(min=0)).clamp(max=len(scope) - 1)
            of_used[part] = cosine.gather(1, at)
        begin += size
    towers.train(was)
    return Ranked(found, cosines, of_used)


def _constants_of(library: FactTensors, scope: Tensor) -> Tensor:
    counts = library.word_counts[scope]
    places = ragged_places(library.word_begins[scope], counts, int(counts.sum()))
    rows = torch.nn.functional.pad(counts.cumsum(0), (1, 0))
    return torch.sparse_csr_tensor(
        rows, library.word_values[places], library.word_weights[places], (len(scope), library.bags.words)
    )


def scores_of(questions: QuestionArrays, ranked: npt.NDArray[np.integer]) -> dict[str, float]:
    """A lemma is found where one fact that states it is."""
    places = []
    for number in range(len(questions)):
        here = slice(questions.used_starts[number], questions.used_starts[number + 1])
        rank = {fact: place for place, fact in enumerate(ranked[number].tolist(), 1)}
        best: dict[int, int] = {}
        for fact, lemma in zip(questions.used[here].tolist(), questions.lemma[here].tolist(), strict=True):
            best[lemma] = min(rank.get(fact, NOWHERE), best.get(lemma, NOWHERE))
        places.append([0 if place > DEEPEST else place for place in best.values()])
    recall, mrr = recall_and_mrr(places)
    found = {f"recall@{width}": round(value, 2) for width, value in recall.items()}
    return found | {"mrr": round(mrr, 4), "questions": len(questions)}
