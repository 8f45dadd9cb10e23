"""A model folder in, a predictions file out."""

import json
from pathlib import Path

from isarstep.bench.example import Example as BenchExample
from isarstep.bench.specials import SPECIALS
from isarstep.decode.hypotheses import SearchRules
from isarstep.decode.predict import Predictor, meta_of
from isarstep.decode.predictions import write_predictions
from isarstep.feed.corpus import Corpus, NumberedExample
from isarstep.models import ModelConfig, build_model
from isarstep.models.checkpoint import About, write_model

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
