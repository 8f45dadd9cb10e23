"""An entry in halves: theories of one are trained on, theories of the other scored, and neither tells the other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.bench.corpus import write_corpus

from isarstep.bench.build import build
from isarstep.bench.own_entry import build_halves
from isarstep.bench.rules import Sizes
from isarstep.bench.store import Benchmark
from isarstep.cli import run
from isarstep.errors import UserError


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("halves")
    build(write_corpus(folder), folder / "bench", sizes=Sizes(scored=12, band=0.2), workers=1)
    return folder / "bench"


def shape(text: str) -> str:
    seen: dict[str, str] = {}
    return re.sub(r"<X\d+>", lambda match: seen.setdefault(match[0], str(len(seen))), text)


def test_theories_are_trained_on_or_scored(whole: Path, tmp_path: Path) -> None:
    manifest = build_halves(whole, "S0", tmp_path / "halves")
    made = Benchmark(tmp_path / "halves")
    splits = {name: list(made.split(name)) for name in ("train", "validation", "test")}
    assert all(splits.values())
    theories = {name: {example.theory for example in examples} for name, examples in splits.items()}
    assert theories["train"] | theories["validation"] == set(manifest["halves"]["trained"])
    assert theories["test"] == set(manifest["halves"]["scored"])
    assert theories["train"].isdisjoint(theories["test"])
    assert {example.session for examples in splits.values() for example in examples} == {"S0"}
    learned = [*splits["train"], *splits["validation"]]
    assert {shape(example.f1) for example in learned}.isdisjoint(shape(example.f1) for example in splits["test"])
    assert {example.theorem for example in learned}.isdisjoint(example.theorem for example in splits["test"])
    assert {e.theorem for e in splits["train"]}.isdisjoint(e.theorem for e in splits["validation"])
    # Every proposition is as it was, and so is what is known of variables and proofs.
    known = {e.id: e for name in Benchmark(whole).splits for e in Benchmark(whole).split(name)}
    assert all(known[example.id] == example for example in [*learned, *splits["test"]])
    assert made.proofs is not None


def test_halves_are_the_same_when_they_are_made_again(whole: Path, tmp_path: Path) -> None:
    first, second = (build_halves(whole, "S0", tmp_path / name)["hash"] for name in ("a", "b"))
    assert first == second


def test_halves_are_no_base_for_anything_else(whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build_halves(whole, "S0", tmp_path / "halves")
    graphs = [str(path) for path in write_corpus(tmp_path / "graphs")]
    for arguments in ([str(tmp_path / "halves")], [*graphs, "--fresh", str(tmp_path / "halves"), "--entry", "S0"]):
        assert run(["build", *arguments, "--out", str(tmp_path / "out")]) == 2
        assert "give a benchmark that was built from graphs" in capsys.readouterr().err


def test_the_command_says_what_is_trained_on(whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["build", str(whole), "--halves", "S0", "--out", str(tmp_path / "halves")]) == 0
    said = capsys.readouterr().out
    assert said.startswith("train on Test.T")
    assert "held out" in said
    assert run(["build", str(whole), str(whole), "--halves", "S0", "--out", str(tmp_path / "halves")]) == 2


def test_an_entry_that_is_not_there_is_said(whole: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Nowhere has no two theories"):
        build_halves(whole, "Nowhere", tmp_path / "halves")
