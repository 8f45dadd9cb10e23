"""Examples on their way into a benchmark: one shard holds those of a theory, of a release or of a finished benchmark.

A shard keeps each proposition and each type once and refers to them by number, like the benchmark itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from isarstep.benchmark.store.ids import VARIABLE, content_key, example_id, proposition_digest, variables_of
from isarstep.benchmark.store.schemas import EXAMPLE_SCHEMA, PROOF_SCHEMA

# A proposition up to the numbers of its variables: digest of its pattern, and which variables fill it.
Shape: TypeAlias = tuple[bytes, tuple[int, ...]]

_TEXT = pa.dictionary(pa.int32(), pa.string())
_DICTIONARIES = set("theorem name session theory target_command consequence_command target_kind mark".split())

# The benchmark's columns, strings that repeat as dictionaries, and what the rules compare.
SHARD_SCHEMA = pa.schema(
    [pa.field(f.name, _TEXT) if f.name in _DICTIONARIES else f for f in EXAMPLE_SCHEMA]
    + [("key", pa.binary(16)), ("renamed", pa.binary(16)), ("source_length", pa.int32()), ("split", _TEXT)]
)
PROPOSITION_SCHEMA = pa.schema([("tokens", pa.large_string()), ("digest", pa.binary(16)), ("length", pa.int32())])


@dataclass(frozen=True)
class Shard:
    """Propositions (text, digest, number of tokens), types, and examples and proofs that refer to both."""

    propositions: pa.Table
    types: list[str] = field(hash=False)
    examples: pa.Table
    proofs: pa.Table


@dataclass(slots=True)
class Interned:
    """Each text once, with a number."""

    texts: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)

    def add(self, text: str) -> int:
        number = self.numbers.get(text)
        if number is None:
            number = self.numbers[text] = len(self.texts)
            self.texts.append(text)
        return number


class ShardBuilder:
    """Collects examples row by row."""

    def __init__(self) -> None:
        self.propositions = Interned()
        self.digests: list[bytes] = []
        self.lengths: list[int] = []
        self.types = Interned()
        self._shapes: list[Shape] = []
        self._rows: list[tuple[object, ...]] = []
        self._proofs: list[tuple[object, ...]] = []

    def proposition(self, text: str, variables: tuple[int, ...] | None = None, pattern: bytes = b"") -> int:
        """The number of a proposition, given as a line of tokens; its shape if known, no pattern if it is its own."""
        number = self.propositions.add(text)
        if number == len(self.digests):
            digest = proposition_digest(text)
            self.digests.append(digest)
            self.lengths.append(text.count(" ") + 1)
            self._shapes.append(shape_of(text) if variables is None else (pattern or digest, variables))
        return number

    def variables(self, propositions: Iterable[int], more: Iterable[int] = ()) -> list[int]:
        """Numbers of the variables `<X..>` that occur in the propositions, and more, in increasing order."""
        shapes = self._shapes
        return sorted(set(more).union(*[shapes[number][1] for number in propositions]))

    def source_length(self, f2: Sequence[int], f3: int | None, f4: Sequence[int]) -> int:
        """What the length rule measures: tokens of F.2-F.4 with brackets, without labels and separators."""
        lengths = self.lengths
        return sum([lengths[n] for n in f2]) + sum([lengths[n] for n in f4]) + (0 if f3 is None else lengths[f3])

    @property
    def proofs(self) -> int:
        """How many proofs there are: the number of the next one."""
        return len(self._proofs)

    def add_proof(self, *row: object) -> None:
        """Append one row of PROOF_SCHEMA."""
        self._proofs.append(row)

    def add(
        self,
        f1: int,
        f2: Sequence[int],
        f3: int | None,
        f4: Sequence[int],
        f5: Sequence[int],
        *,
        types: Sequence[int] = (),
        theorem: str = "",
        name: str = "",
        session: str = "",
        theory: str = "",
        proof: int = -1,
        proof_row: int | None = None,
        target_step: int = -1,
        consequence_step: int = -1,
        target_command: str = "",
        consequence_command: str = "",
        target_kind: str = "step",
        mark: str = "",
        fixed: int = -1,
        variables: Sequence[int] = (),
        introduced: Sequence[int] = (),
        introduced_after: Sequence[int] = (),
        copies: int = 1,
        split: str = "",
    ) -> str:
        """Append one example and return its id."""
        digests = self.digests
        key = content_key(
            digests[f1],
            [digests[n] for n in f2],
            None if f3 is None else digests[f3],
            [digests[n] for n in f4],
            [digests[n] for n in f5],
        )
        identifier = example_id(theorem, key)
        shapes = self._shapes
        renamed = renamed_key(
            [shapes[n] for n in f2],
            [] if f3 is None else [shapes[f3]],
            [shapes[n] for n in f4],
            [shapes[f1]],
        )
        self._rows.append((
            identifier, theorem, name, session, theory, proof, proof_row, target_step, consequence_step, target_command,
            consequence_command, target_kind, mark, fixed, f1, f2, f3, f4, f5, types, variables, introduced,
            introduced_after, copies, key, renamed, self.source_length(f2, f3, f4), split,
        ))  # fmt: skip
        return identifier

    def finish(self) -> Shard:
        propositions = pa.table(
            [
                pa.array(self.propositions.texts, pa.large_string()),
                pa.array(self.digests, pa.binary(16)),
                pa.array(np.array(self.lengths, np.int32)),
            ],
            schema=PROPOSITION_SCHEMA,
        )
        return Shard(
            propositions, self.types.texts, table_of(self._rows, SHARD_SCHEMA), table_of(self._proofs, PROOF_SCHEMA)
        )


def table_of(rows: Sequence[tuple[object, ...]], schema: pa.Schema) -> pa.Table:
    values = zip(*rows, strict=True) if rows else ((),) * len(schema)
    columns = [
        pa.array(column, pa.string()).dictionary_encode() if f.type == _TEXT else pa.array(column, f.type)
        for column, f in zip(values, schema, strict=True)
    ]
    return pa.table(columns, schema=schema)


def shape_of(text: str) -> Shape:
    """The shape of a line of tokens."""
    variables = variables_of(text)
    if not variables:
        return proposition_digest(text), ()
    new = {f"<X{number}>": f"<X{position}>" for position, number in enumerate(variables)}
    return proposition_digest(VARIABLE.sub(lambda match: new[match[0]], text)), variables


def renamed_key(*fields: Sequence[Shape]) -> bytes:
    """Equal for examples that differ only in the numbers of their variables (and the order inside fields).

    Propositions of one pattern are told apart by where else their variables occur. Where even that leaves a tie, the
    order of the numbers decides, so that a few symmetric examples can be missed; none is confused with another.
    """
    ordered = [shapes if len(shapes) < 2 else sorted(shapes) for shapes in fields]
    tied = [len(shapes) > 1 and len({shape[0] for shape in shapes}) < len(shapes) for shapes in ordered]
    if any(tied):
        among = [shapes for shapes, tie in zip(ordered, tied, strict=True) if tie]
        ranks = _ranks(ordered, {variable for shapes in among for shape in shapes for variable in shape[1]})
        ordered = [
            sorted(shapes, key=lambda shape: (shape[0], [ranks[v] for v in shape[1]], shape[1])) if tie else shapes
            for shapes, tie in zip(ordered, tied, strict=True)
        ]
    # The patterns say how many variables each of them has: numbers can follow behind all of them.
    patterns = b"|".join([b"".join([shape[0] for shape in shapes]) for shapes in ordered])
    occurrences = [variable for shapes in ordered for shape in shapes for variable in shape[1]]
    new = {variable: str(number) for number, variable in enumerate(dict.fromkeys(occurrences))}
    numbers = ",".join([new[variable] for variable in occurrences])
    return hashlib.blake2b(patterns + numbers.encode(), digest_size=16).digest()


def _ranks(fields: Sequence[Sequence[Shape]], wanted: set[int]) -> dict[int, bytes]:
    """For each of the variables a digest of where it occurs."""
    places: dict[int, list[bytes]] = {variable: [] for variable in wanted}
    for number, shapes in enumerate(fields):
        for pattern, variables in shapes:
            for position, variable in enumerate(variables):
                if variable in wanted:
                    places[variable].append(b"%d%s%d" % (number, pattern, position))
    return {v: hashlib.blake2b(b"".join(sorted(where)), digest_size=8).digest() for v, where in places.items()}
