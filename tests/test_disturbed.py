"""The disturbances of `tests/disturbed.py` happen, and end with the command."""

import random
import subprocess
import sys
from pathlib import Path

import pytest
from tests import disturbed
from tests.needs import PROC_FILES
from tests.waiting import gone, is_gone, number_in, until


def test_a_command_runs_beside_busy_loops_that_end_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    loops: list[int] = []
    start = subprocess.Popen

    def counted(command: list[str], **options: bool) -> "subprocess.Popen[bytes]":
        process = start(command, **options)
        if disturbed.LOOP in command:
            loops.append(process.pid)
        return process

    monkeypatch.setattr(disturbed.subprocess, "Popen", counted)
    asks = "import os, sys; sys.exit(3 if os.environ['PYTHONHASHSEED'] != '0' else 4)"
    assert disturbed.run_disturbed([sys.executable, "-c", asks], 2, False, random.Random(0)) == 3
    assert len(loops) == 2
    assert all(map(gone, loops))


@PROC_FILES
def test_a_stopped_process_goes_on() -> None:
    sleeper = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    seen: list[str] = []

    class Chance(random.Random):
        def uniform(self, a: float, b: float) -> float:
            state = Path(f"/proc/{sleeper.pid}/stat")
            assert until(lambda: state.read_text().rpartition(")")[2].split()[0] == "T")
            seen.append("stopped")
            return 0.0

    disturbed.stop_one(sleeper.pid, Chance())
    assert seen == ["stopped"]
    sleeper.communicate(b"\n")
    assert sleeper.returncode == 0
    assert is_gone(sleeper.pid)
    disturbed.stop_one(sleeper.pid, Chance())  # too late: nothing happens
    assert seen == ["stopped"]


@PROC_FILES
def test_a_family_has_grandchildren() -> None:
    nested = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'])"
    parent = subprocess.Popen([sys.executable, "-c", nested], stdin=subprocess.PIPE)
    assert until(lambda: len(disturbed.family(parent.pid)) == 2)
    parent.communicate(b"\n")
    assert disturbed.family(parent.pid) == [parent.pid]


@PROC_FILES
def test_busy_loops_end_with_whoever_is_killed(tmp_path: Path) -> None:
    asks = f"open({str(tmp_path / 'began')!r}, 'w').write('1'); input()"
    command = [sys.executable, "-m", "tests.disturbed", "--loops", "1", sys.executable, "-c", asks]
    starter = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
    assert number_in(tmp_path / "began")
    loop, asking = disturbed.family(starter.pid)[1:]
    starter.kill()
    starter.communicate(b"\n")
    assert gone(loop)
    assert gone(asking)
