"""Processes of provers, each contained: this side of the launcher, which starts them, limits them and reaps them."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.machinery import ModuleSpec
from pathlib import Path

LOST = -1  # status of a process whose launcher ended before it could be reaped


@dataclass(slots=True)
class ProverProcess:
    """One that runs, and the pipe that it answers on."""

    pid: int
    pipe: int
    began: float  # on the monotonic clock


class ProverProcesses:
    """A launcher process, started when it is needed. Close it; its processes end with it in any case."""

    def __init__(self) -> None:
        self._launcher: subprocess.Popen[bytes] | None = None
        self._channel: socket.socket | None = None
        self._buffer = b""

    def start(
        self, argv: Sequence[str], options: Mapping[str, str], text: str, seconds: float, memory: int
    ) -> ProverProcess:
        """Give a prover a problem, so much processor time and memory. An empty argv is cvc5's wheel with options."""
        source = _problem_file(text)
        read_end, write_end = os.pipe()
        try:
            message = {"start": 0, "argv": argv, "options": dict(options), "cpu": seconds, "memory": memory}
            began = time.monotonic()
            pid = int(self._ask(message, [source, write_end])["pid"])
        except BaseException:
            os.close(read_end)
            raise
        finally:
            os.close(source)
            os.close(write_end)
        return ProverProcess(pid, read_end, began)

    def stop(self, process: ProverProcess) -> tuple[int, float]:
        """End it; its exit status, negative for a signal, and the processor time that it took."""
        os.close(process.pipe)
        reply = self._ask({"stop": process.pid}, [])
        return int(reply["status"]), reply["cpu"]

    def close(self) -> None:
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        if self._launcher is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._launcher.wait(timeout=10)
            self._launcher.kill()
            self._launcher.wait()
            self._launcher = None
        self._buffer = b""

    def _ask(self, message: dict[str, object], descriptors: list[int]) -> dict[str, float]:
        for _ in range(2):
            try:
                channel = self._connect()
                socket.send_fds(channel, [json.dumps(message).encode() + b"\n"], descriptors)
                while b"\n" not in self._buffer:
                    data = channel.recv(65536)
                    if not data:
                        raise ConnectionError("the launcher ended")
                    self._buffer += data
                line, self._buffer = self._buffer.split(b"\n", 1)
                reply: dict[str, float] = json.loads(line)
                return reply
            except ConnectionError:
                self.close()
                if "stop" in message:
                    return {"status": LOST, "cpu": 0.0}  # its processes ended with it
        raise RuntimeError("the process that starts provers does not run")

    def _connect(self) -> socket.socket:
        if self._channel is None:
            ours, theirs = socket.socketpair()
            # Without site packages' start-up files; only what the launcher needs is on its path.
            program = str(Path(__file__).with_name("launcher.py"))
            folder = cvc5_folder() or sysconfig.get_path("platlib")
            path = f"import sys, runpy; sys.path.append({folder!r})"
            command = [sys.executable, "-I", "-S", "-c", f"{path}; runpy.run_path({program!r}, run_name='__main__')"]
            self._launcher = subprocess.Popen(command, stdin=theirs.fileno(), start_new_session=True)
            theirs.close()
            self._channel = ours
        return self._channel


def _problem_file(text: str) -> int:
    """A descriptor to read the problem from; its file has no name, and no disk where the kernel can do without."""
    if hasattr(os, "memfd_create"):
        source = os.memfd_create("problem")
    else:
        with tempfile.TemporaryFile() as unnamed:
            source = os.dup(unnamed.fileno())
    try:
        with open(source, "wb", closefd=False) as file:
            file.write(text.encode())
        os.lseek(source, 0, os.SEEK_SET)
    except BaseException:
        os.close(source)
        raise
    return source


def cvc5_folder() -> str | None:
    """The folder from which this process would import cvc5: site packages, PYTHONPATH, what a .pth file adds."""
    return _folder_of_cvc5(tuple(sys.path))


@lru_cache
def _folder_of_cvc5(_path: tuple[str, ...]) -> str | None:
    for finder in sys.meta_path:  # not importlib.util.find_spec, which believes what an imported cvc5 says of itself
        spec: ModuleSpec | None = finder.find_spec("cvc5", None) if hasattr(finder, "find_spec") else None
        if spec is not None and spec.submodule_search_locations:
            return os.path.dirname(os.path.abspath(next(iter(spec.submodule_search_locations))))
    return None
