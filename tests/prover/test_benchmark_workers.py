"""`research/benchmarks/prove.py` says of workers that did not end well how they ended."""

from __future__ import annotations

from pathlib import Path

import pytest


def test_a_worker_that_fails_is_told_with_its_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "research" / "benchmarks"))
    import prove

    assert prove.failures([0, 0]) == []
    first, second = prove.failures([0, -6, 1])
    assert "worker 1 ended with signal 6 (SIGABRT)" in first
    assert "worker 2 ended with status 1" in second
