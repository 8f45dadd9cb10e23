"""A real server process on a free port of this machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from tests.stand_in import StandIn
from tests.waiting import PATIENCE, PAUSE


@dataclass
class Running:
    process: subprocess.Popen[str]
    url: str

    # Not over TLS: `verify` would read all certificates for each request, which takes longer than most answers.
    def get(self, path: str, **options: Any) -> httpx.Response:
        return httpx.get(self.url + path, verify=False, timeout=PATIENCE * PAUSE, **options)

    def post(self, path: str, body: Any, **options: Any) -> httpx.Response:
        return httpx.post(self.url + path, json=body, verify=False, timeout=PATIENCE * PAUSE, **options)

    def events(self, path: str, body: Any) -> Iterator[tuple[str, Any]]:
        """Server-sent events as they arrive."""
        with httpx.stream("POST", self.url + path, json=body, verify=False, timeout=PATIENCE * PAUSE) as answer:
            assert answer.status_code == 200, answer.read()
            assert answer.headers["content-type"].startswith("text/event-stream")
            name = ""
            for line in answer.iter_lines():
                if line.startswith("event: "):
                    name = line[7:]
                elif line.startswith("data: "):
                    yield name, json.loads(line[6:])

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=PATIENCE * PAUSE)


# The server as it is, but that a request has twenty times the seconds that it asks for: a busy machine is not a wrong
# program. What happens when time is up is asked in tests/apps/agents/test_statuses.py.
PATIENT = """
from isarstep.cli import main
from isarstep.apps.service import service

service.Clock.left = property(lambda clock: 20 * clock.seconds - clock.passed)
"""
# Where the test says how long a prover takes. The index of facts, which takes seconds, is not made: nobody searches there.
ENDLESS = """
from isarstep.benchmark.store.fact_search import FactSearch
from isarstep.prover.atp.provers import ProverLimits
from isarstep.apps.http import server

server.GRACE = 1e6
service.Clock.left, ProverLimits.wall, FactSearch.index = 1e6, lambda *_: 1e6, lambda _: None
"""


@contextmanager
def running(*arguments: str, prover: StandIn | None = None) -> Iterator[Running]:
    code = PATIENT + (ENDLESS if prover else "") + "main()"
    command = [sys.executable, "-c", code, "serve", "--port", "0", *arguments]
    environment = {**os.environ, "PATH": prover.path} if prover else None
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, env=environment
    )
    alarm = threading.Timer(PATIENCE * PAUSE, process.kill)
    alarm.start()
    try:
        assert process.stdout is not None
        assert process.stderr is not None
        line = process.stdout.readline()
        assert line.startswith("isarstep: serving on "), line + process.stderr.read()
        alarm.cancel()
        yield Running(process, line.split()[-1])
    finally:
        alarm.cancel()
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
