"""Contained provers: whatever a prover does, the answer is a time-out or unknown, and no process is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.needs import PROC_FILES
from tests.stand_in import PROOF_OF_TINY
from tests.waiting import Clock, gone, is_written, number_in, until

from isarstep.prover.atp import provers as module
from isarstep.prover.atp.presence import TINY_TPTP
from isarstep.prover.atp.provers import Attempt, Cache, ProverLimits, Provers, Strategy, _waits_for_processor
from isarstep.prover.outcomes.verdict import Proved, TimedOut, Unknown

LIMITS = ProverLimits(seconds=0.2, memory=1 << 30, width=2)
PATIENT = ProverLimits(seconds=100, memory=1 << 30, width=2)  # for provers that end by themselves
TRIVIAL = "(set-logic ALL)\n(assert (! false :named p0))\n(assert (! true :named goal))\n(check-sat)\n"


@pytest.fixture
def provers() -> Iterator[Provers]:
    with Provers(PATIENT) as running:
        yield running


@pytest.fixture
def hasty() -> Iterator[Provers]:
    with Provers(LIMITS) as running:
        yield running


def fake(tmp_path: Path, body: str, name: str = "prover") -> Attempt:
    """A prover program written in Python, asked a first-order problem; it can leave its pid in the file `pid`."""
    program = tmp_path / f"{name}.py"
    program.write_text(f"import os, sys, time, signal\nPROOF = {PROOF_OF_TINY!r}\n" + body)
    strategy = Strategy(name, "tf0", arithmetic=False, unfold=True, argv=(sys.executable, "-I", "-S", str(program)))
    return Attempt(strategy, TINY_TPTP, {"p0": "a fact"})


def test_a_prover_that_hangs_runs_out_of_time(
    tmp_path: Path, provers: Provers, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid = tmp_path / "pid"
    monkeypatch.setattr(module, "time", Clock(lambda: is_written(pid)))
    attempt = fake(tmp_path, f"open({str(pid)!r}, 'w').write(str(os.getpid()))\ntime.sleep(1000)\n")
    assert provers.prove([attempt]) == TimedOut(100)
    assert gone(number_in(pid))


def test_a_prover_that_ignores_signals_is_killed(tmp_path: Path, hasty: Provers) -> None:
    ignored = "".join(f"signal.signal(signal.{s}, signal.SIG_IGN)\n" for s in ("SIGTERM", "SIGXCPU", "SIGPROF"))
    body = ignored + "while True: pass\n"
    assert isinstance(hasty.prove([fake(tmp_path, body)]), TimedOut)


def test_a_busy_prover_is_stopped_by_its_processor_time(tmp_path: Path, hasty: Provers) -> None:
    answer = hasty.prove([fake(tmp_path, "while True: pass\n")])
    assert isinstance(answer, TimedOut)


def test_a_prover_that_floods_its_output_is_stopped(tmp_path: Path) -> None:
    with Provers(ProverLimits(seconds=30)) as provers:
        answer = provers.prove([fake(tmp_path, "while True: os.write(1, PROOF.encode() * 400)\n")])
    assert answer == Unknown("the prover flooded its output")


def test_a_prover_that_forks_leaves_nothing(tmp_path: Path, provers: Provers, monkeypatch: pytest.MonkeyPatch) -> None:
    pids = tmp_path / "pids"
    # The children keep the pipe open, so the answer is a time-out: after all five have written.
    monkeypatch.setattr(module, "time", Clock(lambda: pids.exists() and pids.read_text().count("\n") == 5))
    body = (
        f"for i in range(5):\n    if os.fork() == 0:\n        if i % 2: os.setsid()\n"
        f"        open({str(pids)!r}, 'a').write(f'{{os.getpid()}}\\n')\n        time.sleep(1000)\n"
        f"while not os.path.exists({str(pids)!r}) or open({str(pids)!r}).read().count('\\n') < 5: time.sleep(0.01)\n"
    )
    answer = provers.prove([fake(tmp_path, body)])
    assert not isinstance(answer, Proved)
    children = [int(line) for line in pids.read_text().split()]
    assert len(children) == 5
    assert all(gone(pid) for pid in children)


def test_a_prover_that_leaves_a_daemon_leaves_nothing(tmp_path: Path, provers: Provers) -> None:
    pid = tmp_path / "pid"
    body = (
        "print('# SZS status GaveUp', flush=True)\n"
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        os.close(1); os.close(2)\n"
        f"        open({str(pid)!r}, 'w').write(str(os.getpid()))\n        time.sleep(1000)\n    os._exit(0)\n"
        f"while not os.path.exists({str(pid)!r}) or not open({str(pid)!r}).read(): time.sleep(0.01)\n"
    )
    provers.prove([fake(tmp_path, body)])
    assert gone(number_in(pid))


def test_a_prover_that_eats_memory_is_refused_it(tmp_path: Path, provers: Provers) -> None:
    answer = provers.prove([fake(tmp_path, "x = bytearray(8 << 30)\nprint(PROOF)\n")])
    assert isinstance(answer, Unknown)
    assert "MemoryError" in answer.why


@pytest.mark.parametrize(
    "ending", ["sys.exit(3)", "os._exit(1)", "os.kill(os.getpid(), signal.SIGSEGV)", "os.abort()", "raise ValueError"]
)
def test_a_proof_of_a_prover_that_dies_does_not_count(tmp_path: Path, provers: Provers, ending: str) -> None:
    attempt = fake(tmp_path, f"print(PROOF, flush=True)\n{ending}\n")
    assert isinstance(provers.prove([attempt]), Unknown)


@pytest.mark.parametrize("output", ["", "Theorem", "# SZS status Theorem", "# SZS status Unknown", "\\x00\\xff" * 100])
def test_only_the_exact_words_are_a_proof(tmp_path: Path, provers: Provers, output: str) -> None:
    body = f"os.write(1, b'{output}')\n"
    assert isinstance(provers.prove([fake(tmp_path, body)]), Unknown)


def test_a_program_that_is_missing_or_not_executable_is_unknown(provers: Provers) -> None:
    for program in ("/nonexistent/prover", "/etc/passwd"):
        strategy = Strategy("missing", "tf0", arithmetic=False, unfold=True, argv=(program,))
        assert isinstance(provers.prove([Attempt(strategy, "", {})]), Unknown)


def test_bad_smt_is_unknown(provers: Provers) -> None:
    strategy = Strategy("cvc5", "smt", arithmetic=True, unfold=True)
    for text in ("", "(assert", "(set-logic ALL)\n(assert (= x y))\n(check-sat)\n", "unsat\n", '(echo "unsat")\n' * 2):
        assert isinstance(provers.prove([Attempt(strategy, text, {})]), Unknown)
    assert isinstance(provers.prove([Attempt(strategy, TRIVIAL, {"p0": "a fact"})]), Proved)


def test_the_first_proof_wins_and_the_rest_is_killed(tmp_path: Path, provers: Provers) -> None:
    pid = tmp_path / "pid"
    slow = fake(tmp_path, f"open({str(pid)!r}, 'w').write(str(os.getpid()))\ntime.sleep(1000)\n", "slow")
    waiting = f"while not os.path.exists({str(pid)!r}) or not open({str(pid)!r}).read(): time.sleep(0.01)\n"
    quick = fake(tmp_path, waiting + "print(PROOF)\n", "quick")
    never = fake(tmp_path, f"open({str(tmp_path / 'ran')!r}, 'w')\n", "never")
    answer = provers.prove([slow, quick, never])
    assert isinstance(answer, Proved)
    assert answer.by == "quick"
    assert gone(int(pid.read_text()))
    assert not (tmp_path / "ran").exists()


def test_a_short_attempt_from_before_a_proof_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both prove it, and the one that comes first in the order is told, though the other is quicker."""
    monkeypatch.setattr(module, "time", Clock(lambda: False))
    done = tmp_path / "done"
    waiting = f"while not os.path.exists({str(done)!r}): time.sleep(0.01)\ntime.sleep(0.5)\n"
    first = fake(tmp_path, waiting + "print(PROOF)\n", "first")
    second = fake(tmp_path, f"print(PROOF)\nsys.stdout.flush()\nopen({str(done)!r}, 'w')\n", "second")
    with Provers(ProverLimits(seconds=module.SHORT, memory=1 << 30, width=2)) as provers:
        answer = provers.prove([first, second])
        assert isinstance(answer, Proved)
        assert answer.by == "first"
        again = provers.prove([replace(first, seconds=0.9), second])  # the second is known, the first begins anew
    assert isinstance(again, Proved)
    assert again.by == "first"


