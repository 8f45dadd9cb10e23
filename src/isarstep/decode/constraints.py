"""Grammar: only token sequences that decode to a term, over variables that the example knows.

A small automaton follows every hypothesis: what may come next (`mode`), open brackets, binders in scope, schematic
variables seen. All of it is integers, so that one gather from a table of rows gives the mask of a whole batch.
Shapes: B sentences, K hypotheses, V tokens, G open brackets.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum

import numpy as np
import torch
from torch import Tensor

from isarstep.train.corpus import EOS, Corpus, Longs

DEEPEST = 60  # brackets inside brackets
SLACK = 8  # what the costliest token adds to the way to the end


class Kind(IntEnum):
    """Classes of tokens."""

    OTHER, END, CONST, FREE, VAR, BOUND, ABS, APPLY, OPEN, CLOSE, CONSTANT, VARIABLE, SCHEMATIC, INDEX = range(14)


class Mode(IntEnum):
    """What is expected next."""

    TERM, ARGUMENT, GROUP, BINDER, AFTER, AFTER_BINDER, CONSTANT, VARIABLE, SCHEMATIC, INDEX = range(10)


# Tokens from here to the end of the innermost group, at the least (END and closing brackets are counted elsewhere).
NEED = {
    Mode.TERM: 2, Mode.ARGUMENT: 2, Mode.GROUP: 2, Mode.BINDER: 3, Mode.AFTER: 0, Mode.AFTER_BINDER: 3,
    Mode.CONSTANT: 1, Mode.VARIABLE: 1, Mode.SCHEMATIC: 1, Mode.INDEX: 1,
}  # fmt: skip
NAMES = {Kind.CONST: Mode.CONSTANT, Kind.FREE: Mode.VARIABLE, Kind.VAR: Mode.SCHEMATIC, Kind.BOUND: Mode.INDEX}


def kind_of(token: str) -> Kind:
    words = {
        "<EOS>": Kind.END,
        "CONST": Kind.CONST,
        "FREE": Kind.FREE,
        "VAR": Kind.VAR,
        "BOUND": Kind.BOUND,
        "ABS": Kind.ABS,
        "$": Kind.APPLY,
        "(": Kind.OPEN,
        ")": Kind.CLOSE,
    }
    if token in words:
        return words[token]
    if token.isascii() and token.isdecimal():
        return Kind.INDEX
    if re.fullmatch(r"<X\d+>", token):
        return Kind.VARIABLE
    if re.fullmatch(r"<V\d+>", token):
        return Kind.SCHEMATIC
    return Kind.OTHER if re.fullmatch(r"<[A-Z0-9]+>", token) else Kind.CONSTANT


class Grammar:
    """The tables for a vocabulary; `start` makes the automaton of a batch."""

    candidates = 2

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self.kinds = torch.tensor([kind_of(token) for token in vocabulary])
        self.numbers = torch.tensor(
            [int(re.sub(r"\D", "", t)) if k in (Kind.INDEX, Kind.SCHEMATIC, Kind.VARIABLE) else -1
             for t, k in zip(vocabulary, self.kinds.tolist(), strict=True)]
        )  # fmt: skip
        self.is_variable = self.kinds == Kind.VARIABLE
        schematics = int((self.kinds == Kind.SCHEMATIC).sum())
        indices = int((self.kinds == Kind.INDEX).sum())
        self.rows: list[Tensor] = []
        # TERM, ARGUMENT, GROUP: with or without bound and free variables to name, at leisure or on the shortest way
        # out.
        self.leaf_row = torch.zeros(3, 2, 2, 2, dtype=torch.long)
        for mode in (Mode.TERM, Mode.ARGUMENT, Mode.GROUP):
            for bound in (0, 1):
                for free in (0, 1):
                    for tight in (0, 1):
                        kinds = {Kind.CONST}
                        kinds |= {Kind.VAR} if schematics else set()
                        kinds |= {Kind.BOUND} if bound else set()
                        kinds |= {Kind.FREE} if free else set()
                        kinds |= set() if tight else {Kind.OPEN}
                        kinds |= set() if tight or mode == Mode.ARGUMENT else {Kind.ABS}
                        self.leaf_row[mode, bound, free, tight] = self.add_row(kinds)
        self.binder_row = self.add_row({Kind.ABS})
        self.apply_row = self.add_row({Kind.APPLY})
        self.constant_row = self.add_row({Kind.CONSTANT})
        # AFTER: open group or not, complete or not, tight or not.
        self.after_row = torch.zeros(2, 2, 2, dtype=torch.long)
        for group in (0, 1):
            for complete in (0, 1):
                for tight in (0, 1):
                    end = {Kind.CLOSE if group else Kind.END} if complete else set()
                    self.after_row[group, complete, tight] = self.add_row(
                        end if tight and complete else end | {Kind.APPLY}
                    )
        # Schematic variables are numbered as they occur: one that was seen, or the next.
        self.schematic_row = torch.tensor([self.add_row({Kind.SCHEMATIC}, seen) for seen in range(schematics + 1)])
        self.index_row = torch.tensor([self.add_row({Kind.INDEX}, top - 1) for top in range(1, indices + 2)])
        self.table_RV = torch.stack(self.rows)

    def add_row(self, kinds: set[Kind], highest: int | None = None) -> int:
        row = torch.zeros(len(self.kinds), dtype=torch.bool)
        for kind in kinds:
            row |= self.kinds == kind
        if highest is not None:
            row &= self.numbers <= highest
        self.rows.append(row)
        return len(self.rows) - 1

    def variables_of(self, corpus: Corpus, example: int) -> Tensor:
        """Which tokens name a variable that is fixed at the consequence (where known) or occurs in the source."""
        fixed = self.numbers < int(corpus.variables[example])
        here = slice(int(corpus.source_starts[example]), int(corpus.source_starts[example + 1]))
        used = torch.zeros_like(self.is_variable)
        for number in corpus.sources[here].tolist():
            used[torch.from_numpy(corpus.proposition(number).astype(np.int64))] = True
        return (fixed | used) & self.is_variable

    def start(self, corpus: Corpus, examples: Longs, beams: int, device: torch.device) -> GrammarState:
        variables_BV = torch.stack([self.variables_of(corpus, int(example)) for example in examples])
        return GrammarState(self, variables_BV.to(device), beams, device)

    def accepts(self, tokens: Sequence[int], corpus: Corpus, example: int) -> bool:
        """Whether a whole sequence (without `<EOS>`) could have been written; for counting what is excluded."""
        state = self.start(corpus, np.array([example]), 1, torch.device("cpu"))
        zero = torch.zeros(1, 1, dtype=torch.long)
        for token in (*tokens, EOS):
            if not bool(state.allowed(1 << 20)[0, 0, token]):
                return False
            state.advance(zero, torch.tensor([[token]]))
        return True


class GrammarState:
    """The automata of K hypotheses of B sentences."""

    def __init__(self, grammar: Grammar, variables_BV: Tensor, beams: int, device: torch.device) -> None:
        batch = variables_BV.shape[0]
        self.variables_BV = variables_BV
        self.table_RV = grammar.table_RV.to(device)
        self.kinds, self.numbers = grammar.kinds.to(device), grammar.numbers.to(device)
        self.leaf_row, self.after_row = grammar.leaf_row.to(device), grammar.after_row.to(device)
        self.schematic_row, self.index_row = grammar.schematic_row.to(device), grammar.index_row.to(device)
        self.grammar = grammar
        self.need = torch.tensor([NEED[mode] for mode in Mode], device=device)
        self.step_table = transitions().to(device)
        zeros = torch.zeros(batch, beams, dtype=torch.long, device=device)
        self.mode, self.depth, self.binders, self.seen = zeros + Mode.TERM, zeros, zeros.clone(), zeros.clone()
        # Open groups that hold no application or abstraction yet, or that must be applied to something once closed.
        self.owing = zeros.clone()
        # Of each open group: binders outside it, whether it stands in head position, whether it may close.
        self.outside_BKG = torch.zeros(batch, beams, DEEPEST + 1, dtype=torch.long, device=device)
        self.head_BKG = torch.zeros_like(self.outside_BKG, dtype=torch.bool)
        self.complete_BKG = torch.ones_like(self.head_BKG)

    def allowed(self, left: int) -> Tensor:
        """B x K x V, when `left` tokens remain, `<EOS>` included."""
        here = self.depth[..., None]
        need = self.need[self.mode] + self.depth + 3 * self.owing + 1
        tight = ((left < need + SLACK) | (self.depth >= DEEPEST - 1)).long()
        free = self.variables_BV.any(1)[:, None].expand_as(self.mode).long()
        bound = (self.binders > 0).long()
        complete = self.complete_BKG.gather(2, here)[..., 0].long()
        mode = self.mode
        row = self.leaf_row[mode.clamp(max=2), bound, free, tight]
        row = torch.where(mode == Mode.BINDER, self.grammar.binder_row, row)
        row = torch.where(mode == Mode.AFTER, self.after_row[(self.depth > 0).long(), complete, tight], row)
        row = torch.where(mode == Mode.AFTER_BINDER, self.grammar.apply_row, row)
        row = torch.where(mode == Mode.CONSTANT, self.grammar.constant_row, row)
        row = torch.where(
            mode == Mode.SCHEMATIC, self.schematic_row[self.seen.clamp(max=len(self.schematic_row) - 1)], row
        )
        row = torch.where(mode == Mode.INDEX, self.index_row[(self.binders - 1).clamp(0, len(self.index_row) - 1)], row)
        own = self.table_RV.shape[0] + torch.arange(mode.shape[0], device=mode.device)[:, None]
        row = torch.where(mode == Mode.VARIABLE, own, row)
        return torch.cat([self.table_RV, self.variables_BV])[row]

    def forbid(self, logits_BKV: Tensor, left: int) -> Tensor:
        return logits_BKV.masked_fill(~self.allowed(left), -torch.inf)

    def prune(self, scores_BQ: Tensor, parents_BQ: Tensor, tokens_BQ: Tensor) -> Tensor:
        return scores_BQ

    def advance(self, parents_BK: Tensor, tokens_BK: Tensor) -> None:
        def of_parents(x_BK: Tensor) -> Tensor:
            return x_BK.gather(1, parents_BK)

        wide = parents_BK[..., None].expand(-1, -1, DEEPEST + 1)
        mode, depth, binders, seen = map(of_parents, (self.mode, self.depth, self.binders, self.seen))
        owing = of_parents(self.owing)
        outside, head, complete = (x.gather(1, wide) for x in (self.outside_BKG, self.head_BKG, self.complete_BKG))
        kind, number = self.kinds[tokens_BK], self.numbers[tokens_BK]

        opens, closes = kind == Kind.OPEN, kind == Kind.CLOSE
        here = depth[..., None]
        # What fills the innermost group: an application or an abstraction.
        fills = (kind == Kind.APPLY) | (kind == Kind.ABS)
        was_complete = complete.gather(2, here)[..., 0]
        owing = owing - (fills & ~was_complete).long() + opens.long()
        complete = complete.scatter(2, here, (was_complete | fills)[..., None])
        # A bracket is put on the stack; closing it brings back the binders outside.
        deeper = (depth + 1).clamp(max=DEEPEST)[..., None]
        outside = torch.where(opens[..., None], outside.scatter(2, deeper, binders[..., None]), outside)
        head = torch.where(opens[..., None], head.scatter(2, deeper, (mode != Mode.ARGUMENT)[..., None]), head)
        complete = torch.where(
            opens[..., None], complete.scatter(2, deeper, torch.zeros_like(deeper, dtype=torch.bool)), complete
        )
        closed_head = head.gather(2, here)[..., 0]
        owing = owing + (opens & (mode != Mode.ARGUMENT)).long() - (closes & closed_head).long()
        binders = torch.where(closes, outside.gather(2, here)[..., 0], binders) + (kind == Kind.ABS).long()
        seen = torch.where(kind == Kind.SCHEMATIC, torch.maximum(seen, number + 1), seen)
        next_mode = self.step_table[mode, kind]
        next_mode = torch.where(closes & closed_head, Mode.AFTER_BINDER, next_mode)
        self.mode, self.depth = next_mode, (depth + opens.long() - closes.long()).clamp(0, DEEPEST)
        self.binders, self.seen, self.owing = binders, seen, owing
        self.outside_BKG, self.head_BKG, self.complete_BKG = outside, head, complete

    def keep(self, rows: Tensor) -> None:
        self.variables_BV = self.variables_BV[rows]
        for name in ("mode", "depth", "binders", "seen", "owing", "outside_BKG", "head_BKG", "complete_BKG"):
            setattr(self, name, getattr(self, name)[rows])


def transitions() -> Tensor:
    """The next mode, by mode and kind of token. Impossible pairs stay where they are: no living hypothesis takes
    them."""
    table = torch.arange(len(Mode))[:, None].repeat(1, len(Kind))
    for mode in (Mode.TERM, Mode.ARGUMENT, Mode.GROUP):
        for kind, name in NAMES.items():
            table[mode, kind] = name
        table[mode, Kind.ABS] = Mode.TERM
        # In head position only an abstraction stands in brackets.
        table[mode, Kind.OPEN] = Mode.GROUP if mode == Mode.ARGUMENT else Mode.BINDER
    table[Mode.BINDER, Kind.ABS] = Mode.TERM
    for mode, kind in (
        (Mode.CONSTANT, Kind.CONSTANT), (Mode.VARIABLE, Kind.VARIABLE), (Mode.SCHEMATIC, Kind.SCHEMATIC),
        (Mode.INDEX, Kind.INDEX), (Mode.AFTER, Kind.CLOSE),
    ):  # fmt: skip
        table[mode, kind] = Mode.AFTER
    table[Mode.AFTER, Kind.APPLY] = table[Mode.AFTER_BINDER, Kind.APPLY] = Mode.ARGUMENT
    return table
