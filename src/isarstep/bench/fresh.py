"""A benchmark of entries younger than a base benchmark: scored alone, in a folder with its own signature and facts.

Nothing in it is trained on. An example that equals one of the base's training examples, or has its target, or is of a
theorem that is trained on there, is left out. When the base grows, the folder is held against it once more, without
any graph: what the larger base trains on goes, the rest stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isarstep.bench import grow
from isarstep.bench.build import Inputs, Progress, sort_inputs
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
    entries: Sequence[str]  # none: a finished folder says which
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
    """Build the folder, from the graphs of the entries and of what they rest on or from itself; its manifest."""
    rules, sizes = rules or Rules(), sizes or Sizes()
    inputs = sort_inputs(paths)
    young = _as_before(inputs, young)
    with workspace(out) as scratch:
        base = grow.gather_benchmark(young.base, rules, scratch / "base")
        parts = [grow.gather_benchmark(path, rules, scratch / "before") for path in inputs.benchmarks]
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


def _as_before(inputs: Inputs, young: Young) -> Young:
    """Of a finished folder its own entries and date; graphs need both to be given."""
    if not inputs.benchmarks:
        if not young.entries:
            raise UserError("--fresh with graphs needs --entry: which entries are to be scored")
        return young
    (path,) = inputs.benchmarks
    before = Benchmark(path).manifest.get("fresh")
    if before is None:
        raise UserError(f"{path}: has no fresh examples; a benchmark to hold them against is given as --fresh")
    if inputs.graphs or young.entries or young.dated:
        raise UserError(f"{path}: says itself what is fresh in it; give it alone, without graphs, --entry or --dated")
    return Young(young.base, before["entries"], before["dated"])


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
