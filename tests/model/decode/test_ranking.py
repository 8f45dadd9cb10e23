"""The learned order of n-best lists: what it weighs, where its weights come from, and that lists in it can be read."""

from __future__ import annotations

import json
import math
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from isarstep.benchmark.store.example import Example
from isarstep.model.decode.ranking import Order, learned_ranking, measured

SHORT = "CONST HOL.Trueprop $ CONST HOL.True"
LONG = "CONST HOL.Trueprop $ ( CONST HOL.eq $ FREE <X0> $ FREE <X1> )"


def test_brackets_and_announcing_words_are_no_length() -> None:
    assert measured(SHORT, ()) == (math.log(2), False)
    assert measured(LONG, (LONG,)) == (math.log(4), True)


def test_what_is_given_comes_last_and_short_is_no_merit() -> None:
    ranking = Order(length=1.0, given=-5.0)
    proposals = [(SHORT, -1.0), (LONG, -1.5)]
    assert [tokens for tokens, _ in ranking.ordered(proposals, ())] == [LONG, SHORT]
    assert [tokens for tokens, _ in ranking.ordered(proposals, {LONG})] == [SHORT, LONG]
    assert ranking.ordered(proposals, {LONG})[1][1] == pytest.approx(-1.5 + math.log(4) - 5.0)
    equal = [("CONST b", -1.0), ("CONST a", -1.0)]
    assert ranking.ordered(equal, ()) == equal


def test_a_log_probability_is_shared_by_the_tokens_and_the_end() -> None:
    rule = Order(penalty=0.5)
    assert rule.ordered([(SHORT, -1.0), (LONG, -1.2)]) == [
        (LONG, pytest.approx(-1.2 / math.sqrt(5))),
        (SHORT, pytest.approx(-1.0 / math.sqrt(3))),
    ]
    assert Order(penalty=0.0).ordered([(LONG, -2.0), (SHORT, -2.0)]) == [(LONG, -2.0), (SHORT, -2.0)]
    assert rule.ordered([("", -3.0)]) == [("", -3.0)]  # the end alone


def test_the_weights_are_of_the_validation_split() -> None:
    about = json.loads(resources.files("isarstep.model.decode").joinpath("ranking.json").read_text("utf-8"))
    assert about["split"] == "validation"
    assert learned_ranking() == Order(about["length"], about["given"])
    assert learned_ranking().length > 0 > learned_ranking().given


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "research" / "benchmarks"))
    import ranking

    return ranking


def test_weights_are_learned_from_where_the_answers_are(bench: Any) -> None:
    """Answers are long where log probability likes them short, and never copies; which ones, varies."""

    def answered(right: str, *proposals: tuple[str, float]) -> Any:
        return bench.Answered(Example("", right, (SHORT,), None, (), ()), list(proposals))

    middle = "CONST HOL.Trueprop $ ( CONST HOL.Not $ FREE <X0> )"
    lists = [answered(LONG, (SHORT, -0.5), (LONG, -1.0), (middle, -0.8))] * 6
    lists += [answered(middle, (SHORT, -0.4), (LONG, -2.0), (middle, -0.7))] * 3
    lists += [answered("CONST elsewhere", (SHORT, -0.1))]
    learned = bench.fitted(lists)
    assert learned.length > 0
    assert learned.given < 0
    places = bench.places(
        [each.example for each in lists],
        [[t for t, _ in learned.ordered(each.proposals, each.given)] for each in lists],
    )
    assert places.tolist() == [1] * 9 + [0]
