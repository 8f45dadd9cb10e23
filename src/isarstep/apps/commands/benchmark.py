"""Commands of the benchmark: build, stats, show, import, export."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from isarstep.common.errors import UserError
from isarstep.common.memory import without_collection
from isarstep.common.progress import Watched
from isarstep.common.tables import print_tables

REPLACED = {
    "--halves": "is gone: `isarstep build GRAPHS --fresh embedded --entry NAME` scores an entry of your own",
    "--trim": "is gone: `isarstep build` scores by the rules of today",
    "--rescore": "is gone: build from graphs alone, and the scored splits are chosen anew",
    **dict.fromkeys(
        ("--max-source", "--max-target", "--keep-open", "--keep-restated"), "is gone: the rules have one form"
    ),
}

FreshBase = Annotated[
    Path | None, typer.Option(help="Score younger entries alone, against what this benchmark trains on.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead.")]
MoreUnseen = Annotated[
    bool, typer.Option("--more-unseen", help="With --fresh: entries as old as its own unseen ones, and those too.")
]


def build(
    inputs: Annotated[list[Path], typer.Argument(help="Graph files, folders of graphs, finished benchmarks.")],
    out: Annotated[Path, typer.Option(help="The benchmark's folder; an old benchmark there is replaced.")],
    fresh: FreshBase = None,
    entry: Annotated[list[str] | None, typer.Option(help="With --fresh: an entry to score; give it often.")] = None,
    more_unseen: MoreUnseen = False,
    split: Annotated[str, typer.Option(help="With --fresh: the name of what is scored.")] = "fresh",
    dated: Annotated[str, typer.Option(help="With --fresh: when these entries appeared.")] = "",
    add_to: Annotated[
        Path | None, typer.Option(help="Write an addition to this frozen benchmark: further library and training rows.")
    ] = None,
    after: Annotated[
        list[Path] | None, typer.Option(help="With --add-to: an earlier addition (repeatable, in order).")
    ] = None,
    small: Annotated[bool, typer.Option("--small", help="Compress as hard as possible (slow).")] = False,
    jobs: Annotated[int, typer.Option(help="Processes.")] = 2,
) -> None:
    """Build a benchmark from proof graphs, or let one grow.

    Example:

        isarstep build graphs --out benchmark
        isarstep build benchmark more-graphs --out larger
        isarstep build young-graphs --fresh benchmark --entry Some_Entry --dated 2026-08 --out fresh
        isarstep build fresh --fresh larger --out fresh-again
        isarstep build graphs --fresh embedded --more-unseen --split unseen2 --entry Some_Entry --out unseen2
        isarstep build graphs --add-to embedded --after additions/01 --out additions/02
    """
    from isarstep.benchmark.building.additions import Ground, build_addition
    from isarstep.benchmark.building.build import build as build_benchmark
    from isarstep.benchmark.building.fresh import Young, build_fresh
    from isarstep.resources import benchmark_folder

    if fresh is None and (entry or dated):
        raise UserError("--entry and --dated go with --fresh: a base benchmark, and the entries to score")
    if fresh is not None and add_to is not None:
        raise UserError("--fresh and --add-to exclude each other")
    if after and add_to is None:
        raise UserError("--after goes with --add-to: the benchmark that both add to")

    def tell(done: int, total: int) -> None:
        watched.news(f"{done:,} of {total:,} theories read" if done < total else "all theories read, writing")

    with Watched("build") as watched:
        if add_to is not None:
            ground = Ground.of(benchmark_folder(add_to), after or ())
            manifest = build_addition(inputs, out, ground, level=19 if small else 6, workers=jobs, progress=tell)[
                "rows"
            ]
            _print_counts(manifest)
            return
        base = benchmark_folder(fresh or "")
        scored = partial(build_fresh, young=Young(base, entry or [], dated, split, more_unseen))
        make = build_benchmark if fresh is None else scored
        manifest = make(inputs, out, level=19 if small else 6, workers=jobs, progress=tell)
    _print_counts(manifest)


def _print_counts(manifest: dict[str, Any]) -> None:
    from isarstep.benchmark.rules.rules import ALREADY, COPIED, DROPPED

    counts = manifest["counts"]
    dropped = [name for name in ("too long", "restated", *DROPPED, COPIED, ALREADY, "duplicates") if name in counts]
    typer.echo(f"{counts['raw']:,} raw examples: " + ", ".join(f"{counts[name]:,} {name}" for name in dropped))
    typer.echo(", ".join(f"{name} {count:,}" for name, count in manifest["examples"].items()))
    typer.echo(f"vocabulary {manifest['vocabulary']:,}, facts {manifest['facts']:,}, hash {manifest['hash'][:12]}")


def stats(
    benchmark: Annotated[str, typer.Argument(help="A benchmark's folder, or 'embedded'.")] = "embedded",
    pictures: Annotated[Path | None, typer.Option(help="Folder for the pictures (SVG).")] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the tables as Markdown.")] = False,
    leaks: Annotated[bool, typer.Option("--leaks", help="Search for leaks, near duplicates included.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print a benchmark's statistics next to the paper's, and draw them.

    Example:

        isarstep stats embedded --pictures out
    """
    import isarstep.benchmark.building.stats as statistics
    from isarstep.benchmark.store.store import Benchmark

    opened = Benchmark(benchmark)
    measured = statistics.measure(opened)
    tables = statistics.tables(opened, measured)
    if leaks:
        from isarstep.benchmark.rules.leaks import leak_tables

        tables += leak_tables(opened)
    print_tables(tables, as_json, markdown)
    if pictures is not None:
        for path in statistics.draw(opened, measured, pictures):
            typer.echo(f"wrote {path}", err=as_json)


