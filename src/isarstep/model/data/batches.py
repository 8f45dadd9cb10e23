"""Batches by tokens, packed: examples laid end to end until the budget is full, in an order that a seed determines.

The whole corpus lies on the device as integers, and batches are put together there, so that a training step waits for
no transfer and no second thread. On a GPU every batch has the same shape and one compiled program serves all: what is
left of the budget is filled with segments that nobody reads.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from isarstep.benchmark.arrays.corpus import Corpus, Longs
from isarstep.benchmark.arrays.inputs import Segments, Source, Target
from isarstep.benchmark.arrays.measures import Layout, Measures, Shape
from isarstep.benchmark.store.special_tokens import BOS, EOS, F2, F3, F4, F5, SEP


@dataclass(frozen=True)
class Batch:
    source: Source
    target: Target
    written: int  # tokens to be learned
    tokens: int  # real tokens, read and written


# By category. No source holds `<BOS>`, and a context stands beside no F.5: its two labels need no tokens of their own.
LABELS = (F2, F3, F4, F5, F5, BOS, F5)
BUCKETS = 32  # lengths of source and target that count as equal where a model pads
WINDOW = 20_000  # examples that are sorted together there


def plan(measures: Measures, chosen: Longs, shape: Shape, seed: int, epoch: int, padded: bool = False) -> list[Longs]:
    """The batches of one epoch as lists of examples. Equal arguments give equal plans. For a model that pads, a batch
    holds examples of similar lengths."""
    random = np.random.default_rng([seed, epoch])
    order = random.permutation(chosen)
    if padded:
        window = np.arange(len(order)) // WINDOW
        order = order[np.lexsort((measures.target[order] // BUCKETS, measures.source[order] // BUCKETS, window))]
    sizes = np.stack([measures.source, measures.target, measures.propositions, np.ones_like(measures.source)], 1)
    # No filling segment may be empty: a target's would attend to nothing.
    room = np.array([shape.source - shape.fillers, shape.target - shape.fillers, shape.propositions, shape.examples])
    batches = pack(order, sizes, room)
    return [batches[i] for i in random.permutation(len(batches))] if padded else batches


def pack(order: Longs, sizes: Longs, room: Longs) -> list[Longs]:
    """Cut the order where the next example would not fit any more."""
    totals = np.concatenate([np.zeros((1, sizes.shape[1]), np.int64), np.cumsum(sizes[order], 0)])
    batches: list[Longs] = []
    begin = 0
    while begin < len(order):
        limits = totals[begin] + room
        end = min(int(np.searchsorted(totals[:, side], limits[side], "right")) for side in range(len(room))) - 1
        assert end > begin, "an example larger than a batch"
        batches.append(order[begin:end])
        begin = end
    return batches


class Packer:
    """A corpus under one layout on a device, from which batches are taken. Shapes: N examples, P propositions, S
    tokens."""

    def __init__(self, corpus: Corpus, layout: Layout, device: torch.device) -> None:
        self.layout, self.device = layout, device
        self.measures = Measures(corpus, layout)
        read = corpus.reads(layout.input)
        self.tokens = torch.from_numpy(corpus.tokens.astype(np.int32)).to(device)
        self.begins = torch.from_numpy(corpus.token_starts[:-1].copy()).to(device)
        self.lengths = torch.from_numpy(np.diff(corpus.token_starts)).to(device)
        self.targets = torch.from_numpy(corpus.targets.astype(np.int64)).to(device)
        self.sources = torch.from_numpy(corpus.sources[read].astype(np.int64)).to(device)
        self.categories = torch.from_numpy(corpus.fields[read].astype(np.int64) - 2).to(device)
        counts = self.measures.propositions
        self.source_counts = torch.from_numpy(counts).to(device)
        self.source_begins = torch.from_numpy(np.cumsum(counts) - counts).to(device)
        self.source_lengths = torch.from_numpy(self.measures.source).to(device)
        self.labels = torch.tensor(LABELS, device=device)

    def assemble(self, examples: Longs, shape: Shape | None = None) -> Batch:
        source, target = self.source(examples, shape), self.target(examples, shape)
        written = int(self.measures.target[examples].sum())
        return Batch(source, target, written, written + int(self.measures.source[examples].sum()))

    def on_device(self, examples: Longs) -> Tensor:
        index = torch.from_numpy(np.ascontiguousarray(examples))
        return index.pin_memory().to(self.device, non_blocking=True) if self.device.type == "cuda" else index

    def source(self, examples: Longs, shape: Shape | None = None) -> Source:
        """The chosen examples as one packed row; filled up to `shape` where one is given."""
        # Totals are known here, which spares the device the question.
        propositions = int(self.measures.propositions[examples].sum())
        plain, total = int(self.measures.plain[examples].sum()), int(self.measures.source[examples].sum())
        chosen_N = self.on_device(examples)
        counts_N, lengths_N = self.source_counts[chosen_N], self.source_lengths[chosen_N]
        place_P = ragged_places(self.source_begins[chosen_N], counts_N, propositions)
        numbers_P, categories_P = self.sources[place_P], self.categories[place_P]
        lengths_P = self.lengths[numbers_P]
        tokens_S = self.tokens[ragged_places(self.begins[numbers_P], lengths_P, plain)].long()
        if self.layout.hierarchical:
            segments = lengths_P
        else:
            last_P = torch.zeros_like(numbers_P)
            last_P.index_fill_(0, counts_N.cumsum(0) - 1, 1)  # not by assignment, for which a GPU would be waited for
            tokens_S, lengths_P = with_labels(tokens_S, lengths_P, self.labels[categories_P], last_P, plain, total)
            segments = lengths_N
        positions_S = ragged_places(torch.zeros_like(segments), segments, total)
        categories_S = categories_P.repeat_interleave(lengths_P, output_size=total)
        known_lengths = None
        if shape is None:
            known_lengths = torch.from_numpy(self.measures.source[examples])
            longest_example = int(self.measures.source[examples].max(initial=0))
            longest_segment = longest_example
            if self.layout.hierarchical and len(examples):
                longest_segment = int(segments.max())  # a GPU has to be asked: not needed in training
        else:
            short = shape.source - total
            tokens_S, positions_S, categories_S = (
                F.pad(row, (0, short)) for row in (tokens_S, positions_S, categories_S)
            )
            longest_example, longest_segment = shape.longest_source, shape.longest_proposition
            lengths_N = fill_slots(lengths_N, short, shape.examples, shape.fillers)
            slots = shape.propositions if self.layout.hierarchical else shape.examples
            segments = fill_slots(segments, short, slots, shape.fillers)
        return Source(
            tokens_S,
            positions_S,
            categories_S,
            Segments(segment_starts(lengths_N), longest_example, known_lengths),
            Segments(segment_starts(segments), longest_segment),
        )

    def target(self, examples: Longs, shape: Shape | None = None) -> Target:
        total = int(self.measures.target[examples].sum())
        numbers_N = self.targets[self.on_device(examples)]
        lengths_N = self.lengths[numbers_N]
        tokens = self.tokens[ragged_places(self.begins[numbers_N], lengths_N, total - len(examples))].long()
        longer_N = lengths_N + 1
        begins_N = longer_N.cumsum(0) - longer_N
        places = ragged_places(begins_N, lengths_N, total - len(examples))
        inputs_U = torch.full((total,), BOS, dtype=torch.long, device=self.device)
        outputs_U = torch.full((total,), EOS, dtype=torch.long, device=self.device)
        inputs_U[places + 1] = tokens
        outputs_U[places] = tokens
        positions_U = ragged_places(torch.zeros_like(longer_N), longer_N, total)
        longest = int(self.measures.target[examples].max(initial=0))
        if shape is not None:
            short = shape.target - total
            inputs_U, positions_U = F.pad(inputs_U, (0, short)), F.pad(positions_U, (0, short))
            outputs_U = F.pad(outputs_U, (0, short), value=-1)
            longest = shape.longest_target
            longer_N = fill_slots(longer_N, short, shape.examples, shape.fillers)
        return Target(inputs_U, outputs_U, positions_U, Segments(segment_starts(longer_N), longest))


def ragged_places(begins: Tensor, lengths: Tensor, total: int) -> Tensor:
    """begins[0], begins[0] + 1, ... (lengths[0] of them), then the same for the next; `total` in all."""
    shifts = begins - (lengths.cumsum(0) - lengths)
    return torch.arange(total, device=begins.device) + shifts.repeat_interleave(lengths, output_size=total)


def segment_starts(lengths: Tensor) -> Tensor:
    return F.pad(lengths.cumsum(0, dtype=torch.int32), (1, 0))


def fill_slots(lengths: Tensor, missing: int, slots: int, fillers: int) -> Tensor:
    """The real segments, then the filling in equal pieces, then empty segments up to the fixed number."""
    bounds = torch.arange(fillers + 1, device=lengths.device) * missing // fillers
    return torch.cat([lengths, bounds.diff(), lengths.new_zeros(slots - lengths.shape[0])])


def with_labels(
    tokens_S: Tensor, lengths_P: Tensor, labels_P: Tensor, last_P: Tensor, plain: int, total: int
) -> tuple[Tensor, Tensor]:
    """`<F2> p <SEP> <F2> q <SEP> <F3> ...`; no separator after an example's last proposition."""
    longer_P = lengths_P + 2 - last_P
    out = torch.full((total,), SEP, dtype=torch.long, device=tokens_S.device)
    begins_P = longer_P.cumsum(0) - longer_P
    out[begins_P] = labels_P
    out[ragged_places(begins_P + 1, lengths_P, plain)] = tokens_S
    return out, longer_P
