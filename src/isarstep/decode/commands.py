"""`isarstep predict`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isarstep.progress import Watched

if TYPE_CHECKING:
    from isarstep.decode.predict import Predictor
    from isarstep.decode.search import Constraints


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
    limit: Annotated[int | None, typer.Option(min=1, help="Only so many examples, those of lowest id.")] = None,
    device: Annotated[str | None, typer.Option(help="cpu or cuda; the GPU where there is one.")] = None,
) -> None:
    """Write a model's n-best lists for a split, as JSON lines.

    Example:

        isarstep predict runs/hat embedded --split test --beam 10
    """
    import numpy as np

    from isarstep.bench.ids import places_of_lowest
    from isarstep.decode.hypotheses import SearchRules
    from isarstep.decode.predict import Predictor, meta_of
    from isarstep.decode.predictions import write_predictions
    from isarstep.decode.ranking import learned_ranking
    from isarstep.feed.files import load_dataset

    predictor = Predictor(model, device)
    dataset = load_dataset(data, predictor.model.config.input)
    corpus = predictor.split(dataset, split)
    if limit is not None:
        corpus = corpus.take(np.array(places_of_lowest(corpus.ids, limit)))
    rules = SearchRules(beam, penalty=penalty)
    constraints = _constraints(constraint, predictor, data, split)
    label = {"none": "none", "grammar": "grammar", "types": "grammar+types"}[constraint.value]
    ranking = learned_ranking() if ranked else None
    tag = "-".join(([] if constraint == ConstraintChoice.none else [constraint.value]) + ["ranked"] * ranked)
    path = out or model / "predictions" / f"{split}.beam{beam}{tag and f'.{tag}'}.jsonl"
    with Watched("searching", len(corpus)) as watched:
        lines = predictor.lines(corpus, rules, constraints, watched.advance, ranking)
        count = write_predictions(path, lines, meta_of(predictor, dataset.benchmark, split, rules, label, ranking))
    typer.echo(f"{count} examples -> {path}")


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
