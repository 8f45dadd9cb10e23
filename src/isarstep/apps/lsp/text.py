"""The text of a file that is open in an editor: places count characters here, and units of an encoding there."""

from __future__ import annotations

import re
from functools import cached_property

# Of the protocol: the codec and the bytes of one unit.
ENCODINGS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


class EditorText:
    """One version of a text. Lines and units are counted from 0; positions behind an end mean the end."""

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        # Halves of characters become a sign of the same length.
        self.text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        self.encoding = encoding
        self._codec, self._unit = ENCODINGS[encoding]

    @cached_property
    def _lines(self) -> list[int]:
        return [0, *(found.end() for found in re.finditer(r"\r?\n", self.text)), len(self.text)]

    def place(self, line: int, character: int) -> int:
        """The character at a position."""
        if line >= len(self._lines) - 1:
            return len(self.text)
        inside = self.text[self._lines[line] : self._lines[line + 1]].rstrip("\r\n").encode(self._codec)
        return self._lines[line] + len(inside[: character * self._unit].decode(self._codec, "ignore"))

    def position(self, place: int) -> tuple[int, int]:
        """Line and unit of a character."""
        line = max(0, self.text.count("\n", 0, place))
        return line, len(self.text[self._lines[line] : place].encode(self._codec)) // self._unit

    def end_of_word(self, place: int) -> int:
        """Where what stands at a place ends: a word, or one sign."""
        found = re.compile(r"[\w.']+|\S|").match(self.text, place)
        return found.end() if found else place

    def changed(self, start: int, end: int, new: str) -> EditorText:
        return EditorText(self.text[:start] + new + self.text[max(start, end) :], self.encoding)
