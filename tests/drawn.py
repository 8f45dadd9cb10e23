"""How many random inputs a test draws, and how long provers try to prove what is false.

`make check` and `make test` draw a fifth of the inputs, `make test-rest` the other four fifths.
pytest without a marker expression draws all, and `--hypothesis-profile thorough` draws ten times as many.
tests/conftest.py chooses the profile of hypothesis. Tests without hypothesis that draw inputs have the marker `reduced`.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import pytest
from _pytest.mark import ParameterSet
from hypothesis import settings

STANDING = 100  # examples of a property


def drawn(standing: int) -> int:
    """Return how many inputs to draw for a test whose full number is `standing`."""
    return max(1, standing * settings.default.max_examples // STANDING)  # type: ignore[union-attr]


T = TypeVar("T")


def part(draw: Callable[[int], Iterable[T]], standing: int) -> list[T]:
    """Return the inputs of this run, from a function that makes so many of a fixed sequence."""
    inputs, examples = list(draw(max(standing, drawn(standing)))), settings.default.max_examples  # type: ignore[union-attr]
    if examples < STANDING:
        return inputs[: standing // 5] if examples == STANDING // 5 else inputs[standing // 5 :]
    return inputs


def prover_seconds(standing: float) -> float:
    """Return the time limit of provers for false statements: ten times as long in the profile `thorough`."""
    return standing * max(1, settings.default.max_examples // STANDING)  # type: ignore[union-attr]


def all_but_one_slow(paths: Sequence[Path], every: int) -> list[ParameterSet]:
    """Return the files as parameters of a test; `make test` runs one of each `every` files."""
    return [
        pytest.param(path, id=path.stem, marks=[pytest.mark.slow] if place % every else [])
        for place, path in enumerate(paths)
    ]
