"""Batches by tokens, packed: examples laid end to end until the budget is full, in an order that a seed determines.

On a GPU every batch has the same shape, so that one compiled program serves all: what is left of the budget is filled with
segments that nobody reads.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from queue import Queue
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import torch

from isarstep.models.inputs import Segments, Source, Target
from isarstep.train.corpus import BOS, EOS, F2, SEP, Corpus, Longs, ragged, starts_of

TRAINING_LIMIT = 512  # source tokens, as in the paper
LONGEST_TARGET = 200

T = TypeVar("T")


@dataclass(frozen=True)
class Batch:
    source: Source
    target: Target
    written: int  # tokens to be learned
    tokens: int  # real tokens, read and written

    def to(self, device: torch.device) -> Batch:
        return Batch(self.source.to(device), self.target.to(device), self.written, self.tokens)

    def pinned(self) -> Batch:
        """In memory from which a GPU copies while it computes."""
        source, target = self.source, self.target
        return Batch(
            Source(
                source.tokens_S.pin_memory(),
                source.positions_S.pin_memory(),
                source.categories_S.pin_memory(),
                Segments(source.examples.starts.pin_memory(), source.examples.longest),
                Segments(source.propositions.starts.pin_memory(), source.propositions.longest),
            ),
            Target(
                target.inputs_U.pin_memory(),
                target.outputs_U.pin_memory(),
                target.positions_U.pin_memory(),
                Segments(target.examples.starts.pin_memory(), target.examples.longest),
            ),
            self.written,
            self.tokens,
        )


@dataclass(frozen=True)
class Layout:
    """How a model reads: HAT propositions as segments, the others one labelled row; with or without F.5."""

    hierarchical: bool
    hints: bool


@dataclass(frozen=True)
class Shape:
    """What fits into one batch of fixed shape."""

    source: int
    target: int
    propositions: int
    examples: int
    longest_source: int
    longest_proposition: int
    longest_target: int

    @property
    def fillers(self) -> int:
        """Segments that fill up what is left. Even an empty batch splits into pieces that no kernel finds too long."""
        return max(self.source // self.longest_proposition, self.target // self.longest_target) + 1


class Measures:
    """Lengths of every example under a layout."""

    def __init__(self, corpus: Corpus, layout: Layout) -> None:
        self.layout = layout
        self.propositions = corpus.proposition_counts(layout.hints)
        self.longest_proposition = int(np.diff(corpus.token_starts).max(initial=1))
        self.plain = corpus.source_lengths(layout.hints)
        # A label before each proposition, a separator between two.
        labels = 0 if layout.hierarchical else np.maximum(2 * self.propositions - 1, 0)
        self.source = self.plain + labels
        self.target = corpus.target_lengths() + 1

    def trainable(self) -> Longs:
        """Examples within the training limit (counted without labels, so that all models see the same ones)."""
        fits = (self.plain <= TRAINING_LIMIT) & (self.plain > 0) & (self.target <= LONGEST_TARGET + 1)
        return np.flatnonzero(fits)

    def shape_for(self, budget: int, chosen: Longs) -> Shape:
        """A shape of `budget` source tokens and the other sides in the proportions of the data.

        Targets vary much more than sources: some room to spare there (an eighth of all tokens) keeps the source full.
        """
        scale = budget / max(1, int(self.source[chosen].sum())) * 1.15
        room = 128
        target = int(np.ceil(self.target[chosen].sum() * scale / room)) * room
        # Attention kernels work on 128 rows at a time: a lower bound on lengths would save nothing.
        longest_source = max(room, int(self.source[chosen].max()))
        longest_target = max(room, int(self.target[chosen].max()))
        longest_segment = min(max(room, self.longest_proposition), longest_source) if self.layout.hierarchical else longest_source
        return Shape(
            max(budget, 2 * longest_source),
            max(target, 2 * longest_target),
            int(self.propositions[chosen].sum() * scale) + 64,
            int(len(chosen) * scale) + 64,
            longest_source,
            longest_segment,
            longest_target,
        )


def plan(measures: Measures, chosen: Longs, shape: Shape, seed: int, epoch: int) -> list[Longs]:
    """The batches of one epoch as lists of examples. Equal arguments give equal plans."""
    order = np.random.default_rng([seed, epoch]).permutation(chosen)
    sizes = np.stack([measures.source, measures.target, measures.propositions, np.ones_like(measures.source)], 1)
    # No filling segment may be empty: a target's would attend to nothing.
    room = np.array([shape.source - shape.fillers, shape.target - shape.fillers, shape.propositions, shape.examples])
    return pack(order, sizes, room)


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


def assemble_source(corpus: Corpus, examples: Longs, layout: Layout, shape: Shape | None = None) -> Source:
    """The chosen examples as one packed row; filled up to `shape` where one is given."""
    counts = np.diff(corpus.source_starts)[examples]
    flat = ragged(corpus.source_starts[examples], counts)
    fields, numbers = corpus.fields[flat].astype(np.int64), corpus.sources[flat]
    owner = np.repeat(np.arange(len(examples)), counts)
    if not layout.hints:
        read = fields < 5
        fields, numbers, owner = fields[read], numbers[read], owner[read]
    begin = corpus.token_starts[numbers]
    lengths = corpus.token_starts[numbers + 1] - begin
    tokens = corpus.tokens[ragged(begin, lengths)].astype(np.int64)
    categories = fields - 2
    example_lengths = np.bincount(owner, lengths, len(examples)).astype(np.int64)
    if layout.hierarchical:
        segments = lengths
    else:
        last = np.append(owner[1:] != owner[:-1], True)[: len(owner)]
        tokens, lengths = with_labels(tokens, lengths, categories, last)
        example_lengths = segments = np.bincount(owner, lengths, len(examples)).astype(np.int64)
    positions = ragged(np.zeros(len(segments), np.int64), segments)
    spread = np.repeat(categories, lengths)
    longest_example, longest_segment = int(example_lengths.max(initial=0)), int(segments.max(initial=0))
    if shape is not None:
        short = shape.source - len(tokens)
        tokens, positions, spread = (np.pad(row, (0, short)) for row in (tokens, positions, spread))
        longest_example, longest_segment = shape.longest_source, shape.longest_proposition
        example_lengths = fill(example_lengths, short, shape.examples, shape.fillers)
        slots = shape.propositions if layout.hierarchical else shape.examples
        segments = fill(segments, short, slots, shape.fillers)
    return Source(
        torch.from_numpy(tokens),
        torch.from_numpy(positions),
        torch.from_numpy(spread),
        segments_of(example_lengths, longest_example),
        segments_of(segments, longest_segment),
    )


def fill(lengths: Longs, missing: int, slots: int, fillers: int) -> Longs:
    """The real segments, then the filling in equal pieces, then empty segments up to the fixed number."""
    pieces = (np.arange(fillers) + 1) * missing // fillers - np.arange(fillers) * missing // fillers
    return np.concatenate([lengths, pieces, np.zeros(slots - len(lengths), np.int64)])


def segments_of(lengths: Longs, longest: int) -> Segments:
    return Segments(torch.from_numpy(starts_of(lengths).astype(np.int32)), longest)


def with_labels(
    tokens: Longs, lengths: Longs, categories: Longs, last: npt.NDArray[np.bool_]
) -> tuple[Longs, Longs]:
    """`<F2> p <SEP> <F2> q <SEP> <F3> ...`; no separator after an example's last proposition."""
    longer = lengths + 2 - last
    out = np.full(int(longer.sum()), SEP, np.int64)
    begin = starts_of(longer)[:-1]
    out[begin] = F2 + categories
    out[ragged(begin + 1, lengths)] = tokens
    return out, longer


