"""A run keeps what reports need, also a run of a model that leaves out implied tokens, on a machine with little."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from isarstep.benchmark.arrays.corpus import Corpus, Dataset
from isarstep.benchmark.arrays.dense import IMPLIED
from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.special_tokens import SPECIALS
from isarstep.cli import run as cli
from isarstep.model.data.constants import corpus_of_examples
from isarstep.model.decode.hypotheses import Hypothesis, SearchRules
from isarstep.model.decode.predict import Predictor
from isarstep.model.decode.predictions import read_meta, read_scored
from isarstep.model.decode.ranking import COMPARED_ORDER
from isarstep.model.nets import ModelConfig, build_model
from isarstep.model.nets.base import Seq2Seq
from isarstep.model.nets.checkpoint import About, write_model
from isarstep.model.nets.config import Kind
from isarstep.score.analysis.attention_maps import load_maps, record_attention
from isarstep.score.analysis.embeddings import embeddings_of
from isarstep.score.analysis.keeping import SPLITS, keep_predictions
from isarstep.score.analysis.probes import probes, read_answers
from isarstep.score.answering import answer
from isarstep.score.runs import ATTENTION, PROBES, RunFolder, open_run
from isarstep.score.scores import ScoringTask

TEXTS = [text for probe in probes() for text in (*probe.answers, *(line for _, line in probe.example.source()))]
VOCABULARY = (*SPECIALS, *IMPLIED, *sorted({token for text in TEXTS for token in text.split()} - {*IMPLIED}))


def tiny(folder: Path, kind: Kind, *, dense: bool) -> Path:
    """A model with random weights that writes no special tokens, which no search would write after training."""
    torch.set_num_threads(1)
    torch.manual_seed(5)
    model = build_model(ModelConfig(kind, len(VOCABULARY), "tiny", dense=dense))
    write_model(model, About("hash", VOCABULARY, {}), folder)
    return folder


@pytest.mark.parametrize("kind", ["hat", "transformer"])
def test_a_dense_model_reads_and_writes_dense_tokens_everywhere(
    kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    predictor = Predictor(tiny(tmp_path, kind, dense=True), "cpu")
    example = probes()[0].example
    implied = [VOCABULARY.index(token) for token in IMPLIED]
    searched: list[Corpus] = []

    def noting(model: Seq2Seq, corpus: Corpus, *rest: object, **more: object) -> list[list[Hypothesis]]:
        searched.append(corpus)
        return [[]]

    with monkeypatch.context() as patch:
        patch.setattr("isarstep.model.decode.predict.search_corpus", noting)
        predictor.nbest([example])
    assert not np.isin(searched[0].tokens, implied).any()
    maps = record_attention(predictor.model, VOCABULARY, example, example.f1)
    assert not {*maps.source, *maps.written} & {*IMPLIED}
    assert [*maps.written] == [t for t in example.f1.split() if t not in IMPLIED] + ["<EOS>"]
    assert sum(maps.spans) == len(maps.source) == len(maps.fields)
    assert len(maps.spans) == len(example.source(hints=False))
    for layer in (*maps.encoder, *maps.cross):
        assert layer.shape[2] == len(maps.source)


def test_a_dense_model_answers_in_the_benchmark_s_tokens(tmp_path: Path) -> None:
    folder = tiny(tmp_path, "hat", dense=True)
    example = Example("a1", probes()[0].example.f1, (), "CONST HOL.Trueprop $ FREE <X0>", (), ())
    task = ScoringTask("hash", "test", [example], ["a1"])
    system = answer(folder, "dense", task, 2, 3)
    predictor = Predictor(folder, "cpu")
    (nbest,) = predictor.nbest([example], SearchRules(beam=2))
    assert system.narrow.lists[0] == tuple(tokens for tokens, _ in COMPARED_ORDER.ordered(nbest))
    assert str(system.narrow.meta["length_rule"]).endswith(f"; {COMPARED_ORDER}")
    # `spelt_out` puts a kind before every name, so that what was written dense can't come out dense.
    assert all({*tokens.split()} & {*IMPLIED} for tokens, _ in nbest if len(tokens.split()) > 3)


@pytest.mark.parametrize(("kind", "dense"), [("hat", True), ("rnnsearch", False)])
def test_views_outlive_the_weights(
    kind: Kind, dense: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("isarstep.score.analysis.keeping.WIDE", 2)
    folder = tiny(tmp_path, kind, dense=dense)
    weights = embeddings_of(folder)
    assert cli(["keep", str(folder)]) == 0
    written = [Path(line) for line in capsys.readouterr().out.splitlines()]
    for path in folder.glob("model*.safetensors"):
        path.unlink()
    run = open_run(folder)
    kept = embeddings_of(folder)
    assert weights is not None
    assert kept is not None
    assert kept.tokens == weights.tokens
    assert dense is not bool({*kept.tokens} & {*IMPLIED})
    np.testing.assert_allclose(kept.vectors, weights.vectors, atol=np.abs(weights.vectors).max() / 200)
    answers, attention = run.kept(PROBES), run.kept(ATTENTION)
    assert answers is not None
    assert len(read_answers(answers, probes())) == len(probes())
    if kind == "hat":
        assert attention is not None
        assert [each.name for each in load_maps(attention)] == [p.name for p in probes() if p.about == "paper"]
    else:
        assert attention is None
    assert all(path.is_file() for path in written)


def test_only_missing_lists_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isarstep.score.analysis.keeping.NARROW", 1)
    monkeypatch.setattr("isarstep.score.analysis.keeping.WIDE", 2)
    folder = tiny(tmp_path, "hat", dense=True)
    corpus = corpus_of_examples([probes()[0].example], VOCABULARY)
    dataset = Dataset(dict.fromkeys(SPLITS[:2], corpus), VOCABULARY, "hash")
    old = folder / "predictions" / "validation.beam1.jsonl"
    old.parent.mkdir()
    old.write_text("kept\n")
    written = keep_predictions(folder, dataset, "cpu")
    assert [path.name for path in written] == ["validation.beam2.jsonl", "test.beam1.jsonl", "test.beam2.jsonl"]
    assert old.read_text() == "kept\n"
    assert all(path.read_text().count("\n") == 1 for path in written)
    assert keep_predictions(folder, dataset, "cpu") == []
    predictor = Predictor(folder, "cpu")
    (found,) = predictor.lines(predictor.split(dataset, "test"), SearchRules(beam=2))
    ordered = COMPARED_ORDER.ordered(found[1])
    assert read_scored(written[2]) == {
        found[0]: [(tokens, pytest.approx(worth, abs=1e-4)) for tokens, worth in ordered]
    }
    assert str(read_meta(written[2])["length_rule"]).endswith(f"; {COMPARED_ORDER}")


def test_keeping_needs_no_parquet_and_no_terminal_library() -> None:
    """The machine that trains often has torch and little else, and base-size weights are slow to carry home."""
    absent = ("pyarrow", "sacrebleu", "zstandard", "rich", "typer", "matplotlib")
    code = f"import sys\nfor name in {absent}: sys.modules[name] = None\nimport isarstep.score.analysis.keeping\n"
    code += "from isarstep.score.analysis.probes import probes\nprobes()\nimport isarstep.benchmark.arrays.files"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def test_a_run_took_what_the_model_took_that_it_began_with() -> None:
    first = {"steps": 3, "tokens": 100, "epochs": 0.5, "seconds": 1.5, "recipe": {"seed": 1}}
    training = {"steps": 2, "tokens": 10, "epochs": 0.25, "seconds": 0.5, "recipe": {"seed": 2}, "before": first}
    spent = {"tokens": 110, "epochs": 0.75, "steps": 5, "seconds": 2.0, "device": None, "seed": 2}
    assert RunFolder(Path(), {"training": training}).budget == spent
