"""A mistake in a formula, with the place where it stops being one."""

from __future__ import annotations

from isarstep.errors import UserError

MAX_TOKENS = 100_000  # real formulas stay far below; hostile ones must not take long


class ReadError(UserError):
    """Where the text stops being a formula: character (from 0), what stood there, what could have."""

    def __init__(self, position: int, found: str | None, expected: str) -> None:
        self.position = position
        self.found = found
        self.expected = expected
        shown = "the end" if found is None else repr(found if len(found) <= 60 else found[:57] + "...")
        super().__init__(f"character {position + 1}: found {shown}, expected {expected}")
