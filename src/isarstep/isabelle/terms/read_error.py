"""A mistake in a formula, with the place where it stops being one."""

from __future__ import annotations

from isarstep.common.errors import UserError

MAX_TOKENS = 100_000  # real formulas stay far below; hostile ones must not take long


class UnexpectedError(UserError):
    """Where a text stops being what it should be: position (from 0), what stood there, what could have."""

    def __init__(self, position: int, found: str | None, expected: str) -> None:
        self.position = position
        self.found = found
        self.expected = expected
        quoted = repr(found if found is None or len(found) <= 60 else found[:57] + "...").replace("\\\\", "\\")
        shown = "the end" if found is None else quoted
        super().__init__(f"{self.place()}: found {shown}, expected {expected}")

    def place(self) -> str:
        raise NotImplementedError


class ReadError(UnexpectedError):
    """A text is no formula from this character on."""

    def place(self) -> str:
        return f"character {self.position + 1}"


class NoStructure(ReadError):
    """An operation of a structure that nobody names."""
