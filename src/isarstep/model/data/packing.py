"""The sources of examples as one packed row, in numpy: what a search without torch reads, as `Packer` would give it."""

from __future__ import annotations

import numpy as np

from isarstep.benchmark.arrays.corpus import Corpus, Longs, ragged, starts_of
from isarstep.benchmark.arrays.inputs import Segments, Source
from isarstep.benchmark.arrays.measures import Layout, Measures


class HostPacker:
    """Propositions as segments only: whoever reads one labelled row is a model of torch."""

    def __init__(self, corpus: Corpus, layout: Layout) -> None:
        assert layout.hierarchical
        self.measures = Measures(corpus, layout)
        self.corpus, self.lengths = corpus, np.diff(corpus.token_starts)
        read = corpus.reads(layout.input)
        self.sources, self.categories = corpus.sources[read], corpus.fields[read].astype(np.int64) - 2
        counts = self.measures.propositions
        self.begins = np.cumsum(counts) - counts

    def source(self, examples: Longs) -> Source:
        place_P = ragged(self.begins[examples], self.measures.propositions[examples])
        numbers_P, categories_P = self.sources[place_P], self.categories[place_P]
        lengths_P, lengths_N = self.lengths[numbers_P], self.measures.source[examples]
        return Source(
            self.corpus.tokens[ragged(self.corpus.token_starts[numbers_P], lengths_P)].astype(np.int64),
            ragged(np.zeros_like(lengths_P), lengths_P),
            np.repeat(categories_P, lengths_P),
            Segments(starts_of(lengths_N).astype(np.int32), int(lengths_N.max(initial=0))),
            Segments(starts_of(lengths_P).astype(np.int32), int(lengths_P.max(initial=0))),
        )
