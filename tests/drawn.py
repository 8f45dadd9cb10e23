"""How many random inputs a test draws, and how long provers try to prove what is false.

`make check` and `make test` draw a fifth of the inputs. `make test-rest` and pytest without a marker expression draw all
of them, and `--hypothesis-profile thorough` draws ten times as many. tests/conftest.py chooses the profile of
hypothesis. Tests without hypothesis that do less in `make test` have the marker `reduced`.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from hypothesis import settings

STANDING = 100  # examples of a property


def drawn(standing: int) -> int:
    """Return how many inputs to draw for a test whose full number is `standing`."""
    return max(1, standing * settings.default.max_examples // STANDING)  # type: ignore[union-attr]


def prover_seconds(standing: float, reduced: float | None = None) -> float:
    """Return the time limit of provers for false statements: `standing`, or `reduced` where only a part is drawn, or ten
    times as long in the profile `thorough`."""
    times = settings.default.max_examples // STANDING  # type: ignore[union-attr]
    return standing * times if times else standing if reduced is None else reduced


def all_but_one_slow(paths: Sequence[Path], every: int) -> list[ParameterSet]:
    """Return the files as parameters of a test; `make test` runs one of each `every` files."""
    return [
        pytest.param(path, id=path.stem, marks=[pytest.mark.slow] if place % every else [])
        for place, path in enumerate(paths)
    ]
