"""Programs that live and die with us: started in a process group of their own, killed as a group, and killed by the
kernel should we be killed ourselves. Also the server through which an ML process starts external programs (provers,
solvers, compilers).
"""

from __future__ import annotations

import os
import secrets
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from io import BufferedIOBase
from pathlib import Path
from typing import IO, Any

from isarstep.isabelle.process import yxml

TIMEOUT_CODE = 142  # Isabelle's return code for a program that ran out of time
Stream = BufferedIOBase  # of a socket
_MAX_OUTPUT = 64 * 1024 * 1024
_MAX_MESSAGE = 1024 * 1024 * 1024

# Asks the kernel to kill this process when its parent dies (only Linux has such a call), then becomes the program.
_LAUNCHER = (
    "import ctypes, os, sys\n"
    "getattr(ctypes.CDLL(None), 'prctl', max)(1, 9)\n"
    "if os.getppid() != int(sys.argv[1]): os._exit(1)\n"
    "os.execvpe(sys.argv[2], sys.argv[2:], os.environ)\n"
)


def start_group(command: Sequence[str], **arguments: Any) -> subprocess.Popen[bytes]:
    """Start a program as leader of a new process group; it dies when the calling thread's process dies."""
    launcher = [sys.executable, "-S", "-E", "-c", _LAUNCHER, str(os.getpid())]
    return subprocess.Popen([*launcher, *command], start_new_session=True, **arguments)


def kill_group(process: subprocess.Popen[bytes], grace: float = 0.0) -> None:
    """Kill a program with all it started; `grace` seconds after a polite signal."""
    for sig, wait in ((signal.SIGTERM, grace), (signal.SIGKILL, 10.0)):
        if wait <= 0:
            continue
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, sig)
        try:
            process.wait(timeout=wait)
        except subprocess.TimeoutExpired:
            continue
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)  # what the leader left behind


def scratch_folder(kind: str) -> Path:
    """A temporary folder that carries our process number, so that a later run can tell it from a leftover."""
    return Path(tempfile.mkdtemp(prefix=f"isarstep-{kind}-{os.getpid()}-"))


def remove_stale_folders() -> None:
    """Delete the temporary folders of runs that were killed."""
    for path in Path(tempfile.gettempdir()).glob("isarstep-*-*-*"):
        fields = path.name.split("-")
        if len(fields) == 4 and fields[2].isdigit() and not process_runs(int(fields[2])):
            shutil.rmtree(path, ignore_errors=True)


def process_runs(process: int) -> bool:
    """Somebody else's counts, too."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def read_line(stream: Stream) -> bytes | None:
    line = stream.readline()
    return line.rstrip(b"\r\n") if line else None


def read_message(stream: Stream) -> list[bytes] | None:
    """One message of several chunks: a line with their lengths, then their bytes; None at the end of the stream."""
    header = read_line(stream)
    if header is None:
        return None
    lengths = [int(field) for field in header.split(b",")]
    if sum(lengths) > _MAX_MESSAGE:
        raise ValueError(f"message of {sum(lengths)} bytes")
    chunks = [stream.read(length) for length in lengths]
    if any(len(chunk) != length for chunk, length in zip(chunks, lengths, strict=True)):
        return None
    return chunks


def write_message(stream: Stream, chunks: Sequence[bytes]) -> None:
    stream.write(b",".join(str(len(chunk)).encode() for chunk in chunks) + b"\n" + b"".join(chunks))
    stream.flush()


class ProgramServer:
    """Runs shell scripts for an ML process (Isabelle's `bash_process`).

    Use as a context manager: leaving it ends every program.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = dict(environment)
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._socket.getsockname()[1]}"
        self.password = secrets.token_hex(16)
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._lock = threading.Lock()
        self._closed = False

    def __enter__(self) -> ProgramServer:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closed = True
        self._socket.close()
        with self._lock:
            running = list(self._running.values())
        for process in running:
            kill_group(process)

    def _accept(self) -> None:
        while not self._closed:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        # The ML process went away or speaks nonsense: nobody to tell. Closing writes what is left, and may fail, too.
        with suppress(OSError, ValueError), connection, connection.makefile("rwb") as stream:
            self._answer(connection, stream)

    def _answer(self, connection: socket.socket, stream: Stream) -> None:
        if not secrets.compare_digest(read_line(stream) or b"", self.password.encode()):
            return
        message = read_message(stream)
        if message is None:
            return
        if message[0] == b"kill" and len(message) == 2:
            with self._lock:
                process = self._running.get(message[1].decode())
            if process is not None:
                kill_group(process, grace=0.5)
        elif message[0] == b"run" and len(message) == 8:
            self._run(connection, stream, message[1:])
        else:
            write_message(stream, [b"failure", b"Bad protocol message"])

    def _run(self, connection: socket.socket, stream: Stream, arguments: list[bytes]) -> None:
        script, standard_input, folder, variables, redirect, limit, _ = arguments
        folders = yxml.decode_list(yxml.parse(folder))
        extra = (yxml.decode_pair(item) for item in yxml.decode_list(yxml.parse(variables)))
        name = str(uuid.uuid4())
        try:
            with tempfile.TemporaryDirectory(prefix=f"isarstep-bash-{os.getpid()}-") as scratch:
                (Path(scratch) / "script").write_bytes(script)
                (Path(scratch) / "input").write_bytes(standard_input)
                with (
                    open(Path(scratch) / "input", "rb") as source,
                    open(Path(scratch) / "output", "w+b") as output,
                    open(Path(scratch) / "errors", "w+b") as errors,
                ):
                    began = time.monotonic()
                    process = start_group(
                        ["bash", str(Path(scratch) / "script")],
                        stdin=source,
                        stdout=output,
                        stderr=subprocess.STDOUT if redirect == b"true" else errors,
                        cwd=yxml.content(folders[0]) if folders else None,
                        env=self._environment | {yxml.content(key): yxml.content(value) for key, value in extra},
                    )
                    with self._lock:
                        self._running[name] = process
                    try:
                        write_message(stream, [b"uuid", name.encode()])
                        code = self._wait(
                            process, began + float(limit) if float(limit) > 0 else None, output, connection
                        )
                    finally:
                        kill_group(process)
                        with self._lock:
                            del self._running[name]
                    elapsed = time.monotonic() - began
                    output.seek(0)
                    errors.seek(0)
                    said, wrong = (file.read(_MAX_OUTPUT).splitlines() for file in (output, errors))
        except OSError as error:
            write_message(stream, [b"failure", str(error).encode()])
            return
        numbers = (code, round(elapsed * 1000), 0, len(said))  # the third is processor time, which nobody measures
        write_message(stream, [b"result", *(str(number).encode() for number in numbers), *said, *wrong])

    def _wait(
        self, process: subprocess.Popen[bytes], deadline: float | None, output: IO[bytes], connection: socket.socket
    ) -> int:
        """Until the program ends, its time is over, it floods its output, or its caller hangs up."""
        pause = 0.005
        while True:
            try:
                code = process.wait(timeout=pause)
                return code if code >= 0 else 128 - code
            except subprocess.TimeoutExpired:
                pause = min(pause * 1.5, 0.2)
            if deadline is not None and time.monotonic() > deadline:
                kill_group(process, grace=0.5)
                return TIMEOUT_CODE
            if os.fstat(output.fileno()).st_size > _MAX_OUTPUT:
                kill_group(process)
                return 128 + signal.SIGXFSZ
            ready, _, _ = select.select([connection], [], [], 0)
            if ready and not connection.recv(1, socket.MSG_PEEK):
                kill_group(process)
                return 128 + signal.SIGKILL
