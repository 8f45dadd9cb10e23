"""What a run watches: loss, and BLEU and exact matches of greedy decoding on a fixed part of the validation split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from isarstep.benchmark.arrays.corpus import Corpus
from isarstep.benchmark.arrays.measures import Layout, Shape
from isarstep.benchmark.store.special_tokens import UNK
from isarstep.model.data.batches import Packer, plan
from isarstep.model.decode.bleu import bleu_of_sums, ngram_counts
from isarstep.model.decode.hypotheses import SearchRules
from isarstep.model.decode.search import search_corpus
from isarstep.model.train.loss import SmoothedLoss


@dataclass(frozen=True)
class Validation:
    loss: float  # -log p per token
    bleu: float  # 0..100
    exact: float  # share of greedy outputs that match


def mean_validation(found: Sequence[Validation]) -> Validation:
    return Validation(*(float(np.mean([getattr(one, part) for one in found])) for part in ("loss", "bleu", "exact")))


def sample(corpus: Corpus, count: int) -> Corpus:
    """A fixed part of a split, spread evenly over it."""
    return corpus.take(np.linspace(0, len(corpus) - 1, min(count, len(corpus))).astype(np.int64))


@torch.inference_mode()
def validate(loss: SmoothedLoss, corpus: Corpus, shape: Shape) -> Validation:
    model = loss.model
    device = model.token_table.device
    layout = Layout(model.config.hierarchical, model.config.input)
    packer = Packer(corpus, layout, device)
    measures = packer.measures
    fits = (measures.source <= shape.longest_source) & (measures.source > 0) & (measures.target <= shape.longest_target)
    total, written = 0.0, 0
    model.eval()
    # Compiling for evaluation, and for every shape that decoding meets, would take longer than both.
    stance = "force_eager" if device.type == "cuda" else "default"
    with torch.compiler.set_stance(stance), torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
        for examples in plan(measures, np.flatnonzero(fits), shape, 0, 0):
            batch = packer.assemble(examples)
            total += float(loss(batch.source, batch.target)[1])
            written += batch.written
        outputs = [found[0].tokens if found else () for found in search_corpus(model, corpus, SearchRules(beam=1))]
    model.train()
    references = [tuple(corpus.proposition(number).tolist()) for number in corpus.targets.tolist()]
    right = sum(a == b and UNK not in b for a, b in zip(outputs, references, strict=True))
    exact = right / max(1, len(references))
    counts = ngram_counts(*([" ".join(map(str, row)) for row in rows] for rows in (references, outputs)))
    return Validation(total / max(1, written), float(bleu_of_sums(counts.sum(0)[None])[0]), exact)
