"""Beam search as one would explain it: one sentence, Python lists, the whole prefix computed anew at every step.

It says what the fast search must return. A hypothesis' score is log p / length ** penalty, `<EOS>` counted in the
length. At every step the 2K best continuations are looked at: of the first K, those that end are finished; the best
K that do not end live on. The search stops when no living hypothesis can still enter the best n.
"""

from __future__ import annotations

import numpy as np
import torch
from tests.model.data.segments import segments_of

from isarstep.benchmark.arrays.corpus import Corpus
from isarstep.benchmark.arrays.inputs import Target
from isarstep.benchmark.arrays.measures import Layout
from isarstep.benchmark.store.special_tokens import BOS, EOS
from isarstep.model.data.batches import Packer
from isarstep.model.decode.hypotheses import Hypothesis, SearchRules
from isarstep.model.nets.base import Seq2Seq


@torch.inference_mode()
def search_plainly(model: Seq2Seq, corpus: Corpus, example: int, rules: SearchRules) -> list[Hypothesis]:
    packer = Packer(corpus, Layout(model.config.hierarchical, model.config.input), torch.device("cpu"))

    def continuations(prefixes: list[list[int]]) -> list[list[float]]:
        rows = [[BOS, *prefix] for prefix in prefixes]
        tokens = torch.tensor(rows).flatten()
        segments = segments_of([len(row) for row in rows])
        source = packer.source(np.array([example] * len(rows)))
        hidden = model(source, Target(tokens, tokens, torch.arange(len(rows[0])).repeat(len(rows)), segments))
        scores: list[list[float]] = model.logits(hidden[segments.starts[1:].long() - 1]).log_softmax(-1).tolist()
        return scores

    living: list[tuple[float, list[int]]] = [(0.0, [])]
    finished: list[Hypothesis] = []
    for length in range(1, rules.longest + 2):
        every = [
            (score + more, prefix, token)
            for (score, prefix), row in zip(living, continuations([prefix for _, prefix in living]), strict=True)
            for token, more in enumerate(row)
        ]
        best = sorted(every, key=lambda item: -item[0])[: 2 * rules.beam]
        finished += [
            Hypothesis(tuple(prefix), score / length**rules.penalty)
            for score, prefix, token in best[: rules.beam]
            if token == EOS
        ]
        finished = sorted(finished, key=lambda hypothesis: -hypothesis.score)[: rules.beam]
        living = [(score, [*prefix, token]) for score, prefix, token in best if token != EOS][: rules.beam]
        hope = living[0][0] / (rules.longest + 1) ** rules.penalty
        if len(finished) >= rules.keep and hope <= finished[rules.keep - 1].score:
            break
    if not finished:
        finished = [Hypothesis(tuple(living[0][1][: rules.longest]), living[0][0], complete=False)]
    return finished[: rules.keep]
