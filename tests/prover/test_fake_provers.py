"""Provers that are missing, broken, hang, lie or are killed: the other one is used in full, nothing false is believed,
and nothing that was not a prover's own word is kept."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.prover.language import SIGNATURE, local
from tests.stand_in import PROOF_OF_TINY
from tests.waiting import gone, number_in

from isarstep.isabelle.context.theory_contexts import TheoryContexts
from isarstep.prover.atp import presence, processes
from isarstep.prover.atp.derivation import inputs_of_proof
from isarstep.prover.atp.presence import TINY_TPTP, Presence, prover_presence
from isarstep.prover.atp.problems import Query
from isarstep.prover.atp.processes import LOST, ProverProcesses, cvc5_folder
from isarstep.prover.atp.provers import (
    CVC5,
    GAVE_UP,
    KILLED,
    Attempt,
    Broken,
    Cache,
    E,
    ProverLimits,
    Provers,
    Strategy,
    read_answer,
)
from isarstep.prover.atp.schedule import Effort
from isarstep.prover.check.jobs import _was_killed
from isarstep.prover.check.obligations import GapCloser
from isarstep.prover.outcomes.verdict import Proved, TimedOut, Unknown

PATIENT = ProverLimits(seconds=100, memory=1 << 30, width=1)
TRIVIAL = "(set-logic ALL)\n(assert (! false :named p0))\n(assert (! true :named goal))\n(check-sat)\n"
ANSWERS_TINY = f"if grep -q tiny; then\ncat <<'END'\n{PROOF_OF_TINY}END\nexit\nfi\n"
VERSION = 'if [ "$1" = --version ]; then echo E 9.9; exit; fi\n'
LIE = "echo '# SZS status Theorem'\n"


def put_eprover(folder: Path, body: str) -> Path:
    program = folder / "eprover"
    program.write_text(f"#!/bin/sh\n{body}")
    program.chmod(0o755)
    return program


@pytest.fixture
def first_on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return tmp_path


BROKEN = {
    "exit 127": "exit 127\n",
    "exit 127 after its version": VERSION + "exit 127\n",
    "garbage": "head -c 300 /dev/urandom\n",
    "garbage after its version": VERSION + "head -c 300 /dev/urandom\n",
    "lying": VERSION + LIE,
    "killed": VERSION + "kill -9 $$\n",
    "out of memory": VERSION + "echo 'eprover: Out of memory'; exit 6\n",
    "flooding": "yes E 9.9\n",
}


@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN)
def test_a_broken_prover_counts_as_not_installed_and_the_other_is_used_in_full(first_on_path: Path, body: str) -> None:
    program = put_eprover(first_on_path, body)
    found = prover_presence("eprover")
    assert found.version is None
    assert str(program) in found.why
    assert {part.strategy.prover for part in Effort(20).slices()} == {"cvc5"}
    assert sum(part.seconds for part in Effort(20).slices()) == pytest.approx(20)


def test_a_missing_prover_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert str(prover_presence("eprover")) == "eprover: not on the PATH"
    assert {part.strategy.prover for part in Effort(20).slices()} == {"cvc5"}


def test_a_hanging_version_probe_counts_as_not_installed_and_leaves_no_child(
    first_on_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presence, "SECONDS", 0.5)
    pid = first_on_path / "pid"
    put_eprover(first_on_path, f"sleep 1000 &\necho $! > {pid}\nsleep 1000\n")
    assert "no end" in prover_presence("eprover").why
    assert gone(number_in(pid))


def test_what_works_is_told_with_its_version() -> None:
    found = prover_presence("cvc5")
    assert found.version is not None
    assert str(found) == f"cvc5 {found.version}"
    assert str(Presence("eprover", "E 2.6 Floral Guranse (8e8b)")) == "E 2.6"


PROGRAM = """
import sys
from isarstep.prover.atp.provers import CVC5, Attempt, Provers, ProverLimits, prover_version
with Provers(ProverLimits(seconds=60)) as provers:
    print(prover_version("cvc5"), type(provers.prove([Attempt(CVC5, sys.argv[1], {})])).__name__)
