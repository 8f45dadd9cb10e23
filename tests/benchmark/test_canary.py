"""Every file of a benchmark carries the canary, in its metadata or as a field."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import zstandard
from tests.benchmark.corpus import write_corpus

from isarstep.benchmark.building.build import build
from isarstep.benchmark.store.canary import CANARY
from isarstep.benchmark.store.store import Benchmark


def canary_of(path: Path) -> str | None:
    if path.suffix == ".parquet":
        found = (pq.read_metadata(path).metadata or {}).get(b"canary")
        return found and found.decode()
    raw = path.read_bytes()
    if path.suffix == ".zst":
        raw = zstandard.ZstdDecompressor().stream_reader(raw).read()
    return json.loads(raw).get("canary")


def test_the_canary_is_in_every_file(tmp_path: Path) -> None:
    write_corpus(tmp_path / "graphs")
    build([tmp_path / "graphs"], tmp_path / "out")
    files = sorted((tmp_path / "out").iterdir())
    assert len(files) >= 8
    assert {path.name: canary_of(path) for path in files} == dict.fromkeys([path.name for path in files], CANARY)
    # and no reader minds
    benchmark = Benchmark(tmp_path / "out")
    assert benchmark.vocabulary[0] == "<PAD>"
    assert benchmark.signature.constants


def test_the_canary_is_in_every_file_of_the_embedded_benchmark() -> None:
    files = sorted(Benchmark("embedded").folder.iterdir())
    assert len(files) >= 8
    assert [path.name for path in files if canary_of(path) != CANARY] == []
