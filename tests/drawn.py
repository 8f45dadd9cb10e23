"""How many random inputs a test draws.

`make check` and `make test` draw a fifth of them. `make test-rest` and pytest without a marker expression draw all, and
`--hypothesis-profile thorough` draws ten times as many. tests/conftest.py chooses the profile of hypothesis, and tests
that draw without hypothesis ask `drawn` and have the marker `random_input`.
"""

from hypothesis import settings

STANDING = 100  # examples of a property


def drawn(standing: int) -> int:
    """Return how many inputs to draw for a test whose full number is `standing`."""
    return max(1, standing * settings.default.max_examples // STANDING)  # type: ignore[union-attr]


def prover_seconds(standing: float) -> float:
    """Return the time limit of provers for false statements: ten times as long in the profile `thorough`, else `standing`."""
    return standing * max(1, settings.default.max_examples // STANDING)  # type: ignore[union-attr]