"""


@pytest.mark.parametrize("way", ["PYTHONPATH", ".pth"])
def test_cvc5_is_asked_wherever_it_is_importable(tmp_path: Path, way: str) -> None:
    """In a Python whose platform folder has no cvc5."""
    folder, source = cvc5_folder(), Path(processes.__file__).parents[3]
    assert folder is not None
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for part in Path(folder).glob("cvc5*"):
        (elsewhere / part.name).symlink_to(part)
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", bare], check=True)
    (site,) = bare.glob("lib/python*/site-packages")
    (site / "added.pth").write_text(f"{source}\n" + (f"{elsewhere}\n" if way == ".pth" else ""))
    environment = {"PATH": os.environ["PATH"]} | ({"PYTHONPATH": str(elsewhere)} if way == "PYTHONPATH" else {})
    command = [bare / "bin" / "python", "-c", PROGRAM, TRIVIAL]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert said.split() == [prover_presence("cvc5").version, "Proved"]


def test_a_cvc5_that_cannot_be_imported_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "cvc5"
    package.mkdir()
    (package / "__init__.py").write_text("raise ImportError('no such library')\n")
    monkeypatch.syspath_prepend(tmp_path)
    found = prover_presence("cvc5")
    assert found.version is None
    assert f"found in {tmp_path}, but does not work" in found.why
    assert "no such library" in found.why
    monkeypatch.setattr(sys, "path", [])
    assert str(prover_presence("cvc5")) == "cvc5: not installed"


# Proofs


def edited(old: str, new: str) -> str:
    assert old in PROOF_OF_TINY
    return PROOF_OF_TINY.replace(old, new)


NO_PROOFS = {
    "status alone": "# SZS status Theorem\n",
    "cut off": PROOF_OF_TINY.partition("# SZS output end")[0],
    "cut off in a step": edited("['proof']).", ""),
    "empty": "# SZS status Theorem\n# SZS output start X\n# SZS output end X\n",
    "no contradiction": edited("($false)", "(tiny)"),
    "from a formula that was not given": edited("file('<stdin>', p0)", "file('<stdin>', p1)"),
    "from a step that is not there": edited("[c_0_2, p0]", "[c_0_2, c_0_9]"),
    "from itself": edited("[c_0_2, p0]", "[c_0_3, p0]"),
    "from nothing": edited("inference(cn,[status(thm)],[inference(rw,[status(thm)],[c_0_2, p0])])", "unknown"),
    "from a definition alone": "# SZS output start X\ncnf(a, plain, ($false), introduced(definition)).\n# SZS output end",
}


@pytest.mark.parametrize("output", NO_PROOFS.values(), ids=NO_PROOFS)
def test_a_claim_without_a_derivation_from_the_problem_is_not_believed(output: str) -> None:
    assert inputs_of_proof(output, TINY_TPTP) is None
    answer = read_answer(Attempt(E, TINY_TPTP, {"p0": "a fact"}), "# SZS status Theorem\n" + output, 0, 0.1)
    assert isinstance(answer, Broken)


def test_a_derivation_names_what_it_comes_from() -> None:
    assert inputs_of_proof(PROOF_OF_TINY, TINY_TPTP) == ("goal", "p0")
    # A formula that is shown and not used is not among what was used.
    more = edited("fof(c_0_2", "fof(p1, axiom, other, file('<stdin>', p1)).\nfof(c_0_2")
    assert inputs_of_proof(more, TINY_TPTP + "tff(p1,axiom,other).\n") == ("goal", "p0")
    answer = read_answer(Attempt(E, TINY_TPTP, {"p0": "a fact"}), PROOF_OF_TINY, 0, 0.1)
    assert answer == Proved("E", 0.1, ("a fact",), 0)


def test_cvc5_must_say_what_it_used() -> None:
    attempt = Attempt(CVC5, TRIVIAL, {"p0": "a fact"})
    assert isinstance(read_answer(attempt, "unsat\n", 0, 0.1), Unknown)
    assert isinstance(read_answer(attempt, "unsat\n; core p0\n", 0, 0.1), Proved)


# Killed provers


@pytest.mark.parametrize("status", [LOST, -signal.SIGKILL, -signal.SIGTERM])
def test_a_killed_prover_says_nothing(status: int) -> None:
    answer = read_answer(Attempt(E, TINY_TPTP, {}), "", status, 0.0, limit=0.3)
    assert isinstance(answer, Broken)
    assert answer.why.startswith(KILLED)


def test_a_prover_that_used_up_its_time_is_out_of_time() -> None:
    for ending in (signal.SIGKILL, signal.SIGPROF, signal.SIGXCPU):
        assert read_answer(Attempt(E, TINY_TPTP, {}), "", -ending, 0.3, limit=0.3) == TimedOut(0.3)
    # A timer counts more than what is accounted to a process in the end.
    assert read_answer(Attempt(E, TINY_TPTP, {}), "", -signal.SIGPROF, 0.05, limit=0.1) == TimedOut(0.05)


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Cache]:
    made = Cache(tmp_path / "answers.sqlite")
    yield made
    made.close()


def counting(folder: Path, ending: str) -> Attempt:
    """A prover that notes each start and then ends so."""
    program = folder / "prover.sh"
    program.write_text(f"echo >> {folder}/starts\nstarts=$(wc -l < {folder}/starts)\n{ending}\n")
    strategy = Strategy("fake", "tf0", arithmetic=False, unfold=True, argv=("sh", str(program)))
    return Attempt(strategy, TINY_TPTP, {})


def test_a_prover_that_was_killed_is_asked_again_and_not_remembered(tmp_path: Path, cache: Cache) -> None:
    attempt = counting(tmp_path, f"[ $starts -le 2 ] && kill -9 $$\ncat <<'END'\n{PROOF_OF_TINY}END")
    with Provers(PATIENT, cache) as provers:
        answer = provers.prove([attempt])
        assert isinstance(answer, Unknown)
        assert answer.why.startswith(KILLED)
        assert cache.get(attempt.key(PATIENT)) is None
        assert provers.failures == {attempt.strategy.prover: answer.why}
        assert isinstance(provers.prove([attempt]), Proved)
    assert (tmp_path / "starts").read_text() == "\n" * 3


@pytest.mark.parametrize("ending", ["exit 127", "echo nonsense", "kill -SEGV $$", LIE])
def test_only_a_provers_own_word_is_kept(tmp_path: Path, cache: Cache, ending: str) -> None:
    attempt = counting(tmp_path, ending)
    with Provers(PATIENT, cache) as provers:
        for _ in range(2):
            assert isinstance(provers.prove([attempt]), Unknown)
    assert cache.get(attempt.key(PATIENT)) is None
    assert (tmp_path / "starts").read_text() == "\n" * 2


def test_the_word_that_a_prover_gives_is_kept(tmp_path: Path, cache: Cache) -> None:
    attempt = counting(tmp_path, "echo '# SZS status GaveUp'")
    with Provers(PATIENT, cache) as provers:
        assert provers.prove([attempt]) == provers.prove([attempt])
    assert (tmp_path / "starts").read_text() == "\n"


def test_e_ends_with_one_where_there_is_no_proof() -> None:
    output = "# No proof found!\n# SZS status CounterSatisfiable\n"
    assert read_answer(Attempt(E, TINY_TPTP, {}), output, 1, 0.1) == Unknown(GAVE_UP)


def test_a_killed_launcher_is_no_verdict(tmp_path: Path, cache: Cache) -> None:
    attempt = counting(tmp_path, f"[ $starts -eq 1 ] && kill -9 $PPID\nsleep 0.2\ncat <<'END'\n{PROOF_OF_TINY}END")
    with Provers(PATIENT, cache) as provers:
        assert isinstance(provers.prove([attempt]), Proved)


def test_a_chunk_with_a_killed_prover_is_not_kept() -> None:
    assert _was_killed({"example": "a", "first_result": f"unknown: {KILLED} after 0.0 s"})
    assert not _was_killed({"example": "a", "first_result": "unknown: the prover gave up", "why": KILLED})


def test_the_launcher_ends_only_what_it_started(tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "1000"], start_new_session=True) as stranger:
        provers = ProverProcesses()
        try:
            own = provers.start(("sleep", "1000"), {}, "", 10, 1 << 30)
            foreign = replace(own, pid=stranger.pid, pipe=os.dup(own.pipe))
            assert provers.stop(foreign) == (LOST, 0.0)
            assert stranger.poll() is None
            assert provers.stop(own)[0] == -signal.SIGKILL
        finally:
            provers.close()
            stranger.kill()


# One prover for the other


def gap_of(provers: Provers) -> object:
    (goal,) = local(["(--> P P)"], {"P": "bool"})
    closing = GapCloser(TheoryContexts(SIGNATURE), provers, effort=Effort(20), instances=False)
    return closing._alone("question", Query((), goal))


def test_when_one_prover_breaks_the_other_is_asked(first_on_path: Path) -> None:
    put_eprover(first_on_path, VERSION + ANSWERS_TINY + "exit 127\n")
    assert next(Effort(20).slices()).strategy.prover == "eprover"
    with Provers(PATIENT) as provers:
        gap = gap_of(provers)
        assert isinstance(gap, Proved)
        assert gap.by.startswith("cvc5")
        assert "eprover" in provers.failures


def test_where_no_prover_works_it_is_said_why(first_on_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = put_eprover(first_on_path, "exit 127\n")
    monkeypatch.setattr(sys, "path", [])
    with Provers(PATIENT) as provers:
        gap = gap_of(provers)
    assert isinstance(gap, Unknown)
    assert gap.why.startswith("no prover is installed that works (cvc5: not installed; eprover: ")
    assert str(program) in gap.why
