"""Library facts that the steps above one use, and how often."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class UsesAbove:
    """Numbers of facts, and how many steps use each."""

    proof: Mapping[int, int] = field(default_factory=dict, hash=False)
    theory: Mapping[int, int] = field(default_factory=dict, hash=False)  # proofs before this one
    entry: Mapping[int, int] = field(default_factory=dict, hash=False)  # theories of the entry that this one rests on


NOTHING_USED = UsesAbove()
