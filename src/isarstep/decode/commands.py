"""`isarstep predict`."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isarstep.errors import UserError
from isarstep.progress import Watched

if TYPE_CHECKING:
    from isarstep.bench.example import Example
    from isarstep.bench.store import Benchmark
    from isarstep.decode.predict import Predictor
    from isarstep.decode.search import Constraints
    from isarstep.feed.corpus import Corpus
    from isarstep.feed.inputs import Input


class ConstraintChoice(StrEnum):
    none = "none"
    grammar = "grammar"
    types = "types"


def predict(
    model: Annotated[Path, typer.Argument(help="A model folder.")],
    data: Annotated[Path, typer.Argument(help="A benchmark folder, or a file of arrays.")],
    split: Annotated[str, typer.Option(help="train, validation, test, or another one of the data.")] = "test",
    beam: Annotated[int, typer.Option(help="Hypotheses a sentence; the n-best list is as long.")] = 10,
    out: Annotated[
        Path | None, typer.Option(help="Where to write; MODEL/predictions/SPLIT.beamN.jsonl if not given.")
    ] = None,
    constraint: Annotated[
        ConstraintChoice, typer.Option(help="none, grammar (only terms), or types (only well-typed propositions).")
    ] = ConstraintChoice.none,
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
) -> None:
    """Write a model's n-best lists for a split, as JSON lines.

    Example:

        isarstep predict runs/hat embedded --split test --beam 10
    """
    from isarstep.decode.hypotheses import SearchRules
    from isarstep.decode.predict import Predictor, meta_of
    from isarstep.decode.predictions import write_predictions
    from isarstep.decode.ranking import learned_ranking

    predictor = Predictor(model, device)
    corpus, answered = _asked(predictor, data, split, limit, premises, plain)
    rules = SearchRules(beam, penalty=penalty)
    constraints = _constraints(constraint, predictor, data, split)
    label = {"none": "none", "grammar": "grammar", "types": "grammar+types"}[constraint.value]
    ranking = learned_ranking() if ranked else None
    tag = "-".join(([] if constraint == ConstraintChoice.none else [constraint.value]) + ["ranked"] * ranked)
    path = out or model / "predictions" / f"{split}.beam{beam}{tag and f'.{tag}'}.jsonl"
    with Watched("searching", len(corpus)) as watched:
        lines = predictor.lines(corpus, rules, constraints, watched.advance, ranking)
        meta = meta_of(predictor, answered, split, rules, label, ranking)
        count = write_predictions(path, lines, meta | {"input": _input(predictor.model.config.input, premises, plain)})
    typer.echo(f"{count} examples -> {path}")


def _asked(
    predictor: Predictor, data: Path, split: str, limit: int | None, premises: Path | None, plain: bool
) -> tuple[Corpus, str]:
    """What is read, and the hash of the benchmark that it comes from."""
    import numpy as np

    from isarstep.bench.ids import places_of_lowest
    from isarstep.data import BENCHMARKS
    from isarstep.feed.files import load_dataset
    from isarstep.feed.inputs import FIELDS_READ, STATEMENT

    known = predictor.model.config.input
    if STATEMENT in FIELDS_READ[known] and (data.is_dir() or str(data) in BENCHMARKS):
        from isarstep.bench.store import Benchmark

        benchmark = Benchmark(data)
        examples = benchmark.split(split).lowest(limit)
        return predictor.corpus(_with_more(benchmark, examples, premises, plain)), benchmark.hash
    if premises is not None or plain:
        raise UserError(f"--premises and --plain are for a benchmark's folder and a model that reads more than {known}")
    dataset = load_dataset(data, known)
    corpus = predictor.split(dataset, split)
    if limit is not None:
        corpus = corpus.take(np.array(places_of_lowest(corpus.ids, limit)))
    return corpus, dataset.benchmark


def _with_more(benchmark: Benchmark, examples: list[Example], premises: Path | None, plain: bool) -> list[Example]:
    """The examples with the facts of a file, and with what stands above their gaps."""
    from isarstep.bench.setting import with_setting
    from isarstep.feed.premise_files import read_premises

    if not plain:
        examples = [with_setting(benchmark, example) for example in examples]
    if premises is None:
        return examples
    selected = read_premises(premises)
    missing = [example.id for example in examples if example.id not in selected]
    if missing:
        raise UserError(f"{premises}: has no facts for {len(missing)} of {len(examples)} examples, {missing[0]} first")
    return [replace(example, premises=selected[example.id]) for example in examples]


def _input(known: Input, premises: Path | None, plain: bool) -> str:
    """What was read, of all that the model can read."""
    if known != "+premises":
        return "base" if plain else known
    read = ["" if plain else "+context", "" if premises is None else "+premises"]
    return "".join(read) or "base"


def _constraints(choice: ConstraintChoice, predictor: Predictor, data: Path, split: str) -> Constraints | None:
    vocabulary, dense = predictor.vocabulary, predictor.model.config.dense
    if choice == ConstraintChoice.none:
        return None
    from isarstep.decode.constraints import TermGrammar

    if choice == ConstraintChoice.grammar:
        return TermGrammar(vocabulary, dense)
    from isarstep.bench.store import Benchmark
    from isarstep.decode.typing import TypedGrammar
    from isarstep.decode.variable_types import contexts_of_split, scopes_of_split

    benchmark = Benchmark(data)
    examples = benchmark.split(split)
    contexts = contexts_of_split(examples, benchmark.theory_contexts)
    scopes = scopes_of_split(examples, benchmark.theory_contexts)
    return TypedGrammar(vocabulary, benchmark.signature, contexts, dense, scopes)
