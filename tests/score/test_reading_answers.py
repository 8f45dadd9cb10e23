"""Answers in notation are read as `ask` reads them; how many were is a column, and none is an error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.embedded import embedded_benchmark

from isarstep.benchmark.export.display import Printer
from isarstep.benchmark.store.ids import places_of_lowest
from isarstep.cli import run
from isarstep.model.decode.predictions import is_tokens
from isarstep.score.headline import open_system, open_task
from isarstep.score.scores import score

COUNT = 12


def gold(tmp_path: Path, style: str, spoilt: int = 0) -> Path:
    """F.1 of the lowest ids as `isarstep export --style` writes it; the first few are no formulas."""
    benchmark = embedded_benchmark()
    split, printer = benchmark.split("test"), Printer(benchmark, style, at_home=True)
    ids = benchmark.table("test", ["id"])["id"].to_pylist()
    path = tmp_path / f"{style}.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number, place in enumerate(places_of_lowest(ids, COUNT)):
            text = "no formula ∧" if number < spoilt else printer.of(split[place])(split[place].f1)
            file.write(json.dumps({"id": split[place].id, "predictions": [text]}) + "\n")
    return path


def test_gold_answers_in_notation_are_all_right(tmp_path: Path) -> None:
    task = open_task("embedded", "test", COUNT)
    found = score(open_system(gold(tmp_path, "unicode"), task))
    assert (found.top1.value, found.top10.value, found.read) == (100, 100, 100)
    spoilt = score(open_system(gold(tmp_path, "unicode", 3), task))
    assert spoilt.top1.value == pytest.approx(75)
    assert spoilt.read == pytest.approx(75)


def test_nothing_readable_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = gold(tmp_path, "unicode", COUNT)
    assert run(["evaluate", str(path), "--limit", str(COUNT)]) == 2
    told = capsys.readouterr().err
    assert "no first answer can be read, neither as tokens nor in notation" in told
    assert "Traceback" not in told


def test_a_model_that_has_learned_little_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = gold(tmp_path, "unicode", COUNT)
    path.with_suffix(".meta.json").write_text('{"model": "hat-tiny"}')
    assert run(["evaluate", str(path), "--limit", str(COUNT)]) == 0
    assert f"{COUNT} first answers that are no term" in capsys.readouterr().out


def test_tokens_and_notation_are_told_apart() -> None:
    for line in ("CONST HOL.Trueprop $ FREE <X0>", "( VAR <V0> )", "ABS BOUND 0"):
        assert is_tokens(line)
    for line in ("x = y", "∀x. P x", "(a, b) ∈ r⇧*", "f (x) y", ""):
        assert not is_tokens(line)
