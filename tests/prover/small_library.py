"""A fact base of a few lemmas, and a few simp rules, held in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import SimpleNamespace

import pyarrow as pa

from isarstep.isabelle.context.columns import Repeated
from isarstep.isabelle.context.monomorphisation import Named
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.tokens import encode_line
from isarstep.premises.fact_base import Library
from isarstep.prover.rewrite.simp_rules import Declaration, SimpRules


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


def rules_of(
    theories: Iterable[str],
    declared: Callable[[Sequence[str]], list[list[Declaration]]],
    stated: Callable[[Declaration], Named],
) -> SimpRules:
    """Rules without abbreviations."""
    rows = SimpleNamespace(all_theories=list(theories), declared=declared, stated=stated)
    rows.meaning, rows.unfolded = lambda name: frozenset({name}), lambda term: term
    return SimpRules(rows)  # type: ignore[arg-type]
