"""The folder in which a benchmark is made."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path

import pytest

from isarstep.benchmark.store.layout import workspace


def test_another_hosts_workspace_is_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Process numbers of a machine that shares the disk mean nothing here."""
    ended = subprocess.Popen(["true"])
    ended.wait()
    monkeypatch.setattr(socket, "gethostname", lambda: "other-host")
    with workspace(tmp_path / "bench") as theirs:
        name = theirs.name
    monkeypatch.setattr(socket, "gethostname", lambda: "here")
    with workspace(tmp_path / "bench") as ours:
        own = ours.name
    left = [tmp_path / each.replace(f"-{own_pid(each)}-", f"-{ended.pid}-") for each in (name, own)]
    for folder in left:
        folder.mkdir()
    with workspace(tmp_path / "bench"):
        assert [folder.exists() for folder in left] == [True, False]


def own_pid(name: str) -> str:
    import os

    assert f"-{os.getpid()}-" in name
    return str(os.getpid())
