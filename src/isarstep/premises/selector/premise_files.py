"""One compressed file with examples, contexts and facts over one list of propositions, for a machine without Parquet.

Tokens that others imply are left out (`benchmark/arrays/dense.py`). And JSON lines with the facts
that a model reads of each example.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from isarstep.benchmark.arrays.corpus import Corpus, Dataset, ragged, starts_of
from isarstep.benchmark.arrays.dense import dense_dataset
from isarstep.benchmark.arrays.files import as_bytes, as_lines, with_words, words_as_bytes
from isarstep.common.file_reading import read_json_lines
from isarstep.common.files import write_whole
from isarstep.premises.selector.premise_arrays import ExampleColumns, FactArrays, PremiseArrays
from isarstep.premises.selector.word_bags import Bags

_SPLIT = ("targets", "sources", "fields", "source_starts", "variables")
_FACTS = ("proposition", "theory", "lemma_proposition", "lemma_fact")
_COLUMNS = tuple(ExampleColumns.__dataclass_fields__)


def over_one_list(dataset: Dataset, arrays: PremiseArrays, shared: int) -> tuple[Dataset, PremiseArrays]:
    """All splits and the facts over the same propositions, dense, without those that nobody mentions. All splits of a
    benchmark begin with the same `shared` propositions; behind them is what contexts say in other words."""
    dataset = dense_dataset(dataset)
    facts = arrays.facts
    first = next(iter(dataset.splits.values()))
    tokens, starts = [first.tokens[: first.token_starts[shared]]], [first.token_starts[: shared + 1]]
    splits = {}
    behind, end = 0, int(starts[0][-1])
    for name, split in dataset.splits.items():
        sources = np.where(split.sources < shared, split.sources, split.sources + behind).astype(np.int32)
        splits[name] = replace(split, sources=sources)
        tokens.append(split.tokens[split.token_starts[shared] :])
        starts.append(split.token_starts[shared + 1 :] - split.token_starts[shared] + end)
        end += len(tokens[-1])
        behind += len(split.token_starts) - 1 - shared
    whole, where = np.concatenate(tokens), np.concatenate(starts)
    numbers = [array for split in splits.values() for array in (split.targets, split.sources)]
    used = np.unique(np.concatenate([*numbers, facts.proposition, facts.lemma_proposition]))
    lengths = np.diff(where)[used]
    kept, kept_starts = whole[ragged(where[:-1][used], lengths)], starts_of(lengths)

    def moved(old: npt.NDArray[np.integer]) -> npt.NDArray[np.int32]:
        return np.searchsorted(used, old).astype(np.int32)

    return (
        replace(
            dataset,
            splits={
                name: replace(
                    split,
                    tokens=kept,
                    token_starts=kept_starts,
                    targets=moved(split.targets),
                    sources=moved(split.sources),
                )
                for name, split in splits.items()
            },
        ),
        replace(
            arrays,
            facts=replace(
                facts,
                proposition=moved(facts.proposition),
                lemma_proposition=moved(facts.lemma_proposition),
            ),
        ),
    )


def save_with_facts(dataset: Dataset, arrays: PremiseArrays, path: Path) -> None:
    """Both over one list of propositions."""
    first = next(iter(dataset.splits.values()))
    out: dict[str, npt.NDArray[Any]] = {"tokens": first.tokens.astype(np.uint32).view(np.uint8).reshape(-1, 4).T.copy()}
    out["lengths"] = np.diff(first.token_starts).astype(np.uint32)
    for name, split in dataset.splits.items():
        out |= {f"{name}.{each}": getattr(split, each) for each in _SPLIT}
        out[f"{name}.source_starts"] = np.diff(split.source_starts).astype(np.uint16)
        out[f"{name}.ids"] = as_bytes(split.ids)
        out |= {f"{name}:{each}": getattr(arrays.splits[name], each) for each in _COLUMNS}
    facts = arrays.facts
    out |= {f"facts.{each}": getattr(facts, each) for each in _FACTS}
    out["facts.sees"] = np.packbits(facts.sees, axis=1)
    out["facts.names"], out["facts.name_starts"] = facts.names.values, facts.names.starts
    out |= {"facts.theories": as_bytes(facts.theories)} | words_as_bytes(dataset)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, allow_pickle=False, **out)


def load_with_facts(path: Path) -> tuple[Dataset, PremiseArrays]:
    with np.load(path, allow_pickle=False) as file:
        tokens = np.ascontiguousarray(file["tokens"].T).view(np.uint32)[:, 0].astype(np.int32)
        starts = starts_of(file["lengths"].astype(np.int64))
        names = list(dict.fromkeys(key.partition(":")[0] for key in file if ":" in key))
        splits = {
            name: Corpus(
                tokens,
                starts,
                file[f"{name}.targets"],
                file[f"{name}.sources"],
                file[f"{name}.fields"],
                starts_of(file[f"{name}.source_starts"].astype(np.int64)),
                file[f"{name}.variables"],
                as_lines(file[f"{name}.ids"]),
            )
            for name in names
        }
        theories = as_lines(file["facts.theories"])
        facts = FactArrays(
            **{each: file[f"facts.{each}"] for each in _FACTS},
            theories=theories,
            sees=np.unpackbits(file["facts.sees"], axis=1)[:, : len(theories)].astype(np.bool_),
            names=Bags(file["facts.names"], file["facts.name_starts"]),
        )
        columns = {name: ExampleColumns(**{each: file[f"{name}:{each}"] for each in _COLUMNS}) for name in names}
        return with_words(splits, file), PremiseArrays(facts, columns)


def write_premises(path: Path, selected: Iterable[tuple[str, Sequence[str]]]) -> int:
    """`{"id", "premises"}` a line; how many."""
    lines = [json.dumps({"id": name, "premises": list(facts)}) for name, facts in selected]
    write_whole(path, "".join(f"{line}\n" for line in lines).encode())
    return len(lines)


@dataclass(frozen=True)
class _Selected:
    id: str
    premises: tuple[str, ...]


def read_premises(path: Path) -> dict[str, tuple[str, ...]]:
    records = read_json_lines(path, "not what `isarstep premises --out` writes", _Selected)
    return {each.id: each.premises for each in records}
