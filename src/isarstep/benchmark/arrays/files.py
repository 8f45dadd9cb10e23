"""All that a training run reads, from wherever it lies: a benchmark, or one compressed file of arrays.

The file is for machines without Parquet.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from isarstep.benchmark.arrays.corpus import Corpus, Dataset
from isarstep.benchmark.arrays.inputs import FIELDS_READ, STATEMENT, Input
from isarstep.common.errors import UserError
from isarstep.common.files import write_whole
from isarstep.resources import BENCHMARKS

ARRAYS = ("tokens", "token_starts", "targets", "sources", "fields", "source_starts", "variables")


def save_dataset(dataset: Dataset, path: Path) -> None:
    arrays: dict[str, npt.NDArray[np.generic]] = {}
    for name, split in dataset.splits.items():
        corpus = split.compacted()
        arrays |= {f"{name}.{array}": getattr(corpus, array) for array in ARRAYS}
        arrays[f"{name}.ids"] = as_bytes(corpus.ids)
    arrays |= words_as_bytes(dataset)
    path.parent.mkdir(parents=True, exist_ok=True)
    packed = io.BytesIO()
    np.savez_compressed(packed, allow_pickle=False, **arrays)
    write_whole(path, packed.getvalue())


def as_bytes(lines: Sequence[str]) -> npt.NDArray[np.generic]:
    return np.frombuffer("\n".join(lines).encode(), np.uint8)


def as_lines(array: npt.NDArray[np.generic]) -> tuple[str, ...]:
    return tuple(array.tobytes().decode().split("\n")) if len(array) else ()


def words_as_bytes(dataset: Dataset) -> dict[str, npt.NDArray[np.generic]]:
    """The words of a data set, and where it is from."""
    lines = {"vocabulary": dataset.vocabulary, "outside": dataset.outside, "benchmark": (dataset.benchmark,)}
    return {name: as_bytes(each) for name, each in lines.items()}


def with_words(splits: dict[str, Corpus], file: Mapping[str, npt.NDArray[np.generic]]) -> Dataset:
    """The data set of which a file has the words."""
    outside = as_lines(file["outside"]) if "outside" in file else ()
    return Dataset(splits, as_lines(file["vocabulary"]), "".join(as_lines(file["benchmark"])), outside)


def load_dataset(path: str | Path, input: Input = "base") -> Dataset:
    """From a benchmark folder, one inside the package (`embedded`), or a file that `save_dataset` wrote. Contexts are
    there if the input wants them; F.5 always is."""
    path = Path(path)
    if path.is_dir() or str(path) in BENCHMARKS:
        # Parquet is read here alone: a machine that has the arrays, or asks its own examples, can do without.
        from isarstep.benchmark.arrays.mapped import dataset_of_benchmark

        return dataset_of_benchmark(path, input)
    if not path.exists():
        raise UserError(f"{path}: no such benchmark folder or file of arrays")
    try:
        return _load_arrays(path, input)
    except (KeyError, ValueError, TypeError, EOFError, zipfile.BadZipFile) as error:
        why = f"it has no {error.args[0]}" if isinstance(error, KeyError) else str(error)
        raise UserError(f"{path}: not a file of arrays that a benchmark was written to ({why})") from None


def _load_arrays(path: Path, input: Input) -> Dataset:
    with np.load(path, allow_pickle=False) as file:
        names = dict.fromkeys(key.split(".")[0] for key in file if "." in key)
        splits = {
            name: Corpus(
                **{array: file[f"{name}.{array}"] for array in ARRAYS},
                ids=as_lines(file[f"{name}.ids"]),
            )
            for name in names
        }
        if STATEMENT in FIELDS_READ[input] and not any((split.fields >= STATEMENT).any() for split in splits.values()):
            raise UserError(f"{path}: was written without contexts; write it again with --input +context")
        return with_words(splits, file)