def show(
    example: Annotated[str, typer.Argument(help="ID, or BENCHMARK#ID; the first digits of the id will do.")],
    style: Annotated[str, typer.Option(help="unicode, tokens or latex.")] = "unicode",
    as_json: AsJson = False,
) -> None:
    """Print one example like the paper's appendix.

    Example:

        isarstep show 2585bb6c8e55
    """
    from isarstep.benchmark.export.display import Printer, describe, example_json
    from isarstep.benchmark.store.store import Benchmark

    where, _, identifier = example.rpartition("#")
    if not identifier:
        raise UserError(f"{example}: write ID or BENCHMARK#ID, for example 2585bb6c8e55 or my-bench#2585bb6c8e55")
    with without_collection():
        benchmark = Benchmark(where or "embedded")
        split, found = benchmark.find(identifier)
        printer = Printer(benchmark, style, at_home=True)
        if as_json:
            typer.echo(json.dumps(example_json(found, split, printer), ensure_ascii=False))
            return
        for line in describe(found, split, printer):
            typer.echo(line)


def import_(
    folder: Annotated[Path, typer.Argument(help="Folder with train.source_g.txt, train.target.txt, ... (or .gz).")],
    out: Annotated[Path, typer.Option(help="The benchmark's folder.")],
    signature: Annotated[Path | None, typer.Option(help="A signature (.json, .gz, .zst) to go with it.")] = None,
) -> None:
    """Make a benchmark of the original release's files; their splits are kept.

    Example:

        isarstep import isarstep-release --out original
    """
    from isarstep.benchmark.export.formats import import_release

    manifest = import_release(folder, out, signature)
    counts = manifest["examples"]
    assert isinstance(counts, dict)
    typer.echo(", ".join(f"{name} {count:,}" for name, count in counts.items()))
    typer.echo(f"vocabulary {manifest['vocabulary']:,}, hash {str(manifest['hash'])[:12]}")


def export(
    benchmark: Annotated[str, typer.Argument(help="A benchmark's folder, or 'embedded'.")],
    out: Annotated[Path, typer.Option(help="Folder for the files.")],
    form: Annotated[str, typer.Option("--format", help="release (line files), jsonl, parquet or hf.")] = "release",
    split: Annotated[list[str] | None, typer.Option(help="Only this split; give it often. All if not given.")] = None,
    style: Annotated[str, typer.Option(help="Not for release: tokens, unicode or latex.")] = "tokens",
    hints: Annotated[bool, typer.Option(help="Not for release: with F.5.")] = True,
    jobs: Annotated[int, typer.Option(help="Not for release: processes.")] = 2,
) -> None:
    """Write a benchmark as JSON lines, as Parquet, or in the original release's format.

    Example:

        isarstep export embedded --format jsonl --style unicode --out out
        isarstep export embedded --format parquet --split train --out out
    """
    from isarstep.benchmark.export.export import export_records, export_release
    from isarstep.benchmark.store.store import Benchmark

    if form not in ("release", "jsonl", "parquet", "hf"):
        raise UserError(f"{form}: no such format; there are release, jsonl, parquet and hf")
    opened = Benchmark(benchmark)
    splits = [opened.split(name).name for name in split or opened.splits]
    if form == "release":
        paths = export_release(opened, out, splits)
    else:
        paths = export_records(opened, out, splits, form=form, style=style, hints=hints, jobs=jobs)
    for path in paths:
        typer.echo(f"wrote {path}")
