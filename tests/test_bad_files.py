"""Files that were cut off, edited or written by others: one line that names the file, the place and the cure."""

from __future__ import annotations

import gzip
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
import zstandard
from tests.score.small import make_benchmark

from isarstep.apps.llm.asking import REPLIES, read_replies
from isarstep.apps.llm.endpoint import Completion, _completion
from isarstep.benchmark.building.stats import measure, tables
from isarstep.benchmark.store.identity import benchmark_name
from isarstep.benchmark.store.store import Benchmark
from isarstep.cli import run
from isarstep.common.errors import UserError
from isarstep.common.file_reading import Misfit, fitting, read_content, read_json, read_json_lines, read_parquet

GRAPH = Path(__file__).parent / "isabelle" / "process" / "graphs" / "Attributes.jsonl.zst"


@dataclass(frozen=True)
class Inner:
    kind: Literal["a", "b"]
    many: tuple[int, ...] = ()


@dataclass(frozen=True)
class Outer:
    number: float
    inner: Inner | None
    named: dict[str, list[str]]


def test_a_document_becomes_a_value() -> None:
    document = {"number": 1, "inner": {"kind": "a", "many": [1, 2], "other": None}, "named": {"x": ["y"]}}
    assert fitting(document, Outer) == Outer(1.0, Inner("a", (1, 2)), {"x": ["y"]})
    assert fitting(document | {"inner": None}, Outer).inner is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"number": True}, "number is true or false, expected a number"),
        ({"number": float("nan")}, "number is not a finite number"),
        ({"number": 10**400}, "number is not a finite number"),
        ({"inner": []}, "inner is a list, expected an object"),
        ({"inner": {"kind": "c"}}, "inner.kind is 'c', expected one of 'a', 'b'"),
        ({"inner": {"kind": []}}, "inner.kind is '[]', expected one of 'a', 'b'"),
        ({"inner": {}}, "inner.kind is missing"),
        ({"inner": {"kind": "a", "many": [1, "2"]}}, "inner.many[1] is a string, expected a whole number"),
        ({"inner": {"kind": "a", "many": [True]}}, "inner.many[0] is true or false, expected a whole number"),
        ({"named": {"x": [None]}}, "named.x[0] is null, expected a string"),
    ],
)
def test_a_document_of_another_shape_is_named(change: dict[str, Any], said: str) -> None:
    with pytest.raises(Misfit) as error:
        fitting({"number": 1, "inner": None, "named": {}} | change, Outer)
    assert str(error.value) == said


