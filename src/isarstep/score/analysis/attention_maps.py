"""Who attends to whom: the attention of every layer and head while a model reads and answers one example.

Nothing in the models is written for this: while an example runs, hooks on the attention layers note queries and keys.
Kept as one safetensors file, so that pictures can be drawn without the model.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from isarstep.benchmark.store.example import Example
from isarstep.common.errors import UserError
from isarstep.common.files import write_whole

if TYPE_CHECKING:
    from torch import Tensor

    from isarstep.benchmark.arrays.corpus import Corpus
    from isarstep.benchmark.arrays.inputs import Segments
    from isarstep.benchmark.arrays.measures import Layout
    from isarstep.model.nets.base import Seq2Seq

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class AttentionMaps:
    """One example: `encoder[layer]` is heads x source x source, `cross[layer]` is heads x written x source."""

    name: str
    source: tuple[str, ...]
    fields: tuple[int, ...]  # 2..5 for every token of the source
    spans: tuple[int, ...]  # how many of these tokens each proposition has, in order
    written: tuple[str, ...]
    encoder: tuple[Floats, ...]
    cross: tuple[Floats, ...]


def record_attention(model: Seq2Seq, vocabulary: Sequence[str], example: Example, answer: str) -> AttentionMaps:
    """Let a Transformer or HAT read the example and write the answer, and note its attention."""
    import torch

    from isarstep.benchmark.arrays.dense import dense_corpus
    from isarstep.benchmark.arrays.measures import Layout
    from isarstep.model.data.batches import Packer
    from isarstep.model.data.constants import corpus_of_examples, numbers_in, with_names
    from isarstep.model.nets.transformer import Transformer

    if not isinstance(model, Transformer):
        raise UserError(f"attention maps are drawn for transformer and hat, not for {model.config.kind}")
    asked = replace(example, f1=answer)
    corpus = corpus_of_examples([asked], vocabulary, model.config.input)
    if model.config.dense:
        corpus = dense_corpus(corpus, vocabulary)
    layout = Layout(model.config.hierarchical, model.config.input)
    batch = Packer(corpus, layout, torch.device("cpu")).assemble(np.zeros(1, np.int64))
    encoder: list[Floats] = []
    cross: list[Floats] = []

    def note_self(module: Any, inputs: tuple[Any, ...]) -> None:
        x_TD, segments, turn = inputs[:3]
        q, k, _ = module.project(x_TD, turn).unbind(1)
        encoder.append(_weights(q, k, segments, segments))

    def note_cross(module: Any, inputs: tuple[Any, ...]) -> None:
        x_UD, memory_SD, targets, sources = inputs[:4]
        q = module.unit.of_queries(module.queries(x_UD).unflatten(-1, (module.heads, module.channels)))
        k, _ = module.project_memory(memory_SD).unbind(1)
        cross.append(_weights(q, k, targets, sources))

    readers: list[Any] = list(model.encoder)
    writers: list[Any] = list(model.decoder)
    hooks = [layer.attention.register_forward_pre_hook(note_self) for layer in readers]
    hooks += [layer.cross.register_forward_pre_hook(note_cross) for layer in writers]
    try:
        with torch.inference_mode():
            model.eval()(batch.source, batch.target)
    finally:
        for hook in hooks:
            hook.remove()
    numbers, names = numbers_in(vocabulary), corpus.names_of(0)
    source = tuple(with_names(batch.source.tokens_S.tolist(), vocabulary, numbers, names))
    written = tuple(with_names(batch.target.outputs_U.tolist(), vocabulary, numbers, names))
    read = _read(corpus, layout)
    fields = tuple(field for field, length in read for _ in range(length))
    assert len(fields) == len(source)
    spans = tuple(length for _, length in read)
    return AttentionMaps(example.id, source, fields, spans, written, tuple(encoder), tuple(cross))


def _read(corpus: Corpus, layout: Layout) -> list[tuple[int, int]]:
    """Field and number of tokens of each proposition of the only example; labels and separators belong to them."""
    lengths = np.diff(corpus.token_starts)[corpus.sources].tolist()
    read = corpus.reads(layout.input).tolist()
    shown = [(f, n) for f, n, known in zip(corpus.fields.tolist(), lengths, read, strict=True) if known]
    if layout.hierarchical:
        return shown
    return [(field, n + (2 if place + 1 < len(shown) else 1)) for place, (field, n) in enumerate(shown)]


def _weights(q_THC: Tensor, k_SHC: Tensor, queries: Segments, keys: Segments) -> Floats:
    """Heads x queries x keys; zero between segments that do not see each other."""
    heads = q_THC.shape[1]
    full = np.zeros((heads, q_THC.shape[0], k_SHC.shape[0]), np.float32)
    query_starts, key_starts = queries.starts.tolist(), keys.starts.tolist()
    for i in range(queries.count):
        rows, columns = slice(query_starts[i], query_starts[i + 1]), slice(key_starts[i], key_starts[i + 1])
        scores = (q_THC[rows].transpose(0, 1) @ k_SHC[columns].permute(1, 2, 0)) / q_THC.shape[-1] ** 0.5
        full[:, rows, columns] = scores.softmax(-1).float().cpu().numpy()
    return full


def save_maps(maps: Sequence[AttentionMaps], path: Path) -> None:
    """All maps in one file: tensors `NUMBER.encoder.LAYER` and `NUMBER.cross.LAYER`, tokens as metadata."""
    from safetensors.numpy import save

    tensors: dict[str, NDArray[np.float16]] = {}
    about = []
    for number, each in enumerate(maps):
        for kind, layers in (("encoder", each.encoder), ("cross", each.cross)):
            tensors |= {f"{number}.{kind}.{i}": layer.astype(np.float16) for i, layer in enumerate(layers)}
        kept = {"source": each.source, "fields": each.fields, "spans": each.spans, "written": each.written}
        about.append({"name": each.name, **kept})
    write_whole(path, save(tensors, {"examples": json.dumps(about, ensure_ascii=False)}))


def load_maps(path: Path) -> list[AttentionMaps]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(str(path), "np") as file:
            about = json.loads(file.metadata()["examples"])
            names = list(file.keys())
            return [
                AttentionMaps(
                    each["name"],
                    *(tuple(each[field]) for field in ("source", "fields", "spans", "written")),
                    *(
                        tuple(
                            np.asarray(file.get_tensor(f"{number}.{kind}.{layer}"), np.float32)
                            for layer in range(sum(name.startswith(f"{number}.{kind}.") for name in names))
                        )
                        for kind in ("encoder", "cross")
                    ),
                )
                for number, each in enumerate(about)
            ]
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise UserError(f"{path}: not attention maps that isarstep wrote ({error})") from None
