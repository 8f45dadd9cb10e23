"""`isarstep doctor`: what is here, what is missing, for whom."""

import os
from pathlib import Path

import pytest

from isarstep.cli import run
from isarstep.prove.provers import prover_version
from isarstep.serve import doctor


def rows(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    lines = capsys.readouterr().out.splitlines()[::2]
    return dict(line.split("  ", 1) for line in lines)


def test_a_whole_installation(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ISABELLE_HOME", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    prover_version.cache_clear()
    assert run(["doctor"]) == 0
    found = {what.strip(): said.strip() for what, said in rows(capsys).items()}
    assert "training examples" in found["benchmark"]
    assert found["E (eprover)"].startswith("missing: install")
    assert found["Isabelle"].startswith("missing: no Isabelle found: set ISABELLE_HOME")


def test_what_is_broken_is_said_and_ends_with_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "benchmark_folder", lambda _: tmp_path)
    assert run(["doctor"]) == 1
    assert "no benchmark here" in capsys.readouterr().out


def test_an_isabelle_that_is_named_but_not_there(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISABELLE_HOME", os.devnull)
    assert run(["doctor"]) == 0
    assert f"ISABELLE_HOME is {os.devnull}, but there is no such folder" in capsys.readouterr().out


@pytest.fixture(autouse=True)
def _fresh_versions() -> object:
    prover_version.cache_clear()
    yield
    prover_version.cache_clear()
