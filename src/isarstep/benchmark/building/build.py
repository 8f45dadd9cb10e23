"""Graphs in, one benchmark out; or a finished benchmark and more graphs in, and a larger one out, scored splits kept.

A finished benchmark can stand for its graphs because what it has dropped is dropped for good (see rules), and because
it keeps, beside its examples, how often each was found, the counts of every theory, the fact base and the signature.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from isarstep.benchmark.building import grow
from isarstep.benchmark.building.gather import first_record, gather_graphs, graph_files
from isarstep.benchmark.building.merge import Merged
from isarstep.benchmark.building.write import write_benchmark
from isarstep.benchmark.rules.rules import Sizes
from isarstep.benchmark.store.layout import MANIFEST, workspace
from isarstep.common.errors import UserError
from isarstep.isabelle.context.clashes import NOTHING, Ancestry, Renaming, renaming_of_benchmark

Progress = Callable[[int, int], None]  # theories done, theories in all


@dataclass(frozen=True)
class Inputs:
    """Graph files that are not yet part of the benchmark, if there is one; and what is to be renamed in each."""

    graphs: dict[Path, Renaming] = field(hash=False)
    benchmarks: dict[Path, Renaming] = field(hash=False)  # at most one


def sort_inputs(paths: Sequence[Path]) -> Inputs:
    """Tell a benchmark from graphs; leave out graphs of theories that it already contains."""
    benchmarks = [path for path in paths if (path / MANIFEST).is_file()]
    if len(benchmarks) > 1:
        raise UserError(f"{benchmarks[0]} and {benchmarks[1]} have scored splits of their own; let one of them grow")
    graphs = graph_files([path for path in paths if path not in benchmarks])
    contained: dict[str, str] = {}
    parents: dict[str, list[str]] = {}
    earlier: dict[Path, Ancestry] = {}
    for path in benchmarks:
        theories = grow.theories_of(path)
        earlier[path] = Ancestry({theory["name"]: theory["parents"] for theory in theories})
        for theory in theories:
            parents[theory["name"]] = theory["parents"]
            contained[theory["name"]] = theory["hash"]
    new = new_theories(graphs, contained)
    parents |= {header["theory"]: header["parents"] for header in new.values()}
    ancestry = Ancestry(parents)
    renamings = ancestry.renamings()
    return Inputs(
        {path: renamings.get(header["theory"], NOTHING) for path, header in new.items()},
        {path: renaming_of_benchmark(path, before, ancestry) for path, before in earlier.items()},
    )


def new_theories(graphs: Sequence[Path], contained: Mapping[str, str]) -> dict[Path, dict[str, Any]]:
    """Return the headers of graphs whose theories are not among `contained`, a table of hashes by theory."""
    new: dict[Path, dict[str, Any]] = {}
    seen: dict[str, Path] = {}
    for path in graphs:
        header = first_record(path)
        name = header["theory"]
        if name in seen:
            raise UserError(f"{path} and {seen[name]} are both graphs of the theory {name}; give one of them")
        seen[name] = path
        if name not in contained:
            new[path] = header
        elif contained[name] != header["hash"]:
            raise UserError(f"{path}: theory {name} has changed since the benchmark was built; build from graphs alone")
    return new


def build(
    paths: Sequence[Path],
    out: Path,
    *,
    sizes: Sizes | None = None,
    level: int = 6,
    workers: int = 2,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Build a benchmark folder and return its manifest. A benchmark among the inputs keeps what it scores."""
    inputs = sort_inputs(paths)
    if not inputs.graphs and not inputs.benchmarks:
        raise UserError("nothing to build from; give graph files, folders of them, or benchmarks")
    with workspace(out) as scratch:
        parts = [
            grow.gather_benchmark(path, scratch / f"benchmark{number}", renaming)
            for number, (path, renaming) in enumerate(inputs.benchmarks.items())
        ]
        for number, part in enumerate(gather_graphs(inputs.graphs, scratch, workers)):
            parts.append(part)
            if progress:
                progress(number + 1, len(inputs.graphs))
        merged = Merged(parts)
        sizes = sizes or Sizes()
        return write_benchmark(out, merged.content(sizes, merged.decide(sizes)), level=level)
