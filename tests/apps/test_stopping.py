"""A stop ends the server, whatever its threads compute."""

from __future__ import annotations

import subprocess
import sys

from tests.waiting import PATIENCE, PAUSE

from isarstep.apps.http import server

# A thread that nothing ends keeps the process alive, and the event loop never looks at the signal.
STUCK = """
import signal, threading
from types import SimpleNamespace
from isarstep.apps.http import server

server.GRACE, server.CLOSING = 0.05, 0.05
made = server.Server.__new__(server.Server)
made.load, made.should_exit, made.force_exit, made._captured_signals = SimpleNamespace(stopping=False), False, False, []
signal.signal(signal.SIGTERM, made.handle_exit)
threading.Thread(target=threading.Event().wait).start()
signal.raise_signal(signal.SIGTERM)
assert made.load.stopping
threading.Event().wait()
"""


def test_a_stop_ends_the_process_although_a_thread_goes_on() -> None:
    ended = subprocess.run([sys.executable, "-c", STUCK], timeout=PATIENCE * PAUSE, capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_it_does_so_within_five_seconds() -> None:
    assert server.GRACE + server.CLOSING < 5
