"""Lets a model answer examples: what `isarstep evaluate MODEL` does before anything can be scored."""

from __future__ import annotations

from pathlib import Path

from isarstep.benchmark.arrays.inputs import FIELDS_READ, STATEMENT
from isarstep.benchmark.store.setting import with_setting
from isarstep.common.progress import Watched
from isarstep.model.decode.predictions import faults_counted
from isarstep.score.scores import ScoringTask, System


def answer(folder: Path, name: str, task: ScoringTask, narrow: int, wide: int) -> System:
    """A model's answers to a task, decoded with both beams now; a bar shows how far it is."""
    from isarstep.model.decode.hypotheses import SearchRules
    from isarstep.model.decode.predict import Predictor, meta_of
    from isarstep.model.decode.ranking import COMPARED_ORDER

    predictor = Predictor(folder)
    examples = task.examples
    if STATEMENT in FIELDS_READ[predictor.model.config.input] and task.home is not None:
        examples = [with_setting(task.home, example) for example in examples]
    corpus = predictor.corpus(examples)
    found = []
    for beam in (narrow, wide):
        rules = SearchRules(beam=beam)
        with Watched(f"{name}: beam {beam}", len(corpus)) as watched:
            lines = predictor.lines(corpus, rules, on_progress=watched.advance, order=COMPARED_ORDER)
            lists = [tuple(tokens for tokens, _ in nbest) for _, nbest in lines]
        # A model may be asked about any benchmark: the signature names the one that was scored.
        meta = meta_of(predictor, task.benchmark, task.split, rules, "none", COMPARED_ORDER)
        found.append(faults_counted(tuple(lists), meta))
    narrow_lists, wide_lists = found
    return System(name, task, narrow_lists, wide_lists, predictor.trained_on)
