"""How much a test draws at random: its standing part in `make test`, a fifth of it in `make check`, ten times as much in
`make nightly`. The profile of hypothesis says which it is."""

from hypothesis import settings

STANDING = 100  # examples of a property in `make test`


def drawn(standing: int) -> int:
    """As many as a test draws now that draws so many in `make test`."""
    return max(1, standing * settings.default.max_examples // STANDING)  # type: ignore[union-attr]
