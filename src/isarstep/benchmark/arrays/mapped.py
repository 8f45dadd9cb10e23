"""The splits of a benchmark folder as memory-mapped integers.

Made from the Parquet files on first use and kept in a cache folder named by the benchmark's hash, so that a second
process maps the same pages.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections import Counter
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from isarstep.benchmark.arrays.context import AddedSources, ExamplePlaces, Proofs, contexts_of, with_contexts
from isarstep.benchmark.arrays.corpus import Corpus, Dataset, Lists, starts_of
from isarstep.benchmark.arrays.inputs import FIELDS_READ, STATEMENT, Input
from isarstep.benchmark.store.ids import VARIABLE
from isarstep.benchmark.store.layout import PROOFS, PROPOSITIONS, files_of
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.disk_cache import cache_folder
from isarstep.common.errors import UserError
from isarstep.isabelle.context.columns import one_array

Numbers: TypeAlias = np.ndarray[Any, np.dtype[Any]]

_LAYOUT = 2  # of the cache; a new layout gets a new folder
_CONTEXTS = 1  # the same of contexts
_FIELDS = (2, 3, 4, 5)
_OF_CONTEXTS = [each.name for each in fields(AddedSources)]


def dataset_of_benchmark(where: str | Path, input: Input = "base") -> Dataset:
    """With the contexts of examples if the input wants them: the train split's take a minute to make."""
    benchmark = Benchmark(where)
    there = [name for name in benchmark.splits if len(benchmark.split(name))]
    made = corpus_with_context if STATEMENT in FIELDS_READ[input] else corpus_of_split
    splits = {name: made(benchmark, name) for name in there}
    return Dataset(splits, tuple(benchmark.vocabulary), benchmark.hash, outside_of(benchmark))


def outside_of(benchmark: Benchmark, *, cache: Path | None = None) -> tuple[str, ...]:
    """Tokens of some proposition that are not in the vocabulary; their numbers follow those of the vocabulary."""
    return tuple(json.loads((_tokens_folder(benchmark, cache) / "outside.json").read_text(encoding="utf-8")))


def _tokens_folder(benchmark: Benchmark, cache: Path | None) -> Path:
    files = [benchmark.manifest["files"][name]["sha256"] for name in files_of(benchmark.manifest, PROPOSITIONS)]
    of_texts = hashlib.sha256("".join(files).encode()).hexdigest()
    folder = (cache or cache_folder()) / f"{of_texts[:16]}-{_LAYOUT}"
    if not (folder / "offsets.npy").is_file():
        _publish(folder, lambda fresh: _make_tokens(benchmark, fresh))
    return folder


def corpus_of_split(benchmark: Benchmark, split: str, *, cache: Path | None = None) -> Corpus:
    """One split, made now or mapped from the cache."""
    split = benchmark.split(split).name
    folder = _tokens_folder(benchmark, cache)
    here = folder / f"{split}-{benchmark.hash[:16]}"
    if not (here / "target.npy").is_file():
        offsets = np.load(folder / "offsets.npy", mmap_mode="r")
        _publish(here, lambda fresh: _make_split(benchmark, split, np.diff(offsets), fresh))

    table = benchmark.split(split).table()
    # How many variables the context fixes, where the benchmark records it.
    known = "fixed" in table.column_names
    fixed = table["fixed"].to_numpy().astype(np.int32) if known else np.full(table.num_rows, -1, np.int32)
    return Corpus(
        tokens=mapped(folder / "tokens.npy"),
        token_starts=mapped(folder / "offsets.npy"),
        targets=mapped(here / "target.npy"),
        sources=mapped(here / "source.npy"),
        fields=mapped(here / "category.npy").astype(np.int8),
        source_starts=mapped(here / "starts.npy"),
        variables=fixed,
        ids=tuple(table["id"].to_pylist()),
    )


def corpus_with_context(benchmark: Benchmark, split: str, *, cache: Path | None = None) -> Corpus:
    """One split with what the input `+context` adds."""
    corpus = corpus_of_split(benchmark, split, cache=cache)
    folder = _tokens_folder(benchmark, cache) / f"{split}-context{_CONTEXTS}-{benchmark.hash[:16]}"
    if not (folder / "counts.json").is_file():
        _publish(folder, lambda fresh: _make_contexts(*contexts_above(benchmark, split, corpus, cache=cache), fresh))
    return with_contexts(corpus, AddedSources(**{name: mapped(folder / f"{name}.npy") for name in _OF_CONTEXTS}))


