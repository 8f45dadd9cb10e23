"""What tells beforehand that provers will confirm a proposal: features without provers, learned from other entries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isarstep.benchmark.store.example import Example

FACT = "CONST HOL.Trueprop $ ( CONST HOL.eq $ FREE <X0> $ ( CONST Nat.Suc $ FREE <X1> ) )"
GOAL = "CONST HOL.Trueprop $ ( CONST Orderings.ord_class.less $ FREE <X1> $ FREE <X0> )"
NEW = "CONST HOL.Trueprop $ ( CONST HOL.Not $ ( CONST HOL.eq $ FREE <X0> $ CONST Groups.zero_class.zero ) )"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "research" / "benchmarks"))
    import value

    return value


def example(number: int = 0, session: str = "S") -> Example:
    return Example(f"{number}", NEW, (FACT,), GOAL, (), (), theorem=f"{number}", session=session)


def test_features_say_what_a_proposal_repeats_and_speaks_of(bench: Any) -> None:
    known = bench.Known(example())

    def of(tokens: str) -> dict[str, Any]:
        return dict(zip(bench.FEATURES, known.features(tokens, -2.0, -1.0, 1), strict=True))

    new, fact, goal = of(NEW), of(FACT), of(GOAL)
    assert (new["given"], fact["given"], goal["given"]) == (False, True, True)
    assert goal["restates the goal"]
    assert new["negation"]
    assert not new["equation"]
    assert fact["equation"]
    assert goal["head of the goal"]
    assert fact["head of a fact"]
    assert new["constants in neither"] == 2  # not, and zero
    assert (new["log p"], new["log p behind the first"], new["rank"]) == (-2.0, -1.0, 1)
    assert 0 < new["constants in the facts"] < fact["constants in the facts"] == 1


def test_verdicts_are_taken_by_rank(bench: Any) -> None:
    closed = {"first_result": "proved", "second_result": "proved", "copy": False, "strict_correct": True}
    rows = {0: closed | {"copy": True}, 1: closed, 2: closed | {"second_result": "timeout", "strict_correct": False}}
    found = bench.judged(example(), [(FACT, -1.0), (NEW, -2.0), (GOAL, -3.0)], rows)
    assert found.confirmed.tolist() == [False, True, False]
    assert found.exact.tolist() == [False, True, False]
    assert found.strict.tolist() == [True, True, False]


def lists(bench: Any, right: Any) -> list[Any]:
    """Sixty lists of thirty entries, the fourth feature says what is confirmed."""
    draw = np.random.default_rng(0)
    found = []
    for number in range(60):
        features = draw.normal(size=(5, 6))
        confirmed = right(features[:, 3], number)
        found.append(
            bench.Judged(example(number, f"E{number // 2}"), [NEW] * 5, features[:, 0], features, confirmed, confirmed)
        )
    return found


def test_what_tells_is_learned(bench: Any) -> None:
    some = lists(bench, lambda feature, _: feature > 0.5)
    values = bench.values(some)
    assert bench.auc(np.concatenate(values), np.concatenate([each.confirmed for each in some])) > 0.95
    assert bench.auc_within(some, values) > 0.95
    shown = bench.compared(some, {"before": [each.worth for each in some], "value": values}, "before")
    assert shown["value"]["confirmed"][0] > shown["before"]["confirmed"][0] + 20
    assert shown["value"]["confirmed"][3] < 0.05
    assert shown["before"]["confirmed"][3] == 1
    assert 1 <= shown["value"]["place of the first confirmed"] < shown["before"]["place of the first confirmed"]


def test_nothing_is_learned_from_the_same_entry(bench: Any) -> None:
    """In each entry another feature tells: what was learned from others says nothing."""
    some = lists(bench, lambda feature, number: (feature > 0) == ((number // 2) % 2 == 0))
    assert (
        abs(bench.auc(np.concatenate(bench.values(some)), np.concatenate([each.confirmed for each in some])) - 0.5)
        < 0.1
    )


def test_how_often_one_is_above_the_other(bench: Any) -> None:
    right = np.array([True, False, True, False])
    assert bench.auc(np.array([3.0, 1.0, 2.0, 2.0]), right) == pytest.approx(3.5 / 4)
