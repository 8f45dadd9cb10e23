"""From a model folder and examples to n-best lists, in memory or as a predictions file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from isarstep.decode.hypotheses import Hypothesis, SearchRules
from isarstep.decode.search import Constraints, search_corpus
from isarstep.errors import UserError
from isarstep.feed.constants import corpus_of_examples, numbers_in, read_by_model, with_names
from isarstep.feed.corpus import Corpus, Dataset
from isarstep.feed.dense import dense_corpus, spelt_out
from isarstep.models import Seq2Seq
from isarstep.models.checkpoint import About, load_model
from isarstep.version import __version__

if TYPE_CHECKING:
    from isarstep.bench.example import Example


class Predictor:
    """A loaded model, ready to write. `Predictor(folder).nbest(examples)` is all that most callers need."""

    def __init__(self, folder: str | Path, device: str | None = None) -> None:
        model, self.about = load_model(Path(folder))
        self.model = ready(model, device)
        self.numbers = numbers_in(self.vocabulary)  # of constants, where the vocabulary is open

    @property
    def vocabulary(self) -> tuple[str, ...]:
        return self.about.vocabulary

    @property
    def name(self) -> str:
        config = self.model.config
        return f"{config.kind}-{config.size}-{config.style}"

    def nbest(
        self, examples: Sequence[Example], rules: SearchRules = SearchRules(), constraints: Constraints | None = None
    ) -> list[list[tuple[str, float]]]:
        """(tokens, score) of the best proposals for each example, best first. Targets are not looked at."""
        return [proposals for _, proposals in self.lines(self.corpus(examples), rules, constraints)]

    def corpus(self, examples: Sequence[Example]) -> Corpus:
        """Examples under this model's vocabulary."""
        return corpus_of_examples(examples, self.vocabulary, self.model.config.hints)

    def split(self, dataset: Dataset, name: str) -> Corpus:
        """A split of a data set under this model's vocabulary."""
        if not self.numbers:
            check_vocabulary(self.about, dataset.vocabulary)
        return read_by_model(dataset.split(name), dataset.words, self.vocabulary, self.model.config.hints)

    def texts(self, found: list[Hypothesis], names: Sequence[str] = ()) -> list[tuple[str, float]]:
        """What the model wrote, in the benchmark's tokens; `names` of the constants that it read under numbers."""
        written = [with_names(hypothesis.tokens, self.vocabulary, self.numbers, names) for hypothesis in found]
        if self.model.config.dense:
            written = [spelt_out(tokens) for tokens in written]
        return [(" ".join(tokens), hypothesis.score) for tokens, hypothesis in zip(written, found, strict=True)]

    def lines(
        self,
        corpus: Corpus,
        rules: SearchRules,
        constraints: Constraints | None = None,
        tell: Callable[[int], None] = lambda count: None,
    ) -> Iterator[tuple[str, list[tuple[str, float]]]]:
        """(id, proposals) of every example of a corpus under this model's vocabulary; `tell` hears how many more have
        been searched."""
        if self.model.config.dense:
            corpus = dense_corpus(corpus, self.vocabulary)
        for at, found in enumerate(search_corpus(self.model, corpus, rules, constraints, tell=tell)):
            yield corpus.ids[at], self.texts(found, corpus.names_of(at))


def ready(model: Seq2Seq, device: str | None) -> Seq2Seq:
    """On the device; a GPU works in bf16, a CPU in fp32."""
    kind = device or ("cuda" if torch.cuda.is_available() else "cpu")
    if kind == "cuda":
        if not torch.cuda.is_available():
            raise UserError("no CUDA device here; leave out --device, or use --device cpu")
        return model.to("cuda", torch.bfloat16)
    return model


def check_vocabulary(about: About, vocabulary: Sequence[str]) -> None:
    if tuple(vocabulary) != about.vocabulary:
        raise UserError("the data have another vocabulary than the model; give the benchmark that it was trained on")


def meta_of(predictor: Predictor, benchmark: str, split: str, rules: SearchRules, constraints: str) -> dict[str, Any]:
    """What lists are about: the benchmark whose split they answer, which need not be the one trained on."""
    return {
        "benchmark": benchmark,
        "split": split,
        "input": "+F.5" if predictor.model.config.hints else "base",
        "beam": rules.beam,
        "length_rule": rules.length_rule,
        "constraints": constraints,
        "model": predictor.name,
        "version": __version__,
    }
