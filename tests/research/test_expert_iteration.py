"""A round of learning from answers at the smallest scale: searched, judged, learned from, scored and judged again."""

from __future__ import annotations

import json
import pickle
import tarfile
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest
from tests.benchmark.corpus import write_corpus

from isarstep.benchmark.building.build import build
from isarstep.benchmark.rules.rules import Sizes

EXPERIMENTS = Path(__file__).parents[2] / "research" / "experiments"
STEPS = 2


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `premises_run.py select` leaves, but no premises, and a model to go on from."""
    torch = pytest.importorskip("torch")
    from isarstep.benchmark.arrays.dense import dense_dataset
    from isarstep.benchmark.arrays.files import load_dataset

    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("expert")
    build(write_corpus(folder), folder / "bench", sizes=Sizes(scored=12, band=0.2), workers=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(EXPERIMENTS))
        patch.setenv("XDG_CACHE_HOME", str(folder))
        import premises_run

        data = dense_dataset(load_dataset(folder / "bench", "+context"))
        (folder / "premises.pickle").write_bytes(pickle.dumps([data]))
        chosen = Namespace(device="cpu", size="tiny", dropout=0.0, rate=1.0, seed=0, start_from=None)
        first = premises_run.with_selected(folder)[0]
        premises_run.trained_model(first, chosen, folder / "model", "+premises", 1, 10, views=True, steps=STEPS)
    return folder


def stage(place: Path, name: str, *more: str) -> None:
    import expert_iteration

    common = [
        "--start-from",
        str(place / "model"),
        "--device",
        "cpu",
        "--size",
        "tiny",
        "--benchmark",
        str(place / "bench"),
    ]
    expert_iteration.main([name, str(place), *common, "--examples", "6", "--jobs", "1", "--judged", "3", *more])


def said(place: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (place / "progress.jsonl").read_text().splitlines()]


@pytest.mark.slow
def test_the_whole_way(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    from isarstep.benchmark.store.store import Benchmark
    from isarstep.model.decode.predictions import read_scored

    stage(place, "search")
    targets = {each.id: each for each in Benchmark(place / "bench").split("train")}
    asked = read_scored(place / "asked.jsonl")
    assert len(asked) == 6
    for name, proposals in asked.items():
        given = {line for _, line in targets[name].source(hints=False)}
        assert not {tokens for tokens, _ in proposals} & {targets[name].f1, *given}
    stage(place, "check", "--seconds", "0.1", "--top", "2")
    judged = said(place)[-1]
    assert judged["done"] == "check"
    derived = [proposals[:2] for name, proposals in asked.items() if targets[name].target_kind != "assumption"]
    assert judged["proposals"] == sum(map(len, derived))
    written = list(zip(targets, reversed([each.f1 for each in targets.values()]), strict=True))
    (place / "confirmed.json").write_text(json.dumps(written))
    stage(place, "train", "--targets", "author", "--steps", str(STEPS))
    stage(place, "train", "--targets", "confirmed", "--steps", str(STEPS), "--share", "0.1")
    stage(place, "train", "--targets", "taught", "--steps", str(STEPS), "--share", "0.1")
    mixed = {line["targets"]: line for line in said(place) if "targets" in line}
    assert mixed["confirmed"]["mixed in"] > 0
    assert mixed["confirmed"]["examples"] == mixed["author"]["examples"] + mixed["confirmed"]["mixed in"]
    for arm in mixed:
        about = json.loads((place / arm / "config.json").read_text())["training"]
        assert (about["steps"], about["before"]["steps"]) == (STEPS, STEPS)
    stage(place, "score")
    stage(place, "judge", "--minutes", "2")
    arms = {"before", *mixed}
    assert {line["arm"] for line in said(place) if "arm" in line} == arms
    assert {line["judged"]: line["examples"] for line in said(place) if "judged" in line} == dict.fromkeys(arms, 3)
    with tarfile.open(place / "back" / "rest.tar.xz") as packed:
        assert packed.getnames() == ["asked.jsonl", "asked.meta.json"]


def test_weights_and_results_are_carried_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    import expert_iteration

    (tmp_path / "taught").mkdir()
    for name in ("taught/model-1.safetensors", "taught/config.json", "verdicts.parquet", "premises.pickle"):
        (tmp_path / name).write_text("?")
    expert_iteration.pack(tmp_path, "taught/model*.safetensors", "taught/*.json", "*.parquet")
    assert {path.name for path in (tmp_path / "back").iterdir()} == {"model-1.safetensors", "rest.tar.xz"}
    with tarfile.open(tmp_path / "back" / "rest.tar.xz") as packed:
        assert packed.getnames() == ["taught/config.json", "verdicts.parquet"]


def test_all_stages_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    import expert_iteration

    (tmp_path / "author").mkdir()
    (tmp_path / "author" / "config.json").write_text('{"training": {"steps": 7}}')
    run: list[list[str]] = []
    monkeypatch.setattr(expert_iteration.subprocess, "run", lambda command, check: run.append(command[2:]))
    words = ["all", str(tmp_path), "--start-from", "M", "--targets", "taught"]
    expert_iteration.main(words)
    assert (tmp_path / "back" / "rest.tar.xz").exists()
    assert [command[0] for command in run] == ["search", "train", "train", "score", "judge"]
    assert all(command[1 : len(words)] == words[1:] for command in run)
    assert [command[len(words) :] for command in run] == [[], ["--targets", "author"], ["--steps", "7"], [], []]
