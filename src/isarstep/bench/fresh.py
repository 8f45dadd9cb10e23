"""A benchmark of entries younger than a base benchmark: scored alone, in a folder with its own signature and facts.

Nothing in it is trained on. An example that equals one of the base's training examples, or has its target, or is of a
theorem that is trained on there, is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isarstep.bench import grow
from isarstep.bench.build import Progress, sort_inputs
from isarstep.bench.entries import entry_of
from isarstep.bench.extract import Rules
from isarstep.bench.gather import Gathered, gather_graphs, read_arrow
from isarstep.bench.layout import workspace
from isarstep.bench.merge import Merged
from isarstep.bench.rules import Decision, Sizes, choose_fresh, common_targets
from isarstep.bench.store import Benchmark
from isarstep.bench.write import write_benchmark
from isarstep.errors import UserError


@dataclass(frozen=True)
class Young:
    """What is scored: examples of these entries, against what a base benchmark trains on."""

    base: Path
    entries: Sequence[str]
    dated: str  # when the entries appeared, in words


def build_fresh(
    paths: Sequence[Path],
    out: Path,
    young: Young,
    rules: Rules | None = None,
    *,
    sizes: Sizes | None = None,
    level: int = 6,
    workers: int = 2,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Build the folder from the graphs of the entries and of what they rest on, and return its manifest."""
    rules, sizes = rules or Rules(), sizes or Sizes()
    inputs = sort_inputs(paths)
    if inputs.benchmarks:
        raise UserError(f"{next(iter(inputs.benchmarks))}: fresh examples come from graphs alone; give it as --fresh")
    with workspace(out) as scratch:
        base = grow.gather_benchmark(young.base, rules, scratch / "base")
        parts = []
        for number, part in enumerate(gather_graphs(inputs.graphs, rules, scratch, workers)):
            parts.append(part)
            if progress:
                progress(number + 1, len(inputs.graphs))
        merged = Merged(parts)
        unknown = sorted(set(young.entries) - set(merged.entries))
        if unknown:
            raise UserError(f"{unknown[0]}: no graph of such an entry; mine it, or leave it out of --entry")
        decision = _decide(merged, _trained_on(base), young, sizes)
        content = merged.content(rules, sizes, decision)
        content.manifest["fresh"] = {
            "entries": sorted(young.entries),
            "dated": young.dated,
            "base": Benchmark(young.base).hash,
        }
        return write_benchmark(out, content, level=level)


@dataclass(frozen=True)
class _Known:
    """What a base benchmark trains on: digests of targets, keys up to renaming, theorems."""

    targets: set[bytes]
    renamed: set[bytes]
    theorems: set[str]


def _trained_on(base: Gathered) -> _Known:
    examples = read_arrow(base.folder / "examples.arrow")
    digests = read_arrow(base.folder / "propositions.arrow")["digest"].to_pylist()
    examples = examples.filter([split == "train" for split in examples["split"].to_pylist()])
    return _Known(
        {digests[number] for number in examples["f1"].to_pylist()},
        set(examples["renamed"].to_pylist()),
        set(examples["theorem"].unique().to_pylist()),
    )


def _decide(merged: Merged, known: _Known, young: Young, sizes: Sizes) -> Decision:
    columns = merged.columns(sizes)
    wanted = [merged.entries.index(entry_of(entry)) for entry in young.entries]
    rows = np.flatnonzero(np.isin(columns.entry, wanted) & ~columns.marked & ~common_targets(columns, sizes.common))
    table = merged.examples.take(rows)
    new = [
        target not in known.targets and renamed not in known.renamed and theorem not in known.theorems
        for target, renamed, theorem in zip(
            merged.digests(table["f1"]), table["renamed"].to_pylist(), table["theorem"].to_pylist(), strict=True
        )
    ]
    chosen = choose_fresh(columns, rows[np.array(new, bool)], sizes)
    nothing = np.zeros(0, np.int64)
    return Decision({"train": nothing, "fresh": chosen}, columns.copies.astype(np.int64), {}, [], nothing)
