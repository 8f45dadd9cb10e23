"""Grammar: only token sequences that decode to a term, over variables that the example knows.

A small automaton follows every hypothesis, on the device and without a question from the host. Its state is one row of
integers (`Column`), every state ever reached is kept, and an opening bracket leaves a link to the state before it:
closing the bracket goes back there. So a step is a few look-ups for the whole batch, whatever the terms look like.
For a model that leaves out implied tokens (`isarstep.benchmark.arrays.dense`) a token moves as they and it would
together. `research/benchmarks/exclusion.py` says the same in plain Python. Shapes: B sentences, K hypotheses, V tokens,
C columns, R rows of the table of masks, F tokens that are no constants (and one place for those that are).
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence
from enum import IntEnum
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from isarstep.benchmark.arrays.backend import Array, Arrays
from isarstep.benchmark.arrays.corpus import Corpus, Longs, ragged
from isarstep.benchmark.arrays.dense import kind_of_name
from isarstep.benchmark.store.special_tokens import EOS, SPECIALS
from isarstep.common.disk_cache import kept_value
from isarstep.common.errors import UserError
from isarstep.isabelle.inference.partial_inference import Kind
from isarstep.model.data.constants import numbers_in
from isarstep.model.decode.hypotheses import SearchRules

SLACK = 8  # what the costliest token adds to the way to the end
LONGEST = 512  # tokens of a target
F5 = 5  # what the example has from there is not always read

Table = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


class Mode(IntEnum):
    """What is expected next."""

    TERM, ARGUMENT, BINDER, AFTER, AFTER_BINDER, CONSTANT, VARIABLE, SCHEMATIC, INDEX = range(9)


class Column(IntEnum):
    """What is known of a hypothesis."""

    FORM = 0  # mode and flags, see Form
    NEED = 1  # tokens to the end at the least
    BINDERS = 2  # abstractions in scope
    SEEN = 3  # schematic variables: the highest number, plus one
    OPENER = 4  # where the state before the innermost open bracket is kept
    SENTENCE = 5
    ZERO = 6


COLUMNS = len(Column)  # asked thousands of times, and an enumeration takes its time to count


class TokenForm:
    """The finite part of a state as one number: a mode, and seven flags."""

    COMPLETE = 16  # the innermost group holds an application or an abstraction, so that it may close
    HEAD = 32  # the innermost group stands in head position: it must be applied to something
    NESTED = 64  # inside a bracket
    BOUND = 128  # some abstraction is in scope
    FREE = 256  # the example has variables
    # Where `$` is implied, the state before an argument's bracket is that before the `$`: what it was like.
    OUTSIDE_COMPLETE = 512
    OUTSIDE_BINDER = 1024
    COUNT = 2048


# Tokens from here to the end of the innermost group, at the least (END and closing brackets are counted elsewhere).
NEED = {
    Mode.TERM: 2, Mode.ARGUMENT: 2, Mode.BINDER: 3, Mode.AFTER: 0, Mode.AFTER_BINDER: 3,
    Mode.CONSTANT: 1, Mode.VARIABLE: 1, Mode.SCHEMATIC: 1, Mode.INDEX: 1,
}  # fmt: skip
OWING = 3  # tokens that a group needs which may not close yet, or which must be applied to something
NAMES = {Kind.CONST: Mode.CONSTANT, Kind.FREE: Mode.VARIABLE, Kind.VAR: Mode.SCHEMATIC, Kind.BOUND: Mode.INDEX}
WORDS = {
    SPECIALS[EOS]: Kind.END, "CONST": Kind.CONST, "FREE": Kind.FREE, "VAR": Kind.VAR, "BOUND": Kind.BOUND,
    "ABS": Kind.ABS, "$": Kind.APPLY, "(": Kind.OPEN, ")": Kind.CLOSE,
}  # fmt: skip
NAMED = {
    Kind.CONSTANT: Mode.CONSTANT, Kind.VARIABLE: Mode.VARIABLE, Kind.SCHEMATIC: Mode.SCHEMATIC, Kind.INDEX: Mode.INDEX,
}  # fmt: skip
ANNOUNCED = {"CONST": Kind.CONSTANT, "FREE": Kind.VARIABLE, "VAR": Kind.SCHEMATIC, "BOUND": Kind.INDEX}
NUMBERED = (Kind.INDEX, Kind.SCHEMATIC, Kind.VARIABLE)


_SPECIAL = re.compile(r"<(?!C\d+>)[A-Z0-9]+>")


def kind_of(token: str) -> Kind:
    if token in WORDS:
        return WORDS[token]
    kind = ANNOUNCED[kind_of_name(token)]
    return Kind.OTHER if kind == Kind.CONSTANT and token[:1] == "<" and _SPECIAL.fullmatch(token) else kind


class TermGrammar:
    """The tables for a vocabulary; `start` makes the automaton of a batch."""

    def __init__(self, vocabulary: Sequence[str], dense: bool = False) -> None:
        self.dense = dense
        self.kinds = np.array([int(kind_of(token)) for token in vocabulary], np.int64)
        self.numbers = np.full(len(self.kinds), -1)
        numbered = np.flatnonzero(np.isin(self.kinds, NUMBERED))
        self.numbers[numbered] = [int(re.sub(r"\D", "", vocabulary[place])) for place in numbered.tolist()]
        self.is_variable, is_constant = self.kinds == Kind.VARIABLE, self.kinds == Kind.CONSTANT
        self.constant_numbers = numbers_in(vocabulary)
        is_constant[self.constant_numbers] = False
        self.few = np.flatnonzero(~is_constant)
        self.column_V = np.full(len(self.kinds), len(self.few), np.int32)
        self.column_V[self.few] = np.arange(len(self.few))
        # All constants with a name are allowed or none: their masks are one column, behind those of all other tokens.
        self.kinds_F = np.append(self.kinds[self.few], Kind.CONSTANT if is_constant.any() else Kind.OTHER)
        self.numbers_F = np.append(self.numbers[self.few], -1)
        self.rows: list[Mask] = []
        self.row_of_form = self._rows_of_forms()
        self.forbidden_RF = ~np.stack(self.rows)
        # Of each token: where the moves of its kind begin, and what SEEN is at least after it.
        seen_V = np.where(self.kinds == Kind.SCHEMATIC, self.numbers + 1, 0)
        self.tokens_V2 = np.stack([self.kinds * TokenForm.COUNT, seen_V], 1)
        self._placed: dict[str, tuple[Array, ...]] = {}

    def tables(self, arrays: Arrays) -> tuple[Array, ...]:
        """Copied once to each device."""
        if arrays.name not in self._placed:
            every = (
                moves(self.dense), self.tokens_V2, self.row_of_form, self.few, self.column_V, self.forbidden_RF
            )  # fmt: skip
            self._placed[arrays.name] = tuple(arrays.of(table) for table in every)
        return self._placed[arrays.name]

    def add_row(self, kinds: frozenset[Kind]) -> int:
        self.rows.append(np.isin(self.kinds_F, tuple(kinds)))
        return len(self.rows) - 1

    def add_numbered_rows(self, kind: Kind, highest: range) -> int:
        """A row for each: this kind, up to that number. The first one's place."""
        self.rows += [*((self.kinds_F == kind) & (self.numbers_F <= np.array(highest)[:, None]))]
        return len(self.rows) - len(highest)

    def _rows_of_forms(self) -> Table:
        """For every form, at leisure and then on the shortest way out: rows of masks, then the columns to add to them.

        Dense tokens need four at once: words and constants, variables, schematic variables, indices.
        """
        made: dict[frozenset[Kind], int] = {}
        some_schematic = bool((self.kinds == Kind.SCHEMATIC).any())
        # Schematic variables are numbered as they occur: one that was seen, or the next. Then abstractions in scope.
        highest = int(self.numbers[self.kinds == Kind.SCHEMATIC].max()) if some_schematic else 0
        schematic = self.add_numbered_rows(Kind.SCHEMATIC, range(highest + 2))
        index = self.add_numbered_rows(Kind.INDEX, range(-1, LONGEST))
        by_mode = {int(Mode.SCHEMATIC): (schematic, Column.SEEN), int(Mode.INDEX): (index, Column.BINDERS)}
        own = -1  # the variables of each sentence are put behind all other rows
        by_mode[int(Mode.VARIABLE)] = (own, Column.SENTENCE)

        def plain_row(kinds: frozenset[Kind]) -> tuple[int, int]:
            if kinds not in made:
                made[kinds] = self.add_row(kinds)
            return made[kinds], Column.ZERO

        @cache
        def rows_of(form: int, tight: bool) -> list[tuple[int, int]]:
            mode = form % TokenForm.COMPLETE
            kinds = possible_kinds(form, tight, some_schematic) if mode < len(Mode) else frozenset()
            if not self.dense:
                return [by_mode.get(mode, plain_row(kinds))]
            if Kind.APPLY in kinds:
                argument = form - mode + Mode.ARGUMENT
                kinds = kinds - {Kind.APPLY} | possible_kinds(argument, tight, some_schematic)
            numbered = (Kind.FREE, Kind.VAR, Kind.BOUND)
            words = frozenset(Kind.CONSTANT if k == Kind.CONST else k for k in kinds.difference(numbered))
            return [plain_row(words), *(by_mode[NAMES[k]] if k in kinds else plain_row(frozenset()) for k in numbered)]

        # What may come next does not depend on the other flags.
        asked = TokenForm.COMPLETE - 1 | TokenForm.COMPLETE | TokenForm.NESTED | TokenForm.BOUND | TokenForm.FREE
        different = [rows_of(form & asked, tight) for tight in (False, True) for form in range(asked + 1)]
        forms = np.arange(TokenForm.COUNT) & asked
        rows: Table = np.array(different)[np.concatenate([forms, forms + asked + 1])]
        rows[..., 0][rows[..., 0] == own] = len(self.rows)
        return rows.swapaxes(1, 2).reshape(len(rows), -1)

    def variables_of(self, corpus: Corpus, examples: Longs) -> Mask:
        """Which tokens name a variable that is fixed at the consequence (where known) or occurs in F.2-F.4."""
        counts = np.diff(corpus.source_starts)[examples]
        flat = ragged(corpus.source_starts[examples], counts)
        owner = np.repeat(np.arange(len(examples)), counts)[corpus.fields[flat] < F5]
        numbers = corpus.sources[flat][corpus.fields[flat] < F5]
        lengths = np.diff(corpus.token_starts)[numbers]
        used_BV = np.zeros((len(examples), len(self.kinds)), dtype=bool)
        tokens = corpus.tokens[ragged(corpus.token_starts[numbers], lengths)]
        used_BV[np.repeat(owner, lengths), tokens] = True
        known_BV: Mask = ((self.numbers < corpus.variables[examples][:, None]) | used_BV) & self.is_variable
        return known_BV

    def meaningless_numbers(self, corpus: Corpus, examples: Longs) -> Mask | None:
        """B x F: numbers of constants that stand for nothing in an example; None: the vocabulary is closed."""
        if not self.constant_numbers:
            return None
        first_B = [len(corpus.names_of(int(example))) for example in examples]
        mask_BV = np.zeros((len(examples), len(self.kinds)), bool)
        for row, first in enumerate(first_B):
            mask_BV[row, self.constant_numbers[first:]] = True
        return np.pad(mask_BV[:, self.few], ((0, 0), (0, 1)))

    def start(self, corpus: Corpus, examples: Longs, rules: SearchRules, arrays: Arrays) -> GrammarState:
        meaningless_BF = self.meaningless_numbers(corpus, examples)
        return GrammarState(self, self.variables_of(corpus, examples), rules, arrays, meaningless_BF)


