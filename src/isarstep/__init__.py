"""IsarStep: mine Isabelle proofs, build the benchmark, train and score models, propose and check missing steps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from isarstep.bench.store import Split

__version__ = "0.1.0"


def load(where: str | Path = "embedded", split: str = "train") -> Split:
    """The examples of one split of a benchmark, read when they are asked for."""
    from isarstep.bench import store  # here, so that importing the package stays quick

    return store.open_split(where, split)
