"""The command of the check room: judge predictions, or the reference targets themselves."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isarstep.common.errors import UserError
from isarstep.common.progress import Watched

if TYPE_CHECKING:
    import pyarrow as pa

    from isarstep.prover.check.jobs import Run, Settings, Work
    from isarstep.prover.replay.isabelle_questions import Isabelle
    from isarstep.prover.replay.isabelle_run import IsabelleSettings


class EffortChoice(StrEnum):
    """How long provers try."""

    quick = "quick"
    usual = "usual"
    thorough = "thorough"


SECONDS = {EffortChoice.quick: 0.4, EffortChoice.usual: 1.2, EffortChoice.thorough: 10.0}  # of processor time, a gap
SLEDGEHAMMER = {EffortChoice.quick: 5.0, EffortChoice.usual: 30.0, EffortChoice.thorough: 120.0}  # the paper's is 30
_ISABELLE = (
    "is --isabelle IMAGES now, with a folder of images that the miner made; without it provers of ours are asked"
)
REPLACED = {
    "--library": "is chosen by a schedule, and how much of it is tried by --effort",
    "--thorough": "is --effort thorough",
    "--no-thorough": "is --effort usual, which need not be said",
    "--seconds": "is chosen by --effort: quick 0.4, usual 1.2, thorough 10; of Sledgehammer 5, 30, 120",
    **dict.fromkeys(("--backend", "--heaps"), _ISABELLE),
    "--any-release": "is not needed: the Isabelle that the images are of is asked",
    "--cluster": "is gone: --jobs uses the cores of one machine",
}


def check(
    predictions: Annotated[
        Path | None, typer.Argument(help="Predictions: JSONL, or k lines an example. Left away: the reference targets.")
    ] = None,
    benchmark: Annotated[str, typer.Option(help="Folder of the benchmark, or 'embedded'.")] = "embedded",
    split: Annotated[str, typer.Option(help="Split that the predictions answer.")] = "test",
    out: Annotated[Path, typer.Option(help="Where the verdicts go (Parquet).")] = Path("verdicts.parquet"),
    top: Annotated[int, typer.Option(min=1, help="Proposals of each example to check, best first.")] = 1,
    limit: Annotated[int | None, typer.Option(min=1, help="Only so many examples, those of lowest id.")] = None,
    effort: Annotated[
        EffortChoice,
        typer.Option(
            help="Processor seconds of provers for a gap (0.4, 1.2, 10), or Sledgehammer's seconds (5, 30, 120)."
        ),
    ] = EffortChoice.usual,
    jobs: Annotated[int, typer.Option(min=0, help="Processes; 0 is one for each core, of Isabelle one.")] = 0,
    resume: Annotated[bool, typer.Option(help="Go on with an interrupted run of the same predictions.")] = False,
    explain: Annotated[str | None, typer.Option(help="Show one example's check in full and write nothing.")] = None,
    isabelle: Annotated[
        Path | None,
        typer.Option(metavar="IMAGES", help="Ask an Isabelle (ISABELLE_HOME or the PATH), on images of this folder."),
    ] = None,
    directories: Annotated[
        list[Path] | None, typer.Option("-d", "--directory", help="Its further session directory: the AFP's thys.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as one JSON document.")] = False,
) -> None:
    """Check that proposals are well-formed and that provers close the gaps around them.

    Each proposal P is typed in the context of its example; then provers try F.2 => P and P, F.4 => F.3, from the given
    premises and with library facts that come before the step.

    Example:

        isarstep check predictions.jsonl --split test --out verdicts.parquet
        isarstep check --limit 1000 --out references.parquet
        isarstep check predictions.jsonl --explain 2585bb6c8e55
        isarstep check predictions.jsonl --isabelle graphs/heaps -d afp/thys
    """
    from isarstep.prover.check.jobs import Settings

    if isabelle is not None:
        from isarstep.prover.replay.isabelle_run import IsabelleSettings, open_isabelle

        if explain is not None:
            raise UserError("--isabelle writes a table: no --explain")
        judge = open_isabelle(isabelle, directories or [])
        asked = IsabelleSettings(benchmark, split, SLEDGEHAMMER[effort], 0, 0)
        _run_isabelle(
            judge, asked, _work(asked, predictions, top, limit), out, jobs or 1, resume=resume, as_json=as_json
        )
        return
    settings = Settings(benchmark, split, SECONDS[effort])
    work = _work(settings, predictions, top, limit)
    if explain is not None:
        _explain(settings, work, explain)
    else:
        _run(settings, work, out, jobs, resume=resume, as_json=as_json)


def _work(settings: Settings, predictions: Path | None, top: int, limit: int | None) -> list[Work]:
    from isarstep.benchmark.store.ids import places_of_lowest
    from isarstep.benchmark.store.store import Benchmark
    from isarstep.model.decode.predictions import read_meta, read_predictions
    from isarstep.prover.check.jobs import Work

    opened = Benchmark(settings.benchmark)
    split = opened.split(settings.split)
    ids = [str(identifier) for identifier in split.table()["id"].to_pylist()]
    chosen = places_of_lowest(ids, limit)
    if predictions is None:
        return [Work(position, (split[position].f1,)) for position in chosen]
    # Lists of before rules 2.1 answer more examples than are scored now.
    gone = opened.taken_out(str(read_meta(predictions).get("benchmark", "")), settings.split)
    lists = read_predictions(predictions, ids, gone or ()).lists
    return [Work(position, lists[position][:top]) for position in chosen if lists[position]]


def _explain(settings: Settings, work: list[Work], identifier: str) -> None:
    from isarstep.prover.check.explain import explain
    from isarstep.prover.check.jobs import open_checker

    benchmark, checker = open_checker(settings)
    split = benchmark.split(settings.split)
    position = split.position(identifier)
    found = next((item for item in work if item.position == position), None)
    if position is None or found is None:
        raise UserError(f"{identifier}: no proposal for such an example in split {settings.split}")
    with checker.provers:
        for proposal in found.proposals:
            print(explain(checker, split[position], proposal))


def _run(settings: Settings, work: list[Work], out: Path, jobs: int, *, resume: bool, as_json: bool) -> None:
    from isarstep.prover.atp.provers import available, installed, not_installed
    from isarstep.prover.check.jobs import Run, default_jobs, run_local, writing_verdicts

    missing = "; ".join(not_installed())
    if not available():
        raise UserError(f"no prover is installed ({missing}): pip install cvc5, or put eprover on the PATH")
    if missing:
        typer.echo(f"not asked: {missing}", err=as_json)
    by = f"{', '.join(installed())}, {settings.seconds:g} s a gap"
    with writing_verdicts(out):
        run = Run(out, settings, work, resume=resume)
        with _watched(run, work) as watched:
            for count in run_local(run, jobs or default_jobs()):
                watched.news(advance=count)
        table = run.finish(settings.metadata(by))
    _summarise(table, by, out, as_json, kernel=False)


def _summarise(table: pa.Table, by: str, out: Path, as_json: bool, *, kernel: bool) -> None:
    from isarstep.prover.check.summary import summary, summary_json

    if as_json:
        print(json.dumps(summary_json(table, by, kernel=kernel) | {"written": str(out)}, ensure_ascii=False))
    else:
        print(summary(table, by, kernel=kernel))
        print(f"written: {out}")


def _run_isabelle(
    judge: Isabelle, settings: IsabelleSettings, work: list[Work], out: Path, jobs: int, *, resume: bool, as_json: bool
) -> None:
    from isarstep.prover.check.jobs import writing_verdicts
    from isarstep.prover.replay.isabelle_questions import IsabelleLimits
    from isarstep.prover.replay.isabelle_run import TheoryRun, run_isabelle

    with writing_verdicts(out):
        run = TheoryRun(out, settings, work, resume=resume)
        limits = IsabelleLimits(seconds=max(1, round(settings.seconds)), prove=True, qualified=run.qualified)
        with _watched(run, work) as watched:
            for count in run_isabelle(run, judge, limits, jobs, watched.news):
                watched.news(advance=count)
        by = f"{judge.installation.identifier} with {run.provers}"
        table = run.finish(settings.metadata(by))
    _summarise(table, by, out, as_json, kernel=True)


def _watched(run: Run, work: list[Work]) -> Watched:
    total = sum(len(item.proposals) for item in work)
    left = sum(len(item.proposals) for number in run.missing() for item in run.chunks[number])
    return Watched(f"checking {left:,} proposals", total, total - left)
