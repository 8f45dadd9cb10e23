"""The experiments behind rows of docs/paper.md that are not reproduced."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from isarstep.apps.engine import default_engine
from isarstep.benchmark.arrays.corpus import Corpus, NumberedExample

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def _experiments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "research" / "experiments"))


@pytest.mark.slow
def test_the_first_example_is_answered_first_as_soon_as_f4_has_the_definition() -> None:
    from first_example import WAYS, asked

    ways = {way.change: way for way in WAYS}
    plain = asked(default_engine(), ways["as the probe has it: beam 10, no constraint"])
    defined = asked(default_engine(), ways["the definition of dvd in F.4"])
    assert plain["place"] != 1
    assert (defined["place"], defined["first"]) == (1, "2 dvd a")
    assert "the shipped model puts `2 dvd a` first" in PAGE


def test_each_way_of_asking_changes_one_thing() -> None:
    from first_example import WAYS

    plain = WAYS[0]
    names = [name for name in plain.__dataclass_fields__ if name != "change"]
    changed = [{name for name in names if getattr(way, name) != getattr(plain, name)} for way in WAYS[1:]]
    # Types mean something only where they are followed.
    assert all(len(found - {"number"}) == 1 for found in changed)


def test_right_answers_name_the_variable_by_its_number() -> None:
    from first_example import LATER, right_answers

    assert all("FREE <X1>" in answer for answer in right_answers(1, ()))
    assert len(right_answers(0, ())) == 4
    assert len(right_answers(0, (LATER,))) == 2  # what was given is no answer


def test_a_ratio_counts_long_sources_alone_and_has_an_interval() -> None:
    from long_sources import ratio

    from isarstep.benchmark.store.example import Example

    long, short = "x " * 700 + "x", "x"
    examples = [Example(str(n), "t", (long if n < 40 else short,), "c", (), ()) for n in range(80)]
    task = SimpleNamespace(examples=examples, clusters=np.arange(80))
    hat = SimpleNamespace(correct=np.array([n % 2 == 0 for n in range(40)] + [True] * 40))
    flat = SimpleNamespace(correct=np.array([n % 4 == 0 for n in range(40)] + [True] * 40))
    found = ratio(task, hat, flat, 640)
    assert (found["examples"], found["left"], found["right"], found["ratio"]) == (40, 50.0, 25.0, 2.0)
    assert 1.0 < found["low"] < 2.0 < found["high"]
    assert ratio(task, hat, flat, 0)["examples"] == 80


def test_a_vocabulary_grows_with_sessions_and_says_how_many_more_it_wants() -> None:
    from vocabulary import growth, needed, tokens_by_session

    rows = [NumberedExample([(2, [number])], [number], str(number)) for number in range(32)]
    used = tokens_by_session(Corpus.of_examples(rows), [f"S{number // 2}" for number in range(32)], 40)
    assert len(used) == 16
    assert used["S3"].nonzero()[0].tolist() == [6, 7]
    curve = growth(used)
    assert curve[-1] == (16, 32)
    assert curve[-2] == (8, 16)  # sessions share nothing here
    assert needed(curve, 48) == 24
