"""The name of a benchmark is that of its bytes: whoever edits one is refused, or has a benchmark of another name."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.benchmark.corpus import write_corpus

from isarstep.benchmark.building.build import build
from isarstep.benchmark.rules.rules import Sizes
from isarstep.benchmark.store.identity import benchmark_name
from isarstep.benchmark.store.layout import sha256_of
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.resources import NAMES, benchmark_folder
from isarstep.score.headline import open_task

SIZES = Sizes(scored=12, of_a_theorem=2, band=0.2)
EMBEDDED_EDITS, SMALL_EDITS = 25, 175
Edit = Callable[[random.Random, Path], None]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    build(write_corpus(folder / "graphs"), folder / "bench", sizes=SIZES, workers=1)
    return folder / "bench"


def linked(folder: Path, to: Path) -> Path:
    """The same files under another name; an edit replaces a link and leaves the original alone."""
    to.mkdir()
    for path in folder.iterdir():
        os.symlink(path.resolve(), to / path.name)
    return to


def replace(path: Path, raw: bytes) -> None:
    path.unlink()
    path.write_bytes(raw)


def a_file(draw: random.Random, folder: Path) -> Path:
    return draw.choice(sorted(path for path in folder.iterdir() if path.name != "manifest.json"))


def edit_bytes(draw: random.Random, folder: Path) -> None:
    path = a_file(draw, folder)
    raw = bytearray(path.read_bytes())
    place = draw.randrange(len(raw))
    raw[place] ^= draw.randrange(1, 256)
    replace(path, bytes(raw))


def edit_bytes_and_their_line(draw: random.Random, folder: Path) -> None:
    """As issue 31 has it: the line of the file in the manifest is mended."""
    edit_bytes(draw, folder)
    mend_lines(folder)


def edit_bytes_and_the_name(draw: random.Random, folder: Path) -> None:
    edit_bytes_and_their_line(draw, folder)
    mend_name(folder)


def cut(draw: random.Random, folder: Path) -> None:
    path = a_file(draw, folder)
    replace(path, path.read_bytes()[: -draw.randrange(1, 9)])


def swap_fields(draw: random.Random, folder: Path) -> None:
    """F.1 and F.3 of scored examples change places, and all that can be mended is."""
    path = folder / f"{draw.choice(['test', 'validation'])}.parquet"
    table = pq.ParquetFile(path).read()
    f1, f3 = table["f1"].to_pylist(), table["f3"].to_pylist()
    row = draw.randrange(table.num_rows)
    f1[row], f3[row] = f3[row], f1[row]
    for column, values in (("f1", f1), ("f3", f3)):
        table = table.set_column(table.schema.get_field_index(column), column, pa.array(values, pa.int32()))
    path.unlink()
    pq.write_table(table, path)
    mend_lines(folder)
    if draw.random() < 0.5:
        mend_name(folder)


def edit_manifest(draw: random.Random, folder: Path) -> None:
    """Any field at any depth: another number, another word, one more, one less."""
    manifest = json.loads((folder / "manifest.json").read_text())
    inside: Any = manifest
    while True:
        # The name itself is left alone: mended, it would be what it was.
        keys = [key for key in inside if key != "hash"] if isinstance(inside, dict) else list(range(len(inside)))
        if not keys:
            inside["new" if isinstance(inside, dict) else slice(0, 0)] = "new" if isinstance(inside, dict) else ["new"]
            break
        key = draw.choice(keys)
        if isinstance(inside[key], dict | list) and draw.random() < 0.9:
            inside = inside[key]
            continue
        if draw.random() < 0.3:
            del inside[key]
        else:
            inside[key] = f"{inside[key]}x" if isinstance(inside[key], str) else 7919
        break
    replace(folder / "manifest.json", json.dumps(manifest).encode())


def edit_manifest_and_the_name(draw: random.Random, folder: Path) -> None:
    edit_manifest(draw, folder)
    mend_name(folder)


def mend_lines(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    for name in manifest["files"]:
        manifest["files"][name] = {"bytes": (folder / name).stat().st_size, "sha256": sha256_of(folder / name)}
    replace(folder / "manifest.json", json.dumps(manifest).encode())


def mend_name(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["hash"] = benchmark_name(manifest)
    replace(folder / "manifest.json", json.dumps(manifest).encode())


EDITS: tuple[Edit, ...] = (
    edit_bytes,
    edit_bytes_and_their_line,
    edit_bytes_and_the_name,
    cut,
    swap_fields,
    edit_manifest,
    edit_manifest_and_the_name,
)


def name_when_scored(folder: Path) -> str | None:
    """None: refused."""
    try:
        return open_task(folder, "test").benchmark
    except UserError:
        return None


@pytest.mark.parametrize(
    ("of", "count"), [("small", SMALL_EDITS), pytest.param("embedded", EMBEDDED_EDITS, marks=pytest.mark.slow)]
)
def test_random_edits_are_refused_or_get_another_name(small: Path, tmp_path: Path, of: str, count: int) -> None:
    folder = small if of == "small" else benchmark_folder("embedded")
    name = json.loads((folder / "manifest.json").read_text())["hash"]
    draw = random.Random(f"{of} 31")
    outcomes = set()
    for number in range(count):
        copy = linked(folder, tmp_path / str(number))
        edit = EDITS[number % len(EDITS)]
        edit(draw, copy)
        found = name_when_scored(copy) if of == "small" else name_of_embedded(copy)
        assert found != name, f"edit {number} ({edit.__name__}) keeps the name"
        outcomes.add(found is None)
        shutil.rmtree(copy)
    assert outcomes == {True, False}  # some are refused, and some have another name


def name_of_embedded(folder: Path) -> str | None:
    """As it is compared before scoring, without the examples: those take seconds."""
    try:
        return Benchmark(folder).compare().hash
    except UserError:
        return None


def test_untouched_copies_keep_their_name(small: Path, tmp_path: Path) -> None:
    assert name_when_scored(linked(small, tmp_path / "copy")) == Benchmark(small).hash


def test_embedded_bears_the_name_that_the_code_knows(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for where, name in NAMES.items():
        assert Benchmark(where).hash == name
    monkeypatch.setattr("isarstep.benchmark.store.store.benchmark_folder", lambda where: small)
    with pytest.raises(UserError, match=f"this version ships {NAMES['embedded'][:12]}"):
        Benchmark("embedded")


def test_bytes_are_compared_once_for_an_installation(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shutil.copytree(small, tmp_path / "bench")
    hashed: list[Path] = []

    def counting(path: Path) -> str:
        hashed.append(path)
        return sha256_of(path)

    monkeypatch.setattr("isarstep.benchmark.store.layout.sha256_of", counting)
    name = Benchmark(tmp_path / "bench").hash
    assert len(hashed) == len(Benchmark(small).manifest["files"])
    hashed.clear()
    assert Benchmark(tmp_path / "bench").hash == name
    assert not hashed
    # A file of the same size is looked at again, and found out, even where its time is set back.
    path = tmp_path / "bench" / "types.parquet"
    times = path.stat().st_atime_ns, path.stat().st_mtime_ns
    raw = path.read_bytes()
    path.write_bytes(raw[:-1] + bytes([raw[-1] ^ 1]))
    os.utime(path, ns=times)
    with pytest.raises(UserError, match=r"types\.parquet: damaged"):
        _ = Benchmark(tmp_path / "bench").hash
    # Where nothing can be kept, they are compared every time.
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null/nowhere")
    path.write_bytes(raw)
    for _ in range(2):
        hashed.clear()
        assert Benchmark(tmp_path / "bench").hash == name
        assert hashed


def test_licences_stand_in_the_manifest_by_entry() -> None:
    manifest = Benchmark().manifest
    assert manifest["licences"]["Abstract-Rewriting"] == "LGPL-2.1-only"
    assert manifest["licences"]["HOL"] == "BSD-3-Clause"
    assert set(manifest["unseen entries"]) <= set(manifest["licences"])
