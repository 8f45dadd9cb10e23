"""Checking where the system is not Linux: the calls that only Linux has are taken away."""

from __future__ import annotations

import ast
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

import isarstep
from isarstep.prover.atp import launcher, processes
from isarstep.prover.atp.provers import Attempt, ProverLimits, Provers, Strategy
from isarstep.prover.check import jobs
from isarstep.prover.outcomes.verdict import Proved

TRIVIAL = "(set-logic ALL)\n(assert (! false :named p0))\n(check-sat)\n"

# Run before the launcher: no prctl, no limit on memory, no /proc.
WITHOUT = """
import builtins, ctypes, resource
ctypes.CDLL = lambda *_, **__: object()
plain, limit = builtins.open, resource.setrlimit
def opened(name, *rest, **more):
    if str(name).startswith("/proc"):
        raise FileNotFoundError(name)
    return plain(name, *rest, **more)
def limited(kind, values):
    if kind == resource.RLIMIT_AS:
        raise ValueError("current limit exceeds maximum limit")
    limit(kind, values)
builtins.open, resource.setrlimit = opened, limited
"""


@pytest.fixture
def not_linux(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Returns the programs that were started without the calls."""
    started: list[str] = []
    popen: Any = subprocess.Popen

    def start(command: Any, **arguments: Any) -> Any:
        if isinstance(command, list) and "-c" in command:
            place = command.index("-c") + 1
            command = [*command[:place], f"exec({WITHOUT!r}); {command[place]}", *command[place + 1 :]]
            started.append(command[place])
        return popen(command, **arguments)

    for name in ("memfd_create", "sched_getaffinity"):
        monkeypatch.delattr(os, name, raising=False)
    monkeypatch.setattr(launcher.ctypes, "CDLL", lambda *_, **__: object())
    monkeypatch.setattr(processes.subprocess, "Popen", start)
    return started


def test_nothing_can_be_checked_without_memfd_create_and_prctl(not_linux: list[str]) -> None:
    strategy = Strategy("cvc5", "smt", arithmetic=False, unfold=True)
    with Provers(ProverLimits(seconds=60, memory=1 << 30, width=1)) as asked:
        answer = asked.prove([Attempt(strategy, TRIVIAL, {"p0": "a fact"})])
    assert isinstance(answer, Proved)
    assert answer.facts == ("a fact",)
    assert not_linux


def test_the_number_of_processes_without_sched_getaffinity(
    not_linux: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    assert jobs.default_jobs() == 3


def test_a_worker_starts_without_prctl(not_linux: list[str]) -> None:
    jobs._end_with(os.getppid())


# Files of text


def without_encoding(path: Path) -> list[str]:
    """Calls that read or write text in the encoding that this machine happens to have."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        given = {word.arg for word in node.keywords}
        needed = {"read_text": 1, "write_text": 2}.get(name, 0)
        if len(node.args) < needed and "encoding" not in given:
            found.append(f"{path}:{node.lineno}: {ast.unparse(node)}")
        if name == "open" and isinstance(node.func, ast.Name) and not {"encoding", "mode"} & given:
            found += [
                f"{path}:{node.lineno}: {ast.unparse(node)}"
                for mode in [*node.args, node][1:2]
                if "b" not in ast.unparse(mode)
            ]
    return found


def test_files_are_read_in_the_encoding_of_the_machine() -> None:
    files = sorted(Path(isarstep.__file__).parent.rglob("*.py"))
    assert [line for path in files for line in without_encoding(path)] == []
