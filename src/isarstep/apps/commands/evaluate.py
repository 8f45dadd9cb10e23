"""Scores and reports (`evaluate`, `report`, `baseline`, `keep`); a look into a model (`probe`, `attention`, ...)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from isarstep.common.tables import Table, print_tables

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of tables.")]


def evaluate(
    system: Annotated[Path, typer.Argument(help="A predictions file, a run's folder or a model's folder.")],
    other: Annotated[Path | None, typer.Argument(help="A second one, for the paired test.")] = None,
    benchmark: Annotated[str, typer.Option(help="Folder of the benchmark, or 'embedded'.")] = "embedded",
    split: Annotated[str, typer.Option(help="test, validation, unseen, unseen2, fresh or fresh2.")] = "test",
    limit: Annotated[int | None, typer.Option(min=1, help="Only so many examples, those of lowest id.")] = None,
    breakdowns: Annotated[bool, typer.Option(help="Accuracy by length, session, kind and more; failures.")] = False,
    as_json: AsJson = False,
) -> None:
    """Score predictions, a run or a model on a split of a benchmark.

    Predictions are JSONL ({"id", "predictions": [{"tokens", "score"}]}) or k lines an example in the split's order.
    Top-1 and BLEU come from a run's beam 5, top-10 from its beam 10, as in the paper; a single file gives all three.

    Example:

        isarstep evaluate predictions.jsonl --benchmark embedded --split test
        isarstep evaluate runs/hat runs/transformer --json
    """
    from rich.console import Console

    from isarstep.score.breakdowns import breakdowns as all_breakdowns
    from isarstep.score.breakdowns import failure_table
    from isarstep.score.headline import comparison_table, main_table, open_system, open_task, signature_lines
    from isarstep.score.scores import compare, score

    task = open_task(benchmark, split, limit)
    systems = [open_system(path, task) for path in (system, other) if path is not None]
    scores = [score(each) for each in systems]
    comparisons = [compare(systems[0], systems[1])] if len(systems) == 2 else []
    tables = []
    if breakdowns:
        tables = [each.table(systems) for each in all_breakdowns(task, benchmark)]
        if task.type_checker is not None:
            tables.append(failure_table(systems))
    if as_json:
        document = {
            "systems": [row.as_json() for row in scores],
            "comparisons": [comparison.as_json() for comparison in comparisons],
            "breakdowns": {table.key: [table.flat_columns(), *table.rows] for table in tables},
        }
        print(json.dumps(document, indent=1, ensure_ascii=False))
        return
    main_table(scores).show()
    for line in signature_lines(scores):
        Console().print(line, style="dim", markup=False, highlight=False, soft_wrap=True)
    if comparisons:
        comparison_table(comparisons).show()
    for table in tables:
        table.show()


def report(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs, with predictions inside.")],
    out: Annotated[Path, typer.Option(help="Folder to write report.html, report.md and its figures to.")],
    benchmark: Annotated[str, typer.Option(help="Folder of the benchmark, or 'embedded'.")] = "embedded",
    split: Annotated[str, typer.Option(help="test or validation.")] = "test",
    limit: Annotated[int | None, typer.Option(min=1, help="Only so many examples, those of lowest id.")] = None,
    lists: Annotated[
        list[str] | None,
        typer.Option(help="Also copy what the report took from this run, compressed, to OUT/runs; repeatable."),
    ] = None,
) -> None:
    """Write every table and figure of the paper with the runs' numbers.

    Weights are not needed where 'isarstep keep' has been at the runs. Verdicts of 'isarstep check' are read from
    NAME.verdicts.parquet beside a run's predictions NAME.jsonl, those on reference targets from
    OUT/SPLIT.references*.verdicts.parquet.

    Example:

        isarstep report runs/hat runs/transformer --out docs/results --lists hat
    """
    from isarstep.common.errors import UserError
    from isarstep.score.report.leaderboard_entries import ELSEWHERE
    from isarstep.score.report.report import make_report
    from isarstep.score.runs import copy_lists, open_run

    by_name = {folder.resolve().name: folder for folder in runs}
    for name in lists or ():
        if name not in by_name:
            raise UserError(f"--lists {name}: no such run; there are {', '.join(by_name)}")
    references = sorted(out.glob(f"{split}.references*.verdicts.parquet"))
    make_report(runs, benchmark, split, limit, references).write(out)
    for name in lists or ():
        copy_lists(open_run(by_name[name]), (split, *ELSEWHERE), out / "runs" / name)
    print(f"{out / 'report.html'}: {len(runs)} runs")


def baseline(
    name: Annotated[str, typer.Argument(help="copy, frequent, neighbour or rule.")],
    benchmark: Annotated[str, typer.Argument(help="Folder of the benchmark, or 'embedded'.")] = "embedded",
    split: Annotated[str, typer.Option(help="test, validation, unseen, unseen2, fresh or fresh2.")] = "test",
    out: Annotated[
        Path | None,
        typer.Option(help="FILE.jsonl, or a folder that 'report' takes for a run; SPLIT.NAME.jsonl if not given."),
    ] = None,
    best: Annotated[int, typer.Option(min=1, help="Answers to an example.")] = 10,
) -> None:
    """Let a baseline answer a split: an n-best file like any model's.

    Example:

        isarstep baseline neighbour embedded --split test --out neighbour.jsonl
        isarstep baseline rule embedded --out runs/rule
    """
    from isarstep.benchmark.store.store import Benchmark
    from isarstep.common.files import write_whole
    from isarstep.common.progress import with_progress
    from isarstep.common.version import __version__
    from isarstep.model.decode.predictions import write_predictions
    from isarstep.score.baselines import baseline as open_baseline

    opened = Benchmark(benchmark)
    rows = opened.split(split)
    answer = open_baseline(name, opened)
    meta = {
        "benchmark": opened.hash,
        "trained_on": opened.hash,
        "split": rows.name,
        "input": "base",
        "beam": best,
        "length_rule": "none",
        "constraints": "none",
        "model": name,
        "version": __version__,
    }
    path = out or Path(f"{rows.name}.{name}.jsonl")
    if not path.name.endswith((".jsonl", ".jsonl.zst")):
        path.mkdir(parents=True, exist_ok=True)
        write_whole(path / "config.json", json.dumps({"name": name, "kind": "baseline"}) + "\n")
        made = {"command": f"isarstep baseline {name}", "commit": f"version {__version__}"}
        write_whole(path / "made.json", json.dumps(made) + "\n")
        path = path / "predictions" / f"{rows.name}.beam{best}.jsonl"
    examples = with_progress(rows, len(rows), name)
    count = write_predictions(path, ((example.id, answer(example, best)) for example in examples), meta)
    typer.echo(f"{path}: {count:,} examples answered")


def probe(
    model: Annotated[Path, typer.Argument(help="A model's folder.")],
    beam: Annotated[int, typer.Option(min=1, help="Width of the beam.")] = 10,
    out: Annotated[Path | None, typer.Option(help="Keep the answers; MODEL/probes.jsonl goes into reports.")] = None,
    as_json: AsJson = False,
) -> None:
    """Ask a model small questions whose answers a person can see.

    Example:

        isarstep probe runs/hat --out runs/hat/probes.jsonl
    """
    from isarstep.model.decode.hypotheses import SearchRules
    from isarstep.model.decode.predict import Predictor
    from isarstep.score.analysis.probes import probe_table, probes, write_answers

    asked = probes()
    answers = Predictor(model).nbest([each.example for each in asked], SearchRules(beam=beam))
    if out is not None:
        write_answers(out, asked, answers)
    lists = [[tokens for tokens, _ in nbest] for nbest in answers]
    print_tables([probe_table(asked, {model.resolve().name: lists})], as_json)


def neighbours(
    model: Annotated[Path, typer.Argument(help="A run's or model's folder.")],
    tokens: Annotated[list[str], typer.Argument(help="Tokens by full name or its end; or a sum, 'bounded + closed'.")],
    count: Annotated[int, typer.Option(min=1, help="How many neighbours.")] = 50,
    as_json: AsJson = False,
) -> None:
    """List the tokens whose embeddings are nearest to those of a token.

    Example:

        isarstep neighbours runs/hat borel_measurable 'bounded + closed' --count 10
    """
    from isarstep.common.errors import UserError
    from isarstep.score.analysis.embeddings import embeddings_of

    table = embeddings_of(model)
    if table is None:
        raise UserError(f"{model}: has neither weights nor embeddings.safetensors")
    known = table.centred()
    tables = []
    for text in tokens:
        is_sum = " + " in text or " - " in text
        found = known.arithmetic(text, count) if is_sum else known.neighbours(text, count)
        rows = tuple((each.token, f"{each.cosine:.3f}") for each in found)
        tables.append(Table("neighbours", f"Nearest to {text}", ("token", "cosine"), rows))
    print_tables(tables, as_json)


def attention(
    model: Annotated[Path, typer.Argument(help="The folder of a transformer or hat.")],
    examples: Annotated[list[str], typer.Argument(help="Ids of examples, or names of probes.")],
    benchmark: Annotated[str, typer.Option(help="Folder of the benchmark, or 'embedded'.")] = "embedded",
    out: Annotated[Path | None, typer.Option(help="File to write; default MODEL/attention.safetensors.")] = None,
) -> None:
    """Keep a model's attention for some examples, for the report's pictures.

    Example:

        isarstep attention runs/hat member-subset member-subset-swapped
    """
    from isarstep.benchmark.store.store import Benchmark
    from isarstep.model.decode.predict import Predictor
    from isarstep.resources import model_folder
    from isarstep.score.analysis.attention_maps import record_attention, save_maps
    from isarstep.score.analysis.probes import probes

    known = {each.name: each.example for each in probes()}
    chosen = [known[name] if name in known else Benchmark(benchmark).find(name)[1] for name in examples]
    predictor = Predictor(model, "cpu")
    best = [nbest[0][0] if nbest else "" for nbest in predictor.nbest(chosen)]
    maps = [
        record_attention(predictor.torch_model, predictor.vocabulary, example, answer)
        for example, answer in zip(chosen, best, strict=True)
    ]
    where = out or model_folder(model) / "attention.safetensors"
    save_maps(maps, where)
    print(f"{where}: attention for {len(maps)} examples")


def keep(
    run: Annotated[Path, typer.Argument(help="The folder of a trained model.")],
    data: Annotated[
        Path | None, typer.Argument(help="The benchmark it was trained on: also write the n-best lists not yet there.")
    ] = None,
    device: Annotated[str | None, typer.Option(help="cpu or cuda; the GPU where there is one.")] = None,
) -> None:
    """Keep what reports need of a run, so that its weights may go.

    Token table, answers to the probes, attention for the paper's examples; with DATA also the n-best lists of its
    held-out splits, beam 5 and beam 10.

    Example:

        isarstep keep runs/hat embedded
    """
    from isarstep.resources import model_folder
    from isarstep.score.analysis.keeping import keep_predictions, keep_views

    folder = model_folder(run)
    written = []
    if data is not None:
        from isarstep.benchmark.arrays.files import load_dataset
        from isarstep.model.nets.folders import open_folder

        written = keep_predictions(folder, load_dataset(data, open_folder(folder).config.input), device)
    for path in [*written, *keep_views(folder, device)]:
        print(path)
