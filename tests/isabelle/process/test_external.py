"""The server of external programs with real programs: results, time-outs, kills, floods; and process groups that leave nothing."""

import io
import os
import signal
import socket
import subprocess
import sys

import pytest
from tests.waiting import Clock, gone, is_written, number_in

from isarstep.isabelle.process import external_programs as external
from isarstep.isabelle.process import yxml
from isarstep.isabelle.process.external_programs import (
    ProgramServer,
    kill_group,
    read_message,
    start_group,
    write_message,
)


class Client:
    """What ML does: password, one message, then answers."""

    def __init__(self, server, password=None):
        host, port = server.address.split(":")
        self.socket = socket.create_connection((host, int(port)), timeout=600)
        self.stream = self.socket.makefile("rwb")
        self.stream.write((password or server.password).encode() + b"\n")

    def run(self, script, standard_input=b"", cwd=None, variables=(), redirect=False, timeout=0.0):
        folder = yxml.option(yxml.string)(cwd)
        pairs = yxml.listing(yxml.pair(yxml.string, yxml.string))(variables)
        write_message(
            self.stream,
            [
                b"run",
                script.encode(),
                standard_input,
                folder,
                pairs,
                b"true" if redirect else b"false",
                str(timeout).encode(),
                b"",
            ],
        )
        kind, name = read_message(self.stream)
        assert kind == b"uuid"
        return name

    def result(self):
        kind, *rest = read_message(self.stream)
        assert kind == b"result", rest
        code, _elapsed, _cpu, count = (int(field) for field in rest[:4])
        return code, rest[4 : 4 + count], rest[4 + count :]

    def close(self):
        self.stream.close()
        self.socket.close()


@pytest.fixture
def server():
    with ProgramServer(dict(os.environ)) as running:
        yield running


def test_output_errors_code_input_folder_and_variables(server, tmp_path):
    client = Client(server)
    client.run('cat; pwd; echo "$V" >&2; exit 3', b"in\nput\n", str(tmp_path), [("V", "a b")])
    assert client.result() == (3, [b"in", b"put", str(tmp_path).encode()], [b"a b"])
    client = Client(server)
    client.run("echo a; echo b >&2", redirect=True)
    assert client.result() == (0, [b"a", b"b"], [])


def test_wrong_password_and_nonsense(server):
    client = Client(server, "wrong")
    with pytest.raises((OSError, TypeError)):
        client.run("echo never")
    client = Client(server)
    write_message(client.stream, [b"dance"])
    assert read_message(client.stream) == [b"failure", b"Bad protocol message"]


def test_time_out_kills_the_whole_group(server, tmp_path, monkeypatch):
    monkeypatch.setattr(external, "time", Clock(lambda: is_written(tmp_path / "pid")))
    client = Client(server)
    client.run(f"sleep 1000 & echo $! > {tmp_path}/pid; wait", timeout=60)
    code, _, _ = client.result()
    assert code == 142
    assert gone(number_in(tmp_path / "pid"))


def test_kill_by_name(server, tmp_path):
    client = Client(server)
    name = client.run(f"sleep 1000 & echo $! > {tmp_path}/pid; wait")
    number_in(tmp_path / "pid")
    killer = Client(server)
    write_message(killer.stream, [b"kill", name])
    code, _, _ = client.result()
    assert code > 128
    assert gone(number_in(tmp_path / "pid"))


def test_a_caller_who_hangs_up_takes_the_program_along(server, tmp_path):
    client = Client(server)
    client.run(f"echo $$ > {tmp_path}/pid; sleep 1000")
    number_in(tmp_path / "pid")
    client.close()
    assert gone(number_in(tmp_path / "pid"))


def test_a_caller_who_is_gone_when_the_stream_is_closed_raises_nothing(server):
    class HungUp(io.BytesIO):
        def close(self):
            super().close()
            raise BrokenPipeError  # what is left to write finds nobody

    class Connection(io.BytesIO):
        def makefile(self, mode):
            return HungUp(b"no password\n")

    server._serve(Connection())


def test_a_flood_is_stopped(server, monkeypatch):
    monkeypatch.setattr(external, "_MAX_OUTPUT", 100_000)
    client = Client(server)
    client.run("yes")
    code, lines, _ = client.result()
    assert code == 128 + signal.SIGXFSZ
    assert len(lines) <= 50_000


def test_leaving_the_server_ends_everything(tmp_path):
    with ProgramServer(dict(os.environ)) as server:
        client = Client(server)
        client.run(f"echo $$ > {tmp_path}/pid; trap '' TERM; sleep 1000")
        number_in(tmp_path / "pid")
    assert gone(number_in(tmp_path / "pid"))


def test_group_with_stubborn_children_is_killed(tmp_path):
    process = start_group(["bash", "-c", f"trap '' TERM; (trap '' TERM; sleep 1000) & echo $! > {tmp_path}/pid; wait"])
    number_in(tmp_path / "pid")
    kill_group(process, grace=0.1)
    assert process.returncode is not None
    assert gone(number_in(tmp_path / "pid"))


def test_programs_die_when_their_parent_is_killed(tmp_path):
    code = (
        "import time; from isarstep.isabelle.process.external_programs import start_group\n"
        # It says its number itself: from then on it is the program, and no launcher that is still getting ready.
        "start_group(['sh', '-c', 'echo $$; exec sleep 1000']); time.sleep(1000)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    assert gone(child)


def test_the_launcher_where_the_kernel_has_no_such_call(tmp_path):
    """macOS: no `prctl`; programs start all the same."""
    launcher = external._LAUNCHER.replace("ctypes.CDLL(None)", "object()")
    assert launcher != external._LAUNCHER
    run = subprocess.run([sys.executable, "-c", launcher, str(os.getpid()), "sh", "-c", "exit 7"], timeout=60)
    assert run.returncode == 7


def test_folders_of_runs_that_are_gone(tmp_path, monkeypatch):
    monkeypatch.setattr(external.tempfile, "gettempdir", lambda: str(tmp_path))
    ended = subprocess.Popen(["true"])
    ended.wait()
    mine, stale = tmp_path / f"isarstep-ml-{os.getpid()}-x", tmp_path / f"isarstep-ml-{ended.pid}-x"
    for folder in (mine, stale):
        folder.mkdir()
    external.remove_stale_folders()
    assert mine.is_dir()
    assert not stale.exists()
