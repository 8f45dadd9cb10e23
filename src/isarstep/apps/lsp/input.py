"""The messages of an editor as they come in: headers that are wrong are refused and skipped up to the next good one.

The protocol's package takes everything after a wrong `Content-Length` for headers of the same message, and never
answers again. This stream stands between it and standard input: it reads headers itself and passes on good ones.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from typing import BinaryIO

LARGEST = 64_000_000  # bytes of one message
_LINE = 1 << 20  # bytes that are looked at together
_LENGTH = re.compile(rb"Content-Length[ \t]*:[ \t]*(\d{1,12})[ \t]*\r?\n\Z", re.IGNORECASE)
_OTHER = re.compile(rb"(?!Content-Length)[A-Za-z-]+[ \t]*:[^\r\n]*\r?\n", re.IGNORECASE)

log = logging.getLogger(__name__)


class EditorInput:
    """A stream of which `readline` returns the lines of a header with nothing but a good `Content-Length`."""

    def __init__(self, stream: BinaryIO, refuse: Callable[[str], None]) -> None:
        """`refuse` is called, on the reading thread, with what is wrong with a header."""
        self._stream, self._refuse = stream, refuse
        self._header_ends = False

    def readline(self) -> bytes:
        if self._header_ends:
            self._header_ends = False
            return b"\r\n"
        length = self._next_length()
        if length is None:
            return b""
        self._header_ends = True
        return b"Content-Length: %d\r\n" % length

    def read(self, count: int) -> bytes:
        return self._stream.read(count)

    def _next_length(self) -> int | None:
        """The length of the next message whose header is good; None where the input ends."""
        length: int | None = None
        refused = seen = False
        while line := self._stream.readline(_LINE):
            wrong = ""
            found = _LENGTH.search(line)
            if not line.strip():
                if length is not None:
                    return length
                wrong = "a header has no Content-Length" if seen else ""
                seen = False
            elif found is not None:
                length = int(found[1])
                if not 0 < length <= LARGEST:
                    wrong, length = f"the Content-Length is not between 1 and {LARGEST}", None
                elif found.start():
                    wrong = "something stands before a header"
            elif _OTHER.fullmatch(line):
                seen = True
            else:
                length = None
                wrong = "the Content-Length is not a number" if line[:14].lower() == b"content-length" else "no header"
            if wrong and not refused:
                refused = True
                log.warning("%s; skipped up to the next header", wrong)
                self._refuse(f"{wrong}; skipped up to the next header")
        return None
