"""An exported benchmark can be cited and loaded by others: card, Croissant metadata, `datasets`."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest

from isarstep.benchmark.export.export import export_records
from isarstep.benchmark.rules.licences import BSD, LGPL, sessions_by_licence
from isarstep.benchmark.store.canary import CANARY
from isarstep.benchmark.store.store import Benchmark

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def exported(small_benchmark: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("citing")
    export_records(Benchmark(small_benchmark), folder / "out", style="unicode")
    return folder / "out"


def test_the_canary_is_in_every_exported_file(exported: Path) -> None:
    files = {path.name: path.read_text() for path in exported.iterdir()}
    assert {"README.md", "croissant.json", "train.jsonl", "test.jsonl"} <= files.keys()
    assert all(CANARY in text for text in files.values())
    assert all(CANARY in line for name, text in files.items() if name.endswith(".jsonl") for line in text.splitlines())


def test_the_card_is_filled(exported: Path) -> None:
    card = (exported / "README.md").read_text()
    assert "{" not in card.replace("{li2021isarstep", "").partition("```bibtex")[0]
    assert "**BSD-3-Clause**: S0, S1." in card
    assert "path: train.jsonl" in card
    assert card.startswith("---\n")


def test_licences_by_entry() -> None:
    assert sessions_by_licence(["Old_Datatype_Show", "HOL", "Jinja"]) == {
        BSD: ["HOL", "Jinja"],
        LGPL: ["Old_Datatype_Show"],
    }


def test_the_citation_names_the_version() -> None:
    import isarstep

    lines = (ROOT / "CITATION.cff").read_text().splitlines()
    assert f"version: {isarstep.__version__}" in lines
    assert "cff-version: 1.2.0" in lines


def test_mlcroissant_accepts_the_metadata_and_reads_records(exported: Path) -> None:
    mlcroissant = pytest.importorskip("mlcroissant", reason="pip install 'isarstep[cards]'")
    dataset = mlcroissant.Dataset(jsonld=exported / "croissant.json")
    assert not dataset.metadata.ctx.issues.errors
    assert not dataset.metadata.ctx.issues.warnings
    assert dataset.metadata.data_biases
    for split in ("train", "test"):
        rows = [json.loads(line) for line in (exported / f"{split}.jsonl").read_text().splitlines()][:10]
        records = list(islice(dataset.records(split), 10))
        assert len(records) == min(10, len(rows)) > 0
        for row, record in zip(rows, records, strict=True):
            for field in ("id", "f1", "f3"):
                assert record[f"{split}/{field}"].decode() == row[field]
            assert [text.decode() for text in record[f"{split}/f2"]] == row["f2"]


def test_datasets_shows_text(exported: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="pip install 'isarstep[peers]'")
    loaded = datasets.load_dataset(str(exported), cache_dir=str(tmp_path))
    first = json.loads((exported / "test.jsonl").read_text().splitlines()[0])
    assert loaded["test"][0] == first
    assert "CONST" not in loaded["test"][0]["f1"]
