"""`isarstep doctor`: what is here, what is missing, for whom."""

import os
from pathlib import Path

import pytest

from isarstep.cli import run


def rows(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    lines = capsys.readouterr().out.splitlines()[::2]
    return dict(line.split("  ", 1) for line in lines)


def test_a_whole_installation(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ISABELLE_HOME", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    assert run(["doctor"]) == 0
    found = {what.strip(): said.strip() for what, said in rows(capsys).items()}
    assert "training examples" in found["benchmark"]
    assert found["E (eprover)"].startswith("missing: install")
    assert found["Isabelle"].startswith("missing: no Isabelle found: set ISABELLE_HOME")


def test_what_is_broken_is_said_and_ends_with_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isarstep.benchmark.store.store.benchmark_folder", lambda _: tmp_path)
    assert run(["doctor"]) == 1
    assert "no benchmark here" in capsys.readouterr().out


def test_an_isabelle_that_is_named_but_not_there(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISABELLE_HOME", os.devnull)
    assert run(["doctor"]) == 0
    assert f"ISABELLE_HOME is {os.devnull}, but there is no such folder" in capsys.readouterr().out


def test_a_prover_that_is_there_but_broken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "eprover"
    program.write_text('#!/bin/sh\n[ "$1" = --version ] && echo E 9.9 && exit\nexit 127\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert run(["doctor"]) == 0
    found = {what.strip(): said.strip() for what, said in rows(capsys).items()}
    assert found["E (eprover)"].startswith(f"missing: {program} does not prove a tiny problem: exit status 127")
    assert not found["cvc5"].startswith("missing")