class GrammarState:
    """The automata of K hypotheses of B sentences."""

    prunes = False  # are candidates looked at one by one, too?

    def __init__(
        self,
        grammar: TermGrammar,
        variables_BV: Mask,
        rules: SearchRules,
        arrays: Arrays,
        meaningless_BF: Mask | None = None,
    ) -> None:
        if rules.longest > LONGEST:
            raise UserError(f"constrained decoding writes at most {LONGEST} tokens, not {rules.longest}")
        self.arrays, self.batch, self.beams = arrays, variables_BV.shape[0], rules.beam
        self.moves, self.tokens_V2, self.row_of_form, self.few, self.column_V, common_RF = grammar.tables(arrays)
        own_BF = np.pad(~variables_BV[:, grammar.few], ((0, 0), (0, 1)), constant_values=True)
        self.forbidden_RF = arrays.cat([common_RF, arrays.of(own_BF)], 0)
        self.meaningless_BF = None if meaningless_BF is None else arrays.of(meaningless_BF)
        self.length = 0  # tokens written
        self.steepest = 6 if grammar.dense else 2  # `( ABS` costs four; NEED counts implied tokens too, to be safe
        free_B = variables_BV.any(1) * TokenForm.FREE
        first_BC = np.zeros((self.batch, COLUMNS), np.int64)
        first_BC[:, Column.FORM] = Mode.TERM + TokenForm.COMPLETE + free_B
        first_BC[:, Column.NEED] = NEED[Mode.TERM] + 1
        first_BC[:, Column.SENTENCE] = np.arange(self.batch)
        slots = (rules.longest + 2) * self.beams
        self.store_BMC = arrays.full((self.batch, slots, COLUMNS), 0)
        self.store_BMC[:, : self.beams] = arrays.of(first_BC)[:, None]
        self.now_BKC = self.store_BMC[:, : self.beams]

    def forbidden(self, left: int) -> Array:
        """B x K x F: of each token that is no constant, and last of all constants, whether it must not come next when
        `left` tokens remain, `<EOS>` included."""
        now_BKC = self.now_BKC
        forms_BK = now_BKC[..., Column.FORM]
        if self.steepest * self.length + 10 > left - SLACK:  # before that, nobody can be short of room
            forms_BK = forms_BK + (now_BKC[..., Column.NEED] > left - SLACK) * TokenForm.COUNT
        first_BKP, columns_BKP = split_in_two(self.row_of_form[forms_BK])
        masks_BKPF = self.forbidden_RF[self.arrays.last(now_BKC, columns_BKP) + first_BKP]
        mask_BKF = masks_BKPF.all(2) if masks_BKPF.shape[2] > 1 else masks_BKPF[:, :, 0]
        return mask_BKF if self.meaningless_BF is None else mask_BKF | self.meaningless_BF[:, None]

    def best(self, logits_BKV: Array, wanted: int, left: int) -> tuple[Array, Array]:
        """The best allowed tokens of each hypothesis and their logits, as `topk` would find them under the mask.

        The vocabulary is almost all constants. The best of them are looked for as without a constraint, and only these
        and the few other tokens meet the mask. The logits are used up.
        """
        arrays, mask_BKF = self.arrays, self.forbidden(left)[:, : logits_BKV.shape[1]]  # a search begins with one
        few_BKF = arrays.where(mask_BKF[..., :-1], -math.inf, logits_BKV[..., self.few])
        logits_BKV[..., self.few] = -math.inf
        top_BKQ, tokens_BKQ = arrays.topk(logits_BKV, wanted)
        top_BKQ = arrays.where(mask_BKF[..., -1:], -math.inf, top_BKQ)
        best_BKQ, places_BKQ = arrays.topk(arrays.cat([top_BKQ, few_BKF], -1), wanted)
        named_BKQ = arrays.last(tokens_BKQ, arrays.where(places_BKQ < wanted, places_BKQ, 0))
        few_BKQ = self.few[arrays.where(places_BKQ < wanted, 0, places_BKQ - wanted)]
        return best_BKQ, arrays.where(places_BKQ < wanted, named_BKQ, few_BKQ)

    def prune(self, scores_BQ: Array, parents_BQ: Array, tokens_BQ: Array) -> Array:
        """The scores of candidates with -inf at those that cannot be completed."""
        return scores_BQ

    def advance(self, parents_BK: Array, tokens_BK: Array) -> None:
        arrays, slots_BK = self.arrays, parents_BK + self.length * self.beams
        before_BKC = arrays.rows(self.store_BMC, slots_BK)
        outside_BKC = arrays.rows(self.store_BMC, before_BKC[..., Column.OPENER])
        tokens_BK2 = self.tokens_V2[tokens_BK]
        sources_BKC, steps_BKC = split_in_two(self.moves[before_BKC[..., Column.FORM] + tokens_BK2[..., 0]])
        base_BKC = arrays.last(arrays.cat([before_BKC, outside_BKC, slots_BK[..., None]], -1), sources_BKC)
        self.length += 1
        self.now_BKC = self._stored(parents_BK.shape[1])
        arrays.add(base_BKC, steps_BKC, out=self.now_BKC)
        seen_BK = self.now_BKC[..., Column.SEEN]
        arrays.maximum(seen_BK, tokens_BK2[..., 1], out=seen_BK)

    def keep(self, rows: Array) -> None:
        self.store_BMC = self.store_BMC[rows]
        self.meaningless_BF = None if self.meaningless_BF is None else self.meaningless_BF[rows]
        self.now_BKC = self._stored(self.now_BKC.shape[1])

    def _stored(self, hypotheses: int) -> Array:
        """The states of the last step."""
        begin = self.length * self.beams
        return self.store_BMC[:, begin : begin + hypotheses]


