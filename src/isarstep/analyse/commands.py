"""`isarstep probe`, `neighbours` and `attention`: look into a model. `isarstep keep`: leave what reports need."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def probe(
    model: Annotated[Path, typer.Argument(help="A model's folder.")],
    beam: Annotated[int, typer.Option(min=1, help="Width of the beam.")] = 10,
    out: Annotated[Path | None, typer.Option(help="Keep the answers; MODEL/probes.jsonl goes into reports.")] = None,
) -> None:
    """Ask a model small questions whose answers a person can see.

    Example:

        isarstep probe runs/hat --out runs/hat/probes.jsonl
    """
    from isarstep.analyse.probes import probe_table, probes, write_answers
    from isarstep.decode.hypotheses import SearchRules
    from isarstep.decode.predict import Predictor

    asked = probes()
    answers = Predictor(model).nbest([each.example for each in asked], SearchRules(beam=beam))
    if out is not None:
        write_answers(out, asked, answers)
    lists = [[tokens for tokens, _ in nbest] for nbest in answers]
    probe_table(asked, {model.resolve().name: lists}).show()


def neighbours(
    model: Annotated[Path, typer.Argument(help="A run's or model's folder.")],
    tokens: Annotated[list[str], typer.Argument(help="Tokens by full name or its end; or a sum, 'bounded + closed'.")],
    count: Annotated[int, typer.Option(min=1, help="How many neighbours.")] = 50,
) -> None:
    """List the tokens whose embeddings are nearest by cosine, without what all embeddings have in common.

    Example:

        isarstep neighbours runs/hat borel_measurable 'bounded + closed' --count 10
    """
    from isarstep.analyse.embeddings import embeddings_of
    from isarstep.errors import UserError
    from isarstep.tables import Table

    table = embeddings_of(model)
    if table is None:
        raise UserError(f"{model}: has neither weights nor embeddings.safetensors")
    known = table.centred()
    for text in tokens:
        is_sum = " + " in text or " - " in text
        found = known.arithmetic(text, count) if is_sum else known.neighbours(text, count)
        rows = tuple((each.token, f"{each.cosine:.3f}") for each in found)
        Table("neighbours", f"Nearest to {text}", ("token", "cosine"), rows).show()


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
    from isarstep.analyse.attention_maps import record_attention, save_maps
    from isarstep.analyse.probes import probes
    from isarstep.bench.store import Benchmark
    from isarstep.data import model_folder
    from isarstep.decode.predict import Predictor

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
    """Leave in a run's folder what reports need, so that they can be made again without its weights.

    Token table, answers to the probes, attention for the paper's examples; with DATA also the n-best lists of its
    held-out splits, beam 5 and beam 10.

    Example:

        isarstep keep runs/hat embedded
    """
    from isarstep.analyse.keeping import keep_predictions, keep_views
    from isarstep.data import model_folder

    folder = model_folder(run)
    written = []
    if data is not None:
        from isarstep.feed.files import load_dataset
        from isarstep.models.folders import open_folder

        written = keep_predictions(folder, load_dataset(data, open_folder(folder).config.input), device)
    for path in [*written, *keep_views(folder, device)]:
        print(path)
