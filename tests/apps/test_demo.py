"""`isarstep demo` runs the main jobs to the end; what provers find in time is not asked here."""

import sys
from dataclasses import astuple, replace
from pathlib import Path

import pytest

from isarstep.apps import demo
from isarstep.cli import run
from isarstep.prover.search.proof_search import Plan


@pytest.mark.slow
@pytest.mark.usefixtures("one_engine")
def test_demo_runs_every_job_and_says_what_to_type_next(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def in_this_process(command: list[str], cwd: Path, check: bool) -> None:
        assert command[:3] == [sys.executable, "-m", "isarstep"]
        monkeypatch.chdir(cwd)
        assert run(command[3:]) == 0

    monkeypatch.setattr(demo.subprocess, "run", in_this_process)
    short = replace(Plan(), prover_seconds=0.05)
    monkeypatch.setattr(Plan.__init__, "__defaults__", astuple(short))
    here = Path.cwd()
    assert run(["demo", "--scored", "2"]) == 0
    monkeypatch.chdir(here)
    out = capfd.readouterr().out
    for command in ("propose", "prove", "fill", "show", "evaluate"):
        assert f"\n$ isarstep {command} " in out
    assert "so that  ∃c. a = 2 * c" in out
    assert "\n  1 " in out  # which step comes first depends on what provers find in time
    assert 'shows "rev (xs @ ys) = rev ys @ rev xs"' in out
    assert "a = a / b * b" in out
    assert "test split, 2 examples" in out
    assert out.rstrip().endswith("your own model")