def possible_kinds(form: int, tight: bool, some_schematic: bool) -> frozenset[Kind]:
    """What may come next, where it does not depend on a number; `tight`: only what leads to the end at once."""
    mode = form % TokenForm.COMPLETE
    match mode:
        case Mode.BINDER:
            return frozenset({Kind.ABS})
        case Mode.AFTER_BINDER:
            return frozenset({Kind.APPLY})
        case Mode.CONSTANT:
            return frozenset({Kind.CONSTANT})
        case Mode.AFTER:
            if not form & TokenForm.COMPLETE:
                return frozenset({Kind.APPLY})
            end = Kind.CLOSE if form & TokenForm.NESTED else Kind.END
            return frozenset({end}) if tight else frozenset({end, Kind.APPLY})
        case _:
            kinds = {Kind.CONST}
            kinds |= {Kind.VAR} if some_schematic else set()
            kinds |= {Kind.BOUND} if form & TokenForm.BOUND else set()
            kinds |= {Kind.FREE} if form & TokenForm.FREE else set()
            kinds |= set() if tight else {Kind.OPEN}
            kinds |= set() if tight or mode == Mode.ARGUMENT else {Kind.ABS}
            return frozenset(kinds)


def split_in_two(x: Array) -> tuple[Array, Array]:
    """Of the last axis."""
    middle = x.shape[-1] // 2
    return x[..., :middle], x[..., middle:]