def assemble_target(corpus: Corpus, examples: Longs, shape: Shape | None = None) -> Target:
    numbers = corpus.targets[examples]
    begin = corpus.token_starts[numbers]
    lengths = corpus.token_starts[numbers + 1] - begin
    tokens = corpus.tokens[ragged(begin, lengths)].astype(np.int64)
    longer = lengths + 1
    starts = starts_of(longer)
    inputs = np.full(int(starts[-1]), BOS, np.int64)
    outputs = np.full(int(starts[-1]), EOS, np.int64)
    inputs[ragged(starts[:-1] + 1, lengths)] = tokens
    outputs[ragged(starts[:-1], lengths)] = tokens
    positions = ragged(np.zeros(len(longer), np.int64), longer)
    longest = int(longer.max(initial=0))
    if shape is not None:
        short = shape.target - len(inputs)
        inputs, positions = np.pad(inputs, (0, short)), np.pad(positions, (0, short))
        outputs = np.pad(outputs, (0, short), constant_values=-1)
        longest = shape.longest_target
        longer = fill(longer, short, shape.examples, shape.fillers)
    return Target(
        torch.from_numpy(inputs), torch.from_numpy(outputs), torch.from_numpy(positions), segments_of(longer, longest)
    )


def assemble(corpus: Corpus, examples: Longs, layout: Layout, shape: Shape | None = None) -> Batch:
    source = assemble_source(corpus, examples, layout, shape)
    target = assemble_target(corpus, examples, shape)
    written = int((target.outputs_U >= 0).sum())
    read = source.tokens_S.shape[0] if shape is None else int(source_total(corpus, examples, layout))
    return Batch(source, target, written, read + written)


def source_total(corpus: Corpus, examples: Longs, layout: Layout) -> int:
    counts = np.diff(corpus.source_starts)[examples]
    flat = ragged(corpus.source_starts[examples], counts)
    numbers, fields = corpus.sources[flat], corpus.fields[flat]
    return int(np.diff(corpus.token_starts)[numbers[fields < 5 + layout.hints]].sum())


def ahead(make: Callable[[], Iterator[T]], depth: int = 4) -> Iterator[T]:
    """The same stream, made in a thread of its own so that it never waits for the consumer and seldom lets it wait."""
    queue: Queue[tuple[bool, T | BaseException | None]] = Queue(depth)
    stop = threading.Event()

    def put(item: tuple[bool, T | BaseException | None]) -> None:
        while not stop.is_set():
            try:
                return queue.put(item, timeout=0.5)
            except Exception:  # noqa: BLE001, S112 (Full: the consumer may have gone)
                continue

    def work() -> None:
        try:
            for item in make():
                if stop.is_set():
                    return
                put((True, item))
            put((False, None))
        except BaseException as error:  # noqa: BLE001 (handed to the consumer)
            put((False, error))

    threading.Thread(target=work, daemon=True).start()
    try:
        while True:
            more, item = queue.get()
            if not more:
                if isinstance(item, BaseException):
                    raise item
                return
            yield item  # type: ignore[misc]
    finally:
        stop.set()
