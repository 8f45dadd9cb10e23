"""From a model folder and examples to n-best lists, in memory or as a predictions file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isarstep.benchmark.arrays.corpus import Corpus, Dataset
from isarstep.benchmark.arrays.dense import dense_corpus, spelt_out
from isarstep.benchmark.arrays.inputs import FIELDS_READ
from isarstep.common.errors import NEEDS_TORCH, UserError
from isarstep.common.version import __version__
from isarstep.model.data.constants import corpus_of_examples, numbers_in, read_by_model, with_names
from isarstep.model.decode.hypotheses import Hypothesis, SearchRules
from isarstep.model.decode.search import Writer, search_corpus
from isarstep.model.nets.folders import ModelFolder, open_folder
from isarstep.model.nets.light import is_light, load_light

if TYPE_CHECKING:
    from isarstep.benchmark.store.example import Example
    from isarstep.model.decode.constraints import TermGrammar
    from isarstep.model.decode.ranking import Order
    from isarstep.model.nets.base import Seq2Seq

DRIVERS = ("/proc/driver/nvidia", "/dev/nvidiactl", "/dev/dxg", "/dev/kfd")  # of GPUs, as Linux and WSL show them


class Predictor:
    """A loaded model, ready to write. `Predictor(folder).nbest(examples)` is all that most callers need."""

    def __init__(self, folder: str | Path, device: str | None = None) -> None:
        self.folder = open_folder(Path(folder))
        self.about, self.model = self.folder.about, ready(self.folder, device)
        self.numbers = numbers_in(self.vocabulary)  # of constants, where the vocabulary is open

    @property
    def vocabulary(self) -> tuple[str, ...]:
        return self.about.vocabulary

    @property
    def name(self) -> str:
        config = self.model.config
        return f"{config.kind}-{config.size}-{config.style}"

    @property
    def trained_on(self) -> str:
        """The name of the benchmark that it was trained on."""
        return self.about.benchmark

    @cached_property
    def torch_model(self) -> Seq2Seq:
        """The weights as they were stored, in fp32 on the CPU, as a model of torch: for what looks inside."""
        need_torch("what looks inside a model")
        from isarstep.model.nets.checkpoint import load_model

        return load_model(self.folder.path)[0]

    def nbest(
        self, examples: Sequence[Example], rules: SearchRules = SearchRules(), constraints: TermGrammar | None = None
    ) -> list[list[tuple[str, float]]]:
        """(tokens, score) of the best proposals for each example, best first. Targets are not looked at."""
        return [proposals for _, proposals in self.lines(self.corpus(examples), rules, constraints)]

    def corpus(self, examples: Sequence[Example]) -> Corpus:
        """Examples under this model's vocabulary."""
        return corpus_of_examples(examples, self.vocabulary, self.model.config.input)

    def split(self, dataset: Dataset, name: str) -> Corpus:
        """A split of a data set under this model's vocabulary."""
        if not self.numbers and dataset.vocabulary != self.vocabulary:
            raise UserError(
                "the data have another vocabulary than the model; give the benchmark that it was trained on"
            )
        corpus = dataset.split(name).compacted()  # of a benchmark's propositions most belong to other splits
        return read_by_model(corpus, dataset.words, self.vocabulary, self.model.config.input)

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
        constraints: TermGrammar | None = None,
        on_progress: Callable[[int], None] = lambda count: None,
        order: Order | None = None,
    ) -> Iterator[tuple[str, list[tuple[str, float]]]]:
        """(id, proposals) of every example of a corpus under this model's vocabulary; `tell` hears how many more have
        been searched. With an order they are in it, with its values."""
        if self.model.config.dense:
            corpus = dense_corpus(corpus, self.vocabulary)
        for at, found in enumerate(search_corpus(self.model, corpus, rules, constraints, on_progress=on_progress)):
            proposals = self.texts(found, corpus.names_of(at))
            yield corpus.ids[at], order.ordered(proposals, self.given(corpus, at)) if order else proposals

    def given(self, corpus: Corpus, example: int) -> set[str]:
        """The propositions of F.2 to F.4 in the benchmark's tokens."""
        here = slice(int(corpus.source_starts[example]), int(corpus.source_starts[example + 1]))
        pairs = zip(corpus.fields[here].tolist(), corpus.sources[here].tolist(), strict=True)
        numbers = [number for field, number in pairs if field in FIELDS_READ["base"]]
        rows = [Hypothesis(tuple(corpus.proposition(number).tolist()), 0.0) for number in numbers]
        return {tokens for tokens, _ in self.texts(rows, corpus.names_of(example))}


def ready(folder: ModelFolder, device: str | None) -> Writer:
    """The model on the device. A GPU works in bf16; a CPU in fp32, without torch where the model's kind allows."""
    if device is not None and device not in ("cpu", "cuda"):
        raise UserError(f"--device is cpu or cuda, not {device!r}")
    if is_light(folder) and (device == "cpu" or (device is None and not gpu_is_here())):
        return load_light(folder)
    need_torch("a GPU" if is_light(folder) else f"{folder.path}, a model of this kind or style,")
    from isarstep.model.nets.checkpoint import load_model

    return on_device(load_model(folder.path)[0], device)


def on_device(model: Seq2Seq, device: str | None) -> Seq2Seq:
    import torch

    if device == "cpu" or (device is None and not torch.cuda.is_available()):
        return model
    if not torch.cuda.is_available():
        raise UserError("no CUDA device here; leave out --device, or use --device cpu")
    return model.to("cuda", torch.bfloat16)


def need_torch(what: str) -> None:
    try:
        import torch  # noqa: F401
    except ModuleNotFoundError:
        raise UserError(f"{what} {NEEDS_TORCH}") from None


def gpu_is_here() -> bool:
    """Torch is asked, for whose import one waits a second, only where there may be one."""
    if not any(Path(sign).exists() for sign in DRIVERS) and sys.platform != "win32":
        return False
    try:
        import torch
    except ModuleNotFoundError:
        return False
    return torch.cuda.is_available()


def meta_of(
    predictor: Predictor,
    benchmark: str,
    split: str,
    rules: SearchRules,
    constraints: str,
    order: Order | None = None,
) -> dict[str, Any]:
    """What lists are about: the benchmark whose split they answer, which need not be the one trained on."""
    return {
        "benchmark": benchmark,
        "trained_on": predictor.trained_on,
        "split": split,
        "input": predictor.model.config.input,
        "beam": rules.beam,
        "length_rule": rules.length_rule if order is None else f"{rules.length_rule}; {order}",
        "constraints": constraints,
        "model": predictor.name,
        "version": __version__,
    }
