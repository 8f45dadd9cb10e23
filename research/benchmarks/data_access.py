"""Shuffled reading of training examples through `isarstep.load`, one by one, in batches and by a `DataLoader` of PyTorch
with spawned workers, beside Hugging Face `datasets` on the same examples exported to Parquet.

    isarstep export embedded --format parquet --split train --out PARQUET
    python research/benchmarks/data_access.py [PARQUET/train.parquet] [--benchmark embedded] [--examples 20000]

Both read the same places in the same order: F.1 to F.5, types and where an example is from, as Python strings. Examples
per second of processor time of the process (of the workers too, for `DataLoader`) and by the clock; rounds alternate and
the median counts, because other work on the machine changes both. Without the file, or without `datasets` or PyTorch,
these parts are left out. The last line is one JSON document.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from isarstep.benchmark.store.store import open_split

BATCH = 256


def used() -> float:
    """Seconds of processor time of this process and of its children that have ended."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(spent.ru_utime + spent.ru_stime for spent in map(resource.getrusage, kinds))


def measured(read: Callable[[], int]) -> dict[str, float]:
    """Examples per second."""
    cpu, wall = used(), time.perf_counter()
    count = read()
    cpu, wall = used() - cpu, time.perf_counter() - wall
    return {"per_cpu_second": count / cpu, "per_second": count / wall}


def singles(rows: Any, places: Sequence[int]) -> int:
    return sum(rows[place] is not None for place in places)


def isarstep_batches(split: Any, places: Sequence[int]) -> int:
    return sum(len(split[places[start : start + BATCH]]) for start in range(0, len(places), BATCH))


def datasets_batches(rows: Any, places: Sequence[int]) -> int:
    return sum(len(rows[places[start : start + BATCH]]["id"]) for start in range(0, len(places), BATCH))


def loader_reading(rows: Any, places: Sequence[int], workers: int) -> int:
    """By a `DataLoader`, the start of its workers included."""
    from torch.utils.data import DataLoader

    options: dict[str, Any] = {"multiprocessing_context": "spawn"} if workers else {}
    loader = DataLoader(rows, batch_size=BATCH, sampler=places, num_workers=workers, collate_fn=list, **options)
    return sum(len(batch) for batch in loader)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else None)
    parser.add_argument("parquet", nargs="?", type=Path)
    parser.add_argument("--benchmark", default="embedded")
    parser.add_argument("--examples", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, nargs="*", default=[0, 2, 4])
    arguments = parser.parse_args()

    if importlib.util.find_spec("torch"):
        import torch.utils.data  # noqa: F401  # its import is not part of what is measured

    split = open_split(arguments.benchmark, "train")
    began = time.process_time()
    split.prepare()
    prepared = time.process_time() - began
    places = np.random.default_rng(1).permutation(len(split))[: arguments.examples].tolist()
    jobs: dict[str, Callable[[], int]] = {
        "isarstep single": lambda: singles(split, places),
        "isarstep batches": lambda: isarstep_batches(split, places),
    }
    sources: dict[str, Any] = {"isarstep": split}
    folder = tempfile.TemporaryDirectory()
    if arguments.parquet and importlib.util.find_spec("datasets"):
        import datasets

        rows = datasets.load_dataset(
            "parquet", data_files={"train": str(arguments.parquet)}, cache_dir=folder.name, split="train"
        )
        sources["datasets"] = rows
        jobs["datasets single"] = lambda: singles(rows, places)
        jobs["datasets batches"] = lambda: datasets_batches(rows, places)
    if importlib.util.find_spec("torch"):
        for workers in arguments.workers:
            for name, source in sources.items():
                jobs[f"{name} loader {workers}"] = lambda source=source, workers=workers: loader_reading(  # type: ignore[misc]
                    source, places, workers
                )
    speeds: dict[str, list[dict[str, float]]] = {name: [] for name in jobs}
    for _ in range(arguments.rounds):
        for name, job in jobs.items():
            speeds[name].append(measured(job))
    result: dict[str, Any] = {
        name: {key: round(statistics.median(each[key] for each in found)) for key in found[0]}
        for name, found in speeds.items()
    }
    for name, found in result.items():
        print(
            f"{name:<20} {found['per_cpu_second']:>8,} per second of processor time, {found['per_second']:>8,} by the clock"
        )
    ratios = {
        kind: round(result[f"isarstep {kind}"]["per_cpu_second"] / result[f"datasets {kind}"]["per_cpu_second"], 2)
        for kind in [name.partition(" ")[2] for name in result if name.startswith("isarstep ")]
        if f"datasets {kind}" in result
    }
    result |= {
        "ratios": ratios,
        "examples": len(places),
        "batch": BATCH,
        "prepare_cpu_seconds": round(prepared, 2),
        "load_average": round(os.getloadavg()[0], 1),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }
    folder.cleanup()
    print(json.dumps(result))


if __name__ == "__main__":
    main()
