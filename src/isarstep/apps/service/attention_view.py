"""Where the model looked while it wrote a proposition, token by token and proposition by proposition."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from isarstep.apps.engine import Engine
from isarstep.benchmark.arrays.inputs import FIELDS_READ
from isarstep.benchmark.problems.task import Task
from isarstep.isabelle.theory.problems.problem import ProblemError
from isarstep.model.data.constants import texts_of


def attention_of(engine: Engine, task: Task, answer: str, layer: int | None, head: int | None) -> dict[str, Any]:
    """Cross attention: of each written token over all tokens that were read; means where no layer or head is chosen."""
    from isarstep.score.analysis.attention_maps import record_attention

    predictor = engine.predictor
    config = predictor.model.config
    if config.kind not in ("transformer", "hat"):
        raise ProblemError("unsupported", f"a {config.kind} model has no attention maps")
    example = replace(engine.with_premises(task), f1=answer)
    with engine.lock:
        maps = record_attention(predictor.torch_model, predictor.vocabulary, example, answer)
    cross = np.stack(maps.cross)  # layers x heads x written x source
    layers, heads = cross.shape[:2]
    for chosen, count, name in ((layer, layers, "layer"), (head, heads, "head")):
        if chosen is not None and chosen >= count:
            raise ProblemError("invalid", f"there are {count} of them, numbered from 0", name)
    over_layers = cross.mean(0) if layer is None else cross[layer]
    weights = over_layers.mean(0) if head is None else over_layers[head]
    propositions: list[dict[str, Any]] = []
    texts = [(field, text) for field, text in texts_of(example) if field in FIELDS_READ[config.input]]
    begin = 0
    for (field, text), length in zip(texts, maps.spans, strict=True):
        end = begin + length
        propositions.append({"field": field, "start": begin, "end": end, "text": task.text(text)})
        begin = end
    sums = [weights[:, p["start"] : p["end"]].sum(1) for p in propositions]
    return {
        "layers": layers,
        "heads": heads,
        "written": list(maps.written),
        "source": list(maps.source),
        "propositions": propositions,
        "weights": weights.round(4).tolist(),
        "by_proposition": np.stack(sums, 1).round(4).tolist() if sums else [],
    }
