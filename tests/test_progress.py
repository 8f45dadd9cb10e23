"""Progress where there is no terminal: lines now and then, and an estimate only where there is one."""

import threading

import pytest

from isarstep.common import progress


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    clock = [0.0]
    monkeypatch.setattr("isarstep.common.progress.time.monotonic", lambda: clock[0])
    return clock


def test_lines_come_now_and_then_and_items_unchanged(now: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    for item in progress.with_progress("abcde", 5, "searching"):
        now[0] += 15
        found.append(item)
    assert found == list("abcde")
    assert capsys.readouterr().err.splitlines() == [
        "searching",
        "searching: 2 of 5, 45 s left",
        "searching: 4 of 5, 15 s left",
        "searching: done in 75 s",
    ]


def test_what_comes_first_or_at_once_makes_no_estimate(now: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    """`1 of 1,000, 9551 min left` stood there when a window of results came at its end."""
    with progress.Watched("searching", 1000) as watched:
        now[0] = 573.0
        for _ in range(500):
            watched.advance(1)
            now[0] += 0.001
        now[0] = 600.0
        watched.news()
    assert capsys.readouterr().err.splitlines()[1:-1] == [
        "searching: 1 of 1,000, 10 min so far",
        "searching: 500 of 1,000, 10 min so far",
    ]


def test_the_pace_is_that_of_the_last_while() -> None:
    pace = progress.Pace()
    for now, done in ((100, 1), (200, 2), (300, 3), (310, 13), (490, 193), (600, 303)):
        pace.finished(done, now)
    assert pace.seconds_for(100, 600) == 100  # one a second, since it became faster
    assert pace.seconds_for(100, 890) == 200  # and half of that when nothing comes any more
    assert progress.Pace().seconds_for(1, 5) is None


def test_watched_work_tells_news_now_and_then(now: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with progress.Watched("checking", 7, 1) as watched:
        for seconds, doing, advance in ((10, "loading A", 0), (25, "", 2), (30, "loading B", 0), (50, "", 2)):
            now[0] = seconds
            watched.news(doing, advance)
        watched.say("B: no such file")
        now[0] = 80
        watched.at(7)
    assert capsys.readouterr().err.splitlines() == [
        "checking",
        "checking: 3 of 7, loading A, 25 s so far",
        "checking: 5 of 7, loading B, 25 s left",
        "B: no such file",
        "checking: 7 of 7, loading B, 0 s left",
        "checking: done in 80 s",
    ]


def test_a_share_and_work_of_unknown_size(now: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with progress.Watched("training", 1.0, percent=True) as share, progress.Watched("build") as unknown:
        now[0] = 30
        share.at(0.25, "step 3")
        unknown.news("3 theories read")
    assert capsys.readouterr().err.splitlines()[2:4] == [
        "training: 25 %, step 3, 30 s so far",
        "build: 3 theories read, 30 s so far",
    ]


def test_watched_work_that_fails_is_not_called_done(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="broken"), progress.Watched("building"):
        raise ValueError("broken")
    assert capsys.readouterr().err == "building\n"


def test_a_terminal_has_a_bar(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with progress.Watched("checking", 7, 2) as watched:
        assert watched.on_terminal
        watched.news("loading [A]", 3)
        watched.say("B: [no] such file")
    said = capsys.readouterr().err
    assert "B: [no] such file" in said
    assert "5 of 7, loading [A]," in said
    assert "done in" not in said


def test_a_minute_of_silence(capsys: pytest.CaptureFixture[str]) -> None:
    asked: list[float] = []
    said = threading.Event()

    def wait(over: threading.Event, seconds: float) -> bool:
        asked.append(seconds)
        if len(asked) < 3:
            return False
        said.set()
        return over.wait()

    with progress.told_when_long("asking provers", wait):
        said.wait()
    assert asked == [2.0, 20.0, 20.0]
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert all(line.startswith("asking provers: ") and line.endswith(" so far") for line in lines)


def test_what_is_short_is_not_told(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.told_when_long("searching", lambda over, _: over.wait()):
        pass
    assert capsys.readouterr().err == ""
