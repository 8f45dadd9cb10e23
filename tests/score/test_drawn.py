"""What intervals draw, families of tests, and scores under another split's kinds of targets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.embedded import embedded_benchmark

from isarstep.model.decode.predictions import faults_counted
from isarstep.score.headline import open_task
from isarstep.score.metrics import holm
from isarstep.score.report.leaderboard_entries import reweighted
from isarstep.score.runs import RunFolder, open_run
from isarstep.score.scores import Comparison, ScoringTask, System, corrected, score

HAT_SMALL = Path(__file__).parent.parent.parent / "docs" / "results" / "runs" / "hat-small"


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == pytest.approx([1.0, 1.0])
    assert holm([]) == []


def test_each_measure_is_a_family() -> None:
    family = [Comparison("a", "b", 0.01, 0.5, 0.04), Comparison("b", "c", 0.02, 0.01, 0.03)]
    first, second = corrected(family)
    assert (first.left, first.top1, first.top10, first.bleu) == ("a", 0.02, 0.5, 0.06)
    assert (second.left, second.top1, second.top10, second.bleu) == ("b", 0.02, 0.02, 0.06)


def of_two_entries(split: str) -> tuple[ScoringTask, System]:
    """Ten theorems; one entry is answered, the other is not."""
    template = embedded_benchmark().split("test")[0]
    examples = [
        replace(template, id=f"{n:012x}", theorem=f"{n:016x}", session="A" if n < 5 else "B", target_kind=kind)
        for n, kind in enumerate(["step"] * 4 + ["compound"] + ["step", "compound"] * 2 + ["step"])
    ]
    task = ScoringTask("hash", split, examples, [example.id for example in examples])
    lists = faults_counted(tuple((template.f1,) if n < 5 else ("CONST wrong",) for n in range(10)), {})
    return task, System("half", task, lists, lists)


def test_unseen_and_fresh_draw_entries() -> None:
    by_theorem, by_entry = (score(of_two_entries(split)[1]) for split in ("test", "unseen"))
    assert by_theorem.top1.value == by_entry.top1.value == 50
    assert (by_entry.top1.low, by_entry.top1.high) == (0, 100)  # two entries: nearly nothing is known
    assert by_theorem.top1.low > 0
    assert (by_theorem.drawn, by_entry.drawn) == ("theorems", "entries")


def test_reweighted_by_hand() -> None:
    _, system = of_two_entries("unseen")
    # Of 7 steps 4 are right, of 3 compound targets one.
    assert reweighted(system, ["step", "compound"]) == pytest.approx(100 * (4 / 7 + 1 / 3) / 2)
    assert reweighted(system, ["step", "assumption"]) == pytest.approx(100 * 4 / 7)


def test_hat_small_on_unseen_is_less_sure_than_theorems_say() -> None:
    """What issue 31 counted: entries differ far more than theorems do."""
    task = open_task("embedded", "unseen")
    system = open_run(HAT_SMALL).system(task)
    assert system is not None
    found = score(system)
    assert found.top1.high - found.top1.low > 15
    assert found.narrow.benchmark == task.benchmark[:12]
    assert found.narrow.trained == "15ecf870b452"
    own = np.array([example.target_kind for example in task.examples])
    assert reweighted(system, own.tolist()) == pytest.approx(found.top1.value)


def test_vocabularies_are_told_apart() -> None:
    assert open_run(HAT_SMALL).vocabulary == "open"
    assert open_run(HAT_SMALL.parent / "hat-base").vocabulary == "closed"
    assert [open_run(HAT_SMALL.parent / name).vocabulary for name in ("rule", "neighbour")] == ["open", "closed"]
    assert RunFolder(HAT_SMALL, {"kind": "hat"}).trained_on is None
