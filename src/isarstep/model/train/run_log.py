"""What a run says while it runs: lines of JSON in its folder, and how far it is for whoever watches."""

from __future__ import annotations

import json
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any

from isarstep.common.files import append_whole, write_whole
from isarstep.common.progress import Watched


def _step(line: str) -> float:
    """The step that a line is about; a line that was cut by a kill belongs to none that is kept."""
    try:
        return float(json.loads(line)["step"])
    except (ValueError, KeyError, TypeError):
        return float("inf")


class Log:
    """Silent in all processes but the first. Keeps what a resumed run had already written."""

    def __init__(self, path: Path, active: bool, resumed_at: int, quiet: bool = False) -> None:
        self.path = path
        self.file: FileIO | None = None
        self.watched = None if quiet or not active else Watched("training", 1.0, percent=True)
        if not active:
            return
        kept = []
        if path.exists():
            # Lines after the checkpoint belong to steps that will be made again.
            kept = [line for line in path.read_text(encoding="utf-8").splitlines() if _step(line) <= resumed_at]
        write_whole(path, "".join(line + "\n" for line in kept))
        self.file = path.open("ab", buffering=0)

    def __enter__(self) -> Log:
        if self.watched is not None:
            self.watched.__enter__()
            self.watched.news("compiling")
        return self

    def write(self, **fields: Any) -> None:
        if self.file is not None:
            rounded = {k: round(v, 6) if isinstance(v, float) else v for k, v in fields.items()}
            append_whole(self.path, self.file, json.dumps(rounded) + "\n")

    def show(self, text: str, done: float, always: bool = False) -> None:
        if self.watched is not None:
            if always:
                self.watched.say(text)
            self.watched.at(min(done, 1.0), text)

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.watched is not None:
            self.watched.__exit__(kind, value, trace)
        if self.file is not None:
            self.file.close()
