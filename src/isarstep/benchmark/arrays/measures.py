"""How long examples are for a model that reads them in one of two layouts, and what fits into one batch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isarstep.benchmark.arrays.corpus import Corpus, Longs
from isarstep.benchmark.arrays.inputs import Input

TRAINING_LIMIT = 512  # source tokens, as in the paper
LONGEST_TARGET = 200


@dataclass(frozen=True)
class Layout:
    """How a model reads, HAT propositions as segments, the others one labelled row; and what it reads."""

    hierarchical: bool
    input: Input


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
        self.propositions = corpus.proposition_counts(layout.input)
        self.longest_proposition = int(np.diff(corpus.token_starts).max(initial=1))
        self.plain = corpus.source_lengths(layout.input)
        # A label before each proposition, a separator between two.
        labels = 0 if layout.hierarchical else np.maximum(2 * self.propositions - 1, 0)
        self.source = self.plain + labels
        self.target = corpus.target_lengths() + 1

    def trainable(self) -> Longs:
        """Examples within the training limit (counted without labels, so that all models see the same ones)."""
        fits = (self.plain <= TRAINING_LIMIT) & (self.plain > 0) & (self.target <= LONGEST_TARGET + 1)
        return np.flatnonzero(fits)

    def shape_for(self, budget: int, chosen: Longs, every: Longs | None = None) -> Shape:
        """A shape of `budget` source tokens and the other sides in the proportions of the chosen examples; each of
        `every` fits into it, or of the chosen.

        Targets vary much more than sources: a little room to spare there keeps the source full. With 5 % both sides of
        a batch of 65,536 tokens are (99 and 94 %).
        """
        scale = budget / max(1, int(self.source[chosen].sum())) * 1.05
        room = 128
        target = int(np.ceil(self.target[chosen].sum() * scale / room)) * room
        # Attention kernels work on 128 rows at a time: a lower bound on lengths would save nothing.
        every = chosen if every is None else every
        longest_source = max(room, int(self.source[every].max()))
        longest_target = max(room, int(self.target[every].max()))
        longest_segment = (
            min(max(room, self.longest_proposition), longest_source) if self.layout.hierarchical else longest_source
        )
        return Shape(
            max(budget, 2 * longest_source),
            max(target, 2 * longest_target),
            int(self.propositions[chosen].sum() * scale) + 64,
            int(len(chosen) * scale) + 64,
            longest_source,
            longest_segment,
            longest_target,
        )
