"""What a run says while it runs: lines of JSON in its folder, and a bar (or plain lines) for whoever watches."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any, TextIO

from isarstep.errors import UserError

PLAIN_EVERY = 15.0  # seconds between two lines where there is no terminal


def _step(line: str) -> float:
    """The step that a line is about; a line that was cut by a kill belongs to none that is kept."""
    try:
        return float(json.loads(line)["step"])
    except (ValueError, KeyError, TypeError):
        return float("inf")


class Log:
    """Silent in all processes but the first. Keeps what a resumed run had already written."""

    def __init__(
        self, path: Path, active: bool, resumed_at: int, quiet: bool = False, tensorboard: bool = False
    ) -> None:
        self.active = active
        self.quiet = quiet or not active
        self.file: TextIO | None = None
        self.bar: Any = None
        self.board: Any = None
        self.said = 0.0
        if not active:
            return
        if tensorboard:
            try:
                from torch.utils.tensorboard import SummaryWriter
            except ImportError:
                raise UserError(
                    "tensorboard is not installed; pip install tensorboard, or leave it out of the recipe"
                ) from None
            self.board = SummaryWriter(str(path.parent / "tensorboard"), purge_step=resumed_at + 1)
        kept = []
        if path.exists():
            # Lines after the checkpoint belong to steps that will be made again.
            kept = [line for line in path.read_text().splitlines() if _step(line) <= resumed_at]
        path.write_text("".join(line + "\n" for line in kept))
        self.file = path.open("a")
        if not self.quiet and sys.stderr.isatty():
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            self.bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.percentage:.0f} %"),
                TimeRemainingColumn(),
            )
            self.bar.start()
            self.task = self.bar.add_task("compiling", total=1.0)

    def write(self, **fields: Any) -> None:
        if self.file is not None:
            self.file.write(
                json.dumps({k: round(v, 6) if isinstance(v, float) else v for k, v in fields.items()}) + "\n"
            )
            self.file.flush()
        if self.board is not None:
            for name, value in fields.items():
                if name != "step":
                    self.board.add_scalar(name, value, fields["step"])

    def show(self, text: str, done: float, always: bool = False) -> None:
        if self.quiet:
            return
        if self.bar is not None:
            self.bar.update(self.task, completed=done, description=text)
            if always:
                self.bar.console.print(text)
        elif always or time.monotonic() - self.said > PLAIN_EVERY:
            print(f"{100 * done:3.0f} %  {text}", file=sys.stderr, flush=True)
            self.said = time.monotonic()

    def close(self) -> None:
        if self.bar is not None:
            self.bar.stop()
        if self.file is not None:
            self.file.close()
        if self.board is not None:
            self.board.close()
