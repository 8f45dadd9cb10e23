"""A run with the input `+context`, a few steps on a CPU, through every command: trained, searched, kept, scored,
reported, asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from tests.benchmark.corpus import write_corpus

from isarstep.benchmark.building.build import build
from isarstep.benchmark.rules.rules import Sizes
from isarstep.cli import run
from isarstep.model.nets.checkpoint import load_model
from isarstep.model.nets.folders import open_folder

RECIPE = """like = "modern"
[model]
dense = true
constant_numbers = 4
named_constants = 12
[training]
steps = 3
batch = 2048
[run]
looks = 1
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("context")
    build(write_corpus(folder), folder / "bench", sizes=Sizes(scored=12, band=0.2), workers=1)
    (folder / "recipe.toml").write_text(RECIPE)
    return folder


def test_the_whole_way(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from isarstep.score.analysis.probes import probes

    few = probes()[:2]
    for name in ("score.analysis.keeping", "score.report.inside"):
        monkeypatch.setattr(f"isarstep.{name}.probes", lambda: few)
    monkeypatch.setenv("XDG_CACHE_HOME", str(place))
    bench, made = str(place / "bench"), place / "hat-context"
    common = ["--recipe", str(place / "recipe.toml"), "--size", "tiny", "--device", "cpu"]
    assert run(["train", bench, str(place / "hat"), *common]) == 0
    more = ["--input", "+context", "--start-from", str(place / "hat")]
    assert run(["train", bench, str(made), *common, *more]) == 0
    assert json.loads((made / "config.json").read_text())["input"] == "+context"
    model = load_model(made)[0]
    assert model.categories.shape[0] == 6  # type: ignore[union-attr,index]
    begun = load_model(place / "hat")[0]
    assert begun.categories.shape[0] == 4  # type: ignore[union-attr,index]

    assert run(["predict", str(made), bench, "--split", "test", "--beam", "2", "--device", "cpu"]) == 0
    meta = json.loads((made / "predictions" / "test.beam2.meta.json").read_text())
    assert meta["input"] == "+context"
    assert run(["evaluate", str(made / "predictions" / "test.beam2.jsonl"), "--benchmark", bench]) == 0
    assert "+context" in capsys.readouterr().out

    for folder in (made, place / "hat"):
        assert run(["keep", str(folder), bench, "--device", "cpu"]) == 0
    assert run(["report", str(made), str(place / "hat"), "--benchmark", bench, "--out", str(place / "out")]) == 0
    listed = (place / "out" / "LEADERBOARD.md").read_text().splitlines()
    columns = [[cell.strip() for cell in line.split("|")] for line in listed if line.startswith("|")]
    assert {row[1]: row[columns[0].index("input")] for row in columns[2:]} == {"hat-context": "+context", "hat": "base"}

    # A model that answers now, not a file of what it answered, reads the same.
    (place / "again").mkdir()
    for path in (*made.glob("*.json"), *made.glob("*.safetensors")):
        (place / "again" / path.name).write_bytes(path.read_bytes())
    capsys.readouterr()
    scored = ["evaluate", str(place / "again"), "--benchmark", bench, "--json"]
    assert run(scored) == 0
    now = json.loads(capsys.readouterr().out)
    assert run(["evaluate", str(made), "--benchmark", bench, "--json"]) == 0
    kept = json.loads(capsys.readouterr().out)
    for score in ("top1", "top10", "bleu"):
        assert find(now, score) == find(kept, score)


def find(content: object, name: str) -> list[object]:
    """All that a document says under a name."""
    if isinstance(content, list):
        return [value for each in content for value in find(each, name)]
    if not isinstance(content, dict):
        return []
    return [value for key, each in content.items() for value in ([each] if key == name else find(each, name))]


def test_what_is_read_changes_what_is_written(place: Path) -> None:
    """The statement and the facts above the gap reach the model."""
    from isarstep.benchmark.store.example import Example
    from isarstep.model.decode.predict import Predictor
    from isarstep.model.nets import ModelConfig, build_model
    from isarstep.model.nets.checkpoint import About, write_model

    vocabulary = tuple(json.loads((place / "bench" / "vocab.json").read_text())["tokens"])
    torch.manual_seed(0)
    model = build_model(ModelConfig("hat", len(vocabulary), "tiny", dropout=0.0, input="+context"))
    (place / "random").mkdir()
    write_model(model, About("hash", vocabulary, {}), place / "random")
    line = "CONST HOL.Trueprop $ ( CONST Nat.even $ FREE <X0> )"
    above = "CONST HOL.Trueprop $ ( CONST Nat.P $ FREE <X0> )"
    plain = Example("a", "", (line,), line, (), ())
    asked = [
        plain,
        Example("b", "", (line,), line, (), (), statement=(above,)),
        Example("c", "", (line,), line, (), (), earlier=(above,)),
    ]
    scores = [found[0][1] for found in Predictor(place / "random", "cpu").nbest(asked)]
    assert len(set(scores)) == 3


def test_configurations_of_before_say_whether_they_have_hints(place: Path) -> None:
    from isarstep.model.nets import ModelConfig

    old = {
        "kind": "hat",
        "vocabulary": 9,
        "size": "tiny",
        "style": "paper",
        "dropout": 0.1,
        "hints": True,
        "dense": True,
    }
    assert ModelConfig.from_json(old | {"benchmark": "abc"}).input == "+F.5"
    assert ModelConfig.from_json(old | {"hints": False}).input == "base"
    assert open_folder(Path("embedded")).config.input == "+premises"
