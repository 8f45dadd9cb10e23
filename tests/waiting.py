"""Waits for what other processes and threads do: as long as a busy machine needs, never a fixed while."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 12_000  # looks, ten minutes: only a wrong program waits so long; what a test must see end sleeps longer
PAUSE = 0.05
PROC = Path("/proc/self/stat").exists()


def until(happened: Callable[[], object]) -> bool:
    """Has it happened, however long it took?"""
    for _ in range(PATIENCE):
        if happened():
            return True
        time.sleep(PAUSE)
    return False


class Clock:
    """In place of `time`: it stands still, but while something is the case an hour passes at every look."""

    def __init__(self, passes: Callable[[], object]) -> None:
        self._passes, self._now = passes, 0.0

    def monotonic(self) -> float:
        if self._passes():
            self._now += 3600.0
        return self._now

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


def is_written(path: Path) -> bool:
    """Has another process written something into the file?"""
    return path.exists() and bool(path.read_text().strip())


def is_gone(pid: int) -> bool:
    if not PROC:
        state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout.strip()
        return not state or state.startswith("Z")
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state == "Z"


def gone(pid: int) -> bool:
    """Does the process end?"""
    return until(lambda: is_gone(pid))


def number_in(path: Path) -> int:
    """The number that another process writes into a file."""
    assert until(lambda: is_written(path))
    return int(path.read_text())
