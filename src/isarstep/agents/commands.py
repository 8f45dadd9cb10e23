"""Commands for language models and agents: ask."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from isarstep.errors import UserError


def ask(
    out: Annotated[Path, typer.Option(help="Folder of the run; an interrupted run there is continued.")],
    endpoint: Annotated[str, typer.Option(help="Address up to /v1 of a server with OpenAI's chat interface.")],
    model: Annotated[str, typer.Option(help="The model's name there.")],
    benchmark: Annotated[str, typer.Option(help="Folder of the benchmark, or 'embedded'.")] = "embedded",
    split: Annotated[str, typer.Option(help="validation, test, unseen or fresh.")] = "validation",
    limit: Annotated[int | None, typer.Option(min=1, help="Ask only about the first examples.")] = None,
    samples: Annotated[int, typer.Option(min=1, max=100, help="Replies to each question.")] = 1,
    shots: Annotated[int, typer.Option(min=0, max=32, help="Examples of training before each question.")] = 4,
    temperature: Annotated[float | None, typer.Option(help="Default: 0 for one sample, 0.7 for several.")] = None,
    longest: Annotated[int, typer.Option(min=16, help="Tokens of a reply.")] = 1024,
    per_minute: Annotated[float, typer.Option(min=0.1, help="Requests a minute at most.")] = 60.0,
    at_once: Annotated[int, typer.Option(min=1, max=64, help="Requests at the same time.")] = 4,
    price: Annotated[str | None, typer.Option(help="Dollars a million tokens, read and written: 0.15,0.60")] = None,
) -> None:
    """Ask a language model for the missing steps of a split, and score its answers as terms.

    The key is taken from ISARSTEP_API_KEY or OPENAI_API_KEY, if one is needed, and written nowhere. The folder keeps
    every reply; predictions.jsonl in it goes to 'isarstep evaluate' and 'isarstep check' like that of any system.

    Example:

        isarstep ask --endpoint http://localhost:8000/v1 --model NAME --limit 100 --samples 10 --out runs/name
    """
    from rich.console import Console
    from rich.progress import Progress

    from isarstep.agents.asking import Inquiry, Price, ask_all, summarise
    from isarstep.agents.endpoint import Endpoint
    from isarstep.agents.questions import Questions
    from isarstep.bench.store import Benchmark

    opened = Benchmark(benchmark)
    rows = opened.split(split)
    examples = rows[: limit or len(rows)]
    heat = temperature if temperature is not None else 0.0 if samples == 1 else 0.7
    inquiry = Inquiry(model, opened.hash, rows.name, samples, shots, heat, longest)
    server = Endpoint(endpoint, model, temperature=heat, longest=longest, per_minute=per_minute)
    dollars = None
    if price is not None:
        try:
            dollars = Price(*(float(part) for part in price.split(",")))
        except (ValueError, TypeError):
            raise UserError(f"--price {price}: write two numbers, for tokens read and written: 0.15,0.60") from None
    questions = Questions(opened, shots)
    with Progress(console=Console(stderr=True), disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("examples", total=len(examples))
        ask_all(
            out, inquiry, questions, examples, server, at_once=at_once,
            progress=lambda done: bar.update(task, completed=done),
        )  # fmt: skip
    typer.echo(json.dumps(summarise(out, inquiry, questions, examples, dollars), indent=1))
