"""Types: hypotheses that cannot be completed to a well-typed proposition are dropped as soon as a subterm closes.

The grammar's mask comes first; then candidates are looked at on the host, best first, until there are enough.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isarstep.benchmark.arrays.backend import Array, Arrays
from isarstep.benchmark.arrays.corpus import Corpus, Longs
from isarstep.isabelle.inference.infer import well_formed
from isarstep.isabelle.inference.partial_inference import Kind, Unfinished
from isarstep.model.decode.constraints import SLACK, GrammarState, Mask, TermGrammar
from isarstep.model.decode.hypotheses import SearchRules
from isarstep.model.decode.variable_types import Known, KnownAt

NO_LIMIT = 1 << 20
LATE = 120  # places left when it is time to ask who is short of room
# Where a schematic variable will do for certain, other names may turn out not to fit.
UNSURE = (Kind.CONST, Kind.FREE, Kind.BOUND)


class TypedGrammar(TermGrammar):
    """`known` tells of an example the types of its variables, and which constants and instances exist there."""

    def __init__(self, vocabulary: Sequence[str], known: KnownAt, dense: bool = False) -> None:
        super().__init__(vocabulary, dense)
        self.vocabulary, self.known = tuple(vocabulary), known
        self.kind_list: list[int] = self.kinds.tolist()

    def start(self, corpus: Corpus, examples: Longs, rules: SearchRules, arrays: Arrays) -> TypedState:
        known = [self.known(corpus, int(example)) for example in examples]
        meanings = [dict(zip(self.constant_numbers, corpus.names_of(int(e)), strict=False)) for e in examples]
        meaningless_BF = self.meaningless_numbers(corpus, examples)
        return TypedState(self, self.variables_of(corpus, examples), rules, arrays, meaningless_BF, known, meanings)


class TypedState(GrammarState):
    """The automata, and for each hypothesis (None: it is dead) what is known of its types."""

    prunes = True

    def __init__(
        self,
        grammar: TypedGrammar,
        variables_BV: Mask,
        rules: SearchRules,
        arrays: Arrays,
        meaningless_BF: Mask | None,
        known: list[Known],
        meanings: list[dict[int, str]],
    ) -> None:
        super().__init__(grammar, variables_BV, rules, arrays, meaningless_BF)
        self.typed = grammar
        self.places = rules.longest + 1
        schematic = Kind.SCHEMATIC in grammar.kind_list
        self.unsure = UNSURE if schematic else ()
        kinds_F = np.append(grammar.kinds[grammar.few], Kind.CONSTANT)
        self.names_F = arrays.of(np.isin(kinds_F, (Kind.CONSTANT, Kind.VARIABLE, Kind.INDEX)) & schematic)
        self.known = known
        self.meanings = meanings  # of the numbers of constants
        self.states: list[list[Unfinished | None]] = [
            [Unfinished.nothing(signature, context)] * rules.beam for context, _, signature in known
        ]
        self.children: list[dict[tuple[int, int], Unfinished]] = []

    def forbidden(self, left: int) -> Array:
        # The shortest way out is another one with types, see `leaves_room`.
        mask_BKF = super().forbidden(NO_LIMIT)
        if not self.typed.dense or left > LATE:
            return mask_BKF
        # A schematic variable must not be hidden behind thousands of constants that do not fit.
        short = [[state is not None and state.need() + SLACK > left for state in row] for row in self.states]
        return mask_BKF | (self.arrays.of(short)[..., None] & self.names_F)

    def prune(self, scores_BQ: Array, parents_BQ: Array, tokens_BQ: Array) -> Array:
        """Candidates come best first: looked at until enough for the next beam are found sound, the rest is dropped."""
        scores = self.arrays.host(scores_BQ).copy()
        parents, tokens = self.arrays.stacked_lists(parents_BQ, tokens_BQ)
        living = np.isfinite(scores).sum(1).tolist()
        self.children = []
        for row, count in enumerate(living):
            children: dict[tuple[int, int], Unfinished] = {}
            at = 0
            # As many as live on; what ends is finished only before the last of them.
            while at < count and len(children) < self.beams:
                if not self.possible(row, parents[row][at], tokens[row][at], children):
                    scores[row, at] = -np.inf
                at += 1
            scores[row, at:] = -np.inf
            self.children.append(children)
        return self.arrays.of(scores)

    def possible(self, row: int, parent: int, token: int, children: dict[tuple[int, int], Unfinished]) -> bool:
        state = self.states[row][parent]
        if state is None:
            return False
        kind = self.typed.kind_list[token]
        context, exists, signature = self.known[row]
        if kind == Kind.END:
            return state.complete() and bool(well_formed(state.words, signature, context))
        word = self.meanings[row].get(token) or self.typed.vocabulary[token]
        if kind == Kind.CONSTANT and not exists(word):
            return False
        child = state.followed_densely(word, kind) if self.typed.dense else state.followed_by(word, kind)
        if child is None or not self.leaves_room(state, child, kind):
            return False
        children[parent, token] = child
        return True

    def leaves_room(self, state: Unfinished, child: Unfinished, kind: int) -> bool:
        """Whether a proposition can still end in time. Towards the limit only the surest way to an end is left."""
        left, need = self.places - self.length, child.need()
        if need > left - 1:
            return False
        short = state.need()
        return short + SLACK <= left or (need < short and kind not in self.unsure)

    def advance(self, parents_BK: Array, tokens_BK: Array) -> None:
        super().advance(parents_BK, tokens_BK)
        parents, tokens = self.arrays.stacked_lists(parents_BK, tokens_BK)
        self.states = [
            [children.get(pair) for pair in zip(*row, strict=True)]
            for children, row in zip(self.children, zip(parents, tokens, strict=True), strict=True)
        ]

    def keep(self, rows: Array) -> None:
        super().keep(rows)
        chosen = rows.tolist()
        self.states = [self.states[row] for row in chosen]
        self.known = [self.known[row] for row in chosen]
        self.meanings = [self.meanings[row] for row in chosen]
