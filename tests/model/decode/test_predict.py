"""A model folder in, a predictions file out."""

import json
from pathlib import Path

import pytest
from tests.embedded import embedded_benchmark

from isarstep.benchmark.arrays.corpus import Corpus, NumberedExample
from isarstep.benchmark.store.example import Example as BenchExample
from isarstep.benchmark.store.special_tokens import SPECIALS
from isarstep.cli import run
from isarstep.model.decode.hypotheses import SearchRules
from isarstep.model.decode.predict import Predictor, meta_of
from isarstep.model.decode.predictions import read_predictions, read_scored, write_predictions
from isarstep.model.decode.ranking import Order
from isarstep.model.nets import ModelConfig, build_model
from isarstep.model.nets.checkpoint import About, write_model
from isarstep.premises.selector.premise_files import read_premises, write_premises

VOCABULARY = (*SPECIALS, "CONST", "HOL.True", "HOL.False")


def test_predictions_are_written_as_agreed(tmp_path: Path) -> None:
    model = build_model(ModelConfig("hat", len(VOCABULARY), "tiny"))
    write_model(model, About("hash", VOCABULARY, {}), tmp_path, "int8")
    predictor = Predictor(tmp_path, "cpu")
    rules = SearchRules(beam=3, longest=4)
    corpus = Corpus.of_examples(
        [NumberedExample([(3, [9, 10])], [9, 11], "a1"), NumberedExample([(3, [9, 11])], [9, 10], "b2")]
    )
    path = tmp_path / "predictions" / "test.beam3.jsonl"
    assert (
        write_predictions(path, predictor.lines(corpus, rules), meta_of(predictor, "other", "test", rules, "none")) == 2
    )
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["id"] for line in lines] == ["a1", "b2"]
    assert all(set(p) == {"tokens", "score"} for line in lines for p in line["predictions"])
    meta = json.loads((tmp_path / "predictions" / "test.beam3.meta.json").read_text())
    assert meta["benchmark"] == "other"  # what is answered, not what was trained on
    assert meta["beam"] == 3
    example = BenchExample("a1", "CONST HOL.False", (), "CONST HOL.True", (), ())
    (found,) = predictor.nbest([example], rules)
    assert [tokens for tokens, _ in found] == [p["tokens"] for p in lines[0]["predictions"]]


def test_ranked_lists_have_no_copy_first_and_can_be_read(tmp_path: Path) -> None:
    model = build_model(ModelConfig("hat", len(VOCABULARY), "tiny"))
    write_model(model, About("hash", VOCABULARY, {}), tmp_path, "int8")
    predictor = Predictor(tmp_path, "cpu")
    rules = SearchRules(beam=150, longest=2)  # all there is
    corpus = Corpus.of_examples([NumberedExample([(3, [10]), (4, [9, 10, 10, 10]), (5, [11])], [9, 11], "a1")])
    assert predictor.given(corpus, 0) == {"HOL.True", "CONST HOL.True HOL.True HOL.True"}  # a hint may be the answer
    plain = dict(next(predictor.lines(corpus, rules))[1])
    copied = "HOL.True"
    assert copied in plain
    ranking = Order(0.5, -100.0)
    path = tmp_path / "test.beam150.ranked.jsonl"
    meta = meta_of(predictor, "other", "test", rules, "none", ranking)
    write_predictions(path, predictor.lines(corpus, rules, order=ranking), meta)
    ranked = read_scored(path)["a1"]
    assert {tokens for tokens, _ in ranked} == set(plain)
    assert [tokens for tokens, _ in ranked].index(copied) == len(plain) - 1
    for tokens, score in ranked:
        assert score == pytest.approx(ranking.worth(tokens, plain[tokens], {copied}), abs=1e-3)
    assert read_predictions(path, ["a1"]).lists[0] == tuple(tokens for tokens, _ in ranked)
    assert "-100 for copies" in json.loads((tmp_path / "test.beam150.ranked.meta.json").read_text())["length_rule"]


def test_lists_say_what_was_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = build_model(ModelConfig("hat", len(VOCABULARY), "tiny", input="+premises"))
    (tmp_path / "model").mkdir()
    write_model(model, About("hash", VOCABULARY, {}), tmp_path / "model", "int8")
    ids = [example.id for example in embedded_benchmark().split("validation").lowest(2)]
    premises = tmp_path / "premises.jsonl"
    write_premises(premises, [(name, ["CONST HOL.True", "CONST HOL.False"]) for name in ids])
    assert read_premises(premises)[ids[0]] == ("CONST HOL.True", "CONST HOL.False")
    found = {}
    for name, more in {
        "base": ["--plain"],
        "+context": [],
        "+premises": ["--plain", "--premises", str(premises)],
        "+context+premises": ["--premises", str(premises)],
    }.items():
        out = tmp_path / f"{name}.jsonl"
        line = ["predict", str(tmp_path / "model"), "embedded", "--split", "validation", "--limit", "2", "--beam", "2"]
        assert run([*line, "--out", str(out), *more]) == 0
        assert json.loads((tmp_path / f"{name}.meta.json").read_text())["input"] == name
        found[name] = read_scored(out)
    assert list(found["base"]) == ids
    assert len({json.dumps(lists) for lists in found.values()}) == 4  # each has read something else
    assert run([*line, "--out", str(tmp_path / "two.jsonl"), *more, "--jobs", "2"]) == 0  # the same by two processes
    assert list(read_scored(tmp_path / "two.jsonl")) == list(found[name])
    write_premises(premises, [(ids[0], [])])
    assert run([*line, "--out", str(out), *more]) == 2
    assert f"has no facts for 1 of 2 examples, {ids[1]} first" in capsys.readouterr().err
