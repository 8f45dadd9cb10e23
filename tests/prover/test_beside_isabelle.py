"""The comparison with a real Isabelle asks both sides the same question."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
import zstandard
from tests.embedded import embedded_benchmark

from isarstep.premises.witnesses import witnesses

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "research" / "benchmarks"))


def test_steps_are_those_of_lowest_id_in_the_sessions() -> None:
    from beside_isabelle import SESSIONS, steps_of

    benchmark = embedded_benchmark()
    steps = steps_of(benchmark, SESSIONS, 100)
    assert len(steps) == 100
    assert [step.id for step in steps] == sorted(step.id for step in steps)
    assert all(step.target_kind != "assumption" and step.session in SESSIONS for step in steps)
    assert steps_of(benchmark, SESSIONS, 7) == steps[:7]


def test_what_a_step_obtains_is_bound_in_the_question() -> None:
    from beside_isabelle import GAPS, SESSIONS, asked, steps_of

    steps = steps_of(embedded_benchmark(), SESSIONS, 100)
    obtained = [step for step in steps if witnesses(step.target_command, step.introduced)]
    assert obtained
    for step in obtained:
        first, second = asked(step, {}, set(GAPS)).questions
        assert first.witnesses == tuple(sorted(witnesses(step.target_command, step.introduced)))
        assert (first.effort, second.effort, first.condition, second.goal) == ("sledgehammer",) * 2 + ("", step.f3)


def test_what_is_answered_is_not_asked_again() -> None:
    from beside_isabelle import SESSIONS, asked, steps_of

    step = steps_of(embedded_benchmark(), SESSIONS, 1)[0]
    assert [question.key for question in asked(step, {}, {"0 second"}).questions] == ["0 second"]


def test_a_report_counts_steps_with_two_answers_and_keeps_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from beside_isabelle import report

    def answer(step: str, key: str, said: str, by: str = "") -> dict[str, str]:
        return {"id": step, "key": key, "answer": said, "by": by}

    answers = [
        answer("b", "0 first", "proved", "try0: simp"),
        answer("b", "0 second", "proved", "sledgehammer: cvc5, metis"),
        answer("a", "0 first", "proved", "try0: auto"),
        answer("a", "0 second", "timeout"),
        answer("c", "0 first", "proved", "try0: auto"),
    ]
    report(answers, tmp_path / "kept.zst")
    counts = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (counts["steps"], counts["both"], counts["F.2 => P: proved"]) == (2, 1, 3)
    assert counts["P, F.4 => F.3: proved by sledgehammer"] == 1
    kept = zstandard.ZstdDecompressor().decompress((tmp_path / "kept.zst").read_bytes()).decode().splitlines()
    assert [json.loads(line)["id"] for line in kept] == ["a", "b"]
    assert json.loads(kept[0])["isabelle"] == {"F.2 => P": "try0: auto", "P, F.4 => F.3": None}


def test_what_took_longer_than_the_clock_allows_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    import reach

    from isarstep.prover.outcomes.verdict import Proved

    example = embedded_benchmark().split("test")[0]
    times = iter([0.0, 1.0, 21.0])
    monkeypatch.setattr(reach, "time", SimpleNamespace(monotonic=lambda: next(times)))
    proved = Proved("E", 0.1, (), 0)
    checker = SimpleNamespace(typed=lambda _: None, gaps=lambda *_: iter([("first", proved), ("second", proved)]))
    first, second, both = reach.two_gaps(checker, [example], 15.0)
    assert (first.proved, second.proved, both.proved) == (True, False, False)


def test_the_kept_steps_and_the_textbook_are_there() -> None:
    import reach

    assert reach.TEXTBOOK.is_file()
    kept = reach.hammered()
    assert len(kept) == 100
    assert all(set(said) >= set(reach.GAPS) for said in kept.values())
