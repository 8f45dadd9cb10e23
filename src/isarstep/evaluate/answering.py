"""Lets a model answer examples: what `isarstep evaluate MODEL` does before anything can be scored."""

from __future__ import annotations

from pathlib import Path

from isarstep.decode.predictions import counted
from isarstep.evaluate.scores import ScoringTask, System


def answer(folder: Path, name: str, task: ScoringTask, narrow: int, wide: int) -> System:
    """A model's answers to a task, decoded with both beams now; a bar shows how far it is."""
    from rich.console import Console
    from rich.progress import Progress

    from isarstep.decode.hypotheses import SearchRules
    from isarstep.decode.predict import Predictor, meta_of

    predictor = Predictor(folder)
    corpus = predictor.corpus(task.examples)
    found = []
    with Progress(transient=True, console=Console(stderr=True)) as bar:
        for beam in (narrow, wide):
            rules = SearchRules(beam=beam)
            lists = []
            for _, nbest in bar.track(predictor.lines(corpus, rules), len(corpus), description=f"{name}: beam {beam}"):
                lists.append(tuple(tokens for tokens, _ in nbest))
            # A model may be asked about any benchmark: the signature names the one that was scored.
            meta = meta_of(predictor, task.split, rules, "none") | {"benchmark": task.benchmark}
            found.append(counted(tuple(lists), meta))
    return System(name, task, *found)
