"""A split as memory-mapped integers, for training: tokens by vocabulary number, propositions, examples.

Made from the Parquet files on first use and kept in a cache folder named by the benchmark's hash, so that a second
process maps the same pages.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from isarstep.bench.layout import PROPOSITIONS, SPECIALS, SPLITS
from isarstep.bench.store import Benchmark
from isarstep.data import EMBEDDED
from isarstep.errors import UserError

Ints: TypeAlias = np.ndarray[Any, np.dtype[Any]]

PAD, BOS, EOS, UNK, SEP, F2, F3, F4, F5 = range(len(SPECIALS))
_LAYOUT = 1  # of the cache; a new layout gets a new folder
_FIELDS = (2, 3, 4, 5)


@dataclass(frozen=True)
class Arrays:
    """One split. Proposition p is `tokens[offsets[p]:offsets[p + 1]]`; example i has the target proposition `target[i]`
    and the source propositions `source[starts[i]:starts[i + 1]]` with their fields (2-5) in `category`, in the order in
    which models read them: fields in order, longest proposition first."""

    vocabulary: list[str]
    tokens: Ints  # uint16 or uint32
    offsets: Ints  # int64, propositions + 1
    target: Ints  # int32, examples
    starts: Ints  # int64, examples + 1
    source: Ints  # int32
    category: Ints  # uint8

    def __len__(self) -> int:
        return len(self.target)

    def proposition(self, number: int) -> Ints:
        return self.tokens[self.offsets[number] : self.offsets[number + 1]]

    def target_tokens(self, example: int) -> Ints:
        return self.proposition(int(self.target[example]))

    def propositions(self, example: int, *, hints: bool = True) -> list[tuple[int, Ints]]:
        """(field, tokens) of the source; `hints=False` leaves F.5 out."""
        here = range(int(self.starts[example]), int(self.starts[example + 1]))
        chosen = [k for k in here if hints or self.category[k] != 5]
        return [(int(self.category[k]), self.proposition(int(self.source[k]))) for k in chosen]

    def sequence(self, example: int, *, hints: bool = True) -> Ints:
        """What sequence models read: `<F2> p <SEP> <F3> c <SEP> <F4> q`."""
        pieces: list[Ints] = []
        for field, tokens in self.propositions(example, hints=hints):
            if pieces:
                pieces.append(np.array([SEP], self.tokens.dtype))
            pieces += [np.array([F2 + field - 2], self.tokens.dtype), tokens]
        return np.concatenate(pieces) if pieces else np.zeros(0, self.tokens.dtype)

    @cached_property
    def lengths(self) -> Ints:
        """Tokens of every proposition."""
        return np.diff(self.offsets)

    def source_lengths(self, *, hints: bool = True) -> Ints:
        """Length of `sequence` for every example at once, labels and separators included."""
        per = self.lengths[self.source] + 2
        if not hints:
            per = np.where(self.category == 5, 0, per)
        total = np.concatenate([[0], np.cumsum(per)])
        sums = total[self.starts[1:]] - total[self.starts[:-1]]
        return np.asarray(np.maximum(sums - 1, 0))


def load_arrays(where: str | Path = EMBEDDED, split: str = "train", *, cache: Path | None = None) -> Arrays:
    """The arrays of one split, made now or mapped from the cache."""
    benchmark = Benchmark(where)
    split = "validation" if split == "valid" else split
    if split not in SPLITS:
        raise UserError(f"{split}: no such split; there are {', '.join(SPLITS)}")
    folder = (cache or _cache_folder()) / f"{benchmark.manifest['files'][PROPOSITIONS]['sha256'][:16]}-{_LAYOUT}"
    if not (folder / "offsets.npy").is_file():
        _publish(folder, lambda fresh: _make_tokens(benchmark, fresh))
    here = folder / f"{split}-{benchmark.hash[:16]}"
    if not (here / "target.npy").is_file():
        offsets = np.load(folder / "offsets.npy", mmap_mode="r")
        _publish(here, lambda fresh: _make_split(benchmark, split, np.diff(offsets), fresh))

    def mapped(path: Path) -> Ints:
        # An empty array cannot be mapped.
        return np.load(path, mmap_mode="r" if path.stat().st_size > 128 else None)  # type: ignore[no-any-return]

    return Arrays(
        benchmark.vocabulary,
        mapped(folder / "tokens.npy"),
        mapped(folder / "offsets.npy"),
        *(mapped(here / f"{name}.npy") for name in ("target", "starts", "source", "category")),
    )


def _cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "isarstep"


def _publish(folder: Path, make: Any) -> None:
    """Fill a temporary folder and rename it; whoever comes second keeps the first one's."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", suffix=".tmp", dir=folder.parent))
    try:
        make(fresh)
        try:
            fresh.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
            for path in fresh.iterdir():  # the folder exists, perhaps with another split in it: add what is missing
                path.replace(folder / path.name)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _make_tokens(benchmark: Benchmark, folder: Path) -> None:
    vocabulary = pa.array(benchmark.vocabulary, pa.large_string())
    dtype = np.uint16 if len(vocabulary) <= 1 << 16 else np.uint32
    tokens: list[Ints] = []
    lengths: list[Ints] = []
    for block in benchmark.propositions.blocks():
        split = pc.split_pattern(block.cast(pa.large_string()), " ")
        lengths.append(np.diff(split.offsets.to_numpy()))
        encoded = split.flatten().dictionary_encode()
        numbers = pc.fill_null(pc.index_in(encoded.dictionary, vocabulary), UNK).to_numpy()
        tokens.append(numbers.astype(dtype)[encoded.indices.to_numpy()])
    empty = np.zeros(0, dtype)
    np.save(folder / "tokens.npy", np.concatenate([*tokens, empty]))
    ends = np.cumsum(np.concatenate([*lengths, empty]), dtype=np.int64)
    np.save(folder / "offsets.npy", np.concatenate([np.zeros(1, np.int64), ends]))


def _make_split(benchmark: Benchmark, split: str, lengths: Ints, folder: Path) -> None:
    columns = ["f1", "f2", "f3", "f4", "f5"]
    table = pq.read_table(benchmark.path(f"{split}.parquet"), columns=columns).combine_chunks()
    examples: list[Ints] = []
    numbers: list[Ints] = []
    fields: list[Ints] = []
    for field in _FIELDS:
        column = table[f"f{field}"].combine_chunks()
        if isinstance(column, pa.ChunkedArray):
            column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
        if pa.types.is_list(column.type):
            values, per = column.flatten().to_numpy(), np.diff(column.offsets.to_numpy())
        else:
            present = column.is_valid().to_numpy(zero_copy_only=False)
            values, per = column.drop_null().to_numpy(), present.astype(np.int64)
        numbers.append(values.astype(np.int32))
        examples.append(np.repeat(np.arange(table.num_rows), per))
        fields.append(np.full(len(values), field, np.uint8))
    example, number, category = (np.concatenate(parts) for parts in (examples, numbers, fields))
    order = np.lexsort((-lengths[number], category, example))
    np.save(folder / "source.npy", number[order])
    np.save(folder / "category.npy", category[order])
    np.save(folder / "starts.npy", np.searchsorted(example[order], np.arange(table.num_rows + 1)).astype(np.int64))
    np.save(folder / "target.npy", table["f1"].to_numpy().astype(np.int32))
    (folder / "made-from.json").write_text(json.dumps({"folder": benchmark.folder.name, "hash": benchmark.hash}))