@cache
def moves(dense: bool) -> Table:
    """As they are made or were made by an earlier process, by this text."""
    shape, text = (len(Kind) * TokenForm.COUNT, 2 * COLUMNS), Path(__file__).read_bytes()
    key = f"{dense} {hashlib.sha256(text).hexdigest()}"
    raw = kept_value("moves", key, lambda: made_moves(dense).astype(np.int16).tobytes().hex())
    return np.frombuffer(bytes.fromhex(raw), np.int16).reshape(shape).astype(np.int64)


def made_moves(dense: bool) -> Table:
    """For every kind of token and every form: from where each column is taken, then what is added to it.

    A column's number is that of the state before; those of the state outside the closing bracket follow, and last
    where the state before is kept. Impossible pairs change nothing: hypotheses that are dead already may take them,
    and must stay within the tables.
    """
    stay = [*range(COLUMNS), *[0] * COLUMNS]
    move_of = dense_move if dense else move
    marks = TokenForm.HEAD | TokenForm.OUTSIDE_COMPLETE | TokenForm.OUTSIDE_BINDER

    def possible(form: int) -> bool:
        """Marks are those of a bracket, `$` is implied in dense tokens only, and free variables change no move."""
        unmarked = not form & (marks if dense else marks - TokenForm.HEAD)
        return (
            form % TokenForm.COMPLETE < len(Mode)
            and not form & TokenForm.FREE
            and (unmarked or (dense and form & TokenForm.NESTED > 0))
        )

    forms = list(filter(possible, range(TokenForm.COUNT)))
    made = np.array([[move_of(form, kind) for form in forms] for kind in Kind])
    table = np.tile(np.array(stay), (len(Kind), TokenForm.COUNT, 1))
    table[:, forms] = table[:, [form | TokenForm.FREE for form in forms]] = made
    return table.reshape(-1, len(stay))