def test_attempts_are_made_only_when_they_are_needed(tmp_path: Path) -> None:
    def attempts() -> Iterator[Attempt]:
        yield fake(tmp_path, "print('# SZS status GaveUp')\n", "first")
        yield fake(tmp_path, "print(PROOF)\n", "second")
        raise AssertionError("nothing is left to try")

    with Provers(ProverLimits(seconds=5)) as provers:
        answer = provers.prove(attempts())
    assert isinstance(answer, Proved)
    assert answer.by == "second"


def test_a_short_attempt_gets_its_own_seconds(tmp_path: Path, provers: Provers) -> None:
    given = tmp_path / "given"
    body = (
        "import resource\nleft, _ = signal.getitimer(signal.ITIMER_PROF)\n"
        f"open({str(given)!r}, 'w').write(f'{{left}} {{resource.getrlimit(resource.RLIMIT_CPU)}}')\n"
    )
    whole = fake(tmp_path, body)
    short = replace(whole, seconds=10.0)
    provers.prove([short])
    left, limit = given.read_text().split(maxsplit=1)
    assert 0 < float(left) < 11  # of ten seconds of processor time; how long it took to start makes it less
    assert limit == "(11, 12)"  # the limit behind them, in whole seconds
    assert whole.key(PATIENT) != short.key(PATIENT)


