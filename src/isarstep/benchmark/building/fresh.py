"""A benchmark of entries younger than a base benchmark: scored alone, in a folder with its own signature and facts.

Nothing in it is trained on. An example that equals one of the base's training examples, or has its target, or is of a
theorem that is trained on there, is left out. More unseen entries are scored alike, those of the base beside them. When
the base grows, the folder is held against it once more, without any graph: what the larger base trains on goes, the
rest stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from isarstep.benchmark.building import grow
from isarstep.benchmark.building.build import Inputs, Progress, sort_inputs
from isarstep.benchmark.building.gather import first_record, gather_graphs
from isarstep.benchmark.building.merge import Merged
from isarstep.benchmark.building.write import write_benchmark
from isarstep.benchmark.rules.entries import entry_of
from isarstep.benchmark.rules.leaks import example_renamed_key
from isarstep.benchmark.rules.rules import Decision, Sieve, Sizes, choose_fresh, common_targets
from isarstep.benchmark.store.ids import numbered, proposition_digest
from isarstep.benchmark.store.layout import workspace
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.isabelle.context.ancestors import ancestors_first


@dataclass(frozen=True)
class Young:
    """What is scored: examples of these entries, against what a base benchmark trains on."""

    base: Path
    entries: Sequence[str]  # none: a finished folder says which
    dated: str  # when the entries appeared, in words
    split: str = "fresh"
    more_unseen: bool = False  # the base's unseen entries, too; the graphs rest on the base's theories


def build_fresh(
    paths: Sequence[Path],
    out: Path,
    young: Young,
    *,
    sizes: Sizes | None = None,
    level: int = 6,
    workers: int = 2,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Build the folder, from the graphs of the entries and of what they rest on or from itself; its manifest."""
    sizes = sizes or Sizes()
    inputs = sort_inputs([*paths, young.base] if young.more_unseen else paths)
    young = young if young.more_unseen else _as_before(inputs, young)
    with workspace(out) as scratch:
        base = grow.built_from_graphs(young.base)
        finished = () if young.more_unseen else inputs.benchmarks
        parts = [grow.gather_benchmark(path, scratch / "before") for path in finished]
        if young.more_unseen:
            parts.append(grow.gather_benchmark(young.base, scratch / "base", only=_unseen_of(base, inputs)))
            young = replace(young, entries=sorted({*young.entries, *base.manifest["unseen entries"]}))
        for number, part in enumerate(gather_graphs(inputs.graphs, scratch, workers, young.entries)):
            parts.append(part)
            if progress:
                progress(number + 1, len(inputs.graphs))
        merged = Merged(parts)
        unknown = sorted(set(young.entries) - set(merged.entries))
        if unknown:
            raise UserError(f"{unknown[0]}: no graph of such an entry; mine it, or leave it out of --entry")
        decision = _decide(merged, base, young, sizes)
        content = merged.content(sizes, decision)
        content.manifest["fresh"] = {
            "entries": sorted(young.entries),
            "dated": young.dated,
            "base": base.hash,
        }
        return write_benchmark(out, content, level=level)


def _as_before(inputs: Inputs, young: Young) -> Young:
    """Of a finished folder its own entries and date; graphs need both to be given."""
    if not inputs.benchmarks:
        if not young.entries:
            raise UserError("--fresh with graphs needs --entry: which entries are to be scored")
        return young
    (path,) = inputs.benchmarks
    manifest = Benchmark(path).manifest
    before = manifest.get("fresh")
    if before is None:
        raise UserError(f"{path}: has no fresh examples; a benchmark to hold them against is given as --fresh")
    if inputs.graphs or young.entries or young.dated:
        raise UserError(f"{path}: says itself what is fresh in it; give it alone, without graphs, --entry or --dated")
    split = next((name for name, count in manifest["examples"].items() if count), young.split)
    return Young(young.base, before["entries"], before["dated"], split)


def _trained_on(base: Benchmark, shapes: set[str]) -> tuple[set[bytes], set[bytes], set[str]]:
    """What a base benchmark trains on: digests of targets, keys up to renaming, theorems. Keys only of examples whose
    target has one of these shapes: no other one can be equal."""
    table = base.table("train", ["f1", "theorem"])
    numbers = sorted(table["f1"].unique().to_pylist())
    texts = base.propositions.lines(numbers)
    alike = pa.array([n for n, text in zip(numbers, texts, strict=True) if numbered(text) in shapes], pa.int32())
    split = base.split("train")
    rows = np.flatnonzero(pc.is_in(table["f1"], alike).to_numpy(zero_copy_only=False))
    keys = {example_renamed_key(split[int(row)]) for row in rows}
    return {proposition_digest(text) for text in texts}, keys, set(table["theorem"].unique().to_pylist())


def _unseen_of(base: Benchmark, inputs: Inputs) -> frozenset[str]:
    """The theories of what the base scores as unseen, with all that these or the graphs rest on."""
    theories = {theory["name"]: theory for theory in base.signature_document()["theories"]}
    wanted = [name for name, row in theories.items() if entry_of(row["session"]) in base.manifest["unseen entries"]]
    wanted += [parent for path in inputs.graphs for parent in first_record(path)["parents"]]
    parents = {name: row["parents"] for name, row in theories.items()}
    return frozenset(ancestors_first(wanted, parents)) & theories.keys()


def _decide(merged: Merged, base: Benchmark, young: Young, sizes: Sizes) -> Decision:
    columns = merged.columns(sizes)
    wanted = [merged.entries.index(entry_of(entry)) for entry in young.entries]
    rows = np.flatnonzero(np.isin(columns.entry, wanted) & ~columns.marked & ~common_targets(columns, sizes.common))
    table = merged.examples.take(rows)
    targets, keys, theorems = _trained_on(
        base, {numbered(text) for text in merged.propositions.take(table["f1"]).to_pylist()}
    )
    new = [
        target not in targets and renamed not in keys and theorem not in theorems
        for target, renamed, theorem in zip(
            merged.digests(table["f1"]), table["renamed"].to_pylist(), table["theorem"].to_pylist(), strict=True
        )
    ]
    scorable = np.zeros(len(columns.key), bool)
    scorable[rows[np.array(new, bool)]] = True
    sieve = Sieve(columns, scorable, merged.marks)
    (chosen,) = sieve.choose(lambda free: [choose_fresh(columns, np.flatnonzero(free), sizes)])
    nothing = np.zeros(0, np.int64)
    splits = {"train": nothing, young.split: chosen}
    return Decision(splits, columns.copies.astype(np.int64), {}, [], nothing, sieve.passed_over)
