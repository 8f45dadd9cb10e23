"""`isarstep predict`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from isarstep.common.progress import Watched


def predict(
    model: Annotated[Path, typer.Argument(help="A model folder.")],
    data: Annotated[Path, typer.Argument(help="A benchmark folder, or a file of arrays.")],
    split: Annotated[str, typer.Option(help="train, validation, test, or another one of the data.")] = "test",
    beam: Annotated[int, typer.Option(help="Hypotheses a sentence; the n-best list is as long.")] = 10,
    out: Annotated[
        Path | None, typer.Option(help="Where to write; MODEL/predictions/SPLIT.beamN.jsonl if not given.")
    ] = None,
    constraint: Annotated[
        Literal["none", "grammar", "types"],
        typer.Option(help="none, grammar (only terms), or types (only well-typed propositions)."),
    ] = "none",
    penalty: Annotated[float, typer.Option(help="Score is log p / length ** penalty.")] = 0.0,
    ranked: Annotated[
        bool, typer.Option("--ranked", help="In the order learned on validation: no copies first, not too short.")
    ] = False,
    premises: Annotated[
        Path | None,
        typer.Option(help="Library facts for each example, from `isarstep premises --out`, for models that read them."),
    ] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Nothing that stands above the gap is read.")] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="Only so many examples, those of lowest id.")] = None,
    device: Annotated[str | None, typer.Option(help="cpu or cuda; the GPU where there is one.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Processes, one core each; types are followed on the CPU.")] = 1,
) -> None:
    """Write a model's n-best lists for a split, as JSON lines.

    Example:

        isarstep predict runs/hat embedded --split test --beam 10
    """
    from isarstep.model.decode.hypotheses import SearchRules
    from isarstep.model.decode.predictions import write_predictions
    from isarstep.model.decode.split_lists import SplitAsked, SplitSearch

    rules = SearchRules(beam, penalty=penalty)
    asked = SplitAsked(model, data, split, rules, constraint, ranked, premises, plain, limit, device)
    search = SplitSearch(asked)
    tag = "-".join(([] if constraint == "none" else [constraint]) + ["ranked"] * ranked)
    path = out or model / "predictions" / f"{split}.beam{beam}{tag and f'.{tag}'}.jsonl"
    with Watched("searching", len(search)) as watched:
        count = write_predictions(path, search.lines_by(jobs, watched.advance), search.meta())
    typer.echo(f"{count} examples -> {path}")