def mapped(path: Path) -> Numbers:
    # An empty array cannot be mapped.
    return np.asarray(np.load(path, mmap_mode="r" if path.stat().st_size > 128 else None))


def contexts_above(
    benchmark: Benchmark, split: str, corpus: Corpus, *, cache: Path | None = None
) -> tuple[AddedSources, Counter[str]]:
    """What the input `+context` adds to the examples of a split, and how many propositions were left out, and why."""
    if not files_of(benchmark.manifest, PROOFS):
        raise UserError(f"{benchmark.folder}: knows no proofs, so that its examples have no context")
    proofs = benchmark.table(PROOFS, ["statement", "facts", "first", "last"])
    table = benchmark.table(split, ["proof_row", "target_step", "fixed", "variables"])
    places = {name: table[name].fill_null(-1).to_numpy() for name in ("proof_row", "target_step", "fixed")}
    words = [*benchmark.vocabulary, *outside_of(benchmark, cache=cache)]
    variables = {int(found[1]): token for token, word in enumerate(words) if (found := VARIABLE.fullmatch(word))}
    return contexts_of(
        corpus,
        ExamplePlaces(**places, variables=_lists(table["variables"])),
        Proofs(**{name: _lists(proofs[name]) for name in proofs.column_names}),
        variables,
    )


def _make_contexts(contexts: AddedSources, counts: Counter[str], folder: Path) -> None:
    for name in _OF_CONTEXTS:
        np.save(folder / f"{name}.npy", getattr(contexts, name))
    (folder / "counts.json").write_text(json.dumps(counts), encoding="utf-8")


def _lists(column: pa.ChunkedArray) -> Lists:
    whole = one_array(column)
    return Lists(whole.flatten().to_numpy(), whole.offsets.to_numpy())


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
    number = {token: place for place, token in enumerate(benchmark.vocabulary)}
    tokens: list[Numbers] = []
    lengths: list[Numbers] = []
    for block in benchmark.propositions.blocks():
        split = pc.split_pattern(block.cast(pa.large_string()), " ")
        lengths.append(np.diff(split.offsets.to_numpy()))
        encoded = split.flatten().dictionary_encode()
        numbers = [number.setdefault(token, len(number)) for token in encoded.dictionary.to_pylist()]
        tokens.append(np.array(numbers, np.uint32)[encoded.indices.to_numpy()])
    dtype = np.uint16 if len(number) <= 1 << 16 else np.uint32
    empty = np.zeros(0, dtype)
    np.save(folder / "tokens.npy", np.concatenate([*tokens, empty]).astype(dtype))
    np.save(folder / "offsets.npy", starts_of(np.concatenate([*lengths, empty])))
    (folder / "outside.json").write_text(
        json.dumps(list(number)[len(benchmark.vocabulary) :], ensure_ascii=False), encoding="utf-8"
    )


def _make_split(benchmark: Benchmark, split: str, lengths: Numbers, folder: Path) -> None:
    columns = ["f1", "f2", "f3", "f4", "f5"]
    table = benchmark.table(split, columns).combine_chunks()
    examples: list[Numbers] = []
    numbers: list[Numbers] = []
    categories: list[Numbers] = []
    for field in _FIELDS:
        column = one_array(table[f"f{field}"])
        if pa.types.is_list(column.type):
            values, per = column.flatten().to_numpy(), np.diff(column.offsets.to_numpy())
        else:
            present = column.is_valid().to_numpy(zero_copy_only=False)
            values, per = column.drop_null().to_numpy(), present.astype(np.int64)
        numbers.append(values.astype(np.int32))
        examples.append(np.repeat(np.arange(table.num_rows), per))
        categories.append(np.full(len(values), field, np.uint8))
    example, number, category = (np.concatenate(parts) for parts in (examples, numbers, categories))
    order = np.lexsort((-lengths[number], category, example))
    np.save(folder / "source.npy", number[order])
    np.save(folder / "category.npy", category[order])
    np.save(folder / "starts.npy", np.searchsorted(example[order], np.arange(table.num_rows + 1)).astype(np.int64))
    np.save(folder / "target.npy", table["f1"].to_numpy().astype(np.int32))
    (folder / "made-from.json").write_text(
        json.dumps({"folder": benchmark.folder.name, "hash": benchmark.hash}), encoding="utf-8"
    )
