"""Commands for language models and agents: ask, mcp, premises."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from isarstep.errors import UserError
from isarstep.progress import Watched


def ask(
    out: Annotated[Path, typer.Option(help="Folder of the run; an interrupted run there is continued.")],
    endpoint: Annotated[str, typer.Option(help="Address up to /v1 of a server with OpenAI's chat interface.")],
    model: Annotated[str, typer.Option(help="The model's name there.")],
    benchmark: Annotated[str, typer.Option(help="Folder of the benchmark, or 'embedded'.")] = "embedded",
    split: Annotated[str, typer.Option(help="validation, test, unseen or fresh.")] = "validation",
    limit: Annotated[int | None, typer.Option(min=1, help="Only so many examples, those of lowest id.")] = None,
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
    from isarstep.agents.asking import AskedRun, Price, ask_all, summarise_replies
    from isarstep.agents.endpoint import Endpoint
    from isarstep.agents.questions import Questions
    from isarstep.bench.store import Benchmark

    opened = Benchmark(benchmark)
    rows = opened.split(split)
    examples = rows.lowest(limit)
    heat = temperature if temperature is not None else 0.0 if samples == 1 else 0.7
    inquiry = AskedRun(model, opened.hash, rows.name, samples, shots, heat, longest)
    server = Endpoint(endpoint, model, temperature=heat, longest=longest, per_minute=per_minute)
    dollars = None
    if price is not None:
        try:
            dollars = Price(*(float(part) for part in price.split(",")))
        except (ValueError, TypeError):
            raise UserError(f"--price {price}: write two numbers, for tokens read and written: 0.15,0.60") from None
    questions = Questions(opened, shots)
    with Watched(f"asking {model}", len(examples)) as watched:
        ask_all(out, inquiry, questions, examples, server, at_once=at_once, progress=watched.at)
    typer.echo(json.dumps(summarise_replies(out, inquiry, questions, examples, dollars), indent=1))


def mcp(
    http: Annotated[bool, typer.Option("--http", help="Streamable HTTP at /mcp instead of stdio.")] = False,
    host: Annotated[str, typer.Option(help="For --http: this machine's own address, nothing else.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="For --http.")] = 8766,
    model: Annotated[str, typer.Option(help="A model's folder, or 'embedded'.")] = "embedded",
    benchmark: Annotated[str, typer.Option(help="Folder of the benchmark, or 'embedded'.")] = "embedded",
) -> None:
    """Serve tools for agents over the Model Context Protocol: read, propose_step, check_step, sketch, find_facts.

    The client starts it and talks to it over stdin and stdout; with --http several clients share one. Needs
    pip install 'isarstep[mcp]'. docs/agents.md says how to register it.

    Example:

        isarstep mcp
        isarstep mcp --http --port 8766
    """
    from importlib.util import find_spec

    if find_spec("mcp") is None:
        raise UserError("the protocol's package is missing; install it with: pip install 'isarstep[mcp]'")
    if http and host not in ("127.0.0.1", "::1", "localhost"):
        raise UserError(f"--host {host} can be reached from elsewhere, and no token is asked for; use 127.0.0.1")
    from isarstep.agents import mcp_server
    from isarstep.agents.workshop import usual_workshop

    workshop = usual_workshop(model, benchmark)
    if http:
        mcp_server.run_http(workshop, host, port)
    else:
        mcp_server.run_stdio(workshop)


def premises(
    benchmark: Annotated[str, typer.Option(help="Folder of the benchmark, or 'embedded'.")] = "embedded",
    split: Annotated[str, typer.Option(help="validation, test, unseen or fresh.")] = "validation",
    limit: Annotated[int | None, typer.Option(min=1, help="Only so many examples, those of lowest id.")] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the table as Markdown.")] = False,
) -> None:
    """Score selectors of premises on the task which library facts a step uses.

    Rows are the filter by which the checker offers facts to provers, and a bag of constants.

    Example:

        isarstep premises --split test --limit 500
    """
    from isarstep.agents.premise_task import premise_table
    from isarstep.bench.store import Benchmark

    table = premise_table(Benchmark(benchmark), split, limit)
    if markdown:
        typer.echo(table.to_markdown())
    else:
        table.show()