@PROC_FILES
def test_a_prover_that_sleeps_is_told_from_one_that_waits_for_its_turn() -> None:
    assert _waits_for_processor(os.getpid())
    with subprocess.Popen(
        [sys.executable, "-c", "import time; print('', flush=True); time.sleep(60)"], stdout=-1
    ) as idle:
        assert idle.stdout is not None
        idle.stdout.readline()
        assert until(lambda: not _waits_for_processor(idle.pid))
        idle.kill()
    assert not _waits_for_processor(idle.pid)


def test_an_answer_is_asked_for_once(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    body = f"open({str(runs)!r}, 'a').write('.')\nprint(PROOF)\n"
    for _ in range(2):
        with Provers(PATIENT, Cache(tmp_path / "answers.sqlite")) as provers:
            for _ in range(2):
                assert isinstance(provers.prove([fake(tmp_path, body)]), Proved)
    assert runs.read_text() == "."


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_nothing_is_left_when_we_are_killed(tmp_path: Path, end: signal.Signals) -> None:
    pid, program = tmp_path / "pid", tmp_path / "hang.py"
    program.write_text(f"import os, time\nopen({str(pid)!r}, 'w').write(str(os.getpid()))\ntime.sleep(1000)\n")
    code = (
        "import signal, sys\nfrom isarstep.prover.atp.provers import *\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # background jobs of a shell ignore it
        f"s = Strategy('hang', 'tf0', False, True, argv=(sys.executable, {str(program)!r}))\n"
        "Provers(ProverLimits(seconds=100)).prove([Attempt(s, '', {})])\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    hanging = number_in(pid)
    os.kill(process.pid, end)
    assert until(lambda: process.poll() is not None)
    assert gone(hanging)
