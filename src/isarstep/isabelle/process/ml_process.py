"""An ML process on an image, with everything that Isabelle/Scala would give it: options, session structure, answers
to Scala calls, a server for external programs. It is a context manager; leaving it leaves no process and no temporary
file behind.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from isarstep.common.errors import UserError
from isarstep.isabelle.process import release, yxml
from isarstep.isabelle.process.external_programs import (
    ProgramServer,
    Stream,
    kill_group,
    read_line,
    read_message,
    scratch_folder,
    start_group,
    write_message,
)
from isarstep.isabelle.process.installation import Installation, Sessions

_START_LIMIT = 120.0  # seconds until a process must have loaded its image and called back


class ProcessFailed(Exception):
    """The ML process died, or did not do what it should in time.

    the message says which, with the last words it printed.
    """


class ProcessTimedOut(ProcessFailed):
    """The deadline passed."""


@dataclass(frozen=True, slots=True)
class Message:
    """What the ML process says: a kind (`protocol`, `writeln`, ...), properties, and data."""

    kind: str
    properties: Mapping[str, str] = field(hash=False)
    chunks: tuple[bytes, ...]


def scala_result(name: str, arguments: Sequence[bytes], identifier: str) -> list[bytes]:
    """The answer to a call of a Scala function.

    tag and values of `Scala.result`. Only what mining needs has a real answer.
    """
    texts = [argument.decode(errors="replace") for argument in arguments]
    try:
        match name:
            case "bibtex_session_entries" | "bash_functions":
                return [b"1"]
            case "bibtex_check_database":
                return [b"1", b""]
            case "echo":
                return [b"1", *arguments]
            case "SHA1.digest" | "SHA256.digest":
                return [b"1", hashlib.new(name.partition(".")[0].lower(), arguments[0]).hexdigest().encode()]
            case "isabelle_id":
                return [b"1", identifier.encode()]
            case "make_directory":
                Path(texts[0]).mkdir(parents=True, exist_ok=True)
            case "rm_tree":
                shutil.rmtree(texts[0], ignore_errors=True)
            case "copy_file":
                shutil.copy(texts[0], texts[1])
            case "copy_dir":
                shutil.copytree(texts[0], texts[1], dirs_exist_ok=True)
            case "copy_file_base":
                target = Path(texts[2]) / texts[1]
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(Path(texts[0]) / texts[1], target)
            case _:
                return [b"2", f"Scala function {name} is not available in this process".encode()]
    except OSError as error:
        return [b"2", str(error).encode()]
    return [b"1"]


def options_file(installation: Installation, changes: Mapping[str, str]) -> bytes:
    """All system options, as `ISABELLE_PROCESS_OPTIONS` wants them."""
    entries = [(o.name, o.type, changes.get(o.name, o.value), o.standard) for o in installation.options]
    return release.encode_options(installation.release, entries)


def session_file(
    known: release.Release,
    directories: Sequence[tuple[str, str]],
    global_theories: Mapping[str, str],
    loaded: Sequence[str],
) -> bytes:
    """The structure of sessions, as `ISABELLE_INIT_SESSION` wants it."""
    named = yxml.listing(yxml.pair(yxml.string, yxml.properties))
    texts = yxml.listing(yxml.pair(yxml.string, yxml.string))
    timings = yxml.listing(yxml.properties)
    last = yxml.pair(bytes, yxml.pair(texts, yxml.listing(yxml.string)))
    encode = yxml.pair(named, yxml.pair(texts, yxml.pair(timings, yxml.pair(named, last))))
    sessions = sorted({session for _, session in directories})
    scala = release.encode_functions(known)
    commands = [(name, ()) for name in release.LOAD_COMMANDS]
    positions = [(name, ()) for name in sessions]
    return encode((positions, (directories, ((), (commands, (scala, (tuple(global_theories.items()), loaded)))))))


def ml_string(text: str) -> str:
    """An ML string literal."""
    safe = (chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:03d}" for byte in text.encode())
    return '"' + "".join(safe) + '"'


@dataclass(frozen=True)
class Start:
    """How to start a process: on which images (parents first), with which ML files, options, and loaded theories."""

    images: tuple[Path, ...]
    uses: tuple[Path, ...]
    main: str
    loaded: tuple[str, ...]
    sessions: tuple[str, ...]  # whose folders it may read theories from
    memory_mb: int = 0  # limit of the ML heap, 0 for none
    options: tuple[tuple[str, str], ...] = ()
    folder: Path | None = None


# What Poly/ML says about an ML file of ours that Isabelle's sources do not fit.
_DOES_NOT_COMPILE = re.compile(r"Error trying to use the file: '([^']+)'")

_live: set[MLProcess] = set()
_closing = threading.Event()


def allow_starts() -> None:
    """Undo the ban of `end_all`."""
    _closing.clear()


def starts_banned() -> bool:
    """Has `end_all` ended what ran?"""
    return _closing.is_set()


def end_all() -> None:
    """Kill every ML process of this program and let none start until `allow_starts`."""
    _closing.set()
    for process in list(_live):
        process.kill()


# Isabelle hides Poly/ML's RunCall, which Notation.ML needs to look into tables that have no reader.
_LOAD = """let val run_call = valOf (#lookupStruct PolyML.globalNameSpace "RunCall") in
  PolyML.SaveState.loadHierarchy [{images}];
  #enterStruct PolyML.globalNameSpace ("RunCall", run_call);
  PolyML.print_depth 0
end"""


class MLProcess:
    """A running ML process that speaks Isabelle's protocol."""

    def __init__(self, installation: Installation, sessions: Sessions, start: Start) -> None:
        self._installation = installation
        self._sessions = sessions
        self._start = start
        self.deadline: float | None = None  # by time.monotonic(); receiving past it kills the process
        self.cpu = 0.0
        self.peak_memory = 0
        self.folder = Path()

    def __enter__(self) -> MLProcess:
        if _closing.is_set():
            raise ProcessFailed("stopped")
        for image in self._start.images:
            if not image.is_file():
                raise UserError(f"missing image {image}; it was there when mining was planned: run again with --resume")
        self.folder = scratch_folder("ml")
        try:
            self._launch()
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        _live.add(self)
        return self

    def kill(self) -> None:
        kill_group(self._process)

    def _launch(self) -> None:
        self._programs = ProgramServer({**self._installation.environment, "ISABELLE_TMP": str(self.folder)})
        self._programs.__enter__()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._stream: Stream | None = None
        self._connection: socket.socket | None = None
        self._write_lock = threading.Lock()
        password = secrets.token_hex(16)
        stubs = self.folder / "stubs"
        for session in self._start.sessions:
            (stubs / session).mkdir(parents=True)
        changes = {
            **release.QUIET_OPTIONS,
            "bash_process_address": self._programs.address,
            "bash_process_password": self._programs.password,
            **dict(self._start.options),
        }
        wanted = set(self._start.sessions)
        directories = [(str(stubs / session), session) for session in self._start.sessions]
        directories += [(folder, session) for folder, session in self._sessions.directories() if session in wanted]
        (self.folder / "options").write_bytes(options_file(self._installation, changes))
        (self.folder / "session").write_bytes(
            session_file(self._installation.release, directories, self._sessions.global_theories, self._start.loaded)
        )
        environment = {
            **self._installation.environment,
            "ISABELLE_TMP": str(self.folder),
            "POLYSTATSDIR": str(self.folder),
            "ISABELLE_PROCESS_OPTIONS": str(self.folder / "options"),
            "ISABELLE_INIT_SESSION": str(self.folder / "session"),
            "ISARSTEP_STUBS": str(stubs),
        }
        self._password = password.encode()
        channel = self.folder / "channel"
        channel.touch(mode=0o600)
        channel.write_text(f"127.0.0.1:{self._listener.getsockname()[1]} {password}\n", encoding="utf-8")
        with open(self.folder / "log", "wb") as log, open(channel, "rb") as line:
            self._process = start_group(
                self._command_line(),
                stdin=line,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=environment,
                cwd=self._start.folder or self.folder,
            )

    def _command_line(self) -> list[str]:
        start = self._start
        images = ", ".join(ml_string(str(path)) for path in start.images)
        command = [str(self._installation.poly), "-q", "--gcthreads", "1"]
        if start.memory_mb:
            command += ["--maxheap", str(release.heap_limit(self._installation.ml_platform, start.memory_mb))]
        for text in (
            _LOAD.format(images=images),
            self._installation.release.load_options,
            "Resources.init_session_env ()",
        ):
            command += ["--eval", text]
        for path in (*self._installation.release.words_files, *start.uses):
            command += ["--use", str(path)]
        return [*command, "--eval", f"Command_Line.tool (fn () => {start.main})"]

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        kill_group(self._process)
        _live.discard(self)
        if self._stream is not None:
            with suppress(OSError):
                self._stream.close()
        if self._connection is not None:
            self._connection.close()
        self._listener.close()
        self._programs.__exit__()
        shutil.rmtree(self.folder, ignore_errors=True)

    def log_tail(self, characters: int = 400) -> str:
        """The last words that the process printed, in one line."""
        try:
            data = (self.folder / "log").read_bytes()
        except OSError:
            return ""
        text = yxml.content(yxml.parse(data)) if yxml.X in data else data.decode(errors="replace")
        return " ".join(text.replace("\x02", "").split())[-characters:]

    def _failure(self, what: str) -> Exception:
        tail = self.log_tail()
        if misfit := _DOES_NOT_COMPILE.search(tail):
            known = ", ".join(entry.name for entry in release.RELEASES)
            file = Path(misfit.group(1)).name
            return UserError(
                f"{self._installation.home} was taken for {self._installation.identifier}, but {file} does not compile"
                f" there: its sources are of none of {known}"
            )
        return ProcessFailed(f"{what}: {tail}" if tail else what)

    def _check(self, limit: float | None) -> None:
        self._measure()
        if limit is not None and time.monotonic() > limit:
            kill_group(self._process)
            raise ProcessTimedOut("out of time")
        if self._process.poll() is not None:
            raise self._failure(f"the ML process ended with code {self._process.returncode}")

    def _measure(self) -> None:
        try:
            status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="utf-8")
            fields = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            return
        for line in status.splitlines():
            if line.startswith("VmHWM:"):
                self.peak_memory = max(self.peak_memory, int(line.split()[1]) * 1024)
        self.cpu = (int(fields[11]) + int(fields[12])) / 100.0

    def _connect(self) -> Stream:
        limit = time.monotonic() + _START_LIMIT
        self._listener.settimeout(0.2)
        while True:
            try:
                connection, _ = self._listener.accept()
            except TimeoutError:
                self._check(limit)
                continue
            connection.settimeout(None)
            stream = connection.makefile("rwb")
            if secrets.compare_digest(read_line(stream) or b"", self._password):
                self._connection, self._stream = connection, stream
                return stream
            connection.close()

    def messages(self) -> Iterator[Message]:
        """What the process says until it closes the channel. Scala calls are answered on the way."""
        stream = self._stream or self._connect()
        watch = threading.Thread(target=self._watch, daemon=True)
        watch.start()
        while True:
            try:
                chunks = read_message(stream)
            except (OSError, ValueError) as error:
                raise self._failure(f"the channel to the ML process broke ({error})") from error
            if chunks is None:
                if self._expired:
                    raise ProcessTimedOut("out of time")
                if not self._stopped:
                    self._process_end(10.0)
                    raise self._failure(f"the ML process ended with code {self._process.returncode}")
                return
            count = int(chunks[1])
            pairs = (chunk.decode().partition("=") for chunk in chunks[2 : 2 + count])
            message = Message(chunks[0].decode(), {key: value for key, _, value in pairs}, tuple(chunks[2 + count :]))
            function = message.properties.get("function")
            if function == "invoke_scala":
                answer = scala_result(message.properties["name"], message.chunks, self._installation.identifier)
                self.command("Scala.result", message.properties["id"].encode(), *answer)
            elif function != "cancel_scala":
                yield message

    _expired = False
    _stopped = False

    def _watch(self) -> None:
        """Enforce the deadline even while nothing is said, and keep an eye on memory and time used."""
        while self._process.poll() is None:
            self._measure()
            if self.deadline is not None and time.monotonic() > self.deadline:
                self._expired = True
                kill_group(self._process)
                return
            time.sleep(0.5)

    def command(self, name: str, *arguments: bytes) -> None:
        """Send a protocol command."""
        stream = self._stream or self._connect()
        with self._write_lock:
            write_message(stream, [name.encode(), *arguments])

    def stop(self) -> None:
        """Ask the process to leave its protocol loop and do what remains of its main program."""
        self._stopped = True
        self.command("Prover.stop", b"0")

    def _process_end(self, limit: float | None) -> None:
        try:
            self._process.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            kill_group(self._process)
            raise ProcessTimedOut("the ML process did not end") from None

    def wait(self, limit: float | None) -> None:
        """Until the process ends by itself; an error unless it ends well."""
        self._process_end(limit)
        if self._process.returncode != 0:
            raise self._failure(f"the ML process ended with code {self._process.returncode}")
