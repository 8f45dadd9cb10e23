"""Baselines answer what their rules say, and their files can be scored like a model's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.store import Benchmark
from isarstep.cli import run
from isarstep.isabelle.terms.terms import Var
from isarstep.isabelle.terms.tokens import decode, encode_line
from isarstep.model.decode.predictions import read_scored
from isarstep.score.baselines import BASELINES, Frequent, copied_answers
from isarstep.score.headline import open_task
from isarstep.score.leftovers import answers, match_term
from isarstep.score.nearest_example import Neighbours, variables_aligned
from isarstep.score.runs import open_run


def true(text: str) -> str:
    return f"CONST HOL.Trueprop $ ( {text} )"


def rule(premise: str, conclusion: str) -> str:
    return f"CONST Pure.imp $ ( {premise} ) $ ( {conclusion} )"


def asked(f3: str, *f4: str, f2: tuple[str, ...] = ()) -> Example:
    return Example("e", "CONST missing", f2, f3, f4, ())


P, Q, R = (true(f"CONST {name} $ FREE <X0>") for name in "PQR")


def test_the_premise_that_is_left_over() -> None:
    lemma = rule(true("CONST P $ VAR <V0>"), rule(true("CONST Q $ VAR <V0>"), true("CONST R $ VAR <V0>")))
    assert answers(asked(R, lemma, Q), 10) == [(P, 0.0)]
    assert [text for text, _ in answers(asked(R, lemma), 10)] == [P, Q]
    # A fact tells what a variable stands for that the conclusion does not have.
    via = rule(true("CONST S $ VAR <V0> $ VAR <V1>"), rule(true("CONST T $ VAR <V1>"), true("CONST R $ VAR <V0>")))
    fact = true("CONST S $ FREE <X0> $ FREE <X7>")
    assert answers(asked(R, via, fact), 10) == [(true("CONST T $ FREE <X7>"), 0.0)]


def test_quantified_facts_are_rules_too() -> None:
    every = true("CONST HOL.All $ ( ABS CONST HOL.implies $ ( CONST P $ BOUND 0 ) $ ( CONST R $ BOUND 0 ) )")
    assert answers(asked(R, every), 10) == [(P, 0.0)]


def test_an_equation_rewrites_the_consequence() -> None:
    equation = true("CONST HOL.eq $ FREE <X0> $ ( CONST f $ FREE <X1> )")
    assert answers(asked(P, equation), 10) == [(true("CONST P $ ( CONST f $ FREE <X1> )"), 0.0)]
    lemma = true("CONST HOL.eq $ ( CONST f $ VAR <V0> ) $ ( CONST g $ VAR <V0> )")
    goal = true("CONST P $ ( CONST f $ FREE <X2> ) $ ( CONST f $ FREE <X2> )")
    assert answers(asked(goal, lemma), 10) == [
        (true("CONST P $ ( CONST g $ FREE <X2> ) $ ( CONST g $ FREE <X2> )"), 0.0)
    ]


def test_variables_that_stand_for_functions() -> None:
    found = match_term(
        decode("CONST HOL.All $ ( ABS VAR <V0> $ BOUND 0 )"),
        decode("CONST HOL.All $ ( ABS CONST p $ BOUND 0 $ FREE <X0> )"),
    )
    assert found is not None
    assert encode_line(found[Var("<V0>")]) == "ABS CONST p $ BOUND 0 $ FREE <X0>"
    assert match_term(decode("CONST p $ VAR <V0> $ VAR <V0>"), decode("CONST p $ CONST a $ CONST b")) is None


def test_what_cannot_be_matched_has_no_answer() -> None:
    assert answers(asked(R), 10) == []
    assert answers(asked(R, P, "no term ("), 10) == []


def test_copies_come_from_the_source_the_consequence_first() -> None:
    assert [text for text, _ in copied_answers(asked(R, Q, f2=(P,)), 2)] == [R, P]


def test_variables_of_a_neighbour_become_those_in_the_same_places() -> None:
    other = Example(
        "o",
        true("CONST T $ FREE <X0> $ FREE <X1>"),
        (true("CONST P $ FREE <X0>"),),
        true("CONST Q $ FREE <X1>"),
        (),
        (),
    )
    here = Example("h", "", (true("CONST P $ FREE <X5>"),), true("CONST Q $ FREE <X3>"), (), ())
    assert variables_aligned(other, here) == true("CONST T $ FREE <X5> $ FREE <X3>")


def test_the_nearest_training_example(small_benchmark: Path) -> None:
    benchmark = Benchmark(small_benchmark)
    known = benchmark.split("train")[3]
    [(first, score), *_] = Neighbours(benchmark).nearest(known, 2)
    assert first.source(hints=False) == known.source(hints=False)
    assert score == pytest.approx(1)


def test_frequent_targets_speak_of_what_the_source_has(small_benchmark: Path) -> None:
    benchmark = Benchmark(small_benchmark)
    example = benchmark.split("test")[0]
    found = Frequent(benchmark).answers(example, 10)
    assert found
    assert [times for _, times in found] == sorted((times for _, times in found), reverse=True)
    words = {token for _, text in example.source() for token in text.split()}
    assert all(set(text.split()) <= words for text, _ in found)


@pytest.mark.parametrize("name", BASELINES)
def test_their_files_can_be_scored(
    small_benchmark: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "out.jsonl"
    assert run(["baseline", name, str(small_benchmark), "--split", "test", "--out", str(path), "--best", "3"]) == 0
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [row["id"] for row in rows] == [example.id for example in Benchmark(small_benchmark).split("test")]
    assert max(len(row["predictions"]) for row in rows) <= 3
    assert run(["evaluate", str(path), "--benchmark", str(small_benchmark)]) == 0
    assert "out" in capsys.readouterr().out


def test_there_is_no_other(small_benchmark: Path) -> None:
    assert run(["baseline", "oracle", str(small_benchmark)]) == 2


def test_a_folder_is_a_run_that_reports_take(small_benchmark: Path, tmp_path: Path) -> None:
    assert run(["baseline", "copy", str(small_benchmark), "--out", str(tmp_path / "copy"), "--best", "2"]) == 0
    system = open_run(tmp_path / "copy").system(open_task(small_benchmark, "test"))
    assert system is not None
    assert system.name == "copy"
    assert system.wide.width == 2


def test_a_baseline_in_one_compressed_file(small_benchmark: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.zst"
    assert run(["baseline", "copy", str(small_benchmark), "--out", str(path), "--best", "1"]) == 0
    assert path.is_file()
    assert len(read_scored(path)) == len(Benchmark(small_benchmark).split("test"))
