"""Two models that write one answer: a token's log p is the mean of what both give it."""

from __future__ import annotations

from typing import Any

from isarstep.decode.search import SourcePacker, Writer
from isarstep.errors import UserError
from isarstep.feed.arrays import Array, Arrays
from isarstep.feed.corpus import Corpus
from isarstep.feed.inputs import Source


class Ensemble:
    """Reads and writes as each of the models does; all have one vocabulary and read the same fields."""

    def __init__(self, *models: Writer) -> None:
        self.models = models
        self.config = models[0].config
        read = {(each.config.kind, each.config.input, each.config.dense, each.config.vocabulary) for each in models}
        if len(read) > 1:
            raise UserError("the two models do not read and write the same; train both by one recipe")

    @property
    def arrays(self) -> Arrays:
        return self.models[0].arrays

    def packer(self, corpus: Corpus) -> SourcePacker:
        return self.models[0].packer(corpus)

    def start(self, source: Source, beams: int) -> StateOfEach:
        return StateOfEach([model.start(source, beams) for model in self.models])

    def step(self, state: StateOfEach, tokens_BK: Array, parents_BK: Array) -> list[Array]:
        return [model.step(each, tokens_BK, parents_BK) for model, each in zip(self.models, state.states, strict=True)]

    def logits(self, hidden: list[Array]) -> Array:
        total: Array = 0
        for model, each in zip(self.models, hidden, strict=True):
            logits_BKV = model.logits(each)
            if self.arrays.kind == "cuda":
                logits_BKV = logits_BKV.float()
            total = total + (logits_BKV - self.arrays.logsumexp(logits_BKV)[..., None]) / len(self.models)
        return total


class StateOfEach:
    def __init__(self, states: list[Any]) -> None:
        self.states = states

    def keep(self, rows: Array) -> None:
        for state in self.states:
            state.keep(rows)