def test_whatever_is_in_a_file_it_is_one_line(tmp_path: Path) -> None:
    content = b'{"a": 1}\n' * 100
    packed = {".zst": zstandard.ZstdCompressor().compress(content), ".gz": gzip.compress(content), "": content}
    for ending, raw in packed.items():
        path = tmp_path / f"x.json{ending}"
        for length in {0, 1, 3, 9, len(raw) // 2, len(raw) - 1, len(raw)}:
            path.write_bytes(raw[:length])
            try:
                read = read_content(path, "the cure")
                assert read == content[: len(read)]
                assert len(read) in (0, len(content)) or not ending
            except UserError as error:
                assert str(path) in str(error)
                assert "the cure" in str(error)
                assert length < len(raw)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(UserError, match=r"x\.json: byte 0 is not UTF-8; the cure"):
        read_json(path, "the cure")
    path.write_text("[" * 100_000)
    with pytest.raises(UserError, match=r"x\.json: is not JSON \(nested too deeply\); the cure"):
        read_json(path, "the cure")
    path.write_text('{"a": 1}\n{"a": "x"}\n')
    with pytest.raises(UserError, match=r"x\.json:2: a is a string, expected a whole number; the cure"):
        list(read_json_lines(path, "the cure", dict[str, int]))
    with pytest.raises(UserError, match=r"x\.json: not readable as Parquet .*; the cure"):
        read_parquet(path, "the cure")
    path.unlink()
    os.mkfifo(path)  # which nobody writes: reading it would never end
    with pytest.raises(UserError, match=r"x\.json: is not a regular file; the cure"):
        read_json(path, "the cure")


# Replies of language models

SAMPLE = {"text": "x", "cut": False, "tokens_in": 1, "tokens_out": None}


@pytest.mark.parametrize(
    "line",
    [
        "",
        "[]",
        "5",
        "null",
        "{",
        "[" * 100_000,
        {},
        {"id": "a"},
        {"id": 5, "samples": [SAMPLE]},
        {"id": ["a"], "samples": [SAMPLE]},
        {"id": "a", "samples": {}},
        {"id": "a", "samples": []},
        {"id": "a", "samples": [SAMPLE, SAMPLE]},
        {"id": "a", "samples": ["x"]},
        {"id": "a", "samples": [{"text": "x"}]},
        {"id": "a", "samples": [SAMPLE | {"text": None}]},
        {"id": "a", "samples": [SAMPLE | {"cut": "no"}]},
        {"id": "a", "samples": [SAMPLE | {"tokens_in": "many"}]},
    ],
    ids=lambda line: str(line)[:60],
)
def test_malformed_replies_are_one_line(tmp_path: Path, line: Any) -> None:
    whole = json.dumps({"id": "b", "samples": [SAMPLE]})
    (tmp_path / REPLIES).write_text(f"{whole}\n{line if isinstance(line, str) else json.dumps(line)}\n")
    if line == "":
        assert [each.id for each in read_replies(tmp_path, 1)] == ["b"]
        return
    with pytest.raises(UserError, match=r"replies\.jsonl:2: .*; remove the line and ask again"):
        list(read_replies(tmp_path, 1))


@pytest.mark.parametrize("counts", [{"prompt_tokens": True}, {"prompt_tokens": 1.5}, {"prompt_tokens": "1"}, [], None])
def test_odd_counts_of_a_server_are_none(counts: Any) -> None:
    reply = _completion({"choices": [{"message": {"content": "x"}}], "usage": counts})
    assert reply == Completion("x", False, None, None)


# Manifests of benchmarks


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_benchmark(tmp_path_factory.mktemp("manifest") / "benchmark")


@pytest.mark.parametrize(
    "change",
    [
        {"examples": []},
        {"examples": {"train": "many"}},
        {"counts": []},
        {"counts": {"raw": 5}},
        {"counts": {"raw": None}},
        {"sessions": {"A": {}}},
        {"sessions": {"A": 5}},
        {"sessions": []},
        {"marked": {"x": 1}},
        {"marked": [1]},
        {"qualified": [5]},
        {"qualified": 5},
        {"leaking lengths": [1]},
        {"leaking lengths": "x"},
        {"variable names": "x"},
        {"facts": "x"},
        {"version": None},
        {"format": "4"},
        {"format": True},
    ],
    ids=str,
)
def test_stats_on_a_hostile_manifest(benchmark: Path, change: dict[str, Any]) -> None:
    path = benchmark / "manifest.json"
    before = path.read_text()
    manifest = json.loads(before) | change
    try:
        path.write_text(json.dumps(manifest | {"hash": benchmark_name(manifest)}))
        try:
            opened = Benchmark(benchmark)
        except UserError as error:
            assert str(path) in str(error)
            assert next(iter(change)).replace(" ", "_") in str(error)
            return
        assert tables(opened, measured(opened))
    finally:
        path.write_text(before)


_MEASURED: list[Any] = []


def measured(benchmark: Benchmark) -> Any:
    """What does not depend on the manifest is measured once."""
    if not _MEASURED:
        _MEASURED.append(measure(benchmark))
    return _MEASURED[0]


# Graphs


@pytest.mark.parametrize("command", [["graph"], ["build"]])
def test_half_a_graph(tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str]) -> None:
    raw = GRAPH.read_bytes()
    half = tmp_path / "Half.jsonl.zst"
    for length in (0, 10, len(raw) // 2, len(raw) - 4):
        half.write_bytes(raw[:length])
        options = ["--out", str(tmp_path / "out"), "--jobs", "1"] if command == ["build"] else []
        assert run([*command, str(half), *options]) == 2
        said = capsys.readouterr().err.splitlines()[-1]
        assert str(half) in said
        assert "mine the theory again" in said