def move(form: int, kind: Kind) -> list[int]:
    mode = Mode(form % TokenForm.COMPLETE)
    sources, step = list(range(COLUMNS)), [0] * COLUMNS
    begins, ends = mode in (Mode.TERM, Mode.ARGUMENT), mode in (Mode.AFTER, Mode.AFTER_BINDER)
    after = mode
    if kind in NAMES and begins:
        after = NAMES[kind]
    elif NAMED.get(kind) == mode:
        after = Mode.AFTER
    elif kind == Kind.OPEN and begins:
        # In head position only an abstraction stands in brackets, and must be applied to something afterwards.
        head = mode == Mode.TERM
        after = Mode.BINDER if head else Mode.TERM
        wanted = form & ~(TokenForm.COMPLETE | TokenForm.HEAD) | TokenForm.NESTED | (TokenForm.HEAD if head else 0)
        step[Column.FORM] = wanted - form
        step[Column.NEED] = 1 + OWING + (OWING if head else 0)
        sources[Column.OPENER] = 2 * COLUMNS
    elif kind == Kind.CLOSE and mode == Mode.AFTER and form & TokenForm.NESTED:
        # All is as it was before the bracket, when a term or an argument was expected.
        sources = [COLUMNS + column if column != Column.SEEN else column for column in Column]
        mode = Mode.TERM if form & TokenForm.HEAD else Mode.ARGUMENT
        after = Mode.AFTER_BINDER if form & TokenForm.HEAD else Mode.AFTER
    elif (kind == Kind.APPLY and ends) or (kind == Kind.ABS and mode in (Mode.TERM, Mode.BINDER)):
        after = Mode.ARGUMENT if kind == Kind.APPLY else Mode.TERM
        step[Column.BINDERS] = int(kind == Kind.ABS)
        step[Column.FORM] = (form | TokenForm.COMPLETE | (TokenForm.BOUND if kind == Kind.ABS else 0)) - form
        step[Column.NEED] = 0 if form & TokenForm.COMPLETE else -OWING
    step[Column.FORM] += after - mode
    step[Column.NEED] += NEED[after] - NEED[mode]
    return sources + step


