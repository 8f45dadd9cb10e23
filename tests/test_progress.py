"""Plain progress lines where there is no terminal."""

import pytest

from isarstep import progress


def test_lines_come_now_and_then_and_items_unchanged(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter(range(0, 1000, 15))
    monkeypatch.setattr("isarstep.progress.time.monotonic", lambda: float(next(clock)))
    assert list(progress.with_progress("abcde", 5, "searching")) == list("abcde")
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["searching: 2 of 5, 1 min left", "searching: 4 of 5, 0 min left"]
