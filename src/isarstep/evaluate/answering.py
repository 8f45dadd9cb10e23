"""Lets a model answer examples: what `isarstep evaluate MODEL` and the probes do before anything can be scored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from isarstep.bench.example import Example
from isarstep.evaluate.predictions import Predictions, counted
from isarstep.evaluate.signature import VERSION


class Answerer:
    """A model folder, loaded once. On the GPU where there is one."""

    def __init__(self, folder: Path) -> None:
        import torch

        from isarstep.train.checkpoint import load_model

        self.model, self.about = load_model(folder)
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.model.to(self.device)

    def answer(
        self, examples: Sequence[Example], beam: int, progress: Callable[[], object] = lambda: None
    ) -> tuple[tuple[tuple[str, float], ...], ...]:
        """The n best of every example with scores, best first; `progress` is called after each."""
        from isarstep.decode.hypotheses import Rules
        from isarstep.decode.search import decode
        from isarstep.train.from_bench import corpus_of_examples

        words = self.about.vocabulary
        found = []
        for hypotheses in decode(self.model, corpus_of_examples(examples, words), Rules(beam=beam)):
            found.append(tuple((" ".join(words[i] for i in each.tokens), each.score) for each in hypotheses))
            progress()
        return tuple(found)

    def predictions(
        self, examples: Sequence[Example], beam: int, split: str, progress: Callable[[], object] = lambda: None
    ) -> Predictions:
        """The same as a predictions file would have been read."""
        from isarstep.decode.hypotheses import Rules

        lists = tuple(tuple(tokens for tokens, _ in nbest) for nbest in self.answer(examples, beam, progress))
        meta: dict[str, object] = {
            "split": split,
            "input": "+F.5" if self.model.config.hints else "base",
            "beam": beam,
            "length_rule": Rules(beam=beam).length_rule,
            "constraints": "none",
            "version": VERSION,
        }
        return counted(lists, meta)