def dense_move(form: int, kind: Kind) -> list[int]:
    """The move of a token together with the implied ones before it."""
    mode, columns = Mode(form % TokenForm.COMPLETE), COLUMNS
    if kind == Kind.CLOSE and mode == Mode.AFTER and form & TokenForm.NESTED:
        # As `move`, but what is kept is the state before the `$` that brought the argument.
        head, complete = form & TokenForm.HEAD, form & TokenForm.OUTSIDE_COMPLETE
        kept = Mode.TERM if head else Mode.AFTER_BINDER if form & TokenForm.OUTSIDE_BINDER else Mode.AFTER
        after = Mode.AFTER_BINDER if head else Mode.AFTER
        step = [0] * columns
        step[Column.FORM] = after - kept + (0 if head or complete else TokenForm.COMPLETE)
        step[Column.NEED] = NEED[after] - NEED[kept] - (0 if head or complete else OWING)
        return [columns + column if column != Column.SEEN else column for column in Column] + step
    argument = mode in (Mode.AFTER, Mode.AFTER_BINDER) and (kind in NAMED or kind == Kind.OPEN)
    implied = [Kind.APPLY] * argument + [word for word, name in NAMES.items() if name == NAMED.get(kind)]
    total, at = [0] * columns, form
    for word in (*implied, kind):
        moved = move(at, word)
        sources, step = moved[:columns], moved[columns:]
        total = [a + b for a, b in zip(total, step, strict=True)]
        at += step[Column.FORM]
    if kind == Kind.OPEN and at != form:
        outside = TokenForm.OUTSIDE_COMPLETE | TokenForm.OUTSIDE_BINDER
        wanted = at & ~outside
        if argument:
            wanted |= TokenForm.OUTSIDE_COMPLETE if form & TokenForm.COMPLETE else 0
            wanted |= TokenForm.OUTSIDE_BINDER if mode == Mode.AFTER_BINDER else 0
        total[Column.FORM] += wanted - at
    return sources + total
