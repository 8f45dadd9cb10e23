"""The folder of a benchmark: names, manifest, hashes, and how a folder is replaced as one.

docs/benchmark.md describes the same for people who read the Parquet files with other tools.
"""

from __future__ import annotations

import ctypes
import glob
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from isarstep.benchmark.store.identity import benchmark_name
from isarstep.common.errors import UserError
from isarstep.common.file_reading import Misfit, fitting, read_json
from isarstep.common.files import sha256_of, write_whole

FORMAT = 4
VERSION = "2.1"  # of the task: format and rules together, named beside the hash in every score
UNTYPED = "dummy"  # Isabelle's type of a variable that was fixed but has no type yet
USUAL = ("train", "validation", "test")  # which every benchmark has, if with no rows
SPLITS = (*USUAL, "unseen", "fresh", "unseen2", "fresh2")
LENGTHS = (10, 20, 40, 80)  # of targets, in tokens: up to 10, up to 20, ..., longer

# Tables: each is one file NAME.parquet, or several NAME-00.parquet, NAME-01.parquet, ...
PROPOSITIONS = "propositions"
TYPES = "types"
PROOFS = "proofs"
LEMMAS = "lemmas"
RULES = "rules"
VOCABULARY = "vocab.json"
NOTATION = "notation.json.zst"
SIGNATURE = "signature.json.zst"
MANIFEST = "manifest.json"


_BUILD_AGAIN = "build the benchmark again"


@dataclass(frozen=True, eq=False)
class _FileFields:
    bytes: int
    sha256: str


@dataclass(frozen=True, eq=False)
class _SessionFields:
    theories: int
    theorems: int
    train: int


@dataclass(frozen=True, eq=False)
class _ManifestFields:
    """The shape of a manifest: field names have a blank where a name here has an underscore."""

    format: int
    hash: str
    files: dict[str, _FileFields]
    examples: dict[str, int] = field(default_factory=dict)
    propositions: int = 0
    vocabulary: int = 0
    facts: int | None = None
    version: str | int = 1
    isabelle: list[str] = field(default_factory=list)
    sessions: dict[str, _SessionFields] = field(default_factory=dict)
    qualified: list[str] = field(default_factory=list)
    rules: dict[str, Any] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    marked: dict[str, int] = field(default_factory=dict)
    fresh: dict[str, Any] = field(default_factory=dict)
    variable_names: int | None = None
    leaking_lengths: list[int] = field(default_factory=list)
    unseen_entries: list[str] = field(default_factory=list)
    earlier_names: list[str] = field(default_factory=list)
    passed_over: dict[str, int] = field(default_factory=dict)
    taken_out: dict[str, dict[str, str]] = field(default_factory=dict)


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a benchmark under the name that it bears, every file that it names present in its full size."""
    path = folder / MANIFEST
    if not path.is_file():
        raise UserError(f"{folder}: no benchmark here ({MANIFEST} is missing); 'isarstep build' makes one")
    manifest: dict[str, Any] = read_json(path, _BUILD_AGAIN, dict[str, Any])
    known = manifest.get("format")
    if known != FORMAT and isinstance(known, int):
        raise UserError(
            f"{path}: a benchmark of format {known}, this one reads {FORMAT}; build it anew: isarstep build GRAPHS"
        )
    try:
        renamed = {name.replace(" ", "_"): value for name, value in manifest.items()}
        fields: _ManifestFields = fitting(renamed, _ManifestFields)
    except Misfit as error:
        raise UserError(f"{path}: not a benchmark's manifest ({error}); {_BUILD_AGAIN}") from None
    if benchmark_name(manifest) != fields.hash:
        raise UserError(f"{path}: was edited, its name is not that of what it says; {_BUILD_AGAIN}")
    for name, wanted in ((name, record.bytes) for name, record in fields.files.items()):
        size = (folder / name).stat().st_size if (folder / name).is_file() else None
        if size != wanted:
            found = "is missing" if size is None else f"has {size} bytes instead of {wanted}"
            raise UserError(f"{folder / name}: {found}; build the benchmark again")
    return manifest


def files_of(manifest: Mapping[str, Any], table: str) -> list[str]:
    """The files of a table in order; none where the benchmark does not have it."""
    pattern = re.compile(rf"{re.escape(table)}(-\d+)?\.parquet")
    return sorted(name for name in manifest["files"] if pattern.fullmatch(name))


def verify(folder: Path, name: str, manifest: Mapping[str, Any]) -> Path:
    """The path of one file of the benchmark, after its bytes were compared with the manifest."""
    path = folder / name
    record = manifest["files"].get(name)
    if record is None:
        raise UserError(f"{folder}: this benchmark has no {name}")
    if sha256_of(path) != record["sha256"]:
        raise UserError(f"{path}: damaged (its hash is not the manifest's); build the benchmark again")
    return path


def write_manifest(folder: Path, content: Mapping[str, Any]) -> dict[str, Any]:
    """Add the format, the sizes and hashes of all files in the folder and the name that follows, and write it."""
    files = {
        path.name: {"bytes": path.stat().st_size, "sha256": sha256_of(path)}
        for path in sorted(folder.iterdir())
        if path.name != MANIFEST
    }
    said = {"format": FORMAT, **content, "files": files}
    # The name as JSON will have it: tuples become lists, and keys strings.
    document = {"hash": benchmark_name(json.loads(json.dumps(said))), **said}
    write_whole(folder / MANIFEST, json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    return document


@contextmanager
def replacing(folder: Path, manifest: str = MANIFEST) -> Iterator[Path]:
    """A new folder to fill; when the block ends well it takes the place of the old one, which has such a manifest, in a
    single step."""
    folder = folder.absolute()
    if folder.exists() and not (folder / manifest).is_file() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder}: exists and is not a benchmark; choose another --out")
    with workspace(folder) as fresh:
        yield fresh
        if folder.exists():
            _exchange(fresh, folder)
        else:
            fresh.rename(folder)


@contextmanager
def workspace(folder: Path) -> Iterator[Path]:
    """An empty folder beside the one that is being made; what killed processes have left there is removed."""
    import socket
    import tempfile

    from isarstep.isabelle.process.external_programs import process_runs

    folder = folder.absolute()
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Of other machines that share the disk nobody knows here who is alive.
    ours = f".{folder.name}-{re.sub(r'[^A-Za-z0-9]', '_', socket.gethostname())}-"
    for old in folder.parent.glob(f"{glob.escape(ours)}*.tmp"):
        maker = old.name.removeprefix(ours).partition("-")[0]
        if maker.isdecimal() and not process_runs(int(maker)):
            shutil.rmtree(old, ignore_errors=True)
    fresh = Path(tempfile.mkdtemp(prefix=f"{ours}{os.getpid()}-", suffix=".tmp", dir=folder.parent))
    try:
        fresh.chmod(0o755)
        yield fresh
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _exchange(left: Path, right: Path) -> None:
    """Swap two folders so that no moment exists in which one of the names is free."""
    renameat2 = getattr(ctypes.CDLL(None), "renameat2", None)
    at_cwd, exchange = -100, 2
    if renameat2 is not None and renameat2(at_cwd, os.fsencode(left), at_cwd, os.fsencode(right), exchange) == 0:
        return
    aside = right.with_name(f".{right.name}-old.tmp")  # systems without the call: two renames
    right.rename(aside)
    left.rename(right)
    shutil.rmtree(aside)
