"""`isarstep train`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from isarstep.benchmark.arrays.inputs import Input


Kind = Literal["rnnsearch", "convs2s", "transformer", "hat"]
Size = Literal["tiny", "small", "base"]

Data = Annotated[
    Path,
    typer.Argument(
        help="A benchmark folder, `embedded`, or a file of arrays (isarstep.benchmark.arrays.files.save_dataset)."
    ),
]
FolderOfRun = Annotated[Path, typer.Argument(help="Where the model, its log and its checkpoints go.")]
InputOption = Annotated[
    Literal["base", "+F.5", "+context"] | None,
    typer.Option(
        "--input",
        help="What is read: base (F.2-F.4), +F.5 (also the library lemmas used for the target), or +context (also the "
        "theorem's statement and the facts before the target).",
        show_default="base",
    ),
]
Steps = Annotated[int | None, typer.Option(min=1, help="Optimiser steps; the paper made 100,000.")]
Minutes = Annotated[float | None, typer.Option(help="A wall-clock budget instead of steps, compilation included.")]
Seed = Annotated[int | None, typer.Option(help="Equal seeds give equal runs on a CPU.")]
Device = Annotated[str | None, typer.Option(help="cpu or cuda; the GPU where there is one.")]

# Options of before, and where to find now what they did.
_LAYERS = "went into the recipe, under [model]"
_NUMBERS = "went into the recipe, under [training]"
_RUNS = "went into the recipe, under [run]"
REPLACED = {
    "--hints": "became --input +F.5",
    "--no-hints": "became --input base",
    "--style": "is part of the recipe: --recipe modern, or style under [model] in a recipe file",
    **dict.fromkeys(("--dense", "--no-dense", "--categories", "--no-categories", "--dropout"), _LAYERS),
    **dict.fromkeys(("--tokens", "--batch", "--accumulate", "--rate", "--warmup", "--renumber"), _NUMBERS),
    **dict.fromkeys(("--looks", "--storage"), _RUNS),
    "--tensorboard": "is gone, from recipes, too: log.jsonl in the run's folder has its numbers",
}


def train(
    data: Data,
    run: FolderOfRun,
    model: Annotated[Kind | None, typer.Option(help="Which of the four models.", show_default="hat")] = None,
    size: Annotated[
        Size | None,
        typer.Option(help="Every width and depth follows from it; base is the paper's.", show_default="base"),
    ] = None,
    recipe: Annotated[
        str | None, typer.Option(help="paper, modern, shipped, or a file (docs/training.md).", show_default="paper")
    ] = None,
    input_: InputOption = None,
    steps: Steps = None,
    minutes: Minutes = None,
    start_from: Annotated[Path | None, typer.Option(help="A model folder to begin with, or `embedded`.")] = None,
    seed: Seed = None,
    device: Device = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in the folder, as it was begun.")
    ] = False,
) -> None:
    """Train one of the paper's models on a benchmark.

    With many GPUs or machines run it under torchrun, with `accumulate` in the recipe a multiple of the number of
    processes.

    Example:

        isarstep train embedded runs/hat --model hat --size small --recipe modern --minutes 60
    """
    began = time.monotonic()  # minutes are those of the command, and reading the data is part of it
    from isarstep.benchmark.arrays.files import load_dataset
    from isarstep.model.train.loop import ValidationPlan
    from isarstep.model.train.loop import train as run_training
    from isarstep.model.train.recipe_files import read_recipe
    from isarstep.model.train.resuming import saved_run

    chosen = read_recipe(recipe or "paper").with_training(steps=steps, minutes=minutes, seed=seed)
    begun = saved_run(run) if resume else None
    read: Input = input_ if input_ is not None else begun.config.input if begun is not None else "base"
    dataset = chosen.data(load_dataset(data, read), start_from)
    kind, wanted = model or "hat", size or "base"
    config = chosen.config(kind, wanted, len(dataset.vocabulary), read)
    if begun is not None:  # what is not said is as it was
        config = begun.asked(config, kind=model, size=size, recipe=recipe)
        chosen = chosen if recipe is not None else begun.recipe_again(chosen, steps, minutes, seed)
    run_training(
        dataset,
        config,
        chosen.training,
        run,
        device=device,
        resume=resume,
        start_from=start_from,
        validating=ValidationPlan(looks=chosen.run.looks),
        storage=chosen.run.storage,
        began=began,
    )
    typer.echo(f"{run}: trained; `isarstep evaluate {run} --limit 60` scores it on test examples")
