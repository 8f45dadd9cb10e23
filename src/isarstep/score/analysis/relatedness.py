"""Do related concepts lie close in a token table? Three numbers, each beside what chance would give.

Of the ten nearest constants: how many are of the same theory, how many of the same type; and of sixty pairs of related
concepts (`related.txt`): how often one is among the ten nearest of the other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from isarstep.common.errors import UserError
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.type_text import format_type
from isarstep.score.analysis.embeddings import Embeddings

NEAREST = 10
_VARIABLE = re.compile(r"\(\?'([^ ]+) :: [^()]*\)")


@dataclass(frozen=True)
class Closeness:
    """Shares in percent; the second number of a pair is what neighbours drawn at random would have."""

    constants: int
    theory: tuple[float, float]
    type: tuple[float, float] | None  # None where types are not known
    pairs: int  # of which both are in the table
    partner: tuple[float, float]
    median_place: float | None  # of the partner among all constants, from 1


@cache
def related_pairs() -> tuple[tuple[str, str], ...]:
    """Those that come with the package."""
    text = resources.files("isarstep.score.analysis").joinpath("related.txt").read_text("utf-8")
    lines = [line.split() for line in text.splitlines() if line.strip() and not line.startswith("##")]
    if wrong := [line for line in lines if len(line) != 2]:
        raise UserError(f"related.txt: wants two names a line, not {' '.join(wrong[0])}")
    return tuple((left, right) for left, right in lines)


def type_shapes(signature: Signature, names: Iterable[str]) -> dict[str, str]:
    """The most general type of each of these constants that there is, variables numbered and without their sorts."""

    def shape(text: str) -> str:
        numbers: dict[str, str] = {}
        return _VARIABLE.sub(lambda match: numbers.setdefault(match[1], f"?{len(numbers)}"), text)

    return {name: shape(format_type(signature.constants[name].type)) for name in names if name in signature.constants}


def closeness(
    known: Embeddings, types: Mapping[str, str] | None = None, pairs: Sequence[tuple[str, str]] | None = None
) -> Closeness:
    """How close related constants of a table are; `types` has a type for each constant, equal where they are equal."""
    names = [token for token in known.tokens if "." in token]
    cosines = known.cosines([known.find(token) for token in names])
    np.fill_diagonal(cosines, -2)
    order = np.argsort(-cosines, axis=1, kind="stable")
    near = order[:, :NEAREST]
    theories = [token.split(".")[0] for token in names]
    place = {token: number for number, token in enumerate(names)}
    ranks = []
    for left, right in related_pairs() if pairs is None else pairs:
        if left in place and right in place:
            for one, other in ((left, right), (right, left)):
                ranks.append(int(np.flatnonzero(order[place[one]] == place[other])[0]) + 1)
    found = np.array(ranks)
    others = max(len(names) - 1, 1)
    return Closeness(
        constants=len(names),
        theory=_alike(theories, near),
        type=None if types is None else _alike([types.get(token, token) for token in names], near),
        pairs=len(ranks) // 2,
        partner=(100 * float((found <= NEAREST).mean()) if ranks else 0.0, 100 * min(1.0, NEAREST / others)),
        median_place=float(np.median(found)) if ranks else None,
    )


def _alike(labels: Sequence[str], near: NDArray[np.int64]) -> tuple[float, float]:
    """The share of neighbours with the same label, and the share among all others."""
    numbers = np.unique(labels, return_inverse=True)[1]
    same = numbers[near] == numbers[:, None]
    counts = Counter(labels)
    by_chance = np.mean([(counts[label] - 1) / max(len(labels) - 1, 1) for label in labels])
    return 100 * float(same.mean()), 100 * float(by_chance)
