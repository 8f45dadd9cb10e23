"""`isarstep train` and `isarstep pretrain`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from isarstep.models.config import ModelConfig
    from isarstep.train.recipe import Recipe


class KindChoice(StrEnum):
    rnnsearch = "rnnsearch"
    convs2s = "convs2s"
    transformer = "transformer"
    hat = "hat"


class SizeChoice(StrEnum):
    tiny = "tiny"
    small = "small"
    base = "base"


class StyleChoice(StrEnum):
    paper = "paper"
    modern = "modern"


class StorageChoice(StrEnum):
    fp32 = "fp32"
    bf16 = "bf16"
    int8 = "int8"


Data = Annotated[
    Path, typer.Argument(help="A benchmark folder, `embedded`, or a file of arrays (isarstep.feed.corpus.save).")
]
RunFolder = Annotated[Path, typer.Argument(help="Where the model, its log and its checkpoints go.")]
KindOption = Annotated[KindChoice, typer.Option("--model", help="Which of the four models.")]
SizeOption = Annotated[SizeChoice, typer.Option(help="Every width and depth follows from it; base is the paper's.")]
StyleOption = Annotated[StyleChoice, typer.Option(help="The paper's layers and recipe, or modern ones.")]
RecipeOption = Annotated[
    StyleChoice | None, typer.Option("--recipe", help="Train the chosen layers with the other style's recipe.")
]
Dense = Annotated[
    bool, typer.Option("--dense/--no-dense", help="Read and write terms without the tokens that others imply.")
]
Hints = Annotated[bool, typer.Option("--hints/--no-hints", help="Read F.5, the library lemmas used for the target.")]
Steps = Annotated[int | None, typer.Option(help="Optimiser steps; the paper made 100,000.")]
Minutes = Annotated[float | None, typer.Option(help="A wall-clock budget instead of steps, compilation included.")]
Tokens = Annotated[int | None, typer.Option(help="A budget of tokens, read and written, instead of steps.")]
BatchOption = Annotated[int | None, typer.Option(help="Source tokens of one packed batch.")]
Accumulate = Annotated[int | None, typer.Option(help="Batches a step, over all processes.")]
Rate = Annotated[
    float | None, typer.Option(help="Learning rate (a factor on the paper's schedule with --style paper).")
]
Warmup = Annotated[int | None, typer.Option(help="Steps until the learning rate is reached.")]
Renumber = Annotated[
    float | None, typer.Option(help="Share of examples whose variables get other numbers, anew in each epoch.")
]
Dropout = Annotated[float | None, typer.Option(help="Instead of the model's own.")]
Seed = Annotated[int, typer.Option(help="Equal seeds give equal runs on a CPU.")]
Device = Annotated[str | None, typer.Option(help="cpu or cuda; the GPU where there is one.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with the run in the folder.")]
Looks = Annotated[int, typer.Option(help="Validations, with a checkpoint each, over the run.")]
StorageOption = Annotated[StorageChoice, typer.Option(help="How the final weights are kept.")]


def train(
    data: Data,
    run: RunFolder,
    model: KindOption = KindChoice.hat,
    size: SizeOption = SizeChoice.base,
    style: StyleOption = StyleChoice.paper,
    hints: Hints = False,
    categories: Annotated[
        bool, typer.Option("--categories/--no-categories", help="HAT: tell which field a proposition is from.")
    ] = True,
    dense: Dense = False,
    recipe: RecipeOption = None,
    steps: Steps = None,
    minutes: Minutes = None,
    tokens: Tokens = None,
    batch: BatchOption = None,
    accumulate: Accumulate = None,
    rate: Rate = None,
    warmup: Warmup = None,
    renumber: Renumber = None,
    dropout: Dropout = None,
    start_from: Annotated[Path | None, typer.Option(help="A pretrained model folder.")] = None,
    seed: Seed = 0,
    device: Device = None,
    resume: Resume = False,
    looks: Looks = 20,
    storage: StorageOption = StorageChoice.fp32,
    tensorboard: Annotated[bool, typer.Option("--tensorboard", help="Also write curves for tensorboard.")] = False,
) -> None:
    """Train one of the paper's models on a benchmark.

    With many GPUs or machines run it under torchrun, with --accumulate a multiple of the number of processes.

    Example:

        isarstep train embedded runs/hat --model hat --size base --minutes 60
    """
    from isarstep.feed.files import load_dataset
    from isarstep.train.loop import ValidationPlan
    from isarstep.train.loop import train as run_training

    dataset = load_dataset(data)
    config = _config(len(dataset.vocabulary), model, size, style, hints, categories, dense, dropout)
    run_training(
        dataset,
        config,
        _recipe(
            recipe or style,
            steps=steps,
            minutes=minutes,
            tokens=tokens,
            batch=batch,
            accumulate=accumulate,
            rate=rate,
            warmup=warmup,
            renumber=renumber,
            seed=seed,
        ),
        run,
        device=device,
        resume=resume,
        start_from=start_from,
        validating=ValidationPlan(looks=looks, tensorboard=tensorboard),
        storage=storage.value,
    )


def pretrain(
    data: Data,
    run: RunFolder,
    task: Annotated[
        str, typer.Option(help="deduct, abduct, induct, mix, rewrite, or masked (of the data's terms).")
    ] = "mix",
    model: KindOption = KindChoice.hat,
    size: SizeOption = SizeChoice.base,
    style: StyleOption = StyleChoice.paper,
    dense: Dense = False,
    examples: Annotated[int, typer.Option(help="Synthetic examples to make, from the seed.")] = 100_000,
    steps: Steps = None,
    minutes: Minutes = None,
    tokens: Tokens = None,
    batch: BatchOption = None,
    accumulate: Accumulate = None,
    rate: Rate = None,
    warmup: Warmup = None,
    seed: Seed = 0,
    device: Device = None,
    looks: Looks = 5,
) -> None:
    """Train a model on synthetic reasoning tasks (LIME) or on masked subterms, to start `isarstep train` from.

    Example:

        isarstep pretrain embedded runs/lime --task mix --minutes 10
        isarstep train embedded runs/hat --start-from runs/lime
    """
    from isarstep.feed.files import load_dataset
    from isarstep.train.lime import synthetic_dataset
    from isarstep.train.loop import ValidationPlan
    from isarstep.train.loop import train as run_training

    dataset = synthetic_dataset(load_dataset(data), task, examples, seed)
    config = _config(len(dataset.vocabulary), model, size, style, True, True, dense, None)
    recipe = _recipe(
        style,
        steps=steps,
        minutes=minutes,
        tokens=tokens,
        batch=batch,
        accumulate=accumulate,
        rate=rate,
        warmup=warmup,
        seed=seed,
    )
    run_training(dataset, config, recipe, run, device=device, validating=ValidationPlan(looks=looks))


def _config(
    vocabulary: int,
    model: KindChoice,
    size: SizeChoice,
    style: StyleChoice,
    hints: bool,
    categories: bool,
    dense: bool,
    dropout: float | None,
) -> ModelConfig:
    from isarstep.models.config import PAPER_DROPOUT, ModelConfig

    drop = PAPER_DROPOUT[model.value] if dropout is None else dropout
    return ModelConfig(model.value, vocabulary, size.value, style.value, drop, hints, categories, dense)


def _recipe(style: StyleChoice, **given: float | None) -> Recipe:
    from isarstep.train.recipe import modern, paper

    changes = {name: value for name, value in given.items() if value is not None}
    return (paper if style == StyleChoice.paper else modern)(**changes)
