"""A fact base of a few lemmas, held in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pyarrow as pa

from isarstep.bench.columns import Repeated
from isarstep.logic.signature import Signature
from isarstep.logic.tokens import encode_line
from isarstep.prove.facts import Library
from isarstep.prove.monomorphise import Named


def library_of(
    lemmas: Iterable[tuple[str, Named]],
    signature: Signature,
    in_context: Mapping[str, Sequence[int]] | None = None,
) -> Library:
    """A small library held in memory: (theory, typed lemma) in order."""
    rows = list(lemmas)
    return Library(
        [named.name for _, named in rows],
        [0] * len(rows),
        lambda: Repeated.of_chunks([pa.array([theory for theory, _ in rows], pa.string()).dictionary_encode()]),
        [encode_line(named.prop) for _, named in rows],
        lambda number: rows[number][1].prop,
        signature,
        lemmas=lambda: in_context or {},
    )
