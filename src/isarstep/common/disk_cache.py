"""Plain values that take long to make, kept in the cache folder for the next process."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from isarstep.common.errors import UserError
from isarstep.common.files import write_whole
from isarstep.common.version import __version__

_DIGEST = 32  # bytes, before the value
_MOST = 4  # files of a kind, the youngest ones


def cache_folder() -> Path:
    """The folder for values that can be computed again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "isarstep"


def kept_value(kind: str, key: str, make: Callable[[], Any]) -> Any:
    """What `make` gives, made now or by an earlier process of this version: whatever JSON can say, tuples as lists. A
    file that is not whole is made again; where nothing can be written, nothing is kept."""
    said = f"{key}\n{__version__} json"
    path = cache_folder() / kind / hashlib.sha256(said.encode()).hexdigest()[:24]
    with suppress(OSError, ValueError, RecursionError):
        raw = memoryview(path.read_bytes())
        if hashlib.sha256(raw[_DIGEST:]).digest() == raw[:_DIGEST]:
            return json.loads(bytes(raw[_DIGEST:]))
    content = json.dumps(make(), separators=(",", ":")).encode()
    with suppress(OSError, UserError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, hashlib.sha256(content).digest() + content)
        files = sorted(path.parent.iterdir(), key=lambda file: -file.stat().st_mtime)
        for old in files[_MOST:]:
            old.unlink(missing_ok=True)
    return json.loads(content)  # the same, whoever has made it
