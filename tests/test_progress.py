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


def test_watched_work_tells_news_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [0.0]
    monkeypatch.setattr("isarstep.progress.time.monotonic", lambda: now[0])
    with progress.Watched("checking", 7, 1) as watched:
        for seconds, doing, advance in ((10, "loading A", 0), (25, "", 2), (30, "loading B", 0), (50, "", 4)):
            now[0] = seconds
            watched.news(doing, advance)
    assert capsys.readouterr().err.splitlines() == [
        "checking",
        "checking: 3 of 7, loading A, 25 s so far",
        "checking: 7 of 7, loading B, 50 s so far",
        "checking: done in 50 s",
    ]


def test_watched_work_that_fails_is_not_called_done(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="broken"), progress.Watched("building"):
        raise ValueError("broken")
    assert capsys.readouterr().err == "building\n"
