"""A command on a machine that is busy with other things, or whose processes stand still at any moment.

    python -m tests.disturbed --loops 2 --runs 3 make test
    python -m tests.disturbed --stops .venv/bin/pytest -q tests/apps tests/apps/agents

`--loops`: busy loops beside it. `--stops`: again and again one of its processes, drawn at random, is stopped for up to
two and a half seconds. Every run has a hash seed of its own, which is printed. Exit code 1: some run failed.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

# Whoever started it may be killed, even before it runs: so it is told who that was.
LOOP = "import os, sys; parent = int(sys.argv[1])\nwhile os.getppid() == parent: pass"


@contextmanager
def busy_loops(count: int) -> Iterator[None]:
    # Sessions of their own, because some kernels share processor time out by sessions.
    loops = [
        subprocess.Popen([sys.executable, "-c", LOOP, str(os.getpid())], start_new_session=True) for _ in range(count)
    ]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def family(root: int) -> list[int]:
    """A process and all that it has started, directly or not."""
    children: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            children.setdefault(int(status.read_text().rpartition(")")[2].split()[1]), []).append(
                int(status.parent.name)
            )
    found = [root]
    for pid in found:  # grows on the way
        found += children.get(pid, [])
    return found


def stop_one(root: int, chance: random.Random) -> None:
    pid = chance.choice(family(root))
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
        try:
            time.sleep(chance.uniform(0.3, 2.5))
        finally:
            os.kill(pid, signal.SIGCONT)


def run_disturbed(command: list[str], loops: int, stops: bool, chance: random.Random) -> int:
    seed = chance.randrange(2**32)
    print(f"PYTHONHASHSEED={seed}", flush=True)
    with busy_loops(loops):
        process = subprocess.Popen(command, env={**os.environ, "PYTHONHASHSEED": str(seed)}, start_new_session=True)
        try:
            while process.poll() is None:
                time.sleep(chance.uniform(0.2, 1.5))
                if stops:
                    stop_one(process.pid, chance)
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGTERM)
    print(f"PYTHONHASHSEED={seed}: exit code {process.returncode}", flush=True)
    return process.returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--loops", type=int, default=0)
    parser.add_argument("--stops", action="store_true")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    asked = parser.parse_args()
    chance = random.Random()
    codes = [run_disturbed(asked.command, asked.loops, asked.stops, chance) for _ in range(asked.runs)]
    return int(any(codes))


if __name__ == "__main__":
    sys.exit(main())
