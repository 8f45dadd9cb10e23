"""Rules 2.1: what says no more than a neighbour, and copies, are not scored."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.embedded import embedded_benchmark

from isarstep.benchmark.rules.leaks import scored_copies
from isarstep.benchmark.rules.rules import COPY, Columns, Sieve
from isarstep.benchmark.rules.trivial import trivial_mark
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.model.decode.predictions import read_predictions
from isarstep.resources import BENCHMARKS

P, Q, R = (f"( CONST T.{name} $ FREE <X0> )" for name in "PQR")
A, B = "FREE <X0>", "FREE <X1>"


def holds(formula: str) -> str:
    return f"CONST HOL.Trueprop $ ( {formula} )"


def infix(name: str, left: str, right: str) -> str:
    return f"CONST {name} $ {left} $ {right}"


EQUATION = holds(infix("HOL.eq", A, "( CONST T.f $ FREE <X1> )"))
TURNED = holds(infix("HOL.eq", "( CONST T.f $ FREE <X1> )", A))


@pytest.mark.parametrize(
    ("f1", "other", "mark"),
    [
        (EQUATION, TURNED, "symmetric"),
        (
            f"CONST Pure.imp $ ( {holds(P[2:-2])} ) $ ( {holds(Q[2:-2])} )",
            holds(infix("HOL.implies", P, Q)),
            "implication",
        ),
        (holds("CONST HOL.All $ ( ABS CONST T.P $ BOUND 0 )"), holds("CONST T.P $ VAR <V0>"), "implication"),
        (
            holds(infix("HOL.conj", P, f"( {infix('HOL.conj', Q, R)} )")),
            holds(infix("HOL.conj", f"( {infix('HOL.conj', R, P)} )", Q)),
            "conjuncts",
        ),
        (holds("CONST T.P $ VAR <V0>"), holds("CONST T.P $ FREE <X3>"), "general"),
        (holds("CONST T.P $ FREE <X3>"), holds("CONST T.P $ VAR <V0>"), "instance"),
        # A variable that is applied to a bound one stands for any term in it.
        (
            holds("CONST T.all $ ( ABS VAR <V0> $ BOUND 0 )"),
            holds("CONST T.all $ ( ABS FREE <X0> $ ( CONST T.f $ BOUND 0 ) )"),
            "general",
        ),
        # ... but not for one in another.
        (
            holds("CONST T.all $ ( ABS CONST T.all $ ( ABS VAR <V0> $ BOUND 0 ) )"),
            holds("CONST T.all $ ( ABS CONST T.all $ ( ABS FREE <X0> $ BOUND 1 ) )"),
            "",
        ),
        # The same variable stands for the same term.
        (holds("CONST T.le $ VAR <V0> $ VAR <V0>"), holds("CONST T.le $ FREE <X0> $ FREE <X1>"), ""),
        (holds("CONST T.P $ FREE <X0>"), holds("CONST T.P $ FREE <X1>"), ""),
        (holds(infix("HOL.implies", P, Q)), holds(infix("HOL.implies", Q, P)), ""),
        # What nothing but a variable says, everything is an instance of.
        (holds("CONST T.P $ FREE <X0>"), "CONST HOL.Trueprop $ VAR <V0>", ""),
    ],
)
def test_marks(f1: str, other: str, mark: str) -> None:
    unrelated = holds("CONST T.unrelated $ FREE <X7>")
    assert trivial_mark(f1, [unrelated], other) == mark
    assert trivial_mark(f1, [unrelated, other], unrelated) == mark
    assert trivial_mark(f1, [unrelated], None) == ""


EXAMPLES_OF_ISSUE_31 = {
    "45c0d9ae6ae3": "symmetric",
    "032f930a0122": "symmetric",
    "240abda721e6": "symmetric",
    "07ec6b85d74c": "general",
    "3f9503d7e67c": "implication",
    "4f66d99cf1c1": COPY,  # of 2249001e3a7e, which stays
}


def test_the_embedded_benchmark_has_lost_them() -> None:
    benchmark = embedded_benchmark()
    taken = {id_: mark for ids in benchmark.manifest["taken out"].values() for id_, mark in ids.items()}
    assert {id_: taken.get(id_) for id_ in EXAMPLES_OF_ISSUE_31} == EXAMPLES_OF_ISSUE_31
    assert "2249001e3a7e" not in taken
    for name in ("test", "validation", "unseen"):
        ids = benchmark.table(name, ["id"])["id"].to_pylist()
        assert not set(ids) & set(taken)


@pytest.mark.slow
@pytest.mark.parametrize("where", BENCHMARKS)
def test_nothing_that_is_scored_is_trivial_or_a_copy(where: str) -> None:
    benchmark = Benchmark(where)
    scored = [name for name in benchmark.splits if name != "train"]
    for name in scored:
        for example in benchmark.split(name):
            assert trivial_mark(example.f1, [*example.f2, *example.f4], example.f3) == "", example.id
    assert scored_copies(benchmark) == []


def columns(renamed: list[int]) -> Columns:
    numbers = np.arange(len(renamed))
    plain = np.zeros(len(renamed), np.int64)
    return Columns(numbers, plain, plain, numbers, numbers, np.array(renamed), numbers, plain > 0, plain + 1, plain)


def test_a_sieve_chooses_again_until_nothing_is_left_to_pass_over() -> None:
    looked_at: list[int] = []

    def marks(rows: np.ndarray) -> list[str]:  # type: ignore[type-arg]
        looked_at.extend(rows.tolist())
        return ["symmetric" if row in (1, 4) else "" for row in rows.tolist()]

    sieve = Sieve(columns([0, 1, 2, 2, 4, 5, 0]), np.ones(7, bool), marks)
    first, second = sieve.choose(lambda free: [np.flatnonzero(free)[:3], np.flatnonzero(free)[3:5]])
    assert (first.tolist(), second.tolist()) == ([0, 2, 5], [])  # 3 is a copy of 2, 6 one of 0
    assert sieve.passed_over == {"symmetric": 2, COPY: 2}
    assert sorted(looked_at) == sorted(set(looked_at)), "what is clean is not looked at again"
    # What was chosen before has its place.
    (third,) = sieve.choose(lambda free: [np.array([6])] if free[6] else [np.zeros(0, np.int64)])
    assert third.tolist() == []


def test_an_earlier_name_says_what_was_taken_out() -> None:
    benchmark = embedded_benchmark()
    (earlier, *_) = benchmark.manifest["earlier names"]
    gone = list(benchmark.manifest["taken out"]["test"])
    assert (benchmark.taken_out(earlier, "test"), benchmark.taken_out(earlier[:12], "test")) == (gone, gone)
    assert (benchmark.taken_out("cd" * 6, "test"), benchmark.taken_out("", "test")) == (None, None)


def test_answers_to_what_is_gone_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "lists.jsonl"
    rows = [{"id": id_, "predictions": [{"tokens": "CONST a", "score": 0}]} for id_ in ("aa", "bb", "cc")]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert len(read_predictions(path, ["aa", "cc"], ["bb"]).lists) == 2
    with pytest.raises(UserError, match="bb is not in this split"):
        read_predictions(path, ["aa", "cc"])
    path.write_text("CONST a\nCONST b\nCONST c\n")
    with pytest.raises(UserError, match="1 more examples; give ids"):
        read_predictions(path, ["aa", "cc"], ["bb"])
